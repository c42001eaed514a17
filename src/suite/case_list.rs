//! The cases of a test program, as it was asked for them.

use std::time::Duration;

use super::framework::Framework;
use crate::exec::{Command, ExecError, Outcome};

/// Time for a program to list its cases, which with some frameworks runs them.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// The cases of one test program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CaseList {
    pub(super) framework: Framework,
    /// Number of the way of asking that answered.
    pub(super) way: usize,
    pub(super) names: Vec<String>,
}

/// Runs a program that is asked.
pub(super) fn run(command: &Command) -> Result<Outcome, String> {
    command.run().map_err(|error: ExecError| error.to_string())
}
