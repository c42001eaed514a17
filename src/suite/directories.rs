//! Directories of a project: those below, and where code and tests are kept by custom.

use std::fs;
use std::path::{Path, PathBuf};

/// Directories below, by name; hidden ones are not a project's.
pub(super) fn subdirectories(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut names: Vec<PathBuf> = entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| PathBuf::from(entry.file_name()))
        .filter(|name| !name.to_string_lossy().starts_with('.'))
        .collect();
    names.sort();
    names
}

/// Directories in which projects keep what builds them, where there is nothing at the top.
pub(super) const CODE_DIRS: [&str; 7] = ["src", "source", "make", "projects/make", "build", "unix", "c"];
/// Directories in which projects keep tests.
pub(super) const TEST_DIRS: [&str; 5] = ["tests", "test", "t", "testsuite", "check"];
