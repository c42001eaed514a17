//! What can be wrong with a suite as a whole. What is wrong with one test is its verdict.

use std::path::PathBuf;

use crate::exec::ExecError;

/// Why a suite cannot be loaded or run.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// There is no suspect.toml here or above.
    #[error("no suspect.toml in {dir} or above it: `suspect init` writes one", dir = dir.display())]
    Missing {
        /// Where the search started.
        dir: PathBuf,
    },
    /// `init` was asked to write where a file is.
    #[error("{path} exists already: remove it to have it written anew", path = path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// A file or directory cannot be read or written.
    #[error("cannot {what} {path}: {source}", path = path.display())]
    Io {
        /// What was attempted.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// suspect.toml says something that has no meaning.
    #[error("{path}:{line}:{column}: {message}", path = path.display())]
    Config {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// What is wrong and what would be right.
        message: String,
    },
    /// A suite has no tests.
    #[error("suite `{suite}` has no tests: {why}")]
    NoTests {
        /// Name of the suite.
        suite: String,
        /// Where they were looked for.
        why: String,
    },
    /// The file that a test's output is to be compared with does not exist.
    #[error(
        "test `{test}` of suite `{suite}` has no expected output: {path} does not exist (`expect` in suspect.toml says \
         where it is)",
        path = path.display()
    )]
    MissingExpected {
        /// Name of the suite.
        suite: String,
        /// Name of the test.
        test: String,
        /// The file.
        path: PathBuf,
    },
    /// A tool that knows the tests is not installed.
    #[error("suite `{suite}` needs `{tool}`, which is not installed or not in PATH")]
    MissingTool {
        /// Name of the suite.
        suite: String,
        /// The tool.
        tool: String,
    },
    /// A tool that knows the tests failed.
    #[error("suite `{suite}`: `{command}` in {dir} failed ({status}){detail}", dir = dir.display())]
    Tool {
        /// Name of the suite.
        suite: String,
        /// The command.
        command: String,
        /// Where it ran.
        dir: PathBuf,
        /// How it ended.
        status: String,
        /// The end of what it wrote, on lines of its own.
        detail: String,
    },
    /// A tool that knows the tests wrote something else than we understand.
    #[error("suite `{suite}`: cannot understand what `{command}` in {dir} wrote: {message}", dir = dir.display())]
    Answer {
        /// Name of the suite.
        suite: String,
        /// The command.
        command: String,
        /// Where it ran.
        dir: PathBuf,
        /// What was not understood.
        message: String,
    },
    /// What was to be run was not, or ended early.
    #[error("{0}")]
    Late(&'static str),
    /// The system refused to run tests.
    #[error(transparent)]
    Exec(#[from] ExecError),
}
