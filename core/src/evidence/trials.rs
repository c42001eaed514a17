//! What trials came to.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};

use super::{Candidate, LineFacts};
use crate::trial::{End, Observation};

/// What a candidate did to a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Effect {
    /// It changed no value: the run is the one without it.
    Same,
    /// It changed something, but nothing that the test looks at.
    Unchanged,
    /// What the test looks at is different, its verdict is not (or cannot be told).
    Changed,
    /// A failing test fails at an earlier check: what went well before is spoiled.
    Earlier,
    /// A failing test fails at a later check only: the first one is mended.
    Later,
    /// The verdict is the other one: a failing test passes (a flip), a passing one fails (it breaks).
    Turned,
    /// The exit status says that a failing test passes, and the test still says that it failed: the report was silenced, nothing mended.
    Silenced,
    /// Nothing can be said: the clock stopped it.
    Unknown,
}

impl Effect {
    /// All, by the numbers that they are kept by: a new one goes to the end.
    pub const ALL: [Effect; 8] = [
        Effect::Same,
        Effect::Unchanged,
        Effect::Changed,
        Effect::Turned,
        Effect::Unknown,
        Effect::Silenced,
        Effect::Earlier,
        Effect::Later,
    ];

    /// The number that it is kept by.
    pub fn number(self) -> u8 {
        Effect::ALL.iter().position(|one| *one == self).unwrap_or_default() as u8
    }

    /// The one that is kept by a number; unknown where a later release kept it.
    pub fn of_number(number: u8) -> Effect {
        Effect::ALL.get(number as usize).copied().unwrap_or(Effect::Unknown)
    }

    /// Whether what the test looks at is different.
    pub fn is_noticed(self) -> bool {
        !matches!(self, Effect::Same | Effect::Unchanged | Effect::Unknown)
    }
}

/// What one trial came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What it did.
    pub effect: Effect,
    /// How the program ended.
    pub end: End,
    /// Bytes of the expected standard output that it wrote before the first wrong one, where they are compared.
    pub matched: Option<u64>,
}

impl Outcome {
    /// What an observation says of a test that fails, or passes, without any change.
    pub fn of(seen: &Observation, failed: bool) -> Outcome {
        let effect = match seen.end {
            End::Unknown => Effect::Unknown,
            _ if !seen.applied => Effect::Same,
            _ if failed && seen.silenced => Effect::Silenced,
            _ if seen.passes == Some(failed) => Effect::Turned,
            _ if seen.output_changed => match seen.reached.filter(|_| failed) {
                Some(Ordering::Less) => Effect::Earlier,
                Some(Ordering::Greater) => Effect::Later,
                _ => Effect::Changed,
            },
            _ => Effect::Unchanged,
        };
        Outcome { effect, end: seen.end, matched: seen.matched }
    }
}

/// A test on which candidates are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TriedTest {
    /// Index in the run's manifest.
    pub test: u32,
    /// Whether it fails without any candidate.
    pub failed: bool,
    /// [`Outcome::matched`] without any candidate.
    pub matched: Option<u64>,
    /// Whether it is one of the further tests: only candidates that repair all others are tried on it, to see whether they repair it, too.
    pub further: bool,
}

/// Candidates, tests, and the outcomes that are known.
#[derive(Clone, Debug, Default)]
pub struct Trials {
    /// The tests.
    tests: Vec<TriedTest>,
    /// The candidates.
    candidates: Vec<Candidate>,
    /// For each candidate the tests, by position and ascending, that it was tried on.
    outcomes: Vec<Vec<(u32, Outcome)>>,
    /// Outcomes of all candidates together: a search of a large program asks for it at each of millions of pairs.
    n_outcomes: usize,
    /// Of outcomes that were found out in an earlier run, when: seconds since 1970.
    ages: HashMap<(u32, u32), u64>,
    /// Lines of functions that read what nothing was assigned to, and the share of the failing tests that fail because of that.
    readers: (BTreeSet<u32>, f64),
    /// Tests, by position, on which nothing can be tried.
    unusable: BTreeSet<u32>,
    /// See [`Trials::set_judged_by_output`].
    judged_by_output: bool,
    /// Trials that silenced a failing test, and the failing tests that some change really turns.
    silenced: Vec<(u32, u32)>,
    mended: BTreeSet<u32>,
}

impl Trials {
    /// No outcome yet.
    pub fn new(tests: Vec<TriedTest>) -> Trials {
        Trials { tests, ..Trials::default() }
    }

    /// Adds a candidate; its position.
    pub fn add(&mut self, candidate: Candidate) -> u32 {
        self.candidates.push(candidate);
        self.outcomes.push(Vec::new());
        self.candidates.len() as u32 - 1
    }

    /// Takes note of an outcome; a later one of the same trial takes its place. What silences a test counts as turning it as long as nothing else
    /// turns the test: then what it says may belong there.
    pub fn set(&mut self, candidate: u32, test: u32, mut outcome: Outcome) {
        match outcome.effect {
            Effect::Silenced => {
                self.silenced.push((candidate, test));
                if !self.mended.contains(&test) {
                    outcome.effect = Effect::Turned;
                }
            }
            Effect::Turned if self.tests[test as usize].failed && self.mended.insert(test) => self.unturn(test),
            _ => {}
        }
        self.put(candidate, test, outcome);
    }

    /// What silenced a test does not turn it any more.
    fn unturn(&mut self, test: u32) {
        for (candidate, _) in self.silenced.clone().into_iter().filter(|(_, of)| *of == test) {
            if let Some(outcome) = self.outcome(candidate, test) {
                self.put(candidate, test, Outcome { effect: Effect::Silenced, ..outcome });
            }
        }
    }

