//! `suspect run`: everything for one night, within a budget.

mod chains;

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use super::answer::{write_answer, write_long};
use super::args::RunArguments;
use super::build;
use super::exit::{Exit, Failure};
use super::place::project_root;
use super::progress::StatusLine;
use super::test::summarise;
use crate::cli::streams::say;
use crate::exec::interrupt;
use crate::night::{Begun, Clock, Night, begin, lost, unended};
use crate::rank_inputs::count_tests;
use crate::ranking::{self, RankRequest, TrialOptions, Trying};
use crate::report::suspicion;
use crate::run_report::keep;
use crate::source::SourceTree;
use crate::store::Store;
use crate::suite_run::Session;

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
        None => {
            let Begun { session, night, recorded } = begin(&store, arguments.jobs, clock, &StatusLine::new())?;
            summarise(&recorded.manifest, recorded.n_nodes, out).map_err(Failure::of(Exit::File))?;
            (session, night)
        }
    };
    rank(&session, night, arguments, clock, out)
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
        keep(store, run.number, &StatusLine::new())?;
        return partial(&night).or_else(|| Some(Failure::new(Exit::Baseline, lost(run)?))).map_or(Ok(()), Err);
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
    let is_settled = ranked.report.trials.is_some_and(|trials| trials.settled);
    if !ranked.is_finished && !is_settled && (is_over || clock.budget.is_none() && ranked.report.trials.is_some()) {
        night.missing.push("not every change of the program that was planned was tried".to_string());
    }
    let sources = SourceTree::of(store.root(), &run.program);
    if arguments.verbose {
        write_long(&ranked.report, arguments.top, &sources, out).map_err(Failure::of(Exit::File))?;
    }
    if !arguments.no_explain && !interrupt::happened() {
        let mut unread = std::io::sink();
        let told: &mut dyn Write = if arguments.verbose { out } else { &mut unread };
        night.unexplained = chains::explain(session, &ranked.report, clock.before_report(), told)?;
        for what in &night.unexplained {
            say!("suspect: not found out: {what}");
        }
    }
    if !arguments.verbose {
        write_answer(&ranked.report, Some(run), &sources, arguments.top, out).map_err(Failure::of(Exit::File))?;
    }
    let first =
        ranked.report.ranking.first().map(|entry| format!(": {} ({})", entry.unit, suspicion(&ranked.report, entry)));
    night.ranked(ranked.report);
    if interrupt::happened() {
        store.save_night(run.number, &night)?;
        let message = "interrupted: this is what was known by then; the same command goes on from here";
        return Err(Failure::new(Exit::Interrupted, message));
    }
    store.save_night(run.number, &night)?;
    let night = night.end(store, run.number)?;
    keep(store, run.number, &StatusLine::new())?;
    Err(partial(&night).unwrap_or_else(|| {
        let fail = if counts.failing == 1 { "fails" } else { "fail" };
        let tests = run.manifest.tests.len();
        let message =
            format!("night {}: {} of {tests} tests {fail}{}", run.number, counts.failing, first.unwrap_or_default());
        Failure::new(Exit::Finding, message)
    }))
}

/// The failure of a night for which there was not time enough.
fn partial(night: &Night) -> Option<Failure> {
    (!night.missing.is_empty()).then(|| {
        let message = format!("the budget was spent: {}; the next night goes on from here", night.missing.join("; "));
        Failure::new(Exit::Partial, message)
    })
}
