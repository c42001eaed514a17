//! The log of outcomes: a directory in which several processes, each with a part of the work, append what they found out to files of their own.
//!
//! A file holds frames and may end anywhere, since whoever writes it may be killed. What does not fit its frame's checksum is passed over, and what it
//! held counts as not found out. Nothing is changed after it was appended; only whole files are replaced, by who holds all locks.

use std::fs::{self, File};
use std::io::{self, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use suspect_core::trial::End;

use super::encoding::{self, FRAME_HEADER};
use super::sessions::{self, create, names};
use super::{Lock, Shard, ShardEnds, StoreError};

/// Outcomes that are appended together.
pub trait Outcomes {
    /// Kind of the frames that hold them.
    const KIND: u32;
    /// What the names of their files end in.
    const EXTENSION: &'static str;

    /// The frame that holds them.
    fn frame(&self) -> Vec<u8>;
}

/// Files of which parts had to be passed over, with the number of such parts.
pub type Damaged = Vec<(PathBuf, usize)>;

/// A directory of files of outcomes; nothing is created before something is saved.
#[derive(Clone, Debug)]
pub struct Log<F> {
    directory: PathBuf,
    frames: PhantomData<fn() -> F>,
}

impl<F: Outcomes> Log<F> {
    /// The log in this directory.
    pub fn new(directory: PathBuf) -> Self {
        Log { directory, frames: PhantomData }
    }

    /// Where it is.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Takes the right to run a shard: given back when dropped, also when the process dies.
    pub fn lock(&self, shard: Shard) -> Result<Lock, StoreError> {
        sessions::lock(&self.directory, shard)
    }

    /// The shards that have ended.
    pub fn shards(&self) -> ShardEnds {
        ShardEnds::of(&self.directory)
    }

    /// Removes everything, unless a shard is running.
    pub fn clear(&self) -> Result<(), StoreError> {
        sessions::clear(&self.directory)
    }

    /// The files, sorted.
    pub fn files(&self) -> Result<Vec<PathBuf>, StoreError> {
        names(&self.directory, |name| name.strip_suffix(F::EXTENSION).is_some_and(|name| name.ends_with('.')))
    }

    /// A new file for what a shard finds out now. Files of earlier sessions are left as they are, torn ends and all.
    pub fn begin(&self, shard: Shard) -> Result<LogWriter<F>, StoreError> {
        create(&self.directory)?;
        let mut session = 1u32;
        loop {
            let path = self.directory.join(format!("{}.{session}.{}", shard.name(), F::EXTENSION));
            match File::options().create_new(true).append(true).open(&path) {
                Ok(file) => return Ok(LogWriter { path, file, frames: PhantomData }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && session < u32::MAX => session += 1,
                Err(error) => return Err(StoreError::io("create", &path)(error)),
            }
        }
    }

    /// Puts what `all` makes of it into one file in place of all others. Unless a shard is running. Whoever is killed meanwhile leaves some things
    /// twice.
    pub fn join(&self, all: impl FnOnce() -> Result<Vec<F>, StoreError>) -> Result<(), StoreError> {
        let _held = sessions::lock_all(&self.directory)?;
        let files = self.files()?;
        let bytes: Vec<u8> = all()?.iter().flat_map(Outcomes::frame).collect();
        let named = |session: u32| self.directory.join(format!("{}.{session}.{}", Shard::WHOLE.name(), F::EXTENSION));
        // Under the name of a file that is there it would take that one's contents along.
        let (fresh, path) = (named(0), named(1));
        encoding::write_bytes(&fresh, &bytes)?;
        for file in files.iter().filter(|file| **file != fresh) {
            fs::remove_file(file).map_err(StoreError::io("remove", file))?;
        }
        fs::rename(&fresh, &path).map_err(StoreError::io("write", &path))
    }

    /// Adds the files of another log, as sessions of their own.
    pub fn take(&self, other: &Log<F>) -> Result<(), StoreError> {
        create(&self.directory)?;
        for path in other.files()? {
            let bytes = fs::read(&path).map_err(StoreError::io("read", &path))?;
            self.begin(Shard::WHOLE)?.write(&bytes)?;
        }
        Ok(())
    }
}

impl<F: Outcomes + DeserializeOwned> Log<F> {
    /// Reads all frames, file by file, and tells what could not be read.
    pub fn read(&self, mut visit: impl FnMut(F)) -> Result<Damaged, StoreError> {
        let mut damaged = Vec::new();
        for path in self.files()? {
            let bytes = fs::read(&path).map_err(StoreError::io("read", &path))?;
            let n_damaged = scan(&bytes, &mut visit);
            if n_damaged > 0 {
                damaged.push((path, n_damaged));
            }
        }
        Ok(damaged)
    }

    /// Forgets frames that are not wanted, unless a shard is running. Files without any of these are left as they are.
    pub fn retain(&self, wanted: impl Fn(&F) -> bool) -> Result<(), StoreError> {
        for path in self.files()? {
            let bytes = fs::read(&path).map_err(StoreError::io("read", &path))?;
            let (mut kept, mut n_unwanted) = (Vec::new(), 0);
            scan(&bytes, |frame: F| match wanted(&frame) {
                true => kept.extend(frame.frame()),
                false => n_unwanted += 1,
            });
            if n_unwanted == 0 {
                continue;
            }
            let Ok(_held) = sessions::lock_all(&self.directory) else { return Ok(()) };
            match kept.is_empty() {
                true => fs::remove_file(&path).map_err(StoreError::io("remove", &path))?,
                false => encoding::write_bytes(&path, &kept)?,
            }
        }
        Ok(())
    }
}

/// Finds all frames of a file, in the order in which they were appended, and how many stretches before the last of them had to be passed over.
pub fn scan<F: Outcomes + DeserializeOwned>(bytes: &[u8], mut visit: impl FnMut(F)) -> usize {
    encoding::scan(bytes, F::KIND, |_, payload| {
        visit(encoding::decode(payload)?);
        Some(FRAME_HEADER + payload.len())
    })
}

/// A file that outcomes are appended to.
#[derive(Debug)]
pub struct LogWriter<F> {
    path: PathBuf,
    file: File,
    frames: PhantomData<fn() -> F>,
}

impl<F: Outcomes> LogWriter<F> {
    /// Appends outcomes. When this returns they outlast the process.
    pub fn append(&mut self, outcomes: &F) -> Result<(), StoreError> {
        self.write(&outcomes.frame())
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        self.file.write_all(bytes).map_err(StoreError::io("write", &self.path))
    }

    /// Waits until the disk has everything.
    pub fn sync(&self) -> Result<(), StoreError> {
        self.file.sync_data().map_err(StoreError::io("write", &self.path))
    }
}

/// How a program ended, as it stands in frames: which way, and the status or signal.
pub fn coded_end(end: End) -> (u8, i32) {
    match end {
        End::Exited(status) => (0, status),
        End::Signalled(signal) => (1, signal),
        End::Cut => (2, 0),
        End::Unknown => (3, 0),
    }
}

/// The end that [`coded_end`] coded.
pub fn decoded_end((way, number): (u8, i32)) -> End {
    match way {
        0 => End::Exited(number),
        1 => End::Signalled(number),
        2 => End::Cut,
        _ => End::Unknown,
    }
}

/// Ends as fields of what serde writes.
pub mod end {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{End, coded_end, decoded_end};

    /// Writes an end.
    pub fn serialize<S: Serializer>(end: &End, serializer: S) -> Result<S::Ok, S::Error> {
        coded_end(*end).serialize(serializer)
    }

    /// Reads an end.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<End, D::Error> {
        Deserialize::deserialize(deserializer).map(decoded_end)
    }
}
