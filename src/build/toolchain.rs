//! The real clang, and the plugin and objects that fit it.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::elf;
use super::plan::{self, Equipment};

/// Names the clang to use.
pub const ENV_CLANG: &str = "SUSPECT_CLANG";
/// Names the directory of plugins and runtime objects.
pub const ENV_LIB: &str = "SUSPECT_LIB";
/// The LLVM that is tried first.
pub const REFERENCE_MAJOR: u32 = 19;

/// A clang with everything that fits it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Toolchain {
    /// The real compiler.
    pub clang: PathBuf,
    /// Its full version, such as `19.1.7`.
    pub version: String,
    /// The plugin built against exactly that version.
    pub plugin: PathBuf,
    /// The runtime's object.
    pub start: PathBuf,
    /// The object that comes last in a link.
    pub end: PathBuf,
    /// The linker script that lld needs.
    pub script: PathBuf,
}

impl Toolchain {
    /// What goes into programs.
    pub fn equipment(&self) -> Equipment {
        Equipment {
            plugin: self.plugin.clone(),
            start: self.start.clone(),
            end: self.end.clone(),
            script: self.script.clone(),
        }
    }

    /// Compiles a function with the plugin, with versions for `modes`: a plugin of another build of suspect may know other modes or write
    /// other tables, and its errors would turn up anywhere in the project's build.
    ///
    /// # Errors
    /// [`ToolchainError::Unfit`].
    pub fn try_out(&self, modes: &str) -> Result<(), ToolchainError> {
        self.sites_of_a_trial(modes).map_err(|why| ToolchainError::Unfit { plugin: self.plugin.clone(), why })
    }

    /// Compiler, plugin and suspect itself as files: path, size and time of change of each. `None` where one cannot be looked at.
    pub fn print(&self) -> Option<String> {
        let print = |path: &Path| {
            let (path, data) = (path.canonicalize().ok()?, path.metadata().ok()?);
            let changed = data.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
            Some(format!("{}:{}:{}", path.display(), data.len(), changed.as_nanos()))
        };
        let files = [self.clang.clone(), self.plugin.clone(), env::current_exe().ok()?];
        files.iter().map(|path| print(path)).collect::<Option<Vec<_>>>().map(|prints| prints.join(" "))
    }

    fn sites_of_a_trial(&self, modes: &str) -> Result<(), String> {
        let directory = tempfile::tempdir().map_err(|error| format!("no temporary directory: {error}"))?;
        let (source, object) = (directory.path().join("tried.c"), directory.path().join("tried.o"));
        fs::write(&source, TRIED).map_err(|error| format!("{}: {error}", source.display()))?;
        let mut compile = Command::new(&self.clang);
        compile.args(["-O1", "-g", "-c"]).args(plan::plugin_options(&self.plugin, modes));
        compile.arg(&source).arg("-o").arg(&object).stdin(Stdio::null());
        let output = compile.output().map_err(|error| error.to_string())?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(said.lines().next().map_or_else(|| output.status.to_string(), |line| line.trim().to_owned()));
        }
        match elf::read(&object).map_err(|error| error.to_string())?.map(|binary| binary.units) {
            Some(Ok(units)) if !units.is_empty() => Ok(()),
            Some(Err(bad)) => Err(format!("its site table is no such table: {bad:?}")),
            _ => Err("it writes no site table".to_owned()),
        }
    }
}

/// Why there is no toolchain. Each says what to type.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ToolchainError {
    /// No directory of plugins.
    #[error("suspect's plugins are not installed (looked in {}); type: make install, or set {ENV_LIB}", Paths(.looked_in))]
    NoLibrary {
        /// Where they could have been.
        looked_in: Vec<PathBuf>,
    },
    /// A part of the directory is missing.
    #[error("{}: missing; type: make install", .path.display())]
    Incomplete {
        /// The missing file.
        path: PathBuf,
    },
    /// There is no clang.
    #[error("clang is not installed; type: sudo apt-get install clang-{major}")]
    NoClang {
        /// The version to install.
        major: u32,
    },
    /// The named clang cannot be run, or is none.
    #[error("{}: not a clang that runs ({why}); type: unset {ENV_CLANG}, or sudo apt-get install clang-{major}", .path.display())]
    BadClang {
        /// As named.
        path: PathBuf,
        /// What happened.
        why: String,
        /// The version to install.
        major: u32,
    },
    /// No plugin for this clang's major version.
    #[error(
        "{}: clang {version} has no plugin, only {} have; type: sudo apt-get install clang-{major}{}",
        .path.display(), .plugins.join(", "), Unset(*.named)
    )]
    NoPlugin {
        /// The clang.
        path: PathBuf,
        /// Its version.
        version: String,
        /// Versions that have plugins.
        plugins: Vec<String>,
        /// The version to install.
        major: u32,
        /// The user chose it.
        named: bool,
    },
    /// The plugin was built against another release of the same major version, which can crash clang.
    #[error(
        "{}: clang is version {version}, but suspect's plugin was built against {plugin}; \
         type: sudo apt-get install clang-{major} llvm-{major}-dev, then make in suspect's sources",
        .path.display()
    )]
    Mismatch {
        /// The clang.
        path: PathBuf,
        /// Its version.
        version: String,
        /// The plugin's.
        plugin: String,
        /// Major version of both.
        major: u32,
    },
    /// Clang cannot compile with the plugin, or what comes out is not what this program reads.
    #[error(
        "{}: not the plugin that belongs to this suspect, or damaged ({why}); \
         type: make in suspect's sources, and make install if it is installed",
        .plugin.display()
    )]
    Unfit {
        /// The plugin.
        plugin: PathBuf,
        /// What clang said first, or what is wrong with the object.
        why: String,
    },
}

