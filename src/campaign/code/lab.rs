//! What a campaign of code mutants needs of whoever runs tests.

use std::ops::ControlFlow;

use crate::campaign::CampaignError;
use crate::store::{KillOutcome, TrialEnd};

/// What a test did to a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// What came out.
    pub outcome: KillOutcome,
    /// How the program ended.
    pub end: TrialEnd,
}

/// Runs tests with code mutants, which it knows by their positions in the campaign's list.
pub trait MutantLab: Sync {
    /// What runs one test at a time.
    type Worker: Send;
    /// A test that is ready for trials.
    type Ready: Send + Sync;

    /// Starts a worker.
    fn worker(&self) -> Result<Self::Worker, CampaignError>;

    /// Prepares a test, by its index in the run's manifest, and tells how many values are held for it; `Ok(Err(reason))` when this
    /// test cannot be used but others may.
    fn ready(
        &self,
        worker: &mut Self::Worker,
        test: u32,
    ) -> Result<Result<(Self::Ready, usize), String>, CampaignError>;

    /// Runs mutants and tells what the test did to each, by its position in `mutants`, in any order, each once unless told to break
    /// off.
    fn run(
        &self,
        worker: &mut Self::Worker,
        ready: &Self::Ready,
        mutants: &[u32],
        shown: &mut dyn FnMut(usize, Shown) -> ControlFlow<()>,
    ) -> Result<(), CampaignError>;
}
