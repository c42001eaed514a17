//! The functions that the `trace` version of the program calls.

use core::ffi::{c_char, c_void};
use core::sync::atomic::{AtomicU32, Ordering};

use crate::{log, object, text, trial};

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
}

static TASK: AtomicU32 = AtomicU32::new(Task::None as u32);
const LOG: u32 = Task::Log as u32;
const TRIAL: u32 = Task::Trial as u32;

/// Gives this module's hooks something to do.
pub fn set_task(task: Task) {
    TASK.store(task as u32, Ordering::Release);
}

/// A node is about to take `value`; `slot` is its value word. The value that it takes.
///
/// # Safety
/// `slot` is a word of this module's data.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __suspect_node(slot: *mut u64, value: u64) -> u64 {
    crate::aside!(node)
}

/// # Safety
/// As [`__suspect_node`].
unsafe extern "C" fn node(slot: *mut u64, value: u64) -> u64 {
    // SAFETY: vouched for by the caller.
    unsafe {
        match TASK.load(Ordering::Relaxed) {
            TRIAL => trial::word(slot, value),
            task => logged(task, slot, value),
        }
    }
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

/// A node takes the address `value`.
///
/// # Safety
/// As [`__suspect_node`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __suspect_pointer(slot: *mut u64, value: *mut c_void) {
    // SAFETY: vouched for by the caller.
    unsafe {
        match TASK.load(Ordering::Relaxed) {
            TRIAL => trial::pointer(slot, value as usize),
            LOG => log::take(slot, object::name(value as usize)),
            _ => {}
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
    crate::aside!(characters)
}

/// # Safety
/// As [`__suspect_node`].
unsafe extern "C" fn characters(slot: *mut u64, value: *mut c_char) -> *mut c_char {
    // SAFETY: vouched for by the caller.
    unsafe {
        match TASK.load(Ordering::Relaxed) {
            TRIAL => trial::text(slot, value),
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
    if TASK.load(Ordering::Relaxed) != Task::None as u32 {
        object::made(object as usize, place);
    }
}

/// A function is entered or a loop goes round.
///
/// # Safety
/// Called by this module's code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __suspect_tick() {
    if TASK.load(Ordering::Relaxed) == TRIAL {
        trial::spend();
    }
}
