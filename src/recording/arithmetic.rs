//! What the operations of recorded code compute, bit by bit. Values are zero-extended to 64 bits.

use suspect_format::body::{Binary, Builtin, Cast, Compare, Type};

/// The processor would have stopped the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trap;

/// The low `width` (1 to 64) bits.
pub fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width.clamp(1, 64))
}

/// The low `width` bits of `value`, the uppermost of them as a sign.
pub fn signed(width: u32, value: u64) -> i64 {
    let shift = 64 - width.clamp(1, 64);
    (value << shift) as i64 >> shift
}

fn float(of: Type, bits: u64) -> f64 {
    match of {
        Type::Float => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

/// Arithmetic on two values of type `of`.
pub fn binary(operation: Binary, of: Type, a: u64, b: u64) -> Result<u64, Trap> {
    let width = of.bits();
    let (sa, sb) = (signed(width, a), signed(width, b));
    let overflows = sb == -1 && sa == signed(width, 1 << (width - 1));
    let result = match operation {
        Binary::Add => a.wrapping_add(b),
        Binary::Subtract => a.wrapping_sub(b),
        Binary::Multiply => a.wrapping_mul(b),
        Binary::UnsignedDivide => a.checked_div(b).ok_or(Trap)?,
        Binary::UnsignedRemainder => a.checked_rem(b).ok_or(Trap)?,
        // Narrow numbers are divided in wider registers, where nothing overflows.
        Binary::SignedDivide | Binary::SignedRemainder if overflows && width >= 32 => return Err(Trap),
        Binary::SignedDivide if sb == 0 => return Err(Trap),
        Binary::SignedRemainder if sb == 0 => return Err(Trap),
        Binary::SignedDivide => sa.wrapping_div(sb) as u64,
        Binary::SignedRemainder => sa.wrapping_rem(sb) as u64,
        Binary::ShiftLeft => a.wrapping_shl(b as u32),
        Binary::ShiftRight => a.wrapping_shr(b as u32),
        Binary::ArithmeticShiftRight => sa.wrapping_shr(b as u32) as u64,
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::FloatAdd | Binary::FloatSubtract | Binary::FloatMultiply | Binary::FloatDivide => {
            return Ok(float_binary(operation, of, a, b));
        }
    };
    Ok(result & mask(width))
}

fn float_binary(operation: Binary, of: Type, a: u64, b: u64) -> u64 {
    if of == Type::Float {
        let (a, b) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
        let result = match operation {
            Binary::FloatAdd => a + b,
            Binary::FloatSubtract => a - b,
            Binary::FloatMultiply => a * b,
            _ => a / b,
        };
        return u64::from(result.to_bits());
    }
    let (a, b) = (f64::from_bits(a), f64::from_bits(b));
    let result = match operation {
        Binary::FloatAdd => a + b,
        Binary::FloatSubtract => a - b,
        Binary::FloatMultiply => a * b,
        _ => a / b,
    };
    result.to_bits()
}

/// A comparison of two values of type `of`.
pub fn compare(operation: Compare, of: Type, a: u64, b: u64) -> bool {
    let (sa, sb) = (signed(of.bits(), a), signed(of.bits(), b));
    let (fa, fb) = (float(of, a), float(of, b));
    let unordered = fa.is_nan() || fb.is_nan();
    match operation {
        Compare::Equal => a == b,
        Compare::NotEqual => a != b,
        Compare::UnsignedGreater => a > b,
        Compare::UnsignedGreaterEqual => a >= b,
        Compare::UnsignedLess => a < b,
        Compare::UnsignedLessEqual => a <= b,
        Compare::SignedGreater => sa > sb,
        Compare::SignedGreaterEqual => sa >= sb,
        Compare::SignedLess => sa < sb,
        Compare::SignedLessEqual => sa <= sb,
        Compare::FloatFalse => false,
        Compare::FloatEqual => fa == fb,
        Compare::FloatGreater => fa > fb,
        Compare::FloatGreaterEqual => fa >= fb,
        Compare::FloatLess => fa < fb,
        Compare::FloatLessEqual => fa <= fb,
        Compare::FloatNotEqual => !unordered && fa != fb,
        Compare::FloatOrdered => !unordered,
        Compare::FloatUnordered => unordered,
        Compare::FloatOrEqual => unordered || fa == fb,
        Compare::FloatOrGreater => unordered || fa > fb,
        Compare::FloatOrGreaterEqual => unordered || fa >= fb,
        Compare::FloatOrLess => unordered || fa < fb,
        Compare::FloatOrLessEqual => unordered || fa <= fb,
        Compare::FloatOrNotEqual => unordered || fa != fb,
        Compare::FloatTrue => true,
    }
}

/// `cvttsd2si` of 32 or 64 bits: what does not fit is only the top bit.
fn truncate(wide: bool, number: f64) -> u64 {
    let (least, most) = if wide {
        (-9_223_372_036_854_775_808.0, 9_223_372_036_854_775_808.0)
    } else {
        (-2_147_483_648.0, 2_147_483_648.0)
    };
    let cut = number.trunc();
    if cut >= least && cut < most {
        cut as i64 as u64
    } else if wide {
        1 << 63
    } else {
        1 << 31
    }
}

fn from_float(to: Type, number: f64) -> u64 {
    if to == Type::Float { u64::from((number as f32).to_bits()) } else { number.to_bits() }
}

/// A conversion.
pub fn cast(cast: Cast, from: Type, to: Type, value: u64) -> u64 {
    let number = float(from, value);
    let result = match cast {
        Cast::Bits => value,
        Cast::SignExtend => signed(from.bits(), value) as u64,
        Cast::FloatToFloat => from_float(to, number),
        Cast::FloatToSigned => truncate(to.bits() > 32, number),
        Cast::FloatToUnsigned if to.bits() <= 32 => truncate(to.bits() > 16, number),
        Cast::FloatToUnsigned => {
            let less = if from == Type::Float {
                f64::from(f32::from_bits(value as u32) - 9_223_372_036_854_775_808.0)
            } else {
                number - 9_223_372_036_854_775_808.0
            };
            let low = truncate(true, number);
            low | truncate(true, less) & (low as i64 >> 63) as u64
        }
        Cast::SignedToFloat => {
            let number = signed(from.bits(), value);
            if to == Type::Float { u64::from((number as f32).to_bits()) } else { (number as f64).to_bits() }
        }
        Cast::UnsignedToFloat if to == Type::Float => u64::from((value as f32).to_bits()),
        Cast::UnsignedToFloat => (value as f64).to_bits(),
    };
    result & mask(to.bits())
}

/// What the compiler knows as a function of up to three values of type `of`.
pub fn apply(function: Builtin, of: Type, [a, b, c]: [u64; 3]) -> u64 {
    let width = of.bits();
    let (sa, sb) = (signed(width, a), signed(width, b));
    let sign = 1u64 << (width - 1);
    let shift = if width == 0 { 0 } else { (c % u64::from(width)) as u32 };
    let fits = |number: i128| number >= -(1i128 << (width - 1)) && number < 1i128 << (width - 1);
    let result = match function {
        Builtin::FloatNegate => a ^ sign,
        Builtin::FloatAbsolute => a & !sign,
        Builtin::Absolute => sa.wrapping_abs() as u64,
        Builtin::SwapBytes => a.swap_bytes() >> (64 - width),
        Builtin::CountOnes => u64::from(a.count_ones()),
        Builtin::LeadingZeros => u64::from(a.leading_zeros() - (64 - width)),
        Builtin::TrailingZeros => u64::from(a.trailing_zeros().min(width)),
        Builtin::SwapBits => a.reverse_bits() >> (64 - width),
        Builtin::FunnelLeft if shift == 0 => a,
        Builtin::FunnelLeft => a << shift | b >> (width - shift),
        Builtin::FunnelRight if shift == 0 => b,
        Builtin::FunnelRight => a << (width - shift) | b >> shift,
        Builtin::SignedMinimum => sa.min(sb) as u64,
        Builtin::SignedMaximum => sa.max(sb) as u64,
        Builtin::UnsignedMinimum => a.min(b),
        Builtin::UnsignedMaximum => a.max(b),
        Builtin::SignedAddOverflows => u64::from(!fits(i128::from(sa) + i128::from(sb))),
        Builtin::SignedSubtractOverflows => u64::from(!fits(i128::from(sa) - i128::from(sb))),
        Builtin::SignedMultiplyOverflows => u64::from(!fits(i128::from(sa) * i128::from(sb))),
        Builtin::UnsignedAddOverflows => u64::from(u128::from(a) + u128::from(b) > u128::from(mask(width))),
        Builtin::UnsignedSubtractOverflows => u64::from(a < b),
        Builtin::UnsignedMultiplyOverflows => u64::from(u128::from(a) * u128::from(b) > u128::from(mask(width))),
    };
    result & mask(width)
}

#[cfg(test)]
mod tests {
    use super::*;

    const I8: Type = Type::Integer(8);
    const I32: Type = Type::Integer(32);
    const I64: Type = Type::Integer(64);

    #[test]
    fn integers_wrap_at_their_width() {
        assert_eq!(binary(Binary::Add, I8, 0xff, 2), Ok(1));
        assert_eq!(binary(Binary::SignedDivide, I32, -7i32 as u32 as u64, 2), Ok(-3i32 as u32 as u64));
        assert_eq!(binary(Binary::SignedRemainder, I8, 0xf9, 2), Ok(0xff));
        assert_eq!(binary(Binary::ArithmeticShiftRight, I8, 0x80, 3), Ok(0xf0));
        assert_eq!(binary(Binary::SignedDivide, I32, 1 << 31, 0xffff_ffff), Err(Trap));
        assert_eq!(binary(Binary::UnsignedRemainder, I64, 1, 0), Err(Trap));
    }

    #[test]
    fn floats_are_converted_as_the_processor_does() {
        let bits = f64::to_bits;
        assert_eq!(cast(Cast::FloatToSigned, Type::Double, I32, bits(-1.9)), 0xffff_ffff);
        assert_eq!(cast(Cast::FloatToSigned, Type::Double, I32, bits(f64::NAN)), 1 << 31);
        assert_eq!(cast(Cast::FloatToSigned, Type::Double, I8, bits(300.0)), 300 & 0xff);
        assert_eq!(cast(Cast::FloatToUnsigned, Type::Double, I64, bits(1.8e19)), 18_000_000_000_000_000_000);
        assert_eq!(cast(Cast::FloatToUnsigned, Type::Double, I32, bits(4e9)), 4_000_000_000);
        assert_eq!(cast(Cast::UnsignedToFloat, I64, Type::Double, u64::MAX), bits(18_446_744_073_709_551_616.0));
        let single = |number: f32| u64::from(number.to_bits());
        assert_eq!(binary(Binary::FloatAdd, Type::Float, single(0.1), single(0.2)), Ok(single(0.1f32 + 0.2f32)));
        assert!(compare(Compare::FloatOrNotEqual, Type::Double, bits(f64::NAN), bits(1.0)));
        assert!(!compare(Compare::FloatNotEqual, Type::Double, bits(f64::NAN), bits(1.0)));
    }

    #[test]
    fn functions_of_bits() {
        assert_eq!(apply(Builtin::SwapBytes, I32, [0x1122_3344, 0, 0]), 0x4433_2211);
        assert_eq!(apply(Builtin::LeadingZeros, I32, [1, 0, 0]), 31);
        assert_eq!(apply(Builtin::TrailingZeros, I8, [0, 0, 0]), 8);
        assert_eq!(apply(Builtin::FunnelLeft, I32, [0x8000_0001, 0xc000_0000, 2]), 0b111);
        assert_eq!(apply(Builtin::SignedMultiplyOverflows, I32, [1 << 20, 1 << 12, 0]), 1);
        assert_eq!(apply(Builtin::UnsignedSubtractOverflows, I32, [1, 2, 0]), 1);
    }
}
