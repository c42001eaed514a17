//! The definitions word by word, by enumeration of tables with exact fractions.

use std::collections::{BTreeMap, BTreeSet};

use num_rational::BigRational;
use num_traits::Zero;

use super::Campaign;

pub type Fraction = BigRational;

pub fn fraction(numerator: i64, denominator: i64) -> Fraction {
    Fraction::new(numerator.into(), denominator.into())
}

/// One observation: its test, what was mutated, a value for each node and for the output, and its weight.
#[derive(Clone, Debug)]
pub struct Line {
    pub test: usize,
    pub mutated: Option<u32>,
    pub values: Vec<bool>,
    pub weight: Fraction,
}

pub struct Joint {
    pub lines: Vec<Line>,
    pub covered: Vec<BTreeSet<u32>>,
    pub n_nodes: u32,
}

impl Joint {
    pub fn new(campaign: &Campaign) -> Joint {
        let n_nodes = campaign.samples.len() as u32;
        let mut lines = Vec::new();
        for (test, (_, _, rows)) in campaign.tests.iter().enumerate() {
            let values = vec![false; n_nodes as usize + 1];
            lines.push(Line { test, mutated: None, values: values.clone(), weight: fraction(1, 1) });
            for (mutated, changed, output) in rows {
                let mut values = values.clone();
                changed.iter().for_each(|node| values[*node as usize] = true);
                values[n_nodes as usize] = *output;
                let weight = fraction(1, campaign.samples[*mutated as usize].into());
                lines.push(Line { test, mutated: Some(*mutated), values, weight });
            }
        }
        let covered = campaign.tests.iter().map(|(_, covered, _)| covered.iter().copied().collect()).collect();
        Joint { lines, covered, n_nodes }
    }

    pub fn covers(&self, test: usize, node: u32) -> bool {
        node == self.n_nodes || self.covered[test].contains(&node)
    }

    pub fn intervention_parents(&self, effect: u32) -> BTreeSet<u32> {
        let changing = self.lines.iter().filter(|line| line.values[effect as usize]);
        changing.filter_map(|line| line.mutated).filter(|mutated| *mutated != effect).collect()
    }

    /// Observations for `effect`: of tests that cover it, mutated elsewhere.
    pub fn about(&self, effect: u32) -> Vec<&Line> {
        let counts = |line: &&Line| self.covers(line.test, effect) && line.mutated != Some(effect);
        self.lines.iter().filter(counts).collect()
    }
}

pub fn weight<'a>(lines: impl Iterator<Item = &'a Line>) -> Fraction {
    lines.fold(Fraction::zero(), |sum, line| sum + &line.weight)
}

pub fn values(line: &Line, nodes: &[u32]) -> Vec<bool> {
    nodes.iter().map(|node| line.values[*node as usize]).collect()
}

/// P(effect = 1) among these lines; `None` if there are none.
pub fn probability(lines: &[&Line], effect: u32) -> Option<Fraction> {
    let all = weight(lines.iter().copied());
    let changed = weight(lines.iter().copied().filter(|line| line.values[effect as usize]));
    (!all.is_zero()).then(|| changed / all)
}

/// Algorithm 1, with its restarts. `position` has the position of each node's first execution.
pub fn markovian_parents(joint: &Joint, effect: u32, candidates: &BTreeSet<u32>, position: &[u32]) -> BTreeSet<u32> {
    markovian_parents_among(&joint.about(effect), effect, &[], candidates, position)
}

pub fn markovian_parents_among(
    lines: &[&Line],
    effect: u32,
    known: &[u32],
    candidates: &BTreeSet<u32>,
    position: &[u32],
) -> BTreeSet<u32> {
    let mut left = candidates.clone();
    let mut parents = BTreeSet::new();
    while parents != left {
        let remaining = left.difference(&parents).copied();
        let farthest = remaining.min_by_key(|node| (position[*node as usize], *node)).unwrap();
        let others: Vec<u32> =
            left.iter().copied().filter(|node| *node != farthest).chain(known.iter().copied()).collect();
        let mut strata: BTreeMap<Vec<bool>, [Vec<&Line>; 2]> = BTreeMap::new();
        for line in lines {
            let stratum = strata.entry(values(line, &others)).or_default();
            stratum[usize::from(line.values[farthest as usize])].push(line);
        }
        let differs = strata.values().any(|[zero, one]| {
            matches!((probability(zero, effect), probability(one, effect)), (Some(zero), Some(one)) if zero != one)
        });
        if differs {
            parents.insert(farthest);
        } else {
            left.remove(&farthest);
            parents.clear();
        }
    }
    parents
}
