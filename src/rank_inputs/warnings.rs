//! Warnings of the compiler about the sources of a recorded program: asked once of each unit, and kept.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use suspect_format::trace::{HASH_START, hash_bytes};

use crate::build::BuildReport;
use crate::build::check::{Compilation, compilations};
use crate::build::report::{ModuleReport, UnitReport};
use crate::campaign::run_identity;
use crate::evidence::LineFacts;
use crate::mutation::{mix, sources, text};
use crate::program::{Program, Unit};
use crate::source::{Warning, claimed_lines, names_others, read_source, says_it_is_generated, warnings};
use crate::suite_run::Session;

/// Version of the kept form.
const VERSION: u32 = 4;

/// Warnings as they are kept.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    version: u32,
    /// The run that they are of: see [`run_identity`].
    run: u64,
    units: Vec<Said>,
}

/// The compiler's warnings about a unit.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    /// A hash of the unit, of how it was compiled, and of its files.
    print: u64,
    /// Files are named as the program names them.
    warnings: Vec<Warning>,
}

impl Kept {
    /// All warnings, each once: a header's come for each unit that reads it.
    fn warnings(self) -> Vec<Warning> {
        let all: BTreeSet<Warning> = self.units.into_iter().flat_map(|said| said.warnings).collect();
        all.into_iter().collect()
    }
}

/// The warnings about the units of which failing tests execute a line. There are none where it is not known how they were compiled, or where
/// sources are not what was built any more.
pub fn warnings_of(session: &Session, facts: &LineFacts) -> Vec<Warning> {
    let Session { store, run, .. } = session;
    let identity = run_identity(run);
    // What is damaged is made anew.
    let kept = store.load_warnings::<Kept>().ok().flatten().filter(|kept| kept.version == VERSION).unwrap_or_default();
    if kept.version == VERSION && kept.run == identity {
        return kept.warnings();
    }
    let known = kept.units.into_iter().map(|said| (said.print, said)).collect();
    let Some(units) = asked(session, facts, &known) else { return Vec::new() };
    let kept = Kept { version: VERSION, run: identity, units };
    // What cannot be kept is asked again.
    let _ = store.save_warnings(&kept);
    kept.warnings()
}

/// Warnings about each unit: known ones where the unit is as it was, else those that the compiler gives now.
fn asked(session: &Session, facts: &LineFacts, known: &HashMap<u64, Said>) -> Option<Vec<Said>> {
    let Session { store, run, .. } = session;
    let (root, program) = (store.root(), &run.program);
    let build = store.load_build::<BuildReport>().ok().flatten()?;
    sources(root, run, Some(&build)).ok()?;
    let read = |module: &ModuleReport| compilations(&root.join(&module.path)).unwrap_or_default();
    let compiled: Vec<Compilation> = build.modules.iter().flat_map(read).collect();
    let files = files(root, program);
    let looks: BTreeMap<(&Compilation, PathBuf), u64> = executed_units(program, facts)
        .into_iter()
        .filter_map(|unit| build.units.iter().find(|built| built.hash == unit.hash).map(|built| (unit, built)))
        .filter_map(|(unit, built)| {
            let compilation = compiled.iter().find(|one| one.source == Path::new(&built.source))?;
            let directory = directory(&root.join(program.files.get(unit.file as usize)?), built);
            let print = text(mix(HASH_START, unit.hash), &format!("{compilation:?} {}", directory.display()));
            Some((
                (compilation, directory),
                unit.files.iter().filter_map(|file| files.get(file)).copied().fold(print, mix),
            ))
        })
        .collect();
    if looks.is_empty() {
        return None;
    }
    let places = places(root, program);
    let named = |warning: Warning| {
        // Clang gives absolute names of what exists; another one would be looked for in the wrong directory.
        let path = Path::new(&warning.file).is_absolute().then(|| fs::canonicalize(&warning.file).ok())??;
        let file = *places.get(&path)?;
        Some(Warning { file: program.files.get(file as usize)?.clone(), ..warning })
    };
    let said = |((compilation, directory), print): (&(&Compilation, PathBuf), &u64)| {
        let known = known.get(print).cloned();
        known.or_else(|| {
            let mut warnings = warnings(&compilation.messages(directory)?);
            let source = Compiled::read(&directory.join(&compilation.source));
            warnings.retain(|warning| source.as_ref().is_none_or(|source| source.is_of_hand(warning)));
            Some(Said { print: *print, warnings: warnings.into_iter().filter_map(named).collect() })
        })
    };
    Some(looks.par_iter().filter_map(said).collect())
}

/// A source that the compiler was asked about.
struct Compiled {
    path: PathBuf,
    text: String,
    /// True if a generator made it.
    is_generated: bool,
}

impl Compiled {
    fn read(path: &Path) -> Option<Compiled> {
        let path = fs::canonicalize(path).ok()?;
        let text = String::from_utf8_lossy(&read_source(&path).ok()?).into_owned();
        let is_generated = says_it_is_generated(&text) || names_others(&text, &path.to_string_lossy());
        Some(Compiled { path, text, is_generated })
    }

    /// True if a warning is about code that somebody wrote: a generator's habits say nothing about a fault.
    fn is_of_hand(&self, warning: &Warning) -> bool {
        let path = fs::canonicalize(&warning.file).unwrap_or_default();
        if path == self.path {
            return !self.is_generated;
        }
        let Ok(text) = read_source(&path) else { return false };
        let text = String::from_utf8_lossy(&text);
        let is_claimed = claimed_lines(&self.text, &warning.file, &text).get(&warning.line).copied();
        is_claimed.unwrap_or_else(|| !says_it_is_generated(&text))
    }
}

/// Hashes of the contents of the program's files, by their indices.
fn files(root: &Path, program: &Program) -> HashMap<u32, u64> {
    let hash =
        |(number, file): (u32, &String)| Some((number, hash_bytes(HASH_START, &read_source(&root.join(file)).ok()?)));
    (0..).zip(&program.files).filter_map(hash).collect()
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
fn executed_units<'p>(program: &'p Program, facts: &LineFacts) -> Vec<&'p Unit> {
    let failing = (0..facts.n_lines() as u32).filter(|line| facts.spectra()[*line as usize].ef > 0);
    let functions: BTreeSet<u32> = failing.filter_map(|line| facts.function(line)).collect();
    program.units.iter().filter(|unit| functions.range(unit.functions.clone()).next().is_some()).collect()
}
