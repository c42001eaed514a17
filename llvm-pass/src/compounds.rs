//! Collecting compound conditions: operands joined by `&&` and `||`, and the sequences in which they can be evaluated.
//!
//! The front end leaves no sign of them but jumps and debug locations. A branch on an operand that is not the last one
//! stands at the `&&` or `||` after it, behind the operand; a branch on the last operand, or on a condition of one
//! operand, stands where the whole condition begins. Where the outcome is a value, the last operand flows into a `phi`
//! of truth values. What is found is accepted only if it leaves to two places (or all to `phi`s): a condition is left out
//! rather than told wrong.

use std::collections::HashMap;

use suspect_format::site::{NodeKind, Place, SequenceCount};

use crate::ir::{self, Block, LLVMOpcode, Value};
use crate::sites::{Body, NodeSite, Survey, next};

/// Most sequences of one condition; a chain of only `&&` or only `||` has one more than operands and is never cut.
const MOST_SEQUENCES: usize = 64;

/// A condition of several operands.
#[derive(Clone, Debug)]
pub struct CompoundSite {
    /// Where it begins.
    pub place: Place,
    /// Its operands, numbers of the function's nodes.
    pub conditions: Vec<u32>,
    /// Its sequences: steps and where the count is.
    pub sequences: Vec<(Vec<u64>, SequenceCount)>,
    /// What keeps the number of the path taken, where an edge alone does not tell.
    pub path: Vec<PathHook>,
    /// Counters of how often a last operand that is a value was false: node and counter.
    pub false_counters: Vec<(u32, u32)>,
}

/// What happens to a compound's path number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathHook {
    /// On this edge it becomes `offset`, plus what it was if `keep`.
    Set { edge: u32, keep: bool, offset: u32 },
    /// On this edge the counter that many after `counter` goes up.
    CountEdge { edge: u32, counter: u32 },
    /// At this node the counter that many after `counter` goes up; `paths` further on when the node is false.
    CountNode { node: u32, counter: u32, paths: u32 },
}

/// Where an operand's outcome leads: to another operand or out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Operand(usize),
    Out,
}

/// An operand: its node, and for each outcome (false, true) where it leads and by which edge.
struct Operand {
    node: u32,
    next: [Next; 2],
    edges: Option<[u32; 2]>,
    /// Counter of how often it was true, without edges.
    true_counter: Option<u32>,
}

/// All compound conditions of a function.
pub fn collect(survey: &mut Survey, body: &Body, nodes: &[NodeSite], n_counters: &mut u32) -> Vec<CompoundSite> {
    let mut finder = Finder::new(body, nodes);
    let mut taken = vec![false; body.blocks.len()];
    let mut compounds = Vec::new();
    for first in 0..body.blocks.len() {
        if taken[first] || !finder.waits(first) {
            continue;
        }
        let found = [false, true].into_iter().find_map(|values| {
            let members = finder.with_values(values).members(first);
            Some((finder.operands(&members, values)?, members))
        });
        if let Some((operands, members)) = found {
            members.iter().for_each(|member| taken[*member] = true);
            let start = nodes[operands[0].node as usize].place;
            let place = members.last().and_then(|last| survey.place_of(body.at(body.terminator(*last))));
            let place = place.filter(|place| *place <= start).unwrap_or(start);
            compounds.extend(lay_out(place, &operands, n_counters));
        }
    }
    compounds
}

/// Finds the blocks that belong to one condition.
struct Finder<'a> {
    body: &'a Body,
    nodes: &'a [NodeSite],
    positions: HashMap<Block, usize>,
    predecessors: Vec<Vec<usize>>,
    /// The predicate at the end of each block.
    predicates: HashMap<usize, u32>,
    /// Whether the outcome sought is a value rather than a branch.
    values: bool,
}

impl<'a> Finder<'a> {
    fn new(body: &'a Body, nodes: &'a [NodeSite]) -> Self {
        let positions: HashMap<Block, usize> = body.blocks.iter().copied().zip(0..).collect();
        let mut predecessors = vec![Vec::new(); body.blocks.len()];
        for (index, block) in body.blocks.iter().enumerate() {
            for next in block.terminator().map(Value::successors).unwrap_or_default() {
                predecessors[positions[&next]].push(index);
            }
        }
        let mut predicates = HashMap::new();
        for (number, node) in nodes.iter().enumerate().filter(|(_, node)| node.kind == NodeKind::Predicate) {
            let block = body.starts.partition_point(|start| *start <= node.before) - 1;
            if node.before == body.terminator(block) {
                predicates.insert(block, number as u32);
            }
        }
        Finder { body, nodes, positions, predecessors, predicates, values: false }
    }

