//! What a campaign needs of whoever runs tests.

use std::ops::ControlFlow;
use std::time::Duration;

use super::CampaignError;
use crate::trial::{Garbage, Mutant, Observation};

/// What is known of a test's run without any mutant.
pub trait OracleFacts {
    /// The nodes that are observed, ascending.
    fn nodes(&self) -> &[u32];
    /// The same nodes in the order of their first values.
    fn order(&self) -> &[u32];
    /// Nodes that the test covers and that are not observed: their values differ between runs.
    fn unstable(&self) -> &[u32];
    /// The values that a node takes, in all processes one after the other; the node by its position among [`OracleFacts::nodes`].
    fn values(&self, position: usize) -> impl Iterator<Item = u64>;
    /// Hooks and ticks of the longest process.
    fn longest(&self) -> u64;
    /// Hooks and ticks of a second trial, where the first one was cut; see [`TestTrials::patience`](crate::trial::TestTrials::patience).
    fn patience(&self) -> u64;
    /// Bytes of the expected output that it writes before the first wrong one, where they are compared.
    fn matched(&self) -> Option<u64>;
    /// What locals begin as, where that is not zero.
    fn garbage(&self) -> Option<Garbage>;
    /// Why the test's trials cannot be forked, if they cannot.
    fn unforkable(&self) -> Option<String>;
}

/// A test that was run once.
pub trait Begun {
    /// How long it takes until it can be run again and tell more.
    fn wait(&self) -> Duration;
    /// Values that are held for it.
    fn n_values(&self) -> usize;
}

/// Why nothing is tried on a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// In words.
    pub why: String,
    /// Whether the time was over: with more time it may be used.
    pub is_late: bool,
}

impl From<&str> for Refusal {
    fn from(why: &str) -> Refusal {
        Refusal { why: why.to_owned(), is_late: false }
    }
}

/// Gets tests ready for trials.
pub trait Prepare: Sync {
    /// What runs one test at a time.
    type Worker: Send;
    /// A test that was run once.
    type Begun: Begun;
    /// A test that is ready for trials.
    type Ready: Send + Sync;

    /// Starts a worker.
    fn worker(&self) -> Result<Self::Worker, CampaignError>;

    /// Runs a test once, by its index in the run's manifest; `Ok(Err(refusal))` when this test cannot be used but others may.
    fn begin(&self, worker: &mut Self::Worker, test: u32) -> Result<Result<Self::Begun, Refusal>, CampaignError>;

    /// Prepares a test that the same worker has begun, when it need not wait any more; `Ok(Err(refusal))` when it cannot be used.
    fn ready(
        &self,
        worker: &mut Self::Worker,
        begun: Self::Begun,
    ) -> Result<Result<Self::Ready, Refusal>, CampaignError>;

    /// Prepares a test that was not begun.
    fn prepare(&self, worker: &mut Self::Worker, test: u32) -> Result<Result<Self::Ready, Refusal>, CampaignError> {
        match self.begin(worker, test)? {
            Ok(begun) => self.ready(worker, begun),
            Err(refusal) => Ok(Err(refusal)),
        }
    }
}

/// Runs tests with and without mutants.
pub trait Lab: Prepare<Ready: OracleFacts> {
    /// Runs mutants, each process with that many hooks and ticks, and tells what each showed, by its index, in any order, each
    /// once unless told to break off.
    fn run(
        &self,
        worker: &mut Self::Worker,
        ready: &Self::Ready,
        mutants: &[Mutant],
        budget: u64,
        observed: &mut dyn FnMut(usize, Observation) -> ControlFlow<()>,
    ) -> Result<(), CampaignError>;
}

/// A test that need not wait.
#[cfg(test)]
pub struct AtOnce(pub u32);

#[cfg(test)]
impl Begun for AtOnce {
    fn wait(&self) -> Duration {
        Duration::ZERO
    }

    fn n_values(&self) -> usize {
        0
    }
}
