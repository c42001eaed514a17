//! Dropping piece entries that nobody could see: those followed by another one before the process could come to its end.

use std::collections::HashMap;

use crate::inject::marker::Marker;
use crate::llvm::ir::{Block, LLVMOpcode, Value};

/// Drops the entries of pieces that `function` passes through to other pieces with nothing between that could stop.
///
/// A signal from outside can stop a process anywhere; it is then found in the last piece that does something, which is
/// all that one can say of such a moment. In a loop at least one entry stays.
pub fn drop_passed(function: Value) {
    // Whether a block, from its start, enters a piece whose entry is kept before anything can stop, on every path.
    let mut passes: HashMap<Block, bool> = HashMap::new();
    let entry = function.blocks().first().copied();
    for block in postorder(function) {
        // Where the stack ends is found out in the entry.
        let has_stack = Some(block) != entry;
        let successors = block.terminator().map(Value::successors).unwrap_or_default();
        // A successor not seen yet is reached by a back edge.
        // Where a call returns its caller enters a piece.
        let returns = block.terminator().is_some_and(|end| end.is(LLVMOpcode::LLVMRet));
        let onward = |next: &Block| passes.get(next) == Some(&true);
        let mut passed = returns || (!successors.is_empty() && successors.iter().all(onward));
        for instruction in block.instructions().into_iter().rev() {
            match Marker::of(instruction) {
                Some(Marker::Piece) if passed => instruction.erase(),
                Some(Marker::Piece) => passed = true,
                Some(Marker::Log | Marker::Pointer | Marker::Text) => passed = false,
                Some(_) => {}
                None if may_stop(instruction, has_stack) => passed = false,
                None => {}
            }
        }
        passes.insert(block, passed);
    }
}

/// The blocks that can be reached, each after its successors but for back edges.
pub fn postorder(function: Value) -> Vec<Block> {
    let successors = |block: Block| block.terminator().map(Value::successors).unwrap_or_default();
    let mut order = Vec::new();
    let mut seen = HashMap::new();
    let mut stack: Vec<(Block, Vec<Block>)> = Vec::new();
    if let Some(entry) = function.blocks().first() {
        seen.insert(*entry, ());
        stack.push((*entry, successors(*entry)));
    }
    while let Some((block, rest)) = stack.last_mut() {
        match rest.pop() {
            Some(next) if seen.insert(next, ()).is_none() => stack.push((next, successors(next))),
            Some(_) => {}
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order
}

/// Whether the process could come to its end in `instruction`.
fn may_stop(instruction: Value, has_stack: bool) -> bool {
    use LLVMOpcode::*;
    match instruction.opcode() {
        Some(LLVMLoad) => !instruction.operand(0).is_some_and(|pointer| is_there(pointer, has_stack)),
        Some(LLVMStore) => !instruction.operand(1).is_some_and(|pointer| is_there(pointer, has_stack)),
        Some(LLVMCall) => !instruction.called_function().is_some_and(|callee| only_computes(&callee.name())),
        Some(
            LLVMInvoke | LLVMSDiv | LLVMUDiv | LLVMSRem | LLVMURem | LLVMAtomicRMW | LLVMAtomicCmpXchg | LLVMFence
            | LLVMVAArg,
        ) => true,
        _ => false,
    }
}

/// Whether an address is that of a local variable or one of the unit's own, or of a fixed place in one.
fn is_there(pointer: Value, has_stack: bool) -> bool {
    let mut here = pointer;
    while here.opcode().or(here.constant_opcode()) == Some(LLVMOpcode::LLVMGetElementPtr) {
        let mut operands = here.operands().into_iter();
        let Some(base) = operands.next() else { return false };
        if !operands.all(Value::is_constant) {
            return false;
        }
        here = base;
    }
    (has_stack && here.is(LLVMOpcode::LLVMAlloca)) || (here.is_global_variable() && !here.is_declaration())
}

/// Whether a function is one of the compiler's own that neither touch memory nor stop.
fn only_computes(name: &str) -> bool {
    const STOP: [&str; 8] = ["mem", "trap", "debugtrap", "ubsantrap", "eh", "va_", "stack", "masked"];
    name.strip_prefix("llvm.").is_some_and(|name| !STOP.iter().any(|word| name.starts_with(word)))
}
