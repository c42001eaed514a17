//! What is known of a mutant from what the store has.

use std::collections::BTreeMap;

use suspect_format::trace::hash_bytes;

use crate::store::{KillKey, KillOutcome, Kills};
use crate::trial::End;

/// A mutant, as far as running it goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoveredMutant {
    /// Its identity.
    pub id: u64,
    /// A hash of the code that its results depend on.
    pub state: u64,
    /// The tests that execute it, as positions in the campaign's list, those first that are tried first.
    pub tests: Vec<u32>,
    /// Once one of so many of the first of them kills it, all that is asked is known, and it is not run on others.
    pub decisive: usize,
}

/// A test that mutants run on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeTest {
    /// Index in the run's manifest.
    pub test: u32,
    /// Its identity.
    pub id: u64,
    /// A hash of what its results depend on besides the program: its command, its input, what it expects.
    pub state: u64,
    /// Edges that it takes.
    pub cost: u64,
}

impl CoveredMutant {
    /// What its result on a test is stored under.
    pub fn key(&self, test: &CodeTest) -> KillKey {
        KillKey { mutant: self.id, test: test.id, state: hash_bytes(self.state, &test.state.to_le_bytes()) }
    }
}

/// What the tests that execute a mutant do to it; tests are positions in the campaign's list, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// All of them.
    pub covered_by: Vec<u32>,
    /// Those that fail.
    pub killed_by: Vec<u32>,
    /// Of these, those that were ended for running too long.
    pub too_long_in: Vec<u32>,
    /// Those in which it changes no value.
    pub same_in: Vec<u32>,
    /// Those that the clock stopped.
    pub unknown_in: Vec<u32>,
    /// Those that were not run.
    pub not_run_in: Vec<u32>,
    /// When the oldest of the results was found out that another build gave, if there are any, seconds since 1970.
    pub carried_over: Option<u64>,
}

impl Verdict {
    fn of(mutant: &CoveredMutant, tests: &[CodeTest], kills: &Kills, build: u64) -> Verdict {
        let mut verdict = Verdict { covered_by: mutant.tests.clone(), ..Verdict::default() };
        verdict.covered_by.sort_unstable();
        for &test in &verdict.covered_by {
            let Some(record) = kills.get(&mutant.key(&tests[test as usize])) else {
                verdict.not_run_in.push(test);
                continue;
            };
            match record.outcome {
                KillOutcome::Killed => verdict.killed_by.push(test),
                KillOutcome::Passed => {}
                KillOutcome::Same => verdict.same_in.push(test),
                KillOutcome::Unknown => verdict.unknown_in.push(test),
            }
            if record.outcome == KillOutcome::Killed && record.end == End::Cut {
                verdict.too_long_in.push(test);
            }
            if record.build != build {
                verdict.carried_over = Some(verdict.carried_over.map_or(record.at, |at| at.min(record.at)));
            }
        }
        verdict
    }

    /// Takes out what is not known because of tests that cannot be used, unless no other test executes the mutant.
    fn without(mut self, refused: &BTreeMap<u32, String>) -> Verdict {
        let refused: Vec<u32> = self.not_run_in.iter().copied().filter(|test| refused.contains_key(test)).collect();
        if refused.len() < self.covered_by.len() {
            self.covered_by.retain(|test| !refused.contains(test));
            self.not_run_in.retain(|test| !refused.contains(test));
        }
        self
    }
}

/// What is known of each mutant in this build. `refused` are the tests, by position, that cannot be used.
pub fn verdicts(
    mutants: &[CoveredMutant],
    tests: &[CodeTest],
    kills: &Kills,
    build: u64,
    refused: &BTreeMap<u32, String>,
) -> Vec<Verdict> {
    mutants.iter().map(|mutant| Verdict::of(mutant, tests, kills, build).without(refused)).collect()
}
