//! Trees of a step: what is computed for it, token by token.

use super::{Type, byte, slot};
use crate::site::{Bad, Cursor, Sink};

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
