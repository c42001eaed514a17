//! A directory of programs with faulty versions, and each program's eval.toml.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{EvalError, Fault, FaultKind, FaultyLine, Selection};
use crate::suite::TestCode;
use crate::suite::config::{BuildConfig, Config, RankSection, Sections, StoreConfig, parse_toml};

/// Name of the file that describes a program.
pub const FILE: &str = "eval.toml";

/// Programs with faulty versions.
#[derive(Clone, Debug)]
pub struct Benchmark {
    /// In the order of their names.
    pub programs: Vec<EvalProgram>,
}

/// A program, its tests, and its versions.
#[derive(Clone, Debug)]
pub struct EvalProgram {
    /// Name of its directory.
    pub name: String,
    /// Its directory.
    pub directory: PathBuf,
    /// The tree of the correct version.
    pub correct: PathBuf,
    /// Directories, relative to the program's, that every version's tree gets a link to.
    pub shared: Vec<PathBuf>,
    /// Shell command that builds a version in its tree.
    pub build: String,
    /// The pool of tests, run in a version's tree.
    pub tests: Config,
    /// Suites drawn from the pool; empty when the pool is the only suite.
    pub selections: Vec<Selection>,
    /// Faulty versions, in the order of eval.toml.
    pub versions: Vec<EvalVersion>,
}

