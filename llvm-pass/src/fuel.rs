//! Fuel: in the `trace` version the runtime is called when a function is entered and when a loop goes round, so that a
//! budget of calls ends every program that goes on for ever.

use std::collections::HashSet;

use suspect_format::abi;

use crate::ir::{Block, Builder, LLVMOpcode, Module, Value, llvm};
use crate::lower;
use crate::shim;

/// Puts ticks into `function`.
pub fn mark(module: Module, function: Value) {
    let hook = lower::hook(module, abi::HOOK_TICK, module.void(), &[]);
    let tick = |before: Value| {
        let call = Builder::before(module, before).call(hook, &[]);
        llvm!(shim::suspect_no_sanitize_instruction(call.0));
    };
    let Some(entry) = function.blocks().first().copied() else { return };
    let first = entry.instructions().into_iter().find(|one| !one.is(LLVMOpcode::LLVMAlloca));
    first.into_iter().for_each(&tick);
    for block in going_back(entry) {
        block.terminator().into_iter().for_each(&tick);
    }
}

/// The blocks that jump back to one on the way to them: every cycle has one.
fn going_back(entry: Block) -> Vec<Block> {
    let successors = |block: Block| block.terminator().map(Value::successors).unwrap_or_default();
    let (mut seen, mut open) = (HashSet::from([entry]), HashSet::from([entry]));
    let (mut back, mut found) = (HashSet::new(), Vec::new());
    let mut stack = vec![(entry, successors(entry))];
    while let Some((block, rest)) = stack.last_mut() {
        let block = *block;
        match rest.pop() {
            Some(next) if open.contains(&next) => {
                if back.insert(block) {
                    found.push(block);
                }
            }
            Some(next) if seen.insert(next) => {
                open.insert(next);
                stack.push((next, successors(next)));
            }
            Some(_) => {}
            None => {
                open.remove(&block);
                stack.pop();
            }
        }
    }
    found
}
