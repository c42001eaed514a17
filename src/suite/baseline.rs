//! Running everything several times: verdicts, which tests are flaky, and how long each takes.

mod changed;
mod settle;
mod versions;

pub use versions::differing;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use super::{Mismatch, RunContext, Suite, SuiteError, Test, TestRun, Verdict};
use crate::exec::{ScratchRoot, Status, interrupt};
use suspect_format::abi::{ENV_OUT, ENV_QUIET, ENV_RECORD, Mode};

/// How a baseline is run.
#[derive(Clone, Debug)]
pub struct BaselineOptions {
    /// Tests at the same time, at least one.
    pub jobs: usize,
    /// Runs of each test; without it what suspect.toml says (`repeat`, at least two).
    pub runs: Option<usize>,
    /// What the programs record.
    pub mode: Mode,
    /// Variables to add to every run.
    pub env: Vec<(OsString, OsString)>,
    /// An existing directory in which each run gets a directory for its traces, removed once it has been looked at.
    pub traces: PathBuf,
    /// For each test, its time limit as long as none is measured; empty where nothing is known.
    pub limits: Vec<Duration>,
    /// Until when runs are begun; without it all are made.
    pub until: Option<Until>,
    /// From when the first runs of tests begin until the second ones do, at least, and so on: in the second in which one began a clock may tell a test the same.
    pub apart: Duration,
    /// Whether verdicts are settled: what does not pass runs again alone and without recording before it counts.
    pub settled: bool,
    /// For each test, its runs where they were made before and still count: it does not run again. Empty where there are none.
    pub known: Vec<Option<TestBaseline>>,
}

/// Until when runs of tests are begun. What has not begun by then is left out; what has is finished.
#[derive(Clone, Copy, Debug)]
pub struct Until {
    /// The first run of each test.
    pub first: Instant,
    /// Further runs.
    pub further: Instant,
}

impl Until {
    fn is_over(self, run: usize) -> bool {
        Instant::now() >= if run == 0 { self.first } else { self.further }
    }
}

/// What is kept of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunSummary {
    /// What it says about the program.
    pub verdict: Verdict,
    /// Why.
    pub reason: Option<String>,
    /// Where the output is wrong first, if that is why.
    pub mismatch: Option<Mismatch>,
    /// How its first process ended; `None` if it could not be started.
    pub status: Option<Status>,
    /// When it began.
    pub began: SystemTime,
    /// Wall-clock time.
    pub wall: Duration,
    /// CPU time of all its processes.
    pub cpu: Duration,
    /// Processes it left behind, which were ended.
    pub leftovers: u32,
    /// Length and hash of [`TestRun::output`].
    pub output: (usize, u64),
}

impl RunSummary {
    fn of(run: &TestRun, began: SystemTime) -> RunSummary {
        let mut hasher = DefaultHasher::new();
        hasher.write(&run.output);
        RunSummary {
            verdict: run.verdict,
            reason: run.reason.clone(),
            mismatch: run.mismatch.clone(),
            status: run.outcome.as_ref().map(|outcome| outcome.status),
            began,
            wall: run.wall(),
            cpu: run.outcome.as_ref().map_or(Duration::ZERO, |outcome| outcome.cpu),
            leftovers: run.outcome.as_ref().map_or(0, |outcome| outcome.leftovers),
            output: (run.output.len(), hasher.finish()),
        }
    }
}

/// Whether the runs of a test agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stability {
    /// Same verdict and same output.
    Stable,
    /// Same verdict, different output (a time, an address): the test counts, its output does not.
    OutputVaries,
    /// Different verdicts: the test does not count. With a text such as `pass, fail`.
    Flaky(String),
    /// The program does something else when nothing is recorded, which is this: the test does not count.
    Unrecorded(Box<RunSummary>),
}

/// What a test does otherwise than its runs that count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    /// Beside other tests it ended like this, so often of so many times; alone as its runs say.
    Beside {
        /// One of the runs beside others.
        run: Box<RunSummary>,
        /// How many ended otherwise than alone, and how many were made.
        times: (usize, usize),
    },
    /// Without recording it fails, too, but in this way.
    Otherwise(Box<RunSummary>),
    /// It is as recorded only with help.
    Helped(Help),
    /// It was otherwise at first and is like this since.
    Since {
        /// The last run before.
        before: Box<RunSummary>,
        /// When the first one since began.
        since: SystemTime,
        /// Files in its directory that changed in between and were not written since, the first of them.
        changed: Vec<PathBuf>,
    },
    /// There was no time to run it again alone and without recording.
    Unsettled,
}

/// What a recorded program gets that it has not by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Help {
    /// A larger stack.
    Stack,
    /// No system call of suspect's after its start.
    Quiet,
}

