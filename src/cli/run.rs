//! `suspect run`: everything for one night, within a budget.

mod chains;

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use suspect_format::abi::Mode;

use super::args::RunArguments;
use super::exit::{Exit, Failure};
use super::night::Night;
use super::progress::StatusLine;
use super::report::keep;
use super::test::summarise;
use super::{build, project_root};
use crate::cli::streams::say;
use crate::exec::interrupt;
use crate::rank_inputs::count_tests;
use crate::ranking::{self, RankRequest, TrialOptions, Trying};
use crate::report::write_ranking;
use crate::source::SourceTree;
use crate::store::{Run, Store, TestRecord};
use crate::suite::{Suite, Until};
use crate::suite_run::Session;
use crate::suite_run::ready;
use crate::suite_run::{HowTested, NOT_RUN, UNRECORDED, record_suite};

/// Builds, tests and ranks, or goes on with the night that was not ended.
pub fn run(start: &Path, arguments: &RunArguments, out: &mut impl Write) -> Result<(), Failure> {
    let done = night(start, arguments, out);
    out.flush().map_err(Failure::of(Exit::File))?;
    match done {
        Err(failure) if arguments.exit_zero && matches!(failure.exit, Exit::Finding | Exit::Partial) => {
            say!("suspect: {}", failure.message);
            Ok(())
        }
        done => done,
    }
}

/// The share of the budget in which runs of tests are begun: first ones, and further ones.
const FOR_TESTS: (f64, f64) = (0.9, 0.5);
/// From the first runs of tests to the second ones, at least, and the part of the budget that this may be: what differs only since a clock's second has passed is not to look like
/// something that changed since the night before.
const APART: (Duration, u32) = (Duration::from_secs(1), 8);
/// The share of the budget that is left for explanations, and for the report, and the most that each is.
const FOR_EXPLANATIONS: (f64, Duration) = (0.15, Duration::from_secs(120));
const FOR_REPORT: (f64, Duration) = (0.05, Duration::from_secs(10));

/// What a night may take.
#[derive(Clone, Copy)]
struct Clock {
    began: Instant,
    budget: Option<Duration>,
}

impl Clock {
    fn until(self) -> Option<Until> {
        let budget = self.budget?;
        let at = |share| self.began + budget.mul_f64(share);
        Some(Until { first: at(FOR_TESTS.0), further: at(FOR_TESTS.1) })
    }

    /// Time for trials.
    fn for_trials(self, is_explained: bool) -> Option<Duration> {
        let reserve = self.budget?.mul_f64(FOR_EXPLANATIONS.0).min(FOR_EXPLANATIONS.1);
        let reserve = if is_explained { reserve } else { Duration::ZERO };
        Some(self.before_report()?.saturating_sub(reserve))
    }

    fn apart(self) -> Duration {
        self.budget.map_or(APART.0, |budget| APART.0.min(budget / APART.1))
    }

    /// Time until the report has to be made.
    fn before_report(self) -> Option<Duration> {
        let budget = self.budget?;
        let reserve = budget.mul_f64(FOR_REPORT.0).min(FOR_REPORT.1);
        Some(budget.saturating_sub(reserve).saturating_sub(self.began.elapsed()))
    }
}

fn night(start: &Path, arguments: &RunArguments, out: &mut impl Write) -> Result<(), Failure> {
    let clock = Clock { began: Instant::now(), budget: arguments.budget };
    if !arguments.no_build {
        build::build_again(start, &arguments.command, out)?;
    }
    let root = project_root(start);
    let store = Store::new(&root);
    let (session, night) = match unended(&store)? {
        Some((session, night)) => {
            say!("suspect: going on with night {}: its tests have been run", session.run.number);
            (session, night)
        }
        None => test(&store, arguments, clock, out)?,
    };
    rank(&session, night, arguments, clock, out)
}

/// The latest night, if it was not ended and is of the program and the suite as they are.
fn unended(store: &Store) -> Result<Option<(Session, Night)>, Failure> {
    let Some(number) = store.runs()?.pop() else { return Ok(None) };
    let Some(night) = Night::of(store, number).ok().flatten().filter(|night| night.ended.is_none()) else {
        return Ok(None);
    };
    let run = store.latest_run()?;
    let suite = Suite::load(store.root())?;
    let is_current = run.number == number && ready::check(store, &run, &suite).is_ok();
    Ok(is_current.then(|| (Session::of(store.clone(), run), night)))
}

