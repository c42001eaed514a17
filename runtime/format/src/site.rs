//! The site table: what a translation unit's counters and values mean.
//!
//! One table for each unit in the section [`crate::abi::SECTION_SITES`]; the linker puts them one after another, with
//! zero bytes between. A table is a fixed [`Header`] and a body of LEB128 integers and length-prefixed strings:
//!
//! ```text
//! Header | Unit | string x n_files | (Function | Piece.. | Edge.. | Node.. | Compound.. | Variable.. | Operation..) x n_functions | Escape x n_escapes
//! ```
//!
//! Each record has one `encode` and one `decode`, side by side. Decoding borrows from the bytes and never panics.

use crate::operation::Operator;

/// First bytes of a table.
pub const MAGIC: [u8; 8] = *b"SUSSITES";
/// Bytes of the encoded [`Header`].
pub const HEADER_LEN: usize = 24;

/// What can be wrong with a table's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bad {
    /// The bytes end inside a record.
    Truncated,
    /// The table does not begin with [`MAGIC`].
    Magic,
    /// Written by another version of the format.
    Version(u32),
    /// A number is out of its range, or longer than 10 bytes.
    Number,
    /// A string is not UTF-8.
    Text,
    /// A tag byte names no known variant.
    Tag(u8),
    /// The body's hash is not the one in the header.
    Hash,
}

/// Receives encoded bytes.
pub trait Sink {
    /// Takes the next bytes.
    fn put(&mut self, bytes: &[u8]);

    /// Takes an unsigned integer as LEB128.
    fn unsigned(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.put(&[(number as u8 & 0x7f) | 0x80]);
            number >>= 7;
        }
        self.put(&[number as u8]);
    }

    /// Takes a signed integer, zigzag-coded.
    fn signed(&mut self, number: i64) {
        self.unsigned(((number << 1) ^ (number >> 63)) as u64);
    }

    /// Takes a string and its length.
    fn text(&mut self, text: &str) {
        self.unsigned(text.len() as u64);
        self.put(text.as_bytes());
    }

    /// Takes a number that may be missing.
    fn optional(&mut self, number: Option<u32>) {
        self.unsigned(number.map_or(0, |number| number as u64 + 1));
    }
}

/// Reads encoded bytes from the front.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    /// A cursor at the start of `bytes`.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Cursor { rest: bytes }
    }

    /// The bytes not read yet.
    pub const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The next `length` bytes.
    pub fn take(&mut self, length: usize) -> Result<&'a [u8], Bad> {
        let (head, tail) = self.rest.split_at_checked(length).ok_or(Bad::Truncated)?;
        self.rest = tail;
        Ok(head)
    }

    fn byte(&mut self) -> Result<u8, Bad> {
        self.take(1)?.first().copied().ok_or(Bad::Truncated)
    }

    /// An unsigned LEB128 integer.
    pub fn unsigned(&mut self) -> Result<u64, Bad> {
        let mut number = 0u64;
        let mut shift = 0u32;
        loop {
            let byte = self.byte()?;
            let bits = (byte & 0x7f) as u64;
            if shift > 63 || (shift == 63 && bits > 1) {
                return Err(Bad::Number);
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
            shift = shift.saturating_add(7);
        }
    }

    /// An unsigned integer of 32 bits.
    pub fn small(&mut self) -> Result<u32, Bad> {
        u32::try_from(self.unsigned()?).map_err(|_| Bad::Number)
    }

    /// A zigzag-coded signed integer.
    pub fn signed(&mut self) -> Result<i64, Bad> {
        let number = self.unsigned()?;
        Ok((number >> 1) as i64 ^ ((number & 1) as i64).wrapping_neg())
    }

    /// A string.
    pub fn text(&mut self) -> Result<&'a str, Bad> {
        let length = usize::try_from(self.unsigned()?).map_err(|_| Bad::Number)?;
        core::str::from_utf8(self.take(length)?).map_err(|_| Bad::Text)
    }

    /// A number that may be missing.
    pub fn optional(&mut self) -> Result<Option<u32>, Bad> {
        match self.unsigned()? {
            0 => Ok(None),
            number => u32::try_from(number.wrapping_sub(1)).map(Some).map_err(|_| Bad::Number),
        }
    }
}

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
    let padding = section.rest.iter().take_while(|byte| **byte == 0).count();
    section.take(padding)?;
    if section.rest.is_empty() {
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
    /// Number of file names.
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

/// A scalar variable that an operation reads or could read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its C type.
    pub type_name: &'a str,
    /// How much `++` adds to its bits: 1 to a whole number, to a pointer the bytes of what it points to. 0 where `++` is not allowed, and for
    /// what cannot be said so: truth values, floating-point numbers, pointers to `void`.
    pub step: u64,
}

