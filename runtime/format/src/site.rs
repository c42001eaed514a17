//! The site table: what a translation unit's counters and values mean.
//!
//! One table for each unit in the section [`crate::abi::SECTION_SITES`]; the linker puts them one after another, with
//! zero bytes between. A table is a fixed [`Header`] and a body of LEB128 integers and length-prefixed strings:
//!
//! ```text
//! Header | Unit | File x n_files | (Function | Piece.. | Edge.. | Node.. | Compound.. | Variable.. | Operation..) x n_functions | Escape x n_escapes
//! ```
//!
//! Each record has one `encode` and one `decode`, side by side. Decoding borrows from the bytes and never panics.

mod compound;
mod encoding;
mod function;
mod node;
mod operation;
mod unit;

pub use compound::{Compound, Sequence, SequenceCount};
pub use encoding::{Bad, Cursor, Sink};
pub use function::{Edge, EdgeKind, Function, OUTSIDE, Piece, PieceEnd};
pub use node::{Node, NodeKind, ValueClass};
pub use operation::{Exit, Operation, OperationKind, Signedness, Use, Variable, guard, way};
pub use unit::{Escape, File, Origin, Place, Unit};

/// First bytes of a table.
pub const MAGIC: [u8; 8] = *b"SUSSITES";
/// Bytes of the encoded [`Header`].
pub const HEADER_LEN: usize = 24;

/// The fixed head of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// [`crate::FORMAT_VERSION`] of the writer.
    pub version: u32,
    /// Bytes of the body that follows.
    pub body_len: u32,
    /// [`crate::trace::hash_bytes`] of the body from [`crate::trace::HASH_START`]: the unit's identity.
    pub unit_hash: u64,
}

impl Header {
    /// The header of `body`.
    pub const fn of(body: &[u8]) -> Header {
        Header {
            version: crate::FORMAT_VERSION,
            body_len: body.len() as u32,
            unit_hash: crate::trace::hash_bytes(crate::trace::HASH_START, body),
        }
    }

    /// Writes [`HEADER_LEN`] bytes.
    pub fn encode(&self, sink: &mut impl Sink) {
        sink.put(&MAGIC);
        sink.put(&self.version.to_le_bytes());
        sink.put(&self.body_len.to_le_bytes());
        sink.put(&self.unit_hash.to_le_bytes());
    }

    fn decode(cursor: &mut Cursor) -> Result<Header, Bad> {
        if cursor.take(8)? != MAGIC {
            return Err(Bad::Magic);
        }
        let mut word = [0; 4];
        word.copy_from_slice(cursor.take(4)?);
        let version = u32::from_le_bytes(word);
        word.copy_from_slice(cursor.take(4)?);
        let body_len = u32::from_le_bytes(word);
        let mut long = [0; 8];
        long.copy_from_slice(cursor.take(8)?);
        if version != crate::FORMAT_VERSION {
            return Err(Bad::Version(version));
        }
        Ok(Header { version, body_len, unit_hash: u64::from_le_bytes(long) })
    }
}

/// The next table of a section: its header and a cursor on its body; `None` at the section's end.
pub fn next_table<'a>(section: &mut Cursor<'a>) -> Result<Option<(Header, Cursor<'a>)>, Bad> {
    let padding = section.rest().iter().take_while(|byte| **byte == 0).count();
    section.take(padding)?;
    if section.rest().is_empty() {
        return Ok(None);
    }
    let header = Header::decode(section)?;
    let body = section.take(header.body_len as usize)?;
    if Header::of(body).unit_hash != header.unit_hash {
        return Err(Bad::Hash);
    }
    Ok(Some((header, Cursor::new(body))))
}
