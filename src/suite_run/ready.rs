//! True if a recorded run is fit for mutants: its program is as it was recorded, and so are its tests.

use std::collections::BTreeSet;
use std::path::Path;

use suspect_format::abi::Mode;

use super::Modules;
use crate::build::BuildReport;
use crate::obstacle::Obstacle;
use crate::store::{Run, Store};
use crate::suite::{KeptLists, Suite};

/// The suite of a recorded run. What took long to ask for is as it was then.
pub fn suite(root: &Path, run: &Run) -> Result<Suite, Obstacle> {
    Ok(Suite::load_as(root, &lists(run))?)
}

/// What took long to ask for, as it was when it was recorded.
pub fn lists(run: &Run) -> KeptLists {
    KeptLists { suites: run.lists().unwrap_or_default(), cases: run.cases().unwrap_or_default() }
}

/// Fails with what to do unless the run is fit.
pub fn check(store: &Store, run: &Run, suite: &Suite) -> Result<(), Obstacle> {
    if run.counted_tests().is_empty() {
        return Err(Obstacle::new(Obstacle::Tests, run.why_none_counts()));
    }
    check_modes(run)?;
    check_suite(run, suite)?;
    check_build(store, run)
}

/// Mutants need the `trace` version of functions.
fn check_modes(run: &Run) -> Result<(), Obstacle> {
    let has_trace = |unit: &crate::program::Unit| unit.modes & 1 << Mode::Trace as u32 != 0;
    match run.program.units.iter().any(has_trace) {
        true => Ok(()),
        false => Err(Obstacle::new(
            Obstacle::NotInstrumented,
            "the program was built without the `trace` version of its functions, in which values can be replaced: \
             build with `suspect build` and no --modes, or with --modes that include trace, then run `suspect test` again",
        )),
    }
}

/// Tests are known by their position.
fn check_suite(run: &Run, suite: &Suite) -> Result<(), Obstacle> {
    let recorded = &run.manifest.tests;
    let mut pairs = suite.tests().iter().zip(recorded);
    let other = pairs.find(|(test, known)| (&test.name, &test.command) != (&known.name, &known.command));
    if let Some((test, known)) = other {
        tracing::debug!(name = test.name, command = test.command, known = known.command, "a test is not as recorded");
    }
    match other.is_some() || suite.tests().len() != recorded.len() {
        false => Ok(()),
        true => Err(Obstacle::new(
            Obstacle::Store,
            "the suite's tests are not those that were recorded: run `suspect test` again",
        )),
    }
}

/// The units on disk must be those that ran.
fn check_build(store: &Store, run: &Run) -> Result<(), Obstacle> {
    let Some(build) = store.load_build::<BuildReport>()? else {
        // What the tests run is compared when it runs.
        return Ok(());
    };
    let Some(modules) = Modules::built(store.root(), &build)? else { return Ok(()) };
    let hashes =
        |program: &crate::program::Program| program.units.iter().map(|unit| unit.hash).collect::<BTreeSet<u64>>();
    match hashes(&modules.program) == hashes(&run.program) {
        true => Ok(()),
        false => Err(Obstacle::new(
            Obstacle::OtherBuild,
            "the program was built again since its tests were recorded: run `suspect test` again",
        )),
    }
}
