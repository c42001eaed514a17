//! What candidates did to the tests of one recorded run: appended as trials end, never changed after that.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use suspect_core::trial::End;

use super::log::{self, Log, LogWriter, Outcomes};
use super::sessions;
use super::{Lock, Shard, Store, StoreError, encoding};

/// Kind of the frame that holds what was found out about the tests before anything was tried on them.
pub(super) const KIND_FACTS: u32 = 20;

/// What is kept of one trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TriedRecord {
    /// Identity of the candidate.
    pub candidate: u64,
    /// Index of the test in the run's manifest.
    pub test: u32,
    /// What it did, a number whose meaning is the caller's.
    pub effect: u8,
    /// How the program ended.
    #[serde(with = "log::end")]
    pub end: End,
    /// Bytes of the expected output before the first wrong one, where they are compared.
    pub matched: Option<u64>,
}

/// Outcomes by candidate and test.
pub type TriedRecords = HashMap<(u64, u32), TriedRecord>;

/// When outcomes were found out, seconds since 1970, by candidate and test: of those of earlier runs.
pub type Ages = HashMap<(u64, u32), u64>;

/// What the files of outcomes of earlier runs begin with.
const CARRIED: &str = "carried-";

/// Where the outcomes of one run's trials are.
#[derive(Clone, Debug)]
pub struct EvidenceStore {
    log: Log<Vec<TriedRecord>>,
}

impl Outcomes for Vec<TriedRecord> {
    const KIND: u32 = 19;
    const EXTENSION: &'static str = "outcomes";

    fn frame(&self) -> Vec<u8> {
        encoding::frame(0, Self::KIND, self)
    }
}

impl Store {
    /// The outcomes of trials on the run of this identity.
    pub fn evidence(&self, run: u64) -> EvidenceStore {
        EvidenceStore { log: Log::new(self.directory().join("evidence").join(format!("{run:016x}"))) }
    }

    /// Identities of the runs of which there are outcomes.
    pub fn evidence_keys(&self) -> Result<Vec<u64>, StoreError> {
        let paths = sessions::names(&self.directory().join("evidence"), |_| true)?;
        let key = |path: &PathBuf| u64::from_str_radix(path.file_name()?.to_str()?, 16).ok();
        Ok(paths.iter().filter_map(key).collect())
    }
}

impl EvidenceStore {
    /// Where they are.
    pub fn directory(&self) -> &Path {
        self.log.directory()
    }

    /// Takes the right to add to them: given back when dropped, also when the process dies.
    pub fn lock(&self) -> Result<Lock, StoreError> {
        self.log.lock(Shard::WHOLE)
    }

    /// Removes everything, unless a search is running.
    pub fn clear(&self) -> Result<(), StoreError> {
        self.log.clear()
    }

    /// A new file for what is found out now.
    pub fn begin(&self) -> Result<LogWriter<Vec<TriedRecord>>, StoreError> {
        self.log.begin(Shard::WHOLE)
    }

    /// All outcomes; and how many stretches of the files had to be passed over.
    pub fn load(&self) -> Result<(TriedRecords, usize), StoreError> {
        let mut records = TriedRecords::new();
        let damaged = self.log.read(|found| {
            for record in found {
                records.entry((record.candidate, record.test)).or_insert(record);
            }
        })?;
        Ok((records, damaged.iter().map(|(_, n)| n).sum()))
    }

