//! Trials: one mutant of one test, run contained and compared with the oracle.
//!
//! A [`Worker`] is a small process that has given up its rights once (Landlock, seccomp, limits) and starts the trials' processes
//! below it; there is one for each job. A [`FirstRun`] and then [`TestTrials`] record what a test does without any mutant (the [`Oracle`]) and find
//! out which [`Executor`] the test allows; [`TestTrials::run`] then runs mutants and tells an [`Observation`] for each.
//!
//! ```text
//! campaign ── TestTrials::run ──> Worker ═pipe═> worker process ──fork+exec──> the test, Role::Single      (Executor::Exec)
//!                  │                                   └───────fork+exec──> the test, Role::Plan ──child─> trial   (Executor::Fork, Lent, InPlace)
//!                  └──────────────── the trial file, mapped by all of them ────────────────┘
//! ```
//!
//! [`TestRuns`] are recorded runs of a test, and patched, guided and switched ones ([`Plan`]), by the same worker.

mod calls;
mod complaint;
mod contain;
mod encode;
mod error;
mod file;
mod filter;
mod first;
mod frame;
mod garbage;
mod idle;
mod job;
mod judge;
mod oracle;
mod plan;
mod prepare;
mod random;
mod reader;
mod runs;
mod serve;
mod setup;
mod spawn;
mod test;
#[cfg(test)]
mod tests;
mod tree;
mod worker;

pub use error::{Reason, TrialError};
pub use first::FirstRun;
pub use garbage::Garbage;
pub use oracle::Oracle;
pub use plan::{Answered, Guide, Place, Plan, Replaced, Turned};
pub use runs::{Patched, Run, TestRuns};
pub use serve::{is_worker, serve};
pub use setup::{Executors, Setup, Watched};
pub use suspect_core::trial::{Change, End, Executor, Mutant, Observation, Override, Site};
pub use test::{Known, Replayed, TestTrials, Written};
pub use worker::Worker;

/// Least number of hooks and ticks that a process of a failing test may execute: a mutant that repairs an early exit runs for longer
/// than the failing run did.
pub const FAILING_BUDGET: u64 = 400_000;

/// Least number of hooks and ticks for a second trial of what was cut on a failing test: some tenths of a second. A check that fails at once may stand
/// in a loop that a mutant lets go on for thousands of rounds.
const PATIENT_BUDGET: u64 = 32_000_000;

const BUDGET_FACTOR: u64 = 4;

/// Hooks and ticks that each process of a trial may execute before it is cut: four times those of the longest process in the
/// oracle's runs of the suite ([`TestTrials::longest`]), and on failing tests at least [`FAILING_BUDGET`].
pub fn budget(longest: u64, failing: bool) -> u64 {
    longest.saturating_mul(BUDGET_FACTOR).max(if failing { FAILING_BUDGET } else { 1 })
}

/// The same for a second trial on a failing test on which the first one was cut, where a process of a right run takes `enough`.
fn patient_budget(longest: u64, enough: u64) -> u64 {
    budget(longest, true).max(PATIENT_BUDGET).max(enough)
}