impl<'a> Variable<'a> {
    /// Writes the record.
    pub fn encode(&self, sink: &mut impl Sink) {
        sink.text(self.name);
        sink.text(self.type_name);
        sink.unsigned(self.step);
    }

    /// Reads the record.
    pub fn decode(cursor: &mut Cursor<'a>) -> Result<Self, Bad> {
        Ok(Variable { name: cursor.text()?, type_name: cursor.text()?, step: cursor.unsigned()? })
    }
}

/// Whether the numbers that an operator works on are signed; the IR does not always say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Signedness {
    /// Not known: only operators that do not care can take its place.
    Unknown = 0,
    /// Signed.
    Signed = 1,
    /// Unsigned numbers, and addresses.
    Unsigned = 2,
}

/// What a code mutant can change at an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperationKind {
    /// A binary operator, `+=` and its like, `++` and `--` (whose right operand is 1 or -1). Hook: `__suspect_operation` with both operands.
    Binary {
        /// The operator.
        operator: Operator,
        /// Bits of the operands.
        width: u8,
        /// Of the operands.
        signedness: Signedness,
        /// The left operand's bits if it is a constant.
        left: Option<u64>,
        /// The right operand's bits if it is a constant.
        right: Option<u64>,
    },
    /// An address plus or minus a number of elements, `++` and `--` of an address. Hook: `__suspect_operation` with the number of
    /// elements moved forwards, of 64 bits, as left operand and result.
    Step {
        /// Whether the source subtracts.
        backwards: bool,
        /// The number of elements if it is a constant.
        constant: Option<u64>,
    },
    /// `&&` or `||`. Hook: `__suspect_choice`; 1 means the other one, 2 the left operand alone, 3 the right one alone (after the left one, which
    /// is evaluated all the same).
    Logical {
        /// Whether it is `&&`.
        and: bool,
    },
    /// A constant argument of the call at the place. Hook: `__suspect_operation` with the constant as left operand and result.
    Argument {
        /// Which argument, from 0.
        position: u32,
        /// Bits of the value.
        width: u8,
        /// Whether it is a floating-point number.
        is_float: bool,
        /// The constant.
        value: u64,
    },
    /// A constant that is the whole value of the operation's node (assigned, returned). No hook of its own: the node's is asked.
    Whole {
        /// The constant's bits, as many as the node has.
        value: u64,
    },
    /// A variable's value is read; the indices (of the function's variables) of those that could be read in its place follow. Hook:
    /// `__suspect_variable`; the choice is one of these indices. Besides the variable can be changed when it is read, before or after.
    Read {
        /// The variable, an index into the function's variables.
        variable: u32,
        /// Bits of the value.
        width: u8,
        /// Number of indices that follow.
        n_others: u32,
    },
    /// A statement that is one expression (an assignment, a call whose value is not used, `++`), within one basic block. Hook:
    /// `__suspect_choice`; 1 means that it is left out.
    Statement,
    /// A plain assignment of a number to a variable, member or element, bit-fields left out. Hook: `__suspect_operation` with what is there
    /// before as left operand, what is assigned (converted to what it is assigned to) as right operand and result: its operator is
    /// [`Operator::Second`].
    Assign {
        /// Bits of the value.
        width: u8,
        /// Whether it is a floating-point number.
        is_float: bool,
        /// What is assigned if it is a constant.
        right: Option<u64>,
    },
    /// `!`, `-` or `~` of a number, where its value is one (a condition is turned by its node). Hook: `__suspect_operation` with the operand, converted to the
    /// result's type, as left and right operand.
    Unary {
        /// Bits of the result.
        width: u8,
        /// Whether the result is a floating-point number.
        is_float: bool,
    },
    /// An `if` without `else`, at its condition. Hook: `__suspect_choice` behind what it guards; 1 means that the condition is asked again, as `while` does.
    If,
}

