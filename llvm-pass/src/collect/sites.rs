//! Sites: what is found in a function, said by positions ([`Spot`], [`Logged`]), not by handles.
//!
//! The n-th instruction of a function is the n-th instruction of each of its copies, so one collection serves all versions.

use suspect_format::site::{EdgeKind, NodeKind, OperationKind, PieceEnd, Use, ValueClass};

use crate::collect::sequences::CompoundSite;
use crate::llvm::ir::{self, Block, LLVMOpcode, Value};

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
    pub fn first(&self, block: usize) -> u32 {
        let skip = |value: Value| {
            value.is(LLVMOpcode::LLVMPHI)
                || value.is(LLVMOpcode::LLVMLandingPad)
                || (block == 0 && value.is(LLVMOpcode::LLVMAlloca))
        };
        self.range(block).find(|position| !skip(self.at(*position))).unwrap_or(self.terminator(block))
    }

    /// The position where a block is left by returning: its `ret`, or the tail call that must stay next to it.
    pub fn leave(&self, block: usize) -> u32 {
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
    /// Piece it leaves, or [`OUTSIDE`](suspect_format::site::OUTSIDE).
    pub from: u32,
    /// Piece it enters, or [`OUTSIDE`](suspect_format::site::OUTSIDE).
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

/// An operation. Node and variables are the function's own numbers.
#[derive(Clone, Debug)]
pub struct OperationSite {
    /// The piece that is executed whenever it takes place.
    pub piece: u32,
    /// Where it is.
    pub place: Place,
    /// The node whose value it takes part in.
    pub node: Option<u32>,
    /// What can be changed.
    pub kind: OperationKind,
    /// The variables that could be read instead.
    pub others: Vec<u32>,
    /// Where its hook goes.
    pub spot: OperationSpot,
}

/// Where an operation's hook goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperationSpot {
    /// After the operator at this position, whose result it answers.
    Result(u32),
    /// Before the address computation at this position, whose index it answers.
    Index(u32),
    /// The same for the last index of that at this position, as it is before it is made as wide as an address.
    Subscript(u32),
    /// Before the call at this position, for this operand.
    Argument(u32, u32),
    /// Before the store at this position, whose value it answers.
    Store(u32),
    /// Before the load at this position, whose address it answers.
    Variable(u32),
    /// Behind the load at this position, which reads a pointer.
    Pointer(u32),
    /// Behind the load or call at this position, which gives an integer.
    Number(u32),
    /// Before the instruction at this position, which uses an integer.
    Bound(u32, Box<Bound>),
    /// Behind the step at this position to a member, whose address it moves.
    Member(u32),
    /// Before the call at this position, whose callee it answers.
    Callee(u32),
    /// Nowhere: guards lead to the block of this number.
    Consequence(usize),
    /// Nowhere: statements lead to a copy of this.
    Donor(Box<Donated>),
    /// Nowhere: the node's own hook is asked.
    Node,
    /// Around the instructions from the first position up to the second, which is not one of them.
    Around(u32, u32),
    /// Before the jump at the second position, which leads behind what a condition guards, for going back to the first one, where the condition begins.
    Repeat(u32, u32),
    /// On the ways out of the left side of `&&` or `||`.
    Junction(Box<Junction>),
}

/// A statement of a function that another one has a copy of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Donated {
    /// The function that it stands in, by its number in the unit.
    pub function: usize,
    /// The position of its first instruction there.
    pub first: u32,
    /// That of the instruction behind it.
    pub end: u32,
    /// The positions of its variables there, and of those that take their places.
    pub leaves: Vec<(u32, u32)>,
}

/// What an integer is compared with before it is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// How it is used.
    pub used: Use,
    /// Whether it is signed.
    pub signed: bool,
    /// The other numbers.
    pub others: Vec<Other>,
}

/// A number that another one is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Other {
    /// A positive `int`.
    Constant(u64),
    /// What is in memory.
    Memory {
        /// An address.
        base: Base,
        /// So many bytes behind it.
        offset: u64,
        /// Bits of the number.
        bits: u32,
        /// Whether it is signed.
        signed: bool,
    },
}

/// An address in a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// The one that the instruction at this position computes.
    At(u32),
    /// A variable's outside the function.
    Global(Value),
}

/// One `&&` or `||`. Blocks are numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Junction {
    /// Whether it is `&&`.
    pub and: bool,
    /// The blocks of the left side's operands; the branch of the last one stands at the operator.
    pub left: Vec<usize>,
    /// Where the right side begins.
    pub next: usize,
    /// Where the left side leads if it decides.
    pub short: usize,
    /// Where it would lead if the operator were the other one and it decided then.
    pub other: usize,
    /// What the outcome is there, where it is a value.
    pub outcomes: [Option<bool>; 2],
}

/// A variable, function or member that operations name.
#[derive(Clone, Debug)]
pub struct VariableSite {
    /// Its name.
    pub name: String,
    /// Its C type.
    pub type_name: String,
    /// How much `++` adds to its bits; 0 where it cannot be counted up. Of a member, where it begins, in bytes.
    pub step: u64,
    /// Where it is.
    pub storage: Storage,
}

/// Where a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// In the frame: the position of its `alloca`.
    Frame(u32),
    /// At an address of its own.
    Global(Value),
    /// The function that has the name.
    Code(Value),
    /// In whatever structure is named: it has no address of its own.
    Inside,
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

/// The piece that the instruction at a position is in.
pub fn piece_at(body: &Body, pieces: &[PieceSite], position: u32) -> u32 {
    let block = body.starts.partition_point(|start| *start <= position) as u32 - 1;
    let before = |piece: &PieceSite| piece.block < block || (piece.block == block && piece.start <= position);
    let index = (pieces.partition_point(before) as u32).saturating_sub(1);
    // Allocas and phis stand before the first piece's start but belong to it.
    if pieces[index as usize].block < block { index + 1 } else { index }
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

/// Line and column of an instruction.
pub fn position_of(value: Value) -> Option<(u32, u32)> {
    ir::debug_location(value).map(|(line, column, _)| (line, column))
}

/// Takes the next number.
pub fn next(counter: &mut u32) -> u32 {
    *counter += 1;
    *counter - 1
}
