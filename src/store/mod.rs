//! The `.suspect` directory: the only place that knows its names.
//!
//! ```text
//! .suspect/
//!   lock            held (flock) by whoever writes
//!   build.json      what the last `suspect build` did
//!   cleared.json    ranked units that the user found innocent
//!   claims.json     what rankings of the latest run have claimed, for `suspect replay`
//!   warnings.json   what the compiler warns of in the sources of the latest run's program
//!   ranking.json    the default ranking of lines as it was made last, for reports
//!   forms           what the optimiser made of expressions, by their hashes
//!   explanations/<key>.json  chains of causes that were found for one run
//!   build/          compiler names that stand in for the real ones during a build, and its log
//!   tmp/            traces of running tests; removed when they have been read
//!   runs/<n>/       one recorded run of the suite, numbered from 1; the highest number is the latest
//!     run.json        tests, verdicts, warnings
//!     sites/<k>       site tables of the modules that ran, as they stand in the executables
//!     dependences/<k> their dependence tables
//!     executions      one frame for each test and kind of data
//!     night.json      what `suspect run` made of it
//!     report.json     the report of the run as it was made last; report.state tells of what
//!   sources/<hash>    source files as they were in nights, each contents once
//!   campaigns/<key>/  trials of value mutants of one run, build and seed
//!     campaign.json     which
//!     plan              what the tests cover and which values their nodes take; plan.lock is held by who makes it
//!     shard-<k>-of-<n>.<session>.trials  the trials that one process did, appended as they end
//!     shard-<k>-of-<n>.json              what it did not do, and why
//!     shard-<k>-of-<n>.done              that it has ended, and of which work it is; likewise in kills/
//!   kills/            what tests do to code mutants, of whichever build
//!     shard-<k>-of-<n>.<session>.kills   what one process found out, appended as trials end
//!   evidence/<key>/   what candidates did to the tests of one run
//!     facts             what its tests do without any
//!     origin.json       what the trials depend on: tests and functions, as hashes
//!     carried-<time>.outcomes            what an earlier run found out then and holds still, as far as it was needed
//!     shard-1-of-1.<session>.outcomes    what one search found out, appended as trials end
//! ```
//!
//! A run is written as `runs/<n>.part` and renamed when complete, so an interrupted one is never mistaken for a whole one.

mod campaign;
mod claims;
mod encoding;
mod evidence;
mod forms;
mod kills;
mod listing;
mod log;
mod night;
mod prune;
mod reports;
mod run;
mod sessions;
mod shards;
mod trials;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use nix::fcntl::{Flock, FlockArg};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::STORE_DIRECTORY;
pub use campaign::{CampaignStore, Shard, Trials};
pub use encoding::Frame;
pub use evidence::{Ages, EvidenceStore, TriedRecord, TriedRecords, scan_outcomes};
pub use kills::{KillFrame, KillKey, KillOutcome, KillRecord, KillResult, KillStore, Kills, scan_kills};
pub use listing::{Foreign, is_framed, json, list_frames};
pub use log::{LogWriter, Outcomes};
pub use reports::{ReportState, stamps};
pub use run::{Manifest, Recorded, Run, RunWriter, Tables, TestRecord};
pub use shards::{ShardEnd, ShardEnds};
pub use trials::{TrialFrame, TrialKey, TrialRecord, encode_trials, scan_trials};

/// Version of everything below `.suspect`; a store of another version is refused.
pub const STORE_VERSION: u32 = 1;

/// What can go wrong with the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file or directory could not be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// A file does not hold what it should.
    #[error("{} is damaged: {reason}; remove it and run `suspect test` again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A campaign's file does not hold what it should.
    #[error("{} is damaged: {reason}; remove {} and run `suspect mutate` again", path.display(), directory.display())]
    DamagedCampaign {
        /// The file.
        path: PathBuf,
        /// The campaign.
        directory: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Written by another version of suspect.
    #[error(
        "{} was written by suspect's store version {found}, this one reads {STORE_VERSION}; run `suspect test` again",
        path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// The version it names.
        found: u32,
    },
    /// Nothing has been recorded.
    #[error("no recorded run in {}; run `suspect test` first", path.display())]
    NoRun {
        /// Where runs would be.
        path: PathBuf,
    },
    /// Another suspect is writing.
    #[error("{} is in use by another suspect; wait for it to end", path.display())]
    Locked {
        /// The store.
        path: PathBuf,
    },
}

