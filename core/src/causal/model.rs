//! The causal program dependence model: a graph of nodes whose edges say how directly and how strongly one depends on another.

use std::collections::{HashMap, HashSet, VecDeque};

use petgraph::Direction;
use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;

use super::effects::{Dependence, EffectOptions, Effects, Estimate};
use super::observations::Observations;
use super::structure::Structure;

/// An edge from a cause to its effect.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Strength {
    /// Direct dependence DD.
    pub direct: Estimate,
    /// Causal dependence CD, and what it is the difference of.
    pub causal: Dependence,
    /// Share of the cause's own mutants that change the effect: needs no structure.
    pub interventional: Estimate,
    /// Whether a loop carries it from one iteration to the next.
    pub carried: bool,
}

impl Strength {
    /// How far what structure says about the whole effect is from what the interventions show by themselves.
    pub fn disagreement(&self) -> f64 {
        (self.causal.difference() - self.interventional.value).abs()
    }
}

/// Which way from a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Towards {
    /// To what it depends on.
    Causes,
    /// To what depends on it.
    Effects,
    /// Both.
    Both,
}

/// A causal program dependence model (Lee et al.): nodes of the program, the output among them with the number of nodes as its own.
#[derive(Clone, Debug, Default)]
pub struct Cpdm {
    graph: DiGraph<u32, Strength>,
    index: HashMap<u32, NodeIndex>,
}

/// How an edge differs between two models.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// The cause.
    pub cause: u32,
    /// The effect.
    pub effect: u32,
    /// The edge in the first model.
    pub before: Option<Strength>,
    /// The edge in the second model.
    pub after: Option<Strength>,
}

impl Change {
    /// By how much direct dependence rises; an edge that is not there counts 0.
    pub fn rise(&self) -> f64 {
        let direct = |edge: Option<Strength>| edge.map_or(0.0, |edge| edge.direct.value);
        direct(self.after) - direct(self.before)
    }
}

impl Cpdm {
    /// The model of `structure` with strengths estimated from `observations`.
    pub fn new(observations: &Observations, structure: &Structure, options: EffectOptions) -> Cpdm {
        let effects = Effects::new(observations, structure, options);
        let mut edges: Vec<(u32, u32)> = (0..structure.len() as u32)
            .flat_map(|effect| structure.all_parents(effect).into_iter().map(move |cause| (cause, effect)))
            .collect();
        edges.sort_unstable();
        let pairs = effects.pairs(&edges);
        let mut model = Cpdm::default();
        for pair in pairs {
            let carried = structure.carried(pair.effect).binary_search(&pair.cause).is_ok();
            let (direct, causal, interventional) = (pair.direct, pair.causal, pair.interventional);
            model.add(pair.cause, pair.effect, Strength { direct, causal, interventional, carried });
        }
        model
    }

    fn add(&mut self, cause: u32, effect: u32, strength: Strength) {
        let mut index = |node: u32| *self.index.entry(node).or_insert_with(|| self.graph.add_node(node));
        let (from, to) = (index(cause), index(effect));
        self.graph.add_edge(from, to, strength);
    }

    /// The graph; a node's weight is its number.
    pub fn graph(&self) -> &DiGraph<u32, Strength> {
        &self.graph
    }

    /// All edges, the strongest direct dependence first; equals by cause and effect.
    pub fn edges(&self) -> Vec<(u32, u32, Strength)> {
        let mut edges: Vec<_> = self.unordered().collect();
        edges.sort_by(|a, b| {
            let by_strength = b.2.direct.value.total_cmp(&a.2.direct.value);
            by_strength.then((a.0, a.1).cmp(&(b.0, b.1)))
        });
        edges
    }

