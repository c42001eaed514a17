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

use crate::site::{Bad, Cursor, Place, Sink, ValueClass};

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

/// Declares an enumeration whose variants are numbered from 0, and the variant of a number.
macro_rules! numbered {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum $name {
            $($(#[$doc])* $variant,)*
        }

        impl $name {
            /// All of them in the order of their numbers.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            fn decode(cursor: &mut Cursor) -> Result<Self, Bad> {
                let number = byte(cursor)?;
                $name::ALL.get(number as usize).copied().ok_or(Bad::Tag(number))
            }
        }
    };
}

numbered! {
    /// Arithmetic on two values of one type, the result's. Division traps as the processor's does.
    Binary {
        /// `+`.
        Add,
        /// `-`.
        Subtract,
        /// `*`.
        Multiply,
        /// Unsigned `/`.
        UnsignedDivide,
        /// Signed `/`.
        SignedDivide,
        /// Unsigned `%`.
        UnsignedRemainder,
        /// Signed `%`.
        SignedRemainder,
        /// `<<`. The count of any shift is less than the width: the code makes sure of that.
        ShiftLeft,
        /// `>>` of unsigned numbers.
        ShiftRight,
        /// `>>` of signed numbers.
        ArithmeticShiftRight,
        /// `&`.
        And,
        /// `|`.
        Or,
        /// `^`.
        Xor,
        /// `+` of floating-point numbers.
        FloatAdd,
        /// `-` of floating-point numbers.
        FloatSubtract,
        /// `*` of floating-point numbers.
        FloatMultiply,
        /// `/` of floating-point numbers.
        FloatDivide,
    }
}

numbered! {
    /// Comparisons; the result is an integer of 1 bit. The `Float` ones are false if a number is not one (ordered), or true (`Or`).
    Compare {
        /// `==`.
        Equal,
        /// `!=`.
        NotEqual,
        /// Unsigned `>`.
        UnsignedGreater,
        /// Unsigned `>=`.
        UnsignedGreaterEqual,
        /// Unsigned `<`.
        UnsignedLess,
        /// Unsigned `<=`.
        UnsignedLessEqual,
        /// Signed `>`.
        SignedGreater,
        /// Signed `>=`.
        SignedGreaterEqual,
        /// Signed `<`.
        SignedLess,
        /// Signed `<=`.
        SignedLessEqual,
        /// Never.
        FloatFalse,
        /// Ordered and `==`.
        FloatEqual,
        /// Ordered and `>`.
        FloatGreater,
        /// Ordered and `>=`.
        FloatGreaterEqual,
        /// Ordered and `<`.
        FloatLess,
        /// Ordered and `<=`.
        FloatLessEqual,
        /// Ordered and `!=`.
        FloatNotEqual,
        /// Both are numbers.
        FloatOrdered,
        /// One is not a number.
        FloatUnordered,
        /// Unordered or `==`.
        FloatOrEqual,
        /// Unordered or `>`.
        FloatOrGreater,
        /// Unordered or `>=`.
        FloatOrGreaterEqual,
        /// Unordered or `<`.
        FloatOrLess,
        /// Unordered or `<=`.
        FloatOrLessEqual,
        /// Unordered or `!=`.
        FloatOrNotEqual,
        /// Always.
        FloatTrue,
    }
}

numbered! {
    /// Conversions.
    Cast {
        /// The same bits, cut or zero-extended: integers, addresses, reinterpretation.
        Bits,
        /// Integers, sign-extended.
        SignExtend,
        /// `float` to `double` and back.
        FloatToFloat,
        /// To a signed integer: as `cvttsd2si` of 32 bits (of 64 for wider results), then cut. What does not fit is only the top bit.
        FloatToSigned,
        /// To an unsigned integer: as `cvttsd2si` of 32 bits for up to 16, of 64 for up to 32, then cut. To more it is `a | (b & a >> 63)` of
        /// what `cvttsd2si` makes of the number and of the number less 2^63.
        FloatToUnsigned,
        /// From a signed integer.
        SignedToFloat,
        /// From an unsigned integer.
        UnsignedToFloat,
    }
}

