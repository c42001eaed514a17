//! A directory in which several processes, each with a part of the work, append what they found out to files of their own.

use std::fs::{self, File};
use std::io::{self, Write};
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

/// A new file for what a shard does now. Files of earlier sessions are left as they are, torn ends and all.
pub fn begin(directory: &Path, shard: Shard, extension: &str) -> Result<Appended, StoreError> {
    create(directory)?;
    for session in 1u32.. {
        let path = directory.join(format!("{}.{session}.{extension}", shard.name()));
        match File::options().create_new(true).append(true).open(&path) {
            Ok(file) => return Ok(Appended { path, file }),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(StoreError::io("create", &path)(error)),
        }
    }
    unreachable!("four thousand million sessions are not had")
}

/// Puts one file of these bytes in the place of files of sessions. Whoever is killed meanwhile leaves some things twice.
pub fn replace(directory: &Path, extension: &str, files: &[PathBuf], bytes: &[u8]) -> Result<(), StoreError> {
    let path = directory.join(format!("{}.1.{extension}", Shard::WHOLE.name()));
    // Under the name of a file that is there it would take that one's contents along.
    let fresh = directory.join(format!("{}.0.{extension}", Shard::WHOLE.name()));
    encoding::write_bytes(&fresh, bytes)?;
    for file in files.iter().filter(|file| **file != fresh) {
        fs::remove_file(file).map_err(StoreError::io("remove", file))?;
    }
    fs::rename(&fresh, &path).map_err(StoreError::io("write", &path))
}

/// Copies the files of sessions that another directory has, as sessions of their own.
pub fn copy_sessions(from: &Path, to: &Path, extension: &str) -> Result<(), StoreError> {
    for path in names(from, |name| name.ends_with(&format!(".{extension}")))? {
        let bytes = fs::read(&path).map_err(StoreError::io("read", &path))?;
        begin(to, Shard::WHOLE, extension)?.append(&bytes)?;
    }
    Ok(())
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

/// A file that is only ever appended to.
#[derive(Debug)]
pub struct Appended {
    path: PathBuf,
    file: File,
}

impl Appended {
    /// Appends a frame. When this returns it outlasts the process.
    pub fn append(&mut self, frame: &[u8]) -> Result<(), StoreError> {
        self.file.write_all(frame).map_err(StoreError::io("write", &self.path))
    }

    /// Waits until the disk has everything.
    pub fn sync(&self) -> Result<(), StoreError> {
        self.file.sync_data().map_err(StoreError::io("write", &self.path))
    }
}