    fn unordered(&self) -> impl Iterator<Item = (u32, u32, Strength)> + '_ {
        self.graph.edge_references().map(|edge| (self.graph[edge.source()], self.graph[edge.target()], *edge.weight()))
    }

    /// The edge from `cause` to `effect`, if there is one.
    pub fn edge(&self, cause: u32, effect: u32) -> Option<&Strength> {
        let found = self.graph.find_edge(*self.index.get(&cause)?, *self.index.get(&effect)?)?;
        self.graph.edge_weight(found)
    }

    /// The edges that `keep` accepts, with their nodes.
    pub fn filtered(&self, keep: impl Fn(u32, u32, &Strength) -> bool) -> Cpdm {
        let mut model = Cpdm::default();
        for (cause, effect, strength) in
            self.unordered().filter(|(cause, effect, strength)| keep(*cause, *effect, strength))
        {
            model.add(cause, effect, strength);
        }
        model
    }

    /// The edges of direct dependence from `least` on.
    pub fn at_least(&self, least: f64) -> Cpdm {
        self.filtered(|_, _, strength| strength.direct.value >= least)
    }

    /// Dependence clusters: the largest sets of at least two nodes of which each depends on each other one, in the order of their sizes; nodes ascending.
    ///
    /// Harman, Binkley, Gallagher, Gold and Krinke, "Dependence clusters in source code" (TOPLAS 2009), with causal for static dependence.
    pub fn clusters(&self) -> Vec<Vec<u32>> {
        let of = |component: Vec<NodeIndex>| {
            let mut nodes: Vec<u32> = component.into_iter().map(|at| self.graph[at]).collect();
            nodes.sort_unstable();
            nodes
        };
        let mut clusters: Vec<Vec<u32>> =
            tarjan_scc(&self.graph).into_iter().filter(|component| component.len() > 1).map(of).collect();
        clusters.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        clusters
    }

    /// What is at most `depth` edges away from `node`, with the edges walked over.
    pub fn around(&self, node: u32, towards: Towards, depth: usize) -> Cpdm {
        let mut kept = HashSet::new();
        let ways = match towards {
            Towards::Causes => &[Direction::Incoming][..],
            Towards::Effects => &[Direction::Outgoing],
            Towards::Both => &[Direction::Incoming, Direction::Outgoing],
        };
        for way in ways {
            self.walk(node, *way, depth, &mut kept);
        }
        self.filtered(|cause, effect, _| kept.contains(&(cause, effect)))
    }

    fn walk(&self, node: u32, way: Direction, depth: usize, kept: &mut HashSet<(u32, u32)>) {
        let Some(&start) = self.index.get(&node) else { return };
        let mut seen = HashSet::from([start]);
        let mut pending = VecDeque::from([(start, 0)]);
        while let Some((at, distance)) = pending.pop_front() {
            if distance == depth {
                continue;
            }
            for edge in self.graph.edges_directed(at, way) {
                kept.insert((self.graph[edge.source()], self.graph[edge.target()]));
                let next = if way == Direction::Outgoing { edge.target() } else { edge.source() };
                if seen.insert(next) {
                    pending.push_back((next, distance + 1));
                }
            }
        }
    }

    /// How `other` differs from this model: the edges of either, the largest change of direct dependence first.
    pub fn changes(&self, other: &Cpdm) -> Vec<Change> {
        let mut pairs: Vec<(u32, u32)> =
            self.unordered().chain(other.unordered()).map(|(cause, effect, _)| (cause, effect)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let change = |(cause, effect): (u32, u32)| Change {
            cause,
            effect,
            before: self.edge(cause, effect).copied(),
            after: other.edge(cause, effect).copied(),
        };
        let mut changes: Vec<Change> = pairs.into_iter().map(change).collect();
        // Stable: equals stay by cause and effect.
        changes.sort_by(|a, b| b.rise().abs().total_cmp(&a.rise().abs()));
        changes
    }
}

/// Bands of strength: how an edge is called by its direct dependence.
#[derive(Clone, Debug, PartialEq)]
pub struct Bands(Vec<f64>);

/// Bands that are not ascending numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("bands are numbers between -1 and 1, each greater than the one before, such as 0.2,0.5,0.8")]
pub struct BadBands;

impl Default for Bands {
    fn default() -> Self {
        Bands(vec![0.2, 0.5, 0.8])
    }
}

