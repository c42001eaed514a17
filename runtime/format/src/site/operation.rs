//! What code mutants can change: operations, and the variables that they name.

use super::{Bad, Cursor, Place, Sink};
use crate::operation::Operator;

/// A scalar variable that an operation reads or could read, a function that one calls or could call, or a member that one names or could name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its C type.
    pub type_name: &'a str,
    /// How much `++` adds to its bits: 1 to a whole number, to a pointer the bytes of what it points to. 0 where `++` is not allowed, and for
    /// what cannot be said so: truth values, floating-point numbers, pointers to `void`, functions. Of a member it is
    /// the byte of its structure at which it begins.
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

/// What can be done at a statement besides running it.
pub mod way {
    /// It is left out.
    pub const OMITTED: u32 = 1;
    /// The statement with the number above the lowest byte runs before it.
    pub const BEFORE: u32 = 2;
    /// That one runs behind it.
    pub const BEHIND: u32 = 3;
    /// The function returns before it. The upper 24 bits are what it returns, as a signed number.
    pub const RETURNED: u32 = 4;
    /// All of them.
    pub const ALL: [u32; 4] = [OMITTED, BEFORE, BEHIND, RETURNED];
    /// Bits of the lowest byte.
    pub const BITS: u32 = 8;
}

/// Where a guard leads that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exit {
    /// Out of the function, which returns this.
    Returned(i64),
    /// To the function's [`OperationKind::Consequence`] of this number.
    Consequence(u32),
}

/// What a guard asks of a number, and the answer by which control goes elsewhere.
pub mod guard {
    use super::Exit;

    /// The number is 0, the pointer null.
    pub const ZERO: u32 = 0;
    /// It is less than 0.
    pub const NEGATIVE: u32 = 1;
    /// It is not 0.
    pub const NONZERO: u32 = 2;
    /// All of them.
    pub const ALL: [u32; 3] = [ZERO, NEGATIVE, NONZERO];
    /// Bits of an answer for each of them: the lowest one says that control goes elsewhere, the next one whether to a consequence, the others to which one, or
    /// what is returned, as a signed number.
    pub const BITS: u32 = 21;
    /// Bits of them before that number.
    pub const FLAGS: u32 = 2;
    /// All bits of one of them.
    pub const MASK: u64 = (1 << BITS) - 1;

    /// The answer by which control takes an exit where the number is as `condition` says; `None` for an exit whose number has no room.
    pub const fn answer(condition: u32, exit: Exit) -> Option<u64> {
        let (value, goes_on) = match exit {
            Exit::Returned(value) => (value, 0),
            Exit::Consequence(number) => (number as i64, 1),
        };
        let room = 64 - BITS + FLAGS;
        if (value << room) >> room != value {
            return None;
        }
        Some(((value << FLAGS | goes_on << 1 | 1) as u64 & MASK) << (condition * BITS))
    }
}

