//! Taking other tests of a project where those that suspect.toml was begun with start nothing that is instrumented: they look at files, or make some.

use std::fs;
use std::path::Path;

use super::config::{Config, FILE};
use super::refine::{Refining, write_whole};
use super::{Suite, SuiteError, init};

/// Tests that were taken in place of others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// How suspect.toml speaks of them.
    pub what: String,
    /// Whether suspect.toml says another build command now.
    pub builds_otherwise: bool,
}

/// Writes the next tests of the project in `root` that start something instrumented into a suspect.toml that is as [`init()`](super::init()) wrote it, if
/// its tests do not. Runs tests until one does.
///
/// # Errors
/// As [`Suite::load`], when suspect.toml cannot be written, or when the deadline comes first.
pub fn take_other(root: &Path, how: &Refining) -> Result<Option<Taken>, SuiteError> {
    let path = root.join(FILE);
    let text =
        fs::read_to_string(&path).map_err(|source| SuiteError::Io { what: "read", path: path.clone(), source })?;
    let others = init::others(root, &text);
    if others.is_empty() || how.start_recorded(&Suite::load(root)?)? {
        return Ok(None);
    }
    for other in others {
        let config = Config::parse(other.text.as_bytes(), &path)?;
        // Tests that cannot be listed are none.
        let Ok(suite) = Suite::from_config_until(root, config, how.lists, how.deadline, how.asked) else { continue };
        if how.start_recorded(&suite)? {
            write_whole(&path, &other.text).map_err(|source| SuiteError::Io { what: "write", path, source })?;
            return Ok(Some(Taken { what: other.what, builds_otherwise: other.builds_otherwise }));
        }
    }
    Ok(None)
}
