//! Fuel: in the `trace` version the runtime is called when a function is entered that calls others and when a loop goes round, so that a
//! budget of calls ends every program that goes on for ever. In the `mutants` version fuel is counted down at the same places.

use std::collections::HashSet;

use suspect_format::abi;

use crate::collect::calls::{self, Effect};
use crate::inject::marker::Marker;
use crate::inject::marker::hook;
use crate::llvm::builder::Builder;
use crate::llvm::ir::{Block, LLVMOpcode, Module, Value, llvm};
use crate::llvm::shim;

/// Where a function's loops go round: found before anything is put into it, so that they are the same in all versions.
pub struct Rounds {
    function: Value,
    /// Whether it calls what may call it again; else only its loops go on for ever.
    calls: bool,
    ends: Vec<Value>,
}

impl Rounds {
    /// Those of `function`.
    pub fn of(function: Value) -> Rounds {
        let entry = function.blocks().first().copied();
        let ends = entry.map(going_back).unwrap_or_default().into_iter().filter_map(Block::terminator).collect();
        let calls_on = |one: Value| one.is(LLVMOpcode::LLVMCall) && calls::effect(one) != Effect::Returns;
        let calls = function.blocks().iter().flat_map(|block| block.instructions()).any(calls_on);
        Rounds { function, calls, ends }
    }

    /// Puts calls of the runtime there and where the function begins, if it calls others.
    pub fn tick(&self, module: Module) {
        self.first().into_iter().chain(self.ends.iter().copied()).for_each(|before| tick(module, before));
    }

    /// Has fuel counted down likewise.
    pub fn burn(&self, module: Module) {
        let number = module.constant(32, 0);
        for before in self.first().into_iter().chain(self.ends.iter().copied()) {
            Builder::before(module, before).call(Marker::Burn.function(module), &[number]);
        }
    }

    fn first(&self) -> Option<Value> {
        if !self.calls {
            return None;
        }
        let entry = self.function.blocks().first().copied()?;
        entry.instructions().into_iter().find(|one| !one.is(LLVMOpcode::LLVMAlloca))
    }
}

/// Puts a call of the runtime before an instruction.
pub fn tick(module: Module, before: Value) {
    let hook = hook(module, abi::HOOK_TICK, module.void(), &[]);
    let call = Builder::before(module, before).call(hook, &[]);
    llvm!(shim::suspect_no_sanitize_instruction(call.0));
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
