//! How tables are written: LEB128 integers and strings with their lengths.

/// What can be wrong with a table's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bad {
    /// The bytes end inside a record.
    Truncated,
    /// The table does not begin with [`super::MAGIC`].
    Magic,
    /// Written by another version of the format.
    Version(u32),
    /// A number is out of its range, or longer than 10 bytes.
    Number,
    /// A string is not UTF-8.
    Text,
    /// A tag byte names no known variant.
    Tag(u8),
    /// The body's hash is not the one in the header.
    Hash,
}

/// Receives encoded bytes.
pub trait Sink {
    /// Takes the next bytes.
    fn put(&mut self, bytes: &[u8]);

    /// Takes an unsigned integer as LEB128.
    fn unsigned(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.put(&[(number as u8 & 0x7f) | 0x80]);
            number >>= 7;
        }
        self.put(&[number as u8]);
    }

    /// Takes a signed integer, zigzag-coded.
    fn signed(&mut self, number: i64) {
        self.unsigned(((number << 1) ^ (number >> 63)) as u64);
    }

    /// Takes a string and its length.
    fn text(&mut self, text: &str) {
        self.unsigned(text.len() as u64);
        self.put(text.as_bytes());
    }

    /// Takes a number that may be missing.
    fn optional(&mut self, number: Option<u32>) {
        self.unsigned(number.map_or(0, |number| number as u64 + 1));
    }
}

/// Reads encoded bytes from the front.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    /// A cursor at the start of `bytes`.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Cursor { rest: bytes }
    }

    /// The bytes not read yet.
    pub const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The next `length` bytes.
    pub fn take(&mut self, length: usize) -> Result<&'a [u8], Bad> {
        let (head, tail) = self.rest.split_at_checked(length).ok_or(Bad::Truncated)?;
        self.rest = tail;
        Ok(head)
    }

    pub(super) fn byte(&mut self) -> Result<u8, Bad> {
        self.take(1)?.first().copied().ok_or(Bad::Truncated)
    }

    /// An unsigned LEB128 integer.
    pub fn unsigned(&mut self) -> Result<u64, Bad> {
        let mut number = 0u64;
        let mut shift = 0u32;
        loop {
            let byte = self.byte()?;
            let bits = (byte & 0x7f) as u64;
            if shift > 63 || (shift == 63 && bits > 1) {
                return Err(Bad::Number);
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
            shift = shift.saturating_add(7);
        }
    }

    /// An unsigned integer of 32 bits.
    pub fn small(&mut self) -> Result<u32, Bad> {
        u32::try_from(self.unsigned()?).map_err(|_| Bad::Number)
    }

    /// A zigzag-coded signed integer.
    pub fn signed(&mut self) -> Result<i64, Bad> {
        let number = self.unsigned()?;
        Ok((number >> 1) as i64 ^ ((number & 1) as i64).wrapping_neg())
    }

    /// A string.
    pub fn text(&mut self) -> Result<&'a str, Bad> {
        let length = usize::try_from(self.unsigned()?).map_err(|_| Bad::Number)?;
        core::str::from_utf8(self.take(length)?).map_err(|_| Bad::Text)
    }

    /// A number that may be missing.
    pub fn optional(&mut self) -> Result<Option<u32>, Bad> {
        match self.unsigned()? {
            0 => Ok(None),
            number => u32::try_from(number.wrapping_sub(1)).map(Some).map_err(|_| Bad::Number),
        }
    }
}
