//! Which signals a program blocks while a handler makes its calls: that handler has all blocked, so that a signal which the program sends
//! itself waits until its own code goes on. What calls say of blocked signals is therefore about the mask that the handler returns to.

use crate::os::sys::{EFAULT, EINVAL, Errno};
use crate::trial::trampoline::{self, call};

const SIGPROCMASK: usize = 14;
const SIGPENDING: usize = 127;
const PSELECT: usize = 270;
const PPOLL: usize = 271;

const BLOCK: u32 = 0;
pub const UNBLOCK: u32 = 1;
const SET: u32 = 2;
/// `SIGKILL` and `SIGSTOP` are never blocked.
const NEVER: u64 = 1 << 8 | 1 << 18;
const BYTES: usize = size_of::<u64>();

/// Makes a call that changes `mask` or asks for it, `None` if it is no such call.
///
/// # Safety
/// In the handler of calls; the call is the program's own.
pub unsafe fn take(mask: &mut u64, number: usize, arguments: [usize; 6]) -> Option<Result<usize, Errno>> {
    // SAFETY: vouched for by the caller.
    unsafe {
        match number {
            SIGPROCMASK => Some(change(mask, arguments)),
            SIGPENDING => Some(pending(*mask, arguments)),
            _ => None,
        }
    }
}

/// Whether a call waits under another mask: what waits for that would be handled where the call is made.
pub fn is_replaced(number: usize, arguments: [usize; 6]) -> bool {
    let [_, _, _, fourth, _, sixth] = arguments;
    number == PPOLL && fourth != 0 || number == PSELECT && sixth != 0
}

/// `rt_sigprocmask`, as the kernel has it: the mask is another one even if what it was cannot be written.
unsafe fn change(mask: &mut u64, arguments: [usize; 6]) -> Result<usize, Errno> {
    let [how, set, old, bytes, ..] = arguments;
    if bytes != BYTES {
        return Err(EINVAL);
    }
    let before = *mask;
    // SAFETY: addresses are looked at first; where the kernel has written, the same number of bytes can be written.
    unsafe {
        if set != 0 {
            let set = read(set).ok_or(EFAULT)? & !NEVER;
            *mask = match how as u32 {
                BLOCK => before | set,
                UNBLOCK => before & !set,
                SET => set,
                _ => return Err(EINVAL),
            };
        }
        if old != 0 {
            call(SIGPROCMASK, [0, 0, old, BYTES, 0])?;
            (old as *mut u64).write_unaligned(before);
        }
    }
    Ok(0)
}

/// `rt_sigpending`: what the program has not blocked does not wait for it.
unsafe fn pending(mask: u64, arguments: [usize; 6]) -> Result<usize, Errno> {
    let [set, bytes, ..] = arguments;
    // SAFETY: the program's own call; where the kernel has written, the same number of bytes can be written.
    unsafe {
        let answer = call(SIGPENDING, [set, bytes, 0, 0, 0])?;
        for (at, byte) in mask.to_ne_bytes().iter().enumerate().take(bytes) {
            *(set as *mut u8).wrapping_add(at) &= byte;
        }
        Ok(answer)
    }
}

/// A set of signals of the program's, if it can be read.
///
/// # Safety
/// In a plan.
pub unsafe fn read(set: usize) -> Option<u64> {
    let is_readable = trampoline::is_readable(set) && trampoline::is_readable(set.wrapping_add(BYTES).wrapping_sub(1));
    // SAFETY: the address was looked at.
    is_readable.then(|| unsafe { (set as *const u64).read_unaligned() })
}
