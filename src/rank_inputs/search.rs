//! Trying changes of the failing program on the tests of a recorded run: what `suspect rank` and `suspect eval` share.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::coverage::lines_left_out;
use super::earlier::earlier;
use crate::campaign::{Workbench, run_identity};
use crate::evidence::{Strings, Trials, TriedTest};
use crate::mutant::Class;
use crate::mutation::{Catalogue, CatalogueRequest, Endless, n_edges, say_uncontained, workbench};
use crate::obstacle::Obstacle;
use crate::progress::Progress;
use crate::search::{SHARE_OF_PASSING, SHARE_OF_VALUES, Search, SearchSettings, SearchTest, SearchWatch, Searched};
use crate::store::Run;
use crate::suite_run::Session;
use crate::trial::{Executors, Watched};

/// How a search is done.
#[derive(Clone, Copy, Debug)]
pub struct SearchOptions {
    /// Trials at the same time.
    pub jobs: usize,
    /// No trial is begun after this time.
    pub budget: Option<Duration>,
    /// No more trials than this, if that is fewer than a search ever runs.
    pub most_trials: Option<usize>,
    /// Try every change on every test chosen, however many trials that takes.
    pub everything: bool,
    /// End as soon as one line is far ahead, from so many trials on.
    pub settled_at: Option<usize>,
    /// Try changes even where they cannot be contained.
    pub allow_unsafe: bool,
}

/// Failing and passing tests that changes are tried on, at most.
const MOST_TESTS: (usize, usize) = (8, 24);
/// Further failing and passing tests on which what repairs all of these is tried, at most.
const MOST_FURTHER: (usize, usize) = (24, 120);
/// Trials, at most: what a search of the largest programs is worth.
const MOST_TRIALS: usize = 200_000;
/// The part of the budget in which it is found out which changes compute the same: what it does not suffice for is tried twice, which costs less than
/// not to be tried.
const FOR_COMPARISON: u32 = 4;
/// Edges that are taken in the time in which a process starts and ends, about.
const EDGES_OF_PROCESS: u64 = 1_000_000;
/// Seed of values that are drawn: rankings of one run are the same whenever they are made.
const SEED: u64 = 1;

/// Searches, as far as the budget goes; looks up what was tried before. `posterior` gives the probability of each of the program's lines.
///
/// # Errors
/// When the run is not fit for mutants, or the store or the system refuses.
pub fn search(
    session: &Session,
    options: SearchOptions,
    posterior: &(dyn Fn(&Trials) -> Vec<f64> + Sync),
    stop: &AtomicBool,
    watch: &dyn SearchWatch,
    progress: &dyn Progress,
) -> Result<(Searched, Catalogue), Obstacle> {
    let Session { store, run, .. } = session;
    let suite = session.suite()?;
    let began = Instant::now();
    session.check_ready()?;
    // All classes, those for repairing programs too. Without code mutants values can still be changed.
    let operators = Class::ALL.map(|class| class.name().to_string()).into();
    let asked = CatalogueRequest { operators, ..CatalogueRequest::default() };
    progress.show(false, &|_| "looking for small changes in the sources".into());
    let catalogue = Catalogue::of(session, &asked, options.budget.map(|budget| began + budget / FOR_COMPARISON))
        .unwrap_or_else(|obstacle| Catalogue { left_out: vec![obstacle.into_message()], ..Catalogue::default() });
    let endless = Endless::of(run)?;
    let tests = search_tests(run, &endless)?;
    let evidence = store.evidence(run_identity(run));
    // Who only looks up needs no right to add.
    let _searching = if options.budget == Some(Duration::ZERO) { None } else { Some(evidence.lock()?) };
    let earlier = earlier(session, &tests, &evidence)?;
    let until = options.budget.map(|budget| began + budget);
    let lab = |watched, until| -> Result<Workbench, Obstacle> {
        let mut lab = workbench(session, Executors::Decided, watched, options.allow_unsafe, &endless)?;
        lab.setup.until = until;
        Ok(lab)
    };
    let left_out = lines_left_out(run)?;
    let share = |of: u32| options.budget.map(|budget| Instant::now() + budget.saturating_sub(began.elapsed()) / of);
    let (outputs, mut values) = (lab(Watched::Output, until)?, lab(Watched::Nodes, share(SHARE_OF_VALUES))?);
    values.until_passing = share(SHARE_OF_PASSING);
    let search = Search {
        program: &run.program,
        tests: &tests,
        mutants: &catalogue.mutants,
        left_out: &left_out,
        strings: &Strings::of(&catalogue.texts),
        lab: &outputs,
        values: &values,
        store: &evidence,
        earlier: &earlier,
        settings: &SearchSettings {
            jobs: options.jobs,
            budget: options.budget.map(|budget| budget.saturating_sub(began.elapsed())),
            most_failing: MOST_TESTS.0,
            most_passing: MOST_TESTS.1,
            most_further: MOST_FURTHER,
            most_trials: match options.everything {
                true => usize::MAX,
                false => options.most_trials.map_or(MOST_TRIALS, |most| most.min(MOST_TRIALS)),
            },
            everything: options.everything,
            settled_at: options.settled_at,
            seed: SEED,
        },
        posterior,
        stop,
        watch,
    };
    let mut searched = search.run()?;
    let is_by_output = |test: &&TriedTest| {
        let alone = suite.tests().get(test.test as usize).and_then(|test| test.alone().ok());
        test.failed && alone.is_some_and(|test| !test.is_judged_by_status())
    };
    if searched.trials.tests().iter().any(|test| is_by_output(&test)) {
        searched.trials.set_judged_by_output();
    }
    say_uncontained(&outputs, progress);
    Ok((searched, catalogue))
}

/// The tests that count.
fn search_tests(run: &Run, endless: &Endless) -> Result<Vec<SearchTest>, Obstacle> {
    let recorded = run.recorded()?;
    let mut tests = Vec::new();
    for test in run.counted_tests() {
        let mut pieces: Vec<u32> = recorded.pieces(test)?;
        pieces.sort_unstable();
        let record = &run.manifest.tests[test as usize];
        // Not time, which differs from run to run and would change the order of work.
        let cost = n_edges(&recorded, test)?.saturating_add(EDGES_OF_PROCESS.saturating_mul(record.processes.into()));
        let (failed, wall) = (record.passed == Some(false), Duration::from_millis(record.milliseconds));
        // What is cut is cut soon.
        let (cost, wall) = match endless.tests.contains(&test) {
            true => (cost.min(endless.budget), Duration::ZERO),
            false => (cost, wall),
        };
        tests.push(SearchTest { test, failed, pieces, cost, wall });
    }
    Ok(tests)
}
