//! Functions: their pieces, and the edges between these.

use super::{Bad, Cursor, Place, Sink};

/// A function that has hooks, followed by its pieces, edges, nodes, compound conditions, variables and operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function<'a> {
    /// Symbol name.
    pub name: &'a str,
    /// Where its definition begins.
    pub place: Place,
    /// Last line of code.
    pub last_line: u32,
    /// Visible outside its unit.
    pub external: bool,
    /// Hash of its code, without addresses, paths, lines and columns: the same while the function means the same.
    pub content_hash: u64,
    /// Number of pieces; the first one is the entry.
    pub n_pieces: u32,
    /// Number of edges.
    pub n_edges: u32,
    /// Number of nodes.
    pub n_nodes: u32,
    /// Number of compound conditions.
    pub n_compounds: u32,
    /// Number of variables that operations name.
    pub n_variables: u32,
    /// Number of operations. Those of a unit are numbered through its functions: each has one byte in [`crate::abi::SECTION_OPERATIONS`].
    pub n_operations: u32,
}

impl<'a> Function<'a> {
    /// Writes the record.
    pub fn encode(&self, sink: &mut impl Sink) {
        sink.text(self.name);
        self.place.encode(sink);
        sink.unsigned(self.last_line as u64);
        sink.unsigned(self.external as u64);
        sink.unsigned(self.content_hash);
        let numbers =
            [self.n_pieces, self.n_edges, self.n_nodes, self.n_compounds, self.n_variables, self.n_operations];
        for number in numbers {
            sink.unsigned(number as u64);
        }
    }

    /// Reads the record.
    pub fn decode(cursor: &mut Cursor<'a>) -> Result<Self, Bad> {
        Ok(Function {
            name: cursor.text()?,
            place: Place::decode(cursor)?,
            last_line: cursor.small()?,
            external: cursor.unsigned()? != 0,
            content_hash: cursor.unsigned()?,
            n_pieces: cursor.small()?,
            n_edges: cursor.small()?,
            n_nodes: cursor.small()?,
            n_compounds: cursor.small()?,
            n_variables: cursor.small()?,
            n_operations: cursor.small()?,
        })
    }
}

/// How a piece ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum PieceEnd {
    /// In a branch, a switch or by running into the next block.
    Branch = 0,
    /// After a call that may never return; the rest of the block is the next piece.
    Call = 1,
    /// By returning.
    Return = 2,
    /// In a call that is known never to return, or in code that cannot be reached.
    Stop = 3,
}

/// A run of instructions of one basic block that either executes whole or ends the thread: a block is cut after each
/// call that may not return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The basic block it is part of, counted from 0 in the function; a block's pieces are consecutive.
    pub block: u32,
    /// How it ends.
    pub end: PieceEnd,
    /// Number of [`Place`]s that follow: the distinct source lines it covers (columns 0).
    pub n_lines: u32,
}

impl Piece {
    /// Writes the record.
    pub fn encode(&self, sink: &mut impl Sink) {
        sink.unsigned(self.block as u64);
        sink.put(&[self.end as u8]);
        sink.unsigned(self.n_lines as u64);
    }

    /// Reads the record.
    pub fn decode(cursor: &mut Cursor) -> Result<Self, Bad> {
        Ok(Piece {
            block: cursor.small()?,
            end: match cursor.byte()? {
                0 => PieceEnd::Branch,
                1 => PieceEnd::Call,
                2 => PieceEnd::Return,
                3 => PieceEnd::Stop,
                tag => return Err(Bad::Tag(tag)),
            },
            n_lines: cursor.small()?,
        })
    }
}

/// When an edge is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EdgeKind {
    /// The function is entered (`from` is [`OUTSIDE`]).
    Entry,
    /// Always.
    Always,
    /// The condition is true.
    True,
    /// The condition is false.
    False,
    /// The switched value is this one.
    Case(i64),
    /// No case matches.
    Default,
    /// The call at the end of `from` returned.
    Continue,
    /// The function returns (`to` is [`OUTSIDE`]).
    Return,
    /// The process or thread ends here, or control leaves by `longjmp` (`to` is [`OUTSIDE`]).
    Stop,
    /// One target of an indirect branch.
    Indirect,
}

/// The other end of edges that enter or leave a function.
pub const OUTSIDE: u32 = u32::MAX;

/// A control-flow edge between pieces of one function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Piece it leaves, or [`OUTSIDE`].
    pub from: u32,
    /// Piece it enters, or [`OUTSIDE`].
    pub to: u32,
    /// When it is taken.
    pub kind: EdgeKind,
    /// Counter in `edges` mode; without one the count follows from the others (what enters a piece leaves it).
    pub edges_counter: Option<u32>,
    /// Counter in `values` and `trace` mode; without one it follows likewise, [`PieceEnd::Call`] pieces excepted.
    pub values_counter: Option<u32>,
}

impl Edge {
    /// Writes the record.
    pub fn encode(&self, sink: &mut impl Sink) {
        sink.optional((self.from != OUTSIDE).then_some(self.from));
        sink.optional((self.to != OUTSIDE).then_some(self.to));
        let tag = match self.kind {
            EdgeKind::Entry => 0,
            EdgeKind::Always => 1,
            EdgeKind::True => 2,
            EdgeKind::False => 3,
            EdgeKind::Case(_) => 4,
            EdgeKind::Default => 5,
            EdgeKind::Continue => 6,
            EdgeKind::Return => 7,
            EdgeKind::Stop => 8,
            EdgeKind::Indirect => 9,
        };
        sink.put(&[tag]);
        if let EdgeKind::Case(value) = self.kind {
            sink.signed(value);
        }
        sink.optional(self.edges_counter);
        sink.optional(self.values_counter);
    }

    /// Reads the record.
    pub fn decode(cursor: &mut Cursor) -> Result<Self, Bad> {
        Ok(Edge {
            from: cursor.optional()?.unwrap_or(OUTSIDE),
            to: cursor.optional()?.unwrap_or(OUTSIDE),
            kind: match cursor.byte()? {
                0 => EdgeKind::Entry,
                1 => EdgeKind::Always,
                2 => EdgeKind::True,
                3 => EdgeKind::False,
                4 => EdgeKind::Case(cursor.signed()?),
                5 => EdgeKind::Default,
                6 => EdgeKind::Continue,
                7 => EdgeKind::Return,
                8 => EdgeKind::Stop,
                9 => EdgeKind::Indirect,
                tag => return Err(Bad::Tag(tag)),
            },
            edges_counter: cursor.optional()?,
            values_counter: cursor.optional()?,
        })
    }
}
