//! Whatever bytes a campaign's file has, the scan answers, and what it believes is written again as it was read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use suspect::store::{encode_trials, scan_trials};
use suspect_format::trace::{HASH_START, hash_bytes};

/// Bytes of a frame's header.
const HEADER: usize = 24;

/// A frame with this payload and a checksum that fits it, which a fuzzer would not find.
fn framed(test: u32, payload: &[u8]) -> Vec<u8> {
    let mut inner = vec![253];
    inner.extend((payload.len() as u64).to_le_bytes());
    inner.extend(payload);
    let mut bytes = Vec::with_capacity(HEADER + inner.len());
    bytes.extend(b"SUSF");
    bytes.extend(test.to_le_bytes());
    bytes.extend(16u32.to_le_bytes());
    bytes.extend((inner.len() as u32).to_le_bytes());
    bytes.extend(hash_bytes(HASH_START, &inner).to_le_bytes());
    bytes.extend(inner);
    bytes
}

fuzz_target!(|input: (bool, u8, Vec<u8>)| {
    let (mended, test, bytes) = input;
    let bytes = if mended { framed(u32::from(test), &bytes) } else { bytes };
    scan_trials(&bytes, |found, record| {
        let again = encode_trials(record.key.test, found.n_nodes, std::slice::from_ref(&record));
        let mut read = Vec::new();
        assert_eq!(scan_trials(&again, |_, record| read.push(record)), 0);
        assert_eq!(read, [record]);
    });
});
