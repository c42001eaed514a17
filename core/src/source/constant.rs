//! Constants as C text.

use super::literal::{Literal, LiteralValue};

/// A number of a type that the machine computes in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer.
    Integer {
        /// Its bits; those beyond `width` do not count.
        bits: u64,
        /// Bits of its type, 1 to 64.
        width: u32,
        /// Whether its type has a sign.
        signed: bool,
    },
    /// A floating-point number.
    Float {
        /// Its value.
        value: f64,
        /// 32 or 64.
        width: u32,
    },
}

impl Number {
    /// The value of an integer read with a sign; `None` for floating-point numbers.
    pub fn signed(self) -> Option<i64> {
        match self {
            Number::Integer { bits, width: width @ 1..=64, .. } => {
                let shift = 64 - width;
                Some((bits << shift) as i64 >> shift)
            }
            _ => None,
        }
    }

    fn unsigned(self) -> Option<u64> {
        match self {
            Number::Integer { bits, width: width @ 1..=64, .. } => Some(bits & u64::MAX >> (64 - width)),
            _ => None,
        }
    }
}

/// `number` as a C expression that binds as tightly as a name and, in an operation of that number's type, leaves that
/// type as it is. `replaced` is the literal that stands there now: its way of writing and its type are kept. `None` for
/// infinities and what is no number.
pub fn constant_text(number: Number, replaced: Option<Literal>) -> Option<String> {
    match number {
        Number::Integer { width: 1..=64, .. } => integer_text(number, replaced),
        Number::Integer { .. } => None,
        Number::Float { value, width } => float_text(value, width, replaced),
    }
}

fn integer_text(number: Number, replaced: Option<Literal>) -> Option<String> {
    let Number::Integer { width, signed, .. } = number else { return None };
    let written = replaced.filter(|literal| matches!(literal.value, LiteralValue::Integer(_)));
    // A constant of a narrower type is converted; a plain int says the same of numbers that fit it, and what does not
    // fit is a long.
    let (of_width, unsigned) = match written {
        Some(literal) if literal.width < width => (0, false),
        Some(literal) => (literal.width, literal.unsigned),
        None if width <= 32 => (32, !signed && width == 32),
        None => (64, !signed),
    };
    let suffix = match (of_width, unsigned) {
        (64, true) => "ul",
        (64, false) => "l",
        (32, true) => "u",
        _ => "",
    };
    let value = number.signed()?;
    // An unsigned number of a narrow type is widened with zeros; one in hexadecimal is a pattern of bits.
    let pattern = unsigned && of_width == width && written.is_some_and(|literal| literal.radix == 16);
    if value >= 0 || (!signed && width < 32) || pattern {
        return Some(positive(number.unsigned()?, suffix, written));
    }
    let magnitude = value.unsigned_abs();
    if !unsigned && (magnitude == 1 << 63 || (magnitude == 1 << 31 && of_width == 32)) {
        return Some(format!("(-{}{suffix} - 1)", magnitude - 1));
    }
    // In hexadecimal, what does not fit an int is unsigned.
    let written = written.filter(|literal| !literal.character && (magnitude < 1 << 31 || !suffix.is_empty()));
    Some(format!("(-{})", positive(magnitude, suffix, written)))
}

fn positive(value: u64, suffix: &str, written: Option<Literal>) -> String {
    match written {
        Some(literal) if literal.character && (32..127).contains(&value) => quoted(value as u8 as char),
        Some(literal) if literal.radix == 16 && value > 9 => format!("{value:#x}{suffix}"),
        Some(literal) if literal.radix == 8 && value > 7 => format!("0{value:o}{suffix}"),
        _ => format!("{value}{suffix}"),
    }
}

fn quoted(one: char) -> String {
    if matches!(one, '\'' | '\\') { format!("'\\{one}'") } else { format!("'{one}'") }
}

fn float_text(value: f64, width: u32, replaced: Option<Literal>) -> Option<String> {
    if !value.is_finite() {
        return None;
    }
    let whole = replaced.is_some_and(|literal| matches!(literal.value, LiteralValue::Integer(_)));
    let is_small =
        value.fract() == 0.0 && value.abs() < f64::from(1 << 24) && !(value == 0.0 && value.is_sign_negative());
    let magnitude = value.abs();
    let text = match width {
        _ if whole && is_small => format!("{magnitude}"),
        32 => format!("{:?}f", magnitude as f32),
        _ => format!("{magnitude:?}"),
    };
    Some(if value.is_sign_negative() { format!("(-{text})") } else { text })
}
