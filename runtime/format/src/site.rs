//! The site table: what a translation unit's counters and values mean.
//!
//! One table for each unit in the section [`crate::abi::SECTION_SITES`]; the linker puts them one after another, with
//! zero bytes between. A table is a fixed [`Header`] and a body of LEB128 integers and length-prefixed strings:
//!
//! ```text
//! Header | Unit | File x n_files | (Function | Piece.. | Edge.. | Node.. | Compound.. | Variable.. | Operation..) x n_functions | Escape x n_escapes
//! ```
//!
//! Each record has one `encode` and one `decode`, side by side. Decoding borrows from the bytes and never panics.

mod encoding;
mod operation;

pub use encoding::{Bad, Cursor, Sink};
pub use operation::{Operation, OperationKind, Signedness, Variable, guard, way};

/// First bytes of a table.
pub const MAGIC: [u8; 8] = *b"SUSSITES";
/// Bytes of the encoded [`Header`].
pub const HEADER_LEN: usize = 24;

/// The fixed head of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// [`crate::FORMAT_VERSION`] of the writer.
    pub version: u32,
    /// Bytes of the body that follows.
    pub body_len: u32,
    /// [`crate::trace::hash_bytes`] of the body from [`crate::trace::HASH_START`]: the unit's identity.
    pub unit_hash: u64,
}

impl Header {
    /// The header of `body`.
    pub const fn of(body: &[u8]) -> Header {
        Header {
            version: crate::FORMAT_VERSION,
            body_len: body.len() as u32,
            unit_hash: crate::trace::hash_bytes(crate::trace::HASH_START, body),
        }
    }

    /// Writes [`HEADER_LEN`] bytes.
    pub fn encode(&self, sink: &mut impl Sink) {
        sink.put(&MAGIC);
        sink.put(&self.version.to_le_bytes());
        sink.put(&self.body_len.to_le_bytes());
        sink.put(&self.unit_hash.to_le_bytes());
    }

    fn decode(cursor: &mut Cursor) -> Result<Header, Bad> {
        if cursor.take(8)? != MAGIC {
            return Err(Bad::Magic);
        }
        let mut word = [0; 4];
        word.copy_from_slice(cursor.take(4)?);
        let version = u32::from_le_bytes(word);
        word.copy_from_slice(cursor.take(4)?);
        let body_len = u32::from_le_bytes(word);
        let mut long = [0; 8];
        long.copy_from_slice(cursor.take(8)?);
        if version != crate::FORMAT_VERSION {
            return Err(Bad::Version(version));
        }
        Ok(Header { version, body_len, unit_hash: u64::from_le_bytes(long) })
    }
}

/// The next table of a section: its header and a cursor on its body; `None` at the section's end.
pub fn next_table<'a>(section: &mut Cursor<'a>) -> Result<Option<(Header, Cursor<'a>)>, Bad> {
    let padding = section.rest().iter().take_while(|byte| **byte == 0).count();
    section.take(padding)?;
    if section.rest().is_empty() {
        return Ok(None);
    }
    let header = Header::decode(section)?;
    let body = section.take(header.body_len as usize)?;
    if Header::of(body).unit_hash != header.unit_hash {
        return Err(Bad::Hash);
    }
    Ok(Some((header, Cursor::new(body))))
}

/// The first record of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit<'a> {
    /// Source file as given to the compiler.
    pub source: &'a str,
    /// Directory the compiler ran in.
    pub directory: &'a str,
    /// The compiler's own name and version.
    pub producer: &'a str,
    /// Bit `1 << mode` for each [`crate::abi::Mode`] that the unit's functions have a version for.
    pub modes: u32,
    /// Number of counters.
    pub n_counters: u32,
    /// Number of values.
    pub n_values: u32,
    /// Number of files.
    pub n_files: u32,
    /// Number of functions.
    pub n_functions: u32,
    /// Number of functions left as they were.
    pub n_escapes: u32,
}

impl<'a> Unit<'a> {
    /// Writes the record.
    pub fn encode(&self, sink: &mut impl Sink) {
        sink.text(self.source);
        sink.text(self.directory);
        sink.text(self.producer);
        for number in [self.modes, self.n_counters, self.n_values, self.n_files, self.n_functions, self.n_escapes] {
            sink.unsigned(number as u64);
        }
    }

    /// Reads the record.
    pub fn decode(cursor: &mut Cursor<'a>) -> Result<Self, Bad> {
        Ok(Unit {
            source: cursor.text()?,
            directory: cursor.text()?,
            producer: cursor.text()?,
            modes: cursor.small()?,
            n_counters: cursor.small()?,
            n_values: cursor.small()?,
            n_files: cursor.small()?,
            n_functions: cursor.small()?,
            n_escapes: cursor.small()?,
        })
    }
}

