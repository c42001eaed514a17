//! Runs tests in record mode and reads what they did.

mod bounded;
mod ranked;
mod reading;

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

use suspect_format::abi::{ENV_CLOCK, ENV_OUT, ENV_RECORD, ENV_RECORD_BYTES, Mode};
use suspect_format::plan::{Ended, Point, WHEN_BEFORE};
use suspect_format::record::{DEFAULT_RECORD_BYTES, FILE_SUFFIX};

use ranked::Ranked;
pub use reading::{MOST_POINTS, unread};

use super::blamed::Sign;
use super::recorded_test::{Asked, Change, Chosen, Judged, Most, RecordedTest, chosen, of_contained, of_process};
use crate::build::BuildReport;
use crate::exec::{ScratchRoot, free_bytes, memory};
use crate::mutation::{does_not_end, most_passing_edges};
use crate::obstacle::Obstacle;
use crate::program::Program;
use crate::progress::Progress;
use crate::recording::{Code, Deadline, Given, Recording, code_of, code_of_builds};
use crate::source::SourceTree;
use crate::store::{Lock, Run, Store, StoreError, TestRecord};
use crate::suite::{Judging, RunContext, Suite, Test, TestRun, Verdict, find_test};
use crate::suite_run::{Session, ready};
use crate::trace::can_ask_for_time;
use crate::trial::{self, Answered, Known, Place, Plan, Setup, TestRuns, TrialError, Worker};

/// How many times as long as the longest passing test one is recorded that does not end (recording slows it down), and how long at least and at most.
const ENDLESS: u32 = 50;
const LEAST_ENDLESS: Duration = Duration::from_secs(1);
const MOST_ENDLESS: Duration = Duration::from_secs(120);

/// Time from which on a test is run no more often than needed: of its runs the minute that an explanation may take has room for a dozen.
const SLOW: Duration = Duration::from_secs(3);

/// Bytes that are recorded of a test that does not end, for each edge of the passing test with the most of them: an edge takes one byte at most where its
/// branch is all that is recorded, and a few where memory is read.
const ENDLESS_BYTES_AN_EDGE: u64 = 4;
/// Bytes that are recorded of such a test at least and at most: it does the same again and again, and a MiB takes most of a second to read.
const LEAST_ENDLESS_BYTES: u64 = 1 << 20;
const MOST_ENDLESS_BYTES: u64 = 16 << 20;
/// Nanoseconds that a byte takes to be read as long as none was: a MiB in a second.
const NANOSECONDS_A_BYTE: f64 = 1000.0;
/// Two recordings that are read take up to two thirds of so many times the bytes of one in memory; the rest is for what is made of them.
const READ: u64 = 320;

/// The program and code of modules, as long as somebody reads them.
pub type Loaded = Rc<(Program, Code)>;

/// A place where tests are run and recorded.
pub struct RecordingRoom<'a> {
    store: &'a Store,
    suite: Rc<Suite>,
    /// True if these are not the tests of a suspect.toml.
    has_own_suite: bool,
    scratch: ScratchRoot,
    tmp: PathBuf,
    /// The last `suspect test`.
    tested: Result<Session, StoreError>,
    /// The code that was asked for last, with the modules that it is of: loading it takes as long as reading a short recording.
    loaded: RefCell<Option<(Vec<PathBuf>, Loaded)>>,
    /// The lines of the last ranking, once somebody asked for them.
    ranked: OnceCell<Ranked>,
    /// Bytes that a recording may have.
    most: u64,
    /// When the clock of tests is held, seconds since 1970; zero: it is not.
    clock: Cell<u64>,
    /// Runs tests contained, where that can be.
    worker: RefCell<Option<Worker>>,
    progress: &'a dyn Progress,
    /// Runs with changes that were made.
    n_changed: Cell<u32>,
    /// How long tests took where they were recorded last.
    took: RefCell<HashMap<String, Duration>>,
    /// Nanoseconds that reading a byte of a recording took last, with all that is made of it.
    pace: Cell<f64>,
    /// When what reads recordings ends, done or not.
    deadline: Cell<Deadline>,
    /// When runs of tests end, done or not, if an end is set.
    runs_until: Cell<Option<Instant>>,
    /// By test, the process that is to be looked at, and why.
    looked_at: RefCell<HashMap<String, (u32, Sign)>>,
    /// Where the tests are run in another build of the program, such as the correct version.
    other: Option<&'a RecordingRoom<'a>>,
    _lock: Lock,
}

