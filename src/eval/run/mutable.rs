//! Versions of a program, built with all that `suspect build` makes and run: for mutants of the correct one, and explanations of the others.

use std::path::Path;

use super::version::{Options, Place, Stop};
use super::{EvalRequest, in_parallel_jobs};
use crate::eval::{EvalProgram, EvalVersion, Fault};
use crate::obstacle::Obstacle;
use crate::progress::Progress;
use crate::store::Store;
use crate::suite::Suite;
use crate::suite_run::Session;

/// Name of the correct version's tree: no version can be called so.
const CORRECT: &str = "correct~mutants";
/// Name of its tree where it is beside faulty ones that are explained.
const EXPLAINED_CORRECT: &str = "correct~explained";
/// End of the name of a faulty version's tree.
const EXPLAINED: &str = "~explained";

/// Builds a program's correct version below `results` and runs its pool, recording. Tests pass where they do so each time.
///
/// # Errors
/// When it does not build, or no test can be run.
pub fn record_correct(
    program: &EvalProgram,
    results: &Path,
    request: &EvalRequest,
    progress: &dyn Progress,
) -> Result<Session, Obstacle> {
    let (store, suite) = recorded(program, &unchanged(), CORRECT, results, (request, progress))?;
    let run = store.latest_run()?;
    Ok(Session::of(store, run).with_suite(suite))
}

/// Builds a program's correct version below `results` and runs its pool, recording: what runs of faulty versions are compared with. The tree is the
/// caller's to remove.
///
/// # Errors
/// When it does not build, or no test can be run.
pub fn record_correct_build(
    program: &EvalProgram,
    results: &Path,
    request: &EvalRequest,
    progress: &dyn Progress,
) -> Result<(Store, Suite), Obstacle> {
    recorded(program, &unchanged(), EXPLAINED_CORRECT, results, (request, progress))
}

/// The version that nothing is changed in.
fn unchanged() -> EvalVersion {
    EvalVersion {
        name: CORRECT.into(),
        overlay: None,
        patch: None,
        fault: Fault { lines: Vec::new() },
        class: None,
        faults: 0,
        selections: Vec::new(),
    }
}

/// Builds a faulty version below `results` and runs its pool, recording; its store, and the suite that expects what the correct version does. The tree is
/// the caller's to remove.
///
/// # Errors
/// When it does not build, or no test can be run.
pub fn record_version(
    program: &EvalProgram,
    version: &EvalVersion,
    results: &Path,
    request: &EvalRequest,
    progress: &dyn Progress,
) -> Result<(Store, Suite), Obstacle> {
    recorded(program, version, &format!("{}{EXPLAINED}", version.name), results, (request, progress))
}

/// What a recording of a version is made from: another text once something of it has changed.
///
/// # Errors
/// When a file cannot be read.
pub fn recording_key(
    program: &EvalProgram,
    version: &EvalVersion,
    request: &EvalRequest,
    progress: &dyn Progress,
) -> Result<String, Obstacle> {
    let options = Options::new(request, in_parallel_jobs(request.jobs), progress);
    Ok(Place::new(program, Path::new(""), &options).keys(version)?.0)
}

fn recorded(
    program: &EvalProgram,
    version: &EvalVersion,
    tree: &str,
    results: &Path,
    (request, progress): (&EvalRequest, &dyn Progress),
) -> Result<(Store, Suite), Obstacle> {
    let options = Options::new(request, in_parallel_jobs(request.jobs), progress);
    let place = Place::new(program, &results.join(&program.name), &options);
    let tree = place.work(tree);
    let (_, suite) = place.build_and_run(version, &tree).map_err(|stop| match stop {
        Stop::Unusable(reason) => Obstacle::Tests(reason),
        Stop::Refused(reason) => Obstacle::File(reason),
        Stop::Failed(obstacle) => obstacle,
    })?;
    Ok((Store::new(&tree), suite))
}
