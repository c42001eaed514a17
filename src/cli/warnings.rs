//! What the compiler warns of in the sources of a recorded program: asked once, and kept.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::mutants::catalogue::texts;
use crate::build::BuildReport;
use crate::build::check::{Compilation, compilations};
use crate::build::report::{ModuleReport, UnitReport};
use crate::campaign::run_identity;
use crate::evidence::Ground;
use crate::program::{Program, Unit};
use crate::source::{Warning, warnings};
use crate::store::{Run, Store};

/// Version of the kept form.
const VERSION: u32 = 1;

/// Warnings as they are kept.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    version: u32,
    /// The run that they are of: see [`run_identity`].
    run: u64,
    /// Files are named as the program names them.
    warnings: Vec<Warning>,
}

/// The warnings about the units of which failing tests execute a line. There are none where it is not known how they were compiled, or where
/// sources are not what was built any more.
pub fn warnings_of(store: &Store, run: &Run, ground: &Ground) -> Vec<Warning> {
    let identity = run_identity(run);
    // What is damaged or of another run is made anew.
    let kept = store.load_warnings::<Kept>().ok().flatten();
    if let Some(kept) = kept.filter(|kept| kept.version == VERSION && kept.run == identity) {
        return kept.warnings;
    }
    let Some(warnings) = asked(store, run, ground) else { return Vec::new() };
    let kept = Kept { version: VERSION, run: identity, warnings };
    // What cannot be kept is asked again.
    let _ = store.save_warnings(&kept);
    kept.warnings
}

fn asked(store: &Store, run: &Run, ground: &Ground) -> Option<Vec<Warning>> {
    let (root, program) = (store.root(), &run.program);
    let build = store.load_build::<BuildReport>().ok().flatten()?;
    texts(root, run, Some(&build)).ok()?;
    let read = |module: &ModuleReport| compilations(&root.join(&module.path)).unwrap_or_default();
    let compiled: Vec<Compilation> = build.modules.iter().flat_map(read).collect();
    let executed = executed_units(program, ground);
    let looks: BTreeSet<(&Compilation, PathBuf)> = executed
        .into_iter()
        .filter_map(|unit| build.units.iter().find(|built| built.hash == unit.hash).map(|built| (unit, built)))
        .filter_map(|(unit, built)| {
            let compilation = compiled.iter().find(|one| one.source == Path::new(&built.source))?;
            Some((compilation, directory(&root.join(program.files.get(unit.file as usize)?), built)))
        })
        .collect();
    if looks.is_empty() {
        return None;
    }
    let looks: Vec<(&Compilation, PathBuf)> = looks.into_iter().collect();
    let said: Vec<String> = looks.par_iter().filter_map(|(one, directory)| one.messages(directory)).collect();
    let files = places(root, program);
    let named = |warning: Warning| {
        let file = *files.get(&fs::canonicalize(&warning.file).ok()?)?;
        Some(Warning { file: program.files.get(file as usize)?.clone(), ..warning })
    };
    // A header's come once for each unit that reads it.
    let found: BTreeSet<Warning> = said.iter().flat_map(|said| warnings(said)).filter_map(named).collect();
    Some(found.into_iter().collect())
}

/// Where the compiler ran that made the unit of the source at `path`: debug information may have been told something else.
fn directory(path: &Path, built: &UnitReport) -> PathBuf {
    let source = Path::new(&built.source);
    let above = path.ancestors().nth(source.components().count());
    match above.filter(|above| source.is_relative() && above.join(source) == path) {
        Some(above) => above.to_owned(),
        None => built.directory.clone().into(),
    }
}

/// Where the program's files are, by their indices.
fn places(root: &Path, program: &Program) -> BTreeMap<PathBuf, u32> {
    (0..)
        .zip(&program.files)
        .filter_map(|(number, file)| Some((fs::canonicalize(root.join(file)).ok()?, number)))
        .collect()
}

/// The units of which a failing test executes a line.
fn executed_units<'p>(program: &'p Program, ground: &Ground) -> Vec<&'p Unit> {
    let failing = (0..ground.n_lines() as u32).filter(|line| ground.spectra()[*line as usize].ef > 0);
    let functions: BTreeSet<u32> = failing.filter_map(|line| ground.function(line)).collect();
    program.units.iter().filter(|unit| functions.range(unit.functions.clone()).next().is_some()).collect()
}