/// A source file that a unit has code of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct File<'a> {
    /// Its name, seen from the compiler's directory.
    pub name: &'a str,
    /// Who says that the code is this file's.
    pub origin: Origin,
}

/// Who says that code is a file's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// The compiler read the code there.
    Read,
    /// A line directive (`#line 5 "grammar.y"`) names the file, which the compiler never opened.
    Named,
}

impl<'a> File<'a> {
    /// Writes the record.
    pub fn encode(&self, sink: &mut impl Sink) {
        sink.text(self.name);
        sink.unsigned((self.origin == Origin::Named) as u64);
    }

    /// Reads the record.
    pub fn decode(cursor: &mut Cursor<'a>) -> Result<Self, Bad> {
        let name = cursor.text()?;
        let origin = match cursor.unsigned()? {
            0 => Origin::Read,
            1 => Origin::Named,
            _ => return Err(Bad::Number),
        };
        Ok(File { name, origin })
    }
}

/// A place in the source. Line 0: the compiler gave none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Index into the unit's file names.
    pub file: u32,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; 0 when unknown.
    pub column: u32,
}

impl Place {
    /// Writes the record.
    pub fn encode(&self, sink: &mut impl Sink) {
        for number in [self.file, self.line, self.column] {
            sink.unsigned(number as u64);
        }
    }

    /// Reads the record.
    pub fn decode(cursor: &mut Cursor) -> Result<Self, Bad> {
        Ok(Place { file: cursor.small()?, line: cursor.small()?, column: cursor.small()? })
    }
}

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

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum NodeKind {
    /// A scalar, element or field written by an assignment, `++` or `+=`, or an initialiser.
    Assignment = 0,
    /// A parameter's value at entry.
    Parameter = 1,
    /// The condition of `if`, a loop or `?:`, or an operand of `&&`/`||`.
    Predicate = 2,
    /// The value of a `switch`.
    Switch = 3,
    /// A returned value.
    Return = 4,
}

/// How a node's value word is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum ValueClass {
    /// 0 or 1.
    Bool = 0,
    /// Signed integer.
    Signed = 1,
    /// Unsigned integer.
    Unsigned = 2,
    /// `char`, signed or not.
    Char = 3,
    /// Enumeration constant.
    Enum = 4,
    /// Floating point, by its bits.
    Float = 5,
    /// Address of an object.
    Pointer = 6,
    /// Address of characters.
    String = 7,
    /// Address of a function.
    FunctionPointer = 8,
    /// Anything else, by its low 64 bits.
    Other = 9,
}

impl ValueClass {
    /// Reads the byte that stands for one.
    pub fn decode(cursor: &mut Cursor) -> Result<Self, Bad> {
        Ok(match cursor.byte()? {
            0 => ValueClass::Bool,
            1 => ValueClass::Signed,
            2 => ValueClass::Unsigned,
            3 => ValueClass::Char,
            4 => ValueClass::Enum,
            5 => ValueClass::Float,
            6 => ValueClass::Pointer,
            7 => ValueClass::String,
            8 => ValueClass::FunctionPointer,
            9 => ValueClass::Other,
            tag => return Err(Bad::Tag(tag)),
        })
    }
}

/// A program element whose values are logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node<'a> {
    /// Piece it is in.
    pub piece: u32,
    /// What it is.
    pub kind: NodeKind,
    /// How to read its value.
    pub class: ValueClass,
    /// Bits of the value.
    pub width: u32,
    /// Where the value is taken.
    pub place: Place,
    /// The variable written or the parameter's name; empty for predicates and returned values.
    pub variable: &'a str,
    /// C type of the value.
    pub type_name: &'a str,
    /// The written location or the condition, as C text with blanks normalised; empty when it has no short form.
    pub expression: &'a str,
    /// Position among the function's nodes of the same kind, variable and expression.
    pub ordinal: u32,
    /// Position of its value among the unit's values.
    pub value: u32,
    /// Predicates that branch: the edge taken when true (an index into the function's edges).
    pub true_edge: Option<u32>,
    /// Predicates that branch: the edge taken when false.
    pub false_edge: Option<u32>,
    /// Predicates that only yield a value: the counter of how often it was true.
    pub true_counter: Option<u32>,
    /// Switches: number of cases. Their constants follow the record, in the order of the source, a range as each of its numbers or, if it is
    /// long, not at all.
    pub n_cases: u32,
}

