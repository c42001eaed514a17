//! The source tree of a version, made from the correct version's, and the fingerprint of what it is made from.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use suspect_format::trace::{HASH_START, hash_bytes};

use super::{EvalError, EvalProgram, EvalVersion};
use crate::exec::{Command, copy_tree};

/// Makes the tree of a version (`None`: the correct one) at `to`, which must not exist.
///
/// # Errors
/// [`EvalError::Layout`] when the patch does not apply; others when a file cannot be read or written.
pub fn make_tree(program: &EvalProgram, version: Option<&EvalVersion>, to: &Path) -> Result<(), EvalError> {
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent).map_err(EvalError::io("make the directory", parent))?;
    }
    copy_tree(&program.correct, to)?;
    for shared in &program.shared {
        let link = to.join(shared);
        if let Some(parent) = link.parent() {
            fs::create_dir_all(parent).map_err(EvalError::io("make the directory", parent))?;
        }
        let target = program.directory.join(shared);
        std::os::unix::fs::symlink(&target, &link).map_err(EvalError::io("make the link", &link))?;
    }
    let Some(version) = version else { return Ok(()) };
    if let Some(overlay) = &version.overlay {
        lay_over(overlay, to)?;
    }
    version.patch.as_ref().map_or(Ok(()), |patch| apply(patch, to))
}

/// Copies files over those that are there. They are new files with new times, so nothing takes them for built already.
fn lay_over(from: &Path, to: &Path) -> Result<(), EvalError> {
    fs::create_dir_all(to).map_err(EvalError::io("make the directory", to))?;
    for entry in fs::read_dir(from).map_err(EvalError::io("read", from))? {
        let path = entry.map_err(EvalError::io("read", from))?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            lay_over(&path, &target)?;
            continue;
        }
        if target.symlink_metadata().is_ok() {
            fs::remove_file(&target).map_err(EvalError::io("replace", &target))?;
        }
        fs::copy(&path, &target).map_err(EvalError::io("copy", &path))?;
    }
    Ok(())
}

fn apply(patch: &Path, tree: &Path) -> Result<(), EvalError> {
    let mut command = Command::new(["patch", "-p1", "--batch", "--no-backup-if-mismatch", "-i"], tree);
    command.argv.push(patch.into());
    command.merge_stderr = true;
    let outcome = command.run()?;
    if outcome.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&outcome.stdout.bytes);
    let said = said.lines().find(|line| line.contains("FAILED") || line.contains("Only garbage")).unwrap_or_default();
    Err(EvalError::layout(patch, format!("does not apply ({}): {}", outcome.status, said.trim())))
}

/// Goes up when what is kept of a version changes its form.
const LAYOUT: &str = "results 1";

/// Tells whether something has changed since results were made from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// Of this version of suspect.
    pub fn new() -> Fingerprint {
        Fingerprint(HASH_START).with(env!("CARGO_PKG_VERSION")).with(LAYOUT)
    }

    /// With a text.
    pub fn with(self, text: &str) -> Fingerprint {
        Fingerprint(hash_bytes(hash_bytes(self.0, &(text.len() as u64).to_le_bytes()), text.as_bytes()))
    }

    /// With a file, or all files below a directory: their names, sizes and times.
    ///
    /// # Errors
    /// When something cannot be read.
    pub fn with_files(self, path: &Path) -> Result<Fingerprint, EvalError> {
        let status = fs::symlink_metadata(path).map_err(EvalError::io("look at", path))?;
        let mut fingerprint = self.with(&path.to_string_lossy());
        if !status.is_dir() {
            return Ok(fingerprint.with(&format!("{} {} {}", status.len(), status.mtime(), status.mtime_nsec())));
        }
        let entries = fs::read_dir(path).map_err(EvalError::io("read", path))?;
        let mut paths: Vec<PathBuf> =
            entries.map(|entry| Ok(entry?.path())).collect::<Result<_, _>>().map_err(EvalError::io("read", path))?;
        paths.sort();
        for path in paths {
            fingerprint = fingerprint.with_files(&path)?;
        }
        Ok(fingerprint)
    }

    /// As text.
    pub fn text(self) -> String {
        format!("{:016x}", self.0)
    }
}

impl Default for Fingerprint {
    fn default() -> Self {
        Fingerprint::new()
    }
}
