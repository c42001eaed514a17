//! What git knows of the project.

use std::path::Path;

use crate::exec::{Command, ExecError, Outcome};

/// Runs git in `root`.
///
/// # Errors
/// When there is no git.
pub fn git(root: &Path, arguments: &[&str]) -> Result<Outcome, ExecError> {
    Command::new(std::iter::once("git").chain(arguments.iter().copied()), root).run()
}

/// What a command of git that succeeds prints, without the last line break; `None` where it fails, or there is no git.
pub fn said(root: &Path, arguments: &[&str]) -> Option<String> {
    let outcome = git(root, arguments).ok().filter(|outcome| outcome.status.success())?;
    Some(String::from_utf8_lossy(&outcome.stdout.bytes).trim_end().to_string())
}

/// The commit that the work tree is of; `None` outside of git.
pub fn revision(root: &Path) -> Option<String> {
    said(root, &["rev-parse", "--verify", "--quiet", "HEAD"])
}
