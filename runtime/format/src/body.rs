//! The body table: the code of each `record` version, complete enough to be evaluated.
//!
//! One table for each unit in the section [`SECTION`], headed and joined like site tables; its functions are those of the unit's site
//! table, in the same order. Numbers of files are those of the site table, too. A body is:
//!
//! ```text
//! Unit | Symbol x n_symbols
//!     | (Function | Parameter.. | Variable.. | symbol.. | (n_steps | (Step | what the step says follows)..) x n_blocks) x n_functions
//! ```
//!
//! A *step* is what stores, copies, calls or decides; all else (loads, arithmetic) is in the *trees* of exactly one step and happens
//! right before it, in the order of the trees: each tree is a [`Token`] in front of its operands, which are evaluated first to last,
//! then the token itself. So what is recorded for a step comes in the order of its tokens' ends.
//!
//! # Frames
//! Everything that lives longer than a step lives in the *frame*, one object of [`Function::frame_size`] bytes which is zero when the
//! function is entered: variables, parameters, results of calls, temporary values. A temporary value's place may serve several.
//!
//! # Values
//! A value is at most 64 bits, zero-extended. Wider ones (`long double`, 128-bit integers, vectors, structures in registers) are bytes of
//! the frame that code cannot compute here: what an operation makes of them is [`Token::Opaque`], eight bytes at a time.

mod step;
mod token;

use crate::site::{Bad, Cursor, Sink, ValueClass};
pub use step::{Action, Argument, Callee, Case, Step};
pub use token::{Binary, Builtin, Cast, Compare, Token, factor};

/// Section of encoded body tables; not loaded into memory.
pub const SECTION: &str = ".suspect_body";

/// Section of the addresses of what a `record` version names and only its unit (or module) can see. For each function an array of words that
/// ends with its last: [`ADDRESSES_MAGIC`], unit hash, number of the function, n, then for each of the function's n symbols in order the
/// distance from this word to the symbol; 0 where the symbol is to be found by name.
pub const SECTION_ADDRESSES: &str = "suspect_addresses";

/// First word of a function's addresses.
pub const ADDRESSES_MAGIC: u64 = u64::from_le_bytes(*b"SUSADDRS");

/// The first record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Hash of the unit's site table.
    pub hash: u64,
    /// Number of symbols.
    pub n_symbols: u32,
    /// Number of functions: as many as the site table has, or none if the unit has no `record` versions.
    pub n_functions: u32,
}

impl Unit {
    /// Writes the record.
    pub fn encode(&self, sink: &mut impl Sink) {
        sink.unsigned(self.hash);
        sink.unsigned(self.n_symbols as u64);
        sink.unsigned(self.n_functions as u64);
    }

    /// Reads the record.
    pub fn decode(cursor: &mut Cursor) -> Result<Self, Bad> {
        Ok(Unit { hash: cursor.unsigned()?, n_symbols: cursor.small()?, n_functions: cursor.small()? })
    }
}

/// A variable or function with a name in the IR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbol<'a> {
    /// Its name; that of a string is the compiler's.
    pub name: &'a str,
    /// Which of the properties below it has.
    pub flags: u32,
    /// Bytes of a variable that is defined in the unit; else 0.
    pub size: u64,
    /// The number of the function in this table that it is.
    pub function: Option<u32>,
}

impl<'a> Symbol<'a> {
    /// It is a function.
    pub const FUNCTION: u32 = 1;
    /// Each thread has its own.
    pub const THREAD_LOCAL: u32 = 2;
    /// It is defined in the unit.
    pub const DEFINED: u32 = 4;
    /// Only the unit can see it.
    pub const LOCAL: u32 = 8;
    /// A variable that nobody writes.
    pub const CONSTANT: u32 = 16;
    /// A variable that only steps of this table write, whose loads are not recorded therefore.
    pub const KNOWN: u32 = 32;

    /// Writes the record.
    pub fn encode(&self, sink: &mut impl Sink) {
        sink.text(self.name);
        sink.unsigned(self.flags as u64);
        sink.unsigned(self.size);
        sink.optional(self.function);
    }

    /// Reads the record.
    pub fn decode(cursor: &mut Cursor<'a>) -> Result<Self, Bad> {
        Ok(Symbol {
            name: cursor.text()?,
            flags: cursor.small()?,
            size: cursor.unsigned()?,
            function: cursor.optional()?,
        })
    }
}

/// A function's head. Its [`Parameter`]s, [`Variable`]s, the numbers of the symbols that its trees name (unsigned) and its blocks follow:
/// each is a number of steps and these. Block 0 is the entry; the last step of a block alone leaves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    /// Bytes of the frame.
    pub frame_size: u64,
    /// Where in the frame the words of the arguments of calls with hooks are: one for each argument, of a structure its address.
    pub arguments: u64,
    /// Whether it takes further arguments after its parameters.
    pub variadic: bool,
    /// Number of parameters.
    pub n_parameters: u32,
    /// Number of variables.
    pub n_variables: u32,
    /// Number of symbols.
    pub n_symbols: u32,
    /// Number of blocks.
    pub n_blocks: u32,
}

impl Function {
    /// Writes the record.
    pub fn encode(&self, sink: &mut impl Sink) {
        sink.unsigned(self.frame_size);
        sink.unsigned(self.arguments);
        sink.unsigned(self.variadic as u64);
        for number in [self.n_parameters, self.n_variables, self.n_symbols, self.n_blocks] {
            sink.unsigned(number as u64);
        }
    }