    fn put(&mut self, candidate: u32, test: u32, outcome: Outcome) {
        let known = &mut self.outcomes[candidate as usize];
        match known.binary_search_by_key(&test, |(test, _)| *test) {
            Ok(at) => known[at].1 = outcome,
            Err(at) => {
                known.insert(at, (test, outcome));
                self.n_outcomes += 1;
            }
        }
    }

    /// Takes note that an outcome was found out in an earlier run, and when.
    pub fn set_age(&mut self, candidate: u32, test: u32, at: u64) {
        self.ages.insert((candidate, test), at);
    }

    /// When an outcome was found out, seconds since 1970, if that was in an earlier run.
    pub fn age(&self, candidate: u32, test: u32) -> Option<u64> {
        self.ages.get(&(candidate, test)).copied()
    }

    /// Notes the lines of functions that read what nothing was assigned to, and the share of the failing tests that fail because of that.
    pub fn set_readers(&mut self, lines: BTreeSet<u32>, share: f64) {
        self.readers = (lines, share);
    }

    /// See [`Trials::set_readers`].
    pub fn readers(&self) -> (&BTreeSet<u32>, f64) {
        (&self.readers.0, self.readers.1)
    }

    /// How many outcomes were found out in earlier runs, and when the oldest of them was; `None` if none was.
    pub fn carried_over(&self) -> Option<(usize, u64)> {
        self.ages.values().min().map(|oldest| (self.ages.len(), *oldest))
    }

    /// The tests; others name them by their positions here.
    pub fn tests(&self) -> &[TriedTest] {
        &self.tests
    }

    /// Says on which tests, by position, nothing can be tried: what candidates do to the others is all that can be known.
    pub fn set_unusable(&mut self, tests: BTreeSet<u32>) {
        self.unusable = tests;
    }

    /// See [`Trials::set_unusable`].
    pub fn unusable(&self) -> &BTreeSet<u32> {
        &self.unusable
    }

    /// Notes that what a failing test writes decides about it, in whichever way that is looked at.
    pub fn set_judged_by_output(&mut self) {
        self.judged_by_output = true;
    }

    /// Whether a test is known to be judged by what it writes.
    pub fn is_judged_by_output(&self) -> bool {
        self.judged_by_output || self.tests.iter().any(|test| test.matched.is_some())
    }

    /// Whether candidates of all sorts are tried on a test, given by position: it is none of the further ones, nor one on which nothing can be tried.
    pub fn is_first(&self, test: u32) -> bool {
        !self.tests[test as usize].further && !self.unusable.contains(&test)
    }

    /// Whether one of the further tests says that a candidate repairs the first ones only: it breaks, or it fails still, which counts where all have
    /// one cause.
    pub fn is_refuted(&self, candidate: u32, one_cause: bool) -> bool {
        self.outcomes(candidate).iter().any(|(test, outcome)| {
            let of = &self.tests[*test as usize];
            of.further
                && match outcome.effect {
                    Effect::Unknown => false,
                    Effect::Turned => !of.failed,
                    _ => of.failed && one_cause,
                }
        })
    }

    /// The candidates; others name them by their positions here.
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// What is known of a candidate, by test, ascending.
    pub fn outcomes(&self, candidate: u32) -> &[(u32, Outcome)] {
        &self.outcomes[candidate as usize]
    }

    /// What is known of a candidate, by test, ascending, without tests on which nothing can be tried: one may be found to vary after some trials.
    pub fn usable_outcomes(&self, candidate: u32) -> impl Iterator<Item = (u32, Outcome)> {
        self.outcomes(candidate).iter().copied().filter(|(test, _)| !self.unusable.contains(test))
    }

    /// The outcome of one trial, if it has been run.
    pub fn outcome(&self, candidate: u32, test: u32) -> Option<Outcome> {
        let known = self.outcomes(candidate);
        known.binary_search_by_key(&test, |(test, _)| *test).ok().map(|at| known[at].1)
    }

    /// Trials that have been run.
    pub fn len(&self) -> usize {
        self.n_outcomes
    }

    /// Whether none has been run.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a trial on a failing test, given by position, spoils what went well without any change: an earlier check fails.
    pub fn spoils(&self, test: u32, outcome: &Outcome) -> bool {
        self.tests[test as usize].failed && outcome.effect == Effect::Earlier
    }

    /// The failing tests that a candidate was tried on, with what came out.
    pub fn failing(&self, candidate: u32) -> impl Iterator<Item = (u32, Outcome)> {
        self.of(candidate, true)
    }

    /// Whether a change of a line in question makes a failing test pass.
    pub fn turns_any(&self, facts: &LineFacts) -> bool {
        let in_question = |at: &u32| !facts.is_left_out(self.candidates[*at as usize].line);
        let mut all = (0..self.candidates.len() as u32).filter(in_question).flat_map(|at| self.failing(at));
        all.any(|(_, outcome)| outcome.effect == Effect::Turned)
    }

    /// The passing tests that a candidate was tried on, with what came out.
    pub fn passing(&self, candidate: u32) -> impl Iterator<Item = (u32, Outcome)> {
        self.of(candidate, false)
    }

    fn of(&self, candidate: u32, failed: bool) -> impl Iterator<Item = (u32, Outcome)> {
        self.outcomes(candidate).iter().copied().filter(move |(test, _)| self.tests[*test as usize].failed == failed)
    }
}
