//! `suspect` without a verb: whatever is due, from suspect.toml to the answer.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use suspect_format::abi::Mode;

use super::answer::write_answer;
use super::build::{Part, build_aside};
use super::current::build_if_outdated;
use super::exit::{Exit, Failure};
use super::place::project_root;
use super::progress::StatusLine;
use super::streams::say;
use super::test::{refinements, say_refined, summarise, take_other_tests, taken, write_config};
use crate::build::BuildReport;
use crate::build::inputs::Inputs;
use crate::exec::interrupt;
use crate::obstacle::Obstacle;
use crate::progress::Progress;
use crate::ranking::{self, RankRequest, TrialOptions, Trying};
use crate::source::SourceTree;
use crate::store::{Store, TestRecord};
use crate::suite::{CONFIG_FILE, Deadline, KeptLists, Suite};
use crate::suite_run::{HowTested, RecordedSuite, Session, ready, record_suite, record_tests};

/// How often `--watch` looks: people do not notice less, and looking takes a hundredth of it.
const LOOKED: Duration = Duration::from_millis(300);
/// Milliseconds that all tests take one after the other, beyond which only those that fail are made to tell more: the others would run four times
/// in the time for that.
const MOST_TESTED: u64 = 15_000;
/// Tests that fail, beyond which the quickest alone are made to tell more where the others take too long.
const MOST_REFINED: usize = 4;

/// Time for making tests tell more that do not take long: as much as for ranking, so that nobody waits twice as long before the first answer than for it.
const REFINED: Duration = Duration::from_secs(60);
/// Runs of a failing test that finding out how it tells takes, about (GNU m4's driver: 12). They have time beside [`REFINED`], since changes are hardly
/// tried on a test that takes long.
const RUNS_REFINED: u32 = 12;
/// Time for making tests tell more, at most: longer ones are left as they are.
const MOST_REFINED_TIME: Duration = Duration::from_secs(300);

/// Builds if that is due, tests, and ranks what fails; again and again if it is to watch.
///
/// # Errors
/// When something of it cannot be done, or tests fail: then the answer was written.
pub fn everyday(start: &Path, watch: bool, out: &mut impl Write) -> Result<(), Failure> {
    let root = project_root(start);
    if !watch {
        let is_new = build(&root)?;
        interrupt::catch().map_err(Failure::of(Exit::Internal))?;
        return test(&root, is_new, out);
    }
    interrupt::catch().map_err(Failure::of(Exit::Internal))?;
    while !interrupt::happened() {
        let built = build(&root);
        let watched = Inputs::watched(&root, &Store::new(&root).build_directory(), CONFIG_FILE);
        if let Err(failure) = built.and_then(|is_new| test(&root, is_new, out)) {
            say!("suspect: {}", failure.message);
        }
        out.flush().map_err(Failure::of(Exit::File))?;
        say!("suspect: waiting for changes; Ctrl-C ends");
        wait(&root, &watched);
    }
    Ok(())
}

/// Builds, where that is due, what suspect.toml names, which is written if there is none. Returns whether it was.
fn build(root: &Path) -> Result<bool, Failure> {
    let last: Option<BuildReport> = Store::new(root).load_build()?;
    let is_new = !root.join(CONFIG_FILE).is_file();
    if is_new {
        let (path, config) = write_config(root, last.as_ref())?;
        say!("suspect: wrote {}: {}", path.display(), taken(&config));
    }
    match last {
        Some(_) => build_if_outdated(root)?,
        None => build_aside(root, Part::All)?,
    }
    Ok(is_new)
}

/// Tests, and answers where tests fail. A suspect.toml that is new is made to tell more first, if it can.
fn test(root: &Path, is_new: bool, out: &mut impl Write) -> Result<(), Failure> {
    let store = Store::new(root);
    let how = HowTested { mode: Mode::Values, jobs: None, repeat: None, until: None, apart: Duration::ZERO };
    let record = || record_suite(&store, &how, &StatusLine::new());
    let mut recorded = match record() {
        Err(Obstacle::NotInstrumented(_)) if is_new && takes_others(root) => record()?,
        recorded => recorded?,
    };
    if is_new && let Some(lists) = refine(root)? {
        recorded = record_again(&store, &lists, &how, &recorded)?;
    }
    let of = |wanted: bool| recorded.manifest.tests.iter().filter(|test| test.passed == Some(wanted)).count();
    let (failing, tests) = (of(false), recorded.manifest.tests.len());
    if failing == 0 && of(true) > 0 {
        return summarise(&recorded.manifest, recorded.n_nodes, out).map_err(Failure::of(Exit::File));
    }
    answer(root, out)?;
    if interrupt::happened() {
        let message = "interrupted: this is what was known by then; the same command goes on from here";
        return Err(Failure::new(Exit::Interrupted, message));
    }
    let fail = if failing == 1 { "fails" } else { "fail" };
    Err(Failure::new(Exit::Finding, format!("{failing} of {tests} tests {fail}")))
}

