//! The beginning of a night: the one that was not ended, or a new one with what the tests do.

use suspect_format::abi::Mode;

use super::clock::Clock;
use super::record::Night;
use crate::obstacle::Obstacle;
use crate::progress::Progress;
use crate::store::{Run, Store, TestRecord};
use crate::suite::Suite;
use crate::suite_run::{HowTested, NOT_RUN, RecordedSuite, Session, UNRECORDED, ready, record_suite};

/// The latest night, if it was not ended and is of the program and the suite as they are.
pub fn unended(store: &Store) -> Result<Option<(Session, Night)>, Obstacle> {
    let Some(number) = store.runs()?.pop() else { return Ok(None) };
    let Some(night) = Night::of(store, number).ok().flatten().filter(|night| night.ended.is_none()) else {
        return Ok(None);
    };
    let run = store.latest_run()?;
    let suite = Suite::load(store.root())?;
    let is_current = run.number == number && ready::check(store, &run, &suite).is_ok();
    Ok(is_current.then(|| (Session::of(store.clone(), run), night)))
}

/// A night whose tests have been run.
pub struct Begun {
    /// Its run.
    pub session: Session,
    /// The night.
    pub night: Night,
    /// The recorded suite.
    pub recorded: RecordedSuite,
}

/// Runs the tests of the project, this many at the same time, and begins a night with what they did.
pub fn begin(store: &Store, jobs: Option<usize>, clock: Clock, progress: &dyn Progress) -> Result<Begun, Obstacle> {
    let how = HowTested { mode: Mode::Values, jobs, repeat: None, until: clock.until(), apart: clock.apart() };
    let recorded = record_suite(store, &how, progress)?;
    let session = Session::latest(store.root())?;
    let tests = &session.run.manifest.tests;
    let not_run = tests.iter().filter(|test| test.passed.is_none() && test.verdict == NOT_RUN).count();
    let once = recorded.baseline.tests.iter().filter(|test| test.runs.len() == 1).count();
    let mut missing = Vec::new();
    if not_run > 0 {
        missing.push(format!("{not_run} of {} tests were not run", tests.len()));
    }
    if once > 0 {
        missing.push(format!("{once} tests were run only once: whether they are flaky is not known"));
    }
    let night = Night::begin(&session, missing)?;
    Ok(Begun { session, night, recorded })
}

/// The statement that tests could not be run, or left no trace when they failed, so that nothing is known of them.
pub fn lost(run: &Run) -> Option<String> {
    let says_nothing = |test: &&TestRecord| {
        let words = ["error", "fail", "timeout", UNRECORDED];
        test.passed.is_none() && words.iter().any(|word| test.verdict.starts_with(word)) && test.verdict != NOT_RUN
    };
    let lost: Vec<&TestRecord> = run.manifest.tests.iter().filter(says_nothing).collect();
    let first = lost.first()?;
    let (n, all) = (lost.len(), run.manifest.tests.len());
    let says = if n == 1 { "one does" } else { "some do" };
    Some(format!(
        "night {}: no test fails that counts, but {says} not pass either, {n} of {all}: {}: {}",
        run.number, first.name, first.verdict
    ))
}