/// A faulty version.
#[derive(Clone, Debug)]
pub struct EvalVersion {
    /// Its name.
    pub name: String,
    /// Directory of files that take the place of the correct version's.
    pub overlay: Option<PathBuf>,
    /// Patch to the correct version, applied with `patch -p1`.
    pub patch: Option<PathBuf>,
    /// Where the fault is, in this version's own lines.
    pub fault: Fault,
    /// What kind of mistake it is, for results by kind.
    pub class: Option<String>,
    /// How many mistakes it has, at least one.
    pub faults: u32,
    /// Suites of this version alone; empty for the program's.
    pub selections: Vec<Selection>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawProgram {
    #[serde(default = "default_correct")]
    correct: PathBuf,
    #[serde(default)]
    shared: Vec<PathBuf>,
    #[serde(default)]
    selections: Vec<String>,
    build: RawBuild,
    rank: Option<RankSection>,
    #[serde(default)]
    suite: Sections,
    version: Vec<RawVersion>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawBuild {
    command: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawVersion {
    name: String,
    overlay: Option<PathBuf>,
    patch: Option<PathBuf>,
    #[serde(default)]
    changed: Vec<String>,
    #[serde(default)]
    omitted: Vec<String>,
    #[serde(default, rename = "macro")]
    macros: Vec<String>,
    class: Option<String>,
    #[serde(default = "default_faults")]
    faults: u32,
    #[serde(default)]
    selections: Vec<String>,
}

fn default_faults() -> u32 {
    1
}

fn default_correct() -> PathBuf {
    PathBuf::from("correct")
}

impl Benchmark {
    /// Reads the programs in `directory`, or the one that it is.
    ///
    /// # Errors
    /// When there is none, or an eval.toml cannot be read, has no meaning, or names what is not there.
    pub fn load(directory: &Path) -> Result<Benchmark, EvalError> {
        if directory.join(FILE).is_file() {
            return Ok(Benchmark { programs: vec![EvalProgram::load(directory)?] });
        }
        let mut found = Vec::new();
        for entry in fs::read_dir(directory).map_err(EvalError::io("read", directory))? {
            let path = entry.map_err(EvalError::io("read", directory))?.path();
            if path.join(FILE).is_file() {
                found.push(path);
            }
        }
        found.sort();
        if found.is_empty() {
            return Err(EvalError::NoPrograms { path: directory.into() });
        }
        let programs = found.iter().map(|path| EvalProgram::load(path)).collect::<Result<_, _>>()?;
        Ok(Benchmark { programs })
    }
}

impl EvalProgram {
    fn load(directory: &Path) -> Result<EvalProgram, EvalError> {
        let path = directory.join(FILE);
        let text = fs::read_to_string(&path).map_err(EvalError::io("read", &path))?;
        let raw: RawProgram = parse_toml(&text, &path)?;
        let build = BuildConfig { command: Some(raw.build.command.clone()), again: None, modes: Vec::new() };
        let store = StoreConfig::default();
        // A benchmark says itself where faults are.
        let test_code = raw.rank.map_or(Ok(TestCode::none()), |rank| rank.check(&text, &path))?;
        let tests = Config {
            path: path.clone(),
            build,
            store,
            test_code,
            ranges: Vec::new(),
            suites: raw.suite.check(&text, &path)?,
        };
        let correct = existing(&path, directory, &raw.correct, "`correct`", Path::is_dir)?;
        for shared in &raw.shared {
            existing(&path, directory, shared, "`shared`", Path::is_dir)?;
            if raw.correct.join(shared).exists() {
                return Err(EvalError::layout(&path, format!("`shared` {} is in the tree too", shared.display())));
            }
        }
        let mut names = BTreeSet::new();
        let mut versions = Vec::new();
        for version in raw.version {
            if !names.insert(version.name.clone()) {
                return Err(EvalError::layout(&path, format!("two versions are called `{}`", version.name)));
            }
            versions.push(version.check(&path, directory)?);
        }
        let name = directory.file_name().map_or_else(|| "program".into(), |name| name.to_string_lossy().into_owned());
        Ok(EvalProgram {
            name,
            directory: directory.into(),
            correct,
            shared: raw.shared,
            build: raw.build.command,
            tests,
            selections: Selection::find(&path, directory, &raw.selections)?,
            versions,
        })
    }

    /// The suites that a version is ranked with; empty when the pool is the only one.
    pub fn selections_of<'a>(&'a self, version: &'a EvalVersion) -> &'a [Selection] {
        if version.selections.is_empty() { &self.selections } else { &version.selections }
    }
}

impl RawVersion {
    fn check(self, file: &Path, directory: &Path) -> Result<EvalVersion, EvalError> {
        let name = self.name;
        if name == "correct" {
            return Err(EvalError::layout(file, "a faulty version cannot be called `correct`"));
        }
        let plain = |c: char| c.is_alphanumeric() || "._-+".contains(c);
        if name.is_empty() || name.starts_with('.') || !name.chars().all(plain) {
            let message = format!("version `{name}`: a name has letters, digits, `.`, `_`, `-` and `+`, no dot first");
            return Err(EvalError::layout(file, message));
        }
        let overlay = match (self.overlay, &self.patch) {
            (None, None) => Some(Path::new("versions").join(&name)),
            (overlay, _) => overlay,
        };
        let what = |field: &str| format!("`{field}` of version `{name}`");
        let overlay =
            overlay.map(|path| existing(file, directory, &path, &what("overlay"), Path::is_dir)).transpose()?;
        let patch =
            self.patch.map(|path| existing(file, directory, &path, &what("patch"), Path::is_file)).transpose()?;
        let mut lines = Vec::new();
        let kinds = [
            (FaultKind::Changed, &self.changed),
            (FaultKind::Omitted, &self.omitted),
            (FaultKind::Macro, &self.macros),
        ];
        for (kind, places) in kinds {
            for place in places {
                let line = FaultyLine::parse(kind, place).ok_or_else(|| {
                    let message =
                        format!("version `{name}`: `{place}` is no place: a faulty line is given as \"src/a.c:41\"");
                    EvalError::layout(file, message)
                })?;
                lines.push(line);
            }
        }
        if lines.is_empty() {
            let message = format!(
                "version `{name}` has no faulty line: give some as `changed`, `omitted` or `macro`, as in \
                 changed = [\"src/a.c:41\"]"
            );
            return Err(EvalError::layout(file, message));
        }
        if self.faults == 0 {
            let message = format!("version `{name}`: `faults` is 0: give the number of its mistakes, 1 or more");
            return Err(EvalError::layout(file, message));
        }
        let selections = Selection::find(file, directory, &self.selections)?;
        let (class, faults) = (self.class, self.faults);
        Ok(EvalVersion { name, overlay, patch, fault: Fault { lines }, class, faults, selections })
    }
}

/// A path below the program's directory, which must be there.
fn existing(
    file: &Path,
    directory: &Path,
    path: &Path,
    what: &str,
    is: impl Fn(&Path) -> bool,
) -> Result<PathBuf, EvalError> {
    let whole = directory.join(path);
    match is(&whole) {
        true => Ok(whole),
        false => Err(EvalError::layout(file, format!("{what} names {}, which is not there", whole.display()))),
    }
}
