//! The report: everything that one analysis found out, which is also its JSON form (`docs/report.schema.json`). All formats are made from it.

mod chain;
mod coverage;
mod nights;
mod project;
mod read;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DiffReport, Entry, GraphReport, RankingReport};
pub use chain::{
    Cause, EXPLANATION_SCHEMA_VERSION, Explanation, Made, Origin, Place, Point, Step, lines_named, places_named,
};
pub use coverage::{FunctionCoverage, SourceFile};
pub use nights::NightPoint;
pub use project::{
    Build, FunctionLeft, NotLookedAt, OutputDifference, Recorded, TestInput, TestOutcome, TestResult, UnitLeft,
};
pub use read::{ReadError, read_report};

/// Version of the JSON form; goes up when a field changes its meaning or goes away.
pub const REPORT_SCHEMA_VERSION: u32 = 1;

/// What one run of a project's tests and the analyses of it showed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// Version of this form.
    pub schema_version: u32,
    /// Version of suspect that made it.
    pub suspect_version: String,
    /// The project: the name of its root directory.
    pub project: String,
    /// When the report was made, seconds since 1970.
    pub created: u64,
    /// The run of the tests that it is about.
    pub recorded: Recorded,
    /// What was built.
    pub build: Build,
    /// The tests, in the suite's order.
    pub tests: Vec<TestResult>,
    /// The ranking of lines, its first thousand entries; `null` where there is nothing to rank.
    pub ranking: Option<RankingReport>,
    /// How many lines are ranked in all.
    pub n_ranked: u32,
    /// Why there is no ranking; `null` if there is one.
    pub no_ranking: Option<String>,
    /// What to type to repeat claims and to learn more.
    pub commands: Vec<ReportCommand>,
    /// Where other methods put the first lines.
    pub comparison: Comparison,
    /// How often failing and passing tests took the control-flow edges of the first functions.
    pub profiles: Vec<FunctionProfile>,
    /// What depends on what, and how strongly; `null` unless value mutants have been tried.
    pub model: Option<GraphReport>,
    /// Chains of causes from a difference to a failure.
    #[serde(default)]
    pub explanations: Vec<Explanation>,
    /// What changed since the night before; `null` where none is kept.
    #[serde(default)]
    pub since: Option<DiffReport>,
    /// The nights that are kept, the oldest first, this one last; empty where this run is no night's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nights: Vec<NightPoint>,
    /// What was not looked at.
    pub not_looked_at: NotLookedAt,
    /// The program's files with what tests executed of them; the text of those that have lines among the first.
    pub files: Vec<SourceFile>,
}

/// A command line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReportCommand {
    /// What it is about: a place such as `src/a.c:41`, or `report`.
    pub about: String,
    /// What it does, in words.
    pub what: String,
    /// What to type.
    pub command: String,
}

/// Where methods put lines.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// The methods; the first is the report's own.
    pub methods: Vec<ComparedMethod>,
    /// The first lines of any of these methods, in the report's own order.
    pub lines: Vec<ComparedLine>,
}

/// A method beside others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ComparedMethod {
    /// What `--method` takes.
    pub id: String,
    /// What its authors call it.
    pub name: String,
    /// What it is a kind of.
    pub family: String,
}

/// A line in the rankings of several methods.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComparedLine {
    /// Source file.
    pub file: String,
    /// Line.
    pub line: u32,
    /// For each method the rank, the best and the worst if it ties with others; `null` where it does not rank it.
    pub ranks: Vec<Option<[u32; 2]>>,
}

/// How often tests took the edges of a function's control flow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FunctionProfile {
    /// The function.
    pub function: String,
    /// Source file.
    pub file: String,
    /// Line in which it begins.
    pub line: u32,
    /// Its edges, those that differ most first.
    pub edges: Vec<ProfileEdge>,
    /// Edges left out because there were too many: those that differ least.
    pub left_out: u32,
}

/// A control-flow edge in failing and passing tests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProfileEdge {
    /// Last line of the block that it leaves; 0 where the function is entered.
    pub from: u32,
    /// First line of the block that it enters; 0 where the function is left.
    pub to: u32,
    /// When it is taken, in words: `entered`, `true`, `false`, `case 3`, `returns`.
    pub kind: String,
    /// How often a failing test took it, on average.
    pub failing: f64,
    /// How often a passing test took it, on average.
    pub passing: f64,
}

impl Report {
    /// The first `n` entries of the ranking.
    pub fn top(&self, n: usize) -> &[Entry] {
        let entries = self.ranking.as_ref().map_or(&[][..], |ranking| &ranking.ranking);
        &entries[..n.min(entries.len())]
    }

    /// The text of a file, if the report has it.
    pub fn source(&self, file: &str) -> Option<&str> {
        self.files.iter().find(|source| source.path == file)?.text.as_deref()
    }

    /// A line's text without its line end, if the report has it.
    pub fn line_text(&self, file: &str, line: u32) -> Option<&str> {
        self.source(file)?.lines().nth((line as usize).checked_sub(1)?)
    }

    /// How many tests ended so.
    pub fn n_tests(&self, outcome: TestOutcome) -> usize {
        self.tests.iter().filter(|test| test.outcome == outcome).count()
    }
}
