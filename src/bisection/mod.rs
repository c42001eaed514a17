//! `suspect bisect-step`: whether the commit that is checked out is good, for `git bisect run`.

mod ends;

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use super::args::BisectArguments;
use super::build::build_again;
use super::exit::{Exit, Failure};
use super::project_root;
use crate::exec::ScratchRoot;
use crate::store::Store;
use crate::suite::{RunContext, Suite, Test, Verdict};
use ends::{End, Visit};

/// Builds and runs the tests. Exit codes are those that git takes.
pub fn step(start: &Path, arguments: &BisectArguments, out: &mut impl Write) -> Result<(), Failure> {
    let store = Store::new(&project_root(start));
    let wanted = wanted(&store, arguments)?;
    let judged = judge_commit(start, &store, &wanted, arguments, out)?;
    if let Judged::Good | Judged::Bad(_) = judged {
        for end in ends::deciding(store.root(), matches!(judged, Judged::Good)) {
            check(&end, start, &store, &wanted, arguments, out)?;
        }
    }
    match judged {
        Judged::Good => Ok(()),
        Judged::Bad(why) => Err(Failure::new(Exit::BAD, why)),
        Judged::Undecided(why) => Err(untestable(why)),
    }
}

/// Tests to run, each with its time limit.
type Wanted = [(String, Option<Duration>)];

/// Builds the commit that is checked out, and runs the tests.
fn judge_commit(
    start: &Path,
    store: &Store,
    wanted: &Wanted,
    arguments: &BisectArguments,
    out: &mut impl Write,
) -> Result<Judged, Failure> {
    match build_again(start, &arguments.command, out) {
        Ok(()) => {}
        // Without hooks a test runs as well.
        Err(failure) if failure.exit == Exit::NotInstrumented => {}
        Err(failure) if failure.exit == Exit::Baseline => return Ok(Judged::Undecided(failure.message)),
        Err(failure) => return Err(Failure::new(Exit::Abort, failure.message)),
    }
    let suite = match Suite::load(store.root()) {
        Ok(suite) => suite,
        Err(error) => return Ok(Judged::Undecided(error.to_string())),
    };
    let mut tests = Vec::new();
    for (name, limit) in wanted {
        match suite.tests().iter().find(|test| test.name == *name) {
            Some(test) => tests.push((test, *limit)),
            None => return Ok(Judged::Undecided(format!("the suite has no test `{name}` here"))),
        }
    }
    let mut undecided = None;
    for (test, limit) in tests {
        match judge(&suite, test, limit, arguments.repeat)? {
            Judged::Good => writeln!(out, "{}: passes", test.name).map_err(Failure::of(Exit::Abort))?,
            Judged::Bad(verdict) => return Ok(Judged::Bad(format!("{}: {verdict}", test.name))),
            Judged::Undecided(why) => undecided = Some(format!("{}: {why}", test.name)),
        }
    }
    Ok(undecided.map_or(Judged::Good, Judged::Undecided))
}

/// Judges an end of the bisection once more, since its result rests on it: a test that fails at random may have been lucky there.
fn check(
    end: &End,
    start: &Path,
    store: &Store,
    wanted: &Wanted,
    arguments: &BisectArguments,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let (name, called) = (end.commit.get(..12).unwrap_or(&end.commit), if end.is_good { "good" } else { "bad" });
    writeln!(out, "{name} was called {called}: judging it once more, since the bisection ends here")
        .map_err(Failure::of(Exit::Abort))?;
    let Some(_visit) = Visit::to(store.root(), &end.commit) else {
        return writeln!(out, "{name} cannot be checked out: not judged again").map_err(Failure::of(Exit::Abort));
    };
    let now = match judge_commit(start, store, wanted, arguments, out)? {
        Judged::Good if end.is_good => return Ok(()),
        Judged::Bad(_) if !end.is_good => return Ok(()),
        Judged::Good => "all tests pass there now".to_owned(),
        Judged::Bad(why) | Judged::Undecided(why) => format!("now: {why}"),
    };
    Err(Failure::new(
        Exit::Abort,
        format!("{name} was called {called}, but {now}. The bisection cannot be trusted: see `git bisect log`"),
    ))
}

