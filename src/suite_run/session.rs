//! A recorded run opened for work: its store, the run, and the suite whose tests it recorded.

use std::path::Path;
use std::sync::OnceLock;

use super::ready;
use crate::obstacle::Obstacle;
use crate::store::{Run, Store, StoreError};
use crate::suite::{Hint, Suite};

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

    /// What would have the failing tests of the last run tell more.
    pub fn hints(&self) -> Result<Vec<Hint>, Obstacle> {
        let mut failing = self.run.manifest.tests.iter().filter(|test| test.passed == Some(false)).peekable();
        if failing.peek().is_none() {
            return Ok(Vec::new());
        }
        let suite = self.suite()?;
        // suspect.toml may have been changed since.
        let number = |name: &str| suite.tests().iter().position(|test| test.name == name);
        Ok(suite.hints(failing.filter_map(|test| Some((number(&test.name)?, test.processes, None)))))
    }

    /// Fails with what to do unless the run is fit for mutants: its program and its tests are as they were recorded.
    pub fn check_ready(&self) -> Result<(), Obstacle> {
        ready::check(&self.store, &self.run, self.suite()?)
    }
}
