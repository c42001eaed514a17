//! Evidence: what changes of a failing program, tried on its tests, tell about each line.
//!
//! A [`Candidate`] is one change that is tried: of a value, a condition, an operation, a call. A trial of it on a failing test may *flip* the
//! test: it passes then. A candidate that flips all failing tests and breaks no passing one is a *repair*. [`Trials`] holds what trials
//! came to, complete or not.
//!
//! Pure: no IO, no clock, no printing.

mod candidate;
mod cluster;
mod confidence;
mod constant;
mod criterion;
mod disjunct;
mod feature;
mod line_facts;
mod make;
mod missing_label;
mod phrase;
mod portrait;
mod posterior;
mod reason;
mod strings;
mod tally;
mod trials;
mod weights;

pub use candidate::{Candidate, Kind};
pub use cluster::{clusters, failing_groups};
pub use confidence::{Advice, Confidence, Lack};
pub use criterion::{Criterion, Scores};
pub use disjunct::{lacking_value_candidates, nodes_compared};
pub use feature::{Features, N_FEATURES, NAMES};
pub use line_facts::{Holds, LineFacts, Warned};
pub use make::{
    Taken, code_candidates, label_candidates, line_at, node_candidates, nodes_of_source, pieces_of, switch_candidate,
};
pub use missing_label::missing_label_candidates;
pub use phrase::{Phrase, ordinal};
pub use portrait::Portrait;
pub use posterior::{Posterior, probabilities};
pub use reason::{Reason, Reasons};
pub use strings::Strings;
pub use tally::{Side, Tallies, Tally};
pub use trials::{Effect, Outcome, Trials, TriedTest};
pub use weights::{ELSEWHERE, WEIGHTS};

#[cfg(test)]
mod tests;
