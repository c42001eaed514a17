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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Block, Edge, EdgeKind, Function, Piece, PieceEnd, Place};

    const OUT: u32 = OUTSIDE;
    /// No decider.
    const NONE: [u32; 0] = [];

    /// Functions of as many pieces as their flow has rows; each row has the pieces of the function that control goes to, or [`OUT`].
    fn program(flows: &[&[&[u32]]]) -> Program {
        let mut program = Program::default();
        for (function, flow) in (0..).zip(flows) {
            let (first, edges) = (program.pieces.len() as u32, program.edges.len() as u32);
            let inside = |piece: u32| if piece == OUT { OUT } else { first + piece };
            let edge = |from, to| Edge {
                function,
                from: inside(from),
                to: inside(to),
                kind: EdgeKind::Always,
                edges_counter: None,
                values_counter: None,
            };
            program.edges.push(edge(OUT, 0));
            for (piece, targets) in (0..).zip(*flow) {
                program.edges.extend(targets.iter().map(|to| edge(piece, *to)));
                let block = first + piece;
                program.pieces.push(Piece { block, end: PieceEnd::Branch, lines: Vec::new() });
                program.blocks.push(Block { function, pieces: block..block + 1, lines: Vec::new() });
            }
            let own = first..program.pieces.len() as u32;
            program.functions.push(Function {
                name: format!("f{function}"),
                unit: 0,
                place: Place::default(),
                last_line: 0,
                external: true,
                content_hash: 0,
                blocks: own.clone(),
                pieces: own,
                edges: edges..program.edges.len() as u32,
                nodes: 0..0,
                compounds: 0..0,
                operations: 0..0,
                variables: Vec::new(),
            });
        }
        program
    }

    fn parents(flow: &[&[u32]]) -> Vec<Vec<u32>> {
        control_parents(&program(&[flow]))
    }

    #[test]
    fn a_branch_decides_all_pieces_up_to_where_its_ways_join() {
        // if (0) { 1; 2; 3; 4 } else 5; 6
        let found = parents(&[&[1, 5], &[2], &[3], &[4], &[6], &[6], &[OUT]]);
        assert_eq!(found, [&NONE[..], &[0], &[0], &[0], &[0], &[0], &[]]);
    }

    #[test]
    fn a_piece_has_all_its_deciders() {
        // if (0 || 1 || 2) 3; 4
        let found = parents(&[&[3, 1], &[3, 2], &[3, 4], &[4], &[OUT]]);
        assert_eq!(found, [&NONE[..], &[0], &[1], &[0, 1, 2], &[]]);
    }

    #[test]
    fn a_loop_decides_whether_it_goes_on() {
        // while (0) { 1 } 2
        assert_eq!(parents(&[&[1, 2], &[0], &[OUT]]), [&[0][..], &[0], &[]]);
    }

    #[test]
    fn what_an_endless_loop_keeps_from_running_depends_on_the_way_into_it() {
        // if (0) for (;;) { 1; if (1) 3; } 2
        let found = parents(&[&[1, 2], &[1, 3], &[OUT], &[1]]);
        assert_eq!(found, [&NONE[..], &[0, 1, 3], &[0], &[0, 3]]);
        // for (;;) { 0; 1 }: the last piece decides whether the loop goes on.
        assert_eq!(parents(&[&[1], &[0]]), [&[1][..], &[1]]);
    }

    #[test]
    fn pieces_of_later_functions_are_decided_by_their_own() {
        let branch: &[&[u32]] = &[&[1, 2], &[2], &[OUT]];
        assert_eq!(control_parents(&program(&[branch, branch])), [&NONE[..], &[0], &[], &[], &[3], &[]]);
    }
}
