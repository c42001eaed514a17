//! Sets of nodes whose mutants are combined.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rand_chacha::ChaCha12Rng;
use serde::Serialize;

use super::effect::EffectMatrix;
use super::matching::maximum_weight_matching;
use super::random::shuffle;

/// Distinct nodes, one mutant of each of which makes a higher-order mutant.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct NodeSet {
    /// The nodes, ascending.
    pub nodes: Vec<u32>,
    /// The sum of the causal effects between any two of them (of both directions the greater).
    pub effect: f64,
}

/// Steps in which effects are told apart: they are shares of 20 sampled values or fewer, so a smaller difference says nothing.
const STEPS: f64 = 20.0;

/// Nodes that have mutants, and the causal effects between them.
#[derive(Debug)]
pub(super) struct Web {
    pub(super) nodes: Vec<u32>,
    /// Pairs of an effect above 0 in random order, the smaller node first.
    pub(super) pairs: Vec<((u32, u32), f64)>,
    effects: HashMap<(u32, u32), f64>,
    weights: HashMap<(u32, u32), f64>,
}

impl Web {
    /// The effects between `nodes`. Pairs come in random order, so that ties fall by chance, not by position in the code.
    ///
    /// A pair's weight is its effect in steps of a twentieth, rounded up; of as many steps, those weigh more that are nearer, and of those as
    /// near, those of the greater effect. No sum of what `nearness` (in [0, 1]) adds in a matching makes a step.
    pub(super) fn new(
        mut nodes: Vec<u32>,
        matrix: &EffectMatrix,
        nearness: impl Fn(u32, u32) -> f64,
        generator: &mut ChaCha12Rng,
    ) -> Self {
        let known: BTreeSet<u32> = nodes.iter().copied().collect();
        let mut effects = BTreeMap::new();
        for ((a, b), effect) in matrix.iter().filter(|((a, b), _)| known.contains(a) && known.contains(b)) {
            let greatest: &mut f64 = effects.entry((a.min(b), a.max(b))).or_default();
            *greatest = greatest.max(effect);
        }
        let mut pairs: Vec<_> = effects.into_iter().collect();
        shuffle(&mut pairs, generator);
        shuffle(&mut nodes, generator);
        let n = nodes.len() as f64;
        let weight = |((a, b), effect): &((u32, u32), f64)| {
            // What is a whole number of steps but for rounding is not rounded up.
            let steps = (effect * STEPS - 1e-9).ceil().max(1.0);
            ((*a, *b), steps + nearness(*a, *b) / n + effect / n.powi(3))
        };
        let weights = pairs.iter().map(weight).collect();
        Web { nodes, effects: pairs.iter().copied().collect(), weights, pairs }
    }

    pub(super) fn between(&self, a: u32, b: u32) -> f64 {
        self.effects.get(&(a.min(b), a.max(b))).copied().unwrap_or(0.0)
    }

    /// The pairs with their weights.
    pub(super) fn weighted(&self) -> Vec<((u32, u32), f64)> {
        self.pairs.iter().map(|((a, b), _)| ((*a, *b), self.weight(*a, *b))).collect()
    }

    pub(super) fn weight(&self, a: u32, b: u32) -> f64 {
        self.weights.get(&(a.min(b), a.max(b))).copied().unwrap_or(0.0)
    }

    /// The set of these nodes.
    pub(super) fn set(&self, mut nodes: Vec<u32>) -> NodeSet {
        nodes.sort_unstable();
        let with_later = |at: usize| nodes[at + 1..].iter().map(|other| self.between(nodes[at], *other)).sum::<f64>();
        let effect = (0..nodes.len()).map(with_later).sum();
        NodeSet { nodes, effect }
    }

    /// Disjoint sets of this order. Of order 2: a matching of maximum weight. Of higher orders, where the like is NP-hard: the matched
    /// pairs, the strongest first, each extended one node at a time by the node that adds most among those that no set has. A pair that
    /// loses a node to a stronger one makes no set; its other node is free for weaker ones.
    pub(super) fn matched(&self, order: usize) -> Vec<NodeSet> {
        let weighted = self.weighted();
        let mut pairs: Vec<_> = maximum_weight_matching(&weighted).into_iter().map(|at| weighted[at]).collect();
        pairs.sort_by(|a, b| b.1.total_cmp(&a.1));
        let mut free: Vec<u32> = self.nodes.clone();
        let mut sets = Vec::new();
        for ((a, b), _) in pairs {
            if !free.contains(&a) || !free.contains(&b) || free.len() < order {
                continue;
            }
            let mut set = vec![a, b];
            free.retain(|node| !set.contains(node));
            while set.len() < order {
                let added = |node: u32| set.iter().map(|other| self.weight(node, *other)).sum::<f64>();
                let best = (0..free.len()).rev().max_by(|a, b| added(free[*a]).total_cmp(&added(free[*b])));
                let Some(best) = best else { break };
                set.push(free.remove(best));
            }
            sets.push(self.set(set));
        }
        sets
    }

