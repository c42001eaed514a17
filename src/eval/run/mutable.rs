//! The correct version of a program, built and run so that mutants of it can be.

use std::path::Path;

use super::version::{Options, Place, Stop};
use super::{EvalRequest, in_parallel_jobs};
use crate::eval::{EvalProgram, EvalVersion, Fault};
use crate::obstacle::Obstacle;
use crate::progress::Progress;
use crate::store::Store;
use crate::suite_run::Session;

/// Name of the tree: no version can be called so.
const TREE: &str = "correct~mutants";

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
    let options = Options::new(request, in_parallel_jobs(request.jobs), progress);
    let place = Place::new(program, &results.join(&program.name), &options);
    let version = EvalVersion {
        name: TREE.into(),
        overlay: None,
        patch: None,
        fault: Fault { lines: Vec::new() },
        class: None,
        faults: 0,
        selections: Vec::new(),
    };
    let tree = place.work(TREE);
    let (_, suite) = place.build_and_run(&version, &tree).map_err(|stop| match stop {
        Stop::Unusable(reason) => Obstacle::Tests(reason),
        Stop::Refused(reason) => Obstacle::File(reason),
        Stop::Failed(obstacle) => obstacle,
    })?;
    let store = Store::new(&tree);
    let run = store.latest_run()?;
    Ok(Session::of(store, run).with_suite(suite))
}
