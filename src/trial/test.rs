//! The trials of one test.

use std::ops::ControlFlow;

use super::{Executor, Executors, Observation, Oracle, Override, Reason, TrialError, Worker};
use crate::program::Program;
use crate::suite::{Suite, Test, Verdict};

/// A test that is ready for trials. It belongs to no worker: several may run its trials at once.
#[derive(Debug)]
pub struct TestTrials {
    _private: (),
}

impl TestTrials {
    /// Records the test twice and tries it with no override, all contained. `recorded` is the verdict that is known of it.
    ///
    /// # Errors
    /// [`TrialError::Unsupported`], [`TrialError::NotReproducible`], [`TrialError::NoValues`], [`TrialError::TooLong`] and
    /// [`TrialError::OtherBuild`] are of this test alone; others may go on. Anything else is of the worker or the system.
    pub fn prepare(
        _worker: &mut Worker,
        _suite: &Suite,
        _test: &Test,
        _recorded: Verdict,
        _program: &Program,
    ) -> Result<TestTrials, TrialError> {
        unimplemented!()
    }

    /// What the test does without any mutant.
    pub fn oracle(&self) -> &Oracle {
        unimplemented!()
    }

    /// Hooks and ticks of the longest process of the test without any mutant; see [`super::budget`].
    pub fn longest(&self) -> u64 {
        unimplemented!()
    }

    /// The quickest executor that the test allows, and why it is not [`Executor::Fork`] if it is not.
    pub fn executor(&self) -> (Executor, Option<&Reason>) {
        unimplemented!()
    }

    /// Runs the overrides and calls `observed` with the index of each and what was seen, in any order, each exactly once unless
    /// it breaks off, which ends the trials under way without a word. `budget`: hooks and ticks for each process, see
    /// [`super::budget`]. Overrides of nodes that [`Oracle::nodes`] does not have are not applied and the run is the oracle's.
    ///
    /// What is seen depends on the override and the budget alone: not on the worker, the executor or the other overrides.
    ///
    /// # Errors
    /// When the worker cannot be kept alive, or the system refuses files. A trial whose own worker died is [`super::End::Unknown`].
    pub fn run(
        &self,
        _worker: &mut Worker,
        _overrides: &[Override],
        _executors: Executors,
        _budget: u64,
        _observed: &mut dyn FnMut(usize, Observation) -> ControlFlow<()>,
    ) -> Result<(), TrialError> {
        unimplemented!()
    }
}
