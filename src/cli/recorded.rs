//! Runs tests in record mode and reads what they did.

use std::cell::RefCell;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use suspect_format::abi::{ENV_OUT, ENV_RECORD, Mode};
use suspect_format::record::{DEFAULT_RECORD_BYTES, FILE_SUFFIX};

use super::exit::{Exit, Failure};
use crate::exec::ScratchRoot;
use crate::program::Program;
use crate::recording::{Code, Recording, RecordingError, load_code};
use crate::store::{Lock, Store};
use crate::suite::{RunContext, Suite, Test, TestRun, Verdict};
use crate::trial::{Answered, Plan, Setup, TestRuns, TrialError, Worker};

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
    /// Runs tests contained, where that can be.
    worker: RefCell<Option<Worker>>,
    _lock: Lock,
}

/// What a recorded run of a test left.
pub struct RecordedTest {
    /// What the suite says of it.
    pub verdict: Verdict,
    /// Whether a signal ended it.
    pub died: bool,
    /// How it can be run again with patches, if it can.
    pub runs: Option<TestRuns>,
    /// The number of the process in the order in which they started.
    pub process: u32,
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
        Ok(Self { store, suite, scratch, tmp, worker: RefCell::new(worker()), _lock: lock })
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

    /// Runs and records a test. What it leaves goes into the directory `label` of the room. It runs contained, as its patched runs will, if it
    /// does there what it does otherwise.
    pub fn record(&self, test: &Test, label: &str) -> Result<RecordedTest, Failure> {
        let directory = self.tmp.join(label);
        fs::create_dir_all(&directory).map_err(Failure::of(Exit::File))?;
        let plain = self.run(test, &directory)?;
        let (verdict, died) = (plain.verdict, plain.died());
        if let Some((runs, paths)) = self.record_contained(test, verdict, label)
            && let Some((recording, process)) = chosen(&paths)?
            && recording.modules().iter().all(|module| module.is_file())
        {
            return Ok(RecordedTest { verdict, died, runs: Some(runs), recording, process });
        }
        let mut paths = Vec::new();
        for entry in fs::read_dir(&directory).map_err(Failure::of(Exit::File))? {
            let path = entry.map_err(Failure::of(Exit::File))?.path();
            if path.to_string_lossy().ends_with(FILE_SUFFIX) {
                paths.push(path);
            }
        }
        let Some((recording, process)) = chosen(&paths)? else {
            let why = plain.reason.as_ref().map(|reason| format!(" ({}: {reason})", plain.verdict)).unwrap_or_default();
            let message = format!(
                "{}: no program that can be recorded ran{why}; build it with `suspect build`, and if it has --modes, with `record` among them",
                test.name
            );
            return Err(Failure::new(Exit::NotInstrumented, message));
        };
        for warning in recording.warnings() {
            anstream::eprintln!("suspect: {}: {warning}", test.name);
        }
        Ok(RecordedTest { verdict, died, runs: None, recording, process })
    }

    fn record_contained(&self, test: &Test, verdict: Verdict, label: &str) -> Option<(TestRuns, Vec<PathBuf>)> {
        let mut worker = self.worker.borrow_mut();
        let to = self.tmp.join(format!("{label}-contained"));
        let made = TestRuns::record(worker.as_mut()?, &self.suite, test, verdict, &to, DEFAULT_RECORD_BYTES);
        let (runs, run) = made.ok()?;
        Some((runs, run.recordings))
    }

    /// Carries out a plan of one test; nothing if the test can only be recorded.
    pub fn patched(&self, recorded: &RecordedTest, plan: &Plan) -> Result<Option<Answered>, TrialError> {
        let mut worker = self.worker.borrow_mut();
        let (Some(runs), Some(worker)) = (&recorded.runs, worker.as_mut()) else { return Ok(None) };
        let done = runs.patched(worker, &self.suite, plan, false, None)?;
        Ok(done.into_iter().next().map(|patched| patched.answered))
    }

    /// Where files are kept as long as the room is.
    pub fn directory(&self) -> &Path {
        &self.tmp
    }

    /// The code of what a recorded process ran.
    pub fn code(&self, recording: &Recording) -> Result<(Program, Code), Failure> {
        Ok(load_code(&recording.modules(), &self.store.root().to_string_lossy())?)
    }
}

fn worker() -> Option<Worker> {
    Worker::start(&Setup::new().ok()?).ok()
}

/// The recording that says most, and the number of its process.
fn chosen(paths: &[PathBuf]) -> Result<Option<(Recording, u32)>, Failure> {
    let mut recordings = paths.iter().map(|path| Recording::open(path)).collect::<Result<Vec<_>, _>>()?;
    recordings.sort_by_key(|recording| (recording.header().start_ns, recording.header().pid));
    let most = (0..recordings.len()).max_by_key(|at| recordings[*at].stream().end());
    Ok(most.map(|at| (recordings.swap_remove(at), at as u32)))
}

impl Drop for RecordingRoom<'_> {
    fn drop(&mut self) {
        // What stays is removed by the next one.
        let _ = self.store.remove_tmp();
    }
}
