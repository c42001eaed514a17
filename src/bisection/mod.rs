//! Bisections: commits judged by their tests, and the ends of a bisection judged once more.

mod ends;

use std::time::{Duration, Instant};

use crate::exec::ScratchRoot;
use crate::store::Store;
use crate::suite::{RunContext, Suite, Test, Verdict};
use ends::{End, Visit};

/// What is known of the commit that is checked out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judged {
    /// All tests pass.
    Good,
    /// A test fails, and how.
    Bad(String),
    /// Nothing can be said, and why: it does not build, a test is flaky or not there.
    Undecided(String),
}

/// How commits are judged.
#[derive(Clone, Debug)]
pub struct BisectRequest {
    /// The tests that tell good from bad; without any, those that fail in the latest recorded run.
    pub tests: Vec<String>,
    /// How often each test runs, if not as often as the time allows.
    pub repeat: Option<u32>,
}

/// Builds the commit that is checked out, and says what is done.
pub trait Workshop {
    /// Builds; `Ok(Err(reason))` where this commit does not build, an error where none can be built.
    fn build(&mut self) -> Result<Result<(), String>, String>;
    /// Says a line; an error where nobody can be told.
    fn say(&mut self, line: String) -> Result<(), String>;
}

/// Judges the commit that is checked out; where that ends a bisection, its ends too.
///
/// # Errors
/// Why the bisection cannot go on, or cannot be trusted.
pub fn judge_step(store: &Store, request: &BisectRequest, workshop: &mut dyn Workshop) -> Result<Judged, String> {
    let wanted = wanted(store, &request.tests)?;
    let mut bisection = Bisection { store, wanted, repeat: request.repeat, workshop };
    let judged = bisection.judge_commit()?;
    if let Judged::Good | Judged::Bad(_) = judged {
        for end in ends::deciding(store.root(), judged == Judged::Good) {
            bisection.check(&end)?;
        }
    }
    Ok(judged)
}

struct Bisection<'a> {
    store: &'a Store,
    /// Tests to run, each with its time limit.
    wanted: Vec<(String, Option<Duration>)>,
    repeat: Option<u32>,
    workshop: &'a mut dyn Workshop,
}

impl Bisection<'_> {
    /// Builds the commit that is checked out, and runs the tests.
    fn judge_commit(&mut self) -> Result<Judged, String> {
        if let Err(why) = self.workshop.build()? {
            return Ok(Judged::Undecided(why));
        }
        let suite = match Suite::load(self.store.root()) {
            Ok(suite) => suite,
            Err(error) => return Ok(Judged::Undecided(error.to_string())),
        };
        let mut tests = Vec::new();
        for (name, limit) in &self.wanted {
            match suite.tests().iter().find(|test| test.name == *name) {
                Some(test) => tests.push((test, *limit)),
                None => return Ok(Judged::Undecided(format!("the suite has no test `{name}` here"))),
            }
        }
        let mut undecided = None;
        for (test, limit) in tests {
            match judge(&suite, test, limit, self.repeat)? {
                Judged::Good => self.workshop.say(format!("{}: passes", test.name))?,
                Judged::Bad(verdict) => return Ok(Judged::Bad(format!("{}: {verdict}", test.name))),
                Judged::Undecided(why) => undecided = Some(format!("{}: {why}", test.name)),
            }
        }
        Ok(undecided.map_or(Judged::Good, Judged::Undecided))
    }

    /// Judges an end of the bisection once more, since its result rests on it: a test that fails at random may have been lucky there.
    fn check(&mut self, end: &End) -> Result<(), String> {
        let (name, called) = (end.commit.get(..12).unwrap_or(&end.commit), if end.is_good { "good" } else { "bad" });
        self.workshop
            .say(format!("{name} was called {called}: judging it once more, since the bisection ends here"))?;
        let Some(_visit) = Visit::to(self.store.root(), &end.commit) else {
            return self.workshop.say(format!("{name} cannot be checked out: not judged again"));
        };
        let now = match self.judge_commit()? {
            Judged::Good if end.is_good => return Ok(()),
            Judged::Bad(_) if !end.is_good => return Ok(()),
            Judged::Good => "all tests pass there now".to_owned(),
            Judged::Bad(why) | Judged::Undecided(why) => format!("now: {why}"),
        };
        Err(format!("{name} was called {called}, but {now}. The bisection cannot be trusted: see `git bisect log`"))
    }
}

/// A test may take so many times as long as when it was recorded, and at least this long.
const LIMIT: (u32, Duration) = (10, Duration::from_secs(10));

/// The tests to run, each with its time limit where it was recorded.
fn wanted(store: &Store, asked: &[String]) -> Result<Vec<(String, Option<Duration>)>, String> {
    // Without a recorded run the named tests have no time limit of their own.
    let recorded = store.latest_run().map(|run| run.manifest.tests).unwrap_or_default();
    let limit = |milliseconds: u64| LIMIT.1.max(Duration::from_millis(milliseconds) * LIMIT.0);
    if asked.is_empty() {
        let failing = recorded.iter().filter(|test| test.passed == Some(false));
        let failing: Vec<_> = failing.map(|test| (test.name.clone(), Some(limit(test.milliseconds)))).collect();
        return match failing.is_empty() {
            false => Ok(failing),
            true => Err(
                "which test tells good from bad? none fails in a recorded run; name one: suspect bisect-step --test t3"
                    .to_string(),
            ),
        };
    }
    let named = |name: &String| {
        let known = recorded.iter().find(|test| test.name == *name);
        (name.clone(), known.map(|test| limit(test.milliseconds)))
    };
    Ok(asked.iter().map(named).collect())
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

fn judge(suite: &Suite, test: &Test, limit: Option<Duration>, asked: Option<u32>) -> Result<Judged, String> {
    let scratch = ScratchRoot::new().map_err(|error| error.to_string())?;
    let timeout = test.own_timeout().or(limit);
    let context = RunContext { env: &[], scratch: &scratch, timeout, large_stack: false, interruptible: false };
    let mut first: Option<(Verdict, String)> = None;
    let (began, mut runs) = (Instant::now(), 0);
    while !is_enough(runs, asked, began) {
        let run = suite.run_test(test, &context).map_err(|error| error.to_string())?;
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
