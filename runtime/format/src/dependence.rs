//! The dependence table: which instruction of a unit uses what, for slicing.
//!
//! One table for each unit in the section [`SECTION`], headed and joined like site tables; its functions are those of
//! the unit's site table, in the same order, and their pieces are the same. A body is:
//!
//! ```text
//! unit hash of the site table | n_names | string x n_names | n_initial | (Operand | Operand)..
//!     | (Function | Instruction | Operand..)..
//! ```
//!
//! `initial` are pairs of symbols: the first one's initialiser holds the address of the second.
//! Every value of a function has a number: its parameters first, then one for each instruction in order.

use crate::site::{Bad, Cursor, Sink};

/// Section of encoded dependence tables; not loaded into memory.
pub const SECTION: &str = ".suspect_deps";

/// The head of a function's instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    /// Number of parameters: values `0..n_parameters`.
    pub n_parameters: u32,
    /// Number of instructions.
    pub n_instructions: u32,
}

impl Function {
    /// Writes the record.
    pub fn encode(&self, sink: &mut impl Sink) {
        sink.unsigned(self.n_parameters as u64);
        sink.unsigned(self.n_instructions as u64);
    }

    /// Reads the record.
    pub fn decode(cursor: &mut Cursor) -> Result<Self, Bad> {
        Ok(Function { n_parameters: cursor.small()?, n_instructions: cursor.small()? })
    }
}

/// What an instruction does with its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Operation {
    /// Computes a value from the operands that is no address: arithmetic, comparison, conversion.
    Compute = 0,
    /// Makes a local object; the value is its address.
    Local = 1,
    /// Reads the memory at operand 0.
    Load = 2,
    /// Writes operand 1 to the memory at operand 0.
    Store = 3,
    /// Copies memory from operand 1 to operand 0; further operands are lengths.
    Copy = 4,
    /// Calls operand 0 with the other operands.
    Call = 5,
    /// Returns operand 0, if there is one.
    Return = 6,
    /// Branches on its operands.
    Branch = 7,
    /// Derives an address from the one in operand 0; the others are indices.
    Address = 8,
    /// Is one of its operands (phi, select).
    Choose = 9,
}

/// An instruction, followed by its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// What it does.
    pub operation: Operation,
    /// Piece it is in.
    pub piece: u32,
    /// Index into the site table's file names.
    pub file: u32,
    /// Line, 0 when the compiler gave none.
    pub line: u32,
    /// Number of operands.
    pub n_operands: u32,
}

impl Instruction {
    /// Writes the record.
    pub fn encode(&self, sink: &mut impl Sink) {
        sink.put(&[self.operation as u8]);
        for number in [self.piece, self.file, self.line, self.n_operands] {
            sink.unsigned(number as u64);
        }
    }

    /// Reads the record.
    pub fn decode(cursor: &mut Cursor) -> Result<Self, Bad> {
        let operation = match cursor.take(1)? {
            [0] => Operation::Compute,
            [1] => Operation::Local,
            [2] => Operation::Load,
            [3] => Operation::Store,
            [4] => Operation::Copy,
            [5] => Operation::Call,
            [6] => Operation::Return,
            [7] => Operation::Branch,
            [8] => Operation::Address,
            [9] => Operation::Choose,
            [tag] => return Err(Bad::Tag(*tag)),
            _ => return Err(Bad::Truncated),
        };
        Ok(Instruction {
            operation,
            piece: cursor.small()?,
            file: cursor.small()?,
            line: cursor.small()?,
            n_operands: cursor.small()?,
        })
    }
}

/// What an instruction uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A constant: nothing to depend on.
    Constant,
    /// A value of the same function.
    Value(u32),
    /// The address of a variable or function: an index into the table's names.
    Symbol(u32),
    /// The address of a variable or function that only this unit sees.
    LocalSymbol(u32),
}

impl Operand {
    /// Writes the operand.
    pub fn encode(&self, sink: &mut impl Sink) {
        sink.unsigned(match self {
            Operand::Constant => 0,
            Operand::Value(number) => 1 + 3 * *number as u64,
            Operand::Symbol(name) => 2 + 3 * *name as u64,
            Operand::LocalSymbol(name) => 3 + 3 * *name as u64,
        });
    }

    /// Reads an operand.
    pub fn decode(cursor: &mut Cursor) -> Result<Self, Bad> {
        let Some(code) = cursor.unsigned()?.checked_sub(1) else { return Ok(Operand::Constant) };
        let number = u32::try_from(code / 3).map_err(|_| Bad::Number)?;
        Ok(match code % 3 {
            0 => Operand::Value(number),
            1 => Operand::Symbol(number),
            _ => Operand::LocalSymbol(number),
        })
    }
}
