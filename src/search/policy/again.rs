//! Second trials, with a larger budget, of what was cut on a failing test: what mends a check that fails at once may let a long loop go on.

use std::collections::HashSet;

use super::{FOLLOWED, Pair, Policy, by_gain, is_everywhere, promise, turns};
use crate::evidence::{Effect, Outcome, Trials};
use crate::trial::End;

/// Second trials, at most: each may take some tenths of a second, and most cuts are of loops without end. A third is for failing tests that nothing has
/// turned.
const MOST_AGAIN: usize = 72;
const MOST_UNTURNED: usize = MOST_AGAIN / 3;
/// Second trials of a round, at most, of what turned another test.
const AGAIN_AT_ONCE: usize = 12;

impl Policy<'_> {
    /// What turned another failing test, on those on which it was cut: the more probable the line the sooner.
    pub(super) fn turning_again(&self, trials: &Trials, probabilities: &[f64], usable: &[bool]) -> Vec<Pair> {
        let mut gains = Vec::new();
        for (probability, rank, candidate) in
            self.turning(trials, probabilities).filter(|(_, rank, _)| *rank < FOLLOWED.1)
        {
            let cut = self.cut(trials, candidate, usable);
            gains.extend(cut.map(|test| (probability / (1 + rank) as f64, (candidate, test))));
        }
        let mut pairs = by_gain(gains);
        pairs.truncate(AGAIN_AT_ONCE.min(MOST_AGAIN.saturating_sub(self.again.len())));
        pairs
    }

    /// What was cut on failing tests that nothing has turned, some of it: of the most probable lines, the most promising first, one of each line before
    /// the second of any.
    pub(super) fn cut_again(&self, trials: &Trials, probabilities: &[f64], usable: &[bool]) -> Vec<Pair> {
        let room = MOST_UNTURNED.saturating_sub(self.again.len());
        let unturned: Vec<u32> = self.unturned(trials, usable).collect();
        if room == 0 || unturned.is_empty() {
            return Vec::new();
        }
        let mut gains = Vec::new();
        for (line, candidates) in &self.by_line {
            let probability = probabilities.get(*line as usize).copied().unwrap_or(0.0) + f64::EPSILON;
            let of_line = candidates.iter().filter(|candidate| {
                let found = &trials.candidates()[**candidate as usize];
                is_everywhere(found) && !turns(trials, **candidate)
            });
            let mut cut: Vec<(f64, Pair)> = Vec::new();
            for &candidate in of_line {
                let promise = promise(trials.candidates()[candidate as usize].kind);
                let tests = self.cut(trials, candidate, usable).filter(|test| unturned.contains(test));
                cut.extend(tests.map(|test| (promise, (candidate, test))));
            }
            let ranked = by_gain(cut).into_iter().enumerate();
            gains.extend(ranked.map(|(rank, pair)| (probability / (1 + rank) as f64, pair)));
        }
        let mut pairs = by_gain(gains);
        pairs.truncate(room);
        pairs
    }

    /// The failing tests on which a candidate was cut, and not tried again.
    fn cut(&self, trials: &Trials, candidate: u32, usable: &[bool]) -> impl Iterator<Item = u32> {
        self.covering(candidate, true, usable).filter(move |test| {
            trials.outcome(candidate, *test).is_some_and(|outcome| outcome.end == End::Cut)
                && !self.again.contains(&(candidate, *test))
        })
    }

    /// The failing tests, by position, that nothing has turned.
    pub(super) fn unturned(&self, trials: &Trials, usable: &[bool]) -> impl Iterator<Item = u32> {
        let failing = (0..).zip(self.tests.0).zip(usable).filter(|((_, test), usable)| **usable && test.failed);
        let is_turned = |test: u32| {
            (0..trials.candidates().len() as u32).any(|candidate| {
                trials.outcome(candidate, test).is_some_and(|outcome| outcome.effect == Effect::Turned)
            })
        };
        failing.map(|((position, _), _)| position).filter(move |test| !is_turned(*test))
    }

    /// The first failing tests that nothing makes pass without breaking a passing test.
    pub(super) fn unmended(&self, trials: &Trials, usable: &[bool]) -> impl Iterator<Item = u32> {
        let turned = |outcome: &Outcome| outcome.effect == Effect::Turned;
        let keeps = |candidate: &u32| !trials.passing(*candidate).any(|(_, outcome)| turned(&outcome));
        let candidates = (0..trials.candidates().len() as u32).filter(keeps);
        let mended: HashSet<u32> = candidates
            .flat_map(|candidate| trials.failing(candidate))
            .filter(|(_, outcome)| turned(outcome))
            .map(|(test, _)| test)
            .collect();
        let failing = (0..).zip(self.tests.0).zip(usable).filter(|((_, test), usable)| **usable && test.failed);
        failing.map(|((position, _), _)| position).filter(move |test| !mended.contains(test))
    }
}
