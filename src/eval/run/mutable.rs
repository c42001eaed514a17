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
    let version = EvalVersion {
        name: CORRECT.into(),
        overlay: None,
        patch: None,
        fault: Fault { lines: Vec::new() },
        class: None,
        faults: 0,
        selections: Vec::new(),
    };
    let (store, suite) = recorded(program, &version, CORRECT, results, (request, progress))?;
    let run = store.latest_run()?;
    Ok(Session::of(store, run).with_suite(suite))
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
