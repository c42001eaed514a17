//! Builds and runs that are not of the sources, programs and tests as they are now.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::build::inputs::{self, Inputs, Outdated};
use crate::build::{BuildReport, toolchain};
use crate::obstacle::Obstacle;
use crate::store::{Run, Store};

/// Why the last build is not of the sources and the tools as they are now; `None` if it is, or if there was none.
pub fn outdated_build(store: &Store) -> Result<Option<Outdated>, Obstacle> {
    if store.load_build::<BuildReport>()?.is_none() {
        return Ok(None);
    }
    let toolchain = toolchain::find(None).ok();
    Ok(inputs::outdated(&root_of(store), &store.build_directory(), toolchain.as_ref()))
}

fn root_of(store: &Store) -> PathBuf {
    store.root().canonicalize().unwrap_or_else(|_| store.root().to_path_buf())
}

/// The first thing that has changed since `run` was recorded: a source, a program, the list of tests.
pub fn outdated_run(store: &Store, run: &Run) -> Result<Option<String>, Obstacle> {
    let inputs: Option<Inputs> = run.inputs()?;
    match inputs.and_then(|inputs| inputs.first_changed(&root_of(store))) {
        Some(Outdated::File { file, .. }) => return Ok(Some(format!("{} was changed", file.display()))),
        Some(why) => return Ok(Some(why.to_string())),
        None => {}
    }
    let units: Option<BTreeSet<u64>> = store
        .load_build::<BuildReport>()?
        .map(|build| build.modules.iter().flat_map(|module| module.units.iter().copied()).collect());
    if units.is_some_and(|units| !run.program.units.iter().all(|unit| units.contains(&unit.hash))) {
        return Ok(Some("the programs were built again".to_string()));
    }
    // A suite that cannot be loaded is the matter of the verb that needs it.
    let Ok(suite) = super::ready::suite(store.root(), run) else { return Ok(None) };
    let recorded = &run.manifest.tests;
    if suite.tests().len() != recorded.len() {
        return Ok(Some("tests were added or removed".to_string()));
    }
    let mut pairs = suite.tests().iter().zip(recorded);
    let changed = pairs.find(|(test, known)| (&test.name, &test.command) != (&known.name, &known.command));
    Ok(changed.map(|(test, _)| format!("test {} was changed", test.name)))
}

/// The first test of which a file that its command names, or what it expects, is another one. A test may write such files itself, so this is a
/// reason to test again and none to refuse.
pub fn changed_test(store: &Store, run: &Run) -> Option<String> {
    let suite = super::ready::suite(store.root(), run).ok()?;
    let mut pairs = suite.tests().iter().zip(&run.manifest.tests);
    let changed = pairs.find(|(test, known)| known.state != 0 && known.state != test.print());
    changed.map(|(test, _)| format!("test {} was changed", test.name))
}
