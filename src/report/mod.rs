//! What the user reads: views of results, and their writers.
//!
//! A view holds everything that any of its writers shows, so `--format json` says neither more nor less than the text.

mod claim;
mod graph;
#[cfg(test)]
mod graph_tests;
mod graph_text;
mod mutants;
#[cfg(test)]
mod mutants_tests;
mod mutants_text;
mod ranking;
mod reasons_text;
mod sarif;
mod stryker;
mod text;
#[cfg(test)]
mod text_tests;
mod why;
#[cfg(test)]
mod why_tests;
mod why_text;

pub use claim::{Claim, ClaimedOutcome, Confidence, Effect, Reason, TrialCounts, Within, change_of, percent};
pub use graph::{EdgeStrength, GRAPH_SCHEMA_VERSION, GraphEdge, GraphNode, GraphReport};
pub use graph_text::{write_graph, write_graph_dot};
pub use mutants::{
    MUTANTS_SCHEMA_VERSION, MutantClass, MutantCounts, MutantEdit, MutantEntry, MutantStatus, MutantTest,
    MutantsReport, TestNotUsed,
};
pub use mutants_text::write_mutants;
pub use ranking::{Entry, Evidence, RankingReport, SCHEMA_VERSION, TestCounts};
pub use sarif::sarif;
pub use stryker::stryker;
pub use text::write_ranking;
pub use why::{Before, Difference, Feature, Standing, WHY_SCHEMA_VERSION, WhyNot, WhyReport};
pub use why_text::write_why;