impl<'a> RecordingRoom<'a> {
    fn session(&self) -> Result<&Session, Obstacle> {
        self.tested.as_ref().map_err(Obstacle::of(Obstacle::Store))
    }

    /// The last `suspect test`.
    pub fn tested(&self) -> Result<&Run, Obstacle> {
        self.session().map(|session| &session.run)
    }

    /// True if a program that was built can ask for the time of day; as long as none is known, one might.
    pub fn may_depend_on_time(&self) -> bool {
        let Ok(Some(build)) = self.store.load_build::<BuildReport>() else { return true };
        let can_ask = |path: &str| can_ask_for_time(&self.store.root().join(path));
        build.modules.is_empty() || build.modules.iter().any(|module| can_ask(&module.path))
    }

    /// Source files whose code is trusted, as the last `suspect test` knows them.
    pub fn trusted_files(&self) -> Result<HashSet<String>, Obstacle> {
        let run = self.tested()?;
        let trusted = run.trusted_files()?;
        Ok(trusted.into_iter().filter_map(|file| run.program.files.get(file as usize).cloned()).collect())
    }

    /// Makes the room in the project's store.
    pub fn new(store: &'a Store, progress: &'a dyn Progress) -> Result<Self, Obstacle> {
        let tested = Session::latest(store.root());
        let suite = match &tested {
            Ok(session) => ready::suite(store.root(), &session.run)?,
            Err(_) => Suite::load(store.root())?,
        };
        Self::within(store, tested, (Rc::new(suite), false), progress)
    }

    /// Makes the room in a store whose tests are those of `suite`, not of a suspect.toml.
    pub fn with_suite(store: &'a Store, suite: Rc<Suite>, progress: &'a dyn Progress) -> Result<Self, Obstacle> {
        Self::within(store, Session::latest(store.root()), (suite, true), progress)
    }

    fn within(
        store: &'a Store,
        tested: Result<Session, StoreError>,
        (suite, has_own_suite): (Rc<Suite>, bool),
        progress: &'a dyn Progress,
    ) -> Result<Self, Obstacle> {
        let most = record_bytes()?;
        let lock = store.lock()?;
        let tmp = store.fresh_tmp()?;
        let scratch = ScratchRoot::inside(&tmp).map_err(Obstacle::of(Obstacle::File))?;
        let (worker, loaded) = (RefCell::new(worker()), RefCell::default());
        let (n_changed, clock, ranked) = (Cell::new(0), Cell::new(0), OnceCell::new());
        Ok(Self {
            store,
            suite,
            has_own_suite,
            scratch,
            tmp,
            tested,
            loaded,
            ranked,
            most,
            clock,
            worker,
            progress,
            n_changed,
            took: RefCell::default(),
            pace: Cell::new(NANOSECONDS_A_BYTE),
            deadline: Cell::new(Deadline::NEVER),
            runs_until: Cell::default(),
            looked_at: RefCell::default(),
            other: None,
            _lock: lock,
        })
    }

    /// From now on its tests can be compared with those of another build of the program, which are run in `other`.
    pub fn put_beside(&mut self, other: &'a RecordingRoom<'a>) {
        self.other = Some(other);
    }

    /// The room of the other build, if there is one.
    pub fn other(&self) -> Option<&'a RecordingRoom<'a>> {
        self.other
    }

    /// The code of a run of the other build and one of this.
    pub fn code_of_builds(&self, recordings: [&Recording; 2]) -> Result<Loaded, Obstacle> {
        let roots = [self.other.unwrap_or(self), self].map(|room| room.store.root().to_string_lossy());
        Ok(Rc::new(code_of_builds(recordings, roots.each_ref().map(|root| &**root))?))
    }

    /// Shows that a test is run again with changes.
    fn show_changed(&self) {
        self.n_changed.set(self.n_changed.get() + 1);
        let n = self.n_changed.get();
        self.progress.show(false, &|_| format!("{n} {} with changes", if n == 1 { "run" } else { "runs" }));
    }

    /// True if the tests are not those of a suspect.toml, so what was judged in the last `suspect test` may read otherwise.
    pub fn has_own_suite(&self) -> bool {
        self.has_own_suite
    }

    /// All tests of the suite.
    pub fn tests(&self) -> &[Test] {
        self.suite.tests()
    }

