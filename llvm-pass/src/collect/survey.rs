//! Collecting: pieces, edges and nodes of a function, read from the front end's IR without changing it.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use suspect_format::abi::Mode;
use suspect_format::site::{EdgeKind, OUTSIDE, PieceEnd};

use crate::collect::calls::{self, Effect};
use crate::collect::compounds;
use crate::collect::flow;
use crate::collect::nodes;
use crate::collect::operations;
use crate::collect::positions;
use crate::collect::sites::{Body, EdgeSite, FunctionSites, PieceSite, Place, Spot, first_pieces, next};
use crate::collect::unit::Unit;
use crate::llvm::ir::{Block, LLVMOpcode, Value, llvm};
use crate::llvm::shim;
use crate::options::Versions;

impl Unit<'_> {
    /// Everything about `function`; `Err` is why it has to be left alone.
    pub fn collect(&mut self, function: Value) -> Result<FunctionSites, &'static str> {
        let body = Body::of(function);
        let mut pieces = self.pieces(&body);
        let mut edges = self.edges(&body, &pieces);
        let mut n_counters =
            place_counters(&body, &mut pieces, &mut edges, self.versions).ok_or("a jump in it cannot be counted")?;
        let nodes = nodes::collect(self, function, &body, &pieces, &edges, &mut n_counters);
        let found = compounds::find(&body, &nodes);
        let compounds = compounds::collect(self, &body, &nodes, &found, &mut n_counters);
        let (operations, variables) = match self.versions.contains(Mode::Trace) {
            true => operations::collect(self, &body, &pieces, &nodes, &found),
            false => Default::default(),
        };
        for node in nodes.iter().filter(|node| node.place.line > 0) {
            pieces[node.piece as usize].lines.push(Place { column: 0, ..node.place });
        }
        for piece in &mut pieces {
            piece.lines.sort();
            piece.lines.dedup();
        }
        let place = self.place_of_function(function);
        let own_lines = pieces.iter().flat_map(|piece| &piece.lines).filter(|line| line.file == place.file);
        Ok(FunctionSites {
            name: function.name(),
            place,
            last_line: own_lines.map(|line| line.line).max().unwrap_or(0).max(place.line),
            external: !function.is_local(),
            content_hash: crate::collect::content::hash(&body),
            states: states(function, &body),
            pieces,
            edges,
            nodes,
            compounds,
            operations,
            variables,
            n_counters,
        })
    }

    fn pieces(&mut self, body: &Body) -> Vec<PieceSite> {
        let mut pieces = Vec::new();
        for block in 0..body.blocks.len() {
            let mut start = body.first(block);
            let mut lines = Vec::new();
            for position in body.range(block) {
                let instruction = body.at(position);
                if !nodes::is_epilogue(instruction) {
                    lines.extend(self.place_of(instruction).map(|place| Place { column: 0, ..place }));
                }
                if cuts(instruction) {
                    let returns_twice = instruction.call_has("returns_twice");
                    let lines = std::mem::take(&mut lines);
                    let (block, end) = (block as u32, PieceEnd::Call);
                    pieces.push(PieceSite { block, end, lines, start, returns_twice, counted_by: None });
                    start = position + 1;
                }
            }
            let end = match body.at(body.terminator(block)).opcode() {
                Some(LLVMOpcode::LLVMRet) => PieceEnd::Return,
                Some(LLVMOpcode::LLVMUnreachable) => PieceEnd::Stop,
                _ => PieceEnd::Branch,
            };
            let block = block as u32;
            pieces.push(PieceSite { block, end, lines, start, returns_twice: false, counted_by: None });
        }
        pieces
    }

    fn edges(&self, body: &Body, pieces: &[PieceSite]) -> Vec<EdgeSite> {
        let first_piece = first_pieces(pieces);
        let position: HashMap<Block, usize> =
            body.blocks.iter().enumerate().map(|(index, block)| (*block, index)).collect();
        let mut edges =
            vec![edge(OUTSIDE, 0, EdgeKind::Entry, Some(Spot::Before(pieces[0].start)), self.frequency(body, 0))];
        for (index, piece) in pieces.iter().enumerate() {
            let from = index as u32;
            let block = piece.block as usize;
            match piece.end {
                PieceEnd::Call => {
                    let spot = Some(Spot::Before(pieces[index + 1].start));
                    edges.push(edge(from, from + 1, EdgeKind::Continue, spot, self.frequency(body, block)));
                }
                PieceEnd::Return => {
                    let spot = Some(Spot::Before(body.leave(block).max(piece.start)));
                    edges.push(edge(from, OUTSIDE, EdgeKind::Return, spot, self.frequency(body, block)));
                }
                PieceEnd::Stop => {
                    let spot = Some(Spot::Before(piece.start));
                    edges.push(edge(from, OUTSIDE, EdgeKind::Stop, spot, self.frequency(body, block)));
                }
                PieceEnd::Branch => {
                    let terminator = body.terminator(block);
                    for (target, kind, successors) in jumps(body.at(terminator)) {
                        let to = first_piece[position[&target]];
                        let weight = llvm!(shim::suspect_edge_frequency(self.analyses, body.blocks[block].0, target.0));
                        edges.push(edge(from, to, kind, Some(Spot::Split { terminator, successors }), weight));
                    }
                }
            }
        }
        settle(body, pieces, &mut edges);
        edges
    }

    fn frequency(&self, body: &Body, block: usize) -> u64 {
        llvm!(shim::suspect_block_frequency(self.analyses, body.blocks[block].0))
    }
}

