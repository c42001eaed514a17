//! The record of a night, beside its recorded run.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::exec::git;
use crate::obstacle::Obstacle;
use crate::report::RankingReport;
use crate::source::SourceTree;
use crate::store::Store;
use crate::suite_run::Session;

/// Version of the file.
pub(super) const VERSION: u32 = 1;

/// A night: what `suspect run` did with one recorded run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Night {
    /// Version of this form.
    pub version: u32,
    /// When its tests had been run, seconds since 1970.
    pub began: u64,
    /// When it ended; `None` while it has not.
    pub ended: Option<u64>,
    /// The commit that the work tree was of; `None` outside of git.
    pub revision: Option<String>,
    /// The project's sources, each with its name in the store.
    pub sources: BTreeMap<String, String>,
    /// Work for which there was no time: one statement each.
    pub missing: Vec<String>,
    /// Failures that are not explained, and why: one statement each.
    #[serde(default)]
    pub unexplained: Vec<String>,
    /// The first entries of the ranking; `None` where no test fails.
    pub ranking: Option<RankingReport>,
}

/// Entries of a ranking that are kept.
const MOST_ENTRIES: usize = 1000;

impl Night {
    /// A night whose tests have just been recorded.
    pub fn begin(session: &Session, missing: Vec<String>) -> Result<Night, Obstacle> {
        let Session { store, run, .. } = session;
        let mut sources = BTreeMap::new();
        // Files outside of the project are the system's.
        let tree = SourceTree::of(store.root(), &run.program);
        for file in run.program.files.iter().filter(|file| !file.starts_with('/')) {
            if let Ok(text) = tree.bytes(file) {
                sources.insert(file.clone(), store.save_source(&text)?);
            }
        }
        let night = Night {
            version: VERSION,
            began: now(),
            ended: None,
            revision: git::revision(store.root()),
            sources,
            missing,
            unexplained: Vec::new(),
            ranking: None,
        };
        store.save_night(run.number, &night)?;
        Ok(night)
    }

    /// The night of a run; `None` when the run is no night's.
    pub fn of(store: &Store, run: u64) -> Result<Option<Night>, Obstacle> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        match store.load_night::<Versioned>(run)? {
            Some(Versioned { version }) if version != VERSION => {
                let message = format!(
                    "{} was written by another version of suspect ({version}, this one reads {VERSION}); name another night, or run \
                     `suspect run` again",
                    store.night_file(run).display()
                );
                Err(Obstacle::new(Obstacle::Store, message))
            }
            Some(_) => Ok(store.load_night(run)?),
            None => Ok(None),
        }
    }

    /// The texts of the sources that are kept.
    pub fn texts(&self, store: &Store) -> Result<BTreeMap<String, String>, Obstacle> {
        let mut texts = BTreeMap::new();
        for (file, name) in &self.sources {
            if let Some(text) = store.load_source(name)? {
                texts.insert(file.clone(), String::from_utf8_lossy(&text).into_owned());
            }
        }
        Ok(texts)
    }

    /// Takes note of how it ranks.
    pub fn ranked(&mut self, mut ranking: RankingReport) {
        ranking.ranking.truncate(MOST_ENTRIES);
        self.ranking = Some(ranking);
    }

    /// Ends the night.
    pub fn end(mut self, store: &Store, run: u64) -> Result<Night, Obstacle> {
        self.ended = Some(now());
        store.save_night(run, &self)?;
        Ok(self)
    }
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
