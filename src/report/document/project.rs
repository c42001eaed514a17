//! What a report says of the project: build, run, tests, and what was not looked at.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::suite::Mismatch;

/// The run of the tests that a report is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Recorded {
    /// Identity of the run: of the build, the tests and their verdicts, 16 hexadecimal digits.
    pub identity: String,
    /// When it began, seconds since 1970.
    pub began: u64,
    /// What was recorded: `edges`, `values` or `trace`.
    pub mode: String,
}

/// What was built.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Build {
    /// Identity of the code that ran, 16 hexadecimal digits: another for other code.
    pub identity: String,
    /// Translation units with hooks.
    pub units: u32,
    /// Their functions.
    pub functions: u32,
    /// Their lines that carry code.
    pub lines: u32,
    /// Their nodes: program elements whose values are logged.
    pub nodes: u32,
    /// The build command, if it is known.
    pub command: Option<String>,
    /// The compiler's version, if it is known.
    pub compiler: Option<String>,
    /// The versions of each function in the build, joined by commas, if they are known.
    pub modes: Option<String>,
}

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TestOutcome {
    /// It passed each time.
    Passed,
    /// It failed each time.
    Failed,
    /// It does not count: flaky, skipped, or without a trace.
    Excluded,
}

/// A test and how it went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestResult {
    /// Its name.
    pub name: String,
    /// Its command, as a shell would take it.
    pub command: String,
    /// How it ended.
    pub outcome: TestOutcome,
    /// The verdict in words, with its reason.
    pub verdict: String,
    /// Wall time of its first run, milliseconds.
    pub milliseconds: u64,
    /// Processes that left a trace.
    pub processes: u32,
    /// Where its output is wrong first, if it fails for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<OutputDifference>,
    /// The data files that its command names, if it fails: of the first twenty failing tests, four each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<TestInput>,
}

/// The first wrong line of an output, around its first wrong character.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OutputDifference {
    /// Its number, from 1.
    pub line: usize,
    /// The line as it should be; `null` where the output should have ended, or only a line break is wrong.
    pub expected: Option<String>,
    /// The line as it is; `null` where the output had ended, or only a line break is wrong.
    pub written: Option<String>,
}

impl OutputDifference {
    /// Of a mismatch.
    pub fn of(mismatch: &Mismatch) -> OutputDifference {
        let (expected, written) = match mismatch {
            Mismatch::Line { written, expected, .. } => (Some(expected.clone()), Some(written.clone())),
            Mismatch::Ends { expected, .. } => (Some(expected.clone()), None),
            Mismatch::GoesOn { written, .. } => (None, Some(written.clone())),
            Mismatch::Break { .. } => (None, None),
        };
        OutputDifference { line: mismatch.line(), expected, written }
    }
}

/// A data file that a test's command names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestInput {
    /// Its path, as far as possible relative to the directory that the command runs in.
    pub path: String,
    /// Its first 2048 bytes, as text.
    pub text: String,
    /// Whether that is all of it.
    pub is_whole: bool,
}

/// What was not looked at, and so cannot be cleared of anything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotLookedAt {
    /// Functions that were left as they are.
    pub functions: Vec<FunctionLeft>,
    /// Objects and programs that are not instrumented.
    pub units: Vec<UnitLeft>,
    /// Functions that no test executed, as `file:line name()`, the first hundred.
    pub uncovered: Vec<String>,
    /// How many these are in all.
    pub n_uncovered: u32,
    /// Lines that carry code and that no test executed.
    pub uncovered_lines: u32,
    /// Tests that do not count, by name, with the reason.
    pub tests: Vec<String>,
    /// What else: one statement each.
    pub statements: Vec<String>,
}

/// A function that was left as it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct FunctionLeft {
    /// Its name.
    pub name: String,
    /// Source file.
    pub file: String,
    /// Line in which it begins.
    pub line: u32,
    /// Why.
    pub reason: String,
}

/// An object or program that is not instrumented.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct UnitLeft {
    /// Its path.
    pub path: String,
    /// Why.
    pub reason: String,
}
