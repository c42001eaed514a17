//! From scores to an order: ranked units, ties, and measures of how good a ranking is.
//!
//! Pure: no IO, no clock, no printing.

mod metric;
mod ranking;
mod unit;

pub use metric::{NScores, Located, t_score};
pub use ranking::{Ranking, Standing, TieBreak};
pub use unit::{Granularity, RankedUnit, Units};
