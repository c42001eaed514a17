//! Finding the `if`s without `else` whose condition can be asked again behind what they guard, as a `while` does.
//!
//! The front end lays blocks out as the source has them: those of the condition, what it guards, what comes after. What is guarded ends in
//! one jump behind it, unless it leaves by `return`, `goto` and the like; a loop jumps back instead. Where a jump leads into what is guarded,
//! the condition is left as it is.

use std::collections::HashSet;

use crate::collect::calls;
use crate::collect::compounds::{Found, Graph};
use crate::collect::sites::position_of;
use crate::llvm::ir::{LLVMOpcode, Value};

/// A condition and the end of what it guards, by positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// The first instruction of the condition.
    pub first: u32,
    /// The branch on its last operand, which stands where the whole condition begins.
    pub branch: u32,
    /// The jump from the end of what is guarded to what comes after.
    pub jump: u32,
}

/// Those of a function.
pub fn collect(graph: &Graph, compounds: &[Found]) -> Vec<Repeat> {
    let members: HashSet<usize> = compounds.iter().flat_map(|found| found.members.iter().copied()).collect();
    let single = (0..graph.body.blocks.len()).filter(|block| !members.contains(block)).map(|block| vec![block]);
    let several = compounds.iter().filter(|found| !found.values).map(|found| found.members.clone());
    single.chain(several).filter_map(|condition| of_condition(graph, &condition)).collect()
}

fn of_condition(graph: &Graph, condition: &[usize]) -> Option<Repeat> {
    let (first, last) = (*condition.first()?, *condition.last()?);
    let [yes, no] = graph.successors(last)[..] else { return None };
    let (start, after) = (last + 1, yes.max(no));
    let guarded = start..after;
    // What jumps in past the condition has not computed what stands before it in its block.
    let inside = |block: &usize| guarded.contains(block) || condition.contains(block);
    let is_entered = guarded.clone().any(|block| !graph.predecessors(block).iter().all(inside));
    let begins_with_phi = graph.body.at(graph.body.starts[after]).is(LLVMOpcode::LLVMPHI);
    let is_branch = graph.body.at(graph.body.terminator(last)).is(LLVMOpcode::LLVMBr);
    if !is_branch || yes.min(no) != start || guarded.is_empty() || begins_with_phi {
        return None;
    }
    let is_loop = graph.predecessors(first).iter().any(|before| guarded.contains(before));
    let mut ends = graph.predecessors(after).iter().filter(|before| !condition.contains(before));
    let (end, None) = (*ends.next()?, ends.next()) else { return None };
    if is_loop || is_entered || !guarded.contains(&end) || graph.successors(end).len() != 1 {
        return None;
    }
    // Nothing is asked again behind what never returns.
    let never_returns = |value: Value| calls::is_call(value) && value.call_has("noreturn");
    if graph.body.range(end).any(|position| never_returns(graph.body.at(position))) {
        return None;
    }
    let branch = graph.body.terminator(last);
    Some(Repeat { first: beginning(graph, first, branch)?, branch, jump: graph.body.terminator(end) })
}

/// The first instruction of the condition that is decided at `branch` and begins in `block`; `None` if it does not begin there.
fn beginning(graph: &Graph, block: usize, branch: u32) -> Option<u32> {
    let body = graph.body;
    let range = body.range(block);
    let here = |value: Value| range.clone().find(|position| body.at(*position) == value);
    let mut first = range.end - 1;
    let mut open = vec![body.at(first)];
    while let Some(value) = open.pop() {
        let is_elsewhere = |part: &Value| !part.is_instruction() || part.is(LLVMOpcode::LLVMAlloca);
        for part in value.operands().into_iter().filter(|part| !is_elsewhere(part)) {
            // What was computed in another block is no condition that begins here.
            let position = here(part).filter(|_| !part.is(LLVMOpcode::LLVMPHI))?;
            first = first.min(position);
            open.push(part);
        }
    }
    // What no value connects with the branch, as in `f(x = 3)`, stands behind the condition's beginning in the source.
    let place = position_of(body.at(branch))?;
    let is_inside = |position: &u32| position_of(body.at(*position)).is_some_and(|other| other >= place);
    while let Some(before) = first.checked_sub(1).filter(|before| range.contains(before)).filter(is_inside) {
        first = before;
    }
    let connects = |value: Value| {
        let parts = value.operands();
        parts.into_iter().all(|part| part.is(LLVMOpcode::LLVMAlloca) || here(part).is_none_or(|at| at >= first))
    };
    let begins_elsewhere = body.at(first).is(LLVMOpcode::LLVMPHI);
    (!begins_elsewhere && (first..range.end).all(|position| connects(body.at(position)))).then_some(first)
}