    /// The test that `name` names, see [`find_test`].
    pub fn test(&self, name: &str) -> Result<&Test, Obstacle> {
        let tests = self.suite.tests();
        let found = find_test(tests.iter().map(|test| test.name.as_str()), name);
        found.map(|at| &tests[at]).map_err(Obstacle::of(Obstacle::Request))
    }

    /// From now on no recording is read beyond this time.
    pub fn end_at(&self, until: Instant) {
        self.deadline.set(Deadline::at(until));
    }

    /// From now on each run of a test begins at this time, in seconds since 1970, as far as its recorded code asks for it; with none, when it does.
    pub fn hold_clock(&self, seconds: Option<u64>) {
        self.clock.set(seconds.unwrap_or(0));
    }

    /// The time at which the clock is held, if it is.
    pub fn clock(&self) -> Option<u64> {
        Some(self.clock.get()).filter(|clock| *clock != 0)
    }

    /// Runs a test, whose recordings may have so many bytes.
    fn run(&self, test: &Test, directory: &Path, most: Most) -> Result<TestRun, Obstacle> {
        let env: [(OsString, OsString); 4] = [
            (ENV_RECORD_BYTES.into(), most.bytes.to_string().into()),
            (ENV_RECORD.into(), Mode::Record.name().into()),
            (ENV_OUT.into(), directory.into()),
            (ENV_CLOCK.into(), self.clock.get().to_string().into()),
        ];
        let context =
            RunContext { env: &env, scratch: &self.scratch, timeout: None, large_stack: false, interruptible: false };
        Ok(self.suite.run_test(test, &context)?)
    }

    /// Runs and records a test. What it leaves goes into the directory `label` of the room. It runs contained, as its patched runs will, if it
    /// does there what it does otherwise.
    pub fn record(&self, test: &Test, label: &str) -> Result<RecordedTest, Obstacle> {
        self.progress.show(false, &|_| format!("recording {}", test.name));
        let is_endless = self.is_endless(test);
        let test = &self.bounded(if is_endless { self.limited(test) } else { test.clone() });
        let directory = self.tmp.join(label);
        // What an earlier test of this label recorded is none of this one's.
        crate::exec::remove_tree(&directory);
        fs::create_dir_all(&directory).map_err(Obstacle::of(Obstacle::File))?;
        let processes =
            self.records().iter().find(|record| record.name == test.name).map_or(1, |record| record.processes);
        let most = self.most_of(is_endless, processes);
        let looked_at = self.looked_at(&test.name);
        if self.is_slow(&test.name)
            && let Some(recorded) = self.record_as_known(test, label, most)?
        {
            return Ok(recorded);
        }
        let began = Instant::now();
        let plain = self.run(test, &directory, most)?;
        self.took.borrow_mut().insert(test.name.clone(), began.elapsed());
        let verdict = plain.verdict;
        if verdict == Verdict::Timeout {
            self.check_time_for_runs(&test.name)?;
        }
        let mut paths = Vec::new();
        for entry in fs::read_dir(&directory).map_err(Obstacle::of(Obstacle::File))? {
            let path = entry.map_err(Obstacle::of(Obstacle::File))?.path();
            if path.to_string_lossy().ends_with(FILE_SUFFIX) {
                paths.push(path);
            }
        }
        let is_suspected = |recording: &Recording| self.is_suspected(recording);
        let asked = Asked { most, looked_at, is_suspected: &is_suspected };
        let known = Known { processes: u32::try_from(paths.len()).ok(), most: self.time_for_runs(), ..verdict.into() };
        if let Some((runs, run)) = self.record_contained(test, known, label, most)
            && let Some(recorded) = of_contained(runs, run, plain.reason.clone(), &asked)?
        {
            return Ok(recorded);
        }
        let Some(Chosen { recording, process, sign, others, alike }) = chosen(&paths, &asked)? else {
            let why = plain.reason.as_ref().map(|reason| format!(" ({verdict}: {reason})")).unwrap_or_default();
            let message = format!(
                "{}: no program that can be recorded ran{why}; build it with `suspect build`, and if it has --modes, with `record` among them",
                test.name
            );
            return Err(Obstacle::new(Obstacle::NotInstrumented, message));
        };
        let reason = plain.reason;
        Ok(RecordedTest {
            verdict,
            reason,
            runs: None,
            recording,
            sign,
            process,
            others,
            alike,
            written: None,
            usual: HashSet::new(),
            change: None,
            is_of_other_build: false,
            read: RefCell::default(),
        })
    }

