//! What is known of calls: which return for certain without running the program's own code, which leave frames behind.

use suspect_format::external::{External, Known, Role, known};

use super::sites::position_of;
use super::widening::is_widened;
use crate::llvm::ir::{LLVMOpcode, LLVMTypeKind, Value};

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
    let returns = callee.is_intrinsic() || harmless || library(callee).is_some_and(|known| known.is(Known::Returns));
    if returns { Effect::Returns } else { Effect::MayStop }
}

/// What is known of `callee`, a function that this unit does not define.
fn library(callee: Value) -> Option<&'static External> {
    known(&callee.name()).filter(|_| callee.is_declaration())
}

/// Whether `call` leaves the frames of its callers without returning through them.
pub fn is_nonlocal(call: Value) -> bool {
    let leaves = |name: &str| NONLOCAL.contains(&name) || known(name).is_some_and(|known| known.role == Role::Jumps);
    call.called_function().is_some_and(|callee| leaves(&callee.name()))
}

/// Whether `call` ends the process in an orderly way, as far as its name tells.
pub fn is_orderly_end(call: Value) -> bool {
    let is_disorderly = |name: &str| {
        TRAPS.contains(&name) || known(name).is_some_and(|known| matches!(known.role, Role::Aborts | Role::Jumps))
    };
    call.call_has("noreturn") && !call.called_function().is_some_and(|callee| is_disorderly(&callee.name()))
}

/// Whether `value` is a call other than inline assembly or one of LLVM's own.
pub fn is_call(value: Value) -> bool {
    value.is(LLVMOpcode::LLVMCall)
}

/// Whether a call gives a parameter an integer as wide as `int` or wider, which is computed as one: no truth, no address, no conversion of a
/// floating-point number, no piece of a structure. What a variadic function gets besides is mostly printed, and causes nothing.
pub fn passes_integer(call: Value, operand: u32) -> bool {
    use LLVMOpcode::*;
    let Some(argument) = call.operand(operand).filter(|argument| argument.is_instruction()) else { return false };
    let is_integer = |value: Value| value.kind().kind() == LLVMTypeKind::LLVMIntegerTypeKind;
    let source = if is_widened(argument) { argument.operand(0) } else { None };
    let source = source.unwrap_or(argument);
    // A structure that is passed as a number is read where the call is.
    let is_piece = source.is(LLVMLoad) && position_of(source) == position_of(call);
    operand < call.n_parameters()
        && is_integer(argument)
        && matches!(argument.kind().int_bits(), 32 | 64)
        && is_integer(source)
        && source.kind().int_bits() > 1
        && !is_piece
        && !matches!(source.opcode(), Some(LLVMFPToSI | LLVMFPToUI | LLVMPtrToInt | LLVMBitCast))
}

/// What ends a thread, unwinds or changes stacks, beside the C library's jumps.
const NONLOCAL: &[&str] =
    &["pthread_exit", "thrd_exit", "_Unwind_Resume", "_Unwind_ForcedUnwind", "swapcontext", "setcontext"];

const TRAPS: &[&str] = &["llvm.trap", "llvm.debugtrap", "llvm.ubsantrap"];
