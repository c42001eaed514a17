//! What the trials of each candidate come to, in numbers.

use std::collections::BTreeMap;

use super::{Candidate, Effect, LineFacts, Trials};

/// The outcomes of one candidate on the failing tests, or on the passing ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Side {
    /// Tests on which it was tried and something can be said.
    pub tried: u32,
    /// Of these, those whose output or verdict it changed.
    pub noticed: u32,
    /// Of these, those whose verdict it turned.
    pub turned: u32,
    /// Tests that execute its line and on which it was not tried, or nothing can be said.
    pub missing: u32,
}

impl Side {
    fn count(&mut self, effect: Effect) {
        self.tried += u32::from(effect != Effect::Unknown);
        self.noticed += u32::from(effect.is_noticed());
        self.turned += u32::from(effect == Effect::Turned);
    }
}

/// One candidate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// On failing tests.
    pub failing: Side,
    /// On passing tests.
    pub passing: Side,
}

/// All candidates, and what is to be expected of the trials on passing tests that have not been run.
///
/// Trials go to failing tests first, so most candidates are not tried on all passing tests that execute them. A passing test on which a
/// candidate was not tried counts by the share of those on which it was, to which one test is added that counts by the mean share of all
/// candidates; as long as no candidate was tried on a passing test that share is 1, so that tests which execute a line
/// count against it as they do in a measure of coverage. A test that does not execute the line is not changed. Candidates of lines that are left out of
/// the question count as if they had not been tried.
#[derive(Clone, Debug, PartialEq)]
pub struct Tallies {
    tallies: Vec<Tally>,
    /// Those of last resorts as they came out, whether they count or not.
    last_resorts: BTreeMap<u32, Tally>,
    n_failing: u32,
    n_passing: u32,
    mean_noticed: f64,
    mean_broken: f64,
}

impl Tallies {
    /// Over the tests, by position, that `counts` holds for.
    pub fn new(facts: &LineFacts, trials: &Trials, counts: impl Fn(u32) -> bool) -> Tallies {
        let tests: Vec<u32> = (0..trials.tests().len() as u32).filter(|test| counts(*test)).collect();
        let failed = |test: u32| trials.tests()[test as usize].failed;
        let mut executing: Vec<Option<(u32, u32)>> = vec![None; facts.n_lines()];
        let mut of_line = |line: u32| {
            *executing[line as usize].get_or_insert_with(|| {
                let runs = |test: &&u32| facts.executes(&trials.tests()[**test as usize], line);
                let failing = tests.iter().filter(runs).filter(|test| failed(**test)).count() as u32;
                (failing, tests.iter().filter(runs).count() as u32 - failing)
            })
        };
        let tally = |at: usize| {
            let mut tally = Tally::default();
            if facts.is_left_out(trials.candidates()[at].line) {
                return tally;
            }
            for &(test, outcome) in trials.outcomes(at as u32).iter().filter(|(test, _)| counts(*test)) {
                if failed(test) { &mut tally.failing } else { &mut tally.passing }.count(outcome.effect);
                if trials.spoils(test, &outcome) {
                    // The beginning of a failing test is a passing one.
                    tally.passing.count(Effect::Turned);
                }
            }
            let (failing, passing) = of_line(trials.candidates()[at].line);
            tally.failing.missing = failing.saturating_sub(tally.failing.tried);
            tally.passing.missing = passing.saturating_sub(tally.passing.tried);
            tally
        };
        let n_failing = tests.iter().filter(|test| failed(**test)).count() as u32;
        let mut tallies: Vec<Tally> = (0..trials.candidates().len()).map(tally).collect();
        let is_last_resort = |(_, candidate): &(u32, &Candidate)| candidate.kind.is_last_resort();
        let last_resorts = (0..).zip(trials.candidates()).filter(is_last_resort);
        let last_resorts = last_resorts.map(|(at, _)| (at, tallies[at as usize])).collect();
        forget_last_resorts(trials, n_failing, &mut tallies);
        let sum = |of: fn(&Side) -> u32| tallies.iter().map(|tally| f64::from(of(&tally.passing))).sum::<f64>();
        let tried = sum(|side| side.tried);
        let mean = |part: f64| (part + 1.0) / (tried + 1.0);
        Tallies {
            mean_noticed: mean(sum(|side| side.noticed)),
            mean_broken: mean(sum(|side| side.turned)),
            n_failing,
            n_passing: tests.len() as u32 - n_failing,
            tallies,
            last_resorts,
        }
    }

