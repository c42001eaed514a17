//! The modules that a suite runs, and the program that they are.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use suspect_format::{abi, dependence};

use crate::build::BuildReport;
use crate::obstacle::Obstacle;
use crate::program::{LoadError, Program};
use crate::suite::{self, BaselineOptions, Suite, Test, TestRun};
use crate::trace::{ModuleFile, TraceError, read_directory, sections};

/// A program and the tables that it was read from.
#[derive(Debug)]
pub struct Modules {
    /// The program.
    pub program: Program,
    /// Sections of site tables, in the order of the modules.
    pub sites: Vec<Vec<u8>>,
    /// Sections of dependence tables, in the order of the modules.
    pub dependences: Vec<Vec<u8>>,
}

impl Modules {
    /// The modules that the last build made; without one, those that the tests are seen to run.
    pub fn of(
        root: &Path,
        build: Option<&BuildReport>,
        suite: &Suite,
        options: &BaselineOptions,
    ) -> Result<Modules, Obstacle> {
        if let Some(build) = build
            && let Some(modules) = Modules::built(root, build)?
        {
            return Ok(modules);
        }
        let seen = discover(suite, options)?;
        let found = Modules::load(root, &seen)?.filter(|modules| !modules.program.functions.is_empty());
        if let Some(file) = found.as_ref().and_then(|modules| newer_source(root, &modules.program, &seen)) {
            let message = format!(
                "{file} was changed after the program was built: build it again, then type: suspect test (with `suspect build` it is built by itself)"
            );
            return Err(Obstacle::new(Obstacle::OtherBuild, message));
        }
        found.ok_or_else(|| {
            let message =
                "no test runs an instrumented program: build with `suspect build -- make`, and see `suspect doctor`";
            Obstacle::new(Obstacle::NotInstrumented, message)
        })
    }

    /// The modules that the last build made and that are there; `None` if they have no instrumented function.
    pub fn built(root: &Path, build: &BuildReport) -> Result<Option<Modules>, Obstacle> {
        let paths = build.modules.iter().map(|module| root.join(&module.path)).filter(|path| path.exists());
        let modules = Modules::load(root, &paths.collect())?;
        Ok(modules.filter(|modules| !modules.program.functions.is_empty()))
    }

    fn load(root: &Path, paths: &BTreeSet<PathBuf>) -> Result<Option<Modules>, Obstacle> {
        let (mut names, mut sites, mut dependences) = (Vec::new(), Vec::new(), Vec::new());
        for path in paths {
            let file = ModuleFile::open(path).map_err(Obstacle::of(Obstacle::File))?;
            let not_elf = |error| Obstacle::new(Obstacle::File, format!("{} is no ELF file: {error}", path.display()));
            for section in sections(file.bytes(), abi::SECTION_SITES).map_err(not_elf)? {
                names.push(path.display().to_string());
                sites.push(section.to_vec());
            }
            let tables = sections(file.bytes(), dependence::SECTION).map_err(not_elf)?;
            dependences.extend(tables.into_iter().map(<[u8]>::to_vec));
        }
        if sites.is_empty() {
            return Ok(None);
        }
        let named = names.iter().map(String::as_str).zip(sites.iter().map(Vec::as_slice));
        let program = Program::from_sections(named, &root.to_string_lossy()).map_err(|error| match error {
            LoadError::Version { .. } => Obstacle::new(Obstacle::OtherBuild, error.to_string()),
            _ => Obstacle::new(Obstacle::NotInstrumented, error.to_string()),
        })?;
        Ok(Some(Modules { program, sites, dependences }))
    }
}

/// A source of the project that was changed after the last of its programs was built.
fn newer_source<'p>(root: &Path, program: &'p Program, paths: &BTreeSet<PathBuf>) -> Option<&'p str> {
    let modified = |path: &Path| path.metadata().and_then(|data| data.modified()).ok();
    let built = paths.iter().filter_map(|path| modified(path)).max()?;
    let own = program.files.iter().filter(|file| !Path::new(file).is_absolute());
    own.map(String::as_str).find(|file| modified(&root.join(file)).is_some_and(|time| time > built))
}

/// Runs every test once to see which modules leave traces.
fn discover(suite: &Suite, options: &BaselineOptions) -> Result<BTreeSet<PathBuf>, Obstacle> {
    let options = BaselineOptions { runs: Some(1), settled: false, ..options.clone() };
    let seen: Mutex<Result<BTreeSet<PathBuf>, TraceError>> = Mutex::new(Ok(BTreeSet::new()));
    suite::baseline(suite, &options, &|_: &Test, _: usize, traces: &Path, _: &TestRun| {
        let found = read_directory(traces);
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        match found {
            Ok(traces) => {
                let modules = traces.files.iter().flat_map(|file| &file.layout().modules);
                if let Ok(seen) = seen.as_mut() {
                    seen.extend(modules.map(|module| PathBuf::from(&module.path)).filter(|path| path.is_file()));
                }
            }
            Err(error) => *seen = Err(error),
        }
    })?;
    Ok(seen.into_inner().unwrap_or_else(PoisonError::into_inner)?)
}
