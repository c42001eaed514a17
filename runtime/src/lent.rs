//! A plan's child in its parent's memory: the parent keeps a copy of what it has written, waits, and puts it back.
//!
//! Only memory is lent: descriptors, signals and limits are the child's own, as a fork's are. Its system calls are dispatched to
//! [`crate::guard`], which ends it when it wants what cannot be undone, and it is forked instead. A fork it is too where there is too much to copy.

use suspect_format::trial::{Done, TrialResult};

use crate::filter;
use crate::fork::{self, Split};
use crate::process::LENT_ADDRESS;
use crate::room::{OWN_STACK_TOP, Pause, Room, room};

const CLONE: usize = 56;
/// `CLONE_VM`, `CLONE_PIDFD`.
const SHARING_MEMORY: u32 = 0x100 | 0x1000;

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

const PIDFD: usize = LENT_ADDRESS + core::mem::offset_of!(Room, lent) + core::mem::offset_of!(Lent, pidfd);

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
        if split() != 0 {
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

/// Goes on twice: in a child that has this memory, where it answers 1, and when that has ended and the memory is as it was, where it answers 0.
#[unsafe(naked)]
unsafe extern "C" fn split() -> u32 {
    core::arch::naked_asm!(
        "push rbx",
        "push rbp",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        // Where the gate returns to in the child.
        "lea rax, [rip + 2f]",
        "push rax",
        "mov rbx, rsp",
        "movabs rsp, {top}",
        "call {keep}",
        "mov edi, {clone}",
        "mov esi, {flags}",
        "mov rdx, rbx",
        "movabs rcx, {pidfd}",
        "xor r8d, r8d",
        "xor r9d, r9d",
        "push 0",
        "push 0",
        "call rax",
        "mov rdi, rax",
        "call {tend}",
        "lea rsp, [rbx + 8]",
        "xor eax, eax",
        "jmp 3f",
        "2:",
        "mov eax, 1",
        "3:",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbp",
        "pop rbx",
        "ret",
        top = const OWN_STACK_TOP,
        keep = sym keep,
        clone = const CLONE,
        flags = const SHARING_MEMORY,
        pidfd = const PIDFD,
        tend = sym tend,
    )
}

/// Copies what the parent has written; the address of the gate.
unsafe extern "C" fn keep() -> usize {
    // SAFETY: the room is mapped, and no child runs.
    unsafe {
        let room = &mut *room();
        (room.calls, room.is_refused) = (0, false);
        room.kept.copy();
    }
    filter::gate_address()
}

/// Waits for the child and puts back the memory; `answer` is the kernel's, the child's id if there is one.
unsafe extern "C" fn tend(answer: isize) {
    // SAFETY: the room is mapped. References to it are made when no child runs.
    unsafe {
        (*room()).lent.done = None;
        if answer > 0 {
            let lent = &raw mut (*room()).lent;
            let done = fork::wait(answer as usize, (*lent).pidfd as usize, (*lent).found);
            let room = &mut *room();
            room.kept.put_back();
            if !room.is_refused && done != Done::Elsewhere {
                room.lent.done = Some(done);
            }
        }
    }
}
