//! What rankings and explanations have said and claimed, for reports and for `suspect replay`: a file each, written whole and renamed into place.

use std::path::PathBuf;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Store, StoreError, encoding};

impl Store {
    /// Keeps what rankings have claimed.
    pub fn save_claims(&self, claims: &impl Serialize) -> Result<(), StoreError> {
        self.create_own()?;
        encoding::write_json(&self.claims_file(), claims)
    }

    /// What rankings have claimed; `None` when nothing has been.
    pub fn load_claims<T: DeserializeOwned>(&self) -> Result<Option<T>, StoreError> {
        encoding::read_json(&self.claims_file())
    }

    /// Keeps the ranking that was made last.
    pub fn save_ranking(&self, ranking: &impl Serialize) -> Result<(), StoreError> {
        self.create_own()?;
        encoding::write_json(&self.directory.join("ranking.json"), ranking)
    }

    /// Keeps what the compiler warns of.
    pub fn save_warnings(&self, warnings: &impl Serialize) -> Result<(), StoreError> {
        self.create_own()?;
        encoding::write_json(&self.directory.join("warnings.json"), warnings)
    }

    /// What the compiler warns of, as far as it was asked; `None` when it has not been.
    pub fn load_warnings<T: DeserializeOwned>(&self) -> Result<Option<T>, StoreError> {
        encoding::read_json(&self.directory.join("warnings.json"))
    }

    /// The ranking that was made last; `None` when none has been.
    pub fn load_ranking<T: DeserializeOwned>(&self) -> Result<Option<T>, StoreError> {
        encoding::read_json(&self.directory.join("ranking.json"))
    }

    /// Keeps the chains of causes that were found for the run of this identity.
    pub fn save_explanations(&self, run: u64, explanations: &impl Serialize) -> Result<(), StoreError> {
        self.create_directory(&self.directory.join("explanations"))?;
        encoding::write_json(&self.explanations_file(run), explanations)
    }

    /// The chains of causes that were found for the run of this identity; `None` when none has been looked for.
    pub fn load_explanations<T: DeserializeOwned>(&self, run: u64) -> Result<Option<T>, StoreError> {
        encoding::read_json(&self.explanations_file(run))
    }

    fn explanations_file(&self, run: u64) -> PathBuf {
        self.directory.join("explanations").join(format!("{run:016x}.json"))
    }

    /// Where claims are.
    pub fn claims_file(&self) -> PathBuf {
        self.directory.join("claims.json")
    }
}
