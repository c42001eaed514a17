//! What campaigns have come to, as the store has it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use suspect_format::trace::{HASH_START, hash_bytes};

use super::{CampaignError, Plan, Schedule};
use crate::mutant::ValueRange;
use crate::program::Program;
use crate::store::{CampaignStore, Run, Store, TrialRecord, Trials};
use crate::trial::End;

/// Version of campaigns' files.
const VERSION: u32 = 1;

/// What a campaign is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CampaignManifest {
    /// Version of the campaign's files.
    pub version: u32,
    /// Which run it is of: see [`run_identity`].
    pub run: u64,
    /// Seed of the samples.
    pub seed: u64,
    /// Number of tests whose values the samples are fitted to, and a hash of which.
    pub recorded: (usize, u64),
    /// What was stated that nodes may take, by node.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ranges: BTreeMap<u32, ValueRange>,
    /// Room for the values of a process, which decides which tests can be used.
    pub log_bytes: u64,
    /// Most samples of a node that were asked for.
    pub samples: usize,
    /// Tests that were asked for in any session, by index in the run's manifest, ascending.
    pub tests: Vec<u32>,
    /// When a session last began, seconds since 1970.
    pub updated: u64,
}

impl CampaignManifest {
    /// A campaign of this run and seed, with samples fitted to these tests, in which nothing has been asked for yet.
    pub fn new(run: &Run, seed: u64, recorded: &[u32], ranges: BTreeMap<u32, ValueRange>, log_bytes: u64) -> Self {
        let hash = recorded.iter().fold(HASH_START, |hash, test| hash_bytes(hash, &test.to_le_bytes()));
        let (run, recorded) = (run_identity(run), (recorded.len(), hash));
        CampaignManifest {
            version: VERSION,
            run,
            seed,
            recorded,
            ranges,
            log_bytes,
            samples: 0,
            tests: Vec::new(),
            updated: 0,
        }
    }

    /// The campaign's key in the store.
    pub fn key(&self) -> u64 {
        let number = |hash, number: u64| hash_bytes(hash, &number.to_le_bytes());
        let known = [u64::from(VERSION), self.run, self.seed, self.recorded.1, self.log_bytes];
        // With other ranges the same mutant of a node is another value.
        let stated =
            self.ranges.iter().flat_map(|(node, range)| [u64::from(*node), range.low.to_bits(), range.high.to_bits()]);
        known.into_iter().chain(stated).fold(HASH_START, number)
    }

    /// Takes note of a session that asks for so many samples on these tests.
    pub fn begin_session(&mut self, samples: usize, tests: &[u32], now: u64) {
        self.samples = self.samples.max(samples);
        self.tests.extend(tests);
        self.tests.sort_unstable();
        self.tests.dedup();
        self.updated = self.updated.max(now);
    }
}

/// What tells a recorded run from any other: when it began, its build, its tests.
pub fn run_identity(run: &Run) -> u64 {
    let mut hash = hash_bytes(HASH_START, &run.manifest.began.to_le_bytes());
    if run.manifest.began_ns > 0 {
        hash = hash_bytes(hash, &run.manifest.began_ns.to_le_bytes());
    }
    for unit in &run.program.units {
        hash = hash_bytes(hash, &unit.hash.to_le_bytes());
    }
    for test in &run.manifest.tests {
        let text = format!("{}\0{}\0{:?}", test.name, test.command, test.passed);
        hash = hash_bytes(hash, &(text.len() as u64).to_le_bytes());
        hash = hash_bytes(hash, text.as_bytes());
    }
    hash
}

/// A campaign's trials.
#[derive(Debug)]
pub struct Results {
    /// What the campaign is.
    pub manifest: CampaignManifest,
    /// Its plan.
    pub plan: Plan,
    /// Everything done so far.
    pub trials: Trials,
}

impl Results {
    /// The campaign of `run` that was worked on last; `None` when there is none.
    pub fn latest(store: &Store, run: &Run) -> Result<Option<Results>, CampaignError> {
        Results::of_seed(store, run, None)
    }

    /// The campaign of `run` with this seed, or with any, that was worked on last; `None` when there is none.
    pub fn of_seed(store: &Store, run: &Run, seed: Option<u64>) -> Result<Option<Results>, CampaignError> {
        let identity = run_identity(run);
        let mut found: Option<(CampaignManifest, CampaignStore)> = None;
        for campaign in store.campaigns()? {
            let Some(manifest) = campaign.load_manifest::<CampaignManifest>()? else { continue };
            let is_later = found.as_ref().is_none_or(|(other, _)| other.updated <= manifest.updated);
            if manifest.run == identity && is_later && seed.is_none_or(|seed| seed == manifest.seed) {
                found = Some((manifest, campaign));
            }
        }
        let Some((manifest, campaign)) = found else { return Ok(None) };
        let Some(plan) = campaign.load_plan::<Plan>()? else { return Ok(None) };
        let trials = campaign.trials()?;
        Ok(Some(Results { manifest, plan, trials }))
    }

    /// All trials that were asked for.
    pub fn schedule<'a>(&'a self, program: &'a Program) -> Schedule<'a> {
        let CampaignManifest { tests, seed, samples, ranges, .. } = &self.manifest;
        Schedule::new(program, &self.plan, tests, (None, ranges), *seed, *samples)
    }

    /// The trials that say something about causes: those of the schedule whose override changed a value at every execution and whose
    /// end was not the clock's. In the order of tests, nodes and mutants.
    pub fn observations<'a>(&'a self, schedule: &'a Schedule) -> impl Iterator<Item = TrialRecord> + 'a {
        let telling = |record: &TrialRecord| record.applied && record.end != End::Unknown && record.key.instance == 0;
        self.trials.iter().filter(move |record| telling(record) && schedule.has(&record.key))
    }
}
