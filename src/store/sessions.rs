//! Directories that several processes fill: who may, and what is there.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use nix::fcntl::FlockArg;

use super::{Lock, Shard, StoreError, encoding};

/// The right to run `shard` in `directory`: given back when dropped, also when the process dies.
pub fn lock(directory: &Path, shard: Shard) -> Result<Lock, StoreError> {
    create(directory)?;
    let path = directory.join(format!("{}.lock", shard.name()));
    super::flock(path.clone(), &path, FlockArg::LockExclusiveNonblock)
}

/// Waits for a right that only one process has at a time.
pub fn wait(directory: &Path, name: &str) -> Result<Lock, StoreError> {
    create(directory)?;
    let path = directory.join(name);
    super::flock(path.clone(), &path, FlockArg::LockExclusive)
}

/// The rights to run all shards that have ever run in `directory`.
pub fn lock_all(directory: &Path) -> Result<Vec<Lock>, StoreError> {
    let locks = names(directory, |name| name.ends_with(".lock"))?;
    locks.into_iter().map(|path| super::flock(path.clone(), &path, FlockArg::LockExclusiveNonblock)).collect()
}

/// Removes `directory`, unless a shard is running there.
pub fn clear(directory: &Path) -> Result<(), StoreError> {
    let _held = lock_all(directory)?;
    match fs::remove_dir_all(directory) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(StoreError::io("remove", directory)(error)),
        _ => Ok(()),
    }
}

/// Copies a file unless it is there, or there is none.
pub fn copy_file(from: &Path, to: &Path) -> Result<(), StoreError> {
    if to.exists() {
        return Ok(());
    }
    match fs::read(from) {
        Ok(bytes) => encoding::write_bytes(to, &bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(StoreError::io("read", from)(error)),
    }
}

/// The files of `directory` whose names are wanted, sorted; none if there is no such directory.
pub fn names(directory: &Path, wanted: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>, StoreError> {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(StoreError::io("read", directory)(error)),
    };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.file_name().and_then(|name| name.to_str()).is_some_and(&wanted));
    paths.sort();
    Ok(paths)
}

/// Makes `directory`.
pub fn create(directory: &Path) -> Result<(), StoreError> {
    fs::create_dir_all(directory).map_err(StoreError::io("create", directory))
}
