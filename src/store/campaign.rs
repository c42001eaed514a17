//! One campaign of value mutants: what it is, its plan, and the trials done so far.

use std::collections::BTreeMap;
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use memmap2::Mmap;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::log::{Damaged, Log, LogWriter};
use super::sessions;
use super::trials::{Found, record_at};
use super::{Lock, ShardEnds, Store, StoreError, TrialFrame, TrialKey, TrialRecord, encoding, scan_trials};

pub(super) const KIND_PLAN: u32 = 17;
/// Trials of one test in a frame of a file that was joined.
const JOINED: usize = 256;

/// Part of a campaign: number `number`, from 1, of `of`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which, from 1.
    pub number: u32,
    /// Of how many.
    pub of: u32,
}

impl Shard {
    /// All of it.
    pub const WHOLE: Shard = Shard { number: 1, of: 1 };

    pub(super) fn name(self) -> String {
        format!("shard-{}-of-{}", self.number, self.of)
    }
}

/// A campaign's directory; nothing is created before something is saved.
#[derive(Clone, Debug)]
pub struct CampaignStore {
    log: Log<TrialFrame>,
}

impl Store {
    /// The campaign of this key.
    pub fn campaign(&self, key: u64) -> CampaignStore {
        CampaignStore { log: Log::new(self.campaigns_directory().join(format!("{key:016x}"))) }
    }

    /// All campaigns, in the order of their keys.
    pub fn campaigns(&self) -> Result<Vec<CampaignStore>, StoreError> {
        let path = self.campaigns_directory();
        let entries = match fs::read_dir(&path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(StoreError::io("read", &path)(error)),
        };
        let mut found: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        found.retain(|path| path.is_dir());
        found.sort();
        Ok(found.into_iter().map(|directory| CampaignStore { log: Log::new(directory) }).collect())
    }

    fn campaigns_directory(&self) -> PathBuf {
        self.directory().join("campaigns")
    }
}

impl CampaignStore {
    /// Where it is.
    pub fn directory(&self) -> &Path {
        self.log.directory()
    }

    /// Keeps what the campaign is.
    pub fn save_manifest(&self, manifest: &impl Serialize) -> Result<(), StoreError> {
        self.create()?;
        encoding::write_json(&self.directory().join("campaign.json"), manifest)
    }

    /// What the campaign is; `None` when it has not begun.
    pub fn load_manifest<T: DeserializeOwned>(&self) -> Result<Option<T>, StoreError> {
        encoding::read_json(&self.directory().join("campaign.json"))
    }

    /// Keeps how far a shard has come.
    pub fn save_progress(&self, shard: Shard, progress: &impl Serialize) -> Result<(), StoreError> {
        self.create()?;
        encoding::write_json(&self.directory().join(format!("{}.json", shard.name())), progress)
    }

    /// How far each shard has come.
    pub fn load_progress<T: DeserializeOwned>(&self) -> Result<Vec<T>, StoreError> {
        let is_progress = |name: &str| name.starts_with("shard-") && name.ends_with(".json");
        sessions::names(self.directory(), is_progress)?
            .iter()
            .filter_map(|path| encoding::read_json(path).transpose())
            .collect()
    }

    /// Keeps the plan, unless another process has kept one since: then that one counts, and is returned.
    pub fn save_plan<T: Serialize + DeserializeOwned>(&self, plan: T) -> Result<T, StoreError> {
        self.create()?;
        let path = self.plan_path();
        let write = || -> io::Result<bool> {
            // As readable as the other files there, not for its owner alone as temporary files are.
            let readable = Permissions::from_mode(0o666);
            let mut file = tempfile::Builder::new().permissions(readable).tempfile_in(self.directory())?;
            file.write_all(&encoding::frame(0, KIND_PLAN, &plan))?;
            file.as_file().sync_data()?;
            match file.persist_noclobber(&path) {
                Ok(_) => Ok(true),
                Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
                Err(error) => Err(error.error),
            }
        };
        match write().map_err(StoreError::io("write", &path))? {
            true => Ok(plan),
            false => Ok(self.load_plan()?.unwrap_or(plan)),
        }
    }

