//! What a node's value is, as far as overriding it goes.

use suspect_format::site::{NodeKind, ValueClass};
use suspect_format::trial::TEXT_UNREADABLE;

use crate::program::Node;

/// How a node's value can be overridden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// True or false: negated.
    Truth,
    /// An integer, `char` or enumeration constant of so many bits, at most 64.
    Integer {
        /// Bits.
        width: u32,
        /// Whether it has a sign.
        signed: bool,
        /// Whether only certain values make sense.
        named: bool,
    },
    /// A `float` (32 bits) or `double` (64 bits).
    Float {
        /// Bits.
        width: u32,
    },
    /// The address of characters.
    Text,
    /// Anything else: observed, never overridden.
    Observed,
}

impl Form {
    /// The form of a node.
    pub fn of(node: &Node) -> Form {
        if node.kind == NodeKind::Predicate {
            return Form::Truth;
        }
        let integer = |signed, named| match node.width {
            1..=64 => Form::Integer { width: node.width, signed, named },
            _ => Form::Observed,
        };
        match node.class {
            ValueClass::Bool => Form::Truth,
            ValueClass::Signed => integer(true, false),
            ValueClass::Unsigned => integer(false, false),
            // Plain `char` has a sign where suspect runs.
            ValueClass::Char => integer(!is_unsigned(&node.type_name), false),
            // The compiler makes enumerations unsigned unless a constant is negative; as numbers they are small either way.
            ValueClass::Enum => integer(true, true),
            ValueClass::Float if node.width == 32 || node.width == 64 => Form::Float { width: node.width },
            ValueClass::String => Form::Text,
            ValueClass::Float | ValueClass::Pointer | ValueClass::FunctionPointer | ValueClass::Other => Form::Observed,
        }
    }

    /// The number that `bits` are; of a string, its length. `None` for what is no finite number, or no string.
    pub fn number(self, bits: u64) -> Option<f64> {
        match self {
            Form::Truth => Some(f64::from(bits != 0)),
            Form::Integer { width, signed: true, .. } => Some(sign_extended(bits, width) as f64),
            Form::Integer { width, signed: false, .. } => Some((bits & mask(width)) as f64),
            Form::Float { width: 32 } => {
                Some(f64::from(f32::from_bits(bits as u32))).filter(|number| number.is_finite())
            }
            Form::Float { .. } => Some(f64::from_bits(bits)).filter(|number| number.is_finite()),
            Form::Text if bits == 0 || bits == TEXT_UNREADABLE => None,
            Form::Text => Some((bits >> 48) as f64),
            Form::Observed => None,
        }
    }

    /// The bits of the value of this form nearest to `number`; `None` for forms that are no numbers.
    pub fn bits(self, number: f64) -> Option<u64> {
        match self {
            // Casts of floating-point numbers saturate.
            Form::Integer { width, signed: true, .. } => {
                let (least, most) = (i64::MIN >> (64 - width), i64::MAX >> (64 - width));
                Some((number.round() as i64).clamp(least, most) as u64 & mask(width))
            }
            Form::Integer { width, signed: false, .. } => Some((number.round() as u64).min(mask(width))),
            Form::Float { width: 32 } => {
                Some(u64::from((number.clamp(f64::from(f32::MIN), f64::from(f32::MAX)) as f32).to_bits()))
            }
            Form::Float { .. } => Some(number.clamp(f64::MIN, f64::MAX).to_bits()),
            Form::Truth | Form::Text | Form::Observed => None,
        }
    }
}

/// The low `width` bits, from 1 to 64.
pub(super) fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

fn sign_extended(bits: u64, width: u32) -> i64 {
    (bits << (64 - width)) as i64 >> (64 - width)
}

fn is_unsigned(type_name: &str) -> bool {
    type_name.split(' ').any(|word| word == "unsigned") || type_name.contains("uint8") || type_name.contains("u_char")
}
