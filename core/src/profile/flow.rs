//! The flow between a program's blocks, from the edges between its pieces.

use super::{FlowEdge, FlowGraph, OUTSIDE};
use crate::program::{Edge, EdgeKind, Program};

/// The flow graph of all functions of a program, and which of its edges are whose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramFlow {
    /// Blocks are the program's, edges those of its edges that enter or leave a block.
    pub graph: FlowGraph,
    /// For each edge of the graph, its index in the program.
    pub edges: Vec<u32>,
}

impl ProgramFlow {
    /// The flow of `program`. The return of a call in the middle of a block stays in it, so it is no edge here: a run that dies in the
    /// call leaves the block by no edge.
    pub fn new(program: &Program) -> Self {
        let block = |piece: u32| if piece == OUTSIDE { OUTSIDE } else { program.pieces[piece as usize].block };
        let crosses = |edge: &Edge| edge.kind != EdgeKind::Continue || block(edge.from) != block(edge.to);
        let crossing = (0..).zip(&program.edges).filter(|(_, edge)| crosses(edge));
        let (edges, flow) =
            crossing.map(|(id, edge)| (id, FlowEdge { from: block(edge.from), to: block(edge.to) })).unzip();
        ProgramFlow { graph: FlowGraph::new(program.blocks.len(), flow), edges }
    }

    /// Counts of the graph's edges from counts of the program's.
    pub fn counts(&self, edges: &[u64]) -> Vec<u64> {
        self.edges.iter().map(|&edge| edges[edge as usize]).collect()
    }
}
