//! Running a project's suite and keeping what each test did, as a recorded run; whether such a run is fit for mutants.

mod carried;
mod doubt;
mod labels;
mod modules;
mod outdated;
pub mod ready;
mod recording;
mod session;
mod test_code;
mod words;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use suspect_format::abi::{DEFAULT_LOG_BYTES, Mode};

use crate::build::inputs::Inputs;
use crate::build::{self, BuildReport};
use crate::exec::{ScratchRoot, interrupt};
use crate::obstacle::Obstacle;
use crate::program::{Program, Unit};
use crate::progress::Progress;
use crate::store::{Manifest, STORE_VERSION, Store, Tables, TestRecord};
use crate::suite::{self, Baseline, BaselineOptions, Purpose, Suite, TestBaseline, TestRun, Until, Verdict, Watch};
use carried::Carried;
use doubt::Told;
use labels::labels;
pub use modules::Modules;
pub use outdated::{changed_test, outdated_build, outdated_run};
pub use recording::CLEARED;
use recording::{Look, Recording};
pub use session::Session;
pub use words::UNRECORDED;
use words::outcome;

/// How a suite is run and recorded.
pub struct HowTested {
    /// What is recorded.
    pub mode: Mode,
    /// Tests at the same time; by default one for each processor.
    pub jobs: Option<usize>,
    /// Runs of each test, at least two; by default what suspect.toml says.
    pub repeat: Option<u32>,
    /// Until when runs of tests are begun.
    pub until: Option<Until>,
    /// Least time between two runs of a test, see [`BaselineOptions::apart`].
    pub apart: Duration,
}

/// Runs the project's suite and keeps what each test did.
pub fn record_suite(store: &Store, how: &HowTested, progress: &dyn Progress) -> Result<RecordedSuite, Obstacle> {
    let suite = Suite::load_telling(store.root(), &|what| progress.begin(what))?;
    for note in suite.notes() {
        progress.say(note);
    }
    record_tests(store, &suite, how, None, progress)
}

/// Runs these tests in the place of the project's suite and keeps what each did. Tests that are as the last run of the store recorded them, of
/// which `before` is what came, count as they did there and do not run.
pub fn record_tests(
    store: &Store,
    suite: &Suite,
    how: &HowTested,
    before: Option<&RecordedSuite>,
    progress: &dyn Progress,
) -> Result<RecordedSuite, Obstacle> {
    let _lock = store.lock()?;
    let jobs = how.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).max(1);
    let traces = ScratchRoot::in_memory(&store.fresh_tmp()?, jobs as u64 * traces_of_test(how.mode))
        .map_err(Obstacle::of(Obstacle::File))?;
    traces.open_to_others();
    let options = BaselineOptions {
        jobs,
        runs: how.repeat.map(|repeat| repeat.max(2) as usize),
        mode: how.mode,
        env: Vec::new(),
        traces: traces.path().to_path_buf(),
        limits: Vec::new(),
        until: how.until,
        apart: how.apart,
        settled: true,
        known: Vec::new(),
    };
    let shown = Shown {
        progress,
        n_tests: suite.tests().len().into(),
        n_ended: AtomicU64::new(0),
        n_compared: AtomicU64::new(0),
    };
    let suite_run = SuiteRun { suite, options, before, watch: &shown, judge: &|_, _| None };
    let recorded = suite_run.record(store);
    progress.clear();
    let recorded = recorded?;
    drop(traces);
    store.remove_tmp()?;
    store.prune(suite.config().store.keep)?;
    Ok(recorded)
}

/// Shows how far the tests are.
struct Shown<'a> {
    progress: &'a dyn Progress,
    /// Tests that run.
    n_tests: AtomicUsize,
    n_ended: AtomicU64,
    n_compared: AtomicU64,
}

impl Watch for Shown<'_> {
    fn ended(&self, test: &suite::Test, _: usize, _: &Path, _: &TestRun) {
        self.n_ended.fetch_add(1, Ordering::Relaxed);
        self.show(&format!("last {}", test.name));
    }

    fn begins(&self, test: &suite::Test, purpose: Purpose) {
        let name = &test.name;
        match purpose {
            Purpose::Record => self.show(&format!("now {name}")),
            Purpose::Settle => {
                self.progress.show(false, &|_| format!("making sure of verdicts: {name} runs once more"))
            }
            Purpose::Compare => {
                let n = self.n_compared.fetch_add(1, Ordering::Relaxed) + 1;
                let text = |_| {
                    format!(
                        "comparing the version that changes are tried in: {name}, run {n} for {} tests",
                        self.n_tests.load(Ordering::Relaxed)
                    )
                };
                self.progress.show(false, &text);
            }
        }
    }

    fn known(&self, n_tests: usize) {
        if n_tests == 0 {
            return;
        }
        let all = self.n_tests.fetch_sub(n_tests, Ordering::Relaxed);
        let verb = if n_tests == 1 { "is as it was" } else { "are as they were" };
        self.progress.say(&format!("{n_tests} of {all} tests {verb} recorded before: the others run"));
    }
}

