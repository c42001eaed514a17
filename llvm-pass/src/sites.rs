//! Collecting: pieces, edges and nodes of a function, read from the front end's IR without changing it.
//!
//! What is found is said by positions ([`Spot`], [`Logged`]), not by handles: the n-th instruction of a function is the
//! n-th instruction of each of its copies, so one collection serves all versions.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use suspect_format::abi::Mode;
use suspect_format::site::{EdgeKind, NodeKind, OUTSIDE, PieceEnd, ValueClass};

use crate::calls::{self, Effect};
use crate::compounds;
use crate::debug_info::Info;
use crate::expression::Reader;
use crate::flow;
use crate::ir::{self, Block, LLVMOpcode, Value, llvm};
use crate::nodes;
use crate::operations::{self, OperationSite};
use crate::options::Versions;
use crate::positions;
use crate::sequences::CompoundSite;
use crate::shim;
use crate::table::Files;
use crate::variables::{Globals, VariableSite};

/// A source position in the unit's own file numbers.
pub use suspect_format::site::Place;

/// The blocks and instructions of a function by position. Instructions that only carry debug information do not count.
pub struct Body {
    /// Blocks in order.
    pub blocks: Vec<Block>,
    /// Instructions of all blocks in order.
    pub instructions: Vec<Value>,
    /// Position of each block's first instruction, and the end.
    pub starts: Vec<u32>,
}

impl Body {
    /// The body of `function`.
    pub fn of(function: Value) -> Body {
        let blocks = function.blocks();
        let mut body = Body { starts: vec![0], instructions: Vec::new(), blocks };
        for block in &body.blocks {
            body.instructions.extend(block.instructions());
            body.starts.push(body.instructions.len() as u32);
        }
        body
    }

    /// The instruction at a position.
    pub fn at(&self, position: u32) -> Value {
        self.instructions[position as usize]
    }

    /// Positions of the instructions of a block.
    pub fn range(&self, block: usize) -> std::ops::Range<u32> {
        self.starts[block]..self.starts[block + 1]
    }

    /// Position of a block's terminator.
    pub fn terminator(&self, block: usize) -> u32 {
        self.starts[block + 1] - 1
    }

    /// The first position in a block where a hook may stand.
    fn first(&self, block: usize) -> u32 {
        let skip = |value: Value| {
            value.is(LLVMOpcode::LLVMPHI)
                || value.is(LLVMOpcode::LLVMLandingPad)
                || (block == 0 && value.is(LLVMOpcode::LLVMAlloca))
        };
        self.range(block).find(|position| !skip(self.at(*position))).unwrap_or(self.terminator(block))
    }

    /// The position where a block is left by returning: its `ret`, or the tail call that must stay next to it.
    fn leave(&self, block: usize) -> u32 {
        let range = self.range(block);
        range.rev().take(3).find(|position| self.at(*position).is_musttail()).unwrap_or(self.terminator(block))
    }
}

/// Where a hook goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spot {
    /// Before the instruction at this position.
    Before(u32),
    /// On these successors (all the same block) of the terminator at this position.
    Split {
        /// Position of the terminator.
        terminator: u32,
        /// Successor numbers.
        successors: Vec<u32>,
    },
}

/// Which value a node has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logged {
    /// An operand of the instruction at a position.
    Operand(u32, u32),
    /// Bits `shift..shift + bits` of an operand of the instruction at a position.
    Bits(u32, u32, u32, u32),
    /// What the atomic update at a position leaves in memory.
    Updated(u32),
}

/// A piece.
#[derive(Clone, Debug)]
pub struct PieceSite {
    /// Its block.
    pub block: u32,
    /// How it ends.
    pub end: PieceEnd,
    /// Its lines, sorted.
    pub lines: Vec<Place>,
    /// Where it begins.
    pub start: u32,
    /// Whether it ends in a call that may return more than once.
    pub returns_twice: bool,
    /// An edge that in `values` mode has been taken as often as the predicate at its end was decided.
    pub counted_by: Option<u32>,
}

/// An edge.
#[derive(Clone, Debug)]
pub struct EdgeSite {
    /// Piece it leaves, or [`OUTSIDE`].
    pub from: u32,
    /// Piece it enters, or [`OUTSIDE`].
    pub to: u32,
    /// When it is taken.
    pub kind: EdgeKind,
    /// Where a counter would go; `None` when nothing can be put on it.
    pub spot: Option<Spot>,
    /// How often it is taken, estimated.
    pub weight: u64,
    /// Counter in `edges` mode, from the function's first.
    pub edges_counter: Option<u32>,
    /// Counter in `values` mode, from the function's first.
    pub values_counter: Option<u32>,
}