    /// The plan; `None` when there is none yet.
    pub fn load_plan<T: DeserializeOwned>(&self) -> Result<Option<T>, StoreError> {
        let path = self.plan_path();
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StoreError::io("read", &path)(error)),
        };
        let damaged = |reason| self.damaged(&path, reason);
        let frames = encoding::frames(&bytes).map_err(damaged)?;
        match frames.as_slice() {
            [frame] if frame.kind == KIND_PLAN => frame.decode().map(Some).map_err(damaged),
            _ => Err(damaged("it holds no plan".into())),
        }
    }

    /// Takes the right to run a shard: given back when dropped, also when the process dies.
    pub fn lock_shard(&self, shard: Shard) -> Result<Lock, StoreError> {
        self.log.lock(shard)
    }

    /// Waits for the right to make the plan: given back when dropped, also when the process dies.
    pub fn lock_plan(&self) -> Result<Lock, StoreError> {
        sessions::wait(self.directory(), "plan.lock")
    }

    /// The shards that have ended.
    pub fn shards(&self) -> ShardEnds {
        self.log.shards()
    }

    /// Puts all trials into one file, in the order of their keys, in place of the files that they are in. Unless a shard is running.
    pub fn join(&self) -> Result<(), StoreError> {
        self.log.join(|| {
            let trials = self.trials()?;
            let records: Vec<(u32, TrialRecord)> =
                trials.index.iter().map(|(_, found)| found.n_nodes).zip(trials.iter()).collect();
            let of_tests = records.chunk_by(|a, b| a.1.key.test == b.1.key.test && a.0 == b.0);
            let frame = |part: &[(u32, TrialRecord)]| TrialFrame {
                test: part[0].1.key.test,
                n_nodes: part[0].0,
                records: part.iter().map(|(_, record)| record.clone()).collect(),
            };
            Ok(of_tests.flat_map(|of_test| of_test.chunks(JOINED)).map(frame).collect())
        })
    }

    /// Adds what another store has of this campaign: its manifest and its plan, if there are none here, and its trials.
    pub fn take(&self, other: &CampaignStore) -> Result<(), StoreError> {
        self.create()?;
        for name in ["campaign.json", "plan"] {
            sessions::copy_file(&other.directory().join(name), &self.directory().join(name))?;
        }
        self.log.take(&other.log)
    }

    /// The plan as it stands in its file; empty if there is none.
    pub fn plan_bytes(&self) -> Vec<u8> {
        fs::read(self.plan_path()).unwrap_or_default()
    }

    /// The campaign's key.
    pub fn key(&self) -> Option<u64> {
        u64::from_str_radix(self.directory().file_name()?.to_str()?, 16).ok()
    }

    /// Removes everything, unless a shard is running.
    pub fn clear(&self) -> Result<(), StoreError> {
        self.log.clear()
    }

    /// A new file for the trials that a shard does now. Files of earlier sessions are left as they are, torn ends and all.
    pub fn begin_trials(&self, shard: Shard) -> Result<LogWriter<TrialFrame>, StoreError> {
        self.log.begin(shard)
    }

    /// All trials done so far, by whichever shard.
    pub fn trials(&self) -> Result<Trials, StoreError> {
        let mut trials = Trials { files: Vec::new(), index: Vec::new(), damaged: Vec::new() };
        for path in self.log.files()? {
            trials.read(path)?;
        }
        trials.index.sort_unstable_by_key(|(file, found)| (found.key, *file, found.at));
        trials.index.dedup_by_key(|(_, found)| found.key);
        Ok(trials)
    }

    fn plan_path(&self) -> PathBuf {
        self.directory().join("plan")
    }

    fn create(&self) -> Result<(), StoreError> {
        sessions::create(self.directory())
    }

    fn damaged(&self, path: &Path, reason: String) -> StoreError {
        StoreError::DamagedCampaign { path: path.into(), directory: self.directory().to_path_buf(), reason }
    }
}

/// The trials of a campaign, each once, in the order of their keys whoever ran them and when.
#[derive(Debug)]
pub struct Trials {
    files: Vec<Mmap>,
    /// Each with the file that it is in.
    index: Vec<(u32, Found)>,
    damaged: Damaged,
}

