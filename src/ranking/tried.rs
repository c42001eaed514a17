//! Trials of changes for methods that need them: tried now, within a budget, and looked up.

use std::time::Duration;

use super::request::{TrialOptions, Trying};
use super::watch::Watching;
use crate::campaign::run_identity;
use crate::evidence::{LineFacts, Posterior, Tallies, Trials};
use crate::exec::interrupt;
use crate::mutation::Endless;
use crate::obstacle::Obstacle;
use crate::progress::Progress;
use crate::rank_inputs::{SearchOptions, search};
use crate::report::{TrialCounts, utc};
use crate::search::{SearchWatch, Searched};
use crate::store::Run;
use crate::suite::{Suite, Verdict};
use crate::suite_run::Session;

/// Time for trials unless asked otherwise.
const BUDGET: Duration = Duration::from_secs(60);
/// Trials from which on the search ends as soon as one line is far ahead, where no budget was asked for: some seconds with tests of milliseconds.
/// Their number, not their time, so that the answer does not depend on the machine.
const SETTLED_AT: usize = 2000;
/// Time for trials of a look at one line, when something has been tried before.
const LOOK: Duration = Duration::from_secs(2);

/// Changes that were tried.
#[derive(Default)]
pub struct Tried {
    /// Candidates and outcomes.
    pub trials: Trials,
    /// True if everything that was planned has been tried.
    pub is_finished: bool,
    /// True if trying ended because one line was far ahead.
    pub is_settled: bool,
    /// Changes that were not tried, and why: one statement each.
    pub not_tried: Vec<String>,
    /// Statements to know before believing the trials.
    pub trust: Vec<String>,
}

impl Tried {
    /// Nothing, and why.
    pub fn nothing(why: String) -> Tried {
        Tried { not_tried: vec![why], ..Tried::default() }
    }

    /// The number of trials, by what came out.
    pub fn counts(&self, facts: &LineFacts) -> TrialCounts {
        let trials = &self.trials;
        let tallies = Tallies::new(facts, trials, |test| trials.is_first(test));
        let mut counts = TrialCounts {
            trials: trials.len() as u64,
            finished: self.is_finished,
            settled: self.is_settled,
            ..TrialCounts::default()
        };
        counts.carried_over = trials.carried_over().map_or(0, |(n, _)| n as u64);
        let mut tried = vec![false; trials.tests().len()];
        for candidate in 0..trials.candidates().len() as u32 {
            let tally = tallies.came_out(candidate);
            let outcomes = trials.outcomes(candidate);
            outcomes.iter().for_each(|(test, _)| tried[*test as usize] = true);
            counts.candidates += u32::from(!outcomes.is_empty());
            counts.flips += u32::from(tally.failing.turned > 0);
            let repairs = tally.failing.turned > 0 && tally.failing.turned == tallies.n_failing();
            // In the end nothing is missing: what does not execute the changed part of a line is not tried.
            let checked = tally.passing.tried > 0 || tally.passing.missing == 0 || self.is_finished;
            let kept = tally.passing.turned == 0 && !trials.is_refuted(candidate, true);
            counts.repairs += u32::from(repairs && checked && kept);
        }
        for (test, _) in trials.tests().iter().zip(tried).filter(|(_, tried)| *tried) {
            *(if test.failed { &mut counts.failing } else { &mut counts.passing }) += 1;
        }
        counts
    }
}

