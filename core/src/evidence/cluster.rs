//! Failing tests that fail for one reason each: which of them belong together.

use super::{Candidate, Effect, LineFacts, Trials, TriedTest};

/// Failing tests, by position in the trials, in groups; both ascending.
///
/// Tests belong together if some line flips both, directly or by way of others: one fault is then enough to explain them. A test that
/// nothing flips goes where the tests are whose coverage is most like its own, among the lines that not all tests execute. As long as
/// nothing flips, or one line flips all, there is one group.
pub fn clusters(facts: &LineFacts, trials: &Trials) -> Vec<Vec<u32>> {
    let failing: Vec<u32> =
        (0..).zip(trials.tests()).filter(|(_, test)| test.failed && !test.further).map(|(at, _)| at).collect();
    let mut group = Groups((0..trials.tests().len()).collect());
    let mut first_of_line: Vec<Option<u32>> = vec![None; facts.n_lines()];
    let mut is_flipped = vec![false; trials.tests().len()];
    let in_question = |(_, candidate): &(u32, &Candidate)| !facts.is_left_out(candidate.line);
    for (at, candidate) in (0..).zip(trials.candidates()).filter(in_question) {
        for (test, _) in
            trials.failing(at).filter(|(test, outcome)| outcome.effect == Effect::Turned && trials.is_first(*test))
        {
            is_flipped[test as usize] = true;
            let first = *first_of_line[candidate.line as usize].get_or_insert(test);
            group.join(first, test);
        }
    }
    let (flipped, rest): (Vec<u32>, Vec<u32>) = failing.iter().partition(|test| is_flipped[**test as usize]);
    for &test in &rest {
        let of = |test: u32| &trials.tests()[test as usize];
        let like = |other: &&u32| similarity(facts, of(test), of(**other));
        let nearest = flipped.iter().rev().max_by(|a, b| like(a).total_cmp(&like(b)));
        group.join(test, *nearest.unwrap_or(&failing[0]));
    }
    let mut found: Vec<(u32, Vec<u32>)> = Vec::new();
    for &test in &failing {
        let root = group.root(test);
        match found.iter_mut().find(|(known, _)| *known == root) {
            Some((_, tests)) => tests.push(test),
            None => found.push((root, vec![test])),
        }
    }
    found.into_iter().map(|(_, tests)| tests).collect()
}

/// All failing tests of a run, by their indices there, in the groups of [`super::Posterior::clusters`]: those that nothing was tried on go
/// where the test is whose coverage is most like their own. Nothing as long as no change made any of them pass: then nothing tells them apart.
pub fn failing_groups(facts: &LineFacts, trials: &Trials, clusters: &[Vec<u32>], failing: &[u32]) -> Vec<Vec<u32>> {
    if !trials.turns_any(facts) {
        return Vec::new();
    }
    let tried: Vec<(usize, &TriedTest)> = (0..)
        .zip(clusters)
        .flat_map(|(group, tests)| tests.iter().map(move |test| (group, *test)))
        .map(|(group, test)| (group, &trials.tests()[test as usize]))
        .collect();
    let mut groups: Vec<Vec<u32>> = vec![Vec::new(); clusters.len()];
    tried.iter().for_each(|(group, test)| groups[*group].push(test.test));
    for &test in failing {
        if tried.iter().any(|(_, known)| known.test == test) {
            continue;
        }
        let own = TriedTest { test, failed: true, matched: None, further: false };
        let like = |(_, other): &&(usize, &TriedTest)| similarity(facts, &own, other);
        let nearest = tried.iter().rev().max_by(|a, b| like(a).total_cmp(&like(b)));
        groups[nearest.map_or(0, |(group, _)| *group)].push(test);
    }
    groups
}

/// Shared lines of two tests over the lines of either, lines that all tests execute left out; 0 without any.
fn similarity(facts: &LineFacts, a: &TriedTest, b: &TriedTest) -> f64 {
    let (Some(a), Some(b)) = (facts.row(a), facts.row(b)) else { return 0.0 };
    let (mut both, mut either) = (0u32, 0u32);
    let rows = facts.coverage().row_of(a).zip(facts.coverage().row_of(b));
    for ((a, b), spectrum) in rows.zip(facts.spectra()) {
        if spectrum.nf + spectrum.np > 0 {
            both += u32::from(a && b);
            either += u32::from(a || b);
        }
    }
    if either == 0 { 0.0 } else { f64::from(both) / f64::from(either) }
}

/// Disjoint sets of tests.
struct Groups(Vec<usize>);

impl Groups {
    fn root(&self, test: u32) -> u32 {
        let mut at = test as usize;
        while self.0[at] != at {
            at = self.0[at];
        }
        at as u32
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b) as usize] = a.min(b) as usize;
    }
}
