//! What tests do to code mutants: results that are looked up by what they depend on, whatever build or session found them out.

use std::path::Path;

use serde::{Deserialize, Serialize};
use suspect_core::trial::End;

use super::log::{self, Damaged, Log, LogWriter, Outcomes};
use super::{Lock, Shard, ShardEnds, Store, StoreError, encoding};

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

/// A result, without the build and the time of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KillResult {
    /// Of what.
    pub key: KillKey,
    /// What came out.
    pub outcome: KillOutcome,
    /// How the program ended.
    #[serde(with = "log::end")]
    pub end: End,
}

/// Results that were found out together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KillFrame {
    /// The build in which they were found out.
    pub build: u64,
    /// When, seconds since 1970.
    pub at: u64,
    /// The results.
    pub results: Vec<KillResult>,
}

impl Outcomes for KillFrame {
    const KIND: u32 = 18;
    const EXTENSION: &'static str = "kills";

    fn frame(&self) -> Vec<u8> {
        encoding::frame(0, Self::KIND, self)
    }
}

impl KillFrame {
    fn records(self) -> impl Iterator<Item = KillRecord> {
        let KillFrame { build, at, results } = self;
        results.into_iter().map(move |KillResult { key, outcome, end }| KillRecord { key, outcome, end, build, at })
    }
}

/// Where results are.
#[derive(Clone, Debug)]
pub struct KillStore {
    log: Log<KillFrame>,
}

impl Store {
    /// What tests do to code mutants.
    pub fn kills(&self) -> KillStore {
        KillStore { log: Log::new(self.directory().join("kills")) }
    }
}

impl KillStore {
    /// Where they are.
    pub fn directory(&self) -> &Path {
        self.log.directory()
    }

    /// Takes the right to run a shard: given back when dropped, also when the process dies.
    pub fn lock_shard(&self, shard: Shard) -> Result<Lock, StoreError> {
        self.log.lock(shard)
    }

    /// The shards that have ended.
    pub fn shards(&self) -> ShardEnds {
        self.log.shards()
    }

    /// Puts all results into one file, in the order of their keys, in place of the files that they are in. Unless a shard is running.
    pub fn join(&self) -> Result<(), StoreError> {
        self.log.join(|| {
            let kills = self.load()?;
            let parts = kills.records.chunk_by(|a, b| (a.build, a.at) == (b.build, b.at));
            let result = |record: &KillRecord| KillResult { key: record.key, outcome: record.outcome, end: record.end };
            let frame = |part: &[KillRecord]| KillFrame {
                build: part[0].build,
                at: part[0].at,
                results: part.iter().map(result).collect(),
            };
            Ok(parts.map(frame).collect())
        })
    }

    /// Adds what another store has.
    pub fn take(&self, other: &KillStore) -> Result<(), StoreError> {
        self.log.take(&other.log)
    }

    /// Removes everything, unless a shard is running.
    pub fn clear(&self) -> Result<(), StoreError> {
        self.log.clear()
    }

    /// Forgets what was found out before `oldest`, seconds since 1970, unless a shard is running. Files without any of that are left as they are.
    pub fn prune(&self, oldest: u64) -> Result<(), StoreError> {
        self.log.retain(|frame| frame.at >= oldest)
    }

    /// A new file for what a shard finds out now.
    pub fn begin(&self, shard: Shard) -> Result<LogWriter<KillFrame>, StoreError> {
        self.log.begin(shard)
    }

    /// Everything that has been found out.
    pub fn load(&self) -> Result<Kills, StoreError> {
        let mut records: Vec<KillRecord> = Vec::new();
        let damaged = self.log.read(|frame| records.extend(frame.records()))?;
        // What is known comes before what is not, and what was found out first before what only says so again.
        records.sort_by_key(|record| (record.key, record.outcome == KillOutcome::Unknown, record.at));
        records.dedup_by_key(|record| record.key);
        Ok(Kills { records, damaged })
    }
}

/// Finds all results of a file, in the order in which they were found out, and how many stretches before the last of them had to be
/// passed over.
pub fn scan_kills(bytes: &[u8], mut visit: impl FnMut(KillRecord)) -> usize {
    log::scan(bytes, |frame: KillFrame| frame.records().for_each(&mut visit))
}

/// Results, each key once.
#[derive(Debug, Default)]
pub struct Kills {
    records: Vec<KillRecord>,
    damaged: Damaged,
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
    pub fn damaged(&self) -> &[(std::path::PathBuf, usize)] {
        &self.damaged
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn frame<const N: usize>(build: u64, at: u64, results: [(KillKey, KillOutcome, End); N]) -> KillFrame {
        let result = |(key, outcome, end)| KillResult { key, outcome, end };
        KillFrame { build, at, results: results.into_iter().map(result).collect() }
    }

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
        first.append(&frame(5, 100, [(key(9), KillOutcome::Killed, End::Signalled(11)), unknown])).unwrap();
        let mut whole = store.begin(Shard::WHOLE).unwrap();
        whole
            .append(&frame(6, 200, [(key(4), KillOutcome::Passed, EXITED), (key(9), KillOutcome::Killed, EXITED)]))
            .unwrap();
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
            let results = [(key(number), KillOutcome::Killed, EXITED), (key(10 + number), KillOutcome::Same, EXITED)];
            writer.append(&frame(1, 2, results)).unwrap();
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
        let result = |(number, end)| KillResult { key: key(number), outcome: KillOutcome::Killed, end };
        let results: Vec<KillResult> = (0..).zip(ends).map(result).collect();
        let mut found = Vec::new();
        let bytes = KillFrame { build: 1, at: 2, results: results.clone() }.frame();
        assert_eq!(
            scan_kills(&bytes, |KillRecord { key, outcome, end, .. }| found.push(KillResult { key, outcome, end })),
            0
        );
        assert_eq!(found, results);
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
