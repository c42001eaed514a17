//! A recorded run opened for work: its store, the run, and the suite whose tests it recorded.

use std::path::Path;
use std::sync::OnceLock;

use super::ready;
use crate::obstacle::Obstacle;
use crate::store::{Run, Store, StoreError};
use crate::suite::Suite;

/// A recorded run with its store; its suite is loaded when somebody asks for it.
#[derive(Debug)]
pub struct Session {
    /// The store that the run is in.
    pub store: Store,
    /// The run.
    pub run: Run,
    suite: OnceLock<Suite>,
}

impl Session {
    /// The latest run of the project at `root`.
    pub fn latest(root: &Path) -> Result<Session, StoreError> {
        let store = Store::new(root);
        let run = store.latest_run()?;
        Ok(Session::of(store, run))
    }

    /// A run of a store.
    pub fn of(store: Store, run: Run) -> Session {
        Session { store, run, suite: OnceLock::new() }
    }

    /// The same run with another suite than the project's own.
    pub fn with_suite(self, suite: Suite) -> Session {
        Session { suite: OnceLock::from(suite), ..self }
    }

    /// The run's suite. What took long to ask for is as it was then.
    pub fn suite(&self) -> Result<&Suite, Obstacle> {
        if let Some(suite) = self.suite.get() {
            return Ok(suite);
        }
        let suite = ready::suite(self.store.root(), &self.run)?;
        Ok(self.suite.get_or_init(|| suite))
    }

    /// Fails with what to do unless the run is fit for mutants: its program and its tests are as they were recorded.
    pub fn check_ready(&self) -> Result<(), Obstacle> {
        ready::check(&self.store, &self.run, self.suite()?)
    }
}
