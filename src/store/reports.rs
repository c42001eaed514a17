//! The report of a run, with what it was made of, so that it need not be made again as long as that is the same.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use suspect_format::trace::{HASH_START, hash_bytes};

use super::{Store, StoreError, encoding};

/// Version of what is kept of the state.
const VERSION: u32 = 1;

/// What a report is made of, as numbers that change whenever something of it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportState {
    /// The tool.
    pub tool: u64,
    /// The store: see [`Store::state`].
    pub store: u64,
    /// The sources: see [`stamps`].
    pub sources: u64,
}

#[derive(Serialize, Deserialize)]
struct Kept {
    version: u32,
    state: ReportState,
    /// Hash of the report.
    report: u64,
}

/// Names in the store that reports do not depend on: of its own directory, and of any.
const OUTSIDE: [&str; 3] = ["tmp", "build", "lock"];
const REPORT: &str = "report.json";
const STATE: &str = "report.state";

impl Store {
    /// Keeps the report of a run, whole or not at all, and what it was made of.
    pub fn save_report(&self, run: u64, report: &[u8], state: ReportState) -> Result<(), StoreError> {
        encoding::write_bytes(&self.report_file(run, REPORT), report)?;
        let kept = Kept { version: VERSION, state, report: hash_bytes(HASH_START, report) };
        encoding::write_json(&self.report_file(run, STATE), &kept)
    }

    /// The report that is kept of a run, and what it was made of; `None` where there is none, or it is not whole.
    pub fn load_report(&self, run: u64) -> Option<(Vec<u8>, ReportState)> {
        let kept: Kept = encoding::read_json(&self.report_file(run, STATE)).ok()??;
        let report = fs::read(self.report_file(run, REPORT)).ok()?;
        let is_whole = kept.version == VERSION && kept.report == hash_bytes(HASH_START, &report);
        is_whole.then_some((report, kept.state))
    }

    fn report_file(&self, run: u64, name: &str) -> PathBuf {
        self.directory.join("runs").join(run.to_string()).join(name)
    }

    /// A number that is another one after anything that a report tells of was written into the store: files are told apart by inode, size and
    /// times, without being read.
    ///
    /// # Errors
    /// When a directory cannot be read.
    pub fn state(&self) -> Result<u64, StoreError> {
        let mut found: Vec<(PathBuf, Metadata)> = Vec::new();
        let mut open = vec![self.directory.clone()];
        while let Some(directory) = open.pop() {
            for entry in fs::read_dir(&directory).map_err(StoreError::io("read", &directory))? {
                let entry = entry.map_err(StoreError::io("read", &directory))?;
                let (path, name) = (entry.path(), entry.file_name());
                let is = |other: &str| name == *other;
                let is_outside = directory == self.directory && OUTSIDE.into_iter().any(is);
                if is_outside || is(REPORT) || is(STATE) || path.extension().is_some_and(|end| end == "lock") {
                    continue;
                }
                // What is removed meanwhile was there for a moment only.
                match entry.metadata() {
                    Ok(data) if data.is_dir() => open.push(path),
                    Ok(data) => found.push((path, data)),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => return Err(StoreError::io("look at", &path)(error)),
                }
            }
        }
        found.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(found.iter().fold(HASH_START, |hash, (path, data)| stamped(hash, path, Some(data))))
    }
}

/// A number that is another one after any of these files was written, made or removed.
pub fn stamps(files: impl IntoIterator<Item = impl AsRef<Path>>) -> u64 {
    files.into_iter().fold(HASH_START, |hash, file| stamped(hash, file.as_ref(), fs::metadata(&file).ok().as_ref()))
}

fn stamped(hash: u64, path: &Path, data: Option<&Metadata>) -> u64 {
    let hash = hash_bytes(hash_bytes(hash, path.as_os_str().as_bytes()), &[0]);
    let Some(data) = data else { return hash };
    let times = [data.mtime(), data.mtime_nsec(), data.ctime(), data.ctime_nsec()];
    let words = [data.ino(), data.size()].into_iter().chain(times.map(|time| time as u64));
    words.fold(hash, |hash, word| hash_bytes(hash, &word.to_le_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_changes_the_state_and_what_is_read_or_reported_does_not() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new(directory.path());
        store.save_cleared(&["a.c:1".into()]).unwrap();
        let first = store.state().unwrap();
        assert_eq!(store.load_cleared().unwrap().len(), 1);
        let state = ReportState { tool: 1, store: first, sources: 2 };
        fs::create_dir_all(store.directory().join("runs/1")).unwrap();
        store.save_report(1, b"{}", state).unwrap();
        drop(store.lock().unwrap());
        assert_eq!(store.state().unwrap(), first);
        assert_eq!(store.load_report(1), Some((b"{}".to_vec(), state)));
        store.save_cleared(&["a.c:2".into()]).unwrap();
        assert_ne!(store.state().unwrap(), first);
        fs::write(store.report_file(1, REPORT), "[]").unwrap();
        assert_eq!(store.load_report(1), None, "another file");
        assert_eq!(store.load_report(2), None);
    }

    #[test]
    fn stamps_tell_files_that_are_there_and_as_they_were() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("a.c");
        let absent = stamps([&file]);
        fs::write(&file, "1").unwrap();
        let there = stamps([&file]);
        assert_ne!(absent, there);
        assert_eq!(stamps([&file]), there);
        fs::write(&file, "12").unwrap();
        assert_ne!(stamps([&file]), there);
    }
}
