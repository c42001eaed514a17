//! From scores to an order: ranked units, ties, and measures of how good a ranking is.
//!
//! Pure: no IO, no clock, no printing.

mod ranking;

pub use ranking::{Ranking, Standing, TieBreak};
