//! Whatever bytes a trace file has, the reader answers, and what it believes lies inside the file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use suspect::trace::Layout;
use suspect_format::trace::{HASH_START, ProcessHeader, SEGMENT_MAGIC, SegmentHeader, UnitEntry, hash_bytes};

/// Makes the checks right, which a fuzzer would not find, so that what they protect is reached.
fn mend(bytes: &mut [u8]) {
    const HEADER: usize = std::mem::offset_of!(ProcessHeader, valid_len);
    const HEADER_CHECK: usize = std::mem::offset_of!(ProcessHeader, check);
    const SEGMENT: usize = std::mem::offset_of!(SegmentHeader, check);
    if bytes.len() > HEADER_CHECK + 8 {
        let check = hash_bytes(HASH_START, &bytes[..HEADER]);
        bytes[HEADER_CHECK..HEADER_CHECK + 8].copy_from_slice(&check.to_ne_bytes());
    }
    for start in (0..bytes.len()).step_by(suspect_format::abi::PAGE) {
        let segment = &mut bytes[start..];
        if !segment.starts_with(&SEGMENT_MAGIC) || segment.len() < size_of::<SegmentHeader>() {
            continue;
        }
        let n_units = u32::from_ne_bytes([segment[12], segment[13], segment[14], segment[15]]) as usize;
        let end = size_of::<SegmentHeader>().saturating_add(n_units.saturating_mul(size_of::<UnitEntry>()));
        if let Some(entries) = segment.get(size_of::<SegmentHeader>()..end) {
            let check = hash_bytes(hash_bytes(HASH_START, &segment[..SEGMENT]), entries);
            segment[SEGMENT..SEGMENT + 8].copy_from_slice(&check.to_ne_bytes());
        }
    }
}

fuzz_target!(|input: (bool, Vec<u8>)| {
    let (mended, mut bytes) = input;
    if mended {
        mend(&mut bytes);
    }
    let Ok(layout) = Layout::of(&bytes) else { return };
    for unit in layout.modules.iter().flat_map(|module| &module.units) {
        assert!(bytes.get(unit.counters.clone()).is_some() && bytes.get(unit.values.clone()).is_some());
        assert!(unit.counters.start % 8 == 0 && unit.counters.len() % 8 == 0 && unit.values.len() % 8 == 0);
    }
    if let Some(log) = &layout.log {
        assert!(bytes.get(log.records.clone()).is_some());
    }
});
