//! Starting processes: one command run once, contained, measured, and everything it leaves behind killed.
//!
//! Each command gets a *supervisor*: a fork of this process that never executes anything, is the subreaper of all that the
//! command starts, and does nothing but wait and kill. It ends the whole tree when the command's first process ends,
//! when it is told to (time is up), and when this process dies for whatever reason (Ctrl-C, SIGKILL): its control pipe
//! then reads end-of-file. A daemon cannot leave the tree by `setsid` or by forking twice, nothing is ever killed by name,
//! and tests that run at the same time cannot be mistaken for one another.
//!
//! What is not contained: a program that kills processes it may signal (`kill(-1, ...)`) or writes outside its directory.

mod capture;
mod command;
mod environment;
pub mod git;
pub mod interrupt;
pub mod kept;
mod machine;
pub mod named;
mod outcome;
mod scratch;
pub mod stand_in;
mod supervisor;
pub mod turns;

pub use command::{Command, LARGE_STACK, Limits, Stdin, duration_text};
pub use environment::Environment;
pub use machine::memory;
pub use outcome::{Outcome, Output, Status};
pub use scratch::{
    Scratch, ScratchRoot, copy_into, copy_tree, free_bytes, is_copied, is_memory, is_small, remove_tree,
};
pub(crate) use supervisor::signal_children;

use std::path::PathBuf;
use std::sync::RwLock;

/// Held for reading while a file that may be a program is open for writing, for writing while a process is started: a
/// fork has the descriptors of all threads until it executes something, and nobody can execute the file as long.
static WRITING_PROGRAMS: RwLock<()> = RwLock::new(());

/// Why a command could not be run at all. What the command itself does wrong is in [`Outcome`].
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// Nothing to run.
    #[error("empty command")]
    Empty,
    /// The program could not be started.
    #[error("cannot run `{program}` in {cwd}: {source}", cwd = cwd.display())]
    Start {
        /// First word of the command.
        program: String,
        /// Directory it was to run in.
        cwd: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The system refused a pipe, a wait or another service for `program`.
    #[error("cannot {what} for `{program}`: {source}")]
    System {
        /// First word of the command.
        program: String,
        /// What was attempted.
        what: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
    /// Something killed the process that watches over the command.
    #[error("the process watching `{program}` was killed: does the command kill every process it can?")]
    Lost {
        /// First word of the command.
        program: String,
    },
    /// A scratch directory could not be made or filled.
    #[error("cannot {what} {path}: {source}", path = path.display())]
    Scratch {
        /// What was attempted.
        what: &'static str,
        /// File or directory.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}
