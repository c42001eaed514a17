//! What the user reads: views of results, and their writers.
//!
//! A view holds everything that any of its writers shows, so `--format json` says neither more nor less than the text.

mod ranking;
mod text;

pub use ranking::{Entry, Evidence, RankingReport, SCHEMA_VERSION, TestCounts};
pub use text::write_ranking;