    /// Records a test contained alone, if it does there what it did in the last `suspect test`; nothing otherwise.
    fn record_as_known(&self, test: &Test, label: &str, most: Most) -> Result<Option<RecordedTest>, Obstacle> {
        let Some(record) = self.known(&test.name) else { return Ok(None) };
        let verdict = if record.passed == Some(true) { Verdict::Pass } else { Verdict::Fail };
        let reason = match record.verdict.split_once(": ") {
            Some((known, reason)) if known == verdict.to_string() => Some(reason.to_owned()),
            None if record.verdict == verdict.to_string() => None,
            // It did not end in time, say: that is looked at as it is.
            _ => return Ok(None),
        };
        let known = Known { most: self.time_for_runs(), ..verdict.into() };
        let began = Instant::now();
        let Some((runs, run)) = self.record_contained(test, known, label, most) else { return Ok(None) };
        self.took.borrow_mut().insert(test.name.clone(), began.elapsed());
        let is_suspected = |recording: &Recording| self.is_suspected(recording);
        let asked = Asked { most, looked_at: self.looked_at(&test.name), is_suspected: &is_suspected };
        of_contained(runs, run, reason, &asked)
    }

    /// From now on that process of a test is looked at, for that reason.
    pub fn look_at(&self, name: &str, (process, sign): (u32, Sign)) {
        self.looked_at.borrow_mut().insert(name.to_owned(), (process, sign));
    }

    fn looked_at(&self, name: &str) -> Option<(u32, Sign)> {
        self.looked_at.borrow().get(name).copied()
    }

    /// True if a test took long in the last `suspect test`, or where it was recorded.
    pub fn is_slow(&self, name: &str) -> bool {
        self.takes(name) >= SLOW
    }

    /// How long a run of a test takes: as in the last `suspect test`, or longer where it was recorded.
    pub fn takes(&self, name: &str) -> Duration {
        let tested = self.known(name).map(|record| Duration::from_millis(record.milliseconds)).unwrap_or_default();
        self.took.borrow().get(name).copied().unwrap_or_default().max(tested)
    }

    /// Records of the last `suspect test`.
    fn records(&self) -> &[TestRecord] {
        self.tested.as_ref().map_or(&[], |session| &session.run.manifest.tests)
    }

    /// The record of a test that counted in the last `suspect test`.
    pub fn known(&self, name: &str) -> Option<&TestRecord> {
        self.records().iter().find(|record| record.name == name && record.passed.is_some())
    }

    /// True if a test is known not to end.
    fn is_endless(&self, test: &Test) -> bool {
        self.records().iter().any(|record| record.name == test.name && does_not_end(record))
    }

    /// Bytes that the recording of each of so many processes may have.
    fn most_of(&self, is_endless: bool, processes: u32) -> Most {
        if std::env::var_os(ENV_RECORD_BYTES).is_some() {
            return Most { bytes: self.most, is_of_disk: false };
        }
        // A driver may start thousands of programs: together they leave half of the disk.
        let of_disk = free_bytes(&self.tmp).map_or(u64::MAX, |free| free / 2 / u64::from(processes.max(1)));
        let most = Most { bytes: self.most.min(of_disk), is_of_disk: of_disk < self.most };
        if !is_endless {
            return most;
        }
        let edges = self.tested().and_then(|run| most_passing_edges(run, &run.recorded()?)).unwrap_or(u64::MAX);
        let enough = edges.saturating_mul(ENDLESS_BYTES_AN_EDGE).clamp(LEAST_ENDLESS_BYTES, MOST_ENDLESS_BYTES);
        if enough < most.bytes { Most { bytes: enough, is_of_disk: false } } else { most }
    }

    /// A test that does not end, with no more time than shows where it is.
    fn limited(&self, test: &Test) -> Test {
        let passing = self.records().iter().filter(|record| record.passed == Some(true));
        let longest = Duration::from_millis(passing.map(|record| record.milliseconds).max().unwrap_or(0));
        test.limited((longest * ENDLESS).clamp(LEAST_ENDLESS, MOST_ENDLESS))
    }

    fn record_contained(&self, test: &Test, known: Known, label: &str, most: Most) -> Option<(TestRuns, trial::Run)> {
        let mut worker = self.worker.borrow_mut();
        let to = self.tmp.join(format!("{label}-contained"));
        TestRuns::record(worker.as_mut()?, &self.suite, test, known, &to, most.bytes, self.clock.get()).ok()
    }

