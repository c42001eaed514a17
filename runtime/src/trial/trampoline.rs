//! System calls of the executor of plans: made by one instruction that the plan's filter knows and lets through, in whichever module's copy.

use core::arch::global_asm;
use core::ops::Range;
use core::sync::atomic::{AtomicU64, Ordering};

use suspect_format::abi::PAGE;
use suspect_format::trial::Role;

use crate::os::sys::{self, EFAULT, Errno};
use crate::trial::file::header;

const SIGPROCMASK: usize = 14;

global_asm!(
    ".pushsection .text.__suspect_gate,\"ax\",@progbits",
    ".p2align 4",
    ".type __suspect_gate, @function",
    "__suspect_gate:",
    "mov rax, rdi",
    "mov rdi, rsi",
    "mov rsi, rdx",
    "mov rdx, rcx",
    "mov r10, r8",
    "mov r8, r9",
    "mov r9, qword ptr [rsp + 8]",
    "syscall",
    "__suspect_gate_passed:",
    "ret",
    ".p2align 4",
    ".type __suspect_signal_return, @function",
    "__suspect_signal_return:",
    "mov eax, 15",
    "syscall",
    "ud2",
    "__suspect_gate_end:",
    ".popsection",
);

unsafe extern "C" {
    #[link_name = "__suspect_gate"]
    fn gate(number: usize, a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> isize;
    #[link_name = "__suspect_gate_passed"]
    fn gate_passed();
    #[link_name = "__suspect_signal_return"]
    fn return_();
    #[link_name = "__suspect_gate_end"]
    fn gate_end();
}

type Gate = unsafe extern "C" fn(usize, usize, usize, usize, usize, usize, usize) -> isize;

/// A system call that the filter lets through, in whichever module's copy of the runtime.
///
/// # Safety
/// As the system call; the plan's filter is installed.
pub unsafe fn call(number: usize, arguments: [usize; 5]) -> Result<usize, Errno> {
    let [a, b, c, d, e] = arguments;
    // SAFETY: vouched for by the caller.
    unsafe { pass(number, [a, b, c, d, e, 0]) }
}

/// As [`call`], of a system call with one argument more.
///
/// # Safety
/// As [`call`].
pub unsafe fn pass(number: usize, arguments: [usize; 6]) -> Result<usize, Errno> {
    let [a, b, c, d, e, f] = arguments;
    // SAFETY: the address is that of a module's gate.
    let answer = unsafe { core::mem::transmute::<usize, Gate>(gate_address())(number, a, b, c, d, e, f) };
    if answer < 0 { Err(Errno(answer.wrapping_neg() as i32)) } else { Ok(answer as usize) }
}

/// Notes the gate of this module as that of all.
///
/// # Safety
/// The trial file is mapped and its header can be written.
pub unsafe fn note() {
    // SAFETY: vouched for by the caller.
    unsafe { AtomicU64::from_ptr(&raw mut (*header()).gate) }.store(address(gate as *const ()), Ordering::Relaxed);
}

/// Where the instruction pointer is in a call that the gate makes.
pub fn passed() -> u64 {
    address(gate_passed as *const ())
}

/// Where handlers of the runtime's own return to.
pub fn signal_return() -> usize {
    address(return_ as *const ()) as usize
}

/// Where handlers of the program's return to, so that the return is not dispatched.
pub fn noted_signal_return() -> usize {
    let offset = address(return_ as *const ()).wrapping_sub(address(gate as *const ())) as usize;
    gate_address().wrapping_add(offset)
}

/// Where the gate of all modules is, as [`note`] has left it.
fn gate_address() -> usize {
    // SAFETY: used in plans, where the header is mapped.
    unsafe { AtomicU64::from_ptr(&raw mut (*header()).gate) }.load(Ordering::Relaxed) as usize
}

/// The code around that gate, the return from signals included. All modules have the same.
pub fn exempt() -> Range<usize> {
    let start = gate_address();
    start..start.wrapping_add((address(gate_end as *const ()).wrapping_sub(address(gate as *const ()))) as usize)
}

/// As [`sys::is_readable`], in a trial: by the gate where there is one, for other calls of what has a plan's memory are dispatched.
pub fn is_readable(address: usize) -> bool {
    const NOTHING_KNOWN: usize = usize::MAX;
    if !has_gate() {
        return sys::is_readable(address);
    }
    // SAFETY: the kernel reads the eight bytes, if it can, and changes nothing.
    address >= PAGE && unsafe { call(SIGPROCMASK, [NOTHING_KNOWN, address & !7, 0, 8, 0]) } != Err(EFAULT)
}

/// As [`sys::forget`], likewise.
pub fn forget(address: usize, length: usize) {
    const MADVISE: usize = 28;
    const DONT_NEED: usize = 4;
    if !has_gate() {
        return sys::forget(address, length);
    }
    // SAFETY: called for the unused part of a stack.
    let _ = unsafe { call(MADVISE, [address, length, DONT_NEED, 0, 0]) };
}

fn has_gate() -> bool {
    // SAFETY: in a trial, whose file is mapped.
    unsafe { (*header()).role == Role::Plan as u32 }
}

fn address(function: *const ()) -> u64 {
    function as usize as u64
}
