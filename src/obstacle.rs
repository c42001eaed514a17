//! Reasons why a request cannot be carried out, by kind: what has to be put right. The command line makes exit codes of them.

use std::fmt::Display;

use crate::build::BuildError;
use crate::campaign::CampaignError;
use crate::program::CountError;
use crate::recording::{NoAnswer, RecordingError};
use crate::store::StoreError;
use crate::suite::SuiteError;
use crate::trace::TraceError;
use crate::trial::TrialError;

/// Why a request cannot be carried out: the kind, and a message that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum Obstacle {
    /// The request, or suspect.toml, is wrong.
    #[error("{0}")]
    Request(String),
    /// There is nothing to work on: the build command fails, or no test counts, fails or passes.
    #[error("{0}")]
    Tests(String),
    /// The program has no instrumented code, or lacks a version of it.
    #[error("{0}")]
    NotInstrumented(String),
    /// No compiler can be used.
    #[error("{0}")]
    Compiler(String),
    /// The store lacks something, is damaged, or of another version.
    #[error("{0}")]
    Store(String),
    /// The program or its sources are not those that were recorded.
    #[error("{0}")]
    OtherBuild(String),
    /// A file cannot be read or written, or the system refuses a service.
    #[error("{0}")]
    File(String),
    /// The time that was given did not suffice.
    #[error("{0}")]
    Time(String),
    /// The user did not wait for the end.
    #[error("{0}")]
    Interrupted(String),
    /// A fault of suspect's own.
    #[error("{0}")]
    Internal(String),
}

impl Obstacle {
    /// An obstacle of this kind, a variant of [`Obstacle`].
    pub fn new(kind: fn(String) -> Obstacle, message: impl Into<String>) -> Obstacle {
        kind(message.into())
    }

    /// Makes obstacles of this kind of errors.
    pub fn of<E: Display>(kind: fn(String) -> Obstacle) -> impl Fn(E) -> Obstacle {
        move |error| kind(error.to_string())
    }

    /// The same kind with another message, made of this one.
    pub fn reworded(mut self, words: impl FnOnce(&str) -> String) -> Obstacle {
        let message = self.message_mut();
        *message = words(message);
        self
    }

    /// The message alone.
    pub fn into_message(mut self) -> String {
        std::mem::take(self.message_mut())
    }

    fn message_mut(&mut self) -> &mut String {
        match self {
            Obstacle::Request(message)
            | Obstacle::Tests(message)
            | Obstacle::NotInstrumented(message)
            | Obstacle::Compiler(message)
            | Obstacle::Store(message)
            | Obstacle::OtherBuild(message)
            | Obstacle::File(message)
            | Obstacle::Time(message)
            | Obstacle::Interrupted(message)
            | Obstacle::Internal(message) => message,
        }
    }
}

impl From<StoreError> for Obstacle {
    fn from(error: StoreError) -> Obstacle {
        Obstacle::Store(error.to_string())
    }
}

impl From<BuildError> for Obstacle {
    fn from(error: BuildError) -> Obstacle {
        let kind = match error {
            BuildError::NoCommand | BuildError::StaleTree(_) => Obstacle::Request,
            BuildError::Toolchain(_) => Obstacle::Compiler,
            BuildError::Spawn { .. } => Obstacle::Tests,
            BuildError::State { .. } => Obstacle::File,
            BuildError::NotInstrumented(_) => Obstacle::NotInstrumented,
        };
        kind(error.to_string())
    }
}

impl From<SuiteError> for Obstacle {
    fn from(error: SuiteError) -> Obstacle {
        let kind = match error {
            SuiteError::NoTests { .. } | SuiteError::MissingExpected { .. } => Obstacle::Tests,
            SuiteError::Io { .. } | SuiteError::Exec(_) => Obstacle::File,
            _ => Obstacle::Request,
        };
        kind(error.to_string())
    }
}

impl From<TraceError> for Obstacle {
    fn from(error: TraceError) -> Obstacle {
        Obstacle::File(error.to_string())
    }
}

impl From<CountError> for Obstacle {
    fn from(error: CountError) -> Obstacle {
        let kind = match error {
            CountError::OtherBuild { .. } => Obstacle::OtherBuild,
            CountError::WrongSize { .. } => Obstacle::File,
        };
        kind(error.to_string())
    }
}

impl From<CampaignError> for Obstacle {
    fn from(error: CampaignError) -> Obstacle {
        match error {
            CampaignError::Store(error) => error.into(),
            CampaignError::NoTest { .. } => Obstacle::Tests(error.to_string()),
            CampaignError::Trial(TrialError::Uncontained { .. }) => Obstacle::Request(error.to_string()),
            CampaignError::Trial(TrialError::Worker { .. }) => Obstacle::Internal(error.to_string()),
            CampaignError::Trial(_) => Obstacle::File(error.to_string()),
        }
    }
}

impl From<RecordingError> for Obstacle {
    fn from(error: RecordingError) -> Obstacle {
        let kind = match &error {
            RecordingError::NoCode { .. } | RecordingError::Sites(_) => Obstacle::NotInstrumented,
            RecordingError::Body(_) => Obstacle::OtherBuild,
            _ => Obstacle::File,
        };
        kind(error.to_string())
    }
}

impl From<NoAnswer> for Obstacle {
    fn from(no: NoAnswer) -> Obstacle {
        Obstacle::Request(no.to_string())
    }
}