impl Shown<'_> {
    fn show(&self, which: &str) {
        let (n_ended, n_tests) = (self.n_ended.load(Ordering::Relaxed), self.n_tests.load(Ordering::Relaxed));
        self.progress
            .show(false, &|_| format!("{n_ended} runs have ended ({n_tests} tests, each runs twice or more), {which}"));
    }
}

/// Time for comparing passing tests with the version that changes are tried in, at least; it may take as long as recording them does.
const LEAST_COMPARED: Duration = Duration::from_secs(20);

/// Said of a test of which there is no trace.
const TRACELESS: &str = "; no instrumented program left a record: none ran, or one could not reach suspect's files, as in another root directory";

/// Said of a driver.
const SPOKEN_FOR: &str = "; the starts of programs in it count for it";

/// Bytes that the traces of one test may take, which are removed when they have been read: of sixteen processes, each of a program
/// of a hundred thousand lines.
fn traces_of_test(mode: Mode) -> u64 {
    let log = if mode == Mode::Trace { DEFAULT_LOG_BYTES } else { 0 };
    16 * ((2 << 20) + log)
}

/// A suite to run and record.
pub struct SuiteRun<'a> {
    /// The suite.
    pub suite: &'a Suite,
    /// How to run it.
    pub options: BaselineOptions,
    /// What came of the last run in the store, if tests that are the same count as they did there.
    pub before: Option<&'a RecordedSuite>,
    /// Looks at each run, besides the recording.
    pub watch: &'a dyn Watch,
    /// What is known better than the suite about a test: whether it passed (`None` if it does not count), and the verdict in words.
    pub judge: &'a Judge<'a>,
}

/// See [`SuiteRun::judge`].
pub type Judge<'a> = dyn Fn(&suite::Test, &TestBaseline) -> Option<(Option<bool>, String)> + 'a;

/// What came of recording a suite.
pub struct RecordedSuite {
    /// What was kept.
    pub manifest: Manifest,
    /// Nodes of the program.
    pub n_nodes: usize,
    /// The runs of the tests.
    pub baseline: Baseline,
    /// Time it took to run them, without that for looking at what they recorded.
    pub running: Duration,
    /// What was seen of each test.
    looks: BTreeMap<usize, Look>,
    /// By its number, what a test that passes says of a failure.
    told: BTreeMap<usize, Told>,
}