    fn with_values(&mut self, values: bool) -> &Self {
        self.values = values;
        self
    }

    fn end(&self, block: usize) -> Value {
        self.body.at(self.body.terminator(block))
    }

    fn successors(&self, block: usize) -> Vec<usize> {
        self.end(block).successors().iter().map(|next| self.positions[next]).collect()
    }

    /// Where a block's branch and its condition stand: line, column and scope.
    fn locations(&self, block: usize) -> Option<[(u32, u32, usize); 2]> {
        let end = self.end(block);
        let condition = end.operand(0).filter(|_| end.is(LLVMOpcode::LLVMBr) && end.n_operands() == 3)?;
        let location =
            |value: Value| ir::debug_location(value).map(|(line, column, scope)| (line, column, scope as usize));
        Some([location(end)?, location(condition)?])
    }

    /// Whether a block ends in a branch on an operand that others may follow. Inside a macro all locations are one; there
    /// the branch on an operand in the middle is in the condition's own scope.
    fn waits(&self, block: usize) -> bool {
        let Some([branch, condition]) = self.locations(block) else { return false };
        let after = (branch.0, branch.1) > (condition.0, condition.1);
        let same = branch == condition;
        self.predicates.contains_key(&block) && (after || same)
    }

    /// Whether a block's outcome flows into a `phi` of truth values as the last operand.
    fn gives_value(&self, block: usize) -> bool {
        let [target] = self.successors(block)[..] else { return false };
        self.values
            && self.predicates.contains_key(&block)
            && self.logic_phi(target).is_some_and(|phi| {
                phi.incoming().iter().any(|(value, from)| self.positions[from] == block && !value.is_constant())
            })
    }

    /// The `phi` of truth values at the start of a block.
    fn logic_phi(&self, block: usize) -> Option<Value> {
        self.body
            .range(block)
            .map(|position| self.body.at(position))
            .take_while(|value| value.is(LLVMOpcode::LLVMPHI))
            .find(|phi| phi.kind().int_bits() == 1)
    }

    /// Blocks of the condition whose first operand is in `first`, in the order of evaluation.
    fn members(&self, first: usize) -> Vec<usize> {
        let mut members = vec![first];
        let mut index = 0;
        while index < members.len() {
            let block = members[index];
            if self.waits(block) {
                let mut following = self.successors(block);
                following.sort();
                for next in following {
                    if !members.contains(&next) && self.follows(first, &members, next) {
                        members.push(next);
                    }
                }
            }
            index += 1;
        }
        members.sort();
        members
    }

    /// Whether `block` evaluates an operand of the condition that `members` began.
    fn follows(&self, first: usize, members: &[usize], block: usize) -> bool {
        let inside = |from: &usize| members.contains(from) || self.joins(first, *from);
        // Where values meet, evaluation is over.
        let meets = self.body.at(self.body.starts[block]).is(LLVMOpcode::LLVMPHI);
        if block <= first || meets || !self.predecessors[block].iter().all(inside) {
            return false;
        }
        self.gives_value(block) || self.begins_by(first, block, 0)
    }

    /// Whether `block` is an operand that another one of the same condition may still make a member of.
    fn joins(&self, first: usize, block: usize) -> bool {
        block > first && self.waits(block) && self.begins_by(first, block, 0)
    }

    /// Whether the condition that `block`'s branch belongs to begins no later than the operand in `first`.
    fn begins_by(&self, first: usize, block: usize, depth: u32) -> bool {
        let (Some([branch, _]), Some(node)) = (self.locations(block), self.predicates.get(&first)) else {
            return false;
        };
        let start = self.nodes[*node as usize].place;
        if !self.predicates.contains_key(&block) || depth > 64 {
            return false;
        }
        if !self.waits(block) || (branch.0, branch.1) <= (start.line, start.column) {
            return (branch.0, branch.1) <= (start.line, start.column);
        }
        let later =
            |next: &usize| *next > block && self.predecessors[*next].iter().all(|from| *from >= first && *from < *next);
        self.successors(block)
            .iter()
            .filter(|next| later(next))
            .any(|next| self.gives_value(*next) || self.begins_by(first, *next, depth + 1))
    }

