//! Collecting compound conditions: operands joined by `&&` and `||`, and the sequences in which they can be evaluated.
//!
//! The front end leaves no sign of them but jumps and debug locations. A branch on an operand that is not the last one
//! stands at the `&&` or `||` after it, behind the operand; a branch on the last operand, or on a condition of one
//! operand, stands where the whole condition begins. Where the outcome is a value, the last operand flows into a `phi`
//! of truth values. What is found is accepted only if it leaves to two places (or all to `phi`s): a condition is left out
//! rather than told wrong.

use std::collections::{HashMap, HashSet};

use suspect_format::site::NodeKind;

use crate::collect::sequences::{CompoundSite, Next, Operand, lay_out};
use crate::collect::sites::{Body, NodeSite};
use crate::collect::unit::Unit;
use crate::llvm::ir::{self, Block, LLVMOpcode, Value};

/// How many operands after one are looked at for the condition's last.
const MOST_OPERANDS: u32 = 64;

/// A compound condition that was found.
pub struct Found {
    /// Its blocks in the order of evaluation.
    pub members: Vec<usize>,
    /// Whether its outcome is a value rather than a branch.
    pub values: bool,
    operands: Vec<Operand>,
}

/// All compound conditions of a function.
pub fn find(body: &Body, nodes: &[NodeSite]) -> Vec<Found> {
    let mut finder = Finder::new(body, nodes);
    let mut taken = vec![false; body.blocks.len()];
    let mut compounds = Vec::new();
    for first in 0..body.blocks.len() {
        if taken[first] || !finder.waits(first) {
            continue;
        }
        let found = [false, true].into_iter().find_map(|values| {
            let members = finder.with_values(values).members(first);
            Some(Found { operands: finder.operands(&members, values)?, members, values })
        });
        if let Some(found) = found {
            found.members.iter().for_each(|member| taken[*member] = true);
            compounds.push(found);
        }
    }
    compounds
}

/// The sites of compound conditions.
pub fn collect(
    unit: &mut Unit,
    body: &Body,
    nodes: &[NodeSite],
    found: &[Found],
    n_counters: &mut u32,
) -> Vec<CompoundSite> {
    let site = |Found { members, operands, .. }: &Found| {
        let start = nodes[operands[0].node as usize].place;
        let place = members.last().and_then(|last| unit.place_of(body.at(body.terminator(*last))));
        lay_out(place.filter(|place| *place <= start).unwrap_or(start), operands, n_counters)
    };
    found.iter().filter_map(site).collect()
}

/// A function's blocks by number, and how they follow each other.
pub struct Graph<'a> {
    /// The function's code.
    pub body: &'a Body,
    positions: HashMap<Block, usize>,
    predecessors: Vec<Vec<usize>>,
}

impl<'a> Graph<'a> {
    /// That of `body`.
    pub fn of(body: &'a Body) -> Self {
        let positions: HashMap<Block, usize> = body.blocks.iter().copied().zip(0..).collect();
        let mut predecessors = vec![Vec::new(); body.blocks.len()];
        for (index, block) in body.blocks.iter().enumerate() {
            for next in block.terminator().map(Value::successors).unwrap_or_default() {
                predecessors[positions[&next]].push(index);
            }
        }
        Graph { body, positions, predecessors }
    }

    /// The number of a block.
    pub fn position(&self, block: Block) -> usize {
        self.positions[&block]
    }

    /// The blocks that lead to one.
    pub fn predecessors(&self, block: usize) -> &[usize] {
        &self.predecessors[block]
    }

    /// Where a block leads.
    pub fn successors(&self, block: usize) -> Vec<usize> {
        self.body.at(self.body.terminator(block)).successors().iter().map(|next| self.positions[next]).collect()
    }
}

/// Finds the blocks that belong to one condition.
struct Finder<'a> {
    body: &'a Body,
    graph: Graph<'a>,
    nodes: &'a [NodeSite],
    /// The predicate at the end of each block.
    predicates: HashMap<usize, u32>,
    /// Whether the outcome sought is a value rather than a branch.
    values: bool,
}

impl<'a> Finder<'a> {
    fn new(body: &'a Body, nodes: &'a [NodeSite]) -> Self {
        let mut predicates = HashMap::new();
        for (number, node) in nodes.iter().enumerate().filter(|(_, node)| node.kind == NodeKind::Predicate) {
            let block = body.starts.partition_point(|start| *start <= node.before) - 1;
            if node.before == body.terminator(block) {
                predicates.insert(block, number as u32);
            }
        }
        Finder { body, graph: Graph::of(body), nodes, predicates, values: false }
    }

    fn with_values(&mut self, values: bool) -> &Self {
        self.values = values;
        self
    }

    fn end(&self, block: usize) -> Value {
        self.body.at(self.body.terminator(block))
    }

    fn successors(&self, block: usize) -> Vec<usize> {
        self.graph.successors(block)
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
                phi.incoming().iter().any(|(value, from)| self.graph.position(*from) == block && !value.is_constant())
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
        // What was taken for a member to come is none, then; what it leads to is reached in other ways, too.
        loop {
            let n_members = members.len();
            let kept = members.clone();
            let is_inside = |block: &usize| self.graph.predecessors(*block).iter().all(|from| kept.contains(from));
            members.retain(|block| *block == first || is_inside(block));
            if members.len() == n_members {
                return members;
            }
        }
    }

    /// Whether `block` evaluates an operand of the condition that `members` began.
    fn follows(&self, first: usize, members: &[usize], block: usize) -> bool {
        let inside = |from: &usize| members.contains(from) || self.joins(first, *from);
        // Where values meet, evaluation is over.
        let meets = self.body.at(self.body.starts[block]).is(LLVMOpcode::LLVMPHI);
        if block <= first || meets || !self.graph.predecessors(block).iter().all(inside) {
            return false;
        }
        self.gives_value(block) || self.begins_by(first, block)
    }

    /// Whether `block` is an operand that another one of the same condition may still make a member of.
    fn joins(&self, first: usize, block: usize) -> bool {
        block > first && self.waits(block) && self.begins_by(first, block)
    }

    /// Whether the condition that `block`'s branch belongs to begins no later than the operand in `first`.
    fn begins_by(&self, first: usize, block: usize) -> bool {
        let Some(node) = self.predicates.get(&first) else { return false };
        let start = self.nodes[*node as usize].place;
        // In code where all locations are one, as a scanner's that was generated, paths are beyond number: each block is looked at once.
        let mut level = vec![block];
        let mut seen = HashSet::from([block]);
        for _ in 0..=MOST_OPERANDS {
            let mut next_level = Vec::new();
            for block in level {
                let Some([branch, _]) = self.locations(block).filter(|_| self.predicates.contains_key(&block)) else {
                    continue;
                };
                if (branch.0, branch.1) <= (start.line, start.column) {
                    return true;
                }
                if !self.waits(block) {
                    continue;
                }
                for next in self.successors(block) {
                    let is_later =
                        next > block && self.graph.predecessors(next).iter().all(|from| *from >= first && *from < next);
                    if is_later && self.gives_value(next) {
                        return true;
                    }
                    if is_later && seen.insert(next) {
                        next_level.push(next);
                    }
                }
            }
            level = next_level;
        }
        false
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