/// Tries what is worth it, as far as the request goes; where nothing can be tried, says why instead, and takes what was tried before. `is_look`:
/// what was tried before suffices, unless a budget is given.
///
/// # Errors
/// When the signal handler cannot be set.
pub fn try_changes(
    session: &Session,
    facts: &LineFacts,
    trials: &Trying,
    is_look: bool,
    progress: &dyn Progress,
) -> Result<Tried, Obstacle> {
    let trier = Trier { session, facts, progress };
    let options = match trials {
        Trying::Now(options) => options,
        Trying::Nothing => {
            let why = if trier.knows() { "what had not been tried before" } else { "changes of the program" };
            return trier.look_up(format!("{why} (--no-trials)"));
        }
        Trying::Known(why) => return trier.look_up((*why).to_owned()),
    };
    // A look at one line is not to wait for what others need.
    let default = if is_look && trier.knows() { LOOK } else { BUDGET };
    match trier.tried(options.budget.unwrap_or(default), options) {
        Ok(tried) => Ok(tried),
        Err(_) if interrupt::happened() => trier.look_up("changes of the program: interrupted".into()),
        Err(obstacle) => trier.look_up(format!("changes of the program: {obstacle}")),
    }
}

/// Tries changes of one run's program.
struct Trier<'a> {
    session: &'a Session,
    facts: &'a LineFacts<'a>,
    progress: &'a dyn Progress,
}

impl Trier<'_> {
    /// True if anything was tried before.
    fn knows(&self) -> bool {
        self.session.store.evidence(run_identity(&self.session.run)).load().is_ok_and(|(known, _)| !known.is_empty())
    }

    /// The trials of earlier searches, and `why` no more was tried now.
    fn look_up(&self, why: String) -> Result<Tried, Obstacle> {
        if !self.knows() {
            return Ok(Tried::nothing(why));
        }
        let looked_up = self.tried(Duration::ZERO, &TrialOptions::default());
        Ok(looked_up.map_or_else(
            |_| Tried::nothing(why.clone()),
            |mut tried| {
                if !tried.is_finished {
                    tried.not_tried.insert(0, why.clone());
                }
                tried
            },
        ))
    }

    /// Tries changes within the budget; without one, looks up what was tried.
    fn tried(&self, budget: Duration, asked: &TrialOptions) -> Result<Tried, Obstacle> {
        let Trier { session, facts, progress } = *self;
        let (run, suite) = (&session.run, session.suite()?);
        let _reading = if budget.is_zero() { None } else { Some(session.store.lock_shared()?) };
        let stop = interrupt::catch().map_err(Obstacle::of(Obstacle::Internal))?;
        let options = SearchOptions {
            jobs: asked.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).max(1),
            budget: Some(budget),
            most_trials: None,
            everything: false,
            settled_at: if asked.budget.is_none() { Some(SETTLED_AT) } else { None },
            allow_unsafe: asked.allow_unsafe,
        };
        let watch = Watching::new(&run.program, budget, progress);
        let posterior = |trials: &Trials| Posterior::new(facts, trials).lines;
        watch.announce(run);
        watch.ranked(&Trials::default(), &posterior(&Trials::default()));
        let searched = search(session, options, &posterior, stop, &watch, progress);
        progress.clear();
        let (searched, catalogue) = searched?;
        watch.summarise(&searched);
        let name = |test: &u32| run.manifest.tests.get(*test as usize).map_or("?", |test| test.name.as_str());
        let mut not_tried: Vec<String> =
            searched.refused.iter().map(|(test, why)| format!("anything on {}: {why}", name(test))).collect();
        not_tried.extend(untried_tests(run, &searched.trials));
        if !catalogue.left_out.is_empty() {
            not_tried.push(format!("code mutants: {}", catalogue.left_out.join("; ")));
        }
        let by_status = by_status(suite, &searched.trials);
        let said = [by_status, cut_short(run, &searched.trials)?, carried_over(&searched.trials)];
        let trust = with_garbage(run, &searched).into_iter().chain(said.into_iter().flatten()).collect();
        Ok(Tried {
            trials: searched.trials,
            is_finished: searched.is_finished,
            is_settled: searched.is_settled,
            not_tried,
            trust,
        })
    }
}

