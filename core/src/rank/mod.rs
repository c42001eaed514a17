//! From scores to an order: ranked units, ties, and measures of how good a ranking is.
//!
//! Pure: no IO, no clock, no printing.

mod adequate;
mod apply;
pub mod compare;
mod method;
mod metric;
mod ranking;
mod tried;
mod unit;

pub use adequate::{PoolTest, adequate_suite};
pub use apply::{Interventions, MissingEvidence, Note, Observed, Ranked, apply};
pub use method::{Algorithm, Method, Need, UnknownMethod, find_method, methods};
pub use metric::{Located, NScores, t_score};
pub use ranking::{Ranking, Standing, TieBreak};
pub use unit::{Granularity, RankedUnit, Units};

#[cfg(test)]
mod tests;
