//! What the tests do without any change, as far as candidates need it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::SearchTest;
use crate::campaign::pool::{each, locked};
use crate::campaign::{CampaignError, Lab, OracleFacts};
use crate::mutant::{Domain, Form};
use crate::program::Program;
use std::sync::Mutex;

/// Failing tests, and as many passing ones, whose values are looked at.
pub const MOST_VALUED: usize = 4;

/// The values that nodes take.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// The tests that they are of.
    pub tests: Vec<u32>,
    /// In failing tests, by node.
    pub failing: BTreeMap<u32, Domain>,
    /// In passing tests, by node.
    pub passing: BTreeMap<u32, Domain>,
    /// For each failing test, by its index in the run's manifest: how often each condition is executed in it.
    pub executions: BTreeMap<u32, BTreeMap<u32, u64>>,
    /// For each failing test: bytes of the expected output before the first wrong one.
    pub matched: BTreeMap<u32, u64>,
}

impl Facts {
    /// The tests that facts are wanted of.
    pub fn wanted(tests: &[&SearchTest]) -> Vec<u32> {
        let of = |failed: bool| tests.iter().filter(move |test| test.failed == failed).take(MOST_VALUED);
        of(true).chain(of(false)).map(|test| test.test).collect()
    }

    /// Runs the tests for which there is time and looks at their values; a test that cannot be looked at is passed over.
    pub fn gather<L: Lab>(
        lab: &L,
        workers: &mut [L::Worker],
        program: &Program,
        tests: &[&SearchTest],
        has_time: impl Fn(u32) -> bool + Sync,
    ) -> Result<Facts, CampaignError> {
        let wanted = Facts::wanted(tests);
        let seen: Mutex<BTreeMap<u32, L::Ready>> = Mutex::default();
        each(workers, &wanted, |worker, test| -> Result<(), CampaignError> {
            if has_time(*test)
                && let Ok(ready) = lab.ready(worker, *test)?
            {
                locked(&seen).insert(*test, ready);
            }
            Ok(())
        })?;
        let seen = std::mem::take(&mut *locked(&seen));
        let mut facts = Facts { tests: wanted, ..Facts::default() };
        for (test, ready) in &seen {
            let failed = tests.iter().any(|one| one.test == *test && one.failed);
            facts.add(program, *test, failed, ready);
        }
        Ok(facts)
    }

    /// The values of one test.
    fn add(&mut self, program: &Program, test: u32, failed: bool, oracle: &impl OracleFacts) {
        self.matched.extend(oracle.matched().filter(|_| failed).map(|matched| (test, matched)));
        let domains = if failed { &mut self.failing } else { &mut self.passing };
        for (position, node) in oracle.nodes().iter().enumerate() {
            let form = Form::of(&program.nodes[*node as usize]);
            let mut domain = Domain::default();
            let mut count = 0;
            for value in oracle.values(position) {
                domain.add(form, value);
                count += 1;
            }
            domains.entry(*node).or_default().merge(&domain);
            if failed && form == Form::Truth && count > 0 {
                self.executions.entry(test).or_default().insert(*node, count);
            }
        }
    }
}
