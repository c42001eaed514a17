//! The campaign: which value mutants are tried on which tests, in which order, and what has become of each.
//!
//! A trial is one mutant of one node in one test. What it shows depends on the mutant, the test and the campaign's plan
//! alone, and it is stored as soon as it ends; so a campaign can be killed, resumed, and shared out among processes and
//! machines, and comes to the same in the end. Only what a time budget leaves undone depends on time.
//!
//! ```text
//! Lab (tests, workers) ──> Plan (oracles' coverage and values) ──> Schedule (rounds) ──> Campaign::run ──> store
//! ```

mod code;
mod division;
mod error;
mod lab;
mod plan;
pub(crate) mod pool;
mod record;
mod results;
mod run;
pub(crate) mod runner;
mod schedule;
mod selection;
pub(crate) mod shelf;
mod summary;
#[cfg(test)]
mod tests;
mod workbench;

pub use code::{
    CodeBench, CodeCampaign, CodeSettings, CodeSummary, CodeTest, CodeWatch, CoveredMutant, KillCounts, MutantLab,
    Shown, Verdict, verdicts,
};
use division::Division;
pub use error::CampaignError;
#[cfg(test)]
pub(crate) use lab::AtOnce;
pub use lab::{Begun, Lab, OracleFacts, Prepare, Refusal};
pub use plan::{Plan, PlannedTest};
pub use record::Counts;
pub use results::{CampaignManifest, Results, run_identity};
pub use run::{Campaign, KnownTest, Settings, Watch};
pub use schedule::{Schedule, Trial};
pub use selection::{
    Chosen, Coverage, MOST_PASSING, MOST_RECORDED, Selector, TestGroup, choose_tests, recorded_tests, select_nodes,
};
pub use summary::Summary;
pub use workbench::Workbench;
