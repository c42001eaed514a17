//! How strongly changing one node changes another: what pairs of mutants are chosen by.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::causal::{Dependence, EffectOptions, Effects, Observations, Structure};

/// CE(i, j) = P(S_j=1 | do(S_i=1)) · P(S_j=0 | do(S_i=0)) of pairs of nodes, in [0, 1] (Oh, Lee & Yoo).
///
/// Probabilities are over the observations of all tests that cover both nodes, pooled, each of the weight that it has in the causal model:
/// the paper has one set of observations over all tests. CE is 0 where the causal structure has no path from i to j,
/// and where one of the two probabilities has no estimate. Pairs that are not 0 alone are kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EffectMatrix {
    effects: BTreeMap<(u32, u32), f64>,
    unmutated: BTreeSet<u32>,
}

impl EffectMatrix {
    /// The causal effects of `nodes` on each other. `structure` is that of the observations, or of a larger campaign of the same program.
    pub fn new(observations: &Observations, structure: &Structure, options: EffectOptions, nodes: &[u32]) -> Self {
        let effects = Effects::new(observations, structure, options);
        let paths = Paths::new(structure);
        let known: Vec<u32> = nodes.iter().copied().filter(|node| (*node as usize) < observations.n_nodes()).collect();
        let of_cause = |cause: &u32| {
            let reached = paths.from(*cause);
            let targets: Vec<u32> =
                known.iter().copied().filter(|node| node != cause && reached[*node as usize]).collect();
            let found = effects.dependences(*cause, &targets);
            let entry = |(effect, dependence): (u32, Dependence)| ((*cause, effect), dependence.product());
            targets.into_iter().zip(found).map(entry).collect::<Vec<_>>()
        };
        let entries: Vec<_> = known.par_iter().flat_map_iter(of_cause).collect();
        let is_mutated = |node: u32| observations.samples().get(node as usize).is_some_and(|samples| *samples > 0);
        let unmutated = nodes.iter().copied().filter(|node| !is_mutated(*node)).collect();
        EffectMatrix { unmutated, ..EffectMatrix::of(entries) }
    }

    /// A matrix of given effects; those that are not above 0 are left out.
    pub fn of(entries: impl IntoIterator<Item = ((u32, u32), f64)>) -> Self {
        let is_effect = |(pair, effect): &((u32, u32), f64)| pair.0 != pair.1 && *effect > 0.0;
        EffectMatrix { effects: entries.into_iter().filter(is_effect).collect(), ..EffectMatrix::default() }
    }

    /// CE(cause, effect).
    pub fn get(&self, cause: u32, effect: u32) -> f64 {
        self.effects.get(&(cause, effect)).copied().unwrap_or(0.0)
    }

    /// The greater of the causal effects between two nodes, in whichever direction.
    pub fn between(&self, a: u32, b: u32) -> f64 {
        self.get(a, b).max(self.get(b, a))
    }

    /// Whether that there is no effect between two nodes was seen: values of both were mutated. Those of addresses never are.
    pub fn is_unrelated(&self, a: u32, b: u32) -> bool {
        self.between(a, b) == 0.0 && !self.unmutated.contains(&a) && !self.unmutated.contains(&b)
    }

    /// All pairs (cause, effect) whose causal effect is not 0, ascending.
    pub fn iter(&self) -> impl Iterator<Item = ((u32, u32), f64)> + '_ {
        self.effects.iter().map(|(pair, effect)| (*pair, *effect))
    }
}

/// The ways along a structure, from causes to effects.
struct Paths {
    children: Vec<Vec<u32>>,
}

impl Paths {
    fn new(structure: &Structure) -> Self {
        let mut children = vec![Vec::new(); structure.len()];
        for effect in 0..structure.len() as u32 {
            structure.all_parents(effect).into_iter().for_each(|cause| children[cause as usize].push(effect));
        }
        Paths { children }
    }

    /// For each node whether a path leads there from this one.
    fn from(&self, node: u32) -> Vec<bool> {
        let mut reached = vec![false; self.children.len()];
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            for &child in &self.children[node as usize] {
                if !std::mem::replace(&mut reached[child as usize], true) {
                    open.push(child);
                }
            }
        }
        reached
    }
}