/// How the number is used that a guard compares with others, and so which relation the guard asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Use {
    /// It is the number of an element: the guard asks if it is at least the other number.
    Element,
    /// An address is moved by it: if it is greater.
    Step,
    /// It is passed, as this argument of so many: if it is greater.
    Passed {
        /// Which argument, from 0.
        position: u32,
        /// How many arguments the call has.
        n_arguments: u32,
    },
    /// Another number, the right operand, is subtracted from it: if it is less than that.
    Difference,
    /// Another number is added to it, both without a sign: if the sum is less than it.
    Sum,
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
    /// An integer of 32 or 64 bits, no constant, that the call at the place passes to a parameter. Hook: `__suspect_operation` with the integer as left
    /// operand and result, as it is before it is made wider.
    Passed {
        /// Which argument, from 0.
        position: u32,
        /// How many arguments the call has: more than its text if one is passed in pieces.
        n_arguments: u32,
        /// Bits of the value.
        width: u8,
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
    /// `__suspect_choice`; the lowest byte of its answer is one of the ways in [`way`], what is above it belongs to that.
    Statement {
        /// The number by which other statements of the function have this one run beside them, if it does the same anywhere in the function.
        copy: Option<u32>,
    },
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
    /// The subscript of an element. Hook: `__suspect_operation` with the subscript as left operand and result.
    Subscript {
        /// Bits of the type that it is computed in.
        width: u8,
        /// The subscript if it is a constant.
        constant: Option<u64>,
    },
    /// A pointer that was read and is followed or passed on. Hook: as for a [`OperationKind::Number`]; the first [`guard`] holds if it is null.
    Pointer,
    /// An integer that was read, or one that a call gave back and that is not used. Hook: `__suspect_operation` behind it, with 0 as left operand and result, and as
    /// right operand all bits of the [`guard`]s that hold of it; its operator is [`Operator::And`]. If the answer is not 0 control takes the [`Exit`] in it.
    Number {
        /// Bits of the number.
        width: u8,
        /// Whether it is known to be signed, so that it may be less than 0.
        signed: bool,
        /// Whether a call gave it back.
        result: bool,
    },
    /// An integer that is used as an element's number, as a length or in a sum, and is compared with others before; the indices (of the function's variables) of
    /// those follow, which are named by their text. Hook: as for a [`OperationKind::Number`], but in front of the use, and the n-th [`guard`] is the n-th
    /// other number. A difference and a sum have no others, but the first guard.
    Bounded {
        /// How it is used.
        used: Use,
        /// Number of indices that follow.
        n_others: u32,
    },
    /// What an `if` guards, where that is one block which does not lead to what follows: at the jump that ends it, or at the call that does not return. No hook:
    /// a guard's [`Exit`] leads there.
    Consequence {
        /// The number by which guards of the function know it.
        number: u32,
        /// Whether a call ends it.
        stops: bool,
    },
    /// A statement of another function, or of this one with other variables, that statements of this function can have run beside them: at its own place. Pairs
    /// of indices (of the function's variables) follow: the name of a variable there, and of the one that takes its place here. No hook: it is a copy.
    Donor {
        /// The number by which statements have it run.
        copy: u32,
        /// Hash of the code that it is taken from.
        content_hash: u64,
        /// Number of indices that follow.
        n_others: u32,
    },
    /// The call at the place calls a function by its name; the indices (of the function's variables) of those that could be called in its place follow.
    /// Hook: `__suspect_variable` with addresses of code; the choice is one of these indices.
    Called {
        /// The function, an index into the variables of the one around the call.
        function: u32,
        /// Number of indices that follow.
        n_others: u32,
    },
    /// The address of a member is computed, of a number or an address, whatever is done with it; the indices (of the function's variables) of other members
    /// of the same structure and type follow. Hook: `__suspect_operation` with 0 as operands and result; the answer is added to the address.
    Member {
        /// The member, an index into the function's variables.
        member: u32,
        /// Number of indices that follow.
        n_others: u32,
    },
}

impl OperationKind {
    /// How many indices of variables follow its record.
    pub fn n_others(&self) -> u32 {
        match *self {
            OperationKind::Read { n_others, .. }
            | OperationKind::Called { n_others, .. }
            | OperationKind::Bounded { n_others, .. }
            | OperationKind::Donor { n_others, .. }
            | OperationKind::Member { n_others, .. } => n_others,
            _ => 0,
        }
    }
}