impl StoreError {
    fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StoreError {
        let path = path.to_path_buf();
        move |source| StoreError::Io { action, path, source }
    }
}

/// A project's store.
#[derive(Clone, Debug)]
pub struct Store {
    root: PathBuf,
    directory: PathBuf,
}

/// The right to write; given back when dropped, also when the process dies.
#[derive(Debug)]
pub struct Lock {
    _file: Flock<File>,
}

impl Store {
    /// The store of the project at `root`; nothing is created yet.
    pub fn new(root: &Path) -> Store {
        Store { root: root.to_path_buf(), directory: root.join(STORE_DIRECTORY) }
    }

    /// A store inside the project's own, for tests that are none of its suite.
    pub fn of_try(root: &Path) -> Store {
        Store { root: root.to_path_buf(), directory: root.join(STORE_DIRECTORY).join("try") }
    }

    /// The project's root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The store's own directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The nearest directory from `start` upwards that holds a store, if any does.
    pub fn root_above(start: &Path) -> Option<PathBuf> {
        start.ancestors().find(|directory| directory.join(STORE_DIRECTORY).is_dir()).map(Path::to_path_buf)
    }

    /// Takes the right to write, or says who has it.
    pub fn lock(&self) -> Result<Lock, StoreError> {
        self.create_own()?;
        flock(self.directory.join("lock"), &self.directory, FlockArg::LockExclusiveNonblock)
    }

    /// Takes the right to read while others read too and nobody writes: for trials of the program as it is built.
    pub fn lock_shared(&self) -> Result<Lock, StoreError> {
        self.create_own()?;
        flock(self.directory.join("lock"), &self.directory, FlockArg::LockSharedNonblock)
    }

    /// Where builds keep the compilers' stand-ins and their log.
    pub fn build_directory(&self) -> PathBuf {
        self.directory.join("build")
    }

    /// An empty directory for traces and scratch copies.
    pub fn fresh_tmp(&self) -> Result<PathBuf, StoreError> {
        let path = self.directory.join("tmp");
        if path.exists() {
            fs::remove_dir_all(&path).map_err(StoreError::io("empty", &path))?;
        }
        self.create_directory(&path)?;
        Ok(path)
    }

    /// Removes what [`Store::fresh_tmp`] made.
    pub fn remove_tmp(&self) -> Result<(), StoreError> {
        let path = self.directory.join("tmp");
        fs::remove_dir_all(&path).map_err(StoreError::io("remove", &path))
    }

    /// Keeps what a build did.
    pub fn save_build(&self, build: &impl Serialize) -> Result<(), StoreError> {
        self.create_own()?;
        encoding::write_json(&self.directory.join("build.json"), build)
    }

    /// What the last build did; `None` when `suspect build` has not run here.
    pub fn load_build<T: DeserializeOwned>(&self) -> Result<Option<T>, StoreError> {
        encoding::read_json(&self.directory.join("build.json"))
    }

    /// Keeps the names of ranked units that the user found innocent.
    pub fn save_cleared(&self, cleared: &[String]) -> Result<(), StoreError> {
        self.create_own()?;
        encoding::write_json(&self.directory.join("cleared.json"), &cleared)
    }

    /// The names of ranked units that the user found innocent.
    pub fn load_cleared(&self) -> Result<Vec<String>, StoreError> {
        Ok(encoding::read_json(&self.directory.join("cleared.json"))?.unwrap_or_default())
    }

