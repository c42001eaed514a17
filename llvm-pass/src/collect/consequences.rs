//! What an `if` guards, where that is one block which does not lead to what follows: other guards can lead there, too.

use std::collections::HashSet;

use crate::collect::compounds::Graph;
use crate::collect::nodes;
use crate::collect::sites::position_of;
use crate::llvm::ir::{LLVMOpcode, Value};

/// Consequences of a function, at most: guards choose from the nearest.
const MOST: usize = 128;

/// Values of a function that are used in other blocks, at most: each is followed.
const MOST_CARRIED: usize = 256;

/// A block that a condition leads to.
pub struct Consequence {
    /// Its number.
    pub block: usize,
    /// The position of the jump that ends it, or of the call that does not return.
    pub end: u32,
    /// Whether a call ends it.
    pub stops: bool,
}

/// Those of a function that can be entered from anywhere in it, in the order of its code.
pub fn collect(graph: &Graph) -> Vec<Consequence> {
    let blocks = 1..graph.body.blocks.len();
    let mut found: Vec<Consequence> = blocks.filter_map(|block| that_jumps(graph, block)).take(MOST).collect();
    match found.is_empty() || restores_the_stack(graph) {
        true => Vec::new(),
        false => {
            let bound = bound_blocks(graph);
            found.retain(|one| bound.as_ref().is_some_and(|bound| !bound.contains(&one.block)));
            found
        }
    }
}

/// A block that only conditions lead to, none on both of its ways, the last of them right before it, and that another one follows for certain or none at
/// all. What follows a loop stands behind its body.
fn that_jumps(graph: &Graph, block: usize) -> Option<Consequence> {
    let last = graph.body.terminator(block);
    let is_branch = |from: &usize| {
        let end = graph.body.at(graph.body.terminator(*from));
        let ways = graph.successors(*from);
        end.is(LLVMOpcode::LLVMBr) && matches!(ways[..], [one, other] if one != other)
    };
    let before = graph.predecessors(block);
    let merges = |block: usize| graph.body.at(graph.body.range(block).start).is(LLVMOpcode::LLVMPHI);
    let is_next = before.iter().max().is_some_and(|last| last + 1 == block);
    let is_entered = is_next && before.iter().all(is_branch) && !merges(block);
    let end = graph.body.at(last);
    let stops = end.is(LLVMOpcode::LLVMUnreachable);
    let leads = match end.opcode()? {
        LLVMOpcode::LLVMBr => {
            let [next] = graph.successors(block)[..] else { return None };
            // What leads to where its condition leads otherwise is no jump, nor is the body of a loop.
            let is_skipped = before.iter().any(|from| graph.successors(*from).contains(&next));
            let goes_round = graph.successors(next).iter().any(|after| before.contains(after));
            !is_skipped && !goes_round && !merges(next) && !cleans_up(graph, next)
        }
        LLVMOpcode::LLVMRet => true,
        LLVMOpcode::LLVMUnreachable => {
            last > graph.body.range(block).start && graph.body.at(last - 1).is(LLVMOpcode::LLVMCall)
        }
        _ => false,
    };
    let end = last - u32::from(stops);
    // A jump stands behind its condition. What loops add stands where they do.
    let place = position_of(graph.body.at(end));
    let is_behind = before.iter().all(|from| position_of(graph.body.at(graph.body.terminator(*from))) < place);
    (is_entered && is_behind && leads).then_some(Consequence { block, end, stops })
}

/// Whether a block is one that ends variables of a scope and calls something for that: they may have no value elsewhere.
fn cleans_up(graph: &Graph, block: usize) -> bool {
    let mut seen = HashSet::new();
    let mut open = vec![block];
    while let Some(block) = open.pop().filter(|block| seen.insert(*block)) {
        let end = graph.body.at(graph.body.terminator(block));
        let is_cleanup = end.is(LLVMOpcode::LLVMSwitch)
            && end
                .operand(0)
                .is_some_and(|way| way.is(LLVMOpcode::LLVMLoad) && way.operand(0).is_some_and(nodes::is_made_up));
        if !is_cleanup {
            continue;
        }
        let acts =
            |value: Value| value.is(LLVMOpcode::LLVMCall) && !value.called_function().is_some_and(Value::is_intrinsic);
        if graph.body.range(block).any(|position| acts(graph.body.at(position))) {
            return true;
        }
        open.extend(graph.successors(block));
    }
    false
}

/// Whether a function has arrays of variable length, whose ends undo what was done where they were made.
fn restores_the_stack(graph: &Graph) -> bool {
    let restores = |value: &Value| {
        value.is(LLVMOpcode::LLVMCall)
            && value.called_function().is_some_and(|callee| callee.name().starts_with("llvm.stack"))
    };
    graph.body.instructions.iter().any(restores)
}

/// Blocks from which control comes to a use of a value without passing where it is computed; `None` where there are too many values to tell.
fn bound_blocks(graph: &Graph) -> Option<HashSet<usize>> {
    let mut carried: HashSet<(usize, usize)> = HashSet::new();
    for (block, value) in (0..graph.body.blocks.len())
        .flat_map(|block| graph.body.range(block).map(move |position| (block, graph.body.at(position))))
        .filter(|(_, value)| !value.is(LLVMOpcode::LLVMAlloca))
    {
        for user in value.users() {
            let used = match user.is(LLVMOpcode::LLVMPHI) {
                true => user.incoming().into_iter().filter(|(of, _)| *of == value).map(|(_, from)| from).collect(),
                false => vec![user.block()],
            };
            carried
                .extend(used.into_iter().map(|used| (block, graph.position(used))).filter(|(own, used)| own != used));
        }
    }
    if carried.len() > MOST_CARRIED {
        return None;
    }
    let mut bound = HashSet::new();
    for (computed, used) in carried {
        let mut open = vec![used];
        let mut seen = HashSet::from([computed]);
        while let Some(block) = open.pop() {
            if seen.insert(block) {
                bound.insert(block);
                open.extend(graph.predecessors(block));
            }
        }
    }
    Some(bound)
}
