//! Whether a project's programs are those that its sources and this release of suspect make: what was there at the last build, and what is there now.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use suspect_format::trace::hash_bytes;

use super::event::{self, EventStep};
use super::run::log_in;
use super::toolchain::Toolchain;

/// Version of the file of what was built.
const VERSION: u32 = 1;
/// Files that are looked at, at most: more belong to no project that one person builds.
const MOST_FILES: usize = 100_000;
/// What names of files end with that a build of C code reads.
const READ: [&str; 14] = ["c", "h", "inc", "def", "y", "l", "i", "s", "S", "mk", "am", "ac", "cmake", "tbl"];
/// Names of files that say how a project is built.
const RULES: [&str; 4] = ["Makefile", "makefile", "CMakeLists.txt", "meson.build"];
/// What objects are set back to, so that every build system takes them for older than their sources: a day that all file systems know.
const LONG_AGO: Duration = Duration::from_secs(10 * 365 * 24 * 3600);

/// What a build was made from.
#[derive(Debug, Serialize, Deserialize)]
struct Built {
    version: u32,
    /// Plugin and runtime: a hash of their bytes.
    release: u64,
    files: Vec<SourceState>,
}

/// A file that a build may have read.
#[derive(Debug, Serialize, Deserialize)]
struct SourceState {
    /// Relative to the project's root.
    path: PathBuf,
    size: u64,
    /// Nanoseconds since 1970.
    modified: u128,
    hash: u64,
}

/// Why programs are not what they should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stale {
    /// These files changed or went away since the build; the first of them, and how many.
    Sources(PathBuf, usize),
    /// Another release of suspect instrumented them.
    Release,
}

impl std::fmt::Display for Stale {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Stale::Sources(first, 1) => write!(to, "{} changed since the last build", first.display()),
            Stale::Sources(first, 2) => {
                write!(to, "{} and one more file changed since the last build", first.display())
            }
            Stale::Sources(first, n) => {
                write!(to, "{} and {} more files changed since the last build", first.display(), n - 1)
            }
            Stale::Release => to.write_str("another release of suspect built the program"),
        }
    }
}

/// Notes what the build that has just ended was made from.
///
/// # Errors
/// When the note cannot be written. Files that cannot be read are left out.
pub fn note(root: &Path, state: &Path, toolchain: &Toolchain) -> io::Result<()> {
    let look = |path: PathBuf| SourceState::of(root, path);
    let built = Built {
        version: VERSION,
        release: release(toolchain),
        files: read_files(root).into_iter().filter_map(look).collect(),
    };
    let path = note_in(state);
    let new = path.with_extension("new");
    fs::write(&new, serde_json::to_vec(&built)?)?;
    fs::rename(new, path)
}

/// Why the programs of the last build are not what they should be; `None` if they are, or nothing was built.
pub fn stale(root: &Path, state: &Path, toolchain: &Toolchain) -> Option<Stale> {
    // Releases that noted nothing built, too.
    let Some(built) = noted(state) else { return log_in(state).exists().then_some(Stale::Release) };
    if built.version != VERSION || built.release != release(toolchain) {
        return Some(Stale::Release);
    }
    built.changed(root)
}

/// The sources of the last build, watched for changes.
pub struct Watched {
    root: PathBuf,
    files: Vec<SourceState>,
}

impl Watched {
    /// These sources as they are now, and one `more` file, relative to the root.
    pub fn now(root: &Path, state: &Path, more: &str) -> Watched {
        let noted = noted(state).map(|built| built.files).unwrap_or_default();
        let paths = noted.into_iter().map(|file| file.path).chain([more.into()]);
        Watched { root: root.to_path_buf(), files: paths.filter_map(|path| SourceState::of(root, path)).collect() }
    }

    /// Whether one of them is another one: what tests write again as it was is none.
    pub fn is_changed(&self) -> bool {
        self.files.iter().any(|file| file.has_changed(&self.root))
    }
}

fn noted(state: &Path) -> Option<Built> {
    serde_json::from_slice(&fs::read(note_in(state)).ok()?).ok()
}

impl Built {
    fn changed(&self, root: &Path) -> Option<Stale> {
        let changed: Vec<&SourceState> = self.files.iter().filter(|file| file.has_changed(root)).collect();
        changed.first().map(|first| Stale::Sources(first.path.clone(), changed.len()))
    }
}

/// Makes everything that the driver made older than its sources, so that the next build makes it again.
///
/// # Errors
/// When the log of builds cannot be read. What is not there any more is left out.
pub fn age(state: &Path) -> io::Result<()> {
    let long_ago = UNIX_EPOCH + LONG_AGO;
    let set_back = |path: &Path| {
        // What cannot be changed is made anew by hand; the build says so of what another release made.
        let _ = fs::File::options().write(true).open(path).and_then(|file| file.set_modified(long_ago));
    };
    for event in event::read(&log_in(state))?.iter().filter(|event| !event.output.is_empty()) {
        let path = event.path();
        set_back(&path);
        if event.step == EventStep::Compile {
            libtool(&path).iter().for_each(|path| set_back(path));
        }
    }
    Ok(())
}

/// The files that libtool keeps of an object and make looks at.
fn libtool(object: &Path) -> Vec<PathBuf> {
    let beside = object.with_extension("lo");
    let directory = object.parent().filter(|parent| parent.ends_with(".libs")).and_then(Path::parent);
    let above = directory.zip(object.file_name()).map(|(directory, name)| directory.join(name).with_extension("lo"));
    std::iter::once(beside).chain(above).filter(|path| path.is_file()).collect()
}

