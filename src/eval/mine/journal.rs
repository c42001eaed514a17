//! What became of each commit: a line of JSON each, so that mining goes on where it was interrupted.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::obstacle::Obstacle;

/// The journal's name in the benchmark's directory.
pub const FILE: &str = "mined.jsonl";

/// What became of a commit.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "outcome", content = "why")]
pub enum Fate {
    /// It is a program of the benchmark, of this name.
    Kept(String),
    /// It does not build, with or without its changes.
    Unbuilt(String),
    /// No test tells the versions apart.
    Unnoticed,
    /// No test passes with the changes.
    Useless(String),
    /// It fails all tests without its changes, or they do not end.
    Broken,
    /// Its tests fail now and then.
    Flaky,
    /// It has no line that can be blamed.
    Lineless,
    /// It adds or removes files.
    Restructured,
    /// Its tree is too large.
    Large,
}

/// One line of the journal.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Entry {
    commit: String,
    subject: String,
    #[serde(flatten)]
    fate: Fate,
}

/// The journal.
pub struct Journal {
    path: PathBuf,
    file: File,
    fates: HashMap<String, Fate>,
}

impl Journal {
    /// Opens the journal of a benchmark's directory, which is made if need be.
    ///
    /// # Errors
    /// When it cannot be read or written, or is none.
    pub fn open(directory: &Path) -> Result<Journal, Obstacle> {
        let path = directory.join(FILE);
        let wrong = |what: &str, why: String| {
            Obstacle::new(Obstacle::File, format!("{}: cannot be {what}: {why}", path.display()))
        };
        fs::create_dir_all(directory).map_err(|error| wrong("made", error.to_string()))?;
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(wrong("read", error.to_string())),
        };
        let mut fates = HashMap::new();
        // A last line without its end was cut off when it was written.
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        for (number, line) in (1..).zip(whole.lines()) {
            let entry: Entry = serde_json::from_str(line)
                .map_err(|error| wrong("read", format!("line {number}: {error}; remove it to begin anew")))?;
            fates.insert(entry.commit, entry.fate);
        }
        let file = OpenOptions::new().create(true).append(true).open(&path);
        let file = file.map_err(|error| wrong("written", error.to_string()))?;
        file.set_len(whole.len() as u64).map_err(|error| wrong("written", error.to_string()))?;
        Ok(Journal { path, file, fates })
    }

    /// What became of a commit.
    pub fn fate(&self, commit: &str) -> Option<&Fate> {
        self.fates.get(commit)
    }

    /// What became of all commits.
    pub fn fates(&self) -> impl Iterator<Item = &Fate> {
        self.fates.values()
    }

    /// Commits that are programs of the benchmark.
    pub fn n_kept(&self) -> usize {
        self.fates().filter(|fate| matches!(fate, Fate::Kept(_))).count()
    }

    /// Notes what became of a commit.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn note(&mut self, commit: &str, subject: &str, fate: Fate) -> Result<(), Obstacle> {
        let entry = Entry { commit: commit.to_owned(), subject: subject.to_owned(), fate: fate.clone() };
        let mut line = serde_json::to_string(&entry).map_err(Obstacle::of(Obstacle::Internal))?;
        line.push('\n');
        self.file.write_all(line.as_bytes()).map_err(|error| {
            Obstacle::new(Obstacle::File, format!("{}: cannot be written: {error}", self.path.display()))
        })?;
        self.fates.insert(entry.commit, fate);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_noted_is_known_again_and_half_a_line_is_not() {
        let directory = tempfile::tempdir().unwrap();
        let mut journal = Journal::open(directory.path()).unwrap();
        journal.note("a1", "one", Fate::Kept("p-a1".into())).unwrap();
        journal.note("b2", "two", Fate::Unnoticed).unwrap();
        let path = directory.path().join(FILE);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{text}{{\"commit\": \"c3")).unwrap();
        let mut journal = Journal::open(directory.path()).unwrap();
        assert_eq!((journal.fate("b2"), journal.fate("c3"), journal.n_kept()), (Some(&Fate::Unnoticed), None, 1));
        journal.note("c3", "three", Fate::Flaky).unwrap();
        assert_eq!(Journal::open(directory.path()).unwrap().fates().count(), 3);
        fs::write(&path, "no journal\n").unwrap();
        let failure = Journal::open(directory.path()).map(|_| ()).unwrap_err();
        assert!(failure.to_string().contains("line 1"), "{failure}");
    }
}
