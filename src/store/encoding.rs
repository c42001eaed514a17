//! How the store's files are encoded: JSON for what people may read, framed bincode for the bulk.
//!
//! bincode 2 is confined to this file, behind the frame's own header, so that it can be replaced here.

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use suspect_format::trace::{HASH_START, hash_bytes};

use super::StoreError;

/// Bytes of a frame's header: magic, test, kind, payload length, payload hash.
pub const FRAME_HEADER: usize = 24;
/// What a frame begins with.
pub const FRAME_MAGIC: [u8; 4] = *b"SUSF";

/// Writes `value` to `path` so that a reader sees the old file or the new one, never half of either.
pub fn write_json(path: &Path, value: &impl Serialize) -> Result<(), StoreError> {
    let damaged = |error: serde_json::Error| StoreError::Damaged { path: path.into(), reason: error.to_string() };
    let mut text = serde_json::to_vec_pretty(value).map_err(damaged)?;
    text.push(b'\n');
    write_bytes(path, &text)
}

/// Writes `bytes` to `path` so that a reader sees the old file or the new one, never half of either.
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let directory = path.parent().unwrap_or(Path::new("."));
    let write = || -> io::Result<()> {
        // As readable as the other files there, not for its owner alone as temporary files are.
        let mut file = tempfile::Builder::new().permissions(Permissions::from_mode(0o666)).tempfile_in(directory)?;
        file.write_all(bytes)?;
        file.persist(path)?;
        Ok(())
    };
    write().map_err(StoreError::io("write", path))
}

/// Reads a value; `None` when there is no such file.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, StoreError> {
    let text = match fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(StoreError::io("read", path)(error)),
    };
    serde_json::from_slice(&text)
        .map(Some)
        .map_err(|error| StoreError::Damaged { path: path.into(), reason: error.to_string() })
}

/// A frame as found in a file.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Index of the test it belongs to.
    pub test: u32,
    /// What it holds.
    pub kind: u32,
    /// Encoded payload; its hash has not been checked yet.
    payload: &'a [u8],
    hash: u64,
}

/// Encodes `value` as a frame.
pub fn frame(test: u32, kind: u32, value: &impl Serialize) -> Vec<u8> {
    let payload =
        bincode::serde::encode_to_vec(value, bincode::config::standard()).expect("vectors of integers always encode");
    let mut bytes = Vec::with_capacity(FRAME_HEADER + payload.len());
    bytes.extend_from_slice(&FRAME_MAGIC);
    bytes.extend_from_slice(&test.to_le_bytes());
    bytes.extend_from_slice(&kind.to_le_bytes());
    bytes.extend_from_slice(&(payload.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&hash_bytes(HASH_START, &payload).to_le_bytes());
    bytes.extend_from_slice(&payload);
    bytes
}

/// The bytes that [`frame`] was given as its value, from its checked payload.
pub fn inner_bytes(payload: &[u8]) -> Option<&[u8]> {
    let (length, n_read): (u64, usize) =
        bincode::serde::decode_from_slice(payload, bincode::config::standard()).ok()?;
    Some(&payload[n_read..]).filter(|bytes| bytes.len() as u64 == length)
}

/// Finds the intact frames of a kind in a file that may end anywhere and may have lost bytes. `visit` gets the position of each and
/// its checked payload, and tells the frame's length if it can make sense of it. Returns how many stretches before the last such
/// frame had to be passed over: what follows it is what a process leaves that is killed while it writes.
pub fn scan(bytes: &[u8], kind: u32, mut visit: impl FnMut(usize, &[u8]) -> Option<usize>) -> usize {
    let (mut at, mut damaged, mut in_damage) = (0, 0, false);
    while at < bytes.len() {
        match intact(&bytes[at..], kind).and_then(|payload| visit(at, payload)) {
            Some(length) => {
                damaged += usize::from(in_damage);
                (at, in_damage) = (at + length, false);
            }
            None => {
                in_damage = true;
                let next = bytes[at + 1..].windows(FRAME_MAGIC.len()).position(|window| window == FRAME_MAGIC);
                at = next.map_or(bytes.len(), |next| at + 1 + next);
            }
        }
    }
    damaged
}

/// The payload of the frame that `bytes` begin with.
fn intact(bytes: &[u8], kind: u32) -> Option<&[u8]> {
    let (header, rest) = bytes.split_at_checked(FRAME_HEADER)?;
    let word = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let length = word(12) as usize;
    let expected = u64::from(word(16)) | u64::from(word(20)) << 32;
    let payload = rest.get(..length).filter(|_| header[..4] == FRAME_MAGIC && word(8) == kind)?;
    (hash_bytes(HASH_START, payload) == expected).then_some(payload)
}

/// Decodes a payload that [`scan`] found.
pub fn decode<T: DeserializeOwned>(payload: &[u8]) -> Option<T> {
    // A corrupt length must not make the decoder allocate without bound.
    let config = bincode::config::standard().with_limit::<{ 1 << 32 }>();
    let (value, read) = bincode::serde::decode_from_slice(payload, config).ok()?;
    (read == payload.len()).then_some(value)
}

/// All frames of a file, or what is wrong with it.
pub fn frames(mut bytes: &[u8]) -> Result<Vec<Frame<'_>>, String> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let (header, rest) = bytes.split_at_checked(FRAME_HEADER).ok_or("it ends inside a frame's header")?;
        let word = |at: usize| u32::from_le_bytes(header[at..at + 4].try_into().expect("four bytes"));
        if header[..4] != FRAME_MAGIC {
            return Err("a frame does not begin with its magic bytes".into());
        }
        let (payload, rest) = rest.split_at_checked(word(12) as usize).ok_or("it ends inside a frame")?;
        let hash = u64::from_le_bytes(header[16..24].try_into().expect("eight bytes"));
        found.push(Frame { test: word(4), kind: word(8), payload, hash });
        bytes = rest;
    }
    Ok(found)
}

impl Frame<'_> {
    /// The frame's value.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, String> {
        if hash_bytes(HASH_START, self.payload) != self.hash {
            return Err(format!("the data of test {} do not match their checksum", self.test));
        }
        // A corrupt length must not make the decoder allocate without bound.
        let config = bincode::config::standard().with_limit::<{ 1 << 32 }>();
        let (value, _) = bincode::serde::decode_from_slice(self.payload, config)
            .map_err(|error| format!("the data of test {} do not decode: {error}", self.test))?;
        Ok(value)
    }
}
