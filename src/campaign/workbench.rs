//! The lab in which real tests run.

use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::pool::locked;
use super::{Begun, CampaignError, Lab, OracleFacts, Prepare, Refusal};
use crate::program::Program;
use crate::suite::{Suite, Verdict};
use crate::trial::{
    Executor, Executors, FirstRun, Garbage, Known, Mutant, Observation, Setup, TestTrials, TrialError, Watched, Worker,
};

/// Runs a suite's tests.
pub struct Workbench<'a> {
    /// The tests.
    pub suite: &'a Suite,
    /// The program that they run.
    pub program: &'a Program,
    /// How trials are run.
    pub setup: Setup,
    /// By whom.
    pub executors: Executors,
    /// What trials are about.
    pub watched: Watched,
    /// What was recorded of each test that counts, by its index.
    pub known: HashMap<u32, Known>,
    /// When work on passing tests ends that trials wait for, where it ends before that on the others.
    pub until_passing: Option<Instant>,
    /// Filled when workers start: what the kernel cannot contain, as sentences.
    pub uncontained: Mutex<BTreeSet<String>>,
}

impl Workbench<'_> {
    /// When getting a test with this verdict ready ends.
    fn until(&self, verdict: Verdict) -> Option<Instant> {
        self.until_passing.filter(|_| verdict == Verdict::Pass).or(self.setup.until)
    }
}

impl OracleFacts for TestTrials {
    fn nodes(&self) -> &[u32] {
        self.oracle().nodes()
    }

    fn order(&self) -> &[u32] {
        self.oracle().order()
    }

    fn unstable(&self) -> &[u32] {
        self.oracle().unstable()
    }

    fn values(&self, position: usize) -> impl Iterator<Item = u64> {
        let oracle = self.oracle();
        (0..oracle.n_processes()).flat_map(move |process| oracle.values(process, position).iter().copied())
    }

    fn longest(&self) -> u64 {
        TestTrials::longest(self)
    }

    fn patience(&self) -> u64 {
        TestTrials::patience(self)
    }

    fn matched(&self) -> Option<u64> {
        TestTrials::matched(self)
    }

    fn garbage(&self) -> Option<Garbage> {
        TestTrials::garbage(self)
    }

    fn unforkable(&self) -> Option<String> {
        match self.executor() {
            (Executor::Exec, Some(reason)) => Some(reason.to_string()),
            _ => None,
        }
    }
}

impl Begun for FirstRun {
    fn wait(&self) -> Duration {
        FirstRun::wait(self)
    }

    fn n_values(&self) -> usize {
        FirstRun::n_values(self)
    }
}

/// What was made of a test, or why it cannot be used.
fn usable<T>(test: &str, made: Result<T, TrialError>) -> Result<Result<T, Refusal>, CampaignError> {
    match made {
        Ok(made) => Ok(Ok(made)),
        Err(error) if error.is_of_test() => {
            tracing::debug!(test, %error, "a test gets no trials");
            let is_late = matches!(error, TrialError::Late { .. });
            Ok(Err(Refusal { why: error.to_string(), is_late }))
        }
        Err(error) => Err(error.into()),
    }
}

impl Prepare for Workbench<'_> {
    type Worker = Worker;
    type Begun = FirstRun;
    type Ready = TestTrials;

    fn worker(&self) -> Result<Worker, CampaignError> {
        let worker = Worker::start(&self.setup)?;
        locked(&self.uncontained).extend(worker.missing().iter().cloned());
        Ok(worker)
    }

    fn begin(&self, worker: &mut Worker, test: u32) -> Result<Result<FirstRun, Refusal>, CampaignError> {
        let (Some(test), Some(known)) = (self.suite.tests().get(test as usize), self.known.get(&test)) else {
            return Ok(Err("the suite does not have it any more".into()));
        };
        let _held = self.suite.hold(test);
        worker.work_until(self.until(known.verdict));
        usable(&test.name, FirstRun::record(worker, self.suite, test, *known, self.program, self.watched))
    }

    fn ready(&self, worker: &mut Worker, begun: FirstRun) -> Result<Result<TestTrials, Refusal>, CampaignError> {
        let test = begun.test().clone();
        let _held = self.suite.hold(&test);
        worker.work_until(self.until(begun.verdict()));
        let ready = usable(&test.name, begun.ready(worker, self.suite, self.program))?;
        if let Ok(trials) = &ready {
            let (executor, reason) = trials.executor();
            let reason = reason.map(|reason| reason.to_string());
            tracing::debug!(
                test = test.name,
                ?executor,
                reason,
                copied = trials.is_copied(),
                "a test is ready for trials"
            );
        }
        Ok(ready)
    }
}

impl Lab for Workbench<'_> {
    fn run(
        &self,
        worker: &mut Worker,
        ready: &TestTrials,
        mutants: &[Mutant],
        budget: u64,
        observed: &mut dyn FnMut(usize, Observation) -> ControlFlow<()>,
    ) -> Result<(), CampaignError> {
        let _held = self.suite.hold(ready.test());
        worker.work_until(self.setup.until);
        Ok(ready.run(worker, mutants, self.executors, budget, observed)?)
    }
}
