//! What a location holds, written so that two runs can be compared.

/// A place in memory by canonical name: which object, and how many bytes into it (section 2, object naming).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The object, numbered by [`Names`](super::Names) so that corresponding objects of both runs have one number.
    pub object: u32,
    /// Bytes from the object's start.
    pub offset: u32,
}

/// A value. Addresses are equal if they name the same place, whatever the bits were (section 2, pointer values).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// Never written, as far as the recording knows.
    Undefined,
    /// Bits of a scalar, extended to 64.
    Number(u64),
    /// An address.
    Address(Place),
}

impl Value {
    /// The value as bits and kind, as arrays keep it.
    pub(super) fn pack(self) -> (u64, u8) {
        match self {
            Value::Undefined => (0, 0),
            Value::Number(bits) => (bits, 1),
            Value::Address(place) => (u64::from(place.object) << 32 | u64::from(place.offset), 2),
        }
    }

    /// The inverse of [`Value::pack`].
    pub(super) fn unpack(bits: u64, kind: u8) -> Value {
        match kind {
            0 => Value::Undefined,
            1 => Value::Number(bits),
            _ => Value::Address(Place { object: (bits >> 32) as u32, offset: bits as u32 }),
        }
    }
}
