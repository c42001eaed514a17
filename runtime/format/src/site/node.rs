//! Nodes: program elements whose values are logged.

use super::{Bad, Cursor, Place, Sink};

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
