//! How trials are run.

use std::path::PathBuf;
use std::time::Instant;

/// How trials are run.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The executable of suspect, which is run again as the worker.
    pub executable: PathBuf,
    /// Run trials even where they cannot be contained.
    pub allow_unsafe: bool,
    /// Most bytes of full values of one process of the oracle.
    pub log_bytes: u64,
    /// Most bytes of memory of its own that a process of a trial may have; it gets no more than eight times what the oracle's had, or
    /// 256 MiB if that is more.
    pub memory: u64,
    /// Files and bytes of a working directory that is still copied to find out whether the test writes into it.
    pub copied: (usize, u64),
    /// Hooks and ticks after which each process of a test that does not end is cut, with and without mutants: more than a run that is right needs.
    /// Without, and where nodes are watched, nothing can be tried on such a test.
    pub endless: Option<u64>,
    /// Hooks and ticks that a process of a failing test may execute at least, besides [`super::FAILING_BUDGET`]: what mends an early end takes as much
    /// as a test that passes.
    pub enough: u64,
    /// When workers are ended, in the middle of a run if need be: one trial of a long test may take many times what the test takes. What such a
    /// run would have shown is not told.
    pub until: Option<Instant>,
}

impl Setup {
    /// This executable as the worker, contained; logs of 1 GiB, at most 4 GiB of memory, copies of 512 MiB or 50,000 files.
    ///
    /// # Errors
    /// When the system does not say which executable this is.
    pub fn new() -> std::io::Result<Setup> {
        Ok(Setup::with_executable(std::env::current_exe()?))
    }

    /// As [`Setup::new`], with that executable.
    pub fn with_executable(executable: impl Into<PathBuf>) -> Setup {
        Setup {
            executable: executable.into(),
            allow_unsafe: false,
            log_bytes: 1 << 30,
            memory: 4 << 30,
            copied: (50_000, 512 << 20),
            endless: None,
            enough: 0,
            until: None,
        }
    }
}

/// Which executor is to run a test's trials.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Executors {
    /// The quickest that the test allows.
    #[default]
    Auto,
    /// A process tree for each trial: the reference.
    Exec,
    /// Forks; trials that cannot be forked are run by the reference all the same.
    Fork,
    /// The quickest that the test allows, and the reference after it wherever only that can tell whether the test passes.
    Decided,
}

/// What is watched of a test's trials.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Watched {
    /// The values of all nodes, and the output.
    Nodes,
    /// The output alone: nothing is compared on the way, and functions without overrides run optimised where the build has such versions.
    Output,
}
