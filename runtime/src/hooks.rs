//! The functions that the `trace` version of the program calls.

use core::ffi::{c_char, c_void};
use core::sync::atomic::{AtomicU32, Ordering};

use suspect_format::abi::trajectory_hash;

use crate::count::{log, object, text};
use crate::trial::change::Taken;
use crate::trial::{fuel, sites, stack};

/// What this module's hooks do.
#[derive(Clone, Copy, PartialEq)]
#[repr(u32)]
pub enum Task {
    /// Nothing.
    None = 0,
    /// Each value goes into the log.
    Log = 1,
    /// Each value is compared with the oracle's and may be replaced.
    Trial = 2,
    /// What is pending may be replaced, and ticks alone are counted.
    Mutants = 3,
}

static TASK: AtomicU32 = AtomicU32::new(Task::None as u32);
const LOG: u32 = Task::Log as u32;
const TRIAL: u32 = Task::Trial as u32;
const MUTANTS: u32 = Task::Mutants as u32;

/// Gives this module's hooks something to do.
pub fn set_task(task: Task) {
    TASK.store(task as u32, Ordering::Release);
}

/// What this module's hooks do, a [`Task`].
pub fn task() -> u32 {
    TASK.load(Ordering::Relaxed)
}

/// A node is about to take `value`; `slot` is its value word. The value that it takes.
///
/// # Safety
/// `slot` is a word of this module's data.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __suspect_node(slot: *mut u64, value: u64) -> u64 {
    crate::on_hook_stack!(node)
}

/// # Safety
/// As [`__suspect_node`].
unsafe extern "C" fn node(slot: *mut u64, value: u64) -> u64 {
    // SAFETY: vouched for by the caller.
    unsafe {
        count(slot, value);
        match TASK.load(Ordering::Relaxed) {
            TRIAL => sites::word(slot, value),
            MUTANTS => sites::pending_word(slot, value),
            task => logged(task, slot, value),
        }
    }
}

/// Goes on with the trajectory's hash.
///
/// # Safety
/// As [`__suspect_node`].
#[inline(always)]
unsafe fn count(slot: *mut u64, value: u64) {
    // SAFETY: vouched for by the caller. Threads that are here at once may lose one value, as they do where the hash is inlined.
    unsafe { *slot = trajectory_hash(*slot, value) }
}

/// # Safety
/// As [`__suspect_node`].
#[inline(never)]
unsafe fn logged(task: u32, slot: *mut u64, value: u64) -> u64 {
    if task == LOG {
        // SAFETY: vouched for by the caller.
        unsafe { log::take(slot, value) }
    }
    value
}

/// A node is about to take the address `value`. The address that it takes.
///
/// # Safety
/// As [`__suspect_node`].
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __suspect_pointer(slot: *mut u64, value: *mut c_void) -> *mut c_void {
    crate::on_hook_stack!(address)
}

/// # Safety
/// As [`__suspect_node`].
unsafe extern "C" fn address(slot: *mut u64, value: *mut c_void) -> *mut c_void {
    // SAFETY: vouched for by the caller.
    unsafe {
        count(slot, value as u64);
        match TASK.load(Ordering::Relaxed) {
            TRIAL => sites::pointer(slot, value as u64) as *mut c_void,
            MUTANTS => sites::pending_word(slot, value as u64) as *mut c_void,
            LOG => {
                log::take(slot, object::name(value as usize));
                value
            }
            _ => value,
        }
    }
}

/// A node is about to take the address of characters, `value`. The address that it takes.
///
/// # Safety
/// As [`__suspect_node`].
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __suspect_text(slot: *mut u64, value: *mut c_char) -> *mut c_char {
    crate::on_hook_stack!(characters)
}

/// # Safety
/// As [`__suspect_node`].
unsafe extern "C" fn characters(slot: *mut u64, value: *mut c_char) -> *mut c_char {
    // SAFETY: vouched for by the caller.
    unsafe {
        count(slot, value as u64);
        match TASK.load(Ordering::Relaxed) {
            TRIAL => sites::text(slot, value),
            MUTANTS => sites::pending_text(slot, value),
            LOG => {
                log::take(slot, text::value(value as usize));
                value
            }
            _ => value,
        }
    }
}

/// The C library has made an object at `object`; it is named after the place of the call and how many were made there.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub extern "C" fn __suspect_object(object: *mut c_void) {
    // The return address, as second argument.
    core::arch::naked_asm!("mov rsi, qword ptr [rsp]", "jmp {made}", made = sym made)
}

extern "C" fn made(object: *mut c_void, place: usize) {
    // In the mode `mutants` nothing has a name, and which functions get here depends on what else is tried.
    if matches!(TASK.load(Ordering::Relaxed), LOG | TRIAL) {
        object::made(object as usize, place);
    }
}

