//! Operators of the program's code: what a code mutant puts one in place of another of, and what each computes.
//!
//! One definition for the pass (which finds them), the runtime (which computes the other one) and the tool (which chooses).

/// An operator on numbers of at most 64 bits. Its result is of its operands' type, a comparison's 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[allow(missing_docs, reason = "the C operator stands beside each")]
pub enum Operator {
    /// `+`
    Add = 1,
    /// `-`
    Sub = 2,
    /// `*`
    Mul = 3,
    /// `/` of signed numbers.
    SignedDiv = 4,
    /// `/` of unsigned numbers.
    UnsignedDiv = 5,
    /// `%` of signed numbers.
    SignedRem = 6,
    /// `%` of unsigned numbers.
    UnsignedRem = 7,
    /// `&`
    And = 8,
    /// `|`
    Or = 9,
    /// `^`
    Xor = 10,
    /// `<<`
    Shl = 11,
    /// `>>` of a signed number.
    SignedShr = 12,
    /// `>>` of an unsigned number.
    UnsignedShr = 13,
    /// `==`
    Equal = 14,
    /// `!=`
    NotEqual = 15,
    /// `<` of signed numbers.
    SignedLess = 16,
    /// `<=` of signed numbers.
    SignedLessEqual = 17,
    /// `>` of signed numbers.
    SignedGreater = 18,
    /// `>=` of signed numbers.
    SignedGreaterEqual = 19,
    /// `<` of unsigned numbers and addresses.
    UnsignedLess = 20,
    /// `<=` of unsigned numbers and addresses.
    UnsignedLessEqual = 21,
    /// `>` of unsigned numbers and addresses.
    UnsignedGreater = 22,
    /// `>=` of unsigned numbers and addresses.
    UnsignedGreaterEqual = 23,
    /// `+` of floating-point numbers.
    FloatAdd = 24,
    /// `-` of floating-point numbers.
    FloatSub = 25,
    /// `*` of floating-point numbers.
    FloatMul = 26,
    /// `/` of floating-point numbers.
    FloatDiv = 27,
    /// `==` of floating-point numbers.
    FloatEqual = 28,
    /// `!=` of floating-point numbers.
    FloatNotEqual = 29,
    /// `<` of floating-point numbers.
    FloatLess = 30,
    /// `<=` of floating-point numbers.
    FloatLessEqual = 31,
    /// `>` of floating-point numbers.
    FloatGreater = 32,
    /// `>=` of floating-point numbers.
    FloatGreaterEqual = 33,
    /// The left operand, of any kind. No operator of the source's.
    First = 34,
    /// The right operand, of any kind: `=`.
    Second = 35,
}

use Operator::*;

impl Operator {
    /// All operators, in the order of their numbers.
    pub const ALL: [Operator; 35] = [
        Add,
        Sub,
        Mul,
        SignedDiv,
        UnsignedDiv,
        SignedRem,
        UnsignedRem,
        And,
        Or,
        Xor,
        Shl,
        SignedShr,
        UnsignedShr,
        Equal,
        NotEqual,
        SignedLess,
        SignedLessEqual,
        SignedGreater,
        SignedGreaterEqual,
        UnsignedLess,
        UnsignedLessEqual,
        UnsignedGreater,
        UnsignedGreaterEqual,
        FloatAdd,
        FloatSub,
        FloatMul,
        FloatDiv,
        FloatEqual,
        FloatNotEqual,
        FloatLess,
        FloatLessEqual,
        FloatGreater,
        FloatGreaterEqual,
        First,
        Second,
    ];

    /// The operator whose number is `number`.
    #[inline]
    pub fn from_number(number: u8) -> Option<Operator> {
        Self::ALL.get(usize::from(number).checked_sub(1)?).copied()
    }

