//! Finding statements that are one expression within one basic block: runs of instructions that can be left out.
//!
//! Instructions that use each other's values are one expression. One whose end stands before the end of the one before it in the source
//! has that one inside itself (`f(x = 3)`), though no value connects them.

use crate::collect::nodes;
use crate::collect::sites::{Body, position_of};
use crate::llvm::debug_info::Info;
use crate::llvm::ir::{LLVMOpcode, Value};

/// A run of instructions, by positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Its first instruction.
    pub first: u32,
    /// Its last one: the store or call that it is made for.
    pub last: u32,
    /// The instruction after it.
    pub end: u32,
}

/// All statements of a function that can be left out.
pub fn collect(body: &Body) -> Vec<Statement> {
    (0..body.blocks.len()).flat_map(|block| of_block(body, block)).collect()
}

fn of_block(body: &Body, block: usize) -> Vec<Statement> {
    let range = body.range(block);
    let mut runs: Vec<Statement> = Vec::new();
    for mut run in expressions(body, range.clone()) {
        while let Some(before) = runs.last().copied() {
            // Lifetimes may begin and end between parts of one expression.
            let gap = (before.end..run.first).all(|position| is_lifetime(body.at(position)));
            let places = position_of(body.at(run.last)).zip(position_of(body.at(before.last)));
            // A copy of a structure stands where the call does that gives it back.
            let copies = body.at(run.last).callee().is_some_and(Value::is_intrinsic);
            let nested = places.is_some_and(|(outer, inner)| outer < inner || outer == inner && copies);
            let ends_block = run.end == range.end;
            if !gap || ends_block || !nested {
                break;
            }
            run.first = before.first;
            runs.pop();
        }
        runs.push(run);
    }
    runs.retain(|run| run.end < range.end);
    runs.into_iter().filter_map(|run| that_can_be_left_out(body, run)).collect()
}

/// The connected runs of a block in order; what lies inside another one is part of it.
fn expressions(body: &Body, range: std::ops::Range<u32>) -> Vec<Statement> {
    let numbers: std::collections::HashMap<Value, u32> =
        range.clone().map(|position| (body.at(position), position)).collect();
    let mut runs: Vec<Statement> = Vec::new();
    for position in range {
        let value = body.at(position);
        if value.is(LLVMOpcode::LLVMAlloca) || is_lifetime(value) {
            continue;
        }
        let uses = |operand: &Value| !operand.is(LLVMOpcode::LLVMAlloca);
        let earliest =
            value.operands().iter().filter(|one| uses(one)).filter_map(|one| numbers.get(one)).min().copied();
        let mut run =
            Statement { first: earliest.unwrap_or(position).min(position), last: position, end: position + 1 };
        while let Some(before) = runs.last().filter(|before| before.end > run.first).copied() {
            run.first = run.first.min(before.first);
            runs.pop();
        }
        runs.push(run);
    }
    runs
}

fn is_lifetime(value: Value) -> bool {
    value.is(LLVMOpcode::LLVMCall)
        && value.called_function().is_some_and(|callee| callee.name().starts_with("llvm.lifetime."))
}

/// A run that can be left out, with what it is made for as its last instruction; what may follow that has no effect.
fn that_can_be_left_out(body: &Body, run: Statement) -> Option<Statement> {
    let acts = |value: Value| {
        matches!(value.opcode(), Some(LLVMOpcode::LLVMStore | LLVMOpcode::LLVMCall | LLVMOpcode::LLVMAtomicRMW))
    };
    let last = (run.first..run.end).rev().find(|position| acts(body.at(*position)))?;
    let parts: Vec<Value> = (run.first..run.end).map(|position| body.at(position)).collect();
    let block = parts[0].block();
    let own = |value: &Value| parts.contains(value);
    let stays = |value: &Value| {
        let here = |operand: Value| {
            !operand.is_instruction() || operand.is(LLVMOpcode::LLVMAlloca) || operand.block() == block
        };
        !is_fixed(*value) && value.operands().into_iter().all(here) && value.users().iter().all(own)
    };
    (is_statement(body.at(last)) && parts.iter().all(stays)).then_some(Statement { last, ..run })
}

/// Whether an instruction has to stay where it is.
fn is_fixed(value: Value) -> bool {
    use LLVMOpcode::*;
    match value.opcode() {
        Some(LLVMPHI | LLVMAlloca | LLVMLandingPad) => true,
        Some(LLVMCall) => {
            let kept = |name: &str| ["llvm.va_", "llvm.stack"].iter().any(|one| name.starts_with(one));
            value.is_musttail()
                || value.call_has("noreturn")
                || value.call_has("returns_twice")
                || value.called_function().is_some_and(|callee| callee.is_intrinsic() && kept(&callee.name()))
        }
        _ => false,
    }
}

/// Whether an instruction is what an expression is evaluated for: it writes what is no initial value, or calls.
fn is_statement(root: Value) -> bool {
    use LLVMOpcode::*;
    let target = match root.opcode() {
        Some(LLVMStore) => root.operand(1),
        Some(LLVMAtomicRMW) => root.operand(0),
        Some(LLVMCall) if root.inline_assembly().is_some() => return false,
        Some(LLVMCall) => match root.called_function().filter(|callee| callee.is_intrinsic()) {
            Some(callee) if callee.name().starts_with("llvm.mem") => root.operand(0),
            Some(_) => return false,
            None => return position_of(root).is_some() && root.users().is_empty(),
        },
        _ => return false,
    };
    let Some(place) = position_of(root).filter(|(line, _)| *line > 0) else { return false };
    target.is_some_and(|target| !nodes::is_made_up(target) && !begins(target, place))
}

/// Whether a write to `target` is its declaration's: in the same line, where the variable is first used.
pub fn begins(target: Value, place: (u32, u32)) -> bool {
    let base = std::iter::successors(Some(target), |one| {
        matches!(one.opcode(), Some(LLVMOpcode::LLVMGetElementPtr)).then(|| one.operand(0))?
    });
    let Some(local) = base.last().filter(|base| base.is(LLVMOpcode::LLVMAlloca)) else { return false };
    let declared = Info::variable_of(local).is_some_and(|variable| variable.variable_line() == place.0);
    let earlier =
        |user: Value| !is_lifetime(user) && position_of(user).is_some_and(|other| other.0 == place.0 && other < place);
    declared && !local.users().into_iter().any(earlier)
}

/// What a statement uses of its function's frame: addresses of variables and pointers that the caller gave. `None` where it uses something else that
/// is not there everywhere in the function.
pub fn leaves(body: &Body, statement: Statement) -> Option<Vec<Value>> {
    let parts: Vec<Value> = (statement.first..statement.end).map(|position| body.at(position)).collect();
    // Arrays of variable length are made later.
    let slots: Vec<Value> = (0..body.first(0)).map(|position| body.at(position)).collect();
    let mut leaves: Vec<Value> = Vec::new();
    for operand in parts.iter().flat_map(|part| part.operands()).filter(|operand| !parts.contains(operand)) {
        if slots.contains(&operand) || operand.is_argument() && operand.kind().is_ordinary_pointer() {
            if !leaves.contains(&operand) {
                leaves.push(operand);
            }
        } else if !operand.is_constant() {
            return None;
        }
    }
    Some(leaves)
}
