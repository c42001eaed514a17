//! What is kept of a night beside its recorded run: what came of it, and the sources as they were.

use std::fs;
use std::io;
use std::path::PathBuf;

use serde::Serialize;
use serde::de::DeserializeOwned;
use suspect_format::trace::{HASH_START, hash_bytes};

use super::{Store, StoreError, encoding};

impl Store {
    /// Keeps what came of a night, whole or not at all.
    pub fn save_night(&self, run: u64, night: &impl Serialize) -> Result<(), StoreError> {
        encoding::write_json(&self.night_file(run), night)
    }

    /// What came of a night; `None` when the run was no night's.
    pub fn load_night<T: DeserializeOwned>(&self, run: u64) -> Result<Option<T>, StoreError> {
        encoding::read_json(&self.night_file(run))
    }

    /// Where it is said what came of a night.
    pub fn night_file(&self, run: u64) -> PathBuf {
        self.directory.join("runs").join(run.to_string()).join("night.json")
    }

    /// Keeps a source file; its name in the store. The same contents are kept once.
    pub fn save_source(&self, text: &[u8]) -> Result<String, StoreError> {
        let name = format!("{:016x}", hash_bytes(HASH_START, text));
        let directory = self.sources();
        let path = directory.join(&name);
        if !path.exists() {
            self.create_directory(&directory)?;
            encoding::write_bytes(&path, text)?;
        }
        Ok(name)
    }

    /// A source file by its name in the store; `None` when it is not there, or not whole.
    pub fn load_source(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let path = self.sources().join(name);
        match fs::read(&path) {
            Ok(text) => Ok(Some(text).filter(|text| format!("{:016x}", hash_bytes(HASH_START, text)) == name)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(StoreError::io("read", &path)(error)),
        }
    }

    pub(super) fn sources(&self) -> PathBuf {
        self.directory.join("sources")
    }
}
