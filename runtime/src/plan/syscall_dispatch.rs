//! System calls of what has a plan's memory, a child or a trial in place: the kernel dispatches them to a handler (Syscall User Dispatch),
//! which makes those that can be undone.

use core::ops::Range;
use core::sync::atomic::Ordering;

use crate::os::sys::{self, Errno};
use crate::plan::filter;
use crate::plan::scratch_mapping::{self, SIGNAL_STACK, STACK, ScratchMapping, scratch_mapping};
use crate::plan::{in_process, mask, snapshot};
use crate::process::{Process, shared};
use crate::trial::trampoline::{self, call};

const SIGACTION: usize = 13;
const SIGALTSTACK: usize = 131;
const PRCTL: usize = 157;
const ROBUST_LIST: usize = 273;

/// `SA_ONSTACK`.
const ON_STACK: usize = 0x0800_0000;
/// `SA_RESETHAND`.
pub const RESET: usize = 0x8000_0000;
const SIGNALS: usize = 64;
const SIGSYS: usize = 31;

/// The first kernel on which a process that dumps its memory when it crashes does not end all others that share it.
const KERNEL: (usize, usize) = (5, 16);

/// Calls of one trial: each takes a signal, and one that makes many is better off as a fork.
const MOST_CALLS: u32 = 128;

/// A stack for handlers of signals: where it begins, flags, bytes.
type Stack = [usize; 3];
const NO_STACK: i32 = 2;

/// Makes scratch, where the kernel can do what is needed.
///
/// # Safety
/// In a plan, under its filter.
pub unsafe fn prepare(process: &Process) {
    // SAFETY: vouched for by the caller.
    unsafe {
        let flags = (1..=SIGNALS).filter(|signal| *signal != SIGSYS).fold(0, |all, signal| all | flags_of(signal));
        if sys::kernel() >= KERNEL && flags & ON_STACK == 0 && scratch_mapping::make() {
            process.lends.store(1, Ordering::Relaxed);
            let dispatches = (*scratch_mapping()).dispatches.as_ptr() as usize;
            if flags & RESET == 0 && dispatch(dispatches) {
                process.stays.store(1, Ordering::Relaxed);
            }
        }
    }
}

/// How a signal is handled, if it is.
unsafe fn flags_of(signal: usize) -> usize {
    let mut action = [0usize; 4];
    // SAFETY: the kernel fills the record.
    let _ = unsafe { call(SIGACTION, [signal, 0, (&raw mut action) as usize, 8, 0]) };
    let [handler, flags, ..] = action;
    if handler > 1 { flags } else { 0 }
}

/// Has calls dispatched: whenever the byte at `selector` is not zero, always if there is none. Whether the kernel does that.
unsafe fn dispatch(selector: usize) -> bool {
    const DISPATCH: usize = 59;
    const ON: usize = 1;
    let Range { start, end } = trampoline::exempt();
    // SAFETY: the byte is the scratch mapping's.
    unsafe { call(PRCTL, [DISPATCH, ON, start, end.wrapping_sub(start), selector]) }.is_ok()
}

/// The plan's program handles a signal as the record at `action` says: what has this memory may not be able to do so as a fork would.
///
/// # Safety
/// In a plan.
pub unsafe fn handles(action: usize) {
    // SAFETY: vouched for by the caller.
    unsafe {
        if has_flags(action, ON_STACK | RESET) {
            shared().stays.store(0, Ordering::Relaxed);
        }
        if has_flags(action, ON_STACK) {
            shared().lends.store(0, Ordering::Relaxed);
        }
    }
}

/// Whether a record of how a signal is handled says one of these; also if it cannot be read.
///
/// # Safety
/// In a plan.
pub unsafe fn has_flags(action: usize, flags: usize) -> bool {
    let at = action.wrapping_add(8);
    let is_readable = || trampoline::is_readable(at) && trampoline::is_readable(at.wrapping_add(7));
    // SAFETY: the address is looked at first.
    action != 0 && (!is_readable() || unsafe { (at as *const usize).read_unaligned() } & flags != 0)
}

/// Gives handlers the scratch mapping's stack, unless there is another one: whether that was done.
///
/// # Safety
/// In a plan that lends or its child.
pub unsafe fn take_stack() -> bool {
    let mut before = [0usize; 3];
    // SAFETY: the stack is the scratch mapping's, the other one a local.
    unsafe {
        if !set_stack(&[SIGNAL_STACK, 0, STACK], &mut before) {
            return false;
        }
        let is_free = before[1] as i32 & NO_STACK != 0;
        if !is_free {
            set_stack(&before, &mut [0; 3]);
        }
        is_free
    }
}

/// Takes the scratch mapping's stack away from handlers.
///
/// # Safety
/// After [`take_stack`].
pub unsafe fn leave_stack() {
    // SAFETY: vouched for by the caller.
    unsafe { set_stack(&[0, NO_STACK as usize, 0], &mut [0; 3]) };
}

unsafe fn set_stack(stack: &Stack, before: &mut Stack) -> bool {
    // SAFETY: both are records of the kernel's.
    unsafe { call(SIGALTSTACK, [stack.as_ptr() as usize, before.as_mut_ptr() as usize, 0, 0, 0]) }.is_ok()
}

/// In a child: from now on its calls are [`take`]n.
///
/// # Safety
/// In a child that was lent its memory.
pub unsafe fn begin() {
    // SAFETY: vouched for by the caller.
    unsafe {
        if !take_stack() || !dispatch(0) {
            refuse();
        }
    }
}

/// Ends the child, or the trial in place, to be run another way.
unsafe fn refuse() -> ! {
    // SAFETY: the scratch mapping is there.
    unsafe { (*scratch_mapping()).is_refused = true }
    filter::exit()
}

/// A system call which the filter would let pass: it is made, or what makes it ends. `blocked` are the signals that the program blocks.
///
/// # Safety
/// In a child that was lent its memory, or a trial in place; the call is the program's own.
pub unsafe fn take(number: usize, arguments: [usize; 6], blocked: &mut u64) -> Result<usize, Errno> {
    // SAFETY: the scratch mapping is there, and what makes the call alone uses it while it runs.
    unsafe {
        let scratch: &mut ScratchMapping = &mut *scratch_mapping();
        scratch.calls = scratch.calls.wrapping_add(1);
        match number {
            _ if scratch.calls > MOST_CALLS => refuse(),
            SIGALTSTACK | PRCTL | ROBUST_LIST => refuse(),
            SIGACTION if has_flags(arguments[1], ON_STACK) => refuse(),
            _ if mask::is_replaced(number, arguments) => refuse(),
            _ if scratch.in_process.is_running => {
                in_process::take(scratch, number, arguments, blocked).unwrap_or_else(|| refuse())
            }
            _ if snapshot::changes(number) => scratch.snapshot.change(number, arguments).unwrap_or_else(|| refuse()),
            _ => mask::take(blocked, number, arguments).unwrap_or_else(|| trampoline::pass(number, arguments)),
        }
    }
}
