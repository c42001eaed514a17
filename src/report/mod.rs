//! What the user reads: views of results, and their writers.
//!
//! A view holds everything that any of its writers shows, so `--format json` says neither more nor less than the text.

mod brief;
#[cfg(test)]
mod brief_tests;
mod brief_text;
mod chain_dot;
mod claim;
mod code_quality;
mod detail;
mod diff;
mod diff_text;
mod document;
mod document_sarif;
#[cfg(test)]
mod document_tests;
mod document_text;
mod explanation_brief;
mod explanation_sarif;
mod explanation_text;
mod fingerprint;
mod graph;
#[cfg(test)]
mod graph_tests;
mod graph_text;
mod html;
mod inserted;
mod junit;
mod lcov;
mod markdown;
mod mutants;
#[cfg(test)]
mod mutants_tests;
mod mutants_text;
mod ranking;
mod reasons_text;
mod sarif;
mod score;
mod shell;
mod slice;
mod stryker;
mod table;
mod tabs;
mod text;
#[cfg(test)]
mod text_tests;
mod why;
#[cfg(test)]
mod why_tests;
mod why_text;
mod words;

pub use brief::{
    BRIEF_SCHEMA_VERSION, BriefPlace, BriefReport, BriefSources, ELSEWHERE, Failure, Mend, change_in_short,
};
pub use brief_text::write_brief;
pub use chain_dot::write_chains_dot;
pub use claim::{Claim, ClaimedOutcome, Confidence, Effect, Reason, TrialCounts, Within, change_of, percent};
pub use code_quality::report_code_quality;
pub use detail::Detail;
pub use diff::{ChangedPlace, Commit, DIFF_SCHEMA_VERSION, DiffReport, NightName, RankChange, TestChange};
pub use diff_text::{utc, write_diff};
pub use document::{
    Build, Cause, ComparedLine, ComparedMethod, Comparison, EXPLANATION_SCHEMA_VERSION, Explanation, FunctionCoverage,
    FunctionLeft, FunctionProfile, Made, NightPoint, NotLookedAt, Origin, OutputDifference, Place, Point, ProfileEdge,
    REPORT_SCHEMA_VERSION, ReadError, Recorded, Report, ReportCommand, SourceFile, Step, TestInput, TestOutcome,
    TestResult, UnitLeft, lines_named, places_named, read_report,
};
pub use document_sarif::report_sarif;
pub use document_text::write_report_text;
pub use explanation_brief::{BRIEF_EXPLANATION_SCHEMA_VERSION, BriefExplanation};
pub use explanation_sarif::explanation_sarif;
pub use explanation_text::{quoted, write_explanation};
pub use fingerprint::fingerprint;
pub use graph::{EdgeStrength, GRAPH_SCHEMA_VERSION, GraphEdge, GraphNode, GraphReport, node_kind};
pub use graph_text::{write_graph, write_graph_dot};
pub use html::report_html;
pub use inserted::Inserted;
pub use junit::report_junit;
pub use lcov::report_lcov;
pub use markdown::write_report_markdown;
pub use mutants::{
    MUTANTS_SCHEMA_VERSION, MutantClass, MutantCounts, MutantEdit, MutantEntry, MutantStatus, MutantTest,
    MutantsReport, TestNotUsed,
};
pub use mutants_text::{age, write_mutants};
pub use ranking::{Entry, Evidence, RankingReport, SCHEMA_VERSION, TestCounts, TestGroup};
pub use sarif::sarif;
pub use score::Score;
pub use shell::shell_word;
pub use slice::{SLICE_SCHEMA_VERSION, SliceLine, SliceReport, write_slice};
pub use stryker::stryker;
pub use table::{Cell, Column, TableWriter};
pub use text::write_ranking;
pub use why::{Before, Difference, Feature, Standing, WHY_SCHEMA_VERSION, WhyNot, WhyReport};
pub use why_text::write_why;
pub use words::suspicion;