numbered! {
    /// What the compiler knows as functions of values. The type is that of the first operand, and of the result but for the last six,
    /// which are integers of 1 bit.
    Builtin {
        /// `-` of a floating-point number.
        FloatNegate,
        /// `fabs`.
        FloatAbsolute,
        /// `abs`.
        Absolute,
        /// Bytes in the opposite order.
        SwapBytes,
        /// Number of bits that are 1.
        CountOnes,
        /// Number of zero bits above the highest 1; the width for 0.
        LeadingZeros,
        /// Number of zero bits below the lowest 1; the width for 0.
        TrailingZeros,
        /// Bits in the opposite order.
        SwapBits,
        /// The upper half of the first two operands side by side, shifted left by the third modulo the width.
        FunnelLeft,
        /// The lower half of the first two operands side by side, shifted right by the third modulo the width.
        FunnelRight,
        /// The smaller one, signed.
        SignedMinimum,
        /// The greater one, signed.
        SignedMaximum,
        /// The smaller one, unsigned.
        UnsignedMinimum,
        /// The greater one, unsigned.
        UnsignedMaximum,
        /// Whether the signed sum does not fit.
        SignedAddOverflows,
        /// Whether the signed difference does not fit.
        SignedSubtractOverflows,
        /// Whether the signed product does not fit.
        SignedMultiplyOverflows,
        /// Whether the unsigned sum does not fit.
        UnsignedAddOverflows,
        /// Whether the unsigned difference does not fit.
        UnsignedSubtractOverflows,
        /// Whether the unsigned product does not fit.
        UnsignedMultiplyOverflows,
    }
}

/// One node of a tree, in front of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Token {
    /// A constant.
    Constant(Type, u64),
    /// The address of this symbol and a distance from it.
    Symbol(u32, i64),
    /// The address of the frame and a distance from it.
    Frame(i64),
    /// Loads a value: address. With a slot the value is recorded under this number.
    Load(Type, Option<u16>),
    /// An address and a distance from it: the address, then each term: its factor ([`factor`]) and an integer of 64 bits.
    Address {
        /// The constant part of the distance, in bytes.
        offset: i64,
        /// Number of terms.
        n_terms: u32,
    },
    /// Arithmetic: two operands of the type.
    Binary(Binary, Type),
    /// A comparison of two operands of the type.
    Compare(Compare, Type),
    /// A conversion of one operand.
    Cast {
        /// Which.
        cast: Cast,
        /// From this type.
        from: Type,
        /// To this one.
        to: Type,
    },
    /// One of two values: condition, value if true, value if false. All are evaluated.
    Select(Type),
    /// A function of one, two or three operands ([`Builtin::arity`]) of the type.
    Apply(Builtin, Type),
    /// What cannot be computed here: its value is recorded; the operands are what it was made from.
    Opaque {
        /// Type of the value.
        of: Type,
        /// Under which number the recording predicts it.
        slot: u16,
        /// Number of operands.
        n_operands: u32,
    },
}

impl Builtin {
    /// How many operands it has.
    pub const fn arity(self) -> u32 {
        match self {
            Builtin::FloatNegate
            | Builtin::FloatAbsolute
            | Builtin::Absolute
            | Builtin::SwapBytes
            | Builtin::CountOnes
            | Builtin::LeadingZeros
            | Builtin::TrailingZeros
            | Builtin::SwapBits => 1,
            Builtin::FunnelLeft | Builtin::FunnelRight => 3,
            _ => 2,
        }
    }
}