impl Trials {
    fn read(&mut self, path: PathBuf) -> Result<(), StoreError> {
        let file = File::open(&path).map_err(StoreError::io("open", &path))?;
        if file.metadata().map_err(StoreError::io("read", &path))?.len() == 0 {
            return Ok(());
        }
        // SAFETY: these files are only ever appended to; a user who truncates one while it is read gets a bus error.
        let bytes = unsafe { Mmap::map(&file) }.map_err(StoreError::io("map", &path))?;
        let number = self.files.len() as u32;
        let damaged = scan_trials(&bytes, |found, _| self.index.push((number, found)));
        if damaged > 0 {
            self.damaged.push((path, damaged));
        }
        self.files.push(bytes);
        Ok(())
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// Which.
    pub fn keys(&self) -> impl Iterator<Item = TrialKey> {
        self.index.iter().map(|(_, found)| found.key)
    }

    /// How many there are of each mutated node.
    pub fn count_by_node(&self) -> BTreeMap<u32, usize> {
        let mut counts = BTreeMap::new();
        self.keys().for_each(|key| *counts.entry(key.node).or_insert(0) += 1);
        counts
    }

    /// All of them, decoded one by one.
    pub fn iter(&self) -> impl Iterator<Item = TrialRecord> {
        let record = |(file, found): &(u32, Found)| record_at(&self.files[*file as usize], found);
        self.index.iter().map(move |entry| record(entry).expect("files do not change and this record was read before"))
    }

    /// Files of which parts had to be passed over, with the number of such parts.
    pub fn damaged(&self) -> &[(PathBuf, usize)] {
        &self.damaged
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::encode_trials;
    use suspect_core::trial::End;

    fn frame<const N: usize>(records: [TrialRecord; N]) -> TrialFrame {
        TrialFrame { test: records[0].key.test, n_nodes: 7, records: records.into() }
    }

    fn record(test: u32, node: u32, used: u64) -> TrialRecord {
        TrialRecord {
            key: TrialKey { test, node, slot: 4, instance: 0 },
            end: End::Exited(0),
            forked: true,
            applied: true,
            output_changed: node.is_multiple_of(2),
            passes: None,
            used,
            changed: Box::new([u64::from(node) & 0x7f]),
        }
    }

    fn store() -> (tempfile::TempDir, CampaignStore) {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new(directory.path()).campaign(0xabc);
        (directory, store)
    }

    #[test]
    fn trials_of_all_sessions_and_shards_are_read_in_one_order_and_once() {
        let (_directory, store) = store();
        let second = Shard { number: 2, of: 2 };
        let mut first = store.begin_trials(second).unwrap();
        first.append(&frame([record(1, 5, 10), record(1, 3, 20)])).unwrap();
        let mut next = store.begin_trials(second).unwrap();
        next.append(&frame([record(0, 9, 30)])).unwrap();
        let mut whole = store.begin_trials(Shard::WHOLE).unwrap();
        whole.append(&frame([record(1, 3, 20), record(1, 4, 40)])).unwrap();
        let trials = store.trials().unwrap();
        let nodes: Vec<(u32, u32)> = trials.iter().map(|record| (record.key.test, record.key.node)).collect();
        assert_eq!(nodes, [(0, 9), (1, 3), (1, 4), (1, 5)]);
        assert_eq!((trials.len(), trials.damaged().len()), (4, 0));
        assert_eq!(trials.count_by_node()[&3], 1);
    }

    #[test]
    fn a_torn_end_is_passed_over_and_left_alone() {
        let (_directory, store) = store();
        let mut writer = store.begin_trials(Shard::WHOLE).unwrap();
        writer.append(&frame([record(0, 1, 1)])).unwrap();
        let torn = &encode_trials(0, 7, &[record(0, 2, 2)])[..20];
        writer.write(torn).unwrap();
        let mut next = store.begin_trials(Shard::WHOLE).unwrap();
        next.append(&frame([record(0, 3, 3)])).unwrap();
        let trials = store.trials().unwrap();
        assert_eq!(trials.keys().map(|key| key.node).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(trials.damaged().len(), 0, "that is no damage");
    }

    #[test]
    fn the_first_plan_counts() {
        let (_directory, store) = store();
        assert_eq!(store.load_plan::<Vec<u32>>().unwrap(), None);
        assert_eq!(store.save_plan(vec![1u32]).unwrap(), [1]);
        assert_eq!(store.save_plan(vec![2u32]).unwrap(), [1]);
        assert_eq!(store.load_plan::<Vec<u32>>().unwrap(), Some(vec![1]));
    }

    #[test]
    fn a_damaged_plan_is_named() {
        let (_directory, store) = store();
        store.save_plan(vec![1u32, 2, 3]).unwrap();
        let whole = fs::read(store.plan_path()).unwrap();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x10;
            fs::write(store.plan_path(), &bytes).unwrap();
            // The number of the test is not used.
            if let Err(error) = store.load_plan::<Vec<u32>>() {
                assert!(error.to_string().contains("suspect mutate"), "{error}");
            } else {
                assert!((4..8).contains(&at), "byte {at}");
            }
        }
    }

    #[test]
    fn a_shard_runs_once_at_a_time() {
        let (_directory, store) = store();
        let held = store.lock_shard(Shard::WHOLE).unwrap();
        assert!(matches!(store.lock_shard(Shard::WHOLE), Err(StoreError::Locked { .. })));
        store.lock_shard(Shard { number: 1, of: 2 }).unwrap();
        assert!(matches!(store.clear(), Err(StoreError::Locked { .. })));
        drop(held);
        store.lock_shard(Shard::WHOLE).unwrap();
        store.save_plan(1u32).unwrap();
        store.clear().unwrap();
        store.clear().unwrap();
        assert_eq!(store.load_plan::<u32>().unwrap(), None);
    }
}
