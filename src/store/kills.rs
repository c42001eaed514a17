//! What tests do to code mutants: results that are looked up by what they depend on, whatever build or session found them out.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use suspect_core::trial::End;

use super::sessions::{self, Appended};
use super::{Lock, Shard, ShardEnds, Store, StoreError, encoding};

/// Kind of the frames that hold results.
const KIND_KILLS: u32 = 18;

/// What a result is of, and what it depends on. Results are those of any trial of the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct KillKey {
    /// Identity of the mutant.
    pub mutant: u64,
    /// Identity of the test.
    pub test: u64,
    /// A hash of what the result depends on: the code that the mutant changes, and the test.
    pub state: u64,
}

/// What a test did to a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum KillOutcome {
    /// The test fails with it.
    Killed,
    /// The test passes with it.
    Passed,
    /// It changed no value in the test: the run is the one without it.
    Same,
    /// Nothing can be said: the clock stopped it.
    Unknown,
}

/// A result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KillRecord {
    /// Of what.
    pub key: KillKey,
    /// What came out.
    pub outcome: KillOutcome,
    /// How the program ended.
    pub end: End,
    /// The build in which it was found out.
    pub build: u64,
    /// When, seconds since 1970.
    pub at: u64,
}

/// Where results are.
#[derive(Clone, Debug)]
pub struct KillStore {
    directory: PathBuf,
}

/// A result, without the build and the time of it.
pub type Found = (KillKey, KillOutcome, End);

/// Results as they stand in a frame.
#[derive(Serialize, Deserialize)]
struct Frame {
    build: u64,
    at: u64,
    results: Vec<(KillKey, KillOutcome, u8, i32)>,
}

impl Store {
    /// What tests do to code mutants.
    pub fn kills(&self) -> KillStore {
        KillStore { directory: self.directory().join("kills") }
    }
}

impl KillStore {
    /// Where they are.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Takes the right to run a shard: given back when dropped, also when the process dies.
    pub fn lock_shard(&self, shard: Shard) -> Result<Lock, StoreError> {
        sessions::lock(&self.directory, shard)
    }

    /// The shards that have ended.
    pub fn shards(&self) -> ShardEnds {
        ShardEnds::of(&self.directory)
    }

    /// Puts all results into one file, in the order of their keys, in place of the files that they are in. Unless a shard is running.
    pub fn join(&self) -> Result<(), StoreError> {
        let _held = sessions::lock_all(&self.directory)?;
        let files = sessions::names(&self.directory, |name| name.ends_with(".kills"))?;
        let kills = self.load()?;
        let mut bytes = Vec::new();
        for part in kills.records.chunk_by(|a, b| (a.build, a.at) == (b.build, b.at)) {
            let found: Vec<Found> = part.iter().map(|record| (record.key, record.outcome, record.end)).collect();
            bytes.extend(encode(part[0].build, part[0].at, &found));
        }
        sessions::replace(&self.directory, "kills", &files, &bytes)
    }

    /// Adds what another store has.
    pub fn take(&self, other: &KillStore) -> Result<(), StoreError> {
        sessions::create(&self.directory)?;
        sessions::copy_sessions(&other.directory, &self.directory, "kills")
    }

    /// Removes everything, unless a shard is running.
    pub fn clear(&self) -> Result<(), StoreError> {
        sessions::clear(&self.directory)
    }

    /// Forgets what was found out before `oldest`, seconds since 1970, unless a shard is running. Files without any of that are left as they are.
    pub fn prune(&self, oldest: u64) -> Result<(), StoreError> {
        for path in sessions::names(&self.directory, |name| name.ends_with(".kills"))? {
            let bytes = fs::read(&path).map_err(StoreError::io("read", &path))?;
            let mut kept: BTreeMap<(u64, u64), Vec<Found>> = BTreeMap::new();
            let mut n_old = 0;
            scan_kills(&bytes, |record| match record.at < oldest {
                true => n_old += 1,
                false => {
                    kept.entry((record.build, record.at)).or_default().push((record.key, record.outcome, record.end));
                }
            });
            if n_old > 0 {
                let Ok(_held) = sessions::lock_all(&self.directory) else { return Ok(()) };
                let fresh: Vec<u8> =
                    kept.into_iter().flat_map(|((build, at), records)| encode(build, at, &records)).collect();
                match fresh.is_empty() {
                    true => fs::remove_file(&path).map_err(StoreError::io("remove", &path))?,
                    false => encoding::write_bytes(&path, &fresh)?,
                }
            }
        }
        Ok(())
    }

    /// A new file for what a shard finds out now.
    pub fn begin(&self, shard: Shard) -> Result<KillWriter, StoreError> {
        sessions::begin(&self.directory, shard, "kills").map(|file| KillWriter { file })
    }

    /// Everything that has been found out.
    pub fn load(&self) -> Result<Kills, StoreError> {
        let mut kills = Kills::default();
        for path in sessions::names(&self.directory, |name| name.ends_with(".kills"))? {
            let bytes = fs::read(&path).map_err(StoreError::io("read", &path))?;
            let damaged = scan_kills(&bytes, |record| kills.records.push(record));
            if damaged > 0 {
                kills.damaged.push((path, damaged));
            }
        }
        // What is known comes before what is not, and what was found out first before what only says so again.
        kills.records.sort_by_key(|record| (record.key, record.outcome == KillOutcome::Unknown, record.at));
        kills.records.dedup_by_key(|record| record.key);
        Ok(kills)
    }
}

/// A file that results are appended to.
#[derive(Debug)]
pub struct KillWriter {
    file: Appended,
}

