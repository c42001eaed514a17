//! Whether an operator works on signed numbers: from the IR where it says so, else from what its operands were before C converted them.

use suspect_format::operation::Operator;
use suspect_format::site::Signedness;

use crate::collect::expression::Reader;
use crate::llvm::debug_info::{Info, Sign};
use crate::llvm::ir::{LLVMOpcode, Value, llvm};
use crate::llvm::shim;

/// Values are followed at most this deep.
const DEPTH: u32 = 12;

/// Signedness of the operands of the operator that `value` computes.
pub fn of(reader: Reader, value: Value, operator: Operator) -> Signedness {
    use Operator::*;
    let sign = match operator {
        _ if operator.is_float() => Some(true),
        SignedDiv | SignedRem | SignedShr | SignedLess | SignedLessEqual | SignedGreater | SignedGreaterEqual => {
            Some(true)
        }
        UnsignedDiv | UnsignedRem | UnsignedShr | UnsignedLess | UnsignedLessEqual | UnsignedGreater
        | UnsignedGreaterEqual => Some(false),
        Equal | NotEqual => both(reader, value, 0),
        _ => result(reader, value),
    };
    match sign {
        None => Signedness::Unknown,
        Some(true) => Signedness::Signed,
        Some(false) => Signedness::Unsigned,
    }
}

/// Whether the C value that `value` is computed for is signed.
pub fn result(reader: Reader, value: Value) -> Option<bool> {
    result_at(reader, value, 0)
}

fn result_at(reader: Reader, value: Value, depth: u32) -> Option<bool> {
    use LLVMOpcode::*;
    if depth > DEPTH {
        return None;
    }
    let bits = value.kind().int_bits();
    match value.opcode()? {
        LLVMLoad => declared(reader, value),
        // Numbers narrower than `int` become `int`, whatever they were.
        LLVMZExt | LLVMSExt => (bits == 32).then_some(true),
        LLVMCall => returned(value),
        LLVMSDiv | LLVMSRem | LLVMAShr => Some(true),
        LLVMUDiv | LLVMURem | LLVMLShr => Some(false),
        LLVMShl => result_at(reader, value.operand(0)?, depth + 1),
        LLVMAdd | LLVMSub | LLVMMul if llvm!(shim::suspect_no_signed_wrap(value.0)) => Some(true),
        LLVMAdd | LLVMSub | LLVMMul | LLVMAnd | LLVMOr | LLVMXor => both(reader, value, depth + 1),
        LLVMSelect => both_of(reader, value.operand(1)?, value.operand(2)?, depth + 1),
        LLVMPHI => match value.incoming()[..] {
            [(left, _), (right, _)] => both_of(reader, left, right, depth + 1),
            _ => None,
        },
        _ => None,
    }
}

/// Whether what a call gives back is signed, where the unit defines what is called.
pub fn returned(call: Value) -> Option<bool> {
    let callee = call.called_function().filter(|callee| !callee.is_declaration())?;
    signed(Info::subprogram_of(callee)?.returned()?, call.kind().int_bits())
}

/// The usual arithmetic conversions of two operands of one width.
fn both(reader: Reader, value: Value, depth: u32) -> Option<bool> {
    both_of(reader, value.operand(0)?, value.operand(1)?, depth)
}

fn both_of(reader: Reader, left: Value, right: Value, depth: u32) -> Option<bool> {
    if left.kind().is_pointer() {
        return Some(false);
    }
    let side = |side: Value| result_at(reader, side, depth + 1);
    match (left.is_constant(), right.is_constant()) {
        (true, true) => None,
        (true, false) => side(right),
        (false, true) => side(left),
        (false, false) => match (side(left), side(right)) {
            (Some(true), Some(true)) => Some(true),
            (Some(false), _) | (_, Some(false)) => Some(false),
            _ => None,
        },
    }
}

/// What the debug information says of the variable or member that `load` reads: whether it is signed.
pub fn declared(reader: Reader, load: Value) -> Option<bool> {
    let bits = load.kind().scalar_bits()?;
    let location = reader.location(load.operand(0)?)?.scalar(u64::from(bits));
    signed(location.kind?, bits)
}

fn signed(kind: Info, bits: u32) -> Option<bool> {
    match kind.sign()? {
        _ if kind.bits() != u64::from(bits) => None,
        Sign::Signed => Some(true),
        Sign::Unsigned => Some(false),
    }
}
