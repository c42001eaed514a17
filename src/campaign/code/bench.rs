//! The lab in which real tests run with code mutants.

use std::ops::ControlFlow;

use super::{MutantLab, Shown};
use crate::campaign::{CampaignError, Lab, OracleFacts, Workbench};
use crate::store::{KillOutcome, TrialEnd};
use crate::trial::{self, End, Mutant, Observation, TestTrials, Worker};

/// Runs a suite's tests, all of which pass, with these mutants.
pub struct CodeBench<'a> {
    /// The tests and the program.
    pub bench: Workbench<'a>,
    /// What each mutant overrides.
    pub mutants: Vec<Mutant>,
}

impl MutantLab for CodeBench<'_> {
    type Worker = Worker;
    type Ready = TestTrials;

    fn worker(&self) -> Result<Worker, CampaignError> {
        self.bench.worker()
    }

    fn ready(&self, worker: &mut Worker, test: u32) -> Result<Result<(TestTrials, usize), String>, CampaignError> {
        let with_size = |ready: TestTrials| {
            let n_values = (0..ready.nodes().len()).map(|position| ready.values(position).count()).sum();
            (ready, n_values)
        };
        Ok(self.bench.prepare(worker, test)?.map(with_size))
    }

    fn run(
        &self,
        worker: &mut Worker,
        ready: &TestTrials,
        mutants: &[u32],
        shown: &mut dyn FnMut(usize, Shown) -> ControlFlow<()>,
    ) -> Result<(), CampaignError> {
        let budget = trial::budget(ready.longest(), true);
        let chosen: Vec<Mutant> = mutants.iter().map(|position| self.mutants[*position as usize].clone()).collect();
        let mut observed = |index: usize, seen: Observation| shown(index, what(&seen));
        Ok(ready.run(worker, &chosen, self.bench.executors, budget, &mut observed)?)
    }
}

/// What a trial of a test that passes shows.
fn what(seen: &Observation) -> Shown {
    let end = TrialEnd::from(seen.end);
    let outcome = match (seen.end, seen.applied, seen.passes) {
        (End::Unknown, ..) => KillOutcome::Unknown,
        (_, false, _) => KillOutcome::Same,
        (_, _, Some(true)) => KillOutcome::Passed,
        (_, _, Some(false)) => KillOutcome::Killed,
        (_, _, None) => KillOutcome::Unknown,
    };
    Shown { outcome, end }
}