fn note_in(state: &Path) -> PathBuf {
    state.join("built.json")
}

fn release(toolchain: &Toolchain) -> u64 {
    let parts = [&toolchain.plugin, &toolchain.start, &toolchain.end];
    parts.into_iter().fold(0, |hash, path| hash_bytes(hash, &fs::read(path).unwrap_or_default()))
}

impl SourceState {
    fn of(root: &Path, path: PathBuf) -> Option<SourceState> {
        let full = root.join(&path);
        let (size, modified) = size_and_time(&full)?;
        Some(SourceState { size, modified, hash: hash_bytes(0, &fs::read(full).ok()?), path })
    }

    /// True if the contents are others: a file that was written again as it was makes no program stale.
    fn has_changed(&self, root: &Path) -> bool {
        let full = root.join(&self.path);
        match size_and_time(&full) {
            Some((size, modified)) if (size, modified) == (self.size, self.modified) => false,
            Some((size, _)) if size != self.size => true,
            Some(_) => fs::read(full).map_or(true, |bytes| hash_bytes(0, &bytes) != self.hash),
            None => true,
        }
    }
}

fn size_and_time(path: &Path) -> Option<(u64, u128)> {
    let data = path.metadata().ok().filter(fs::Metadata::is_file)?;
    let modified: SystemTime = data.modified().ok()?;
    Some((data.len(), modified.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos())))
}

/// The files below `root` that a build may read, relative to it, without hidden directories.
fn read_files(root: &Path) -> Vec<PathBuf> {
    let mut directories = vec![PathBuf::new()];
    let mut files = Vec::new();
    while let Some(directory) = directories.pop() {
        let Ok(entries) = fs::read_dir(root.join(&directory)) else { continue };
        for entry in entries.flatten() {
            let (name, Ok(kind)) = (entry.file_name(), entry.file_type()) else { continue };
            let path = directory.join(&name);
            let hidden = name.as_encoded_bytes().starts_with(b".");
            if kind.is_dir() && !hidden {
                directories.push(path);
            } else if kind.is_file() && is_read(&path) {
                files.push(path);
            }
            if files.len() >= MOST_FILES {
                return files;
            }
        }
    }
    files.sort();
    files
}

fn is_read(path: &Path) -> bool {
    let ends = |extension: &std::ffi::OsStr| READ.iter().any(|read| extension == *read);
    path.extension().is_some_and(ends) || path.file_name().is_some_and(|name| RULES.iter().any(|rule| name == *rule))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toolchain(root: &Path) -> Toolchain {
        fs::write(root.join("plugin.so"), "one").unwrap();
        let [clang, start, end, script] = ["clang", "start.o", "end.o", "script"].map(|name| root.join(name));
        Toolchain { clang, version: "19.1.7".into(), plugin: root.join("plugin.so"), start, end, script }
    }

    #[test]
    fn what_was_built_is_stale_once_a_source_or_the_release_is_another() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let toolchain = toolchain(root);
        fs::create_dir_all(root.join("src/.hidden")).unwrap();
        for file in ["src/a.c", "src/a.h", "Makefile", "data.txt", "src/.hidden/b.c"] {
            fs::write(root.join(file), "x\n").unwrap();
        }
        let look = || stale(root, root, &toolchain);
        assert_eq!(look(), None, "nothing is known");
        note(root, root, &toolchain).unwrap();
        assert_eq!(look(), None);
        // Neither read by builds, nor another text.
        fs::write(root.join("data.txt"), "other\n").unwrap();
        fs::write(root.join("src/.hidden/b.c"), "other\n").unwrap();
        fs::write(root.join("new.c"), "other\n").unwrap();
        fs::write(root.join("src/a.c"), "x\n").unwrap();
        assert_eq!(look(), None);
        fs::write(root.join("src/a.h"), "y\n").unwrap();
        assert_eq!(look(), Some(Stale::Sources("src/a.h".into(), 1)));
        fs::remove_file(root.join("src/a.c")).unwrap();
        assert_eq!(look().unwrap().to_string(), "src/a.c and one more file changed since the last build");
        fs::write(root.join("plugin.so"), "two").unwrap();
        assert_eq!(look(), Some(Stale::Release));
    }

    #[test]
    fn what_was_made_becomes_older_than_its_sources() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        fs::create_dir(root.join(".libs")).unwrap();
        for file in ["a.o", ".libs/b.o", "b.lo", "other.o"] {
            fs::write(root.join(file), "x").unwrap();
        }
        let event = |output: &str| event::Event {
            step: EventStep::Compile,
            inputs: Vec::new(),
            output: output.into(),
            directory: root.to_string_lossy().into_owned(),
            compiler: "clang".into(),
            left: None,
        };
        event::append(log_in(root).as_os_str(), &[event("a.o"), event(".libs/b.o"), event("gone.o"), event("")])
            .unwrap();
        age(root).unwrap();
        let is_old = |file: &str| root.join(file).metadata().unwrap().modified().unwrap() == UNIX_EPOCH + LONG_AGO;
        assert_eq!(["a.o", ".libs/b.o", "b.lo", "other.o"].map(is_old), [true, true, true, false]);
    }
}