fn edge(from: u32, to: u32, kind: EdgeKind, spot: Option<Spot>, weight: u64) -> EdgeSite {
    EdgeSite { from, to, kind, spot, weight, edges_counter: None, values_counter: None }
}

/// Whether a block is cut after `instruction`.
fn cuts(instruction: Value) -> bool {
    calls::is_call(instruction) && !instruction.is_musttail() && calls::effect(instruction) == Effect::MayStop
}

/// The distinct targets of a terminator: block, kind of edge, successor numbers. Cases that share a target are one edge,
/// named by the first of them (by the default, if it is among them).
fn jumps(terminator: Value) -> Vec<(Block, EdgeKind, Vec<u32>)> {
    let successors = terminator.successors();
    let kind = |number: usize| match terminator.opcode() {
        Some(LLVMOpcode::LLVMSwitch) if number == 0 => EdgeKind::Default,
        Some(LLVMOpcode::LLVMSwitch) => {
            EdgeKind::Case(terminator.operand(2 * number as u32).and_then(Value::integer).unwrap_or_default())
        }
        Some(LLVMOpcode::LLVMBr) if successors.len() == 2 && successors[0] != successors[1] => {
            if number == 0 {
                EdgeKind::True
            } else {
                EdgeKind::False
            }
        }
        Some(LLVMOpcode::LLVMIndirectBr) => EdgeKind::Indirect,
        _ => EdgeKind::Always,
    };
    let mut jumps: Vec<(Block, EdgeKind, Vec<u32>)> = Vec::new();
    let mut seen: HashMap<Block, usize> = HashMap::new();
    for (number, target) in successors.iter().enumerate() {
        match seen.get(target) {
            Some(index) => jumps[*index].2.push(number as u32),
            None => {
                seen.insert(*target, jumps.len());
                jumps.push((*target, kind(number), vec![number as u32]));
            }
        }
    }
    jumps
}

/// Moves the spots of branch edges into an existing block where the edge is the only way out of or into one.
fn settle(body: &Body, pieces: &[PieceSite], edges: &mut [EdgeSite]) {
    let mut leaving = vec![0; pieces.len()];
    let mut entering = vec![0; pieces.len()];
    for edge in edges.iter() {
        if edge.from != OUTSIDE {
            leaving[edge.from as usize] += 1;
        }
        if edge.to != OUTSIDE {
            entering[edge.to as usize] += 1;
        }
    }
    for edge in edges.iter_mut() {
        let Some(Spot::Split { terminator, .. }) = edge.spot else { continue };
        if leaving[edge.from as usize] == 1 {
            edge.spot = Some(Spot::Before(terminator));
        } else if entering[edge.to as usize] == 1 {
            edge.spot = Some(Spot::Before(pieces[edge.to as usize].start));
        } else if !matches!(body.at(terminator).opcode(), Some(LLVMOpcode::LLVMBr | LLVMOpcode::LLVMSwitch)) {
            edge.spot = None;
        }
    }
}