    /// Takes over outcomes that an earlier run found out then, seconds since 1970.
    pub fn carry_over(&self, at: u64, records: &Vec<TriedRecord>) -> Result<(), StoreError> {
        sessions::create(self.directory())?;
        let path = self.directory().join(format!("{CARRIED}{at}.outcomes"));
        // There is one if a process was killed just then; what it has is looked up before.
        let mut bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(StoreError::io("read", &path)(error)),
        };
        bytes.extend(records.frame());
        encoding::write_bytes(&path, &bytes)
    }

    /// How old the outcomes are that were taken over.
    pub fn load_ages(&self) -> Result<Ages, StoreError> {
        let mut ages = Ages::new();
        for path in sessions::names(self.directory(), |name| name.starts_with(CARRIED))? {
            let name = path.file_stem().and_then(|name| name.to_str()?.strip_prefix(CARRIED)?.parse().ok());
            let bytes = fs::read(&path).map_err(StoreError::io("read", &path))?;
            if let Some(at) = name {
                scan_outcomes(&bytes, |record| {
                    ages.insert((record.candidate, record.test), at);
                });
            }
        }
        Ok(ages)
    }

    /// Keeps what the trials depend on.
    pub fn save_origin(&self, origin: &impl Serialize) -> Result<(), StoreError> {
        sessions::create(self.directory())?;
        encoding::write_json(&self.directory().join("origin.json"), origin)
    }

    /// What the trials depend on; `None` where that was not kept.
    pub fn load_origin<O: DeserializeOwned>(&self) -> Result<Option<O>, StoreError> {
        encoding::read_json(&self.directory().join("origin.json"))
    }

    /// Keeps what locals of tests begin as, for those that do what is known of them only then.
    pub fn save_garbage(&self, garbage: &impl Serialize) -> Result<(), StoreError> {
        sessions::create(self.directory())?;
        encoding::write_json(&self.directory().join("garbage.json"), garbage)
    }

    /// What [`EvidenceStore::save_garbage`] kept; `None` if there is nothing.
    pub fn load_garbage<G: DeserializeOwned>(&self) -> Result<Option<G>, StoreError> {
        encoding::read_json(&self.directory().join("garbage.json"))
    }

    /// Keeps on which tests, by index in the run's manifest, nothing could be tried, and why.
    pub fn save_refused(&self, refused: &BTreeMap<u32, String>) -> Result<(), StoreError> {
        sessions::create(self.directory())?;
        encoding::write_json(&self.directory().join("refused.json"), refused)
    }

    /// What [`EvidenceStore::save_refused`] kept.
    pub fn load_refused(&self) -> Result<BTreeMap<u32, String>, StoreError> {
        Ok(encoding::read_json(&self.directory().join("refused.json"))?.unwrap_or_default())
    }

    /// Writes facts about the tests, whole or not at all.
    pub fn save_facts(&self, facts: &impl Serialize) -> Result<(), StoreError> {
        sessions::create(self.directory())?;
        let (path, part) = (self.facts(), self.directory().join("facts.part"));
        fs::write(&part, encoding::frame(0, KIND_FACTS, facts)).map_err(StoreError::io("write", &part))?;
        fs::rename(&part, &path).map_err(StoreError::io("write", &path))
    }

    /// The facts that were written; `None` if there are none that can be read.
    pub fn load_facts<F: DeserializeOwned>(&self) -> Option<F> {
        let bytes = fs::read(self.facts()).ok()?;
        let mut facts = None;
        encoding::scan(&bytes, KIND_FACTS, |_, payload| {
            facts = encoding::decode(payload);
            Some(encoding::FRAME_HEADER + payload.len())
        });
        facts
    }

    fn facts(&self) -> PathBuf {
        self.directory().join("facts")
    }
}

/// Finds all outcomes of a file, in the order in which they were found out, and how many stretches had to be passed over.
pub fn scan_outcomes(bytes: &[u8], mut visit: impl FnMut(TriedRecord)) -> usize {
    log::scan(bytes, |found: Vec<TriedRecord>| found.into_iter().for_each(&mut visit))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(number: u64) -> TriedRecord {
        let end = [End::Exited(3), End::Signalled(6), End::Cut, End::Unknown][number as usize % 4];
        let matched = (!number.is_multiple_of(3)).then_some(number * 1000);
        TriedRecord { candidate: number, test: number as u32 % 5, effect: number as u8 % 5, end, matched }
    }

    #[test]
    fn outcomes_of_all_sessions_are_read_and_a_torn_end_costs_what_was_torn() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new(directory.path()).evidence(7);
        let records: Vec<TriedRecord> = (0..40).map(record).collect();
        for part in records.chunks(20) {
            let mut writer = store.begin().unwrap();
            part.chunks(5).for_each(|part| writer.append(&part.to_vec()).unwrap());
        }
        let (known, damaged) = store.load().unwrap();
        assert_eq!((known.len(), damaged), (40, 0));
        assert!(records.iter().all(|record| known[&(record.candidate, record.test)] == *record));
        let path = store.directory().join("shard-1-of-1.2.outcomes");
        let whole = fs::read(&path).unwrap();
        for cut in 0..whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            let (known, _) = store.load().unwrap();
            assert!(known.len() >= 20 && known.len() % 5 == 0 && known.len() < 40, "{cut}: {}", known.len());
        }
        assert!(Store::new(directory.path()).evidence(8).load().unwrap().0.is_empty(), "another run");
    }

    #[test]
    fn facts_are_read_back_or_not_there() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new(directory.path()).evidence(7);
        assert_eq!(store.load_facts::<Vec<u32>>(), None);
        store.save_facts(&vec![1u32, 2, 3]).unwrap();
        assert_eq!(store.load_facts(), Some(vec![1u32, 2, 3]));
        let path = store.directory().join("facts");
        let mut bytes = fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(&path, bytes).unwrap();
        assert_eq!(store.load_facts::<Vec<u32>>(), None, "damaged");
    }
}
