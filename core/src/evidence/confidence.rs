//! Whether there is enough to say anything, and what would help.

use std::fmt;

use super::tally::Tallies;
use super::{LineFacts, Posterior, Trials};

/// How sure a ranking is.
#[derive(Clone, Debug, PartialEq)]
pub struct Confidence {
    /// For 1, 3, 5 and 10 lines, the probability that the fault behind a failing test is among the first so many.
    pub within: [(usize, f64); 4],
    /// Why there is not enough to say, if so.
    pub lack: Option<Lack>,
    /// What would help, the cheapest first.
    pub advice: Vec<Advice>,
}

/// Why there is not enough to say where the fault is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    /// No test fails.
    NoFailingTest,
    /// No line that is ranked is executed by a failing test.
    NoLine,
    /// The first ten lines together are not likelier to hold the fault than all others.
    Spread,
}

/// Something that would help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// Trying on: so many changes were not tried on all tests that execute them.
    GoOn(usize),
    /// A passing test that executes this line: none does.
    PassingTest(u32),
    /// One more failing test.
    FailingTest,
    /// Output to compare with: only how programs end is looked at.
    ExpectedOutput,
}

/// The first ten lines hold the fault at least this probably if there is enough to say.
const ENOUGH: f64 = 0.5;
/// From this probability of the first line on, nothing more is asked for.
const SURE: f64 = 0.9;
/// Failing tests beyond which one more is no advice.
const MANY_FAILING: u32 = 5;
/// Lines of which a passing test would tell something.
const LOOKED_AT: usize = 5;

impl Confidence {
    /// Of a posterior, and what it was computed from.
    pub fn new(facts: &LineFacts, trials: &Trials, posterior: &Posterior) -> Confidence {
        let within = [1, 3, 5, 10].map(|n| (n, posterior.within(n)));
        let lack = if facts.coverage().n_failing() == 0 {
            Some(Lack::NoFailingTest)
        } else if posterior.order.is_empty() {
            Some(Lack::NoLine)
        } else {
            (posterior.within(10) < ENOUGH).then_some(Lack::Spread)
        };
        let advice = if posterior.within(1) < SURE { advice(facts, trials, posterior) } else { Vec::new() };
        Confidence { within, lack, advice }
    }
}

fn advice(facts: &LineFacts, trials: &Trials, posterior: &Posterior) -> Vec<Advice> {
    let n_failing = facts.coverage().n_failing() as u32;
    if n_failing == 0 {
        return vec![Advice::FailingTest];
    }
    let tallies = Tallies::new(facts, trials, |test| trials.is_first(test));
    let untried = tallies.all().iter().filter(|tally| tally.failing.tried == 0 && tally.failing.missing > 0).count();
    let first = posterior.order.iter().take(LOOKED_AT).copied();
    let unpassed = first.clone().find(|line| facts.spectra()[*line as usize].ep == 0);
    // What a test looks at is known once something was tried on it.
    let tried = tallies.all().iter().any(|tally| tally.failing.tried > 0);
    let is_compared = trials.is_judged_by_output();
    let all = [
        (untried > 0).then_some(Advice::GoOn(untried)),
        unpassed.map(Advice::PassingTest),
        (n_failing < MANY_FAILING).then_some(Advice::FailingTest),
        (!is_compared && tried).then_some(Advice::ExpectedOutput),
    ];
    all.into_iter().flatten().collect()
}

impl fmt::Display for Lack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Lack::NoFailingTest => "no test fails, so there is nothing to explain",
            Lack::NoLine => "no failing test executes a line that is ranked",
            Lack::Spread => {
                "not enough runs to say: the fault is as likely to be elsewhere as in the first ten lines together"
            }
        })
    }
}

impl Advice {
    /// In words; `place` names a line.
    pub fn text(&self, place: &dyn Fn(u32) -> String) -> String {
        match self {
            Advice::GoOn(1) => "one change has not been tried yet: a larger budget would go on".into(),
            Advice::GoOn(n) => format!("{n} changes have not been tried yet: a larger budget would go on"),
            Advice::PassingTest(line) => format!("a passing test that executes {} would help: none does", place(*line)),
            Advice::FailingTest => "one more failing test would help".into(),
            Advice::ExpectedOutput => "expected outputs would help: only how the program ends is compared".into(),
        }
    }
}
