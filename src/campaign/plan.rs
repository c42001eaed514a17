//! The plan of a campaign: what its tests cover and which values their nodes take. Made once, then only read.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use suspect_format::trace::{HASH_START, hash_bytes};

use super::OracleFacts;
use crate::mutant::{Domain, Form};
use crate::program::Program;

/// What a test does without any mutant, as far as a campaign has to know it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlannedTest {
    /// Index in the run's manifest.
    pub test: u32,
    /// Whether it fails.
    pub failed: bool,
    /// Why it has no trials; the rest is empty then.
    pub refused: Option<String>,
    /// Why its trials are not forked.
    pub unforkable: Option<String>,
    /// The nodes that are observed, ascending.
    pub covered: Vec<u32>,
    /// The same in the order of their first values.
    pub order: Vec<u32>,
    /// Nodes that it covers and that are not observed: their values differ between its runs.
    pub unstable: Vec<u32>,
    /// For each of them, its value if that is the same all through the test.
    pub constants: Vec<Option<u64>>,
    /// How many values its nodes take in all.
    pub n_values: usize,
    /// Hooks and ticks of its longest process.
    pub longest: u64,
    /// A hash of all values: a test that takes others is not the one that was planned.
    pub print: u64,
}

/// The plan: all tests of the run that count, and what values their nodes take.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The tests, in the suite's order.
    pub tests: Vec<PlannedTest>,
    /// The values of each node that some test covers.
    pub domains: BTreeMap<u32, Domain>,
}

impl Plan {
    /// Puts the tests together, which come in the suite's order with their nodes' values.
    pub fn of(tests: impl IntoIterator<Item = (PlannedTest, Vec<Domain>)>) -> Plan {
        let mut plan = Plan::default();
        for (test, domains) in tests {
            for (node, domain) in test.covered.iter().zip(&domains) {
                plan.domains.entry(*node).or_default().merge(domain);
            }
            plan.tests.push(test);
        }
        plan
    }

    /// A test, by its index in the run's manifest.
    pub fn test(&self, test: u32) -> Option<&PlannedTest> {
        self.tests.binary_search_by_key(&test, |planned| planned.test).ok().map(|position| &self.tests[position])
    }

    /// Hooks and ticks of the longest process of all tests.
    pub fn longest(&self) -> u64 {
        self.tests.iter().map(|test| test.longest).max().unwrap_or(0)
    }
}

impl PlannedTest {
    /// A test that has no trials.
    pub fn refused(test: u32, failed: bool, why: String) -> PlannedTest {
        PlannedTest { test, failed, refused: Some(why), ..PlannedTest::default() }
    }

    /// A test as its oracle has it, and the values of its nodes.
    pub fn of(test: u32, failed: bool, oracle: &impl OracleFacts, program: &Program) -> (PlannedTest, Vec<Domain>) {
        let covered = oracle.nodes().to_vec();
        let mut domains = Vec::with_capacity(covered.len());
        for (position, node) in covered.iter().enumerate() {
            let form = Form::of(&program.nodes[*node as usize]);
            let mut domain = Domain::default();
            oracle.values(position).for_each(|value| domain.add(form, value));
            domains.push(domain);
        }
        let planned = PlannedTest {
            test,
            failed,
            refused: None,
            unforkable: oracle.unforkable(),
            order: oracle.order().to_vec(),
            unstable: oracle.unstable().to_vec(),
            n_values: (0..covered.len()).map(|position| oracle.values(position).count()).sum(),
            constants: domains.iter().map(Domain::constant).collect(),
            longest: oracle.longest(),
            print: print(oracle),
            covered,
        };
        (planned, domains)
    }
}

/// A hash of which nodes are observed and all values that they take.
pub fn print(oracle: &impl OracleFacts) -> u64 {
    let mut hash = HASH_START;
    for (position, node) in oracle.nodes().iter().enumerate() {
        hash = hash_bytes(hash, &node.to_le_bytes());
        for value in oracle.values(position) {
            hash = hash_bytes(hash, &value.to_le_bytes());
        }
    }
    hash
}
