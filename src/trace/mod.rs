//! Reading what the runtime wrote: trace files of processes, and site tables in objects.
//!
//! A trace is read after its process ended. It may have been cut off at any byte: what is complete is kept, what is
//! missing is told as a warning. Whatever contradicts itself is an error that names the file.

mod directory;
mod dump;
mod file;
mod layout;
mod sites;
#[cfg(test)]
mod tests;

pub use directory::{Traces, read_directory};
pub use dump::{DumpError, dump, dump_dependences, dump_sites};
pub use file::{LogEntry, TraceFile};
pub use layout::{Facts, Layout, LogPart, ModulePart, UnitPart};
pub use sites::{ModuleFile, SitesError, can_ask_for_time, can_execute_under_another_root};
pub use suspect_core::trace::{Ending, Module, Process, Unit, sections, site_sections};

use std::io;
use std::path::PathBuf;

/// Why a trace file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The file cannot be read.
    #[error("cannot read the trace {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The bytes are not what the runtime writes.
    #[error("the trace {} cannot be used: {problem}", path.display())]
    Bad {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: Problem,
    },
}

/// What can be wrong with a trace's bytes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The process was killed before it wrote the header.
    #[error("it is empty, because its process ended while starting up")]
    Unstarted,
    /// Some other file.
    #[error("it does not begin with SUSTRACE; expected a file that an instrumented program wrote")]
    NotATrace,
    /// Written by another release.
    #[error("it has format version {0} and this suspect reads {expected}; build the program again and record it anew",
            expected = suspect_format::FORMAT_VERSION)]
    Version(u32),
    /// Written on a machine of the other endianness or word length.
    #[error("it was written on another kind of machine; analyse it where it was recorded")]
    Machine,
    /// The header is cut off.
    #[error("it ends inside its header, after {0} bytes")]
    Truncated(u64),
    /// Something contradicts itself.
    #[error("it is damaged: {0}; record the test again")]
    Damaged(String),
}