impl SuiteRun<'_> {
    /// Runs the suite for the project whose store this is, locked by the caller, and keeps the run there.
    pub fn record(&self, store: &Store) -> Result<RecordedSuite, Obstacle> {
        let began = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let build = current_build(store)?;
        let modules = Modules::of(store.root(), build.as_ref(), self.suite, &self.options)?;
        let names = self.suite.tests().iter().map(|test| test.name.clone());
        let recording = Recording::new(&modules.program, store.begin_run()?, names.collect())?;
        let looked = AtomicU64::new(0);
        let told: Mutex<BTreeMap<usize, Told>> = Mutex::default();
        let started = Instant::now();
        let looking = Looking { recording: &recording, watch: self.watch, told: &told, micros: &looked };
        let carried = self.before.map(|before| Carried::of(store, before, self.suite, &modules.program)).transpose()?;
        let mut options = self.options.clone();
        if let Some(carried) = carried.flatten() {
            carried.hand_to(&recording, &mut told.lock().unwrap_or_else(PoisonError::into_inner))?;
            options.known = carried.into_baselines();
            self.watch.known(options.known.iter().flatten().count());
        }
        let baseline = suite::baseline(self.suite, &options, &looking)?;
        if interrupt::happened() {
            return Err(Obstacle::new(Obstacle::Interrupted, words::so_far(self.suite.tests(), &baseline.tests)));
        }
        let in_trials = self.in_trials(store, &modules.program, &baseline, started.elapsed())?;
        let looked = Duration::from_micros(looked.into_inner()) / self.options.jobs.max(1) as u32;
        let running = started.elapsed().saturating_sub(looked);
        let (writer, recorded) = recording.finish(|test| complete(&baseline.tests[test]))?;
        writer.save_tables(Tables::Sites, &modules.sites)?;
        writer.save_tables(Tables::Dependences, &modules.dependences)?;
        writer.save_lists(&self.suite.kept().suites, &self.suite.kept().cases)?;
        let root = store.root().canonicalize().unwrap_or_else(|_| store.root().to_path_buf());
        let inputs = Inputs::load(&store.build_directory())
            .unwrap_or_else(|| Inputs::of_files(&root, modules.program.files.iter().map(String::as_str)));
        writer.save_inputs(&inputs)?;
        writer.save_labels(&labels(store.root(), &modules.program, build.as_ref()))?;
        let test_code = test_code::files(self.suite, &modules.program);
        let tests = self.records(&baseline, &recorded.processes, in_trials);
        let otherwise = tests.iter().filter_map(|test| Some((test.name.as_str(), test.in_trials.as_deref()?)));
        let otherwise = words::in_trials(otherwise);
        let named = self.suite.tests().iter().map(|test| test.name.as_str()).zip(&baseline.tests);
        let said = words::warnings(&named.collect::<Vec<_>>(), self.options.mode);
        let told = told.into_inner().unwrap_or_else(PoisonError::into_inner);
        let first_told = told.first_key_value().map(|(test, told)| (tests[*test].name.as_str(), told));
        let doubt = doubt::doubt(self.suite.root(), self.suite.tests(), &tests);
        let doubt = doubt.or_else(|| doubt::silent_failure(first_told, &tests));
        let manifest = Manifest {
            version: STORE_VERSION,
            began: began.as_secs(),
            began_ns: began.subsec_nanos(),
            mode: self.options.mode.name().to_string(),
            test_code,
            tests,
            unstable_nodes: recorded.unstable_nodes,
            warnings: doubt.into_iter().chain(said).chain(otherwise).chain(recorded.warnings).collect(),
        };
        if baseline.tests.iter().all(|test| test.runs.is_empty()) {
            let message = "the budget was spent before any test was run; a longer --budget is needed";
            return Err(Obstacle::new(Obstacle::Time, message));
        }
        if recorded.processes.iter().all(|processes| *processes == 0) {
            return Err(not_recorded(self.options.mode, self.suite, &baseline));
        }
        writer.finish(&manifest)?;
        let (n_nodes, looks) = (modules.program.nodes.len(), recorded.looks);
        Ok(RecordedSuite { manifest, n_nodes, baseline, running, looks, told })
    }

    /// Of tests that count, what the version does in which changes are tried, where that is something else: as the last run has it of the same program
    /// and test, or by running them. All that came before has `taken` so long.
    fn in_trials(
        &self,
        store: &Store,
        program: &Program,
        baseline: &Baseline,
        taken: Duration,
    ) -> Result<Vec<Option<String>>, Obstacle> {
        let tests = self.suite.tests();
        let mut known: Vec<Option<Option<String>>> = vec![None; tests.len()];
        let has_version = |unit: &Unit| unit.modes & 1 << Mode::Trace as u32 != 0;
        if self.options.mode == Mode::Trace || !self.options.settled || !program.units.iter().all(has_version) {
            return Ok(vec![None; tests.len()]);
        }
        let hashes = |program: &Program| program.units.iter().map(|unit| unit.hash).collect::<BTreeSet<u64>>();
        if let Ok(last) = store.latest_run()
            && hashes(&last.program) == hashes(program)
        {
            let of_last: HashMap<&str, &TestRecord> =
                last.manifest.tests.iter().map(|test| (test.name.as_str(), test)).collect();
            for (test, known) in tests.iter().zip(&mut known) {
                let before = of_last.get(test.name.as_str()).filter(|before| before.state == test.print());
                *known = before.filter(|before| before.passed.is_some()).map(|before| before.in_trials.clone());
            }
        }
        let ends = |index: usize| matches!(baseline.tests[index].verdict(), Some(Verdict::Pass | Verdict::Fail));
        let counts = |index: &usize| ends(*index) && !tests[*index].has_starts();
        let due: Vec<usize> = (0..tests.len()).filter(|index| known[*index].is_none() && counts(index)).collect();
        let patience = taken.max(LEAST_COMPARED);
        let differing = suite::differing(self.suite, &self.options, Mode::Trace, baseline, &due, patience, self.watch)?;
        let text = |index: usize| differing.get(&index).map(words::in_version);
        Ok(known.into_iter().enumerate().map(|(index, known)| known.unwrap_or_else(|| text(index))).collect())
    }

    fn records(&self, baseline: &Baseline, processes: &[u32], in_trials: Vec<Option<String>>) -> Vec<TestRecord> {
        let record =
            |(((test, baseline), processes), in_trials): (((&suite::Test, &TestBaseline), &u32), Option<String>)| {
                let (passed, verdict) = (self.judge)(test, baseline)
                    .unwrap_or_else(|| (passed(baseline), outcome(self.options.mode, baseline)));
                let is_traceless = passed.is_some() && *processes == 0 && !baseline.runs.is_empty();
                let aside = match (is_traceless, test.has_starts()) {
                    (true, _) => TRACELESS,
                    (false, true) => SPOKEN_FOR,
                    (false, false) => "",
                };
                TestRecord {
                    name: test.name.clone(),
                    command: test.command.clone(),
                    passed: passed.filter(|_| *processes > 0 && !test.has_starts()),
                    verdict: format!("{verdict}{aside}"),
                    mismatch: baseline.runs.first().and_then(|run| run.mismatch.clone()),
                    milliseconds: baseline.runs.first().map_or(0, |run| run.wall.as_millis() as u64),
                    processes: *processes,
                    state: test.print(),
                    in_trials,
                }
            };
        self.suite.tests().iter().zip(&baseline.tests).zip(processes).zip(in_trials).map(record).collect()
    }
}

