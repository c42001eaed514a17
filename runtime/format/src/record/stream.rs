//! Streams: where events are written, and from where they are read.

use super::{MAGIC, RecordHeader, STREAM_ADDRESS};
use crate::abi::PAGE;

/// Where a stream is written. There is always room.
pub trait Tape {
    /// Offset in the file of the next byte.
    fn offset(&self) -> u64;
    /// Writes the next byte.
    fn put(&mut self, byte: u8);
    /// Changes a byte that is written.
    fn set(&mut self, offset: u64, byte: u8);
}

/// Why nothing can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unread {
    /// The recording ends here.
    End,
    /// No writer writes that.
    Damaged,
}

/// A stream that is read.
#[derive(Clone, Copy, Debug)]
pub struct Stream<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Offset of the byte that the last bit went into, and how many of its bits are used.
    pub(super) bit_at: u64,
    pub(super) bits_used: u32,
}

impl<'a> Stream<'a> {
    /// The stream of the recording that the file `bytes` is; `None` if its header is not whole or not one.
    pub fn new(bytes: &'a [u8], header: &RecordHeader) -> Option<Self> {
        let end = header.cursor.checked_sub(STREAM_ADDRESS as u64)? as usize;
        let bytes = bytes.get(..end)?;
        (end >= PAGE && header.magic == MAGIC).then_some(Stream {
            bytes,
            at: PAGE,
            bit_at: header.bit_at,
            bits_used: header.bits_used,
        })
    }

    /// Offset in the file of the next byte.
    pub fn offset(&self) -> u64 {
        self.at as u64
    }

    /// Bytes of the file up to the stream's end.
    pub fn end(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// The next byte, which stays.
    pub fn peek(&self) -> Result<u8, Unread> {
        self.bytes.get(self.at).copied().ok_or(Unread::End)
    }

    pub(super) fn byte(&mut self) -> Result<u8, Unread> {
        let byte = self.peek()?;
        self.at = self.at.saturating_add(1);
        Ok(byte)
    }

    /// The next `length` bytes.
    pub fn take(&mut self, length: u64) -> Result<&'a [u8], Unread> {
        let end = self.at.checked_add(usize::try_from(length).map_err(|_| Unread::Damaged)?).ok_or(Unread::Damaged)?;
        let taken = self.bytes.get(self.at..end).ok_or(Unread::End)?;
        self.at = end;
        Ok(taken)
    }
}
