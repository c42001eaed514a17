//! Predicate switching: candidates that switch conditions of probable lines at single executions (Zhang, Gupta and Gupta).

use super::{Policy, SearchTest, turns};
use crate::evidence::{Candidate, Effect, Kind, Trials, switch_candidate};
use crate::trial::Override;

/// Executions of one condition that are switched one by one, at most, and rounds in which switches are added to what got further.
const SWITCHED: usize = 48;
const DEEPEST: usize = 6;
/// Executions from which on a condition is switched, at most, and how far beyond those of the failing run.
const RANGES: u64 = 12;
const BEYOND: u64 = 8;

impl Policy<'_> {
    /// Makes candidates that switch conditions of the first lines at single executions, once switching them throughout was tried; where one
    /// got the output further, at a further execution as well (Zhang, Gupta and Gupta's predicate switching, greedily extended).
    pub(super) fn switch(&mut self, trials: &mut Trials, order: &[u32], usable: &[bool], most: usize) {
        let mut made = 0;
        for line in order {
            if made >= most {
                break;
            }
            let mut conditions: Vec<Vec<u32>> = self.by_line[line]
                .iter()
                .filter(|candidate| trials.candidates()[**candidate as usize].kind == Kind::Predicate)
                .filter(|candidate| trials.failing(**candidate).next().is_some())
                .map(|candidate| nodes_of(&trials.candidates()[*candidate as usize]))
                .collect();
            conditions.dedup();
            for nodes in conditions {
                made += self.switch_nodes(trials, &nodes, usable);
            }
        }
        self.index(trials);
    }

    fn switch_nodes(&mut self, trials: &mut Trials, nodes: &[u32], usable: &[bool]) -> usize {
        let Some(&node) = nodes.first() else { return 0 };
        let counts = |test: &SearchTest| {
            let executions = self.facts.executions.get(&test.test)?;
            nodes.iter().filter_map(|node| executions.get(node).copied()).max()
        };
        let mut failing = (0..).zip(self.tests.0).zip(usable).filter(|((_, test), usable)| **usable && test.failed);
        let found = failing.find_map(|((position, test), _)| Some((position, counts(test)?)));
        let Some((test, count)) = found.filter(|(_, count)| *count > 1) else { return 0 };
        let sets = match self.switches.get(&(node, test)) {
            None => {
                let single = from_both_ends(chosen_executions(count)).into_iter().map(|one| vec![one]);
                in_turn(single, ranges(count))
            }
            Some(known) => deeper(trials, known, test, count),
        };
        let mut made = 0;
        for set in sets {
            if let Some(candidate) = switch_candidate(self.program, nodes, &set) {
                let position = trials.add(candidate);
                self.switches.entry((node, test)).or_default().push(position);
                made += 1;
            }
        }
        self.switches.entry((node, test)).or_default();
        made
    }
}

/// The nodes whose values a candidate changes.
fn nodes_of(candidate: &Candidate) -> Vec<u32> {
    candidate.mutant.overrides.iter().filter_map(Override::node).collect()
}

/// Executions that are switched one by one: all, or the first ones, the last ones and some between.
fn chosen_executions(count: u64) -> Vec<u64> {
    if count <= SWITCHED as u64 {
        return (1..=count).collect();
    }
    let third = SWITCHED as u64 / 3;
    let between = |at: u64| third + 1 + at * (count - 2 * third - 1) / third;
    let mut chosen: Vec<u64> = (1..=third).chain((0..third).map(between)).chain(count - third + 1..=count).collect();
    chosen.dedup();
    chosen
}

/// The first, the last, the second, the last but one, and so on.
fn from_both_ends(executions: Vec<u64>) -> Vec<u64> {
    let n = executions.len();
    (0..n).map(|at| executions[if at % 2 == 0 { at / 2 } else { n - 1 - at / 2 }]).collect()
}

/// One of each, as long as both have some.
fn in_turn<T>(mut one: impl Iterator<Item = T>, mut other: impl Iterator<Item = T>) -> Vec<T> {
    let mut all = Vec::new();
    loop {
        let pair = [one.next(), other.next()];
        if pair.iter().all(Option::is_none) {
            return all;
        }
        all.extend(pair.into_iter().flatten());
    }
}

/// Executions from one of the first on: a loop that ends too late or too early, a guard that should fail from some time on. They go beyond what
/// the failing run executes, since the switched run may execute more.
fn ranges(count: u64) -> impl Iterator<Item = Vec<u64>> {
    let last = count.saturating_add(BEYOND);
    let from = 2..=if count <= SWITCHED as u64 { count.min(RANGES) } else { 1 };
    from.map(move |first| (first..=last).collect())
}

/// Whether a candidate switches from some execution on.
pub(super) fn is_range(instances: &[u64]) -> bool {
    instances.len() as u64 > BEYOND && instances.windows(2).all(|pair| pair[1] == pair[0] + 1)
}

/// Sets of executions that extend the one that got furthest, if it got further than the failing run itself and was not extended before.
fn deeper(trials: &Trials, known: &[u32], test: u32, count: u64) -> Vec<Vec<u64>> {
    let before = trials.tests()[test as usize].matched.unwrap_or(0);
    let reached = |candidate: &u32| {
        let outcome = trials.outcome(*candidate, test)?;
        (outcome.effect == Effect::Changed).then_some((outcome.matched?, *candidate))
    };
    let single = |candidate: &&u32| !is_range(&trials.candidates()[**candidate as usize].instances);
    let known: Vec<u32> = known.iter().filter(single).copied().collect();
    let best =
        known.iter().filter_map(reached).max_by_key(|(matched, candidate)| (*matched, std::cmp::Reverse(*candidate)));
    if known.iter().any(|candidate| trials.outcome(*candidate, test).is_none()) {
        return Vec::new();
    }
    let Some((_, best)) = best.filter(|(matched, _)| *matched > before) else { return Vec::new() };
    let instances = &trials.candidates()[best as usize].instances;
    let longest = known.iter().map(|one| trials.candidates()[*one as usize].instances.len()).max().unwrap_or(0);
    if instances.len() < longest || instances.len() >= DEEPEST || turns_any(trials, &known) {
        return Vec::new();
    }
    let last = instances.last().copied().unwrap_or(0);
    let extended = |next: u64| instances.iter().copied().chain([next]).collect();
    // The switched run may execute the condition more often than the failing one did.
    (last + 1..=count.max(last) + 2).take(SWITCHED).map(extended).collect()
}

fn turns_any(trials: &Trials, candidates: &[u32]) -> bool {
    candidates.iter().any(|candidate| turns(trials, *candidate))
}
