//! Control flow between blocks, and how often passing and failing runs took each edge.

pub use crate::program::OUTSIDE;

/// A control-flow edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowEdge {
    /// Block it leaves, or [`OUTSIDE`] where the function is entered.
    pub from: u32,
    /// Block it enters, or [`OUTSIDE`] where the function is left.
    pub to: u32,
}

/// The blocks of any number of functions and the edges between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlowGraph {
    /// Number of blocks.
    pub n_blocks: usize,
    /// Edges.
    pub edges: Vec<FlowEdge>,
    into: Adjacency,
    out_of: Adjacency,
}

/// For each block, positions of edges: `edges[starts[b]..starts[b + 1]]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Adjacency {
    starts: Vec<u32>,
    edges: Vec<u32>,
}

impl Adjacency {
    fn new(n_blocks: usize, ends: impl Iterator<Item = u32> + Clone) -> Self {
        let mut starts = vec![0u32; n_blocks + 1];
        for block in ends.clone().filter(|block| *block != OUTSIDE) {
            starts[block as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut edges = vec![0; starts[n_blocks] as usize];
        for (edge, block) in ends.enumerate().filter(|(_, block)| *block != OUTSIDE) {
            edges[next[block as usize] as usize] = edge as u32;
            next[block as usize] += 1;
        }
        Adjacency { starts, edges }
    }

    fn of(&self, block: usize) -> &[u32] {
        &self.edges[self.starts[block] as usize..self.starts[block + 1] as usize]
    }
}

impl FlowGraph {
    /// A graph of `n_blocks` blocks; edges name blocks below it, or [`OUTSIDE`].
    pub fn new(n_blocks: usize, edges: Vec<FlowEdge>) -> Self {
        let into = Adjacency::new(n_blocks, edges.iter().map(|edge| edge.to));
        let out_of = Adjacency::new(n_blocks, edges.iter().map(|edge| edge.from));
        FlowGraph { n_blocks, edges, into, out_of }
    }

    /// Positions of the edges into `block`, entries of the function included.
    pub fn into(&self, block: usize) -> &[u32] {
        self.into.of(block)
    }

    /// Positions of the edges out of `block`, returns included.
    pub fn out_of(&self, block: usize) -> &[u32] {
        self.out_of.of(block)
    }
}

/// How often runs took each edge of a [`FlowGraph`]; all vectors are indexed by edge.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EdgeProfile {
    /// Mean count over passing runs, 0 if there are none.
    pub passed: Vec<f64>,
    /// Mean count over failing runs, 0 if there are none.
    pub failed: Vec<f64>,
    /// Sum of the counts of all runs.
    pub total: Vec<f64>,
}

impl EdgeProfile {
    /// The profile of runs, each with a count for each of `n_edges` edges and whether it failed.
    pub fn of_runs<C: AsRef<[u64]>>(n_edges: usize, runs: impl IntoIterator<Item = (C, bool)>) -> Self {
        let (mut passed, mut failed) = (vec![0u128; n_edges], vec![0u128; n_edges]);
        let (mut n_passed, mut n_failed) = (0u32, 0u32);
        for (counts, is_failed) in runs {
            let (sums, n) = if is_failed { (&mut failed, &mut n_failed) } else { (&mut passed, &mut n_passed) };
            *n += 1;
            for (sum, count) in sums.iter_mut().zip(counts.as_ref()) {
                *sum += u128::from(*count);
            }
        }
        let mean = |sums: &[u128], n: u32| sums.iter().map(|sum| *sum as f64 / f64::from(n.max(1))).collect();
        EdgeProfile {
            passed: mean(&passed, n_passed),
            failed: mean(&failed, n_failed),
            total: passed.iter().zip(&failed).map(|(p, f)| (p + f) as f64).collect(),
        }
    }

    /// The suspicious edge profile: mean count of failing runs less that of passing runs.
    pub fn suspicious(&self) -> Vec<f64> {
        self.failed.iter().zip(&self.passed).map(|(failed, passed)| failed - passed).collect()
    }
}
