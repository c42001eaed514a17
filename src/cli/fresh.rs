//! What is shown is of the sources as they are: programs are built, and tests run, again where they are not.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use suspect_format::abi::Mode;

use super::build::build_if_stale;
use super::exit::{Exit, Failure};
use super::progress::StatusLine;
use super::streams::say;
use crate::store::Store;
use crate::suite_run::{HowTested, Session, record_suite};

/// The latest run, of the sources and tests as they are: builds and tests again where they changed, or fails where that is not allowed.
///
/// # Errors
/// When there is no run, or the build or the tests fail to run.
pub fn fresh_run(root: &Path, may_build: bool, out: &mut impl Write) -> Result<Session, Failure> {
    let session = Session::latest(root)?;
    build_if_stale(root, may_build, out)?;
    // A suite that cannot be loaded any more is told of by what needs it.
    if !session.is_outdated().unwrap_or(false) {
        return Ok(session);
    }
    if !may_build {
        let message = "the program or the suite changed since the tests were recorded: type `suspect test`";
        return Err(Failure::new(Exit::OtherBuild, message));
    }
    say!("suspect: the program or the suite changed since the tests were recorded: testing again");
    let mode = Mode::from_name(&session.run.manifest.mode).unwrap_or(Mode::Values);
    let how = HowTested { mode, jobs: None, repeat: None, until: None, apart: Duration::ZERO };
    let recorded = record_suite(&Store::new(root), &how, &StatusLine::new())?;
    let of = |wanted: bool| recorded.manifest.tests.iter().filter(|test| test.passed == Some(wanted)).count();
    say!("suspect: {} passing, {} failing", of(true), of(false));
    Ok(Session::latest(root)?)
}