    /// Carries out the tests of a plan, each by itself or all `forked` from one process; nothing if the test can only be recorded.
    pub fn patched(
        &self,
        recorded: &RecordedTest,
        plan: &Plan,
        forked: bool,
    ) -> Result<Option<Vec<Answered>>, TrialError> {
        if let Some(other) = self.other.filter(|_| recorded.is_of_other_build) {
            return other.patched(recorded, plan, forked);
        }
        self.show_changed();
        let mut worker = self.worker.borrow_mut();
        let (Some(runs), Some(worker)) = (&recorded.runs, worker.as_mut()) else { return Ok(None) };
        let done = runs.within(self.time_for_runs()).patched(worker, &self.suite, plan, forked, None)?;
        Ok(Some(done.into_iter().map(|patched| patched.answered).collect()))
    }

    /// The suite's verdict on a recorded test with a change, and its standard output and error; nothing if the test can only be recorded.
    pub fn changed(&self, recorded: &RecordedTest, change: Change) -> Result<Option<Judged>, Obstacle> {
        self.show_changed();
        let mut worker = self.worker.borrow_mut();
        let (Some(runs), Some(worker)) = (&recorded.runs, worker.as_mut()) else { return Ok(None) };
        let runs = runs.within(self.time_for_runs());
        let done = runs.patched(worker, &self.suite, &changing(recorded, change), false, None).map_err(refused)?;
        let run = done.into_iter().next().and_then(|patched| patched.run);
        Ok(run.map(|run| (run.verdict, run.written)))
    }

    /// What a recorded test has written to standard output and error before it comes to this place, with what it holds back until then; nothing if the
    /// test can only be recorded, or does not come there.
    pub fn written_before(&self, recorded: &RecordedTest, place: Place) -> Result<Option<[Vec<u8>; 2]>, Obstacle> {
        let mut worker = self.worker.borrow_mut();
        let (Some(runs), Some(worker)) = (&recorded.runs, worker.as_mut()) else { return Ok(None) };
        let plan = Plan {
            process: recorded.process,
            cause: Some(Point { decisions: [0; 2], steps: [0; 2] }),
            effect: Some((place, WHEN_BEFORE)),
            flushes: true,
            ..Plan::default()
        };
        let done = runs.patched(worker, &self.suite, &plan, false, None).map_err(refused)?;
        let came = done.into_iter().next().filter(|patched| patched.answered.ended == Ended::Effect);
        Ok(came.and_then(|patched| patched.run).map(|run| run.written))
    }

    /// The run of a recorded test in which one of its processes ends before it does anything, with a recording of each process that is started; nothing if
    /// the test can only be recorded, or that process is not begun.
    pub fn without(&self, recorded: &RecordedTest, process: u32) -> Result<Option<trial::Run>, Obstacle> {
        self.show_changed();
        let mut worker = self.worker.borrow_mut();
        let (Some(runs), Some(worker)) = (&recorded.runs, worker.as_mut()) else { return Ok(None) };
        let start = Point { decisions: [0; 2], steps: [0; 2] };
        let effect = Some((Place::Point(start), WHEN_BEFORE));
        let plan = Plan { process, cause: Some(start), effect, ..Plan::default() };
        let directory = self.tmp.join("without");
        crate::exec::remove_tree(&directory);
        fs::create_dir_all(&directory).map_err(Obstacle::of(Obstacle::File))?;
        let runs = runs.within(self.time_for_runs());
        let done = runs.patched(worker, &self.suite, &plan, false, Some((&directory, LEAST_ENDLESS_BYTES)));
        let done = done.map_err(refused)?.into_iter().next();
        Ok(done.filter(|patched| patched.answered.ended == Ended::Effect).and_then(|patched| patched.run))
    }

    /// The expected standard output of a test, byte for byte, if the test is judged by it.
    pub fn expected(&self, test: &Test) -> Result<Option<Vec<u8>>, Obstacle> {
        if let Some(wanted) = test.wanted_output() {
            return Ok(Some(wanted.to_owned()));
        }
        let Ok(alone) = test.alone() else { return Ok(None) };
        Ok(match self.suite.judging(&alone, &self.scratch)? {
            Judging::Exact { output, .. } => Some(output),
            _ => None,
        })
    }

