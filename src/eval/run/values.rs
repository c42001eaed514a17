//! What value mutants of a version change, for the methods that read the observations of campaigns.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::trials::Muted;
use super::version::Place;
use crate::campaign::TestGroup;
use crate::eval::{self, EvalVersion};
use crate::mutation::{ValuesRequest, mutate_values};
use crate::obstacle::Obstacle;
use crate::rank::{Located, Method, Need, Units};
use crate::rank_inputs::{CdflChoice, MethodInput, Wanted, observe};
use crate::suite_run::Session;
use crate::trial::Executors;

/// The values that nodes of a version are given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueChoice {
    /// Numbers of values of each node, ascending, none twice: rankings are made with each, trials with the last one.
    pub samples: Vec<u32>,
    /// Seeds, none twice: for each there is a campaign.
    pub seeds: Vec<u64>,
}

impl Default for ValueChoice {
    /// Three values of each node and one seed: more change nothing in rankings.
    fn default() -> ValueChoice {
        ValueChoice { samples: vec![3], seeds: vec![1] }
    }
}

impl ValueChoice {
    /// Each seed with each number of values; the first one is what methods are reported with.
    pub fn each(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        self.seeds.iter().flat_map(|seed| self.samples.iter().rev().map(move |samples| (*seed, *samples)))
    }

    fn most(&self) -> usize {
        self.samples.last().map_or(0, |samples| *samples as usize)
    }
}

/// That a version's values have been mutated, or why they cannot be.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Mutated {
    /// What it was made from.
    key: String,
    /// Why there is nothing, if so.
    pub refused: Option<String>,
    /// Trials of all campaigns.
    #[serde(default)]
    pub trials: u64,
    /// Seconds that they took.
    #[serde(default)]
    pub seconds: f64,
}

impl Place<'_> {
    fn mutated_path(&self, version: &EvalVersion) -> std::path::PathBuf {
        self.work(&format!("{}.values.json", version.name))
    }

    fn mutated_key(&self, recording_key: &str) -> String {
        let ValueChoice { samples, seeds } = &self.options.values;
        format!("{recording_key} {samples:?} {seeds:?} {:?} {:?}", self.options.draw, self.options.search)
    }

    /// What mutating values with the same budget came to, if it was done; a fresh evaluation has recorded the version anew before it asks.
    pub fn kept_values(&self, version: &EvalVersion, recording_key: &str) -> Result<Option<Mutated>, Obstacle> {
        Ok(eval::read(&self.mutated_path(version), &self.mutated_key(recording_key))?)
    }

    /// Mutates values of a version that has just been built and recorded; the observations stay in its store.
    pub fn mutate_values(&self, version: &EvalVersion, recording_key: &str, session: &Session) -> Result<(), Obstacle> {
        let began = Instant::now();
        let (trials, refused) = match self.campaigns(version, session) {
            Ok(0) => (0, Some("no trial of a value could be run".to_string())),
            Ok(trials) => (trials, None),
            Err(obstacle) => (0, Some(obstacle.into_message())),
        };
        if let Some(why) = &refused {
            self.options.progress.say(&format!("{}: no values were mutated: {why}", self.name_of(version)));
        }
        let seconds = began.elapsed().as_secs_f64();
        let mutated = Mutated { key: self.mutated_key(recording_key), refused, trials, seconds };
        let text = serde_json::to_vec(&mutated).map_err(Obstacle::of(Obstacle::Internal))?;
        Ok(eval::write(&self.mutated_path(version), &text)?)
    }

    /// Runs a campaign for each seed; the number of trials of all of them.
    fn campaigns(&self, version: &EvalVersion, session: &Session) -> Result<u64, Obstacle> {
        let options = self.options;
        let drawn = options.draw.map(|_| self.suites(version, &session.run)).transpose()?;
        let among = drawn.map(|(suites, _)| {
            let mut tests: Vec<u32> = suites.into_iter().flat_map(|(_, tests)| tests).collect();
            tests.sort_unstable();
            tests.dedup();
            tests
        });
        let mut trials = 0;
        for seed in &options.values.seeds {
            let request = ValuesRequest {
                samples: options.values.most(),
                instances: 0,
                // Suites that were drawn are small, and all their tests count.
                tests: if among.is_some() { TestGroup::All } else { TestGroup::FailingAndCovering },
                among: among.clone(),
                budget: options.search,
                nodes: Vec::new(),
                jobs: Some(options.jobs),
                shard: None,
                executors: Executors::Auto,
                seed: *seed,
                log_bytes: 1 << 30,
                fresh: false,
                allow_unsafe: false,
            };
            let summary = mutate_values(session, &request, &Muted(options.progress), &mut |_| {})?;
            let left: usize = summary.not_run.values().sum();
            trials += summary.planned.saturating_sub(left) as u64;
        }
        Ok(trials)
    }

    /// Where the methods that read observations put the fault with so many values of each node, drawn with a seed; `tests` ascending.
    pub fn located_by_values(
        &self,
        session: &Session,
        units: &Units,
        tests: &[u32],
        faulty: &[u32],
        (seed, samples): (u64, u32),
    ) -> Result<Vec<(&'static str, Option<Located>)>, Obstacle> {
        let mut found = Vec::new();
        for sampled_alone in [false, true] {
            let methods = self.options.methods.iter().filter(|method| reads_values(method));
            // The paper's method has no neighbouring values.
            let methods: Vec<_> = methods.filter(|method| (method.id == "cdfl_paper") == sampled_alone).collect();
            if methods.is_empty() {
                continue;
            }
            let wanted = Wanted { sampled_alone, tests: Some(tests), samples: Some(samples), seed: Some(seed) };
            let observed = observe(session, wanted)?;
            let choice = CdflChoice::new(&session.run, None, None)?;
            let seen = MethodInput::read(&session.run, units, &[Need::Coverage], tests)?.with_mutants(observed, choice);
            for method in methods {
                found.push((method.id, Located::new(&seen.rank(method)?.ranking, faulty)));
            }
        }
        Ok(found)
    }
}

/// True of a method that reads what value mutants changed.
pub(super) fn reads_values(method: &Method) -> bool {
    method.needs.contains(&Need::Observations)
}
