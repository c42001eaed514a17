//! Counts of all edges from the counters on some of them.
//!
//! What enters a piece leaves it, so an edge without a counter follows from the others at either end. Edges without
//! counters form a forest once all pieces that need not conserve flow, and the outside, are seen as one vertex; taking off its
//! leaves one by one gives all counts (Knuth and Stevenson, "Optimal measurement points for program frequency counts",
//! BIT 13, 1973). The order depends on the program alone and is found once.

use super::{Function, OUTSIDE, PieceEnd, Program};

/// Which of an edge's counters is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    /// Those of `edges` mode.
    Edges,
    /// Those of `values` and `trace` mode.
    Values,
}

/// A function some of whose counts do not follow from its counters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the site table of function {function} in {file} has too few counters to tell all its edges; build it again")]
pub struct Unsolvable {
    /// The function.
    pub function: String,
    /// Its source file.
    pub file: String,
}

/// In which order edges without counters are found.
#[derive(Debug)]
pub(super) struct Plan {
    /// An edge, and the piece whose other edges are all known by then.
    steps: Vec<(u32, u32)>,
}

impl Plan {
    /// The plan for those units of `program` that `wants` names by their positions.
    pub(super) fn new(program: &Program, version: Version, wants: impl Fn(u32) -> bool) -> Result<Plan, Unsolvable> {
        let mut leaves = Leaves::default();
        let mut plan = Plan { steps: Vec::new() };
        for function in program.functions.iter().filter(|function| wants(function.unit)) {
            if !leaves.take_off(program, function, version, &mut plan.steps) {
                let file = program.files.get(function.place.file as usize).cloned().unwrap_or_default();
                return Err(Unsolvable { function: function.name.clone(), file });
            }
        }
        Ok(plan)
    }

    /// Fills in the counts of edges without counters in `edges`, where the others are given. `lost[p]` executions of
    /// piece `p` entered it and did not leave it. Counts that would be negative become 0; returns how many.
    pub(super) fn solve(&self, program: &Program, edges: &mut [u64], lost: &[u64]) -> u64 {
        // What entered each piece and is not yet known to have left it.
        let mut rest: Vec<u64> = lost.iter().map(|lost| lost.wrapping_neg()).collect();
        for (edge, count) in program.edges.iter().zip(edges.iter()) {
            book(&mut rest, edge, *count);
        }
        let mut negative = 0;
        for &(index, piece) in &self.steps {
            let edge = &program.edges[index as usize];
            let rest_here = rest[piece as usize];
            let count = if edge.to == piece { rest_here.wrapping_neg() } else { rest_here };
            let is_negative = (count as i64) < 0;
            negative += u64::from(is_negative);
            let count = if is_negative { 0 } else { count };
            edges[index as usize] = count;
            book(&mut rest, edge, count);
        }
        negative
    }
}

/// Whether what enters pieces with this end is known to leave them, unless a process is stopped there.
fn conserves(version: Version, end: PieceEnd) -> bool {
    version == Version::Edges || end != PieceEnd::Call
}

fn book(rest: &mut [u64], edge: &super::Edge, count: u64) {
    if edge.to != OUTSIDE {
        rest[edge.to as usize] = rest[edge.to as usize].wrapping_add(count);
    }
    if edge.from != OUTSIDE {
        rest[edge.from as usize] = rest[edge.from as usize].wrapping_sub(count);
    }
}

/// Scratch space for taking the leaves off one function's forest.
#[derive(Default)]
struct Leaves {
    /// For each piece, the number of its edges that are not known.
    unknown: Vec<u32>,
    /// For each piece, their numbers combined by exclusive or: of the last one, its number.
    combined: Vec<u32>,
    ready: Vec<u32>,
}

impl Leaves {
    /// Appends the function's steps; false if edges remain that nothing tells.
    fn take_off(
        &mut self,
        program: &Program,
        function: &Function,
        version: Version,
        steps: &mut Vec<(u32, u32)>,
    ) -> bool {
        let first = function.pieces.start;
        let n_pieces = function.pieces.len();
        let (unknown, combined) = (&mut self.unknown, &mut self.combined);
        unknown.clear();
        unknown.resize(n_pieces, 0);
        combined.clear();
        combined.resize(n_pieces, 0);
        let mut remaining = 0usize;
        for index in function.edges.clone().filter(|index| counter(program, *index, version).is_none()) {
            remaining += 1;
            for piece in ends(program, index) {
                unknown[(piece - first) as usize] += 1;
                combined[(piece - first) as usize] ^= index;
            }
        }
        let conserving = |piece: u32| conserves(version, program.pieces[piece as usize].end);
        let is_leaf = |piece: &u32| unknown[(*piece - first) as usize] == 1 && conserving(*piece);
        self.ready.clear();
        self.ready.extend(function.pieces.clone().filter(is_leaf));
        while let Some(piece) = self.ready.pop() {
            if unknown[(piece - first) as usize] != 1 {
                continue;
            }
            let index = combined[(piece - first) as usize];
            steps.push((index, piece));
            remaining -= 1;
            for end in ends(program, index) {
                let local = (end - first) as usize;
                unknown[local] -= 1;
                combined[local] ^= index;
                if unknown[local] == 1 && conserving(end) {
                    self.ready.push(end);
                }
            }
        }
        remaining == 0
    }
}

/// The pieces that an edge touches; one that leads back to its own piece touches it twice.
fn ends(program: &Program, index: u32) -> impl Iterator<Item = u32> + use<> {
    let edge = &program.edges[index as usize];
    [edge.from, edge.to].into_iter().filter(|piece| *piece != OUTSIDE)
}

/// The counter of edge number `index`.
pub(super) fn counter(program: &Program, index: u32, version: Version) -> Option<u32> {
    let edge = &program.edges[index as usize];
    match version {
        Version::Edges => edge.edges_counter,
        Version::Values => edge.values_counter,
    }
}
