//! Why trials cannot be run, or not by forks.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::exec::ExecError;
use crate::suite::SuiteError;
use crate::trace::TraceError;

/// Why trials cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    /// The system refused something.
    #[error("cannot {what} {path}: {source}", path = path.display())]
    Io {
        /// What was attempted.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The worker could not be started, or died again and again.
    #[error("the process that runs trials {problem}")]
    Worker {
        /// What it did, as a fragment.
        problem: String,
    },
    /// The kernel cannot contain trials.
    #[error(
        "mutants cannot be contained here: {missing}; --unsafe runs them all the same, and they may then change or remove your files"
    )]
    Uncontained {
        /// What is missing, in words.
        missing: String,
    },
    /// The test's recording differs from what is known of it.
    #[error("test `{test}` is not reproducible under containment: {why}")]
    NotReproducible {
        /// The test.
        test: String,
        /// What differs.
        why: String,
    },
    /// The time was over before it was known how the test is run.
    #[error("test `{test}` cannot be run with mutants: the time was over before it had been run as often as is needed")]
    Late {
        /// The test.
        test: String,
    },
    /// The kind of test cannot be run as trials.
    #[error("test `{test}` cannot be run with mutants: {why}")]
    Unsupported {
        /// The test.
        test: String,
        /// Why.
        why: String,
    },
    /// The test takes too many values.
    #[error(
        "test `{test}` takes {taken} values in one process, and there is room for {room}; a larger --log-bytes would hold them"
    )]
    TooLong {
        /// The test.
        test: String,
        /// Values taken.
        taken: u64,
        /// Values there is room for.
        room: u64,
    },
    /// No instrumented program ran, or it has no `trace` version.
    #[error("test `{test}` records no values: {why}")]
    NoValues {
        /// The test.
        test: String,
        /// What was found.
        why: String,
    },
    /// The traces are of another build.
    #[error(
        "test `{test}` runs another build than the one analysed: a unit {unit:016x} is unknown; run `suspect test` again"
    )]
    OtherBuild {
        /// The test.
        test: String,
        /// The unit.
        unit: u64,
    },
    /// A trace cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The suite cannot run the test.
    #[error(transparent)]
    Suite(#[from] SuiteError),
    /// A directory could not be made or copied.
    #[error(transparent)]
    Exec(#[from] ExecError),
}

impl TrialError {
    /// Whether it is of one test alone: others may go on.
    pub fn is_of_test(&self) -> bool {
        use TrialError::{Late, NoValues, NotReproducible, OtherBuild, TooLong, Unsupported};
        matches!(
            self,
            Late { .. }
                | Unsupported { .. }
                | NotReproducible { .. }
                | NoValues { .. }
                | TooLong { .. }
                | OtherBuild { .. }
        )
    }

    /// For `map_err`.
    pub(super) fn io(what: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> TrialError {
        let path = path.into();
        move |source| TrialError::Io { what, path, source }
    }
}

/// Why a test's trials each need a process tree of their own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The caller asked for it.
    Asked,
    /// The program makes this system call, which a fork cannot keep apart; 0 when it is not known which.
    Call(u32),
    /// It starts threads.
    Threads,
    /// It has something open that cannot be opened a second time, such as a pipe, or a file for writing.
    Descriptor,
    /// The test runs the program among other processes.
    Processes,
    /// The kernel lacks what forking in place needs.
    Kernel,
    /// The run that was to be forked was not the oracle's: another output, end or trajectory.
    Differs(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Asked => f.write_str("a process for each trial was asked for"),
            Reason::Call(call) => f.write_str(&super::calls::words(*call)),
            Reason::Threads => f.write_str("it starts threads"),
            Reason::Descriptor => f.write_str("it has a pipe, a device or a file for writing open"),
            Reason::Processes => f.write_str("the test runs it among other processes"),
            Reason::Kernel => f.write_str("the kernel refuses filters of system calls"),
            Reason::Differs(what) => write!(f, "its run under the filter of system calls differs: {what}"),
        }
    }
}
