//! Campaigns of code mutants: which tests each runs on, in which order, and what is known of it in the end.
//!
//! A result belongs to a mutant, a test, and the state of the code and the test that it depends on; it is stored as soon
//! as a trial ends, and looked up again by whoever asks the same: a session that goes on, another shard, a later build. A mutant runs on the
//! tests that execute it, the cheapest first, and every mutant on its first test before any on its second.
//!
//! ```text
//! mutants, tests ──> CodeCampaign::run ──(MutantLab)──> store ──> Verdict of each mutant
//! ```

mod bench;
mod lab;
mod part;
mod run;
#[cfg(test)]
mod tests;
mod verdict;

pub use bench::CodeBench;
pub use lab::{MutantLab, Shown};
pub use run::{CodeCampaign, CodeSettings, CodeSummary, CodeWatch, KillCounts};
pub use verdict::{CodeTest, CoveredMutant, Verdict, verdicts};
