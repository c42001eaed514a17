//! Which parts of a piece of work have been done, in a directory that several processes or machines fill.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Shard, StoreError, encoding, sessions};

/// What a part came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShardEnd {
    /// What tells this work from any other: the same for all its parts.
    pub work: u64,
    /// The same in words.
    pub what: String,
    /// Which part, from 1.
    pub number: u32,
    /// Of how many.
    pub of: u32,
    /// Trials that are still to do.
    pub left: usize,
}

/// The parts of a piece of work that ended.
#[derive(Clone, Debug)]
pub struct ShardEnds {
    directory: PathBuf,
}

impl ShardEnds {
    pub(super) fn of(directory: &Path) -> ShardEnds {
        ShardEnds { directory: directory.to_path_buf() }
    }

    /// A part begins: it has not ended, and what is said of parts of other work is out of date.
    pub fn begin(&self, shard: Shard, work: u64) -> Result<(), StoreError> {
        for (path, end) in self.named()? {
            let is_other = end.as_ref().is_none_or(|end| end.work != work || end.of != shard.of);
            if is_other || path == self.path(shard) {
                std::fs::remove_file(&path).map_err(StoreError::io("remove", &path))?;
            }
        }
        Ok(())
    }

    /// A part has ended.
    pub fn end(&self, end: &ShardEnd) -> Result<(), StoreError> {
        sessions::create(&self.directory)?;
        encoding::write_json(&self.path(Shard { number: end.number, of: end.of }), end)
    }

    /// The parts that ended.
    pub fn all(&self) -> Result<Vec<ShardEnd>, StoreError> {
        let damaged = |path: &Path| StoreError::Damaged {
            path: path.to_path_buf(),
            reason: "it does not say what part of which work it is".into(),
        };
        self.named()?.into_iter().map(|(path, end)| end.ok_or_else(|| damaged(&path))).collect()
    }

    /// Forgets that parts have ended: they are one whole now.
    pub fn clear(&self) -> Result<(), StoreError> {
        for (path, _) in self.named()? {
            std::fs::remove_file(&path).map_err(StoreError::io("remove", &path))?;
        }
        Ok(())
    }

    fn named(&self) -> Result<Vec<(PathBuf, Option<ShardEnd>)>, StoreError> {
        let paths = sessions::names(&self.directory, |name| name.starts_with("shard-") && name.ends_with(".done"))?;
        Ok(paths.into_iter().map(|path| (path.clone(), encoding::read_json(&path).ok().flatten())).collect())
    }

    fn path(&self, shard: Shard) -> PathBuf {
        self.directory.join(format!("{}.done", shard.name()))
    }
}