    /// The C token; none of those that take an operand.
    pub const fn token(self) -> &'static str {
        match self {
            Add | FloatAdd => "+",
            Sub | FloatSub => "-",
            Mul | FloatMul => "*",
            SignedDiv | UnsignedDiv | FloatDiv => "/",
            SignedRem | UnsignedRem => "%",
            And => "&",
            Or => "|",
            Xor => "^",
            Shl => "<<",
            SignedShr | UnsignedShr => ">>",
            Equal | FloatEqual => "==",
            NotEqual | FloatNotEqual => "!=",
            SignedLess | UnsignedLess | FloatLess => "<",
            SignedLessEqual | UnsignedLessEqual | FloatLessEqual => "<=",
            SignedGreater | UnsignedGreater | FloatGreater => ">",
            SignedGreaterEqual | UnsignedGreaterEqual | FloatGreaterEqual => ">=",
            First | Second => "",
        }
    }

    /// Whether operands are floating-point numbers (of 32 or 64 bits).
    #[inline]
    pub const fn is_float(self) -> bool {
        matches!(self as u8, 24..=33)
    }

    /// Whether it is `/` or `%` of integers, which may trap.
    #[inline]
    pub const fn is_division(self) -> bool {
        matches!(self, SignedDiv | UnsignedDiv | SignedRem | UnsignedRem)
    }

    /// Whether the result is 0 or 1.
    pub const fn is_comparison(self) -> bool {
        matches!(self as u8, 14..=23 | 28..=33)
    }

    /// The result for operands of `width` bits (1 to 64; 32 or 64 for floating point), both zero-extended, as is the result.
    /// `None` where the machine traps: division by zero, and the least number by -1. A shift takes the low bits of its
    /// right operand, five of them for up to 32 bits and six beyond, as the machine does in code that is not optimised.
    #[inline]
    pub fn apply(self, width: u32, left: u64, right: u64) -> Option<u64> {
        let width = width.clamp(1, 64);
        if self.is_float() {
            return Some(self.apply_float(width, left, right));
        }
        let mask = u64::MAX >> 64u32.wrapping_sub(width);
        let (left, right) = (left & mask, right & mask);
        let (a, b) = (extended(width, left), extended(width, right));
        let count = (right & if width > 32 { 63 } else { 31 }) as u32;
        let result = match self {
            Add => left.wrapping_add(right),
            Sub => left.wrapping_sub(right),
            Mul => left.wrapping_mul(right),
            SignedDiv | SignedRem if right == 0 || (b == -1 && left == 1 << width.wrapping_sub(1)) => return None,
            SignedDiv => a.checked_div(b)? as u64,
            SignedRem => a.checked_rem(b)? as u64,
            UnsignedDiv => left.checked_div(right)?,
            UnsignedRem => left.checked_rem(right)?,
            And => left & right,
            Or => left | right,
            Xor => left ^ right,
            Shl => left.wrapping_shl(count),
            SignedShr => a.wrapping_shr(count) as u64,
            UnsignedShr => left.wrapping_shr(count),
            Equal => u64::from(left == right),
            NotEqual => u64::from(left != right),
            SignedLess => u64::from(a < b),
            SignedLessEqual => u64::from(a <= b),
            SignedGreater => u64::from(a > b),
            SignedGreaterEqual => u64::from(a >= b),
            UnsignedLess => u64::from(left < right),
            UnsignedLessEqual => u64::from(left <= right),
            UnsignedGreater => u64::from(left > right),
            UnsignedGreaterEqual => u64::from(left >= right),
            First => left,
            Second => right,
            _ => return None,
        };
        Some(result & mask)
    }

    #[inline]
    fn apply_float(self, width: u32, left: u64, right: u64) -> u64 {
        match width {
            32 => {
                let (a, b) = (f32::from_bits(left as u32), f32::from_bits(right as u32));
                match self {
                    FloatAdd => u64::from((a + b).to_bits()),
                    FloatSub => u64::from((a - b).to_bits()),
                    FloatMul => u64::from((a * b).to_bits()),
                    FloatDiv => u64::from((a / b).to_bits()),
                    _ => self.compare(f64::from(a), f64::from(b)),
                }
            }
            _ => {
                let (a, b) = (f64::from_bits(left), f64::from_bits(right));
                match self {
                    FloatAdd => (a + b).to_bits(),
                    FloatSub => (a - b).to_bits(),
                    FloatMul => (a * b).to_bits(),
                    FloatDiv => (a / b).to_bits(),
                    _ => self.compare(a, b),
                }
            }
        }
    }

    #[inline]
    fn compare(self, a: f64, b: f64) -> u64 {
        u64::from(match self {
            FloatEqual => a == b,
            FloatNotEqual => a != b,
            FloatLess => a < b,
            FloatLessEqual => a <= b,
            FloatGreater => a > b,
            _ => a >= b,
        })
    }
}

/// A number of `width` bits, sign-extended.
#[inline]
const fn extended(width: u32, number: u64) -> i64 {
    let shift = 64u32.wrapping_sub(width);
    (number as i64).wrapping_shl(shift).wrapping_shr(shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_positions() {
        for operator in Operator::ALL {
            assert_eq!(Operator::from_number(operator as u8), Some(operator));
        }
        assert_eq!(Operator::from_number(0), None);
        assert_eq!(Operator::from_number(36), None);
    }

    #[test]
    fn computes_as_c_does() {
        let of = |number: i64| number as u64 & 0xffff_ffff;
        assert_eq!(SignedDiv.apply(32, of(-7), 2), Some(of(-3)));
        assert_eq!(SignedRem.apply(32, of(-7), 2), Some(of(-1)));
        assert_eq!(UnsignedDiv.apply(32, of(-7), 2), Some((u64::from(u32::MAX) - 6) / 2));
        assert_eq!(SignedDiv.apply(32, 1 << 31, of(-1)), None);
        assert_eq!(SignedRem.apply(64, 1 << 63, u64::MAX), None);
        assert_eq!(UnsignedRem.apply(8, 3, 256), None);
        assert_eq!(Shl.apply(32, 1, 33), Some(2));
        assert_eq!(SignedShr.apply(32, of(-8), 1), Some(of(-4)));
        assert_eq!(SignedLess.apply(8, 0xff, 0), Some(1));
        assert_eq!(UnsignedLess.apply(8, 0xff, 0), Some(0));
        assert_eq!(Add.apply(8, 0xff, 1), Some(0));
        assert_eq!(FloatDiv.apply(64, 1f64.to_bits(), 0), Some(f64::INFINITY.to_bits()));
        assert_eq!(FloatNotEqual.apply(32, u64::from(f32::NAN.to_bits()), 0), Some(1));
        assert_eq!((First.apply(64, 5, 1 << 63), Second.apply(64, 5, 1 << 63)), (Some(5), Some(1 << 63)));
        assert_eq!(Second.apply(8, 0, 0x123), Some(0x23));
    }
}