    /// Begins a new run.
    pub fn begin_run(&self) -> Result<RunWriter, StoreError> {
        let runs = self.directory.join("runs");
        self.create_directory(&runs)?;
        let number = run_numbers(&runs)?.last().map_or(1, |last| last + 1);
        RunWriter::create(&runs, number)
    }

    /// The latest complete run.
    pub fn latest_run(&self) -> Result<Run, StoreError> {
        let runs = self.directory.join("runs");
        let number = run_numbers(&runs)?.pop().ok_or_else(|| StoreError::NoRun { path: runs.clone() })?;
        Run::open(&self.root, &runs, number)
    }

    /// How the latest complete run went, without what it recorded.
    pub fn latest_manifest(&self) -> Result<Manifest, StoreError> {
        let runs = self.directory.join("runs");
        let number = run_numbers(&runs)?.pop().ok_or_else(|| StoreError::NoRun { path: runs.clone() })?;
        self.manifest(number)
    }

    /// What is said of the run of this number, without what its tests did.
    pub fn manifest(&self, number: u64) -> Result<Manifest, StoreError> {
        run::read_manifest(&self.directory.join("runs").join(number.to_string()).join("run.json"))
    }

    /// The complete run of this number; `None` when there is none.
    pub fn run(&self, number: u64) -> Result<Option<Run>, StoreError> {
        let runs = self.directory.join("runs");
        match run_numbers(&runs)?.contains(&number) {
            true => Run::open(&self.root, &runs, number).map(Some),
            false => Ok(None),
        }
    }

    /// Takes the latest run of another store, and what was built for it, into this one, which has none.
    pub fn take_run(&self, other: &Store) -> Result<(), StoreError> {
        let run = other.latest_run()?.number.to_string();
        let runs = self.directory.join("runs");
        self.create_directory(&runs)?;
        let part = runs.join(format!("{run}.part"));
        copy_tree(&other.directory.join("runs").join(&run), &part).map_err(StoreError::io("copy", &part))?;
        fs::rename(&part, runs.join(&run)).map_err(StoreError::io("rename", &part))?;
        sessions::copy_file(&other.directory.join("build.json"), &self.directory.join("build.json"))
    }

    /// Numbers of the complete runs, ascending.
    pub fn runs(&self) -> Result<Vec<u64>, StoreError> {
        run_numbers(&self.directory.join("runs"))
    }

    /// Makes the store's own directory, which says itself that it is not to be committed.
    fn create_own(&self) -> Result<(), StoreError> {
        if self.directory.is_dir() {
            return Ok(());
        }
        self.create_directory(&self.directory)?;
        let ignored = self.directory.join(".gitignore");
        fs::write(&ignored, "*\n").map_err(StoreError::io("write", &ignored))
    }

    fn create_directory(&self, path: &Path) -> Result<(), StoreError> {
        fs::create_dir_all(path).map_err(StoreError::io("create", path))
    }
}

/// Copies a directory of plain files and directories.
fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        match entry.file_type()?.is_dir() {
            true => copy_tree(&entry.path(), &to.join(entry.file_name()))?,
            false => drop(fs::copy(entry.path(), to.join(entry.file_name()))?),
        }
    }
    Ok(())
}

/// Locks the file `path`, which stands for `what`.
fn flock(path: PathBuf, what: &Path, how: FlockArg) -> Result<Lock, StoreError> {
    let file = File::options().create(true).append(true).open(&path).map_err(StoreError::io("open", &path))?;
    match Flock::lock(file, how) {
        Ok(file) => Ok(Lock { _file: file }),
        Err((_, nix::errno::Errno::EWOULDBLOCK)) => Err(StoreError::Locked { path: what.to_path_buf() }),
        Err((_, error)) => Err(StoreError::Io { action: "lock", path, source: error.into() }),
    }
}

/// Numbers of the complete runs, ascending.
fn run_numbers(runs: &Path) -> Result<Vec<u64>, StoreError> {
    let entries = match fs::read_dir(runs) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(StoreError::io("read", runs)(error)),
    };
    let mut numbers: Vec<u64> = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect();
    numbers.sort_unstable();
    Ok(numbers)
}
