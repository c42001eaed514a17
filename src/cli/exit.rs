//! Exit codes of `suspect`: what a script may rely on. The table in docs/reference.md is tested against this list.

use std::process::ExitCode;

use crate::obstacle::Obstacle;

/// How a verb ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// The verb did what it says.
    Success = 0,
    /// The command line or suspect.toml is wrong; `suspect bisect-step`: a test fails.
    Usage = 1,
    /// `suspect` alone, `suspect run`: tests fail, and the ranking says where; `suspect replay`: a claim does not hold any more.
    Finding = 2,
    /// `suspect run`, `suspect explain`: the budget was spent before everything was done; what was known by then was printed.
    Partial = 3,
    /// There is nothing to rank: the project's own build command failed, or the suite cannot be used (no tests, none fails, none passes,
    /// all are flaky, or some fail where all must pass).
    Baseline = 4,
    /// The program is not instrumented.
    NotInstrumented = 5,
    /// No usable clang, plugin or runtime.
    Compiler = 6,
    /// The store is missing, damaged, or of another version.
    Store = 7,
    /// Sources were changed after the program was built and no build command is known, or a trace belongs to another build.
    OtherBuild = 8,
    /// A file could not be read or written.
    File = 9,
    /// A fault of suspect's own.
    Internal = 70,
    /// `suspect bisect-step`: nothing can be said of this commit.
    Untestable = 125,
    /// `suspect bisect-step` cannot work at all, so `git bisect run` is to stop.
    Abort = 128,
    /// Interrupted; what was known by then was printed.
    Interrupted = 130,
}

impl Exit {
    /// What `git bisect run` takes for a commit that has the fault.
    pub const BAD: Exit = Exit::Usage;

    /// Every code, with its meaning as docs/reference.md gives it.
    pub const ALL: [(Exit, &'static str); 14] = [
        (Exit::Success, "the verb did what it says"),
        (Exit::Usage, "the command line or suspect.toml is wrong; `suspect bisect-step`: a test fails"),
        (
            Exit::Finding,
            "`suspect` alone, `suspect run`: tests fail, and the ranking says where; `suspect replay`: a claim does not hold any more",
        ),
        (
            Exit::Partial,
            "`suspect run`, `suspect explain`: the budget was spent before everything was done; what was known by then was printed",
        ),
        (
            Exit::Baseline,
            "there is nothing to rank: the project's own build command failed, or the suite cannot be used (no tests, none fails, \
             none passes, all are flaky, or some fail where all must pass)",
        ),
        (Exit::NotInstrumented, "the program is not instrumented"),
        (Exit::Compiler, "no usable clang, plugin or runtime"),
        (Exit::Store, "the store is missing, damaged, or of another version"),
        (
            Exit::OtherBuild,
            "sources were changed after the program was built and no build command is known, or a trace belongs to another build",
        ),
        (Exit::File, "a file could not be read or written"),
        (Exit::Internal, "a fault of suspect's own"),
        (
            Exit::Untestable,
            "`suspect bisect-step`: nothing can be said of this commit (it does not build, the test is flaky or not there)",
        ),
        (Exit::Abort, "`suspect bisect-step` cannot work at all, so `git bisect run` stops"),
        (Exit::Interrupted, "interrupted; what was known by then was printed"),
    ];
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// A message for the user and the code to end with.
#[derive(Debug)]
pub struct Failure {
    /// The exit code.
    pub exit: Exit,
    /// What went wrong, with its causes on one line.
    pub message: String,
}

impl Failure {
    /// A failure with this code.
    pub fn new(exit: Exit, message: impl Into<String>) -> Failure {
        Failure { exit, message: message.into() }
    }

    /// Turns an error into a failure with this code.
    pub fn of<E: std::fmt::Display>(exit: Exit) -> impl Fn(E) -> Failure {
        move |error| Failure::new(exit, error.to_string())
    }
}

impl<E: Into<Obstacle>> From<E> for Failure {
    fn from(error: E) -> Failure {
        let obstacle = error.into();
        let exit = match obstacle {
            Obstacle::Request(_) => Exit::Usage,
            Obstacle::Tests(_) => Exit::Baseline,
            Obstacle::NotInstrumented(_) => Exit::NotInstrumented,
            Obstacle::Compiler(_) => Exit::Compiler,
            Obstacle::Store(_) => Exit::Store,
            Obstacle::OtherBuild(_) => Exit::OtherBuild,
            Obstacle::File(_) => Exit::File,
            Obstacle::Time(_) => Exit::Partial,
            Obstacle::Interrupted(_) => Exit::Interrupted,
            Obstacle::Internal(_) => Exit::Internal,
        };
        Failure::new(exit, obstacle.into_message())
    }
}
