//! The ends of a bisection: commits that were judged before, by which the next verdict decides it.

use std::path::Path;

use crate::exec::git::{git, said};

/// A commit that was called good or bad before.
#[derive(Debug, PartialEq, Eq)]
pub struct End {
    pub commit: String,
    pub is_good: bool,
}

/// The ends by which the bisection is decided if the commit that is checked out `is_good`; none outside of a bisection, or as long as it goes on.
pub fn deciding(root: &Path, is_good: bool) -> Vec<End> {
    let term = |which| said(root, &["bisect", "terms", which]);
    let (Some(good), Some(bad)) = (term("--term-good"), term("--term-bad")) else { return Vec::new() };
    let (good, bad) = (format!("refs/bisect/{good}-*"), format!("refs/bisect/{bad}"));
    let not_good = format!("--glob={good}");
    if is_good {
        let left = said(root, &["rev-list", "--max-count=2", &bad, "--not", "HEAD", &not_good]);
        let decides = left.filter(|left| left.lines().count() == 1);
        return decides.map(|commit| End { commit, is_good: false }).into_iter().collect();
    }
    let left = said(root, &["rev-list", "--max-count=2", "HEAD", "--not", &not_good]);
    if left.is_none_or(|left| left.lines().count() != 1) {
        return Vec::new();
    }
    let parents = said(root, &["rev-parse", "HEAD^@"]).unwrap_or_default();
    parents.lines().map(|commit| End { commit: commit.to_owned(), is_good: true }).collect()
}

/// A commit checked out for a while; the one before comes back when this is dropped.
pub struct Visit<'a> {
    root: &'a Path,
    back: String,
}

impl<'a> Visit<'a> {
    /// Checks a commit out; `None` where git does not, as with changed files in its way.
    pub fn to(root: &'a Path, commit: &str) -> Option<Visit<'a>> {
        let back = said(root, &["rev-parse", "--verify", "--quiet", "HEAD"])?;
        said(root, &["checkout", "--quiet", "--detach", commit])?;
        Some(Visit { root, back })
    }
}

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        let _ = git(self.root, &["checkout", "--quiet", "--detach", &self.back]);
    }
}