/// A function is entered or a loop goes round.
///
/// # Safety
/// Called by this module's code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __suspect_tick() {
    match TASK.load(Ordering::Relaxed) {
        TRIAL => sites::spend(),
        MUTANTS => fuel::tick(),
        _ => {}
    }
}

/// The module's fuel has just been counted down below zero.
///
/// # Safety
/// Called by this module's code.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __suspect_refuel() {
    crate::on_hook_stack!(refuel)
}

extern "C" fn refuel() {
    if TASK.load(Ordering::Relaxed) == MUTANTS {
        fuel::refuel();
    }
}

/// What an operator comes to. `operation` is the operation's byte.
///
/// # Safety
/// `operation` is a byte of this module's operations.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __suspect_operation(operation: *mut u8, left: u64, right: u64, result: u64) -> u64 {
    core::arch::naked_asm!(
        "cmp byte ptr [rdi], 0",
        "jne 2f",
        "mov rax, rcx",
        "ret",
        // As `on_hook_stack!`, with a look at what comes back.
        "2:",
        "mov rax, qword ptr fs:[0]",
        "cmp rax, qword ptr [rip + {owner}]",
        "jne 3f",
        "mov rax, rsp",
        "movabs r10, {low}",
        "sub rax, r10",
        "cmp rax, {size}",
        "jb 3f",
        "mov rax, rsp",
        "movabs rsp, {top}",
        "push rax",
        "push rax",
        "call {work}",
        "mov rsp, qword ptr [rsp]",
        "jmp 4f",
        "3:",
        "sub rsp, 8",
        "call {work}",
        "add rsp, 8",
        "4:",
        "test edx, edx",
        "jne 5f",
        "ret",
        // What the machine does with such operands: the signal is its own.
        "5:",
        "xor eax, eax",
        "xor edx, edx",
        "xor ecx, ecx",
        "div ecx",
        "ud2",
        owner = sym stack::OWNER,
        low = const stack::LOW,
        size = const stack::SIZE,
        top = const stack::TOP,
        work = sym operated,
    )
}

/// What an operation comes to, or that the machine traps.
#[repr(C)]
struct Answer {
    value: u64,
    trap: u64,
}

/// # Safety
/// As [`__suspect_operation`].
unsafe extern "C" fn operated(operation: *mut u8, left: u64, right: u64, result: u64) -> Answer {
    // SAFETY: vouched for by the caller.
    match unsafe { pending(operation, Taken::Operation { left, right, result: Some(result) }) } {
        Some(value) => Answer { value, trap: 0 },
        None => Answer { value: 0, trap: 1 },
    }
}

/// The variable that is about to be read: `variable` or one of `others`.
///
/// # Safety
/// `operation` is a byte of this module's operations; `others` has an address or null for each of the function's variables.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __suspect_variable(
    operation: *mut u8,
    variable: *mut c_void,
    others: *const *mut c_void,
) -> *mut c_void {
    core::arch::naked_asm!(
        "cmp byte ptr [rdi], 0",
        "jne {aside}",
        "mov rax, rsi",
        "ret",
        aside = sym variable_on_stack,
    )
}

#[unsafe(naked)]
unsafe extern "C" fn variable_on_stack(operation: *mut u8, variable: *mut c_void, others: *const *mut c_void) -> u64 {
    crate::on_hook_stack!(variable_read)
}

/// # Safety
/// As [`__suspect_variable`].
unsafe extern "C" fn variable_read(operation: *mut u8, variable: *mut c_void, others: *const *mut c_void) -> u64 {
    // SAFETY: vouched for by the caller.
    let answer = unsafe { pending(operation, Taken::Variable { address: variable as usize, others: others.cast() }) };
    answer.unwrap_or(variable as u64)
}

/// Which way to go: 0 as the code says.
///
/// # Safety
/// `operation` is a byte of this module's operations.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __suspect_choice(operation: *mut u8) -> u64 {
    core::arch::naked_asm!(
        "cmp byte ptr [rdi], 0",
        "jne {aside}",
        "xor eax, eax",
        "ret",
        aside = sym choice_on_stack,
    )
}

#[unsafe(naked)]
unsafe extern "C" fn choice_on_stack(operation: *mut u8) -> u64 {
    crate::on_hook_stack!(choice)
}

/// # Safety
/// As [`__suspect_choice`].
unsafe extern "C" fn choice(operation: *mut u8) -> u64 {
    // SAFETY: vouched for by the caller.
    unsafe { pending(operation, Taken::Choice) }.unwrap_or(0)
}

/// # Safety
/// `operation` is a byte of this module's operations.
unsafe fn pending(operation: *mut u8, taken: Taken) -> Option<u64> {
    match TASK.load(Ordering::Relaxed) {
        // SAFETY: vouched for by the caller.
        TRIAL | MUTANTS => unsafe { sites::operation(operation, taken) },
        _ => taken.plain(),
    }
}
