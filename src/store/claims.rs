//! What rankings have claimed, for `suspect replay`: one file, written whole and renamed into place.

use std::path::PathBuf;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Store, StoreError, encoding};

impl Store {
    /// Keeps what rankings have claimed.
    pub fn save_claims(&self, claims: &impl Serialize) -> Result<(), StoreError> {
        self.create_directory(&self.directory)?;
        encoding::write_json(&self.claims_file(), claims)
    }

    /// What rankings have claimed; `None` when nothing has been.
    pub fn load_claims<T: DeserializeOwned>(&self) -> Result<Option<T>, StoreError> {
        encoding::read_json(&self.claims_file())
    }

    /// Where claims are.
    pub fn claims_file(&self) -> PathBuf {
        self.directory.join("claims.json")
    }
}