/// A place in the code where a code mutant can change something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Piece it is in.
    pub piece: u32,
    /// Where the compiler says it is: the operator's token, the call, the identifier, the `=` of an assignment.
    pub place: Place,
    /// The node (an index into the function's nodes) whose value it takes part in, within its statement.
    pub node: Option<u32>,
    /// What can be changed.
    pub kind: OperationKind,
}

impl Operation {
    /// Writes the record; those of the other variables follow.
    pub fn encode(&self, sink: &mut impl Sink) {
        sink.unsigned(self.piece as u64);
        self.place.encode(sink);
        sink.optional(self.node);
        match self.kind {
            OperationKind::Binary { operator, width, signedness, left, right } => {
                sink.put(&[0, operator as u8, width, signedness as u8]);
                put_constant(sink, left);
                put_constant(sink, right);
            }
            OperationKind::Step { backwards, constant } => {
                sink.put(&[1, backwards as u8]);
                put_constant(sink, constant);
            }
            OperationKind::Logical { and } => sink.put(&[2, and as u8]),
            OperationKind::Argument { position, width, is_float, value } => {
                sink.put(&[3, width, is_float as u8]);
                sink.unsigned(position as u64);
                sink.signed(value as i64);
            }
            OperationKind::Whole { value } => {
                sink.put(&[4]);
                sink.signed(value as i64);
            }
            OperationKind::Read { variable, width, n_others } => {
                sink.put(&[5, width]);
                sink.unsigned(variable as u64);
                sink.unsigned(n_others as u64);
            }
            OperationKind::Statement => sink.put(&[6]),
            OperationKind::Assign { width, is_float, right } => {
                sink.put(&[7, width, is_float as u8]);
                put_constant(sink, right);
            }
            OperationKind::Unary { width, is_float } => sink.put(&[8, width, is_float as u8]),
            OperationKind::If => sink.put(&[9]),
        }
    }

    /// Reads the record.
    pub fn decode(cursor: &mut Cursor) -> Result<Self, Bad> {
        let (piece, place, node) = (cursor.small()?, Place::decode(cursor)?, cursor.optional()?);
        let kind = match cursor.byte()? {
            0 => {
                let tag = cursor.byte()?;
                let operator = Operator::from_number(tag).ok_or(Bad::Tag(tag))?;
                let width = cursor.byte()?;
                let signedness = match cursor.byte()? {
                    0 => Signedness::Unknown,
                    1 => Signedness::Signed,
                    2 => Signedness::Unsigned,
                    tag => return Err(Bad::Tag(tag)),
                };
                let (left, right) = (take_constant(cursor)?, take_constant(cursor)?);
                OperationKind::Binary { operator, width, signedness, left, right }
            }
            1 => OperationKind::Step { backwards: cursor.byte()? != 0, constant: take_constant(cursor)? },
            2 => OperationKind::Logical { and: cursor.byte()? != 0 },
            3 => {
                let (width, is_float) = (cursor.byte()?, cursor.byte()? != 0);
                OperationKind::Argument { position: cursor.small()?, width, is_float, value: cursor.signed()? as u64 }
            }
            4 => OperationKind::Whole { value: cursor.signed()? as u64 },
            5 => {
                let width = cursor.byte()?;
                OperationKind::Read { variable: cursor.small()?, width, n_others: cursor.small()? }
            }
            6 => OperationKind::Statement,
            7 => {
                let (width, is_float) = (cursor.byte()?, cursor.byte()? != 0);
                OperationKind::Assign { width, is_float, right: take_constant(cursor)? }
            }
            8 => OperationKind::Unary { width: cursor.byte()?, is_float: cursor.byte()? != 0 },
            9 => OperationKind::If,
            tag => return Err(Bad::Tag(tag)),
        };
        Ok(Operation { piece, place, node, kind })
    }
}

fn put_constant(sink: &mut impl Sink, constant: Option<u64>) {
    sink.put(&[constant.is_some() as u8]);
    if let Some(constant) = constant {
        sink.signed(constant as i64);
    }
}

fn take_constant(cursor: &mut Cursor) -> Result<Option<u64>, Bad> {
    match cursor.byte()? {
        0 => Ok(None),
        1 => Ok(Some(cursor.signed()? as u64)),
        tag => Err(Bad::Tag(tag)),
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