impl Token {
    /// Writes the token; its operands are to follow, each factor of an address ([`factor`]) in front of its term.
    pub fn encode(&self, sink: &mut impl Sink) {
        match *self {
            Token::Constant(of, bits) => {
                sink.put(&[0]);
                of.encode(sink);
                sink.signed(bits as i64);
            }
            Token::Symbol(symbol, offset) => {
                sink.put(&[1]);
                sink.unsigned(symbol as u64);
                sink.signed(offset);
            }
            Token::Frame(offset) => {
                sink.put(&[2]);
                sink.signed(offset);
            }
            Token::Load(of, slot) => {
                sink.put(&[3]);
                of.encode(sink);
                sink.optional(slot.map(u32::from));
            }
            Token::Address { offset, n_terms } => {
                sink.put(&[4]);
                sink.signed(offset);
                sink.unsigned(n_terms as u64);
            }
            Token::Binary(operator, of) => {
                sink.put(&[5, operator as u8]);
                of.encode(sink);
            }
            Token::Compare(operator, of) => {
                sink.put(&[6, operator as u8]);
                of.encode(sink);
            }
            Token::Cast { cast, from, to } => {
                sink.put(&[7, cast as u8]);
                from.encode(sink);
                to.encode(sink);
            }
            Token::Select(of) => {
                sink.put(&[8]);
                of.encode(sink);
            }
            Token::Apply(function, of) => {
                sink.put(&[9, function as u8]);
                of.encode(sink);
            }
            Token::Opaque { of, slot, n_operands } => {
                sink.put(&[10]);
                of.encode(sink);
                sink.unsigned(slot as u64);
                sink.unsigned(n_operands as u64);
            }
        }
    }

    /// Reads a token.
    pub fn decode(cursor: &mut Cursor) -> Result<Self, Bad> {
        Ok(match byte(cursor)? {
            0 => Token::Constant(Type::decode(cursor)?, cursor.signed()? as u64),
            1 => Token::Symbol(cursor.small()?, cursor.signed()?),
            2 => Token::Frame(cursor.signed()?),
            3 => {
                let (of, slot) = (Type::decode(cursor)?, cursor.optional()?);
                Token::Load(of, slot.map(u16::try_from).transpose().map_err(|_| Bad::Number)?)
            }
            4 => Token::Address { offset: cursor.signed()?, n_terms: cursor.small()? },
            5 => Token::Binary(Binary::decode(cursor)?, Type::decode(cursor)?),
            6 => Token::Compare(Compare::decode(cursor)?, Type::decode(cursor)?),
            7 => Token::Cast { cast: Cast::decode(cursor)?, from: Type::decode(cursor)?, to: Type::decode(cursor)? },
            8 => Token::Select(Type::decode(cursor)?),
            9 => Token::Apply(Builtin::decode(cursor)?, Type::decode(cursor)?),
            10 => Token::Opaque { of: Type::decode(cursor)?, slot: slot(cursor)?, n_operands: cursor.small()? },
            tag => return Err(Bad::Tag(tag)),
        })
    }

    /// How many trees follow.
    pub const fn arity(&self) -> u32 {
        match self {
            Token::Constant(..) | Token::Symbol(..) | Token::Frame(_) => 0,
            Token::Load(..) | Token::Cast { .. } => 1,
            Token::Binary(..) | Token::Compare(..) => 2,
            Token::Select(_) => 3,
            Token::Address { n_terms, .. } => 1 + *n_terms,
            Token::Apply(function, _) => function.arity(),
            Token::Opaque { n_operands, .. } => *n_operands,
        }
    }
}

/// The factor in front of a term of an address.
pub fn factor(cursor: &mut Cursor) -> Result<i64, Bad> {
    cursor.signed()
}

fn byte(cursor: &mut Cursor) -> Result<u8, Bad> {
    cursor.take(1)?.first().copied().ok_or(Bad::Truncated)
}

fn slot(cursor: &mut Cursor) -> Result<u16, Bad> {
    u16::try_from(cursor.unsigned()?).map_err(|_| Bad::Number)
}
