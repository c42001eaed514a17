//! A plan's child in its parent's memory: the parent keeps a copy of what it has written, waits, and puts it back.
//!
//! Only memory is lent: descriptors, signals and limits are the child's own, as a fork's are. Its system calls are dispatched to
//! [`crate::plan::syscall_dispatch`], which ends it when it wants what cannot be undone, and it is forked instead. A fork it is too where there is too much to copy.

use suspect_format::trial::{Done, TrialResult};

use crate::plan::checkpoint::checkpoint;
use crate::plan::fork::{self, Split};
use crate::plan::scratch_mapping::{Pause, ScratchMapping, scratch_mapping};
use crate::trial::trampoline::call;

const CLONE: usize = 56;
/// `CLONE_VM`, `CLONE_PIDFD`.
const SHARING_MEMORY: usize = 0x100 | 0x1000;

/// See [`Pause::fail`].
const MOST_FAILURES: u32 = 6;

/// What the parent knows of a child that has its memory. All zeros at first.
#[repr(C)]
pub struct SharedVm {
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
    // SAFETY: the scratch mapping is there, and no child runs.
    unsafe {
        let scratch = &mut *scratch_mapping();
        if !scratch.shared_vm.pause.would_be_over() && !scratch.in_process.pause.would_be_over() {
            return false;
        }
        let can_be_kept = scratch.snapshot.look();
        if !can_be_kept {
            scratch.shared_vm.pause.fail(MOST_FAILURES);
            scratch.in_process.pause.fail(MOST_FAILURES);
        }
        can_be_kept
    }
}

/// Whether the next child is to be lent its parent's memory.
///
/// # Safety
/// In a hook of a plan that knows which memory to keep.
pub unsafe fn is_due() -> bool {
    // SAFETY: the scratch mapping is there, and no child runs.
    unsafe {
        let ScratchMapping { shared_vm, snapshot, .. } = &mut *scratch_mapping();
        shared_vm.pause.is_over() && snapshot.has_frames()
    }
}

/// Lends this process's memory to a child and waits for its end. For the parent its memory is then as it was, and the end is `None` if the child must be forked.
///
/// # Safety
/// In a hook of a plan whose memory is to be lent; `found` is the child's result.
pub unsafe fn lend(found: *mut TrialResult) -> Split {
    // SAFETY: the scratch mapping is there, and no child runs; what `checkpoint` needs is there.
    unsafe {
        (*scratch_mapping()).shared_vm.found = found;
        if checkpoint(start) == 0 {
            return Split::Child;
        }
        let child = &mut (*scratch_mapping()).shared_vm;
        match child.done {
            Some(_) => child.pause.succeed(),
            None => child.pause.fail(MOST_FAILURES),
        }
        Split::Parent(child.done)
    }
}

/// Copies what this process has written, and starts the child, whose stack pointer is to be `resume`.
unsafe extern "C" fn start(resume: usize) {
    // SAFETY: the scratch mapping is there, and no child runs before there is one.
    unsafe {
        let scratch = &mut *scratch_mapping();
        (scratch.calls, scratch.is_refused) = (0, false);
        scratch.snapshot.copy();
        let pidfd = (&raw mut scratch.shared_vm.pidfd) as usize;
        // The child returns from the gate to where its stack pointer says.
        tend(call(CLONE, [SHARING_MEMORY, resume, pidfd, 0, 0]).ok());
    }
}

/// Waits for the child, if there is one, and puts back the memory.
unsafe fn tend(child: Option<usize>) {
    // SAFETY: the scratch mapping is there. References to it are made when no child runs.
    unsafe {
        (*scratch_mapping()).shared_vm.done = None;
        if let Some(id) = child {
            let child = &raw mut (*scratch_mapping()).shared_vm;
            let done = fork::wait(id, (*child).pidfd as usize, (*child).found);
            let scratch = &mut *scratch_mapping();
            scratch.snapshot.put_back();
            if !scratch.is_refused && done != Done::Elsewhere {
                scratch.shared_vm.done = Some(done);
            }
        }
    }
}
