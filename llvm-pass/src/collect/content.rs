//! A hash of what a function's code means: the same when only lines, columns, paths and the numbering of its unit's
//! strings change.

use std::collections::HashMap;

use suspect_format::trace::{HASH_START, hash_bytes};

use crate::collect::sites::Body;
use crate::llvm::ir::{self, LLVMOpcode, Value, bytes_of, llvm};
use crate::llvm::shim;

/// The hash of a function's body.
pub fn hash(body: &Body) -> u64 {
    let numbers: HashMap<Value, u64> = body.instructions.iter().copied().zip(0..).collect();
    let blocks: HashMap<Value, u64> = body.blocks.iter().map(|block| ir::block_value(*block)).zip(0..).collect();
    let mut state = Hash(HASH_START);
    for instruction in &body.instructions {
        state.number(instruction.opcode().map_or(0, |opcode| opcode as u64));
        state.text(&ir::type_text(instruction.kind()));
        state.number(detail(*instruction));
        for operand in instruction.operands() {
            match (numbers.get(&operand), blocks.get(&operand)) {
                (Some(number), _) => state.number(*number),
                (_, Some(number)) => state.number(*number),
                _ => state.outside(operand),
            }
        }
    }
    state.0
}

/// What opcode, type and operands do not say.
pub(super) fn detail(instruction: Value) -> u64 {
    match instruction.opcode() {
        Some(LLVMOpcode::LLVMICmp) => instruction.int_predicate() as u64,
        Some(LLVMOpcode::LLVMFCmp) => instruction.real_predicate() as u64,
        Some(LLVMOpcode::LLVMAtomicRMW) => llvm!(shim::suspect_rmw_operation(instruction.0)) as u64,
        _ => 0,
    }
}

struct Hash(u64);

impl Hash {
    fn number(&mut self, number: u64) {
        self.0 = hash_bytes(self.0, &number.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0 = hash_bytes(self.0, text.as_bytes());
    }

    /// A constant, parameter or global.
    fn outside(&mut self, value: Value) {
        if let Some(bytes) = bytes_of(|length| llvm!(shim::suspect_string_bytes(value.0, length))) {
            self.0 = hash_bytes(self.0, bytes);
        } else if value.is_function() || value.is_global_variable() {
            self.text(&value.name());
        } else if value.is_argument() || !value.is_constant() {
            self.text(&ir::type_text(value.kind()));
        } else if let Some(opcode) = value.constant_opcode() {
            self.number(opcode as u64);
            value.operands().into_iter().for_each(|operand| self.outside(operand));
        } else if value.n_operands() > 0 {
            value.operands().into_iter().for_each(|operand| self.outside(operand));
        } else {
            self.text(&ir::value_text(value));
        }
    }
}
