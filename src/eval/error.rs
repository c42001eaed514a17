//! What can be wrong with a benchmark or its results.

use std::path::{Path, PathBuf};

use crate::exec::ExecError;
use crate::obstacle::Obstacle;
use crate::suite::SuiteError;

/// Why an evaluation cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    /// A file or directory cannot be read or written.
    #[error("cannot {what} {}: {source}", path.display())]
    Io {
        /// What was attempted.
        what: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The directory holds no programs.
    #[error("no program in {}: neither it nor a directory in it has an {}; docs/eval.md has the layout", path.display(), super::FILE)]
    NoPrograms {
        /// The directory.
        path: PathBuf,
    },
    /// A file says something that has no meaning.
    #[error(transparent)]
    Config(#[from] SuiteError),
    /// The benchmark lacks something, or says something that is not so.
    #[error("{}: {message}", path.display())]
    Layout {
        /// The file or directory.
        path: PathBuf,
        /// What is wrong and what would be right.
        message: String,
    },
    /// A tree could not be copied, or `patch` not run.
    #[error(transparent)]
    Exec(#[from] ExecError),
    /// A file of results does not hold what it should.
    #[error("{} is damaged: {reason}; remove it and run `suspect eval` again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

impl EvalError {
    pub(super) fn io(what: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> EvalError {
        let path = path.to_path_buf();
        move |source| EvalError::Io { what, path, source }
    }

    pub(super) fn layout(path: &Path, message: impl Into<String>) -> EvalError {
        EvalError::Layout { path: path.into(), message: message.into() }
    }
}

impl From<EvalError> for Obstacle {
    fn from(error: EvalError) -> Obstacle {
        match error {
            EvalError::Config(error) => error.into(),
            EvalError::NoPrograms { .. } | EvalError::Layout { .. } => Obstacle::Request(error.to_string()),
            EvalError::Io { .. } | EvalError::Exec(_) | EvalError::Damaged { .. } => Obstacle::File(error.to_string()),
        }
    }
}