/// A function with a node.
const TRIED: &str = "int suspect_tried(int number) { return number + 1; }\n";

struct Paths<'a>(&'a [PathBuf]);

impl fmt::Display for Paths<'_> {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        let names: Vec<_> = self.0.iter().map(|path| path.display().to_string()).collect();
        out.write_str(&names.join(", "))
    }
}

struct Unset(bool);

impl fmt::Display for Unset {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        if self.0 { write!(out, " && unset {ENV_CLANG}") } else { Ok(()) }
    }
}

/// The directory of plugins and runtime objects.
#[derive(Clone, Debug)]
pub struct Library {
    /// Where it is.
    pub directory: PathBuf,
    /// The plugins, by major version of LLVM.
    pub plugins: BTreeMap<u32, Plugin>,
}

/// One plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plugin {
    /// Full version of the LLVM it was built against.
    pub version: String,
    /// The shared object; its name carries a hash of its contents.
    pub path: PathBuf,
}

impl Library {
    /// The library of this installation: `$SUSPECT_LIB`, beside the executable, or in the source tree it was built in.
    pub fn find() -> Result<Library, ToolchainError> {
        let mut looked_in = Vec::new();
        for directory in candidates() {
            if directory.is_dir() {
                return Library::open(&directory);
            }
            looked_in.push(directory);
        }
        looked_in.truncate(2);
        Err(ToolchainError::NoLibrary { looked_in })
    }

    /// Reads what is in `directory`.
    pub fn open(directory: &Path) -> Result<Library, ToolchainError> {
        let mut plugins = BTreeMap::new();
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let Some(major) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            if let Some(plugin) = plugin_in(&entry.path()) {
                plugins.insert(major, plugin);
            }
        }
        if plugins.is_empty() {
            return Err(ToolchainError::NoLibrary { looked_in: vec![directory.to_owned()] });
        }
        Ok(Library { directory: directory.to_owned(), plugins })
    }

    /// The major version to recommend: the reference where it is there, otherwise the newest.
    pub fn best_major(&self) -> u32 {
        let newest = self.plugins.keys().next_back().copied().unwrap_or(REFERENCE_MAJOR);
        if self.plugins.contains_key(&REFERENCE_MAJOR) { REFERENCE_MAJOR } else { newest }
    }

    /// Everything that fits `clang`, whose version is `version`.
    fn fit(&self, clang: &Path, version: &str, named: bool) -> Result<Toolchain, ToolchainError> {
        let path = clang.to_owned();
        let major = major_of(version);
        let Some(plugin) = major.and_then(|major| self.plugins.get(&major)) else {
            let plugins = self.plugins.values().map(|plugin| plugin.version.clone()).collect();
            let version = version.to_owned();
            return Err(ToolchainError::NoPlugin { path, version, plugins, major: self.best_major(), named });
        };
        if plugin.version != version {
            let (version, plugin) = (version.to_owned(), plugin.version.clone());
            return Err(ToolchainError::Mismatch { path, version, plugin, major: major.unwrap_or(REFERENCE_MAJOR) });
        }
        let start = self.part("suspect_rt.o")?;
        let end = self.part("suspect_rt_end.o")?;
        let script = self.part("suspect.ld")?;
        Ok(Toolchain { clang: path, version: version.to_owned(), plugin: plugin.path.clone(), start, end, script })
    }

    fn part(&self, name: &str) -> Result<PathBuf, ToolchainError> {
        let path = self.directory.join(name);
        if path.is_file() { Ok(path) } else { Err(ToolchainError::Incomplete { path }) }
    }
}