    /// The members as operands; `None` when they are no condition of several operands.
    fn operands(&self, members: &[usize], values: bool) -> Option<Vec<Operand>> {
        let mut exits: Vec<usize> = Vec::new();
        let mut operands = Vec::new();
        for block in members {
            let node = *self.predicates.get(block)?;
            let mut lead = |target: usize| match members.iter().position(|member| *member == target) {
                Some(member) => Next::Operand(member),
                None => {
                    exits.push(target);
                    Next::Out
                }
            };
            match (&self.successors(*block)[..], self.nodes[node as usize].branches) {
                ([yes, no], Some((yes_edge, no_edge))) => {
                    operands.push(Operand {
                        node,
                        next: [lead(*no), lead(*yes)],
                        edges: Some([no_edge, yes_edge]),
                        true_counter: None,
                    });
                }
                ([only], None) => {
                    let true_counter = self.nodes[node as usize].true_counter;
                    operands.push(Operand { node, next: [lead(*only), lead(*only)], edges: None, true_counter });
                }
                _ => return None,
            }
        }
        exits.sort();
        exits.dedup();
        let right = match values {
            true => exits.iter().all(|exit| self.logic_phi(*exit).is_some()),
            false => exits.len() == 2 && members.iter().any(|member| !self.waits(*member)),
        };
        (members.len() > 1 && right).then_some(operands)
    }
}

/// Enumerates the sequences and says where each one's count is. `None` when there are too many.
fn lay_out(place: Place, operands: &[Operand], n_counters: &mut u32) -> Option<CompoundSite> {
    let reached = paths_to(operands)?;
    let mut compound = CompoundSite {
        place,
        conditions: operands.iter().map(|operand| operand.node).collect(),
        sequences: Vec::new(),
        path: Vec::new(),
        false_counters: Vec::new(),
    };
    let mut arrived = vec![0; operands.len()];
    for (index, (operand, paths)) in operands.iter().zip(&reached).enumerate() {
        let several = paths.len() > 1;
        if several && operand.edges.is_none() {
            compound.count_value(index, operand, paths, n_counters);
            continue;
        }
        for outcome in [0, 1] {
            match (operand.next[outcome], operand.edges) {
                (Next::Operand(next), Some(edges)) => {
                    if reached[next].len() > 1 {
                        compound.path.push(PathHook::Set {
                            edge: edges[outcome],
                            keep: several,
                            offset: arrived[next],
                        });
                    }
                    arrived[next] += paths.len() as u32;
                }
                (Next::Operand(_), None) => return None,
                (Next::Out, edges) => compound.leave(index, operand, outcome, paths, edges, n_counters),
            }
        }
    }
    Some(compound)
}

impl CompoundSite {
    /// An outcome that ends the evaluation.
    fn leave(
        &mut self,
        index: usize,
        operand: &Operand,
        outcome: usize,
        paths: &[Vec<u64>],
        edges: Option<[u32; 2]>,
        n_counters: &mut u32,
    ) {
        let step = 2 * index as u64 + outcome as u64;
        let sequence = |path: &Vec<u64>| path.iter().copied().chain([step]).collect::<Vec<u64>>();
        match (edges, paths) {
            (Some(edges), [path]) => self.sequences.push((sequence(path), SequenceCount::Edge(edges[outcome]))),
            (Some(edges), _) => {
                let counter = *n_counters;
                *n_counters += paths.len() as u32;
                self.path.push(PathHook::CountEdge { edge: edges[outcome], counter });
                self.sequences.extend(
                    paths.iter().zip(counter..).map(|(path, number)| (sequence(path), SequenceCount::Counter(number))),
                );
            }
            (None, _) => {
                let counter = operand.true_counter.filter(|_| outcome == 1).unwrap_or_else(|| next(n_counters));
                if outcome == 0 {
                    self.false_counters.push((operand.node, counter));
                }
                self.sequences.extend(paths.first().map(|path| (sequence(path), SequenceCount::Counter(counter))));
            }
        }
    }

    /// A last operand that is a value and is reached by several paths: true first, then false.
    fn count_value(&mut self, index: usize, operand: &Operand, paths: &[Vec<u64>], n_counters: &mut u32) {
        let counter = *n_counters;
        let count = paths.len() as u32;
        *n_counters += 2 * count;
        self.path.push(PathHook::CountNode { node: operand.node, counter, paths: count });
        for (outcome, first) in [(1, counter), (0, counter + count)] {
            let step = 2 * index as u64 + outcome;
            let sequence = |path: &Vec<u64>| path.iter().copied().chain([step]).collect();
            self.sequences.extend(
                paths.iter().zip(first..).map(|(path, number)| (sequence(path), SequenceCount::Counter(number))),
            );
        }
    }
}

