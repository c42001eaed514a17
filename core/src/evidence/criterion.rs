//! Published and simple ways to score lines by trials alone.

use super::tally::{Tallies, Tally};
use super::{Candidate, Effect, Kind, LineFacts, Trials};

/// What lines are scored by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Criterion {
    /// The best of a line's mutants by Ochiai's formula over the tests that notice them (Papadakis and Le Traon 2012, 2015).
    Metallaxis,
    /// The same over mutants of values alone.
    MetallaxisValues,
    /// Mean over a line's mutants of failing tests that pass less passing tests that fail, weighted by what is usual (Moon, Kim, Kim and
    /// Yoo 2014).
    Muse,
    /// The same over mutants of values alone.
    MuseValues,
    /// Failing tests that some other value makes pass (Jeffrey, Gupta and Gupta 2008).
    ValueReplacement,
    /// Whether some condition, going the other way at one execution, makes a failing test pass (Zhang, Gupta and Gupta 2006).
    PredicateSwitching,
    /// Share of failing tests that some change makes pass.
    Flip,
    /// Share of the changes that make a failing test pass.
    FlipShare,
    /// Share of passing tests left passing by the best change that makes all failing tests pass.
    Repair,
}

/// Scores of lines by a criterion, and whether all that went into them was tried.
#[derive(Clone, Debug, PartialEq)]
pub struct Scores {
    /// For each line its score; `None` where no change that the criterion looks at was tried on a failing test.
    pub lines: Vec<Option<f64>>,
    /// Candidates that went into them.
    pub candidates: usize,
    /// Of these, those not tried on all the tests that execute them.
    pub partial: usize,
}

impl Criterion {
    /// All of them.
    pub const ALL: [Criterion; 9] = [
        Criterion::Metallaxis,
        Criterion::MetallaxisValues,
        Criterion::Muse,
        Criterion::MuseValues,
        Criterion::ValueReplacement,
        Criterion::PredicateSwitching,
        Criterion::Flip,
        Criterion::FlipShare,
        Criterion::Repair,
    ];

    /// Whether a candidate goes into it.
    pub fn takes(self, candidate: &Candidate) -> bool {
        match self {
            Criterion::MetallaxisValues | Criterion::MuseValues | Criterion::ValueReplacement => {
                matches!(candidate.kind, Kind::Value | Kind::Pointer)
            }
            // Negated at all its executions a condition that is evaluated once is switched at it.
            Criterion::PredicateSwitching => match candidate.kind {
                Kind::Switch => candidate.instances.len() == 1,
                kind => kind == Kind::Predicate,
            },
            _ => true,
        }
    }

    /// Scores of all lines. Trials that have not been run count as [`Tallies`] says.
    pub fn scores(self, facts: &LineFacts, trials: &Trials) -> Scores {
        let tallies = Tallies::new(facts, trials, |test| trials.is_first(test));
        let taken: Vec<u32> = (0..trials.candidates().len() as u32)
            .filter(|&at| self.takes(&trials.candidates()[at as usize]) && tallies.of(at).failing.tried > 0)
            .collect();
        let is_partial = |at: &&u32| tallies.of(**at).failing.missing + tallies.of(**at).passing.missing > 0;
        let partial = taken.iter().filter(is_partial).count();
        let mut of_line: Vec<Vec<u32>> = vec![Vec::new(); facts.n_lines()];
        for &at in &taken {
            of_line[trials.candidates()[at as usize].line as usize].push(at);
        }
        let muse = Muse::new(&tallies, &taken);
        let score =
            |candidates: &Vec<u32>| (!candidates.is_empty()).then(|| self.score(trials, &tallies, candidates, &muse));
        Scores { lines: of_line.iter().map(score).collect(), candidates: taken.len(), partial }
    }

    /// The score of a line with these candidates, at least one.
    fn score(self, trials: &Trials, tallies: &Tallies, candidates: &[u32], muse: &Muse) -> f64 {
        let each = || candidates.iter().map(|at| tallies.of(*at));
        let most = |of: &dyn Fn(&Tally) -> f64| each().map(of).fold(0.0, f64::max);
        let n_failing = f64::from(tallies.n_failing().max(1));
        match self {
            Criterion::Metallaxis | Criterion::MetallaxisValues => most(&|tally| tallies.metallaxis(tally)),
            Criterion::Muse | Criterion::MuseValues => mean(each().map(|tally| muse.of(tallies, tally))),
            Criterion::ValueReplacement => flipped(trials, candidates, |test| trials.is_first(test)).len() as f64,
            Criterion::Flip => flipped(trials, candidates, |test| trials.is_first(test)).len() as f64 / n_failing,
            Criterion::PredicateSwitching => most(&|tally| f64::from(u32::from(tally.failing.turned > 0))),
            Criterion::FlipShare => mean(each().map(|tally| f64::from(u32::from(tally.failing.turned > 0)))),
            Criterion::Repair => most(&|tally| kept(tallies, tally)),
        }
    }
}

/// The share of passing tests that pass with a candidate that makes all failing tests pass; 0 for any other.
pub(super) fn kept(tallies: &Tallies, tally: &Tally) -> f64 {
    let flips_all = tally.failing.turned > 0 && tally.failing.turned == tallies.n_failing();
    let n_passing = f64::from(tallies.n_passing().max(1));
    if flips_all { (1.0 - tallies.broken(tally) / n_passing).max(0.0) } else { 0.0 }
}

/// Failing tests that one of the candidates makes pass, of those that `counts` holds for; ascending.
pub(super) fn flipped(trials: &Trials, candidates: &[u32], counts: impl Fn(u32) -> bool) -> Vec<u32> {
    let turned = |at: &u32| trials.failing(*at).filter(|(_, outcome)| outcome.effect == Effect::Turned);
    let mut tests: Vec<u32> =
        candidates.iter().flat_map(turned).map(|(test, _)| test).filter(|test| counts(*test)).collect();
    tests.sort_unstable();
    tests.dedup();
    tests
}

/// MUSE's suspiciousness of a mutant: the share of failing tests that it makes pass less alpha times the share of passing tests that it
/// breaks, where `alpha = f2p / |f_P| * |p_P| / p2f` over all mutants; 0 if none breaks a test.
pub(super) struct Muse {
    alpha: f64,
    n_failing: f64,
    n_passing: f64,
}

impl Muse {
    /// For a program with these mutants.
    pub(super) fn new(tallies: &Tallies, taken: &[u32]) -> Muse {
        let n_failing = f64::from(tallies.n_failing().max(1));
        let n_passing = f64::from(tallies.n_passing().max(1));
        let each = || taken.iter().map(|at| tallies.of(*at));
        let f2p = mean(each().map(|tally| f64::from(tally.failing.turned))) / n_failing;
        let p2f = mean(each().map(|tally| tallies.broken(tally))) / n_passing;
        Muse { alpha: if p2f == 0.0 { 0.0 } else { f2p / p2f }, n_failing, n_passing }
    }

    /// One mutant's.
    pub(super) fn of(&self, tallies: &Tallies, tally: &Tally) -> f64 {
        f64::from(tally.failing.turned) / self.n_failing - self.alpha * tallies.broken(tally) / self.n_passing
    }
}

/// The mean, 0 of nothing. The order does not matter to the last bit: the sum is taken over sorted numbers.
pub(super) fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