    /// The `n` sets of this order that weigh most in sum, the strongest first; none without any effect. Exact, by branch and bound.
    pub(super) fn strongest(&self, order: usize, n: usize) -> Vec<NodeSet> {
        if order == 2 {
            let mut pairs = self.weighted();
            pairs.sort_by(|a, b| b.1.total_cmp(&a.1));
            return pairs.into_iter().take(n).map(|((a, b), _)| self.set(vec![a, b])).collect();
        }
        let mut search = Search { web: self, halves: self.halves(order), best: Vec::new(), n };
        let candidates = self.nodes.iter().map(|node| (*node, 0.0)).collect();
        search.extend(&mut Vec::new(), 0.0, order, candidates);
        search.best.into_iter().map(|(_, set)| self.set(set)).collect()
    }

    /// For each node, and each number of others below `order`: half of the most that so many others can weigh with it.
    fn halves(&self, order: usize) -> HashMap<u32, Vec<f64>> {
        let mut around: HashMap<u32, Vec<f64>> = self.nodes.iter().map(|node| (*node, Vec::new())).collect();
        for ((a, b), weight) in self.weighted() {
            for node in [a, b] {
                around.entry(node).or_default().push(weight);
            }
        }
        let sums = |mut weights: Vec<f64>| -> Vec<f64> {
            weights.sort_by(|a, b| b.total_cmp(a));
            (0..order).map(|n| weights.iter().take(n).sum::<f64>() / 2.0).collect()
        };
        around.into_iter().map(|(node, weights)| (node, sums(weights))).collect()
    }
}

/// Search for the strongest sets of a web.
struct Search<'a> {
    web: &'a Web,
    halves: HashMap<u32, Vec<f64>>,
    /// The strongest sets so far, the strongest first; of equals the one found first.
    best: Vec<(f64, Vec<u32>)>,
    n: usize,
}

impl Search<'_> {
    /// Tries all sets of `chosen`, whose weight is given, and `left` of the candidates, each with what it weighs with those chosen.
    fn extend(&mut self, chosen: &mut Vec<u32>, weight: f64, left: usize, candidates: Vec<(u32, f64)>) {
        if left == 0 {
            return self.found(weight, chosen);
        }
        // What a candidate can add at most: its weight with those chosen, and half of that with the others to come.
        let most = |(node, gain): (u32, f64)| (gain + self.halves[&node][left - 1], node, gain);
        let mut ordered: Vec<(f64, u32, f64)> = candidates.into_iter().map(most).collect();
        ordered.sort_by(|a, b| b.0.total_cmp(&a.0));
        for at in 0..ordered.len().saturating_sub(left - 1) {
            let bound = weight + ordered[at..at + left].iter().map(|(most, ..)| most).sum::<f64>();
            if bound <= 0.0 || bound * (1.0 + 1e-9) <= self.least() {
                return;
            }
            let (_, node, gain) = ordered[at];
            let with = |(_, other, gain): &(f64, u32, f64)| (*other, gain + self.web.weight(node, *other));
            let rest = ordered[at + 1..].iter().map(with).collect();
            chosen.push(node);
            self.extend(chosen, weight + gain, left - 1, rest);
            chosen.pop();
        }
    }

    /// What a set has to exceed.
    fn least(&self) -> f64 {
        if self.best.len() < self.n { 0.0 } else { self.best.last().map_or(f64::INFINITY, |(weight, _)| *weight) }
    }

    fn found(&mut self, weight: f64, chosen: &[u32]) {
        if weight > self.least() {
            let at = self.best.partition_point(|(other, _)| *other >= weight);
            self.best.insert(at, (weight, chosen.to_vec()));
            self.best.truncate(self.n);
        }
    }
}
