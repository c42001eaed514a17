//! Finding `&&` and `||`: the operands of a compound condition put together again, from where each of them leads.
//!
//! An operand leads to the next one and out of what it is the left side of. Two neighbours are joined if all that leaves the left one
//! for elsewhere goes where the right one may go, too; leftmost first, as C does it. What does not come out as one expression is left out.

use crate::collect::compounds::{Found, Graph};
use crate::collect::nodes;
use crate::collect::sites::Junction;
use crate::llvm::ir::{LLVMOpcode, Value};

/// The operators of a compound condition; none if it is not understood.
pub fn junctions(graph: &Graph, found: &Found) -> Vec<Junction> {
    let parser = Parser { graph, members: &found.members };
    let all = 0..found.members.len();
    match found.values {
        true => parser.value(all),
        false => parser.branches(all).map(|whole| parser.decided(&whole)),
    }
    .unwrap_or_default()
}

/// Operands that are one expression.
struct Group {
    first: usize,
    last: usize,
    exits: [usize; 2],
    sides: Option<Box<[Group; 2]>>,
}

struct Parser<'a> {
    graph: &'a Graph<'a>,
    members: &'a [usize],
}

impl Parser<'_> {
    /// Operands that all end in branches, as one group.
    fn branches(&self, range: std::ops::Range<usize>) -> Option<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for member in range {
            let [yes, no] = self.graph.successors(self.members[member])[..] else { return None };
            let mut group = Group { first: member, last: member, exits: [yes, no], sides: None };
            while let Some(left) = groups.pop() {
                match self.joined(left, group) {
                    Ok(whole) => group = whole,
                    Err((left, right)) => {
                        groups.push(left);
                        group = right;
                        break;
                    }
                }
            }
            groups.push(group);
        }
        groups.pop().filter(|_| groups.is_empty())
    }

    fn joined(&self, left: Group, right: Group) -> Result<Group, (Group, Group)> {
        let start = self.members[right.first];
        let short = left.exits.iter().find(|exit| **exit != start).copied();
        let inside = |block: &usize| self.members[left.first..=left.last].contains(block);
        let entered = self.graph.predecessors(start).iter().all(inside);
        match short.filter(|short| left.exits.contains(&start) && right.exits.contains(short) && entered) {
            Some(_) => {
                let (first, last, exits) = (left.first, right.last, right.exits);
                Ok(Group { first, last, exits, sides: Some(Box::new([left, right])) })
            }
            None => Err((left, right)),
        }
    }

    /// The operators of a condition that decides a branch.
    fn decided(&self, whole: &Group) -> Vec<Junction> {
        let mut exits = whole.exits;
        exits.sort();
        let plain = exits.iter().all(|exit| !self.graph.begins_with_phi(*exit));
        // What is done if the condition holds comes first, but for the end of the life of a loop's variables.
        if self.graph.ends_lifetimes(exits[0]) {
            exits.reverse();
        }
        let mut found = Vec::new();
        if plain {
            self.operators(whole, exits, &|_| None, &mut found);
        }
        found
    }

    /// The operators of a group that leads to `yes` and `no`.
    fn operators(
        &self,
        group: &Group,
        [yes, no]: [usize; 2],
        outcome: &dyn Fn(usize) -> Option<bool>,
        found: &mut Vec<Junction>,
    ) {
        let Some([left, right]) = group.sides.as_deref() else { return };
        let next = self.members[right.first];
        let and = !left.exits.contains(&yes);
        let (short, other) = if and { (no, yes) } else { (yes, no) };
        let blocks = self.members[left.first..=left.last].to_vec();
        let outcomes = [outcome(short), outcome(other)];
        found.push(Junction { and, left: blocks, next, short, other, outcomes });
        self.operators(left, if and { [next, no] } else { [yes, next] }, outcome, found);
        self.operators(right, [yes, no], outcome, found);
    }

    /// The operators of a condition whose outcome is a value.
    fn value(&self, range: std::ops::Range<usize>) -> Option<Vec<Junction>> {
        if range.len() == 1 {
            return Some(Vec::new());
        }
        let meets = |block: &usize| self.graph.begins_with_phi(*block);
        let end =
            range.clone().find_map(|member| self.graph.successors(self.members[member]).into_iter().find(meets))?;
        let leads = |member: &usize| {
            let successors = self.graph.successors(self.members[*member]);
            successors.len() == 2 && successors.contains(&end)
        };
        let last = range.clone().rev().find(leads)?;
        let left = self.branches(range.start..last + 1)?;
        let next = *self.members.get(last + 1).filter(|next| left.exits.contains(next))?;
        let short = self.short_value(end, &self.members[left.first..=left.last])?;
        let and = !short;
        let blocks = self.members[left.first..=left.last].to_vec();
        let outcomes = [Some(short), Some(!short)];
        let mut found = vec![Junction { and, left: blocks, next, short: end, other: end, outcomes }];
        let outcome = |exit: usize| (exit == end).then_some(short);
        self.operators(&left, if and { [next, end] } else { [end, next] }, &outcome, &mut found);
        found.extend(self.value(last + 1..range.end)?);
        Some(found)
    }

    /// The truth value that flows from all of `blocks` into the only `phi` of `end`.
    fn short_value(&self, end: usize, blocks: &[usize]) -> Option<bool> {
        let phi = self.graph.only_phi(end)?;
        let incoming = phi.incoming().into_iter().filter(|(_, from)| blocks.contains(&self.graph.position(*from)));
        let values: Vec<Option<i64>> = incoming.map(|(value, _)| value.integer()).collect();
        let first = values.first().copied()??;
        values.iter().all(|value| *value == Some(first)).then_some(first != 0)
    }
}

impl Graph<'_> {
    fn begins_with_phi(&self, block: usize) -> bool {
        self.body.at(self.body.starts[block]).is(LLVMOpcode::LLVMPHI)
    }

    /// The `phi` at the start of a block, if it is one of truth values and the only one.
    fn only_phi(&self, block: usize) -> Option<Value> {
        let phis = self.body.range(block).map(|position| self.body.at(position));
        let phis: Vec<Value> = phis.take_while(|value| value.is(LLVMOpcode::LLVMPHI)).collect();
        match phis[..] {
            [phi] if phi.kind().int_bits() == 1 => Some(phi),
            _ => None,
        }
    }

    /// Whether all that a block does is to end the lives of variables.
    fn ends_lifetimes(&self, block: usize) -> bool {
        let ends = |value: Value| value.callee().is_some_and(|callee| callee.name().starts_with("llvm.lifetime.end"));
        let nothing = |value: Value| match value.opcode() {
            Some(LLVMOpcode::LLVMBr) => value.n_operands() == 1,
            Some(LLVMOpcode::LLVMStore) => value.operand(1).is_some_and(nodes::is_made_up),
            _ => ends(value),
        };
        let mut values = self.body.range(block).map(|position| self.body.at(position));
        values.clone().any(ends) && values.all(nothing)
    }
}
