//! Where to work: the directory, and the project that it is in.

use std::path::{Path, PathBuf};

use super::exit::{Exit, Failure};
use crate::store::Store;

/// Where to work: `-C`, or here.
pub fn start_directory(asked: Option<&Path>) -> Result<PathBuf, Failure> {
    let directory = asked.unwrap_or(Path::new("."));
    directory.canonicalize().map_err(|error| {
        Failure::new(
            Exit::Usage,
            format!("cannot work in {}: {error}; give an existing directory to -C", directory.display()),
        )
    })
}

/// The project that `start` is in: where suspect.toml is, or a store, upwards; else `start` itself.
pub fn project_root(start: &Path) -> PathBuf {
    let configured = start.ancestors().find(|directory| directory.join(crate::suite::CONFIG_FILE).is_file());
    configured.map(Path::to_path_buf).or_else(|| Store::root_above(start)).unwrap_or_else(|| start.to_path_buf())
}
