//! The random bytes that the kernel gives each process, of which the C library makes its guards against overwritten frames and pointers.

use std::ffi::c_void;
use std::ptr::null_mut;

/// What every trial gets instead. The C library's guards have a zero where it wants one.
const BYTES: [u64; 2] = [0x3c6e_f372_fe94_f82a, 0xa54f_f53a_5f1d_36f1];

const AT_RANDOM: u64 = 25;
/// Bytes of the new stack that are looked through: arguments and environment are addresses there, the auxiliary vector follows.
const ROOM: usize = 256 << 10;

/// Gives the bytes to a process that has asked to be traced and is about to execute its first instruction, and lets it go. Where
/// anything is refused the process goes on with bytes of its own.
pub(super) fn fix(pid: libc::pid_t) {
    let mut status = 0;
    // SAFETY: a child that has asked to be traced, and records of this function.
    unsafe {
        if libc::waitpid(pid, &mut status, libc::__WALL) != pid || !libc::WIFSTOPPED(status) {
            return;
        }
        let mut registers: libc::user_regs_struct = std::mem::zeroed();
        libc::ptrace(libc::PTRACE_GETREGS, pid, null_mut::<c_void>(), &raw mut registers);
        if let Some(address) = place(pid, registers.rsp) {
            for (at, word) in (address..).step_by(8).zip(BYTES) {
                libc::ptrace(libc::PTRACE_POKEDATA, pid, at as *mut c_void, word as *mut c_void);
            }
        }
        libc::ptrace(libc::PTRACE_DETACH, pid, null_mut::<c_void>(), null_mut::<c_void>());
    }
}

/// Where the process has its random bytes, from its first stack pointer.
fn place(pid: libc::pid_t, stack: u64) -> Option<u64> {
    let mut words = vec![0u64; ROOM / 8];
    let local = libc::iovec { iov_base: words.as_mut_ptr().cast(), iov_len: ROOM };
    let remote = libc::iovec { iov_base: stack as *mut c_void, iov_len: ROOM };
    // SAFETY: the buffer is as long as said; what cannot be read of the process is not.
    let read = unsafe { libc::process_vm_readv(pid, &raw const local, 1, &raw const remote, 1, 0) };
    words.truncate(usize::try_from(read).ok()? / 8);
    let arguments = usize::try_from(*words.first()?).ok()?;
    let environment = words.get(arguments + 2..)?;
    let end = environment.iter().position(|word| *word == 0)?;
    environment[end + 1..].chunks_exact(2).find(|entry| entry[0] == AT_RANDOM).map(|entry| entry[1])
}
