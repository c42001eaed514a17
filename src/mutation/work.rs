//! The identity of a piece of sharded work, so that parts of different work are never joined.

use suspect_format::trace::HASH_START;

use super::code_state::{mix, text};
use crate::campaign::{CampaignManifest, Settings};
use crate::store::{Shard, ShardEnd};

/// A piece of work.
pub struct Work {
    /// The identity, which all parts share.
    pub id: u64,
    what: String,
}

impl Work {
    /// A piece of work of this identity, in words.
    pub fn new(id: u64, what: String) -> Work {
        Work { id, what }
    }

    /// Value mutants.
    pub fn of_values(manifest: &CampaignManifest, settings: &Settings, names: &[String]) -> Work {
        let Settings { samples, instances, seed, tests, nodes, .. } = settings;
        let mut id = [manifest.key(), *samples as u64, *instances].into_iter().fold(HASH_START, mix);
        id = tests.iter().fold(id, |id, test| mix(id, u64::from(*test)));
        id = nodes.iter().flatten().fold(id, |id, node| mix(id, u64::from(*node)));
        id = names.iter().fold(id, |id, node| text(id, node));
        let what = format!("{samples} samples, seed {seed}, {} tests of run {:016x}", tests.len(), manifest.run);
        Work { id, what }
    }

    /// The end of a part, with so many trials left.
    pub fn ended(&self, shard: Shard, left: usize) -> ShardEnd {
        ShardEnd { work: self.id, what: self.what.clone(), number: shard.number, of: shard.of, left }
    }
}
