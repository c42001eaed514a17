//! `suspect init` and `suspect test`: run the suite, record what each test did.

mod modules;
mod recording;

use std::io::Write;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use suspect_format::abi::Mode;

use super::args::{Record, TestArguments};
use super::exit::{Exit, Failure};
use crate::store::{Manifest, STORE_VERSION, Store, Tables, TestRecord};
use crate::suite::{self, Baseline, BaselineOptions, Stability, Suite, SuiteError, TestBaseline, Verdict};
use modules::Modules;
use recording::Recording;

impl From<SuiteError> for Failure {
    fn from(error: SuiteError) -> Failure {
        let exit = match error {
            SuiteError::NoTests { .. } | SuiteError::MissingExpected { .. } => Exit::Baseline,
            SuiteError::Io { .. } | SuiteError::Exec(_) => Exit::File,
            _ => Exit::Usage,
        };
        Failure::new(exit, error.to_string())
    }
}

/// Writes a suspect.toml.
pub fn init(start: &Path, out: &mut impl Write) -> Result<(), Failure> {
    let text = suite::init(start)?;
    write!(out, "{text}").map_err(Failure::of(Exit::File))
}

/// Runs the suite and keeps what each test did.
pub fn test(root: &Path, arguments: &TestArguments, out: &mut impl Write) -> Result<(), Failure> {
    let began = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let suite = Suite::load(root)?;
    let store = Store::new(root);
    let _lock = store.lock()?;
    let mode = match arguments.record {
        Record::Edges => Mode::Edges,
        Record::Values => Mode::Values,
        Record::Trace => Mode::Trace,
    };
    let options = BaselineOptions {
        jobs: arguments.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).max(1),
        runs: arguments.repeat.map(|repeat| repeat.max(2) as usize),
        mode,
        env: Vec::new(),
        traces: store.fresh_tmp()?,
    };
    let modules = Modules::of(root, store.load_build()?.as_ref(), &suite, &options)?;
    let recording = Recording::new(&modules.program, store.begin_run()?, suite.tests().len())?;
    let baseline = suite::baseline(&suite, &options, &|test, run, traces, _| recording.look(test.index, run, traces))?;
    store.remove_tmp()?;
    let (writer, recorded) = recording.finish(|test| complete(&baseline.tests[test]))?;
    writer.save_tables(Tables::Sites, &modules.sites)?;
    writer.save_tables(Tables::Dependences, &modules.dependences)?;
    let manifest = Manifest {
        version: STORE_VERSION,
        began,
        mode: mode.name().to_string(),
        tests: records(&suite, &baseline, &recorded.processes),
        unstable_nodes: recorded.unstable_nodes,
        warnings: recorded.warnings,
    };
    if recorded.processes.iter().all(|processes| *processes == 0) {
        return Err(not_recorded(mode, &suite, &baseline));
    }
    writer.finish(&manifest)?;
    summarise(&manifest, modules.program.nodes.len(), out).map_err(Failure::of(Exit::File))
}

/// That nothing was recorded, with what the first test said: it may have run no program at all.
fn not_recorded(mode: Mode, suite: &Suite, baseline: &Baseline) -> Failure {
    let first = suite.tests().iter().zip(&baseline.tests).next();
    let first = first.map(|(test, baseline)| format!(" (the first, {}: {})", test.name, outcome(baseline)));
    let message = format!(
        "no test ran a program that can record {}{}: build with `suspect build`, and see `suspect doctor`",
        mode.name(),
        first.unwrap_or_default()
    );
    Failure::new(Exit::NotInstrumented, message)
}

fn records(suite: &Suite, baseline: &Baseline, processes: &[u32]) -> Vec<TestRecord> {
    let record = |((test, baseline), processes): ((&suite::Test, &TestBaseline), &u32)| TestRecord {
        name: test.name.clone(),
        passed: passed(baseline).filter(|_| *processes > 0),
        verdict: verdict(baseline, *processes),
        milliseconds: baseline.runs.first().map_or(0, |run| run.wall.as_millis() as u64),
        processes: *processes,
    };
    suite.tests().iter().zip(&baseline.tests).zip(processes).map(record).collect()
}

/// A test that hangs every time fails; one that cannot be run, or says that it does not apply, tells nothing.
fn passed(baseline: &TestBaseline) -> Option<bool> {
    match baseline.verdict()? {
        Verdict::Pass => Some(true),
        Verdict::Fail | Verdict::Timeout => Some(false),
        Verdict::Skip | Verdict::Error => None,
    }
}

/// Whether all runs of the test ended alike, and by themselves.
fn complete(baseline: &TestBaseline) -> bool {
    baseline.verdict().is_some_and(|verdict| verdict != Verdict::Timeout)
}

fn verdict(baseline: &TestBaseline, processes: u32) -> String {
    let mut text = outcome(baseline);
    if processes == 0 {
        text.push_str("; no instrumented program ran");
    }
    text
}

fn outcome(baseline: &TestBaseline) -> String {
    let text = match (&baseline.stability, baseline.verdict()) {
        (Stability::Flaky(verdicts), _) => format!("flaky: {verdicts}"),
        (_, Some(verdict)) => verdict.to_string(),
        (_, None) => "not run".to_string(),
    };
    match baseline.reason() {
        Some(reason) => format!("{text}: {reason}"),
        None => text,
    }
}

/// Tests named one by one before "and N more".
const NAMED: usize = 20;

fn summarise(manifest: &Manifest, n_nodes: usize, out: &mut impl Write) -> std::io::Result<()> {
    let of = |wanted: Option<bool>| manifest.tests.iter().filter(move |test| test.passed == wanted);
    for (wanted, word) in [(Some(false), "fails"), (None, "does not count")] {
        for test in of(wanted).take(NAMED) {
            writeln!(out, "{word}: {}: {}", test.name, test.verdict)?;
        }
        let more = of(wanted).count().saturating_sub(NAMED);
        if more > 0 {
            writeln!(out, "... and {more} more")?;
        }
    }
    for warning in &manifest.warnings {
        writeln!(out, "warning: {warning}")?;
    }
    if !manifest.unstable_nodes.is_empty() {
        let n = manifest.unstable_nodes.len();
        writeln!(out, "{n} of {n_nodes} nodes differ between runs of the same test and are masked")?;
    }
    let (failing, passing, rest) = (of(Some(false)).count(), of(Some(true)).count(), of(None).count());
    writeln!(out, "{passing} passing, {failing} failing, {rest} not counted; recorded")
}