    /// Records that run into the directory `label` of the room.
    pub fn record_changed(
        &self,
        recorded: &RecordedTest,
        change: Change,
        label: &str,
    ) -> Result<Option<RecordedTest>, Obstacle> {
        let mut worker = self.worker.borrow_mut();
        let (Some(runs), Some(worker)) = (&recorded.runs, worker.as_mut()) else { return Ok(None) };
        let directory = self.tmp.join(label);
        // What an earlier run under this name left is none of this one's.
        if directory.exists() {
            std::fs::remove_dir_all(&directory).map_err(|error| {
                Obstacle::new(Obstacle::File, format!("{}: cannot be removed: {error}", directory.display()))
            })?;
        }
        let processes = recorded.others as u32 + 1;
        let most = self.most_of(recorded.verdict == Verdict::Timeout, processes);
        let to = Some((directory.as_path(), most.bytes));
        let bounded = runs.within(self.time_for_runs());
        let done = bounded.patched(worker, &self.suite, &changing(recorded, change), false, to).map_err(refused)?;
        let Some(run) = done.into_iter().next().and_then(|patched| patched.run) else { return Ok(None) };
        let Some(recording) = of_process(&run.recordings, recorded.process)? else { return Ok(None) };
        let recording = recording.within(most.is_of_disk);
        let recording = match change {
            Change::Turned(_) | Change::Everywhere(..) => recording,
            Change::Replaced(point, replaced) => {
                recording.with_replaced(Given { point, address: replaced.address, bits: replaced.bits })
            }
        };
        Ok(Some(RecordedTest {
            verdict: run.verdict,
            reason: None,
            runs: Some(runs.clone()),
            sign: recorded.sign,
            process: recorded.process,
            recording,
            others: run.recordings.len() - 1,
            alike: recorded.alike.clone(),
            written: Some(run.written),
            usual: HashSet::new(),
            change: Some(change),
            is_of_other_build: recorded.is_of_other_build,
            read: RefCell::default(),
        }))
    }

    /// The project's directory.
    pub fn root(&self) -> &Path {
        self.store.root()
    }

    /// Where the sources of a program are.
    pub fn tree(&self, program: &Program) -> SourceTree {
        SourceTree::of(self.store.root(), program)
    }

    /// The text of a source file, if it can be read.
    pub fn source(&self, file: &str) -> Option<String> {
        let text = fs::read(self.store.root().join(file)).ok()?;
        Some(String::from_utf8_lossy(&text).into_owned())
    }

    /// Where files are kept as long as the room is.
    pub fn directory(&self) -> &Path {
        &self.tmp
    }

    /// The code of what recorded processes ran.
    pub fn code(&self, recordings: &[&Recording]) -> Result<Loaded, Obstacle> {
        let load = || code_of(recordings, &self.store.root().to_string_lossy()).map(Rc::new);
        // Which modules came later is told by the code of the others.
        if recordings.iter().any(|one| one.header().n_modules as usize > one.modules().len()) {
            return Ok(load()?);
        }
        let mut modules: Vec<PathBuf> = Vec::new();
        for path in recordings.iter().flat_map(|one| one.modules()) {
            if !modules.contains(&path) {
                modules.push(path);
            }
        }
        let mut loaded = self.loaded.borrow_mut();
        if let Some((known, code)) = loaded.as_ref()
            && *known == modules
        {
            return Ok(Rc::clone(code));
        }
        let code = load()?;
        *loaded = Some((modules, Rc::clone(&code)));
        Ok(code)
    }
}

/// Bytes that a recording may have: as the environment says, else what the machine has memory to read.
fn record_bytes() -> Result<u64, Obstacle> {
    let Some(text) = std::env::var_os(ENV_RECORD_BYTES) else {
        return Ok(DEFAULT_RECORD_BYTES.min(memory() / READ));
    };
    text.to_str().and_then(|text| text.parse().ok()).ok_or_else(|| {
        let message = format!("{ENV_RECORD_BYTES} is {}; expected a number of bytes", text.display());
        Obstacle::new(Obstacle::Request, message)
    })
}

fn worker() -> Option<Worker> {
    Worker::start(&Setup::new().ok()?).ok()
}

/// The worker, or the system, refuses.
fn refused(error: TrialError) -> Obstacle {
    Obstacle::new(Obstacle::File, error.to_string())
}

/// The run of a recorded test with a change.
fn changing(recorded: &RecordedTest, change: Change) -> Plan<'static> {
    let mut plan = Plan { process: recorded.process, ..Plan::default() };
    change.put_into(&mut plan);
    plan
}

impl Drop for RecordingRoom<'_> {
    fn drop(&mut self) {
        self.progress.clear();
        // What stays is removed by the next one.
        let _ = self.store.remove_tmp();
    }
}
