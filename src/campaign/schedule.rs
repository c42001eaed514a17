//! Which trials there are, and in which order.

use std::collections::BTreeMap;

use super::{Plan, PlannedTest};
use crate::mutant::{Form, Mutant, mutants};
use crate::program::Program;
use crate::store::{Shard, TrialKey};
use crate::trial::{Change, Override, Site};

/// A trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// Its name in the store.
    pub key: TrialKey,
    /// What is overridden.
    pub change: Override,
}

/// The mutants of all nodes, and the tests that they run on.
#[derive(Debug)]
pub struct Schedule<'p> {
    program: &'p Program,
    tests: Vec<&'p PlannedTest>,
    /// Of each node of this shard that has any, in the order of the program.
    mutants: BTreeMap<u32, Vec<Mutant>>,
    /// So many first executions of a node are overridden one by one too.
    instances: u64,
}

impl<'p> Schedule<'p> {
    /// The trials of a plan: at most `n_samples` samples of each node (of `nodes`, ascending, if given) on each of `tests`, those
    /// first that come first. A shard has every so many-th node with mutants.
    pub fn new(
        program: &'p Program,
        plan: &'p Plan,
        tests: &[u32],
        nodes: Option<&[u32]>,
        seed: u64,
        n_samples: usize,
        shard: Shard,
    ) -> Schedule<'p> {
        let wanted = |node: u32| nodes.is_none_or(|nodes| nodes.binary_search(&node).is_ok());
        let of_node = |(node, domain): (&u32, _)| {
            let known = &program.nodes[*node as usize];
            (*node, mutants(Form::of(known), domain, &known.identity(program), seed, n_samples))
        };
        let all = plan.domains.iter().map(of_node).filter(|(_, mutants)| !mutants.is_empty());
        // Shards are parts of the whole, whatever nodes are selected.
        let ours = (0u32..).zip(all).filter(|(position, _)| position % shard.of == shard.number - 1);
        let mutants = ours.map(|(_, entry)| entry).filter(|(node, _)| wanted(*node)).collect();
        let tests = tests.iter().filter_map(|test| plan.test(*test)).filter(|test| test.refused.is_none()).collect();
        Schedule { program, tests, mutants, instances: 0 }
    }

    /// With trials that override one execution of a node alone, for each of its first `instances` executions.
    pub fn with_instances(self, instances: u64) -> Schedule<'p> {
        Schedule { instances, ..self }
    }

    /// The tests, those first that are tried first.
    pub fn tests(&self) -> &[&'p PlannedTest] {
        &self.tests
    }

    /// Nodes with mutants.
    pub fn n_nodes(&self) -> usize {
        self.mutants.len()
    }

    /// Rounds: in each, every node that has another mutant tries it on every test. First at all executions, then at one.
    pub fn n_rounds(&self) -> usize {
        self.n_mutants() * (1 + self.instances as usize)
    }

    /// Most mutants of a node.
    fn n_mutants(&self) -> usize {
        self.mutants.values().map(Vec::len).max().unwrap_or(0)
    }

    /// Whether a trial that was done is one of these. An earlier session with fewer samples may have tried a neighbouring value of a
    /// constant that is now among its samples.
    pub fn has(&self, key: &TrialKey) -> bool {
        self.mutants.get(&key.node).is_some_and(|mutants| mutants.iter().any(|mutant| mutant.slot.0 == key.slot))
            && key.instance <= self.instances
            && self.tests.iter().any(|test| test.test == key.test)
    }

    /// The mutants of a node.
    pub fn mutants(&self, node: u32) -> &[Mutant] {
        self.mutants.get(&node).map_or(&[], Vec::as_slice)
    }

    /// The trials of some rounds on one test, node by node.
    pub fn trials(&self, test: &PlannedTest, rounds: std::ops::Range<usize>) -> impl Iterator<Item = Trial> {
        let (number, covered) = (test.test, test.covered.iter().zip(&test.constants));
        let here = covered.filter_map(|(node, constant)| Some((*node, *constant, self.mutants.get(node)?)));
        let n_mutants = self.n_mutants().max(1);
        here.flat_map(move |(node, constant, mutants)| {
            let form = Form::of(&self.program.nodes[node as usize]);
            let due = rounds
                .clone()
                .filter_map(move |round| Some(((round / n_mutants) as u64, mutants.get(round % n_mutants)?)));
            let changing = due.filter(move |(_, mutant)| !is_idle(form, constant, &mutant.change));
            changing.map(move |(instance, mutant)| Trial {
                key: TrialKey { test: number, node, slot: mutant.slot.0, instance },
                change: Override { site: Site::Node(node), instance, change: mutant.change.clone() },
            })
        })
    }
}

/// Whether a change leaves a value that is always the same as it is: the run would be the oracle's.
fn is_idle(form: Form, constant: Option<u64>, change: &Change) -> bool {
    match (change, form) {
        (Change::Set(bits), _) => constant == Some(*bits),
        (Change::Negate, Form::Integer { width, .. }) => {
            let mask = u64::MAX >> (64 - width.clamp(1, 64));
            constant.is_some_and(|bits| bits.wrapping_neg() & mask == bits & mask)
        }
        _ => false,
    }
}
