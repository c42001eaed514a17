//! What a campaign of code mutants needs of whoever runs tests.

use std::ops::ControlFlow;

use crate::campaign::{CampaignError, Prepare};
use crate::store::KillOutcome;
use crate::trial::End;

/// What a test did to a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// What came out.
    pub outcome: KillOutcome,
    /// How the program ended.
    pub end: End,
}

/// Runs tests with code mutants, which it knows by their positions in the campaign's list.
pub trait MutantLab: Prepare {
    /// How many values are held for a test that is ready.
    fn n_values(&self, ready: &Self::Ready) -> usize;

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