fn untestable(message: String) -> Failure {
    Failure::new(Exit::Untestable, message)
}

/// A test may take so many times as long as when it was recorded, and at least this long.
const LIMIT: (u32, Duration) = (10, Duration::from_secs(10));

/// The tests to run, each with its time limit where it was recorded.
fn wanted(store: &Store, arguments: &BisectArguments) -> Result<Vec<(String, Option<Duration>)>, Failure> {
    // Without a recorded run the named tests have no time limit of their own.
    let recorded = store.latest_run().map(|run| run.manifest.tests).unwrap_or_default();
    let limit = |milliseconds: u64| LIMIT.1.max(Duration::from_millis(milliseconds) * LIMIT.0);
    if arguments.tests.is_empty() {
        let failing = recorded.iter().filter(|test| test.passed == Some(false));
        let failing: Vec<_> = failing.map(|test| (test.name.clone(), Some(limit(test.milliseconds)))).collect();
        return match failing.is_empty() {
            false => Ok(failing),
            true => Err(Failure::new(
                Exit::Abort,
                "which test tells good from bad? none fails in a recorded run; name one: suspect bisect-step --test t3",
            )),
        };
    }
    let named = |name: &String| {
        let known = recorded.iter().find(|test| test.name == *name);
        (name.clone(), known.map(|test| limit(test.milliseconds)))
    };
    Ok(arguments.tests.iter().map(named).collect())
}

/// What runs of a test say.
enum Judged {
    Good,
    Bad(String),
    Undecided(String),
}

/// Runs of a test at least and at most, and how long further ones are begun: two equal ends of a test that fails at random are nothing rare, and one
/// wrong step sends a search to a commit that has nothing to do with it.
const RUNS: (u32, u32, Duration) = (2, 10, Duration::from_secs(10));

/// Whether so many runs, in that time, are enough.
fn is_enough(runs: u32, asked: Option<u32>, began: Instant) -> bool {
    match asked {
        Some(asked) => runs >= asked,
        None => runs >= RUNS.1 || runs >= RUNS.0 && began.elapsed() >= RUNS.2,
    }
}

fn judge(suite: &Suite, test: &Test, limit: Option<Duration>, asked: Option<u32>) -> Result<Judged, Failure> {
    let scratch = ScratchRoot::new().map_err(Failure::of(Exit::Abort))?;
    let timeout = test.own_timeout().or(limit);
    let context = RunContext { env: &[], scratch: &scratch, timeout, large_stack: false };
    let mut first: Option<(Verdict, String)> = None;
    let (began, mut runs) = (Instant::now(), 0);
    while !is_enough(runs, asked, began) {
        let run = suite.run_test(test, &context).map_err(Failure::of(Exit::Abort))?;
        runs += 1;
        let said = run.reason.map_or_else(|| run.verdict.to_string(), |reason| format!("{}: {reason}", run.verdict));
        match &first {
            Some((verdict, _)) if *verdict != run.verdict => {
                let verdicts = vec![verdict.to_string(); runs as usize - 1].join(", ");
                return Ok(Judged::Undecided(format!("flaky: {verdicts}, {}", run.verdict)));
            }
            Some(_) => {}
            None => first = Some((run.verdict, said)),
        }
    }
    Ok(match first {
        Some((Verdict::Pass, _)) => Judged::Good,
        Some((Verdict::Fail | Verdict::Timeout, said)) => Judged::Bad(said),
        Some((Verdict::Skip | Verdict::Error, said)) => Judged::Undecided(said),
        None => Judged::Undecided("not run".to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_runs_are_enough_for_a_slow_test_alone() {
        let now = Instant::now();
        let long_ago = now - RUNS.2;
        assert!(!is_enough(2, None, now) && !is_enough(RUNS.1 - 1, None, now) && is_enough(RUNS.1, None, now));
        assert!(!is_enough(1, None, long_ago) && is_enough(2, None, long_ago));
        assert!(is_enough(3, Some(3), now) && !is_enough(2, Some(3), long_ago));
    }
}
