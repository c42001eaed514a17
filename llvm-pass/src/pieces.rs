//! Dropping piece entries that nobody could see: those followed by another one before the process could come to its end.

use std::collections::HashMap;

use crate::hooks::Marker;
use crate::ir::{Block, LLVMOpcode, Value};

/// Drops the entries of pieces that `function` passes through to other pieces with nothing between that could stop.
///
/// A signal from outside can stop a process anywhere; it is then found in the last piece that does something, which is
/// all that one can say of such a moment. In a loop at least one entry stays.
pub fn drop_passed(function: Value) {
    // Whether a block, from its start, enters a piece whose entry is kept before anything can stop, on every path.
    let mut passes: HashMap<Block, bool> = HashMap::new();
    for block in postorder(function) {
        let successors = block.terminator().map(Value::successors).unwrap_or_default();
        // A successor not seen yet is reached by a back edge.
        let mut passed = !successors.is_empty() && successors.iter().all(|next| passes.get(next) == Some(&true));
        for instruction in block.instructions().into_iter().rev() {
            match Marker::of(instruction) {
                Some(Marker::Piece) if passed => instruction.erase(),
                Some(Marker::Piece) => passed = true,
                Some(Marker::Log | Marker::Pointer | Marker::Text) => passed = false,
                Some(_) => {}
                None if may_stop(instruction) => passed = false,
                None => {}
            }
        }
        passes.insert(block, passed);
    }
}

/// The blocks that can be reached, each after its successors but for back edges.
fn postorder(function: Value) -> Vec<Block> {
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
fn may_stop(instruction: Value) -> bool {
    use LLVMOpcode::*;
    matches!(
        instruction.opcode(),
        Some(
            LLVMLoad
                | LLVMStore
                | LLVMCall
                | LLVMInvoke
                | LLVMSDiv
                | LLVMUDiv
                | LLVMSRem
                | LLVMURem
                | LLVMAtomicRMW
                | LLVMAtomicCmpXchg
                | LLVMFence
                | LLVMVAArg
        )
    )
}