/// A statement that an unassigned variable is read. A trial without changes, whose locals begin as something else, shows it.
fn with_garbage(run: &Run, searched: &Searched) -> Option<String> {
    let (first, garbage) = searched.garbage.first_key_value()?;
    let zeros = |verdict: Verdict| searched.garbage.values().all(|other| other.with_zeros == verdict);
    let (others, fail, them) = match searched.garbage.len() - 1 {
        0 => (String::new(), "fails", "it"),
        1 => (" and one other".into(), "fail", "they"),
        n => (format!(" and {n} others"), "fail", "they"),
    };
    let ends = match (zeros(Verdict::Pass), them) {
        (true, "it") => "it passes".into(),
        (true, _) => "they pass".into(),
        (false, _) => format!("it is `{}`", garbage.with_zeros),
    };
    let mut functions: Vec<&str> = searched
        .garbage
        .values()
        .filter_map(|garbage| Some(run.program.functions.get(garbage.function? as usize)?.name.as_str()))
        .collect();
    functions.sort_unstable();
    functions.dedup();
    let what = match &functions[..] {
        [] => "a variable or what a function returns".into(),
        all => format!(
            "a variable of {} or what it returns",
            all.iter().map(|name| format!("{name}()")).collect::<Vec<_>>().join(" or ")
        ),
    };
    Some(format!(
        "test `{}`{others} {fail} only if locals begin as garbage: with zeros {ends}, so something is read that nothing was assigned to, {what}",
        run.manifest.tests.get(*first as usize).map_or("?", |test| &test.name)
    ))
}

/// A statement that trials end before the test does without changes.
fn cut_short(run: &Run, trials: &Trials) -> Result<Option<String>, Obstacle> {
    let endless = Endless::of(run)?;
    let cut = trials.tests().iter().filter(|test| endless.tests.contains(&test.test));
    let names: Vec<String> = cut.map(|test| format!("`{}`", run.manifest.tests[test.test as usize].name)).collect();
    Ok((!names.is_empty()).then(|| {
        format!(
            "trials on {} are cut after {} branches, many times what most passing tests take: that a change makes it pass later is seldom seen",
            names.join(", "),
            endless.budget
        )
    }))
}

/// A statement that not everything was tried in this program.
fn carried_over(trials: &Trials) -> Option<String> {
    let (n, oldest) = trials.carried_over()?;
    Some(format!(
        "{n} of {} trials are carried over from earlier nights (the oldest of {}): what they change and their tests are the same since, other \
         code may not be; what makes a failing test pass was seen in this very program",
        trials.len(),
        utc(oldest)
    ))
}

/// Tests that were not chosen.
fn untried_tests(run: &Run, trials: &Trials) -> Option<String> {
    let of = |failed: bool| {
        let all = run.manifest.tests.iter().filter(|test| test.passed == Some(!failed)).count();
        (all, trials.tests().iter().filter(|test| test.failed == failed).count())
    };
    let ((failing, tried_failing), (passing, tried_passing)) = (of(true), of(false));
    let mut parts = Vec::new();
    if tried_failing < failing {
        parts.push(format!("{} of {failing} failing tests", failing - tried_failing));
    }
    if tried_passing < passing {
        parts.push(format!("{} of {passing} passing tests", passing - tried_passing));
    }
    (!parts.is_empty()).then(|| {
        format!("anything on {}: others were chosen, passing ones like them and some of all", parts.join(" and "))
    })
}

/// A statement that tests look at nothing but how the program ends.
fn by_status(suite: &Suite, trials: &Trials) -> Option<String> {
    let tests: Vec<_> = trials.tests().iter().filter(|test| test.failed).collect();
    let by_status = tests
        .iter()
        .filter(|tried| suite.tests().get(tried.test as usize).is_some_and(|test| test.is_judged_by_status()));
    match by_status.count() {
        0 => None,
        n if n == tests.len() => Some(
            "failing tests are judged by their exit status alone: a change that makes the program end well counts, whatever it \
             writes; expected outputs would tell more lines apart"
                .into(),
        ),
        n => Some(format!(
            "{n} of {} failing tests are judged by their exit status alone: a change that makes them end well counts, whatever they write",
            tests.len()
        )),
    }
}
