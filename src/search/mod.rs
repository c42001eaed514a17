//! The search: which changes of a failing program are tried on which of its tests, as long as they can still change the ranking.
//!
//! Rounds are chosen from what all earlier ones showed and end together, so what is tried next depends on outcomes alone: not on jobs, time or
//! interruptions. Outcomes are stored as trials end; going on after an interruption is looking up. Failing tests come first, passing ones only
//! where a change turned a failing test or decides among the first lines.
//!
//! ```text
//! tests ──> Facts (values) ──> candidates ──> Policy::next ──(Lab)──> store ──> Trials ──> posterior ──┐
//!                                                  └──────────────────────────────────────────────────┘
//! ```

mod candidates;
mod earlier;
mod facts;
mod known;
mod lead;
mod policy;
mod run;
mod tests_chosen;
#[cfg(test)]
mod tests;

pub use earlier::{EarlierRun, Unchanged};
pub use facts::Facts;
pub use known::effect_of;
pub use run::{SHARE_OF_PASSING, SHARE_OF_VALUES, Search, SearchSettings, SearchWatch, Searched};
pub use tests_chosen::SearchTest;
