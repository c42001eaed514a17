//! Programs and recorded runs brought up to the sources and the suite as they are now, before a verb speaks of them.

use std::path::Path;
use std::time::Duration;

use suspect_format::abi::Mode;

use super::build::{Part, build_aside, command_line};
use super::exit::{Exit, Failure};
use super::place::project_root;
use super::progress::StatusLine;
use super::test::summarise;
use crate::build::BuildReport;
use crate::build::inputs::Outdated;
use crate::cli::streams::say;
use crate::store::Store;
use crate::suite_run::{HowTested, changed_test, outdated_build, outdated_run, record_suite};

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