fn candidates() -> Vec<PathBuf> {
    if let Some(directory) = env::var_os(ENV_LIB).filter(|value| !value.is_empty()) {
        return vec![directory.into()];
    }
    let Ok(program) = env::current_exe() else { return Vec::new() };
    let mut all = Vec::new();
    if let Some(prefix) = program.parent().and_then(Path::parent) {
        all.push(prefix.join("lib/suspect"));
    }
    all.extend(program.ancestors().skip(1).map(|directory| directory.join("target/suspect/lib/suspect")));
    all
}

/// The plugin in a directory of one LLVM: the newest, should an older one have been left there.
fn plugin_in(directory: &Path) -> Option<Plugin> {
    let version = fs::read_to_string(directory.join("version")).ok()?.trim().to_owned();
    let is_plugin = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libsuspect_pass") && name.ends_with(".so")
    };
    let paths = fs::read_dir(directory).ok()?.flatten().map(|entry| entry.path()).filter(is_plugin);
    let path = paths.max_by_key(|path| path.metadata().and_then(|data| data.modified()).ok())?;
    Some(Plugin { version, path })
}

/// The toolchain: `$SUSPECT_CLANG`; else a clang of major version `preferred`; else clang-19, the clangs of the other
/// plugins, `clang`: the first that a plugin fits.
pub fn find(preferred: Option<u32>) -> Result<Toolchain, ToolchainError> {
    let library = Library::find()?;
    if let Some(named) = env::var_os(ENV_CLANG).filter(|value| !value.is_empty()) {
        let major = library.best_major();
        let path = resolve(&named).ok_or_else(|| ToolchainError::BadClang {
            path: named.into(),
            why: "no such program".to_owned(),
            major,
        })?;
        let version = version_of(&path).map_err(|why| ToolchainError::BadClang { path: path.clone(), why, major })?;
        return library.fit(&path, &version, true);
    }
    let mut first_error = None;
    for clang in clangs(&library, preferred) {
        let Ok(version) = version_of(&clang) else { continue };
        match library.fit(&clang, &version, false) {
            Ok(toolchain) => return Ok(toolchain),
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    Err(first_error.unwrap_or(ToolchainError::NoClang { major: library.best_major() }))
}

/// Some real clang, for calls that need no plugin.
pub fn any_clang(preferred: Option<u32>) -> Option<PathBuf> {
    if let Some(named) = env::var_os(ENV_CLANG).filter(|value| !value.is_empty()) {
        return resolve(&named);
    }
    let majors = preferred.into_iter().chain([REFERENCE_MAJOR]).chain((14..REFERENCE_MAJOR).rev());
    majors.map(|major| format!("clang-{major}")).chain(["clang".to_owned()]).find_map(|name| in_path(name.as_ref()))
}

fn clangs(library: &Library, preferred: Option<u32>) -> Vec<PathBuf> {
    let others = library.plugins.keys().rev().copied();
    let mut majors: Vec<u32> = Vec::new();
    for major in preferred.into_iter().chain([REFERENCE_MAJOR]).chain(others) {
        if !majors.contains(&major) {
            majors.push(major);
        }
    }
    let names = majors.iter().map(|major| format!("clang-{major}")).chain(["clang".to_owned()]);
    names.filter_map(|name| in_path(name.as_ref())).collect()
}

/// The full version of a clang, from its `--version`.
pub fn version_of(clang: &Path) -> Result<String, String> {
    let output =
        Command::new(clang).arg("--version").stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let first = text.lines().next().unwrap_or_default();
    match first.split_once("clang version ") {
        Some((vendor, rest)) if !vendor.contains("Apple") => {
            Ok(rest.split_whitespace().next().unwrap_or_default().to_owned())
        }
        _ => Err(format!("it calls itself \"{first}\"")),
    }
}

fn major_of(version: &str) -> Option<u32> {
    version.split('.').next()?.parse().ok()
}

/// The program that `name` means: a path as it is, otherwise the first in `PATH` that is not this program.
pub fn resolve(name: &OsStr) -> Option<PathBuf> {
    if name.as_encoded_bytes().contains(&b'/') {
        let path = PathBuf::from(name);
        return (is_program(&path) && !is_self(&path)).then_some(path);
    }
    in_path(name)
}

/// The first program called `name` in `PATH` that is not this one.
pub fn in_path(name: &OsStr) -> Option<PathBuf> {
    path_directories().map(|directory| directory.join(name)).find(|path| is_program(path) && !is_self(path))
}

/// The directories of `PATH`.
pub fn path_directories() -> impl Iterator<Item = PathBuf> {
    let path: OsString = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).collect::<Vec<_>>().into_iter()
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

/// Whether `path` leads to the running program, or to another installation of it.
pub fn is_self(path: &Path) -> bool {
    let Ok(path) = path.canonicalize() else { return false };
    let same = env::current_exe().and_then(|program| program.canonicalize()).is_ok_and(|program| program == path);
    same || path.file_name() == Some(OsStr::new("suspect"))
}
