//! What has become of a campaign's trials.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Counts, Plan, Schedule, Trial};
use crate::store::TrialKey;

/// What has become of a campaign's trials.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Trials that there are for these tests and nodes.
    pub planned: usize,
    /// Those that had been done before.
    pub done_before: usize,
    /// Those done now.
    pub counts: Counts,
    /// Those not done, by test: for want of time, or because the test could not be used any more.
    pub not_run: BTreeMap<u32, usize>,
    /// Rounds of which every trial is done: so many mutants of every node.
    pub whole_rounds: usize,
    /// Rounds that there are.
    pub n_rounds: usize,
    /// Tests without trials, and why.
    pub refused: BTreeMap<u32, String>,
    /// Tests whose trials each need a process tree of their own, and why.
    pub unforkable: BTreeMap<u32, String>,
    /// Nodes that were mutated.
    pub n_nodes: usize,
    /// Nodes that some test covers and that are not observed there, because their values differ between its runs.
    pub n_unstable: usize,
}

impl Summary {
    /// What of a schedule, whose mutants run on `tests`, is among the trials done, in their order.
    pub fn of(plan: &Plan, schedule: &Schedule, tests: &[u32], done: &[TrialKey]) -> Summary {
        let mut summary = Summary {
            n_rounds: schedule.n_rounds(),
            whole_rounds: schedule.n_rounds(),
            n_nodes: schedule.n_nodes(),
            ..Summary::default()
        };
        let undone = |trial: &Trial| done.binary_search(&trial.key).is_err();
        for test in schedule.tests() {
            let mut missing = 0;
            for round in 0..schedule.n_rounds() {
                let of_round = schedule.trials(test, round..round + 1).filter(undone).count();
                if of_round > 0 {
                    summary.whole_rounds = summary.whole_rounds.min(round);
                    missing += of_round;
                }
            }
            if missing > 0 {
                summary.not_run.insert(test.test, missing);
            }
        }
        let unstable: BTreeSet<u32> = schedule.tests().iter().flat_map(|test| test.unstable.iter().copied()).collect();
        summary.n_unstable = unstable.len();
        for test in plan.tests.iter().filter(|test| tests.contains(&test.test)) {
            summary.refused.extend(test.refused.clone().map(|why| (test.test, why)));
            summary.unforkable.extend(test.unforkable.clone().map(|why| (test.test, why)));
        }
        summary
    }
}
