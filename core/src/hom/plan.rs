//! Which higher-order mutants to make.

use std::collections::HashMap;

use rand_chacha::ChaCha12Rng;

use super::effect::EffectMatrix;
use super::pool::{Hom, Pool};
use super::random::{Draw, choose, fraction, generator, pick};
use super::sets::{NodeSet, Web};

/// After so many sets of nodes in a row that bring nothing new there is taken to be nothing new.
const PATIENCE: usize = 10_000;

/// How the nodes are chosen whose mutants are combined (Oh, Lee & Yoo).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Heuristic {
    /// Uniformly, with replacement: the only one that may make the same mutant twice.
    Random,
    /// In proportion to the causal effect between them.
    Prop,
    /// The sets of nodes with the strongest causal effect, as many as matching picks, the same number of mutants from each.
    Dsort,
    /// Disjoint sets of nodes that are strongest in sum, by maximum weight matching; the same number of mutants from each.
    Mwm,
}

impl Heuristic {
    /// All of them, in the paper's order.
    pub const ALL: [Heuristic; 4] = [Heuristic::Random, Heuristic::Prop, Heuristic::Dsort, Heuristic::Mwm];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Heuristic::Random => "random",
            Heuristic::Prop => "prop",
            Heuristic::Dsort => "dsort",
            Heuristic::Mwm => "mwm",
        }
    }

    /// The heuristic of a name.
    pub fn from_name(name: &str) -> Option<Heuristic> {
        Heuristic::ALL.into_iter().find(|heuristic| heuristic.name() == name)
    }
}

/// What to plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanOptions {
    /// How nodes are chosen.
    pub heuristic: Heuristic,
    /// How many first-order mutants are active together: 2 or more.
    pub order: usize,
    /// How many higher-order mutants to make.
    pub n: usize,
    /// Seed of all choices.
    pub seed: u64,
}

/// Higher-order mutants to make.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// The sets of nodes that mutants are of. For [`Heuristic::Dsort`] and [`Heuristic::Mwm`] all sets chosen, the strongest first; otherwise
    /// in the order in which they were drawn, each once.
    pub sets: Vec<NodeSet>,
    /// The mutants. Fewer than asked for where the sets have no more combinations.
    pub homs: Vec<Hom>,
    /// For each mutant the position of its set in `sets`.
    pub set_of: Vec<u32>,
}

/// Why there is nothing to plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// One mutant alone is of first order.
    #[error("a higher-order mutant is made of 2 mutants or more, not of {0}")]
    Order(usize),
    /// Too few places.
    #[error("mutants of order {order} need as many nodes with first-order mutants, but there are {nodes}")]
    Nodes {
        /// The order asked for.
        order: usize,
        /// Number of nodes that have mutants.
        nodes: usize,
    },
    /// Nothing to choose by.
    #[error("no two nodes with first-order mutants have a causal effect on each other, which `{0}` chooses by")]
    NoEffect(&'static str),
}

/// Plans higher-order mutants of `pool`: one mutant of each node of a set of `order` nodes, no two of the same operation or in conflict.
/// The same arguments give the same mutants.
///
/// The strength of a set is the sum of the causal effects between any two of its nodes, of both directions the greater one. Heuristics:
///
/// - [`Heuristic::Random`]: each set of nodes is as likely as any other, then each mutant of a node as any other of it; with replacement.
/// - [`Heuristic::Prop`]: a set is drawn with a probability in proportion to its strength, then one of its combinations that was not
///   drawn before. Once a set has none left, probability is in proportion among the others.
/// - [`Heuristic::Dsort`], [`Heuristic::Mwm`]: effects count in steps of a twentieth, which is what 20 sampled values tell apart. Of pairs
///   that tie, those are preferred that are nearer in the code ([`Pool::nearness`]), then those of the greater effect. Mutants are taken from the sets in turn, so with k sets each gives n/k, and the strongest one
///   more where that does not come out even. A set that has fewer combinations gives all it has, and the others share what is missing;
///   fewer than n are made only when all sets are exhausted. What ties still falls by the seed.
///
/// # Errors
/// When there are no such mutants.
pub fn plan(pool: &Pool, effects: &EffectMatrix, options: PlanOptions) -> Result<Plan, PlanError> {
    let PlanOptions { heuristic, order, n, seed } = options;
    let nodes = pool.nodes();
    if order < 2 {
        return Err(PlanError::Order(order));
    }
    if nodes.len() < order {
        return Err(PlanError::Nodes { order, nodes: nodes.len() });
    }
    let mut generator = generator(seed, &[heuristic as u64, order as u64]);
    let web = Web::new(nodes, effects, |a, b| pool.nearness(a, b), &mut generator);
    if heuristic != Heuristic::Random && web.pairs.is_empty() {
        return Err(PlanError::NoEffect(heuristic.name()));
    }
    let mut planner = Planner { pool, web, order, generator, plan: Plan::default(), known: HashMap::new() };
    match heuristic {
        Heuristic::Random => planner.random(n),
        Heuristic::Prop => planner.proportional(n),
        Heuristic::Mwm => planner.in_turn(planner.web.matched(order), n),
        Heuristic::Dsort => {
            let n_sets = planner.web.matched(order).len();
            planner.in_turn(planner.web.strongest(order, n_sets), n);
        }
    }
    Ok(planner.plan)
}