/// Looks at the runs of a suite that is recorded.
struct Looking<'a> {
    recording: &'a Recording<'a>,
    watch: &'a dyn Watch,
    /// By its number, what a test that passes says of a failure.
    told: &'a Mutex<BTreeMap<usize, Told>>,
    /// Microseconds that this took, all threads together.
    micros: &'a AtomicU64,
}

impl Watch for Looking<'_> {
    fn ended(&self, test: &suite::Test, run: usize, traces: &Path, result: &TestRun) {
        let started = Instant::now();
        if result.verdict == Verdict::Pass
            && test.is_judged_by_status()
            && let Some(told) = doubt::told_failure(result.written())
        {
            self.told.lock().unwrap_or_else(PoisonError::into_inner).insert(test.index, told);
        }
        self.recording.look(test.index, run, traces, result.died());
        self.watch.ended(test, run, traces, result);
        self.micros.fetch_add(started.elapsed().as_micros() as u64, Ordering::Relaxed);
    }

    fn begins(&self, test: &suite::Test, purpose: Purpose) {
        self.watch.begins(test, purpose);
    }
}

/// The last build with what was built since: listing a suite's tests may build their programs.
fn current_build(store: &Store) -> Result<Option<BuildReport>, Obstacle> {
    let mut build: Option<BuildReport> = store.load_build()?;
    if let Some(build) = &mut build
        && build::notice(build, store.root(), &store.build_directory())
    {
        store.save_build(build)?;
    }
    Ok(build)
}

/// That nothing was recorded, with what the first test said: it may have run no program at all.
fn not_recorded(mode: Mode, suite: &Suite, baseline: &Baseline) -> Obstacle {
    let first = suite.tests().iter().zip(&baseline.tests).next();
    let advice = match first.and_then(|(_, baseline)| baseline.verdict()) {
        Some(Verdict::Error) => "correct its command in suspect.toml, or build with `suspect build`",
        _ => "build with `suspect build`, and see `suspect doctor`",
    };
    let first = first.map(|(test, baseline)| format!(" (the first, {}: {})", test.name, outcome(mode, baseline)));
    let message =
        format!("no test ran a program that can record {}{}: {advice}", mode.name(), first.unwrap_or_default());
    Obstacle::new(Obstacle::NotInstrumented, message)
}

/// A test that hangs every time fails; one that cannot be run, or says that it does not apply, tells nothing.
fn passed(baseline: &TestBaseline) -> Option<bool> {
    match baseline.verdict()? {
        Verdict::Pass => Some(true),
        Verdict::Fail | Verdict::Timeout => Some(false),
        Verdict::Skip | Verdict::Error => None,
    }
}

/// True if all runs of the test ended alike, and by themselves.
fn complete(baseline: &TestBaseline) -> bool {
    baseline.verdict().is_some_and(|verdict| verdict != Verdict::Timeout)
}

/// The verdict on a test for which there was no time.
pub const NOT_RUN: &str = "not run: the budget was spent";
