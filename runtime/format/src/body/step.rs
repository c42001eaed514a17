//! Steps of a body: what stores, copies, calls or decides.

use super::{Datum, Type, byte, slot};
use crate::site::{Bad, Cursor, Place, Sink};

/// What is called. All but [`Callee::Version`] has hooks around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Callee {
    /// The `record` version of this function of the table.
    Version(u32),
    /// What this symbol names, which code without a body may be.
    Symbol(u32),
    /// What the tree before the arguments says.
    Indirect,
    /// Inline assembly.
    Assembly,
    /// `setjmp` or one of its like, called by this symbol: returns again for each jump.
    Setjmp(u32),
}

/// What a step does, and what follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Stores a value of this type: value, address.
    Store(Type),
    /// Copies memory, which may overlap: destination, source, length in bytes.
    Copy,
    /// Fills memory: destination, byte, length in bytes.
    Fill,
    /// Calls: the callee's address if it is [`Callee::Indirect`], then each argument: its [`Argument`] and tree.
    Call {
        /// What is called.
        callee: Callee,
        /// Number of arguments.
        n_arguments: u32,
        /// The result and where in the frame it is stored. Bytes of a callee with hooks are also recorded, by the steps that follow.
        result: Option<(Datum, u64)>,
        /// Whether it never returns.
        stops: bool,
    },
    /// Goes to one of two blocks: condition, an integer of 1 bit. Outcome 0 is `then`, for a true condition; 1 is `otherwise`.
    Branch {
        /// Block of outcome 0.
        then: u32,
        /// Block of outcome 1.
        otherwise: u32,
    },
    /// Goes to the block of the case that a value equals: value, then each [`Case`]. The outcome is 0 for none, else the case's number from 1.
    Switch {
        /// Type of the value.
        of: Type,
        /// Block of outcome 0.
        default: u32,
        /// Number of cases.
        n_cases: u32,
    },
    /// Goes to a block. Not a point of a run.
    Jump(u32),
    /// Returns: a value, or the address of bytes.
    Return(Option<Datum>),
    /// Is not reached. Not a point of a run.
    Unreachable,
    /// Makes an object on the stack, zero at first: its size in bytes. Its address is recorded and then stored in the frame.
    Dynamic {
        /// Where its address is stored.
        offset: u64,
        /// Under which number the recording predicts the address.
        slot: u16,
    },
}

/// One step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// Where in the source.
    pub place: Place,
    /// What it does.
    pub action: Action,
}

impl Step {
    /// Writes the record.
    pub fn encode(&self, sink: &mut impl Sink) {
        self.place.encode(sink);
        match self.action {
            Action::Store(of) => {
                sink.put(&[0]);
                of.encode(sink);
            }
            Action::Copy => sink.put(&[1]),
            Action::Fill => sink.put(&[2]),
            Action::Call { callee, n_arguments, result, stops } => {
                sink.put(&[3, stops as u8]);
                encode_callee(callee, sink);
                sink.unsigned(n_arguments as u64);
                Datum::encode_optional(result.map(|result| result.0), sink);
                if let Some((_, offset)) = result {
                    sink.unsigned(offset);
                }
            }
            Action::Branch { then, otherwise } => {
                sink.put(&[4]);
                sink.unsigned(then as u64);
                sink.unsigned(otherwise as u64);
            }
            Action::Switch { of, default, n_cases } => {
                sink.put(&[5]);
                of.encode(sink);
                sink.unsigned(default as u64);
                sink.unsigned(n_cases as u64);
            }
            Action::Jump(block) => {
                sink.put(&[6]);
                sink.unsigned(block as u64);
            }
            Action::Return(datum) => {
                sink.put(&[7]);
                Datum::encode_optional(datum, sink);
            }
            Action::Unreachable => sink.put(&[8]),
            Action::Dynamic { offset, slot } => {
                sink.put(&[9]);
                sink.unsigned(offset);
                sink.unsigned(slot as u64);
            }
        }
    }

    /// Reads the record.
    pub fn decode(cursor: &mut Cursor) -> Result<Self, Bad> {
        let place = Place::decode(cursor)?;
        let action = match byte(cursor)? {
            0 => Action::Store(Type::decode(cursor)?),
            1 => Action::Copy,
            2 => Action::Fill,
            3 => {
                let stops = byte(cursor)? != 0;
                let (callee, n_arguments) = (decode_callee(cursor)?, cursor.small()?);
                let result = match Datum::decode_optional(cursor)? {
                    None => None,
                    Some(datum) => Some((datum, cursor.unsigned()?)),
                };
                Action::Call { callee, n_arguments, result, stops }
            }
            4 => Action::Branch { then: cursor.small()?, otherwise: cursor.small()? },
            5 => Action::Switch { of: Type::decode(cursor)?, default: cursor.small()?, n_cases: cursor.small()? },
            6 => Action::Jump(cursor.small()?),
            7 => Action::Return(Datum::decode_optional(cursor)?),
            8 => Action::Unreachable,
            9 => Action::Dynamic { offset: cursor.unsigned()?, slot: slot(cursor)? },
            tag => return Err(Bad::Tag(tag)),
        };
        Ok(Step { place, action })
    }
}

fn encode_callee(callee: Callee, sink: &mut impl Sink) {
    let (tag, number) = match callee {
        Callee::Version(function) => (0, Some(function)),
        Callee::Symbol(symbol) => (1, Some(symbol)),
        Callee::Indirect => (2, None),
        Callee::Assembly => (3, None),
        Callee::Setjmp(symbol) => (4, Some(symbol)),
    };
    sink.put(&[tag]);
    if let Some(number) = number {
        sink.unsigned(number as u64);
    }
}

fn decode_callee(cursor: &mut Cursor) -> Result<Callee, Bad> {
    Ok(match byte(cursor)? {
        0 => Callee::Version(cursor.small()?),
        1 => Callee::Symbol(cursor.small()?),
        2 => Callee::Indirect,
        3 => Callee::Assembly,
        4 => Callee::Setjmp(cursor.small()?),
        tag => return Err(Bad::Tag(tag)),
    })
}

/// An argument, followed by a tree: its value, or the address of its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Argument(pub Datum);

impl Argument {
    /// Writes the record.
    pub fn encode(&self, sink: &mut impl Sink) {
        self.0.encode(sink);
    }

    /// Reads the record.
    pub fn decode(cursor: &mut Cursor) -> Result<Self, Bad> {
        Datum::decode(cursor).map(Argument)
    }
}

/// One case of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Case {
    /// The value's bits.
    pub value: u64,
    /// Where to go.
    pub block: u32,
}

impl Case {
    /// Writes the record.
    pub fn encode(&self, sink: &mut impl Sink) {
        sink.unsigned(self.value);
        sink.unsigned(self.block as u64);
    }

    /// Reads the record.
    pub fn decode(cursor: &mut Cursor) -> Result<Self, Bad> {
        Ok(Case { value: cursor.unsigned()?, block: cursor.small()? })
    }
}