    /// Of each candidate.
    pub fn all(&self) -> &[Tally] {
        &self.tallies
    }

    /// Last resorts with their tallies, whether they count or not.
    pub fn last_resorts(&self) -> impl Iterator<Item = (u32, &Tally)> {
        self.last_resorts.iter().map(|(at, tally)| (*at, tally))
    }

    /// Of one candidate as it came out, also where that counts for nothing.
    pub fn came_out(&self, candidate: u32) -> &Tally {
        self.last_resorts.get(&candidate).unwrap_or_else(|| self.of(candidate))
    }

    /// Of one candidate.
    pub fn of(&self, candidate: u32) -> &Tally {
        &self.tallies[candidate as usize]
    }

    /// Failing tests.
    pub fn n_failing(&self) -> u32 {
        self.n_failing
    }

    /// Passing tests.
    pub fn n_passing(&self) -> u32 {
        self.n_passing
    }

    /// Passing tests that notice a candidate, as far as is known and to be expected.
    pub fn noticed(&self, tally: &Tally) -> f64 {
        expected(&tally.passing, tally.passing.noticed, self.mean_noticed)
    }

    /// Passing tests that a candidate breaks, as far as is known and to be expected.
    pub fn broken(&self, tally: &Tally) -> f64 {
        expected(&tally.passing, tally.passing.turned, self.mean_broken)
    }

    /// Metallaxis' suspiciousness of a mutant: Ochiai's formula over the tests that notice it (Papadakis and Le Traon).
    pub fn metallaxis(&self, tally: &Tally) -> f64 {
        ochiai(f64::from(tally.failing.noticed), self.noticed(tally), self.n_failing)
    }

    /// Whether it breaks nothing: no passing test of at least one that it was tried on, or none executes it.
    pub fn is_clean(&self, tally: &Tally) -> bool {
        let Side { tried, missing, turned, .. } = tally.passing;
        turned == 0 && (tried > 0 || missing == 0)
    }

    /// The same over the tests whose verdict it turns.
    pub fn turning(&self, tally: &Tally) -> f64 {
        ochiai(f64::from(tally.failing.turned), self.broken(tally), self.n_failing)
    }
}

/// Leaves out what says nothing, see [`super::Kind::is_last_resort`].
fn forget_last_resorts(trials: &Trials, n_failing: u32, tallies: &mut [Tally]) {
    let is_last_resort = |at: usize| trials.candidates()[at].kind.is_last_resort();
    let repairs = |(at, tally): (usize, &Tally)| {
        let turns_all = n_failing > 0 && tally.failing.turned == n_failing;
        turns_all && tally.passing.turned == 0 && !is_last_resort(at) && !trials.is_refuted(at as u32, false)
    };
    let is_repaired = tallies.iter().enumerate().any(repairs);
    for (_, tally) in tallies.iter_mut().enumerate().filter(|(at, _)| is_last_resort(*at)) {
        if is_repaired || tally.passing.turned > 0 {
            *tally = Tally::default();
        }
    }
}

fn expected(side: &Side, seen: u32, mean: f64) -> f64 {
    let share = (f64::from(seen) + mean) / (f64::from(side.tried) + 1.0);
    f64::from(seen) + f64::from(side.missing) * share
}

/// Ochiai's formula; 0 where nothing fails.
pub(super) fn ochiai(failed: f64, passed: f64, n_failing: u32) -> f64 {
    if failed == 0.0 { 0.0 } else { failed / (f64::from(n_failing) * (failed + passed)).sqrt() }
}
