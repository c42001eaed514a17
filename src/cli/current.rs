//! Programs and recorded runs brought up to the sources and the suite as they are now, before a verb speaks of them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use suspect_format::abi::Mode;

use super::build::{Part, build_aside, command_line};
use super::exit::{Exit, Failure};
use super::place::project_root;
use super::progress::StatusLine;
use super::test::summarise;
use crate::build::inputs::{self, Inputs, Outdated};
use crate::build::{BuildReport, toolchain};
use crate::cli::streams::say;
use crate::store::{Run, Store};
use crate::suite_run::{HowTested, ready, record_suite};

/// Builds again if a source, a header or suspect itself is another one than the programs were built with. What is known of no build
/// stays as it is.
pub fn build_if_outdated(start: &Path) -> Result<(), Failure> {
    let store = Store::new(&project_root(start));
    let Some(why) = outdated_build(&store)? else { return Ok(()) };
    // How to build, or which sources there are, is another matter.
    let part = if matches!(why, Outdated::File { .. }) { Part::Sources } else { Part::All };
    say!("suspect: {why}: building by `{}` ...", command_line(&store, part)?);
    build_aside(start, part)?;
    match outdated_build(&store)? {
        Some(Outdated::File { file, output }) if is_known(&why, &file) => {
            let (file, output) = (file.display(), output.display());
            let message = format!(
                "{file} was changed, and the build did not make {output} again: remove {output}, then type: suspect build"
            );
            Err(Failure::new(Exit::OtherBuild, message))
        }
        _ => Ok(()),
    }
}

fn is_known(why: &Outdated, file: &Path) -> bool {
    matches!(why, Outdated::File { file: known, .. } if known == file)
}

fn outdated_build(store: &Store) -> Result<Option<Outdated>, Failure> {
    if store.load_build::<BuildReport>()?.is_none() {
        return Ok(None);
    }
    let toolchain = toolchain::find(None).ok();
    Ok(inputs::outdated(&root_of(store), &store.build_directory(), toolchain.as_ref()))
}

fn root_of(store: &Store) -> PathBuf {
    store.root().canonicalize().unwrap_or_else(|_| store.root().to_path_buf())
}

/// Builds and tests again, if the latest run is not of the sources, programs and tests as they are now. What was never tested stays so.
pub fn test_if_outdated(start: &Path) -> Result<(), Failure> {
    let store = Store::new(&project_root(start));
    let Ok(run) = store.latest_run() else { return Ok(()) };
    if store.load_build::<BuildReport>()?.is_some() {
        build_if_outdated(start)?;
    }
    let Some(why) = outdated_run(&store, &run)?.or(changed_test(&store, &run)) else { return Ok(()) };
    if store.load_build::<BuildReport>()?.is_none() {
        let message = format!("{why} since the tests were recorded: build the program, then type: suspect test");
        return Err(Failure::new(Exit::OtherBuild, message));
    }
    say!("suspect: {why} since the tests were recorded: testing again ...");
    let mode = Mode::from_name(&run.manifest.mode).unwrap_or(Mode::Values);
    let how = HowTested { mode, jobs: None, repeat: None, until: None, apart: Duration::ZERO };
    let recorded = record_suite(&store, &how, &StatusLine::new())?;
    let mut said = Vec::new();
    summarise(&recorded.manifest, recorded.n_nodes, &mut said).map_err(Failure::of(Exit::File))?;
    say!("{}", String::from_utf8_lossy(&said).trim_end());
    Ok(())
}

/// Stops, if what was found out of the latest run is not of the sources and programs as they are now: for verbs that run nothing anew. `verb` finds it
/// out.
pub fn refuse_outdated(start: &Path, verb: &str) -> Result<(), Failure> {
    let store = Store::new(&project_root(start));
    let Ok(run) = store.latest_run() else { return Ok(()) };
    let stop =
        |why: String| Err(Failure::new(Exit::OtherBuild, format!("{why}; type: suspect test && suspect {verb}")));
    match outdated_run(&store, &run)? {
        Some(why) => stop(format!("{why} since the tests were recorded")),
        None => Ok(()),
    }
}

/// What has changed since `run` was recorded.
fn outdated_run(store: &Store, run: &Run) -> Result<Option<String>, Failure> {
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
    let Ok(suite) = ready::suite(store.root(), run) else { return Ok(None) };
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
fn changed_test(store: &Store, run: &Run) -> Option<String> {
    let suite = ready::suite(store.root(), run).ok()?;
    let mut pairs = suite.tests().iter().zip(&run.manifest.tests);
    let changed = pairs.find(|(test, known)| known.state != 0 && known.state != test.print());
    changed.map(|(test, _)| format!("test {} was changed", test.name))
}
