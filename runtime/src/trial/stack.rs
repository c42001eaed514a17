//! A stack for hooks that replace values: what they leave behind there is nothing that a mutant which reads below its frames can see.
//!
//! So a trial's process shows such a mutant the same whether hooks did much (fork a plan's trials) or little.

use core::sync::atomic::{AtomicU64, Ordering};

use suspect_format::abi::PAGE;

use crate::os::sys;
use crate::process::{Process, STACK_ADDRESS, STACK_BYTES};
use crate::trial::trampoline;

/// Bytes of it.
pub const SIZE: usize = 1 << 20;
/// Where it is, the same in every module.
pub const LOW: usize = STACK_ADDRESS;
/// Where it begins.
pub const TOP: usize = STACK_ADDRESS + SIZE;

/// The thread whose hooks run there; 0 for none.
pub static OWNER: AtomicU64 = AtomicU64::new(0);

/// Gives the hooks of the first thread that asks the stack, whichever modules they are in. Without memory for it they use their callers'.
pub fn take(process: &Process) {
    if process.stack_owner.load(Ordering::Relaxed) == 0 && sys::map_zeros_at(LOW, SIZE).is_ok() {
        process.stack_owner.store(sys::thread_pointer(), Ordering::Relaxed);
    }
    OWNER.store(process.stack_owner.load(Ordering::Relaxed), Ordering::Relaxed);
}

/// Forgets what the program's functions have left below the frame of the one that called this hook. Before it functions may have run in
/// another version than in another executor, and a mutant may read what it did not write.
pub fn forget_below(process: &Process) {
    const REACH: usize = 256 << 10;
    let here = 0u8;
    let top = process.environment.load(Ordering::Relaxed);
    if !(LOW..TOP).contains(&((&raw const here) as usize)) || top == 0 {
        return;
    }
    // SAFETY: `on_hook_stack!` has put the program's stack pointer there twice.
    let pointer = unsafe { *(TOP.wrapping_sub(8) as *const usize) };
    if pointer >= top || top.wrapping_sub(pointer) >= STACK_BYTES {
        return;
    }
    let page = pointer & !(PAGE - 1);
    let mut at = page;
    while at < pointer {
        // SAFETY: below the stack pointer of a thread that is here, in the page that it points into.
        unsafe { *(at as *mut u8) = 0 };
        at = at.wrapping_add(1);
    }
    trampoline::forget(page.wrapping_sub(REACH), REACH);
}

/// A hook that does its work on that stack, unless it is another thread's or already there (a signal's handler interrupted a hook, or the
/// program's `malloc` was called by one). Nothing is left on the program's.
#[macro_export]
macro_rules! on_hook_stack {
    ($work:path) => {
        core::arch::naked_asm!(
            "mov rax, qword ptr fs:[0]",
            "cmp rax, qword ptr [rip + {owner}]",
            "jne 2f",
            "mov rax, rsp",
            "movabs r10, {low}",
            "sub rax, r10",
            "cmp rax, {size}",
            "jb 2f",
            "mov rax, rsp",
            "movabs rsp, {top}",
            "push rax",
            "push rax",
            "call {work}",
            "mov rsp, qword ptr [rsp]",
            "ret",
            "2:",
            "jmp {work}",
            owner = sym $crate::trial::stack::OWNER,
            low = const $crate::trial::stack::LOW,
            size = const $crate::trial::stack::SIZE,
            top = const $crate::trial::stack::TOP,
            work = sym $work,
        )
    };
}