/// A place in the code where a code mutant can change something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Piece it is in.
    pub piece: u32,
    /// Where the compiler says it is: the operator's token, the call, the identifier, the `=` of an assignment; of a subscript what it is an
    /// element of.
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
            OperationKind::Statement { copy: None } => sink.put(&[6]),
            OperationKind::Statement { copy: Some(copy) } => {
                sink.put(&[11]);
                sink.unsigned(copy as u64);
            }
            OperationKind::Assign { width, is_float, right } => {
                sink.put(&[7, width, is_float as u8]);
                put_constant(sink, right);
            }
            OperationKind::Unary { width, is_float } => sink.put(&[8, width, is_float as u8]),
            OperationKind::If => sink.put(&[9]),
            OperationKind::Pointer => sink.put(&[12]),
            OperationKind::Number { width, signed, result } => sink.put(&[16, width, signed as u8, result as u8]),
            OperationKind::Bounded { used, n_others } => {
                let (how, position, n_arguments) = match used {
                    Use::Element => (0, 0, 0),
                    Use::Step => (1, 0, 0),
                    Use::Passed { position, n_arguments } => (2, position, n_arguments),
                    Use::Difference => (3, 0, 0),
                    Use::Sum => (4, 0, 0),
                };
                sink.put(&[17, how]);
                if how == 2 {
                    sink.unsigned(position as u64);
                    sink.unsigned(n_arguments as u64);
                }
                sink.unsigned(n_others as u64);
            }
            OperationKind::Passed { position, n_arguments, width } => {
                sink.put(&[13, width]);
                sink.unsigned(position as u64);
                sink.unsigned(n_arguments as u64);
            }
            OperationKind::Called { function, n_others } => {
                sink.put(&[14]);
                sink.unsigned(function as u64);
                sink.unsigned(n_others as u64);
            }
            OperationKind::Member { member, n_others } => {
                sink.put(&[15]);
                sink.unsigned(member as u64);
                sink.unsigned(n_others as u64);
            }
            OperationKind::Consequence { number, stops } => {
                sink.put(&[18, stops as u8]);
                sink.unsigned(number as u64);
            }
            OperationKind::Donor { copy, content_hash, n_others } => {
                sink.put(&[19]);
                sink.unsigned(copy as u64);
                sink.unsigned(content_hash);
                sink.unsigned(n_others as u64);
            }
            OperationKind::Subscript { width, constant } => {
                sink.put(&[10, width]);
                put_constant(sink, constant);
            }
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
            6 => OperationKind::Statement { copy: None },
            7 => {
                let (width, is_float) = (cursor.byte()?, cursor.byte()? != 0);
                OperationKind::Assign { width, is_float, right: take_constant(cursor)? }
            }
            8 => OperationKind::Unary { width: cursor.byte()?, is_float: cursor.byte()? != 0 },
            9 => OperationKind::If,
            10 => OperationKind::Subscript { width: cursor.byte()?, constant: take_constant(cursor)? },
            11 => {
                let copy = u32::try_from(cursor.unsigned()?).map_err(|_| Bad::Number)?;
                OperationKind::Statement { copy: Some(copy) }
            }
            12 => OperationKind::Pointer,
            13 => {
                let width = cursor.byte()?;
                OperationKind::Passed { position: cursor.small()?, n_arguments: cursor.small()?, width }
            }
            14 => OperationKind::Called { function: cursor.small()?, n_others: cursor.small()? },
            15 => OperationKind::Member { member: cursor.small()?, n_others: cursor.small()? },
            17 => {
                let used = match cursor.byte()? {
                    0 => Use::Element,
                    1 => Use::Step,
                    2 => Use::Passed { position: cursor.small()?, n_arguments: cursor.small()? },
                    3 => Use::Difference,
                    4 => Use::Sum,
                    tag => return Err(Bad::Tag(tag)),
                };
                OperationKind::Bounded { used, n_others: cursor.small()? }
            }
            16 => OperationKind::Number {
                width: cursor.byte()?,
                signed: cursor.byte()? != 0,
                result: cursor.byte()? != 0,
            },
            18 => {
                let stops = cursor.byte()? != 0;
                OperationKind::Consequence { number: cursor.small()?, stops }
            }
            19 => OperationKind::Donor {
                copy: cursor.small()?,
                content_hash: cursor.unsigned()?,
                n_others: cursor.small()?,
            },
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
