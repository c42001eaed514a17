//! Removing what is too old to be kept. Whoever is killed meanwhile leaves what the next one removes.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Deserialize;

use super::{Store, StoreError, encoding, run_numbers, sessions};

impl Store {
    /// Removes all complete runs but the latest `keep`, and then whatever was found out before the oldest of them began. For who
    /// holds the lock.
    pub fn prune(&self, keep: usize) -> Result<(), StoreError> {
        self.prune_runs(keep)?;
        self.remove_torn()?;
        let Some(oldest) = self.runs()?.first().copied() else { return Ok(()) };
        let began = self.began(oldest)?;
        for name in ["evidence", "campaigns"] {
            let directories = sessions::names(&self.directory.join(name), |_| true)?;
            for directory in directories.iter().filter(|path| path.is_dir()) {
                if last_written(directory).is_some_and(|at| at < began) {
                    sessions::clear(directory)?;
                }
            }
        }
        for path in sessions::names(&self.directory.join("explanations"), |_| true)? {
            if written(&path).is_some_and(|at| at < began) {
                remove_file(&path)?;
            }
        }
        self.kills().prune(began)?;
        self.prune_sources()
    }

    /// Removes all complete runs but the latest `keep`.
    pub fn prune_runs(&self, keep: usize) -> Result<(), StoreError> {
        let runs = self.directory.join("runs");
        for number in run_numbers(&runs)?.iter().rev().skip(keep) {
            // Under this name it is no run any more, however much of it is left.
            let (path, torn) = (runs.join(number.to_string()), runs.join(format!("{number}.part")));
            fs::rename(&path, &torn).map_err(StoreError::io("remove", &path))?;
            fs::remove_dir_all(&torn).map_err(StoreError::io("remove", &torn))?;
        }
        Ok(())
    }

    /// Removes what killed processes left: runs that are not complete, and files that were not renamed into place.
    fn remove_torn(&self) -> Result<(), StoreError> {
        for path in sessions::names(&self.directory.join("runs"), |name| name.ends_with(".part"))? {
            fs::remove_dir_all(&path).map_err(StoreError::io("remove", &path))?;
        }
        let mut directories = vec![self.directory.clone()];
        directories.extend(self.runs()?.iter().map(|run| self.directory.join("runs").join(run.to_string())));
        for directory in directories {
            for path in sessions::names(&directory, |name| name.starts_with(".tmp"))? {
                remove_file(&path)?;
            }
        }
        Ok(())
    }

    fn began(&self, run: u64) -> Result<u64, StoreError> {
        #[derive(Deserialize)]
        struct Head {
            began: u64,
        }
        let path = self.directory.join("runs").join(run.to_string()).join("run.json");
        Ok(encoding::read_json::<Head>(&path)?.map_or(0, |head| head.began))
    }

    /// Removes sources that no kept night has.
    fn prune_sources(&self) -> Result<(), StoreError> {
        #[derive(Deserialize)]
        struct Named {
            sources: std::collections::BTreeMap<String, String>,
        }
        let mut named = BTreeSet::new();
        for run in self.runs()? {
            match self.load_night::<Named>(run) {
                Ok(night) => named.extend(night.into_iter().flat_map(|night| night.sources.into_values())),
                // Which sources it has cannot be told, so all of them stay.
                Err(_) => return Ok(()),
            }
        }
        for path in sessions::names(&self.sources(), |name| !named.contains(name))? {
            remove_file(&path)?;
        }
        Ok(())
    }
}

fn remove_file(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(StoreError::io("remove", path)(error)),
        _ => Ok(()),
    }
}

/// When a file was last written, seconds since 1970.
fn written(path: &Path) -> Option<u64> {
    let since = path.metadata().ok()?.modified().ok()?.duration_since(UNIX_EPOCH);
    since.ok().or_else(|| SystemTime::now().duration_since(UNIX_EPOCH).ok()).as_ref().map(Duration::as_secs)
}

/// When a file of a directory was last written; `None` where there is none.
fn last_written(directory: &Path) -> Option<u64> {
    let paths = sessions::names(directory, |name| !name.ends_with(".lock")).ok()?;
    paths.iter().filter_map(|path| written(path)).max().or_else(|| written(directory))
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;
    use suspect_core::trial::End;

    use crate::store::{KillFrame, KillKey, KillOutcome, KillResult, Shard, TriedRecord};

    /// A complete run that began then, with a night of one source.
    fn run(store: &Store, number: u64, began: u64) {
        let directory = store.directory().join("runs").join(number.to_string());
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join("run.json"), format!("{{\"began\": {began}}}")).unwrap();
        let source = store.save_source(format!("source {number}").as_bytes()).unwrap();
        store.save_night(number, &serde_json::json!({ "sources": { "a.c": source, "b.c": source } })).unwrap();
    }

    fn count(store: &Store, name: &str) -> usize {
        fs::read_dir(store.directory().join(name)).map_or(0, Iterator::count)
    }

    #[test]
    fn what_is_older_than_the_oldest_kept_run_goes() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new(directory.path());
        (1..=4).for_each(|number| run(&store, number, number * 1_000_000_000));
        for (key, at) in [(1u64, 1_500_000_000u64), (2, 4_500_000_000)] {
            let evidence = store.evidence(key);
            let record = TriedRecord { candidate: 1, test: 1, effect: 1, end: End::Exited(0), matched: None };
            evidence.begin().unwrap().append(&vec![record]).unwrap();
            let file = File::options().write(true).open(evidence.directory().join("shard-1-of-1.1.outcomes")).unwrap();
            file.set_modified(UNIX_EPOCH + Duration::from_secs(at)).unwrap();
            let key = KillKey { mutant: key, test: 1, state: 1 };
            let mut kills = store.kills().begin(Shard::WHOLE).unwrap();
            let result = KillResult { key, outcome: KillOutcome::Killed, end: End::Exited(0) };
            kills.append(&KillFrame { build: 1, at, results: vec![result] }).unwrap();
        }
        fs::create_dir_all(store.directory().join("runs/5.part/sites")).unwrap();
        fs::write(store.directory().join(".tmpleft"), "").unwrap();
        store.prune(4).unwrap();
        assert_eq!(
            (store.runs().unwrap().len(), count(&store, "evidence"), store.kills().load().unwrap().len()),
            (4, 2, 2)
        );
        assert!(!store.directory().join("runs/5.part").exists() && !store.directory().join(".tmpleft").exists());
        store.prune(2).unwrap();
        assert_eq!(store.runs().unwrap(), [3, 4]);
        assert_eq!((count(&store, "evidence"), count(&store, "sources")), (1, 2));
        let kills = store.kills().load().unwrap();
        assert_eq!(kills.iter().map(|record| record.key.mutant).collect::<Vec<_>>(), [2]);
        store.prune(2).unwrap();
        assert_eq!((store.runs().unwrap().len(), count(&store, "sources")), (2, 2), "nothing more");
    }

    #[test]
    fn sources_stay_where_a_night_cannot_be_read() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new(directory.path());
        (1..=2).for_each(|number| run(&store, number, number));
        fs::write(store.night_file(2), "{").unwrap();
        store.prune(1).unwrap();
        assert_eq!(count(&store, "sources"), 2);
    }
}