/// Gives counters to the edges that need one in each mode; returns how many words they take together.
fn place_counters(body: &Body, pieces: &mut [PieceSite], edges: &mut [EdgeSite], versions: &Versions) -> Option<u32> {
    let (mut n_edges, mut n_values) = (0, 0);
    if versions.contains(Mode::Edges) {
        let chosen = measured(pieces, edges, true, |_, edge| {
            let twice = |piece: u32| piece != OUTSIDE && pieces[piece as usize].returns_twice;
            match edge.kind {
                _ if (twice(edge.from) || twice(edge.to)) && edge.spot.is_some() => flow::Place::Measured,
                EdgeKind::Continue => flow::Place::Preferred(u64::MAX),
                _ => ordinary(edge),
            }
        })?;
        for (edge, chosen) in edges.iter_mut().zip(chosen) {
            edge.edges_counter = chosen.then(|| next(&mut n_edges));
        }
    }
    if versions.contains(Mode::Values) || versions.contains(Mode::Trace) {
        let decides = decides(body, pieces);
        find_positions(pieces, edges, &decides);
        // A counter on one side of a predicate does most of the work of its trajectory hash, unless another does.
        let counting: HashSet<u32> = pieces.iter().filter_map(|piece| piece.counted_by).collect();
        let chosen = measured(pieces, edges, false, |index, edge| {
            let alone = |piece: u32| decides[piece as usize] && pieces[piece as usize].counted_by.is_none();
            let decided = matches!(edge.kind, EdgeKind::True | EdgeKind::False) && alone(edge.from);
            match edge.kind {
                EdgeKind::Continue => flow::Place::Measured,
                _ if edge.spot.is_some() && (decided || counting.contains(&index)) => {
                    flow::Place::Counted(Reverse(edge.weight))
                }
                _ => ordinary(edge),
            }
        })?;
        for (edge, chosen) in edges.iter_mut().zip(chosen) {
            edge.values_counter = chosen.then(|| next(&mut n_values));
        }
    }
    // A process runs one mode, so both may use the same words.
    Some(n_edges.max(n_values))
}

fn ordinary(edge: &EdgeSite) -> flow::Place {
    match edge.kind {
        _ if edge.spot.is_none() => flow::Place::Forest,
        EdgeKind::Return => flow::Place::Preferred(edge.weight),
        _ => flow::Place::Ordinary(edge.weight),
    }
}

/// [`flow::measured`] for a function's edges.
fn measured(
    pieces: &[PieceSite],
    edges: &[EdgeSite],
    calls_conserve: bool,
    place: impl Fn(u32, &EdgeSite) -> flow::Place,
) -> Option<Vec<bool>> {
    let mut grounded: Vec<bool> = pieces.iter().map(|piece| !calls_conserve && piece.end == PieceEnd::Call).collect();
    grounded.push(true);
    let vertex = |piece: u32| vertex(pieces, piece);
    let flow_edge = |(index, edge): (u32, &EdgeSite)| flow::Edge {
        from: vertex(edge.from),
        to: vertex(edge.to),
        place: place(index, edge),
    };
    flow::measured(&grounded, &(0..).zip(edges).map(flow_edge).collect::<Vec<_>>())
}

fn vertex(pieces: &[PieceSite], piece: u32) -> usize {
    if piece == OUTSIDE { pieces.len() } else { piece as usize }
}

/// Whether each piece ends in a branch that a predicate decides.
fn decides(body: &Body, pieces: &[PieceSite]) -> Vec<bool> {
    let deciding = |piece: &PieceSite| nodes::deciding(body.at(body.terminator(piece.block as usize))).is_some();
    pieces.iter().map(|piece| piece.end == PieceEnd::Branch && deciding(piece)).collect()
}

/// Fills in [`PieceSite::counted_by`].
fn find_positions(pieces: &mut [PieceSite], edges: &[EdgeSite], decides: &[bool]) {
    let mut vertices: Vec<positions::Vertex> = pieces
        .iter()
        .zip(decides)
        .map(|(piece, decides)| positions::Vertex { goes_on: piece.end == PieceEnd::Branch, decides: *decides })
        .collect();
    vertices.push(positions::Vertex { goes_on: false, decides: false });
    let counter = |edge: &EdgeSite| match edge.kind {
        EdgeKind::Continue => positions::Counter::There,
        _ if edge.spot.is_none() => positions::Counter::Impossible,
        _ => positions::Counter::Possible,
    };
    let position_edge = |edge: &EdgeSite| positions::Edge {
        from: vertex(pieces, edge.from),
        to: vertex(pieces, edge.to),
        weight: edge.weight,
        counter: counter(edge),
    };
    let found = positions::find(&vertices, &edges.iter().map(position_edge).collect::<Vec<_>>());
    for (piece, found) in pieces.iter_mut().zip(found) {
        piece.counted_by = found.map(|index| index as u32);
    }
}

/// State words that a function sets, and before which instruction.
fn states(function: Value, body: &Body) -> Vec<(u32, u32)> {
    use suspect_format::abi::{STATE_CLEAN, STATE_NONLOCAL};
    let is_main = function.name() == "main";
    let mut states = Vec::new();
    for block in 0..body.blocks.len() {
        for position in body.range(block) {
            let instruction = body.at(position);
            if calls::is_call(instruction) && calls::is_nonlocal(instruction) {
                states.push((position, STATE_NONLOCAL as u32));
            } else if is_main && calls::is_call(instruction) && calls::is_orderly_end(instruction) {
                states.push((position, STATE_CLEAN as u32));
            } else if is_main && instruction.is(LLVMOpcode::LLVMRet) {
                states.push((body.leave(block), STATE_CLEAN as u32));
            }
        }
    }
    states
}
