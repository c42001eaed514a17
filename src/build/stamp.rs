//! Files as they were at some time, and whether they are others now.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use suspect_format::trace::{HASH_START, hash_bytes};

/// Headers below it belong to the system: a package manager changes them, and there are thousands.
const SYSTEM: &str = "/usr";

/// A file as it was when it was compiled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// As seen from the project's root, where it lies below it.
    pub path: PathBuf,
    size: u64,
    /// Time of change, nanoseconds since 1970.
    changed: u128,
    /// Hash of its text; none where it was changed after its compilation began.
    hash: Option<u64>,
    /// Hash of its text when the build had ended.
    #[serde(default)]
    at_end: Option<u64>,
}

impl Input {
    /// Whether its text is known: it was not changed after the build began.
    pub fn is_known(&self) -> bool {
        self.hash.is_some()
    }
}

/// Files looked at once.
pub struct Stamps<'a> {
    root: &'a Path,
    known: HashMap<PathBuf, Option<u64>>,
    /// Hashes of texts at the end of the build before, by paths as in [`Input`].
    before: HashMap<PathBuf, u64>,
}

impl<'a> Stamps<'a> {
    /// Of a project, none looked at yet.
    pub fn new(root: &'a Path) -> Stamps<'a> {
        Stamps { root, known: HashMap::new(), before: HashMap::new() }
    }

    /// Of a project whose build before took in these files.
    pub fn after<'i>(root: &'a Path, inputs: impl Iterator<Item = &'i Input>) -> Stamps<'a> {
        let before = inputs.filter_map(|input| Some((input.path.clone(), input.at_end?))).collect();
        Stamps { before, ..Stamps::new(root) }
    }

    /// A file that was compiled in a compilation that began `at` this time; `None` for those of the system, and for what is gone.
    pub fn input(&mut self, path: &Path, at: u128) -> Option<Input> {
        let path = path.canonicalize().ok().filter(|path| path.is_file() && !path.starts_with(SYSTEM))?;
        let changed = changed(&path)?;
        let size = path.metadata().ok()?.len();
        let (at_end, path) = (self.hash(&path), below(self.root, &path));
        // A build may write a file again beside its compilation, each time with the same text.
        let is_as_before = self.before.get(&path).copied() == at_end;
        let hash = at_end.filter(|_| changed <= at || is_as_before);
        Some(Input { path, size, changed, hash, at_end })
    }

    /// Whether a file is another one now than at the end of its build.
    pub fn is_edited(&mut self, input: &Input) -> bool {
        match input.at_end {
            Some(at_end) if input.hash.is_none() => self.hash(&self.root.join(&input.path)) != Some(at_end),
            _ => self.differs(input),
        }
    }

    /// Whether a file is another one now.
    pub fn differs(&mut self, input: &Input) -> bool {
        let path = self.root.join(&input.path);
        let Ok(data) = path.metadata() else { return true };
        match input.hash {
            None => true,
            Some(_) if data.len() == input.size && changed(&path) == Some(input.changed) => false,
            hash => data.len() != input.size || self.hash(&path) != hash,
        }
    }

    fn hash(&mut self, path: &Path) -> Option<u64> {
        if let Some(known) = self.known.get(path) {
            return *known;
        }
        let hash = fs::read(path).ok().map(|bytes| hash_bytes(HASH_START, &bytes));
        self.known.insert(path.to_path_buf(), hash);
        hash
    }
}

/// As seen from the project's root, where it lies below it.
pub fn below(root: &Path, path: &Path) -> PathBuf {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    path.strip_prefix(root).map(Path::to_path_buf).unwrap_or(path)
}

/// Time of change, nanoseconds since 1970.
pub fn changed(path: &Path) -> Option<u128> {
    Some(nanoseconds(path.metadata().ok()?.modified().ok()?))
}

/// Nanoseconds since 1970.
pub fn nanoseconds(time: SystemTime) -> u128 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos()
}