impl Bands {
    /// Bands that begin at these numbers, ascending.
    pub fn new(limits: Vec<f64>) -> Result<Self, BadBands> {
        let in_range = limits.iter().all(|limit| (-1.0..=1.0).contains(limit));
        let ascending = limits.windows(2).all(|pair| pair[0] < pair[1]);
        if in_range && ascending { Ok(Bands(limits)) } else { Err(BadBands) }
    }

    /// The band of a value: 0 below all limits, one more from each limit on.
    pub fn of(&self, value: f64) -> usize {
        self.0.partition_point(|limit| *limit <= value)
    }

    /// Number of bands.
    pub fn len(&self) -> usize {
        self.0.len() + 1
    }

    /// Whether all values are in one band.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Where the bands after the first begin.
    pub fn limits(&self) -> &[f64] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(edges: &[(u32, u32, f64)]) -> Cpdm {
        let mut model = Cpdm::default();
        for &(cause, effect, value) in edges {
            let direct = Estimate { value, unidentified: 0.0, n_tests: 1 };
            model.add(cause, effect, Strength { direct, ..Strength::default() });
        }
        model
    }

    fn pairs(model: &Cpdm) -> Vec<(u32, u32)> {
        let mut pairs: Vec<_> = model.edges().into_iter().map(|(cause, effect, _)| (cause, effect)).collect();
        pairs.sort_unstable();
        pairs
    }

    #[test]
    fn a_focus_keeps_what_was_walked_over() {
        let model = model(&[(0, 1, 0.9), (1, 2, 0.8), (2, 3, 0.7), (4, 2, 0.6), (3, 1, 0.1), (0, 5, 0.4)]);
        assert_eq!(pairs(&model.around(2, Towards::Causes, 1)), [(1, 2), (4, 2)]);
        assert_eq!(pairs(&model.around(2, Towards::Causes, 2)), [(0, 1), (1, 2), (3, 1), (4, 2)]);
        assert_eq!(pairs(&model.around(2, Towards::Effects, 9)), [(1, 2), (2, 3), (3, 1)]);
        assert_eq!(pairs(&model.around(2, Towards::Both, 1)), [(1, 2), (2, 3), (4, 2)]);
        assert_eq!(pairs(&model.around(77, Towards::Both, 1)), []);
        assert_eq!(pairs(&model.at_least(0.7)), [(0, 1), (1, 2), (2, 3)]);
    }

    #[test]
    fn clusters_are_of_nodes_that_reach_each_other() {
        // A pair, a ring of three behind it, and a node that only leads to both.
        let model = model(&[
            (7, 3, 0.5),
            (3, 7, 0.1),
            (3, 2, 0.9),
            (2, 5, 0.5),
            (5, 8, 0.5),
            (8, 2, 0.5),
            (1, 2, 1.0),
            (1, 3, 1.0),
        ]);
        assert_eq!(model.clusters(), [vec![2, 5, 8], vec![3, 7]]);
        assert_eq!(model.at_least(0.2).clusters(), [[2, 5, 8]]);
    }

    #[test]
    fn differences_come_largest_first() {
        let (before, after) =
            (model(&[(0, 1, 0.9), (1, 2, 0.5), (2, 3, 0.2)]), model(&[(1, 2, 0.75), (2, 3, 0.9), (3, 4, 0.25)]));
        let changes = before.changes(&after);
        let found: Vec<_> = changes.iter().map(|c| (c.cause, c.effect, (c.rise() * 10.0).round())).collect();
        assert_eq!(found, [(0, 1, -9.0), (2, 3, 7.0), (1, 2, 3.0), (3, 4, 3.0)]);
        assert!(changes[0].after.is_none() && changes[3].before.is_none());
    }

    #[test]
    fn bands_are_named_by_the_limits_passed() {
        let bands = Bands::default();
        assert_eq!([-0.3, 0.0, 0.2, 0.5, 0.79, 0.8, 1.0].map(|value| bands.of(value)), [0, 0, 1, 2, 2, 3, 3]);
        assert_eq!(Bands::new(vec![0.5, 0.5]), Err(BadBands));
        assert_eq!(Bands::new(vec![0.5, f64::NAN]), Err(BadBands));
        assert_eq!(Bands::new(Vec::new()).map(|bands| bands.len()), Ok(1));
    }
}