impl KillWriter {
    /// Appends results that were found out in this build at this time. When this returns they outlast the process.
    pub fn append(&mut self, build: u64, at: u64, records: &[Found]) -> Result<(), StoreError> {
        self.file.append(&encode(build, at, records))
    }

    /// Waits until the disk has everything.
    pub fn sync(&self) -> Result<(), StoreError> {
        self.file.sync()
    }
}

fn encode(build: u64, at: u64, records: &[Found]) -> Vec<u8> {
    let results = records.iter().map(|(key, outcome, end)| {
        let (tag, number) = match end {
            End::Exited(status) => (0, *status),
            End::Signalled(signal) => (1, *signal),
            End::Cut => (2, 0),
            End::Unknown => (3, 0),
        };
        (*key, *outcome, tag, number)
    });
    encoding::frame(0, KIND_KILLS, &Frame { build, at, results: results.collect() })
}

/// Finds all results of a file, in the order in which they were found out, and how many stretches before the last of them had to be
/// passed over.
pub fn scan_kills(bytes: &[u8], mut visit: impl FnMut(KillRecord)) -> usize {
    encoding::scan(bytes, KIND_KILLS, |_, payload| {
        let Frame { build, at, results } = encoding::decode(payload)?;
        for (key, outcome, tag, number) in results {
            let end = match tag {
                0 => End::Exited(number),
                1 => End::Signalled(number),
                2 => End::Cut,
                _ => End::Unknown,
            };
            visit(KillRecord { key, outcome, end, build, at });
        }
        Some(encoding::FRAME_HEADER + payload.len())
    })
}

/// Results, each key once.
#[derive(Debug, Default)]
pub struct Kills {
    records: Vec<KillRecord>,
    damaged: Vec<(PathBuf, usize)>,
}

impl Kills {
    /// How many.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The result of this key.
    pub fn get(&self, key: &KillKey) -> Option<&KillRecord> {
        self.records.binary_search_by_key(key, |record| record.key).ok().map(|at| &self.records[at])
    }

    /// All of them, in the order of their keys.
    pub fn iter(&self) -> impl Iterator<Item = &KillRecord> {
        self.records.iter()
    }

    /// Files of which parts had to be passed over, with the number of such parts.
    pub fn damaged(&self) -> &[(PathBuf, usize)] {
        &self.damaged
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u64) -> KillKey {
        KillKey { mutant: number, test: number / 3, state: 7 }
    }

    fn store() -> (tempfile::TempDir, KillStore) {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new(directory.path()).kills();
        (directory, store)
    }

    fn outcomes(store: &KillStore) -> Vec<(u64, KillOutcome)> {
        store.load().unwrap().iter().map(|record| (record.key.mutant, record.outcome)).collect()
    }

    const EXITED: End = End::Exited(1);

    #[test]
    fn results_of_all_sessions_and_shards_are_read_once_and_what_is_known_counts() {
        let (_directory, store) = store();
        let mut first = store.begin(Shard { number: 2, of: 2 }).unwrap();
        let unknown = (key(4), KillOutcome::Unknown, End::Unknown);
        first.append(5, 100, &[(key(9), KillOutcome::Killed, End::Signalled(11)), unknown]).unwrap();
        let mut whole = store.begin(Shard::WHOLE).unwrap();
        whole.append(6, 200, &[(key(4), KillOutcome::Passed, EXITED), (key(9), KillOutcome::Killed, EXITED)]).unwrap();
        let kills = store.load().unwrap();
        assert_eq!(outcomes(&store), [(4, KillOutcome::Passed), (9, KillOutcome::Killed)]);
        let found = kills.get(&key(9)).unwrap();
        assert_eq!((found.build, found.at, found.end), (5, 100, End::Signalled(11)));
        assert_eq!(kills.get(&KillKey { state: 8, ..key(9) }), None, "another state is another key");
        assert_eq!((kills.len(), kills.is_empty(), kills.damaged().len()), (2, false, 0));
    }

    #[test]
    fn a_torn_end_costs_what_was_torn_and_a_changed_byte_its_frame() {
        let (_directory, store) = store();
        let mut writer = store.begin(Shard::WHOLE).unwrap();
        for number in 0..4 {
            writer
                .append(
                    1,
                    2,
                    &[(key(number), KillOutcome::Killed, EXITED), (key(10 + number), KillOutcome::Same, EXITED)],
                )
                .unwrap();
        }
        let path = store.directory().join("shard-1-of-1.1.kills");
        let whole = fs::read(&path).unwrap();
        let frame = whole.len() / 4;
        for cut in 0..whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            assert_eq!(store.load().unwrap().len(), cut / frame * 2);
        }
        for at in 0..frame {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x40;
            let mut found = 0;
            let damaged = scan_kills(&bytes, |_| found += 1);
            // The number of the test is not used.
            assert!(
                (found, damaged) == (6, 1) || ((4..8).contains(&at) && (found, damaged) == (8, 0)),
                "{at}: {found}"
            );
        }
    }

    #[test]
    fn ends_are_kept() {
        let ends = [EXITED, End::Signalled(6), End::Cut, End::Unknown];
        let records: Vec<_> = (0..).zip(ends).map(|(number, end)| (key(number), KillOutcome::Killed, end)).collect();
        let mut found = Vec::new();
        assert_eq!(
            scan_kills(&encode(1, 2, &records), |record| found.push((record.key, record.outcome, record.end))),
            0
        );
        assert_eq!(found, records);
    }

    #[test]
    fn a_running_shard_is_not_cleared() {
        let (_directory, store) = store();
        let held = store.lock_shard(Shard::WHOLE).unwrap();
        assert!(matches!(store.clear(), Err(StoreError::Locked { .. })));
        drop(held);
        store.clear().unwrap();
        assert!(store.load().unwrap().is_empty());
    }
}
