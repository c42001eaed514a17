//! What value mutants of a version change, for the methods that read the observations of a campaign.

use serde::{Deserialize, Serialize};

use super::trials::Muted;
use super::version::{Options, Place};
use crate::campaign::TestGroup;
use crate::eval::{self, EvalVersion};
use crate::mutation::{ValuesRequest, mutate_values};
use crate::obstacle::Obstacle;
use crate::suite_run::Session;
use crate::trial::Executors;

/// Values of each node: more change nothing in rankings.
const SAMPLES: usize = 3;

/// That a version's values have been mutated, or why they cannot be.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Mutated {
    /// What it was made from.
    key: String,
    /// Why there is nothing, if so.
    pub refused: Option<String>,
}

impl Place<'_> {
    fn mutated_path(&self, version: &EvalVersion) -> std::path::PathBuf {
        self.work(&format!("{}.values.json", version.name))
    }

    fn mutated_key(&self, recording_key: &str) -> String {
        format!("{recording_key} {SAMPLES} {:?}", self.options.search)
    }

    /// What mutating values with the same budget came to, if it was done; a fresh evaluation has recorded the version anew before it asks.
    pub fn kept_values(&self, version: &EvalVersion, recording_key: &str) -> Result<Option<Mutated>, Obstacle> {
        Ok(eval::read(&self.mutated_path(version), &self.mutated_key(recording_key))?)
    }

    /// Mutates values of a version that has just been built and recorded; the observations stay in its store.
    pub fn mutate_values(&self, version: &EvalVersion, recording_key: &str, session: &Session) -> Result<(), Obstacle> {
        let refused = run_quietly(session, self.options).err();
        let refused = refused.map(Obstacle::into_message);
        if let Some(why) = &refused {
            self.options.progress.say(&format!("{}: no values were mutated: {why}", self.name_of(version)));
        }
        let mutated = Mutated { key: self.mutated_key(recording_key), refused };
        let text = serde_json::to_vec(&mutated).map_err(Obstacle::of(Obstacle::Internal))?;
        Ok(eval::write(&self.mutated_path(version), &text)?)
    }
}

fn run_quietly(session: &Session, options: &Options) -> Result<(), Obstacle> {
    let request = ValuesRequest {
        samples: SAMPLES,
        instances: 0,
        tests: TestGroup::FailingAndCovering,
        budget: options.search,
        nodes: Vec::new(),
        jobs: Some(options.jobs),
        shard: None,
        executors: Executors::Auto,
        seed: 1,
        log_bytes: 1 << 30,
        fresh: false,
        allow_unsafe: false,
    };
    mutate_values(session, &request, &Muted(options.progress), &mut |_| {}).map(drop)
}
