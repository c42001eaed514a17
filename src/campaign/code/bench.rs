//! The lab in which real tests run with code mutants.

use std::ops::ControlFlow;

use super::{MutantLab, Shown};
use crate::campaign::{CampaignError, OracleFacts, Prepare, Refusal, Workbench};
use crate::store::KillOutcome;
use crate::trial::{self, End, FirstRun, Mutant, Observation, TestTrials, Worker};

/// Runs a suite's tests, all of which pass, with these mutants.
pub struct CodeBench<'a> {
    /// The tests and the program.
    pub bench: Workbench<'a>,
    /// What each mutant overrides.
    pub mutants: Vec<Mutant>,
}

impl Prepare for CodeBench<'_> {
    type Worker = Worker;
    type Begun = FirstRun;
    type Ready = TestTrials;

    fn worker(&self) -> Result<Worker, CampaignError> {
        self.bench.worker()
    }

    fn begin(&self, worker: &mut Worker, test: u32) -> Result<Result<FirstRun, Refusal>, CampaignError> {
        self.bench.begin(worker, test)
    }

    fn ready(&self, worker: &mut Worker, begun: FirstRun) -> Result<Result<TestTrials, Refusal>, CampaignError> {
        self.bench.ready(worker, begun)
    }
}

impl MutantLab for CodeBench<'_> {
    fn n_values(&self, ready: &TestTrials) -> usize {
        (0..ready.nodes().len()).map(|position| ready.values(position).count()).sum()
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
    let end = seen.end;
    let outcome = match (seen.end, seen.applied, seen.passes) {
        (End::Unknown, ..) => KillOutcome::Unknown,
        (_, false, _) => KillOutcome::Same,
        (_, _, Some(true)) => KillOutcome::Passed,
        (_, _, Some(false)) => KillOutcome::Killed,
        (_, _, None) => KillOutcome::Unknown,
    };
    Shown { outcome, end }
}