/// Has suspect.toml name other tests, where its own start nothing that is instrumented. Returns whether it does now.
fn takes_others(root: &Path) -> bool {
    take_other_tests(root, Deadline::within(REFINED)).unwrap_or_else(|failure| {
        say!("suspect: {}; the tests stay as they are", failure.message);
        false
    })
}

/// Records the suite as it is since its suspect.toml tells more, with what is known of it. Tests that are as they were do not run again.
fn record_again(
    store: &Store,
    lists: &KeptLists,
    how: &HowTested,
    before: &RecordedSuite,
) -> Result<RecordedSuite, Obstacle> {
    let suite = Suite::load_as(store.root(), lists)?;
    let status = StatusLine::new();
    suite.notes().iter().for_each(|note| status.say(note));
    record_tests(store, &suite, how, Some(before), &status)
}

/// Makes suspect.toml tell more of tests that fail. Returns the lists of the tests that are known if it does now.
fn refine(root: &Path) -> Result<Option<KeptLists>, Failure> {
    let session = Session::latest(root)?;
    let tests = &session.run.manifest.tests;
    let taken: u64 = tests.iter().map(|test| test.milliseconds).sum();
    let hints = session.hints()?;
    if hints.is_empty() || interrupt::happened() {
        return Ok(None);
    }
    let lists = ready::lists(&session.run);
    let mut failing: Vec<&TestRecord> = tests.iter().filter(|test| test.passed == Some(false)).collect();
    failing.sort_by_key(|test| test.milliseconds);
    failing.truncate(MOST_REFINED);
    let only: Option<Vec<String>> =
        (taken > MOST_TESTED).then(|| failing.iter().map(|test| test.name.clone()).collect());
    let of_failing = Duration::from_millis(failing.iter().map(|test| test.milliseconds).sum());
    hints.iter().for_each(|hint| say!("suspect: {hint}; trying that"));
    let deadline = Deadline::within(refining(of_failing));
    let refinements = match refinements(root, deadline, only.as_deref(), Some(&lists)) {
        Ok(refinements) => refinements,
        Err(failure) => {
            say!("suspect: {}; the tests stay as they are", failure.message);
            return Ok(None);
        }
    };
    say_refined(&refinements, &mut std::io::stderr()).map_err(Failure::of(Exit::File))?;
    Ok(refinements.iter().any(|refinement| refinement.refused.is_none()).then_some(lists))
}

/// Time for making tests tell more, where the failing ones that are to take so long.
fn refining(failing: Duration) -> Duration {
    (REFINED + failing * RUNS_REFINED).min(MOST_REFINED_TIME)
}

/// Ranks what fails, and writes the answer.
fn answer(root: &Path, out: &mut impl Write) -> Result<(), Failure> {
    let session = Session::latest(root)?;
    let trying = Trying::Now(TrialOptions { budget: None, jobs: None, allow_unsafe: false });
    let mut ranked = ranking::rank(&session, &RankRequest::all_evidence(trying)?, &StatusLine::new())?;
    ranked.keep_ranking(&session)?;
    let sources = SourceTree::of(root, &session.run.program);
    write_answer(&ranked.report, Some(&session.run), &sources, None, out).map_err(Failure::of(Exit::File))?;
    Ok(ranked.keep_claims(&session)?)
}

/// Waits until a source or suspect.toml is another one, and nobody is writing any more.
fn wait(root: &Path, watched: &Inputs) {
    while !interrupt::happened() && watched.first_changed(root).is_none() {
        std::thread::sleep(LOOKED);
    }
    // Editors write a file in steps.
    std::thread::sleep(LOOKED);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_tests_have_more_time_to_tell_more_and_not_without_end() {
        let seconds = |failing: u64| refining(Duration::from_secs(failing)).as_secs();
        assert_eq!([0, 1, 10, 1000].map(seconds), [60, 72, 180, 300]);
    }
}
