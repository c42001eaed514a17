//! Suspicion that flows from blocks back to their predecessors, each in proportion to its edge: what BlockRank and CP share.

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use super::{FlowGraph, OUTSIDE};

/// Rounds after which a loop is given up.
const ROUNDS: usize = 200;
/// A loop has settled when no score in it changes by more than this share of itself.
const SETTLED: f64 = 1e-12;

/// Share of all that runs did at a block's edges below which what enters it counts as nothing: means are rounded to some 1e-16 of themselves.
const NOTHING: f64 = 1e-12;

/// How a block is treated into which nothing flows on balance, so that its predecessors' shares are not defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Singular {
    /// It passes nothing on, and the blocks of a loop begin at 0.
    Zero,
    /// It passes on 1 for each unit that an edge carries, as a block without successors does, and the blocks of a loop begin at what enters them.
    Unit,
}

/// The equations of all blocks: `R(b)` = sum over successors k of `w(b,k) * passed_on(R(k)) / w(*,k)`, the quotient of the last two being 0 or 1 where
/// `w(*,k)` is 0; the inflow of a block without successors.
pub(super) struct Solver<'a> {
    pub(super) graph: &'a FlowGraph,
    /// Weight of each edge.
    pub(super) weights: &'a [f64],
    /// Sum of the weights into each block.
    pub(super) inflow: &'a [f64],
    /// What is done where nothing flows in.
    pub(super) singular: Singular,
    /// For each block, what flows in on either side of the balance: the scale of rounding.
    pub(super) scale: &'a dyn Fn(usize) -> f64,
    /// What of a block's rank its predecessors see.
    pub(super) passed_on: &'a dyn Fn(usize, f64) -> f64,
}

impl Solver<'_> {
    /// Ranks, and the blocks whose loops did not settle.
    pub(super) fn solve(&self) -> (Vec<f64>, Vec<u32>) {
        let mut ranks = vec![0.0; self.graph.n_blocks];
        let mut unsettled = Vec::new();
        for mut loop_blocks in tarjan_scc(&self.flow()) {
            loop_blocks.sort_unstable_by(|a, b| b.cmp(a));
            let blocks: Vec<usize> = loop_blocks.into_iter().map(NodeIndex::index).collect();
            let cyclic = blocks.len() > 1 || self.successors(blocks[0]).any(|(_, to)| to == blocks[0]);
            if cyclic && self.singular == Singular::Unit {
                blocks.iter().for_each(|&block| ranks[block] = self.inflow[block]);
            }
            if !cyclic {
                ranks[blocks[0]] = self.equation(blocks[0], &ranks);
            } else if !self.iterate(&blocks, &mut ranks) {
                unsettled.extend(blocks.iter().map(|&block| block as u32));
            }
        }
        unsettled.sort_unstable();
        (ranks, unsettled)
    }

    /// Whether the loop settled.
    fn iterate(&self, blocks: &[usize], ranks: &mut [f64]) -> bool {
        for _ in 0..ROUNDS {
            let mut settled = true;
            for &block in blocks {
                let rank = self.equation(block, ranks);
                if !rank.is_finite() {
                    return false;
                }
                settled &= (rank - ranks[block]).abs() <= SETTLED * rank.abs().max(ranks[block].abs());
                ranks[block] = rank;
            }
            if settled {
                return true;
            }
        }
        false
    }

    fn equation(&self, block: usize, ranks: &[f64]) -> f64 {
        if self.successors(block).next().is_none() {
            return self.inflow[block];
        }
        let shares = self.successors(block).map(|(edge, to)| match self.inflow[to] {
            inflow if inflow.abs() > NOTHING * (self.scale)(to) => {
                self.weights[edge] / inflow * (self.passed_on)(to, ranks[to])
            }
            _ if self.singular == Singular::Unit => self.weights[edge],
            _ => 0.0,
        });
        shares.sum()
    }

    fn successors(&self, block: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let edges = self.graph.out_of(block).iter().map(|&edge| (edge as usize, self.graph.edges[edge as usize].to));
        edges.filter(|(_, to)| *to != OUTSIDE).map(|(edge, to)| (edge, to as usize))
    }

    fn flow(&self) -> DiGraph<(), ()> {
        let mut flow = DiGraph::with_capacity(self.graph.n_blocks, self.graph.edges.len());
        for _ in 0..self.graph.n_blocks {
            flow.add_node(());
        }
        for edge in self.graph.edges.iter().filter(|edge| edge.from != OUTSIDE && edge.to != OUTSIDE) {
            flow.add_edge(NodeIndex::new(edge.from as usize), NodeIndex::new(edge.to as usize), ());
        }
        flow
    }
}
