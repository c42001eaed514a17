//! Suites drawn from a program's pool of tests.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::EvalError;

/// A file that names tests of the pool, one on each line: by name, or by number from 1 in the order of the pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The file, relative to the program's directory.
    pub name: String,
    path: PathBuf,
}

impl Selection {
    /// The files that match `patterns`, in the order of their names within each.
    ///
    /// # Errors
    /// When a pattern is none or matches nothing.
    pub(super) fn find(file: &Path, directory: &Path, patterns: &[String]) -> Result<Vec<Selection>, EvalError> {
        let mut found = Vec::new();
        for pattern in patterns {
            let wrong = |why: String| EvalError::layout(file, format!("`selections` \"{pattern}\" {why}"));
            let whole = format!("{}/{pattern}", glob::Pattern::escape(&directory.to_string_lossy()));
            let paths = glob::glob(&whole).map_err(|error| wrong(format!("is no pattern: {}", error.msg)))?;
            let mut paths: Vec<PathBuf> = paths.filter_map(Result::ok).filter(|path| path.is_file()).collect();
            if paths.is_empty() {
                return Err(wrong(format!("matches no file in {}", directory.display())));
            }
            paths.sort();
            found.extend(paths.into_iter().map(|path| Selection {
                name: path.strip_prefix(directory).unwrap_or(&path).display().to_string(),
                path,
            }));
        }
        Ok(found)
    }

    /// Indices into `pool`, the names of its tests, ascending.
    ///
    /// # Errors
    /// When the file cannot be read or names a test that is not in the pool.
    pub fn tests(&self, pool: &[&str]) -> Result<Vec<u32>, EvalError> {
        let text = fs::read_to_string(&self.path).map_err(EvalError::io("read", &self.path))?;
        let by_name: HashMap<&str, usize> = pool.iter().enumerate().map(|(index, name)| (*name, index)).collect();
        let mut tests = Vec::new();
        for (number, line) in (1..).zip(text.lines().map(str::trim)).filter(|(_, line)| !line.is_empty()) {
            let by_number = || line.parse::<usize>().ok()?.checked_sub(1).filter(|index| *index < pool.len());
            let index = by_name.get(line).copied().or_else(by_number).ok_or_else(|| {
                let message = format!("line {number}: no test of the pool's {} is called `{line}`", pool.len());
                EvalError::layout(&self.path, message)
            })?;
            tests.push(index as u32);
        }
        tests.sort_unstable();
        tests.dedup();
        Ok(tests)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}
