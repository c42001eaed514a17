//! First-order mutants by the node that they belong to, and what is made of them.

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;

/// A first-order mutant, as far as combining it with others goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstOrder {
    /// The program's node that it changes the computation of, if there is one. A mutant without is part of no higher-order mutant.
    pub node: Option<u32>,
    /// The operation that it changes. Two mutants of one operation are never together.
    pub operation: u32,
}

/// Where a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// The function it is in.
    pub function: u32,
    /// Its line.
    pub line: u32,
}

/// A higher-order mutant: first-order mutants that are active together.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Hom {
    /// Positions in the list of first-order mutants, ascending.
    pub members: Vec<u32>,
}

impl Hom {
    /// Number of its members.
    pub fn order(&self) -> usize {
        self.members.len()
    }
}

/// First-order mutants to combine.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    operations: Vec<u32>,
    by_node: BTreeMap<u32, Vec<u32>>,
    conflicts: HashSet<(u32, u32)>,
    locations: BTreeMap<u32, Location>,
}

impl Pool {
    /// All of a list; those to leave out are given no node.
    pub fn new(mutants: &[FirstOrder]) -> Self {
        let mut by_node: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (at, mutant) in (0..).zip(mutants) {
            if let Some(node) = mutant.node {
                by_node.entry(node).or_default().push(at);
            }
        }
        Pool { operations: mutants.iter().map(|mutant| mutant.operation).collect(), by_node, ..Pool::default() }
    }

    /// Besides those of the same operation, these two are never together: edits of the source that overlap.
    pub fn with_conflicts(mut self, conflicts: impl IntoIterator<Item = (u32, u32)>) -> Self {
        self.conflicts.extend(conflicts.into_iter().map(|(a, b)| (a.min(b), a.max(b))));
        self
    }

    /// Says where nodes are; of those of which it is not known none is near.
    pub fn with_locations(mut self, locations: impl IntoIterator<Item = (u32, Location)>) -> Self {
        self.locations.extend(locations);
        self
    }

    /// How near two nodes are in the code, in [0, 1]: 1 on one line, one over the number of lines from one to the other within a function, both
    /// counted, and 0 across functions.
    pub fn nearness(&self, a: u32, b: u32) -> f64 {
        match (self.locations.get(&a), self.locations.get(&b)) {
            (Some(a), Some(b)) if a.function == b.function => 1.0 / (1.0 + f64::from(a.line.abs_diff(b.line))),
            _ => 0.0,
        }
    }

    /// The nodes that have mutants, ascending.
    pub fn nodes(&self) -> Vec<u32> {
        self.by_node.keys().copied().collect()
    }

    /// The mutants of a node, ascending.
    pub fn mutants(&self, node: u32) -> &[u32] {
        self.by_node.get(&node).map_or(&[], Vec::as_slice)
    }

    /// Number of mutants that have a node.
    pub fn len(&self) -> usize {
        self.by_node.values().map(Vec::len).sum()
    }

    /// Whether no mutant has a node.
    pub fn is_empty(&self) -> bool {
        self.by_node.is_empty()
    }

    /// Whether two mutants may be active together.
    pub fn agree(&self, a: u32, b: u32) -> bool {
        let differ = self.operations[a as usize] != self.operations[b as usize];
        differ && !self.conflicts.contains(&(a.min(b), a.max(b)))
    }

    /// The higher-order mutant of these, if all of them may be active together.
    pub(super) fn combine(&self, mut members: Vec<u32>) -> Option<Hom> {
        members.sort_unstable();
        let pairs_agree = |at: usize| members[at + 1..].iter().all(|other| self.agree(members[at], *other));
        (0..members.len()).all(pairs_agree).then_some(Hom { members })
    }
}