    /// Reads the record.
    pub fn decode(cursor: &mut Cursor) -> Result<Self, Bad> {
        Ok(Function {
            frame_size: cursor.unsigned()?,
            arguments: cursor.unsigned()?,
            variadic: cursor.unsigned()? != 0,
            n_parameters: cursor.small()?,
            n_variables: cursor.small()?,
            n_symbols: cursor.small()?,
            n_blocks: cursor.small()?,
        })
    }
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// Integer of this many bits, 1 to 64.
    Integer(u8),
    /// Address.
    Pointer,
    /// Floating-point number of 32 bits.
    Float,
    /// Floating-point number of 64 bits.
    Double,
}

impl Type {
    /// How many bits a value has.
    pub const fn bits(self) -> u32 {
        match self {
            Type::Integer(bits) => bits as u32,
            Type::Pointer | Type::Double => 64,
            Type::Float => 32,
        }
    }

    /// How many bytes a value takes in memory.
    pub const fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    const fn number(self) -> u64 {
        match self {
            Type::Integer(bits) => bits as u64,
            Type::Pointer => 65,
            Type::Float => 66,
            Type::Double => 67,
        }
    }

    /// The type of a number; `None` when there is none.
    const fn from_number(number: u64) -> Option<Type> {
        match number {
            1..=64 => Some(Type::Integer(number as u8)),
            65 => Some(Type::Pointer),
            66 => Some(Type::Float),
            67 => Some(Type::Double),
            _ => None,
        }
    }

    fn encode(self, sink: &mut impl Sink) {
        sink.unsigned(self.number());
    }

    fn decode(cursor: &mut Cursor) -> Result<Self, Bad> {
        Type::from_number(cursor.unsigned()?).ok_or(Bad::Number)
    }
}

/// What is passed or returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Datum {
    /// A value.
    Value(Type),
    /// This many bytes, in memory.
    Bytes(u32),
}

impl Datum {
    /// How many bytes it takes in memory.
    pub const fn bytes(self) -> u32 {
        match self {
            Datum::Value(of) => of.bytes(),
            Datum::Bytes(bytes) => bytes,
        }
    }

    fn encode(self, sink: &mut impl Sink) {
        sink.unsigned(match self {
            Datum::Value(of) => of.number(),
            Datum::Bytes(bytes) => 68 + bytes as u64,
        });
    }

    fn decode(cursor: &mut Cursor) -> Result<Self, Bad> {
        let number = cursor.unsigned()?;
        match Type::from_number(number) {
            Some(of) => Ok(Datum::Value(of)),
            None => {
                let bytes = number.checked_sub(68).ok_or(Bad::Number)?;
                u32::try_from(bytes).map(Datum::Bytes).map_err(|_| Bad::Number)
            }
        }
    }

    fn encode_optional(datum: Option<Self>, sink: &mut impl Sink) {
        match datum {
            None => sink.unsigned(0),
            Some(datum) => datum.encode(sink),
        }
    }

    fn decode_optional(cursor: &mut Cursor) -> Result<Option<Self>, Bad> {
        let mut ahead = *cursor;
        if ahead.unsigned()? == 0 {
            *cursor = ahead;
            return Ok(None);
        }
        Datum::decode(cursor).map(Some)
    }
}

/// A parameter. When the function is entered its argument is in the frame at `offset`. If code without a body called, it is recorded:
/// a value at once, bytes as [`Datum::bytes`]`.div_ceil(8)` words, all under `slot`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Where in the frame it is.
    pub offset: u64,
    /// What it is. A structure that is passed by value is bytes, and what names its address names the frame's.
    pub datum: Datum,
    /// Under which number the recording predicts it.
    pub slot: u16,
}

impl Parameter {
    /// Writes the record.
    pub fn encode(&self, sink: &mut impl Sink) {
        sink.unsigned(self.offset);
        self.datum.encode(sink);
        sink.unsigned(self.slot as u64);
    }

    /// Reads the record.
    pub fn decode(cursor: &mut Cursor) -> Result<Self, Bad> {
        Ok(Parameter { offset: cursor.unsigned()?, datum: Datum::decode(cursor)?, slot: slot(cursor)? })
    }
}

/// A variable of the source, a parameter's own variable included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its C type.
    pub type_name: &'a str,
    /// How to read its value, or an array's elements.
    pub class: ValueClass,
    /// Where in the frame it is.
    pub offset: u64,
    /// Bytes that it takes.
    pub size: u64,
    /// Which parameter it holds at first, from 1; 0 for none.
    pub parameter: u32,
}

impl<'a> Variable<'a> {
    /// Writes the record.
    pub fn encode(&self, sink: &mut impl Sink) {
        sink.text(self.name);
        sink.text(self.type_name);
        sink.put(&[self.class as u8]);
        sink.unsigned(self.offset);
        sink.unsigned(self.size);
        sink.unsigned(self.parameter as u64);
    }

    /// Reads the record.
    pub fn decode(cursor: &mut Cursor<'a>) -> Result<Self, Bad> {
        Ok(Variable {
            name: cursor.text()?,
            type_name: cursor.text()?,
            class: ValueClass::decode(cursor)?,
            offset: cursor.unsigned()?,
            size: cursor.unsigned()?,
            parameter: cursor.small()?,
        })
    }
}

fn byte(cursor: &mut Cursor) -> Result<u8, Bad> {
    cursor.take(1)?.first().copied().ok_or(Bad::Truncated)
}

fn slot(cursor: &mut Cursor) -> Result<u16, Bad> {
    u16::try_from(cursor.unsigned()?).map_err(|_| Bad::Number)
}
