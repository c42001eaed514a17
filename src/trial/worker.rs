//! The tool's side of a worker: a process that runs trials, and its scratch directory.

use super::{Setup, TrialError};

/// A worker: one process, contained once, that runs one trial after another. Dropping it ends it and removes its scratch directory.
#[derive(Debug)]
pub struct Worker {
    _setup: Setup,
}

impl Worker {
    /// Starts a worker.
    ///
    /// # Errors
    /// [`TrialError::Uncontained`] where the kernel lacks what is needed and [`Setup::allow_unsafe`] is not set;
    /// [`TrialError::Worker`] and [`TrialError::Exec`] when the system refuses.
    pub fn start(_setup: &Setup) -> Result<Worker, TrialError> {
        unimplemented!()
    }

    /// What the kernel cannot contain, as sentences; empty when everything is contained.
    pub fn missing(&self) -> &[String] {
        unimplemented!()
    }
}

/// What the worker process does: the command line's hidden verb. Returns when the tool has no more work.
pub fn serve() -> std::process::ExitCode {
    unimplemented!()
}
