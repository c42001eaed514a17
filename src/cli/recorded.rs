//! Runs tests in record mode and reads what they did.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use suspect_format::abi::{ENV_OUT, ENV_RECORD, Mode};
use suspect_format::record::FILE_SUFFIX;

use super::exit::{Exit, Failure};
use crate::exec::ScratchRoot;
use crate::program::Program;
use crate::recording::{Code, Recording, RecordingError, load_code};
use crate::store::{Lock, Store};
use crate::suite::{RunContext, Suite, Test, TestRun};

impl From<RecordingError> for Failure {
    fn from(error: RecordingError) -> Failure {
        let exit = match &error {
            RecordingError::NoCode { .. } | RecordingError::Sites(_) => Exit::NotInstrumented,
            RecordingError::Body(_) => Exit::OtherBuild,
            _ => Exit::File,
        };
        Failure::new(exit, error.to_string())
    }
}

/// A place where tests are run and recorded.
pub struct RecordingRoom<'a> {
    store: &'a Store,
    suite: Suite,
    scratch: ScratchRoot,
    tmp: PathBuf,
    _lock: Lock,
}

/// What a recorded run of a test left.
pub struct RecordedTest {
    /// What the suite says of it.
    pub run: TestRun,
    /// The process that is looked at: of several, the one that recorded most.
    pub recording: Recording,
}

impl<'a> RecordingRoom<'a> {
    /// Makes the room in the project's store.
    pub fn new(store: &'a Store) -> Result<Self, Failure> {
        let suite = Suite::load(store.root())?;
        let lock = store.lock()?;
        let tmp = store.fresh_tmp()?;
        let scratch = ScratchRoot::inside(&tmp).map_err(Failure::of(Exit::File))?;
        Ok(Self { store, suite, scratch, tmp, _lock: lock })
    }

    /// The test called `name`.
    pub fn test(&self, name: &str) -> Result<&Test, Failure> {
        let found = self.suite.tests().iter().find(|test| test.name == name);
        found.ok_or_else(|| {
            let names: Vec<&str> = self.suite.tests().iter().take(10).map(|test| test.name.as_str()).collect();
            Failure::new(Exit::Usage, format!("{name}: there is no such test; there are {}", names.join(", ")))
        })
    }

    /// Runs a test.
    fn run(&self, test: &Test, directory: &Path) -> Result<TestRun, Failure> {
        let env: [(OsString, OsString); 2] =
            [(ENV_RECORD.into(), Mode::Record.name().into()), (ENV_OUT.into(), directory.into())];
        let context = RunContext { env: &env, scratch: &self.scratch, timeout: None };
        Ok(self.suite.run_test(test, &context)?)
    }

    /// Runs and records a test. What it leaves goes into the directory `label` of the room.
    pub fn record(&self, test: &Test, label: &str) -> Result<RecordedTest, Failure> {
        let directory = self.tmp.join(label);
        fs::create_dir_all(&directory).map_err(Failure::of(Exit::File))?;
        let run = self.run(test, &directory)?;
        let mut recordings = Vec::new();
        for entry in fs::read_dir(&directory).map_err(Failure::of(Exit::File))? {
            let path = entry.map_err(Failure::of(Exit::File))?.path();
            if path.to_string_lossy().ends_with(FILE_SUFFIX) {
                recordings.push(Recording::open(&path)?);
            }
        }
        recordings.sort_by_key(|recording| (recording.header().start_ns, recording.header().pid));
        let most = (0..).zip(&recordings).max_by_key(|(_, recording)| recording.stream().end()).map(|(at, _)| at);
        let Some(process) = most else {
            let why = run.reason.as_ref().map(|reason| format!(" ({}: {reason})", run.verdict)).unwrap_or_default();
            let message = format!(
                "{}: no program that can be recorded ran{why}; build it with `suspect build --modes plain,values,record`",
                test.name
            );
            return Err(Failure::new(Exit::NotInstrumented, message));
        };
        let recording = recordings.swap_remove(process);
        for warning in recording.warnings() {
            anstream::eprintln!("suspect: {}: {warning}", test.name);
        }
        Ok(RecordedTest { run, recording })
    }

    /// The code of what a recorded process ran.
    pub fn code(&self, recording: &Recording) -> Result<(Program, Code), Failure> {
        Ok(load_code(&recording.modules(), &self.store.root().to_string_lossy())?)
    }
}

impl Drop for RecordingRoom<'_> {
    fn drop(&mut self) {
        // What stays is removed by the next one.
        let _ = self.store.remove_tmp();
    }
}