impl<'a> Node<'a> {
    /// Writes the record.
    pub fn encode(&self, sink: &mut impl Sink) {
        sink.unsigned(self.piece as u64);
        sink.put(&[self.kind as u8, self.class as u8]);
        sink.unsigned(self.width as u64);
        self.place.encode(sink);
        sink.text(self.variable);
        sink.text(self.type_name);
        sink.text(self.expression);
        sink.unsigned(self.ordinal as u64);
        sink.unsigned(self.value as u64);
        sink.optional(self.true_edge);
        sink.optional(self.false_edge);
        sink.optional(self.true_counter);
        if self.kind == NodeKind::Switch {
            sink.unsigned(self.n_cases as u64);
        }
    }

    /// Reads the record.
    pub fn decode(cursor: &mut Cursor<'a>) -> Result<Self, Bad> {
        let mut node = Node {
            piece: cursor.small()?,
            kind: match cursor.byte()? {
                0 => NodeKind::Assignment,
                1 => NodeKind::Parameter,
                2 => NodeKind::Predicate,
                3 => NodeKind::Switch,
                4 => NodeKind::Return,
                tag => return Err(Bad::Tag(tag)),
            },
            class: ValueClass::decode(cursor)?,
            width: cursor.small()?,
            place: Place::decode(cursor)?,
            variable: cursor.text()?,
            type_name: cursor.text()?,
            expression: cursor.text()?,
            ordinal: cursor.small()?,
            value: cursor.small()?,
            true_edge: cursor.optional()?,
            false_edge: cursor.optional()?,
            true_counter: cursor.optional()?,
            n_cases: 0,
        };
        if node.kind == NodeKind::Switch {
            node.n_cases = cursor.small()?;
        }
        Ok(node)
    }
}

/// Where the number of times a sequence was followed is to be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SequenceCount {
    /// The count of this edge of the function.
    Edge(u32),
    /// This counter of the unit.
    Counter(u32),
}

/// A condition of two or more operands joined by `&&` and `||`, followed by its conditions (indices of nodes) and its
/// evaluation sequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compound {
    /// Where the whole condition begins.
    pub place: Place,
    /// Number of conditions.
    pub n_conditions: u32,
    /// Number of evaluation sequences that short-circuit evaluation allows.
    pub n_sequences: u32,
}

impl Compound {
    /// Writes the record.
    pub fn encode(&self, sink: &mut impl Sink) {
        self.place.encode(sink);
        sink.unsigned(self.n_conditions as u64);
        sink.unsigned(self.n_sequences as u64);
    }

    /// Reads the record.
    pub fn decode(cursor: &mut Cursor) -> Result<Self, Bad> {
        Ok(Compound { place: Place::decode(cursor)?, n_conditions: cursor.small()?, n_sequences: cursor.small()? })
    }
}

/// One evaluation sequence, followed by its steps: for each condition evaluated, in order,
/// `2 * position among the compound's conditions + value` as an unsigned integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sequence {
    /// Number of steps.
    pub n_steps: u32,
    /// Where its count is.
    pub count: SequenceCount,
}

impl Sequence {
    /// Writes the record.
    pub fn encode(&self, sink: &mut impl Sink) {
        sink.unsigned(self.n_steps as u64);
        let (tag, number) = match self.count {
            SequenceCount::Edge(edge) => (0, edge),
            SequenceCount::Counter(counter) => (1, counter),
        };
        sink.put(&[tag]);
        sink.unsigned(number as u64);
    }

    /// Reads the record.
    pub fn decode(cursor: &mut Cursor) -> Result<Self, Bad> {
        let n_steps = cursor.small()?;
        let count = match cursor.byte()? {
            0 => SequenceCount::Edge(cursor.small()?),
            1 => SequenceCount::Counter(cursor.small()?),
            tag => return Err(Bad::Tag(tag)),
        };
        Ok(Sequence { n_steps, count })
    }
}

/// A function that was left as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Escape<'a> {
    /// Symbol name.
    pub name: &'a str,
    /// Where its definition begins.
    pub place: Place,
    /// Why, as a fragment that fits "not instrumented: ...".
    pub reason: &'a str,
}

impl<'a> Escape<'a> {
    /// Writes the record.
    pub fn encode(&self, sink: &mut impl Sink) {
        sink.text(self.name);
        self.place.encode(sink);
        sink.text(self.reason);
    }

    /// Reads the record.
    pub fn decode(cursor: &mut Cursor<'a>) -> Result<Self, Bad> {
        Ok(Escape { name: cursor.text()?, place: Place::decode(cursor)?, reason: cursor.text()? })
    }
}