/// A node. Counters and edges are the function's own numbers.
#[derive(Clone, Debug)]
pub struct NodeSite {
    /// Its piece.
    pub piece: u32,
    /// What it is.
    pub kind: NodeKind,
    /// How its value is read.
    pub class: ValueClass,
    /// Bits of its value.
    pub width: u32,
    /// Where it is.
    pub place: Place,
    /// The variable's name.
    pub variable: String,
    /// The C type.
    pub type_name: String,
    /// The location or condition.
    pub expression: String,
    /// Edges taken when true and false.
    pub branches: Option<(u32, u32)>,
    /// Counter of how often it was true.
    pub true_counter: Option<u32>,
    /// Constants of a switch's cases.
    pub cases: Vec<i64>,
    /// Hook's position: before this instruction.
    pub before: u32,
    /// The value.
    pub logged: Logged,
}

/// All of a function.
#[derive(Clone, Debug)]
pub struct FunctionSites {
    /// Symbol name.
    pub name: String,
    /// Where it begins.
    pub place: Place,
    /// Last line of code.
    pub last_line: u32,
    /// Visible outside the unit.
    pub external: bool,
    /// Hash of its meaning.
    pub content_hash: u64,
    /// Pieces; the first is the entry.
    pub pieces: Vec<PieceSite>,
    /// Edges.
    pub edges: Vec<EdgeSite>,
    /// Nodes in order.
    pub nodes: Vec<NodeSite>,
    /// Compound conditions.
    pub compounds: Vec<CompoundSite>,
    /// What code mutants can change, in order.
    pub operations: Vec<OperationSite>,
    /// The variables that these name.
    pub variables: Vec<VariableSite>,
    /// State words set, and before which instruction.
    pub states: Vec<(u32, u32)>,
    /// Number of counters it needs.
    pub n_counters: u32,
}

/// What collecting needs to know besides the function.
pub struct Survey<'a> {
    /// Reads expressions.
    pub reader: Reader,
    /// Which versions will be made.
    pub versions: &'a Versions,
    /// Analyses of the running pass manager.
    pub analyses: *mut shim::Analyses,
    /// The unit's file names.
    pub files: &'a mut Files,
    /// The unit's variables.
    pub globals: &'a Globals,
}

impl Survey<'_> {
    /// The source position of an instruction.
    pub fn place_of(&mut self, instruction: Value) -> Option<Place> {
        let (line, column, scope) = ir::debug_location(instruction)?;
        (line > 0).then(|| Place { file: self.files.of_scope(scope), line, column })
    }

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
            content_hash: crate::content::hash(&body),
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

    /// Where a function's definition begins.
    pub fn place_of_function(&mut self, function: Value) -> Place {
        Info::subprogram_of(function).map_or_else(Place::default, |subprogram| Place {
            file: self.files.of_scope(subprogram.raw()),
            line: subprogram.subprogram_line(),
            column: 0,
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

/// The piece that the instruction at a position is in.
pub fn piece_at(body: &Body, pieces: &[PieceSite], position: u32) -> u32 {
    let block = body.starts.partition_point(|start| *start <= position) as u32 - 1;
    let before = |piece: &PieceSite| piece.block < block || (piece.block == block && piece.start <= position);
    let index = (pieces.partition_point(before) as u32).saturating_sub(1);
    // Allocas and phis stand before the first piece's start but belong to it.
    if pieces[index as usize].block < block { index + 1 } else { index }
}

fn edge(from: u32, to: u32, kind: EdgeKind, spot: Option<Spot>, weight: u64) -> EdgeSite {
    EdgeSite { from, to, kind, spot, weight, edges_counter: None, values_counter: None }
}

/// Whether a block is cut after `instruction`.
fn cuts(instruction: Value) -> bool {
    calls::is_call(instruction) && !instruction.is_musttail() && calls::effect(instruction) == Effect::MayStop
}

/// Number of each block's first piece.
pub fn first_pieces(pieces: &[PieceSite]) -> Vec<u32> {
    let mut first = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        if first.len() <= piece.block as usize {
            first.push(index as u32);
        }
    }
    first
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

/// Takes the next number.
pub fn next(counter: &mut u32) -> u32 {
    *counter += 1;
    *counter - 1
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