/// For each operand the paths that lead to it, in the order in which path numbers are given out.
fn paths_to(operands: &[Operand]) -> Option<Vec<Vec<Vec<u64>>>> {
    let mut reached: Vec<Vec<Vec<u64>>> = vec![Vec::new(); operands.len()];
    reached[0].push(Vec::new());
    let mut sequences = 0;
    let mut chain = true;
    for (index, operand) in operands.iter().enumerate() {
        chain &= reached[index].len() == 1;
        for outcome in [0, 1] {
            match operand.next[outcome] {
                Next::Out => sequences += reached[index].len(),
                // Evaluation only ever goes forward.
                Next::Operand(next) if next <= index => return None,
                Next::Operand(next) => {
                    let step = 2 * index as u64 + outcome as u64;
                    let further: Vec<Vec<u64>> =
                        reached[index].iter().map(|path| path.iter().copied().chain([step]).collect()).collect();
                    reached[next].extend(further);
                }
            }
        }
        if !chain && sequences + reached.iter().map(Vec::len).max().unwrap_or(0) > MOST_SEQUENCES {
            return None;
        }
    }
    (reached.iter().all(|paths| !paths.is_empty()) && (chain || sequences <= MOST_SEQUENCES)).then_some(reached)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operand(node: u32, no: Next, yes: Next) -> Operand {
        Operand { node, next: [no, yes], edges: Some([2 * node, 2 * node + 1]), true_counter: None }
    }

    /// `(a && b) || c`
    fn mixed() -> Vec<Operand> {
        use Next::*;
        vec![operand(0, Operand(2), Operand(1)), operand(1, Operand(2), Out), operand(2, Out, Out)]
    }

    #[test]
    fn a_chain_is_counted_by_its_edges_alone() {
        let operands = [operand(0, Next::Out, Next::Operand(1)), operand(1, Next::Out, Next::Out)];
        let mut counters = 5;
        let compound = lay_out(Place::default(), &operands, &mut counters).unwrap();
        assert_eq!(counters, 5);
        assert!(compound.path.is_empty());
        let edge = |number| SequenceCount::Edge(number);
        assert_eq!(compound.sequences, [(vec![0], edge(0)), (vec![1, 2], edge(2)), (vec![1, 3], edge(3))]);
    }

    #[test]
    fn what_several_paths_lead_to_is_counted_by_path() {
        let mut counters = 0;
        let compound = lay_out(Place::default(), &mixed(), &mut counters).unwrap();
        let counter = |number| SequenceCount::Counter(number);
        assert_eq!(counters, 4);
        assert_eq!(
            compound.sequences,
            [
                (vec![1, 3], SequenceCount::Edge(3)),
                (vec![0, 4], counter(0)),
                (vec![1, 2, 4], counter(1)),
                (vec![0, 5], counter(2)),
                (vec![1, 2, 5], counter(3)),
            ]
        );
        assert_eq!(
            compound.path,
            [
                PathHook::Set { edge: 0, keep: false, offset: 0 },
                PathHook::Set { edge: 2, keep: false, offset: 1 },
                PathHook::CountEdge { edge: 4, counter: 0 },
                PathHook::CountEdge { edge: 5, counter: 2 },
            ]
        );
    }

    #[test]
    fn too_many_sequences_are_left_out_but_chains_never_are() {
        use Next::*;
        let chain: Vec<_> =
            (0..100).map(|i| operand(i, Out, if i == 99 { Out } else { Operand(i as usize + 1) })).collect();
        assert_eq!(lay_out(Place::default(), &chain, &mut 0).unwrap().sequences.len(), 101);
        // Each pair doubles the paths: (a && b) || ... joined by &&.
        let mut doubling = Vec::new();
        for pair in 0..8usize {
            let next = if pair == 7 { Out } else { Operand(2 * pair + 2) };
            doubling.push(operand(2 * pair as u32, Operand(2 * pair + 1), next));
            doubling.push(operand(2 * pair as u32 + 1, Out, next));
        }
        assert!(lay_out(Place::default(), &doubling, &mut 0).is_none());
    }
}