/// Runs the tests and begins a night with what they did.
fn test(
    store: &Store,
    arguments: &RunArguments,
    clock: Clock,
    out: &mut impl Write,
) -> Result<(Session, Night), Failure> {
    let how = HowTested {
        mode: Mode::Values,
        jobs: arguments.jobs,
        repeat: None,
        until: clock.until(),
        apart: clock.apart(),
    };
    let recorded = record_suite(store, &how, &StatusLine::new())?;
    let session = Session::latest(store.root())?;
    let run = &session.run;
    let not_run = run.manifest.tests.iter().filter(|test| test.passed.is_none() && test.verdict == NOT_RUN).count();
    let once = recorded.baseline.tests.iter().filter(|test| test.runs.len() == 1).count();
    let mut missing = Vec::new();
    if not_run > 0 {
        missing.push(format!("{not_run} of {} tests were not run", run.manifest.tests.len()));
    }
    if once > 0 {
        missing.push(format!("{once} tests were run only once: whether they are flaky is not known"));
    }
    let night = Night::begin(&session, missing)?;
    summarise(&recorded.manifest, recorded.n_nodes, out).map_err(Failure::of(Exit::File))?;
    Ok((session, night))
}

/// Ranks what fails, ends the night and says how it went.
fn rank(
    session: &Session,
    mut night: Night,
    arguments: &RunArguments,
    clock: Clock,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let Session { store, run, .. } = session;
    let counts = count_tests(run);
    if counts.failing == 0 && counts.passing > 0 {
        let night = night.end(store, run.number)?;
        keep(store, run.number)?;
        return partial(&night).or_else(|| lost(run)).map_or(Ok(()), Err);
    }
    let trying = Trying::Now(TrialOptions {
        budget: clock.for_trials(!arguments.no_explain),
        jobs: arguments.jobs,
        allow_unsafe: arguments.allow_unsafe,
    });
    let mut ranked = ranking::rank(session, &RankRequest::all_evidence(trying)?, &StatusLine::new())?;
    ranked.keep_claims(session)?;
    ranked.keep_ranking(session)?;
    let is_over = clock.for_trials(!arguments.no_explain).is_some_and(|left| left.is_zero());
    if !ranked.is_finished && (is_over || clock.budget.is_none() && ranked.report.trials.is_some()) {
        night.missing.push("not every change of the program that was planned was tried".to_string());
    }
    let sources = SourceTree::of(store.root(), &run.program);
    write_ranking(&ranked.report, arguments.top, |file| sources.text(file), out).map_err(Failure::of(Exit::File))?;
    if !arguments.no_explain && !interrupt::happened() {
        night.unexplained = chains::explain(session, &ranked.report, clock.before_report(), out)?;
        for what in &night.unexplained {
            say!("suspect: not found out: {what}");
        }
    }
    night.ranked(ranked.report);
    if interrupt::happened() {
        store.save_night(run.number, &night)?;
        let message = "interrupted: this is what was known by then; the same command goes on from here";
        return Err(Failure::new(Exit::Interrupted, message));
    }
    store.save_night(run.number, &night)?;
    let night = night.end(store, run.number)?;
    keep(store, run.number)?;
    Err(partial(&night).unwrap_or_else(|| {
        let message = format!("night {}: {} of {} tests fail", run.number, counts.failing, run.manifest.tests.len());
        Failure::new(Exit::Finding, message)
    }))
}

/// That tests neither passed nor failed because they could not be run, or left no trace when they failed: nothing is known of them.
fn lost(run: &Run) -> Option<Failure> {
    let says_nothing = |test: &&TestRecord| {
        let words = ["error", "fail", "timeout", UNRECORDED];
        test.passed.is_none() && words.iter().any(|word| test.verdict.starts_with(word)) && test.verdict != NOT_RUN
    };
    let lost: Vec<&TestRecord> = run.manifest.tests.iter().filter(says_nothing).collect();
    let first = lost.first()?;
    let (n, all) = (lost.len(), run.manifest.tests.len());
    let says = if n == 1 { "one does" } else { "some do" };
    let message = format!(
        "night {}: no test fails that counts, but {says} not pass either, {n} of {all}: {}: {}",
        run.number, first.name, first.verdict
    );
    Some(Failure::new(Exit::Baseline, message))
}

/// That there was not time enough.
fn partial(night: &Night) -> Option<Failure> {
    (!night.missing.is_empty()).then(|| {
        let message = format!("the budget was spent: {}; the next night goes on from here", night.missing.join("; "));
        Failure::new(Exit::Partial, message)
    })
}
