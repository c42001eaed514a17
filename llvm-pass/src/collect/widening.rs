//! Integers that are computed in another width than they are used in.

use crate::llvm::ir::{LLVMOpcode, Value};

/// An integer in the type that it is computed in: what is narrower than `int` is computed as one, which comes to the same in 64 bits.
pub fn before_widening(integer: Value) -> Value {
    let source = if is_widened(integer) { integer.operand(0) } else { None };
    source.filter(|source| source.kind().int_bits() == 32 && integer.users().len() == 1).unwrap_or(integer)
}

/// Whether a value is an integer of another width.
pub fn is_widened(value: Value) -> bool {
    matches!(value.opcode(), Some(LLVMOpcode::LLVMSExt | LLVMOpcode::LLVMZExt | LLVMOpcode::LLVMTrunc))
}