/// All runs of one test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestBaseline {
    /// One for each run; none if there was no time for it.
    pub runs: Vec<RunSummary>,
    /// Whether they agree.
    pub stability: Stability,
    /// What else was seen.
    pub remark: Option<Remark>,
    /// Time limit for further runs, see [`timeout_from`].
    pub timeout: Duration,
}

impl TestBaseline {
    /// The verdict, if the runs agree on it.
    pub fn verdict(&self) -> Option<Verdict> {
        match self.stability {
            Stability::Flaky(_) | Stability::Unrecorded(_) => None,
            _ => self.runs.first().map(|run| run.verdict),
        }
    }

    /// Why the first run has its verdict.
    pub fn reason(&self) -> Option<&str> {
        self.runs.first()?.reason.as_deref()
    }
}

/// Results of all tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Baseline {
    /// In the order of [`Suite::tests`].
    pub tests: Vec<TestBaseline>,
}

/// Tests by what their runs agree on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Counts {
    pub pass: usize,
    pub fail: usize,
    pub skip: usize,
    pub timeout: usize,
    pub error: usize,
    pub flaky: usize,
}

impl Baseline {
    /// How many tests have which verdict.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for test in &self.tests {
            *match test.verdict() {
                Some(Verdict::Pass) => &mut counts.pass,
                Some(Verdict::Fail) => &mut counts.fail,
                Some(Verdict::Skip) => &mut counts.skip,
                Some(Verdict::Timeout) => &mut counts.timeout,
                Some(Verdict::Error) => &mut counts.error,
                None => &mut counts.flaky,
            } += 1;
        }
        counts
    }
}

/// Least time limit of a test.
const FLOOR: Duration = Duration::from_secs(2);
/// How much longer than measured a test may take.
const FACTOR: u32 = 5;

/// Time limit of a test from the measured times of its complete runs, which were made beside as many others as later
/// runs will be: five times the 95th percentile, and at least two seconds. `None` when there are no such runs.
pub fn timeout_from(mut walls: Vec<Duration>) -> Option<Duration> {
    walls.sort();
    let rank = (walls.len() * 95).div_ceil(100).checked_sub(1)?;
    walls.get(rank).map(|wall| FLOOR.max(*wall * FACTOR))
}

/// What looks at the runs of tests, in the threads that make them.
pub trait Watch: Sync {
    /// A recorded run has ended: the test, the run's number from 0, the directory with its traces, the run.
    fn ended(&self, test: &Test, run: usize, traces: &Path, result: &TestRun);

    /// A run of a test begins.
    fn begins(&self, _test: &Test, _purpose: Purpose) {}

    /// So many tests do not run, since their runs are known.
    fn known(&self, _n_tests: usize) {}
}

/// What a test is run for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To be recorded.
    Record,
    /// To settle its verdict: once more, alone, or without recording.
    Settle,
    /// To compare another version of the program.
    Compare,
}

impl<F: Fn(&Test, usize, &Path, &TestRun) + Sync> Watch for F {
    fn ended(&self, test: &Test, run: usize, traces: &Path, result: &TestRun) {
        self(test, run, traces, result)
    }
}

/// Runs all tests, and all again as often as asked for, each time with as many at once.
///
/// Later runs have a time limit from the earlier ones; one that did not end in the first run is given as long as the
/// slowest test of all, or a quarter of that run if there is none. A test that ended before and then does not is run again by itself, with more time, before that is
/// believed. Results are in the order of the tests and depend on neither the number of jobs nor who is first.
///
/// # Errors
/// When the system refuses to run tests; the tests under way are finished first. An interrupt ends them, and they count as not run.
pub fn baseline(suite: &Suite, options: &BaselineOptions, watch: &dyn Watch) -> Result<Baseline, SuiteError> {
    let session = Session { suite, options, watch, scratch: ScratchRoot::new()? };
    let runs: Vec<usize> = suite.tests().iter().map(|test| session.repeats(test)).collect();
    let mut done: Vec<Vec<RunSummary>> = vec![Vec::new(); runs.len()];
    let mut begun = None;
    for run in 0..runs.iter().copied().max().unwrap_or(0) {
        let slowest = slowest(&done);
        let due: Vec<usize> = (0..runs.len()).filter(|test| run < runs[*test]).collect();
        let limits: Vec<Limit> = suite
            .tests()
            .iter()
            .zip(&done)
            .map(|(test, runs)| {
                limit(test, runs, options.limits.get(test.index).copied(), slowest).again(runs, slowest)
            })
            .collect();
        wait_until(begun.map(|begun: Instant| begun + options.apart));
        begun = Some(Instant::now());
        let is_over = || interrupt::happened() || options.until.is_some_and(|until| until.is_over(run));
        let results = in_parallel(options.jobs, &due, |index| match is_over() {
            false => Ok(Some(session.run(index, run, limits[index])?).filter(is_whole)),
            true => Ok(None),
        })?;
        let made = results.into_iter().filter_map(|(index, result)| Some((index, result?)));
        for (index, (mut summary, doubtful)) in made {
            if doubtful {
                let again = session.run(index, run, limits[index].believed())?;
                if !is_whole(&again) {
                    continue;
                }
                summary = again.0;
            }
            done[index].push(summary);
        }
    }
    let slowest = slowest(&done).unwrap_or(FLOOR);
    let settled = match options.settled {
        true => session.settle(done)?,
        false => done.into_iter().map(settle::Settled::from).collect(),
    };
    let tests = suite.tests().iter().zip(settled).map(|(test, settled)| match session.known(test) {
        Some(known) => known.clone(),
        None => TestBaseline {
            timeout: test.own_timeout().or_else(|| measured(&settled.runs)).unwrap_or(slowest),
            stability: settled.stability,
            remark: settled.remark,
            runs: settled.runs,
        },
    });
    Ok(Baseline { tests: tests.collect() })
}

