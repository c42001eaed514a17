//! Which trials there are, and in which order.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::{Division, Plan, PlannedTest};
use crate::mutant::{Domain, Form, Mutant, ValueRange, mutants};
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
    /// Of each node that has any, in the order of the program.
    mutants: BTreeMap<u32, Vec<Mutant>>,
    /// So many first executions of a node are overridden one by one too.
    instances: u64,
    /// For each test of a shard, the nodes whose trials it has; without it, it has all.
    own: Option<BTreeMap<u32, Range<u32>>>,
}

/// What a forked trial costs beyond what runs in it, in hooks and ticks.
const FORK: u64 = 500_000;
/// The same of a trial that has a process tree of its own.
const PROCESS: u64 = 1_000_000;

impl<'p> Schedule<'p> {
    /// The trials of a plan: at most `n_samples` samples of each node (of `nodes`, ascending, if given) on each of `tests`, those
    /// first that come first. Of nodes with ranges only values of these.
    pub fn new(
        program: &'p Program,
        plan: &'p Plan,
        tests: &[u32],
        (nodes, ranges): (Option<&[u32]>, &BTreeMap<u32, ValueRange>),
        seed: u64,
        n_samples: usize,
    ) -> Schedule<'p> {
        let wanted = |node: u32| nodes.is_none_or(|nodes| nodes.binary_search(&node).is_ok());
        let of_node = |(node, domain): (&u32, &Domain)| {
            let known = &program.nodes[*node as usize];
            let domain = domain.clone().within(ranges.get(node).copied());
            (*node, mutants(Form::of(known), &domain, &known.identity(program), seed, n_samples))
        };
        let all = plan.domains.iter().filter(|(node, _)| wanted(**node)).map(of_node);
        let mutants = all.filter(|(_, mutants)| !mutants.is_empty()).collect();
        let tests = tests.iter().filter_map(|test| plan.test(*test)).filter(|test| test.refused.is_none()).collect();
        Schedule { program, tests, mutants, instances: 0, own: None }
    }

    /// With trials that override one execution of a node alone, for each of its first `instances` executions.
    pub fn with_instances(self, instances: u64) -> Schedule<'p> {
        Schedule { instances, ..self }
    }

    /// Of these trials the part that a shard has: all of some tests, so that few shards prepare a test, and of some tests those of some
    /// nodes.
    pub fn of_shard(self, shard: Shard) -> Schedule<'p> {
        if shard == Shard::WHOLE {
            return self;
        }
        let division = Division::new(self.tests.iter().map(|test| self.cost(test)), shard.of);
        let mut own = BTreeMap::new();
        let mut tests = Vec::new();
        for (item, test) in self.tests.iter().enumerate() {
            let mutated: Vec<u32> = self.mutated(test).collect();
            if let [first, .., last] | [first @ last] = &mutated[division.pieces(item, shard, mutated.len())] {
                own.insert(test.test, *first..last + 1);
                tests.push(*test);
            }
        }
        Schedule { tests, own: Some(own), ..self }
    }

    /// The nodes with mutants that a test covers, ascending.
    fn mutated(&self, test: &PlannedTest) -> impl Iterator<Item = u32> {
        test.covered.iter().copied().filter(|node| self.mutants.contains_key(node))
    }

    /// What the trials of a test cost, in hooks and ticks.
    fn cost(&self, test: &PlannedTest) -> u64 {
        let n_mutants: usize = self.mutated(test).map(|node| self.mutants(node).len()).sum();
        let one = match test.unforkable {
            // A fork begins where the node is executed: on average in the middle.
            None => FORK + test.longest / 2,
            Some(_) => PROCESS + test.longest,
        };
        (n_mutants as u64).saturating_mul(one)
    }

    /// Whether the trials of a node on a test are here, if there are any.
    fn has_node(&self, test: u32, node: u32) -> bool {
        self.own.as_ref().is_none_or(|own| own.get(&test).is_some_and(|nodes| nodes.contains(&node)))
    }

    /// The tests, those first that are tried first.
    pub fn tests(&self) -> &[&'p PlannedTest] {
        &self.tests
    }

    /// Nodes with mutants.
    pub fn n_nodes(&self) -> usize {
        let Some(own) = &self.own else { return self.mutants.len() };
        let of_test = |test: &&'p PlannedTest| {
            self.mutated(test).filter(|node| own[&test.test].contains(node)).collect::<Vec<_>>()
        };
        self.tests.iter().flat_map(of_test).collect::<BTreeSet<_>>().len()
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
            && self.has_node(key.test, key.node)
    }

    /// The mutants of a node.
    pub fn mutants(&self, node: u32) -> &[Mutant] {
        self.mutants.get(&node).map_or(&[], Vec::as_slice)
    }

    /// The trials of some rounds on one test, node by node.
    pub fn trials(&self, test: &PlannedTest, rounds: Range<usize>) -> impl Iterator<Item = Trial> {
        let (number, covered) = (test.test, test.covered.iter().zip(&test.constants));
        let ours = covered.filter(move |(node, _)| self.has_node(number, **node));
        let here = ours.filter_map(|(node, constant)| Some((*node, *constant, self.mutants.get(node)?)));
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
