//! Why a campaign cannot go on.

use crate::store::StoreError;
use crate::trial::TrialError;

/// Why a campaign cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// The store refuses.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Trials cannot be run at all.
    #[error(transparent)]
    Trial(#[from] TrialError),
    /// No test can be run with mutants.
    #[error("no test can be run with mutants; the first, `{test}`: {why}")]
    NoTest {
        /// The first test.
        test: String,
        /// Why it cannot.
        why: String,
    },
}