struct Planner<'a> {
    pool: &'a Pool,
    web: Web,
    order: usize,
    generator: ChaCha12Rng,
    plan: Plan,
    /// Positions of the plan's sets.
    known: HashMap<Vec<u32>, u32>,
}

impl Planner<'_> {
    fn random(&mut self, n: usize) {
        let mut in_vain = 0;
        while self.plan.homs.len() < n && in_vain < PATIENCE {
            let set = choose(&self.web.nodes, self.order, &mut self.generator);
            let members = set.iter().map(|node| *pick(self.pool.mutants(*node), &mut self.generator)).collect();
            in_vain += 1;
            if let Some(hom) = self.pool.combine(members) {
                let at = self.position(set);
                self.add(at, hom);
                in_vain = 0;
            }
        }
    }

    /// A pair drawn by its effect, with others drawn uniformly, is a set drawn by the sum of the effects of its pairs: each set
    /// that has the pair is drawn with it equally often.
    fn proportional(&mut self, n: usize) {
        let mut pairs = self.web.pairs.clone();
        let mut sums = running_sums(&pairs);
        let mut combinations: Vec<Combinations> = Vec::new();
        let mut in_vain = 0;
        while self.plan.homs.len() < n && in_vain < PATIENCE && !pairs.is_empty() {
            let drawn = fraction(&mut self.generator) * sums[sums.len() - 1];
            let at = sums.partition_point(|sum| *sum <= drawn).min(pairs.len() - 1);
            let set = self.with_others(pairs[at].0);
            let position = self.position(set) as usize;
            if position == combinations.len() {
                combinations.push(Combinations::new(self.pool, &self.plan.sets[position].nodes));
            }
            if let Some(hom) = combinations[position].next(self.pool, &mut self.generator) {
                self.add(position as u32, hom);
                in_vain = 0;
            } else if self.order == 2 {
                pairs.swap_remove(at);
                sums = running_sums(&pairs);
            } else {
                in_vain += 1;
            }
        }
    }

    fn with_others(&mut self, (a, b): (u32, u32)) -> Vec<u32> {
        let mut set = vec![a, b];
        while set.len() < self.order {
            let node = *pick(&self.web.nodes, &mut self.generator);
            if !set.contains(&node) {
                set.push(node);
            }
        }
        set
    }

    fn in_turn(&mut self, sets: Vec<NodeSet>, n: usize) {
        let combinations = |set: &NodeSet| Combinations::new(self.pool, &set.nodes);
        let mut left: Vec<(u32, Combinations)> = (0..).zip(sets.iter().map(combinations)).collect();
        self.plan.sets = sets;
        while self.plan.homs.len() < n && !left.is_empty() {
            left.retain_mut(|(set, combinations)| {
                if self.plan.homs.len() == n {
                    return true;
                }
                let Some(hom) = combinations.next(self.pool, &mut self.generator) else { return false };
                self.plan.homs.push(hom);
                self.plan.set_of.push(*set);
                true
            });
        }
    }

    /// The position of a set in the plan.
    fn position(&mut self, nodes: Vec<u32>) -> u32 {
        let set = self.web.set(nodes);
        let next = self.plan.sets.len() as u32;
        let position = *self.known.entry(set.nodes.clone()).or_insert(next);
        if position == next {
            self.plan.sets.push(set);
        }
        position
    }

    fn add(&mut self, set: u32, hom: Hom) {
        self.plan.homs.push(hom);
        self.plan.set_of.push(set);
    }
}

fn running_sums(pairs: &[((u32, u32), f64)]) -> Vec<f64> {
    let add = |sum: &mut f64, (_, effect): &((u32, u32), f64)| {
        *sum += effect;
        Some(*sum)
    };
    pairs.iter().scan(0.0, add).collect()
}

/// The combinations of a set's mutants in random order, each once, found as they are asked for.
pub(super) struct Combinations {
    nodes: Vec<u32>,
    draw: Draw,
}

impl Combinations {
    pub(super) fn new(pool: &Pool, nodes: &[u32]) -> Self {
        let all = nodes.iter().fold(1u64, |product, node| product.saturating_mul(pool.mutants(*node).len() as u64));
        Combinations { nodes: nodes.to_vec(), draw: Draw::new(all) }
    }

    pub(super) fn next(&mut self, pool: &Pool, generator: &mut ChaCha12Rng) -> Option<Hom> {
        loop {
            let mut drawn = self.draw.next(generator)?;
            let digit = |node: &u32| {
                let mutants = pool.mutants(*node);
                let digit = drawn % mutants.len() as u64;
                drawn /= mutants.len() as u64;
                mutants[digit as usize]
            };
            let members = self.nodes.iter().map(digit).collect();
            if let Some(hom) = pool.combine(members) {
                return Some(hom);
            }
        }
    }
}
