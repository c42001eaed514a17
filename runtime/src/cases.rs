//! One case of a test program, where its unit-test framework cannot run one by itself.
//!
//! Calls of the functions below are led here by the linker's `--wrap`. Without [`ENV_CASE`] they go on as they are.

use core::arch::global_asm;
use core::ffi::{c_char, c_void};

use suspect_format::abi::ENV_CASE;

use crate::os::memory;
use crate::os::symbols;

// Each goes on to the framework's own function with all it was given, or returns to the caller at once.
macro_rules! wrapper {
    ($name:literal, $decide:literal) => {
        global_asm!(
            concat!(".pushsection .text.__wrap_", $name, ",\"ax\",@progbits"),
            concat!(".globl __wrap_", $name),
            concat!(".hidden __wrap_", $name),
            concat!(".type __wrap_", $name, ", @function"),
            concat!(".weak __real_", $name),
            concat!("__wrap_", $name, ":"),
            "push rdi",
            "push rsi",
            "push rdx",
            "push rcx",
            "push r8",
            "push r9",
            "sub rsp, 8",
            concat!("call ", $decide),
            "add rsp, 8",
            "pop r9",
            "pop r8",
            "pop rcx",
            "pop rdx",
            "pop rsi",
            "pop rdi",
            "test al, al",
            "je 2f",
            concat!("mov rax, qword ptr [rip + __real_", $name, "@GOTPCREL]"),
            "jmp rax",
            "2: ret",
            concat!(".size __wrap_", $name, ", . - __wrap_", $name),
            ".popsection",
        );
    };
}

wrapper!("UnityDefaultTestRun", "__suspect_unity_case");
wrapper!("_tcase_add_test", "__suspect_check_case");
wrapper!("_cmocka_run_group_tests", "__suspect_cmocka_case");

global_asm!(".hidden __suspect_unity_case", ".hidden __suspect_check_case", ".hidden __suspect_cmocka_case");

/// Whether Unity is to run the function with this name.
///
/// # Safety
/// `name` is a C string, as Unity's `UnityDefaultTestRun` has it.
#[unsafe(no_mangle)]
unsafe extern "C" fn __suspect_unity_case(_function: *const c_void, name: *const c_char) -> bool {
    // SAFETY: vouched for by the caller.
    unsafe { is_chosen(name) }
}

/// Whether Check is to have this test function.
///
/// # Safety
/// `test` is what `_tcase_add_test` has had since Check 0.13, a struct that begins with the function's name; the tool asks no other one for a case.
#[unsafe(no_mangle)]
unsafe extern "C" fn __suspect_check_case(_case: *const c_void, test: *const *const c_char) -> bool {
    // SAFETY: without a case nothing is read; with one, vouched for by the caller.
    unsafe { chosen().is_none() || is_chosen(*test) }
}

/// Tells cmocka which test to run; the group runs in any case.
#[unsafe(no_mangle)]
extern "C" fn __suspect_cmocka_case() -> bool {
    if let Some(case) = chosen() {
        symbols::filter_cmocka(case);
    }
    true
}

/// # Safety
/// `name` is null or a C string.
unsafe fn is_chosen(name: *const c_char) -> bool {
    let Some(case) = chosen() else { return true };
    if name.is_null() {
        return false;
    }
    // SAFETY: both are C strings, of which so many bytes are read.
    unsafe {
        let (case, name) = (memory::text(case), memory::text(name));
        // Not by `==`, which calls the program's own `memcmp`.
        case.len() == name.len() && memory::same(case.as_ptr() as usize, name.as_ptr() as usize, case.len())
    }
}

/// The case that is to run alone, if the environment says so.
fn chosen() -> Option<*const c_char> {
    variable(ENV_CASE)
}

/// What a variable of the environment is set to.
pub fn variable(name: &str) -> Option<*const c_char> {
    let environment = symbols::environment();
    if environment.is_null() {
        return None;
    }
    // SAFETY: the C library's `environ` is null or points to C strings, ended by a null pointer.
    unsafe {
        let mut entry = *environment;
        while !entry.is_null() && !(*entry).is_null() {
            if let Some(case) = memory::value_of(*entry, name) {
                return Some(case);
            }
            entry = entry.add(1);
        }
    }
    None
}