/// Whether a run was not ended by an interrupt.
fn is_whole((summary, _): &(RunSummary, bool)) -> bool {
    summary.verdict != Verdict::Timeout || !interrupt::happened()
}

fn wait_until(when: Option<Instant>) {
    if let Some(left) = when.and_then(|when| when.checked_duration_since(Instant::now())) {
        std::thread::sleep(left);
    }
}

/// Limit from the runs of one test that ended by themselves.
fn measured(runs: &[RunSummary]) -> Option<Duration> {
    timeout_from(runs.iter().filter(|run| run.verdict != Verdict::Timeout).map(|run| run.wall).collect())
}

fn slowest(done: &[Vec<RunSummary>]) -> Option<Duration> {
    done.iter().filter_map(|runs| measured(runs)).max()
}

fn stability(runs: &[RunSummary]) -> Stability {
    let Some(first) = runs.first() else { return Stability::Stable };
    if runs.iter().any(|run| run.verdict != first.verdict) {
        let verdicts: Vec<String> = runs.iter().map(|run| run.verdict.to_string()).collect();
        return Stability::Flaky(verdicts.join(", "));
    }
    // How much a test writes until its time is up is a matter of luck.
    match first.verdict != Verdict::Timeout && runs.iter().any(|run| run.output != first.output) {
        true => Stability::OutputVaries,
        false => Stability::Stable,
    }
}

/// Where a time limit comes from.
#[derive(Clone, Copy)]
enum Limit {
    /// From the project, or nothing better is known: to be believed.
    Given(Option<Duration>),
    /// From the test's own earlier runs, which ended: a later one that does not may be the machine's fault.
    Measured(Duration),
}

impl Limit {
    /// The time that a run may take.
    fn time(self) -> Option<Duration> {
        match self {
            Limit::Given(timeout) => timeout,
            Limit::Measured(timeout) => Some(timeout),
        }
    }

    /// Of a further recorded run of a test that may not have ended in its own time: it need not wait that long again, but as long as the slowest test of all,
    /// or a quarter where there is none. Without recording it is asked once more in time.
    fn again(self, runs: &[RunSummary], slowest: Option<Duration>) -> Limit {
        let Some(first) = hung(runs) else { return self };
        let shorter = slowest.unwrap_or(first / 4);
        Limit::Given(Some(self.time().map_or(shorter, |given| given.min(shorter))))
    }

    /// Of a run with nothing beside it: four times as long, and to be believed.
    fn believed(self) -> Limit {
        match self {
            Limit::Given(timeout) => Limit::Given(timeout),
            Limit::Measured(timeout) => Limit::Given(Some(timeout * 4)),
        }
    }
}

/// The limit of the next run of a test after `runs`; `known` is one that was measured elsewhere.
fn limit(test: &Test, runs: &[RunSummary], known: Option<Duration>, slowest: Option<Duration>) -> Limit {
    match (test.own_timeout(), measured(runs).or(known)) {
        (Some(own), _) => Limit::Given(Some(own)),
        (None, Some(measured)) => Limit::Measured(measured),
        (None, None) => Limit::Given(slowest.or_else(|| hung(runs).map(|first| first / 2))),
    }
}

/// How long the first run of a test took of which none has ended.
fn hung(runs: &[RunSummary]) -> Option<Duration> {
    let first = runs.first()?;
    runs.iter().all(|run| run.verdict == Verdict::Timeout).then_some(first.wall)
}

/// One call of [`baseline`].
struct Session<'a> {
    suite: &'a Suite,
    options: &'a BaselineOptions,
    watch: &'a dyn Watch,
    scratch: ScratchRoot,
}

