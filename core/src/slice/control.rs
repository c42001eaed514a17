//! Control dependence between the pieces of a function, by post-dominators.

use petgraph::algo::dominators;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{Dfs, VisitMap};

use crate::program::{OUTSIDE, Program};

/// For each piece of a program, the pieces whose branch decides whether it executes.
pub fn control_parents(program: &Program) -> Vec<Vec<u32>> {
    let mut parents = vec![Vec::new(); program.pieces.len()];
    for function in &program.functions {
        let first = function.pieces.start;
        let local = of_function(program, function);
        for (piece, deciders) in local.into_iter().enumerate() {
            parents[first as usize + piece] = deciders.into_iter().map(|decider| first + decider).collect();
        }
    }
    parents
}

fn of_function(program: &Program, function: &crate::program::Function) -> Vec<Vec<u32>> {
    let first = function.pieces.start;
    let n_pieces = function.pieces.len();
    let exit = NodeIndex::new(n_pieces);
    let mut reversed: DiGraph<(), ()> = DiGraph::with_capacity(n_pieces + 1, function.edges.len());
    for _ in 0..=n_pieces {
        reversed.add_node(());
    }
    let mut edges = Vec::new();
    for edge in &program.edges[function.edges.start as usize..function.edges.end as usize] {
        if edge.from == OUTSIDE {
            continue;
        }
        let from = edge.from - first;
        let to = if edge.to == OUTSIDE { exit } else { NodeIndex::new((edge.to - first) as usize) };
        reversed.add_edge(to, NodeIndex::new(from as usize), ());
        edges.push((from, to));
    }
    // A loop that is never left still ends somehow: let its last piece reach the exit.
    let mut reaching = Dfs::new(&reversed, exit);
    while reaching.next(&reversed).is_some() {}
    for piece in (0..n_pieces).rev().map(NodeIndex::new) {
        if !reaching.discovered.is_visited(&piece) {
            reversed.add_edge(exit, piece, ());
            reaching.move_to(piece);
            while reaching.next(&reversed).is_some() {}
        }
    }
    let dominators = dominators::simple_fast(&reversed, exit);
    let mut parents = vec![Vec::new(); n_pieces];
    for (from, to) in edges {
        let stop = dominators.immediate_dominator(NodeIndex::new(from as usize));
        let mut at = Some(to);
        while let Some(piece) = at.filter(|piece| *piece != exit && Some(*piece) != stop) {
            let deciders: &mut Vec<u32> = &mut parents[piece.index()];
            if !deciders.contains(&from) {
                deciders.push(from);
            }
            at = dominators.immediate_dominator(piece);
        }
    }
    parents
}
