//! What is known of calls: which return for certain without running the program's own code, which leave frames behind.

use crate::collect::returning::RETURNING;
use crate::llvm::ir::{LLVMOpcode, Value};

/// What control flow does at a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It returns at once, and no code of the program runs meanwhile.
    Returns,
    /// It may end the process or thread, leave by `longjmp`, or run code that does.
    MayStop,
    /// It never returns.
    NeverReturns,
}

/// What control flow does at `call`.
pub fn effect(call: Value) -> Effect {
    if call.call_has("noreturn") {
        return Effect::NeverReturns;
    }
    if call.inline_assembly().is_some() {
        return Effect::Returns;
    }
    let Some(callee) = call.called_function() else { return Effect::MayStop };
    let harmless = call.call_has("willreturn") && call.call_has("nocallback");
    match callee.is_intrinsic()
        || harmless
        || (callee.is_declaration() && RETURNING.binary_search(&callee.name().as_str()).is_ok())
    {
        true => Effect::Returns,
        false => Effect::MayStop,
    }
}

/// Whether `call` leaves the frames of its callers without returning through them.
pub fn is_nonlocal(call: Value) -> bool {
    call.called_function().is_some_and(|callee| NONLOCAL.contains(&callee.name().as_str()))
}

/// Whether `call` ends the process in an orderly way, as far as its name tells.
pub fn is_orderly_end(call: Value) -> bool {
    call.call_has("noreturn")
        && !call.called_function().is_some_and(|callee| DISORDERLY.contains(&callee.name().as_str()))
}

/// Whether `value` is a call other than inline assembly or one of LLVM's own.
pub fn is_call(value: Value) -> bool {
    value.is(LLVMOpcode::LLVMCall)
}

const NONLOCAL: &[&str] = &[
    "longjmp",
    "_longjmp",
    "siglongjmp",
    "__longjmp_chk",
    "pthread_exit",
    "thrd_exit",
    "_Unwind_Resume",
    "_Unwind_ForcedUnwind",
    "swapcontext",
    "setcontext",
];

const DISORDERLY: &[&str] = &[
    "abort",
    "__assert_fail",
    "__assert_perror_fail",
    "__assert",
    "__stack_chk_fail",
    "__fortify_fail",
    "__chk_fail",
    "longjmp",
    "_longjmp",
    "siglongjmp",
    "__longjmp_chk",
    "llvm.trap",
    "llvm.debugtrap",
    "llvm.ubsantrap",
];
