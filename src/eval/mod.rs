//! Evaluating methods on faulty versions whose faulty lines are known: the layout of a benchmark, the tree of each version,
//! where its fault is in a program, running and ranking it, the file of its results, and the report over all of them.
//!
//! The layout of a benchmark is described in `docs/eval.md`.

mod bench;
mod benchmark;
mod curves;
mod error;
mod fault;
mod mine;
mod plot;
mod report;
mod result;
mod run;
mod seed;
mod seeded;
mod selection;
mod summary;
mod text;
mod tree;

pub use benchmark::{Benchmark, EvalProgram, EvalVersion, FILE};
pub use curves::{Axis, Curve, draw_curves};
pub use error::EvalError;
pub use fault::{Fault, FaultKind, FaultyLine, lines_of_nodes};
pub use mine::{MINED_FILE, MineRequest, MineWatch, Mined, mine};
pub use plot::{MOST_CURVES, plot};
pub use report::{
    EvalReport, Excluded, ProgramReport, REPORT_VERSION, ReportOptions, SuitePosition, VersionReport, default_against,
};
pub use result::{
    Assessed, ByValues, Evaluated, Recorded, Reference, ReferenceRun, RunTimes, SuiteResult, VersionOutcome,
    VersionResult, read, write,
};
pub use run::{
    EvalRequest, Evaluation, SuiteDraw, ValueChoice, evaluate, record_correct, record_correct_build, record_version,
    recording_key,
};
pub use seed::{SeedRequest, SeedWatch, seed};
pub use seeded::{SeededBenchmark, SeededProgram, SeededVersion, copy_files};
pub use selection::Selection;
pub use summary::{AccAt, Bounds, CONFIDENCE, Comparison, Intervals, MethodSummary, NScoreRow, Summary, Wasted};
pub use text::write_report;
pub use tree::{Fingerprint, make_tree};

/// Methods that papers compare: what `--methods classic` means.
pub const CLASSIC: [&str; 16] = [
    "ochiai",
    "tarantula",
    "jaccard",
    "dstar2",
    "naish2",
    "sbi",
    "wong2",
    "cln",
    "clu",
    "pf",
    "blockrank",
    "cp",
    "cbi",
    "sober",
    "des_cbi",
    "des_sober",
];

#[cfg(test)]
mod tests {
    #[test]
    fn classic_methods_are_in_the_catalogue() {
        for id in super::CLASSIC {
            assert_eq!(crate::rank::find_method(id).map(|method| method.id), Ok(id));
        }
    }
}
