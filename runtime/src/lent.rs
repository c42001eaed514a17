//! A plan's child in its parent's memory: the parent keeps a copy of what it has written, waits, and puts it back.
//!
//! Only memory is lent: descriptors, signals and limits are the child's own, as a fork's are. Its system calls are dispatched to
//! [`crate::guard`], which ends it when it wants what cannot be undone, and it is forked instead. A fork it is too where there is too much to copy.

use suspect_format::trial::{Done, TrialResult};

use crate::filter::call;
use crate::fork::{self, Split};
use crate::room::{Pause, Room, room};
use crate::split::split;

const CLONE: usize = 56;
/// `CLONE_VM`, `CLONE_PIDFD`.
const SHARING_MEMORY: usize = 0x100 | 0x1000;

/// See [`Pause::fail`].
const MOST_FAILURES: u32 = 6;

/// What the parent knows of a child that has its memory. All zeros at first.
#[repr(C)]
pub struct Lent {
    /// How long no child is lent memory.
    pub pause: Pause,
    /// The child's result.
    found: *mut TrialResult,
    pidfd: u32,
    /// How the child has ended, if that is what a fork would have come to.
    done: Option<Done>,
}

/// Finds out which memory there is to keep, before the children of one hook, unless that is no use now: whether it can be kept.
///
/// # Safety
/// In a hook of a plan that lends.
pub unsafe fn look() -> bool {
    // SAFETY: the room is mapped, and no child runs.
    unsafe {
        let room = &mut *room();
        if !room.lent.pause.would_be_over() && !room.place.pause.would_be_over() {
            return false;
        }
        let can_be_kept = room.kept.look();
        if !can_be_kept {
            room.lent.pause.fail(MOST_FAILURES);
            room.place.pause.fail(MOST_FAILURES);
        }
        can_be_kept
    }
}

/// Whether the next child is to be lent its parent's memory.
///
/// # Safety
/// In a hook of a plan that knows which memory to keep.
pub unsafe fn is_due() -> bool {
    // SAFETY: the room is mapped, and no child runs.
    unsafe {
        let Room { lent, kept, .. } = &mut *room();
        lent.pause.is_over() && kept.has_frames()
    }
}

/// Lends this process's memory to a child and waits for its end. For the parent its memory is then as it was, and the end is `None` if the child must be forked.
///
/// # Safety
/// In a hook of a plan whose memory is to be lent; `found` is the child's result.
pub unsafe fn lend(found: *mut TrialResult) -> Split {
    // SAFETY: the room is mapped, and no child runs; what `split` needs is there.
    unsafe {
        (*room()).lent.found = found;
        if split(start) == 0 {
            return Split::Child;
        }
        let lent = &mut (*room()).lent;
        match lent.done {
            Some(_) => lent.pause.succeed(),
            None => lent.pause.fail(MOST_FAILURES),
        }
        Split::Parent(lent.done)
    }
}

/// Copies what this process has written, and starts the child, whose stack pointer is to be `resume`.
unsafe extern "C" fn start(resume: usize) {
    // SAFETY: the room is mapped, and no child runs before there is one.
    unsafe {
        let room = &mut *room();
        (room.calls, room.is_refused) = (0, false);
        room.kept.copy();
        let pidfd = (&raw mut room.lent.pidfd) as usize;
        // The child returns from the gate to where its stack pointer says.
        tend(call(CLONE, [SHARING_MEMORY, resume, pidfd, 0, 0]).ok());
    }
}

/// Waits for the child, if there is one, and puts back the memory.
unsafe fn tend(child: Option<usize>) {
    // SAFETY: the room is mapped. References to it are made when no child runs.
    unsafe {
        (*room()).lent.done = None;
        if let Some(id) = child {
            let lent = &raw mut (*room()).lent;
            let done = fork::wait(id, (*lent).pidfd as usize, (*lent).found);
            let room = &mut *room();
            room.kept.put_back();
            if !room.is_refused && done != Done::Elsewhere {
                room.lent.done = Some(done);
            }
        }
    }
}