impl Session<'_> {
    fn known(&self, test: &Test) -> Option<&TestBaseline> {
        self.options.known.get(test.index)?.as_ref()
    }

    /// How often a test runs.
    fn repeats(&self, test: &Test) -> usize {
        if self.known(test).is_some() {
            return 0;
        }
        self.options.runs.unwrap_or(self.suite.config().suites.get(test.suite).map_or(2, |suite| suite.repeat))
    }

    /// One run; true when it did not end within a limit that may be too short, so that nobody has looked at it yet.
    fn run(&self, index: usize, run: usize, limit: Limit) -> Result<(RunSummary, bool), SuiteError> {
        let (timeout, may_be_short) = match limit {
            Limit::Given(timeout) => (timeout, false),
            Limit::Measured(timeout) => (Some(timeout), true),
        };
        let made = self.make(index, &format!("r{run:04}"), None, timeout, Purpose::Record)?;
        let doubtful = may_be_short && made.summary.verdict == Verdict::Timeout;
        if doubtful {
            self.forget(&made)?
        } else {
            self.look(&made, run)?
        }
        Ok((made.summary, doubtful))
    }

    /// One recorded run, at which nobody has looked yet. No other run of the test has this `label`.
    fn make(
        &self,
        index: usize,
        label: &str,
        help: Option<Help>,
        timeout: Option<Duration>,
        purpose: Purpose,
    ) -> Result<Made, SuiteError> {
        let test = &self.suite.tests()[index];
        self.watch.begins(test, purpose);
        let traces = std::path::absolute(&self.options.traces).unwrap_or_else(|_| self.options.traces.clone());
        let traces = traces.join(format!("{label}-t{index:08}"));
        fs::create_dir(&traces).map_err(self.refused("make a directory in"))?;
        if nix::unistd::geteuid().is_root() {
            // Processes of the test may become other users, who then make files here, too.
            fs::set_permissions(&traces, fs::Permissions::from_mode(0o1733))
                .map_err(self.refused("open a directory in"))?;
        }
        let mut env = self.options.env.clone();
        env.push((ENV_OUT.into(), traces.clone().into()));
        env.push((ENV_RECORD.into(), self.options.mode.name().into()));
        if help == Some(Help::Quiet) {
            env.push((ENV_QUIET.into(), "1".into()));
        }
        let began = SystemTime::now();
        let large_stack = help == Some(Help::Stack);
        let context = RunContext { env: &env, scratch: &self.scratch, timeout, large_stack, interruptible: true };
        let result = self.suite.run_test(test, &context)?;
        Ok(Made { index, summary: RunSummary::of(&result, began), result, traces })
    }

    /// One run without recording.
    fn plain(&self, index: usize, timeout: Option<Duration>) -> Result<RunSummary, SuiteError> {
        let test = &self.suite.tests()[index];
        self.watch.begins(test, Purpose::Settle);
        let began = SystemTime::now();
        let context = RunContext { env: &[], scratch: &self.scratch, timeout, large_stack: false, interruptible: true };
        Ok(RunSummary::of(&self.suite.run_test(test, &context)?, began))
    }

    /// Has the run looked at as number `run` of its test.
    fn look(&self, made: &Made, run: usize) -> Result<(), SuiteError> {
        self.watch.ended(&self.suite.tests()[made.index], run, &made.traces, &made.result);
        self.forget(made)
    }

    /// Removes what a run recorded.
    fn forget(&self, made: &Made) -> Result<(), SuiteError> {
        // What looked at it may have moved it away.
        match made.traces.exists() {
            true => fs::remove_dir_all(&made.traces).map_err(self.refused("remove traces in")),
            false => Ok(()),
        }
    }

    fn refused(&self, what: &'static str) -> impl Fn(std::io::Error) -> SuiteError {
        let path = self.options.traces.clone();
        move |source| SuiteError::Io { what, path: path.clone(), source }
    }
}

/// A recorded run.
struct Made {
    index: usize,
    result: TestRun,
    summary: RunSummary,
    traces: PathBuf,
}

/// Calls `f` for each index from `jobs` threads, which take the indices in order; the results are in order too.
fn in_parallel<T: Send>(
    jobs: usize,
    indices: &[usize],
    f: impl Fn(usize) -> Result<T, SuiteError> + Sync,
) -> Result<BTreeMap<usize, T>, SuiteError> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(BTreeMap::new());
    let failure = Mutex::new(None);
    let work = || {
        while let Some(&index) = indices.get(next.fetch_add(1, Ordering::Relaxed)) {
            match f(index) {
                Ok(value) => drop(results.lock().unwrap_or_else(PoisonError::into_inner).insert(index, value)),
                Err(error) => {
                    // The others find nothing left to do.
                    next.store(indices.len(), Ordering::Relaxed);
                    failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, indices.len().max(1)) {
            scope.spawn(work);
        }
    });
    match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(results.into_inner().unwrap_or_else(PoisonError::into_inner)),
    }
}
