//! Trials as they stand in files: frames that are appended and never changed after that.
//!
//! A file may end anywhere, since whoever writes it may be killed, and a disk may lose a byte. Each frame has a checksum: what
//! does not fit it is passed over, and what it held counts as not done.

use suspect_core::trial::End;

use super::encoding::{self, FRAME_HEADER};
use super::log::{Outcomes, coded_end, decoded_end};

/// Which trial: one change of one node's value in one test. The order is that of reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TrialKey {
    /// Index of the test in the run's manifest.
    pub test: u32,
    /// The node.
    pub node: u32,
    /// Which of its mutants.
    pub slot: u32,
    /// Which execution of it, from 1; 0 for every one.
    pub instance: u64,
}

/// What is kept of a trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrialRecord {
    /// Which.
    pub key: TrialKey,
    /// How it ended.
    pub end: End,
    /// Whether it was forked from the test's own run.
    pub forked: bool,
    /// Whether the override changed a value.
    pub applied: bool,
    /// Whether what the test looks at changed.
    pub output_changed: bool,
    /// Whether the test passed, where that is known.
    pub passes: Option<bool>,
    /// Hooks and ticks executed.
    pub used: u64,
    /// One bit for each node that the test covers, 64 to a word: whether its trajectory changed.
    pub changed: Box<[u64]>,
}

/// Trials of one test that are kept together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrialFrame {
    /// Index of the test in the run's manifest.
    pub test: u32,
    /// Nodes that are observed in it.
    pub n_nodes: u32,
    /// The trials.
    pub records: Vec<TrialRecord>,
}

impl Outcomes for TrialFrame {
    const KIND: u32 = 16;
    const EXTENSION: &'static str = "trials";

    fn frame(&self) -> Vec<u8> {
        encode_trials(self.test, self.n_nodes, &self.records)
    }
}

/// Encodes trials of one test, in which `n_nodes` nodes are observed, as a frame.
///
/// # Panics
/// When a record is of another test or has bits for another number of nodes.
pub fn encode_trials(test: u32, n_nodes: u32, records: &[TrialRecord]) -> Vec<u8> {
    let mut payload = Vec::new();
    for number in [u64::from(test), u64::from(n_nodes), records.len() as u64] {
        put(&mut payload, number);
    }
    for record in records {
        assert!(record.key.test == test, "a frame's trials are of one test");
        put_record(&mut payload, n_nodes, record);
    }
    encoding::frame(test, TrialFrame::KIND, &payload)
}

fn put_record(payload: &mut Vec<u8>, n_nodes: u32, record: &TrialRecord) {
    let key = &record.key;
    for number in [u64::from(key.node), u64::from(key.slot), key.instance] {
        put(payload, number);
    }
    let (end, number) = coded_end(record.end);
    let passes = record.passes.map_or(0, |passes| 1 + u8::from(passes));
    let bits = Bits::of(&record.changed, n_nodes);
    let facts = [record.forked, record.applied, record.output_changed].into_iter().rev();
    payload.push(end | facts.fold(0, |byte, fact| byte << 1 | u8::from(fact)) << 2 | passes << 5);
    if has_number(end) {
        put(payload, u64::from(number as u32));
    }
    put(payload, record.used);
    bits.put(payload);
}

/// Whether a coded end has a number: a status or a signal.
fn has_number(way: u8) -> bool {
    way < 2
}

/// A set of nodes, in the shortest of its encodings.
struct Bits {
    /// 2 × how many numbers follow + 1 and the distances between the nodes set, or 0 and all bits.
    encoded: Vec<u8>,
}

impl Bits {
    fn of(words: &[u64], n_nodes: u32) -> Bits {
        assert_eq!(words.len(), (n_nodes as usize).div_ceil(64), "one bit for each node that the test covers");
        let words: Vec<u64> = (0..).zip(words).map(|(at, word)| word & below(n_nodes, at)).collect();
        let n_set: u32 = words.iter().map(|word| word.count_ones()).sum();
        let dense = (n_nodes as usize).div_ceil(8);
        let mut encoded = Vec::with_capacity(dense + 1);
        if n_set as usize >= dense {
            encoded.push(0);
            let bytes = words.iter().flat_map(|word| word.to_le_bytes());
            encoded.extend(bytes.take(dense));
            return Bits { encoded };
        }
        put(&mut encoded, u64::from(n_set) * 2 + 1);
        let mut last = 0;
        for node in set_bits(&words) {
            put(&mut encoded, node - last);
            last = node;
        }
        if encoded.len() > dense + 1 {
            encoded.clear();
            encoded.push(0);
            encoded.extend(words.iter().flat_map(|word| word.to_le_bytes()).take(dense));
        }
        Bits { encoded }
    }

    fn put(&self, payload: &mut Vec<u8>) {
        payload.extend_from_slice(&self.encoded);
    }

    fn take(rest: &mut &[u8], n_nodes: u32) -> Option<Box<[u64]>> {
        let mut words = vec![0u64; (n_nodes as usize).div_ceil(64)];
        let head = take(rest)?;
        if head == 0 {
            let (bytes, after) = rest.split_at_checked((n_nodes as usize).div_ceil(8))?;
            *rest = after;
            for (at, byte) in bytes.iter().enumerate() {
                words[at / 8] |= u64::from(*byte) << (at % 8 * 8);
            }
            let beyond = n_nodes % 64;
            let clean = beyond == 0 || words.last().is_none_or(|last| last >> beyond == 0);
            return clean.then(|| words.into());
        }
        let mut node = 0u64;
        for _ in 0..head / 2 {
            node = node.checked_add(take(rest)?).filter(|node| *node < u64::from(n_nodes))?;
            words[(node / 64) as usize] |= 1 << (node % 64);
        }
        Some(words.into())
    }
}

/// The bits that word number `at` has of `n_nodes`.
fn below(n_nodes: u32, at: u32) -> u64 {
    match n_nodes.saturating_sub(at * 64) {
        0 => 0,
        n @ 1..64 => u64::MAX >> (64 - n),
        _ => u64::MAX,
    }
}

fn set_bits(words: &[u64]) -> impl Iterator<Item = u64> {
    (0u64..)
        .zip(words)
        .flat_map(|(at, word)| (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| at * 64 + bit))
}

/// LEB128.
fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn take(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, after) = rest.split_first()?;
        *rest = after;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

fn take_u32(rest: &mut &[u8]) -> Option<u32> {
    u32::try_from(take(rest)?).ok()
}

/// Where a trial's record stands in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Which trial.
    pub key: TrialKey,
    /// Nodes that its test covers.
    pub n_nodes: u32,
    /// Position of its record.
    pub at: usize,
}

/// Finds all trials of a file, and how many stretches before the last of them had to be passed over: what follows it is what a
/// process leaves that is killed while it writes. `visit` sees each record.
pub fn scan_trials(bytes: &[u8], mut visit: impl FnMut(Found, TrialRecord)) -> usize {
    encoding::scan(bytes, TrialFrame::KIND, |at, payload| {
        let (records, length) = frame_records(bytes, at, payload)?;
        records.into_iter().for_each(|(found, record)| visit(found, record));
        Some(length)
    })
}

/// The records of the frame at `at`, and the frame's length; `None` if it does not say what it should.
fn frame_records(bytes: &[u8], at: usize, payload: &[u8]) -> Option<(Vec<(Found, TrialRecord)>, usize)> {
    let named = u32::from_le_bytes(bytes.get(at + 4..at + 8)?.try_into().ok()?);
    let end = at + FRAME_HEADER + payload.len();
    let mut rest = encoding::inner_bytes(payload)?;
    let (test, n_nodes, n_records) = (take_u32(&mut rest)?, take_u32(&mut rest)?, take(&mut rest)?);
    if test != named {
        return None;
    }
    let mut records = Vec::new();
    for _ in 0..n_records {
        let at = end - rest.len();
        let record = take_record(&mut rest, test, n_nodes)?;
        records.push((Found { key: record.key, n_nodes, at }, record));
    }
    rest.is_empty().then_some((records, end - at))
}

/// The record that stands where `found` says.
pub fn record_at(bytes: &[u8], found: &Found) -> Option<TrialRecord> {
    take_record(&mut bytes.get(found.at..)?, found.key.test, found.n_nodes)
}

fn take_record(rest: &mut &[u8], test: u32, n_nodes: u32) -> Option<TrialRecord> {
    let key = TrialKey { test, node: take_u32(rest)?, slot: take_u32(rest)?, instance: take(rest)? };
    let (&facts, after) = rest.split_first()?;
    *rest = after;
    let way = facts & 3;
    let number = if has_number(way) { take_u32(rest)? as i32 } else { 0 };
    let end = decoded_end((way, number));
    let passes = match facts >> 5 {
        0 => None,
        1 => Some(false),
        2 => Some(true),
        _ => return None,
    };
    let fact = |bit: u8| facts >> bit & 1 == 1;
    let used = take(rest)?;
    let changed = Bits::take(rest, n_nodes)?;
    Some(TrialRecord { key, end, forked: fact(2), applied: fact(3), output_changed: fact(4), passes, used, changed })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_end() -> impl Strategy<Value = End> {
        prop_oneof![
            any::<i32>().prop_map(End::Exited),
            any::<i32>().prop_map(End::Signalled),
            Just(End::Cut),
            Just(End::Unknown)
        ]
    }

    fn any_record(test: u32, n_nodes: u32) -> impl Strategy<Value = TrialRecord> {
        let key = (any::<u32>(), any::<u32>(), any::<u64>());
        let facts = (any_end(), any::<(bool, bool, bool)>(), any::<Option<bool>>(), any::<u64>());
        let bits = prop_oneof![Just(0.0), Just(0.02), Just(0.5), Just(1.0)]
            .prop_flat_map(move |share| prop::collection::vec(prop::bool::weighted(share), n_nodes as usize));
        (key, facts, bits).prop_map(move |((node, slot, instance), (end, facts, passes, used), bits)| TrialRecord {
            key: TrialKey { test, node, slot, instance },
            end,
            forked: facts.0,
            applied: facts.1,
            output_changed: facts.2,
            passes,
            used,
            changed: words(&bits),
        })
    }

    fn words(bits: &[bool]) -> Box<[u64]> {
        let word = |chunk: &[bool]| (0..).zip(chunk).map(|(at, bit)| u64::from(*bit) << at).sum();
        bits.chunks(64).map(word).collect()
    }

    type Frames = Vec<(u32, u32, Vec<TrialRecord>)>;

    fn any_frames() -> impl Strategy<Value = Frames> {
        let frame = (any::<u32>(), 0u32..200).prop_flat_map(|(test, n_nodes)| {
            (Just(test), Just(n_nodes), prop::collection::vec(any_record(test, n_nodes), 0..6))
        });
        prop::collection::vec(frame, 1..5)
    }

    fn file(frames: &Frames) -> Vec<u8> {
        frames.iter().flat_map(|(test, n_nodes, records)| encode_trials(*test, *n_nodes, records)).collect()
    }

    fn read(bytes: &[u8]) -> (Vec<TrialRecord>, usize) {
        let mut records = Vec::new();
        let damaged = scan_trials(bytes, |found, record| {
            assert_eq!(record_at(bytes, &found).as_ref(), Some(&record));
            records.push(record);
        });
        (records, damaged)
    }

    fn all(frames: &Frames) -> Vec<TrialRecord> {
        frames.iter().flat_map(|(_, _, records)| records.clone()).collect()
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(frames in any_frames()) {
            prop_assert_eq!(read(&file(&frames)), (all(&frames), 0));
        }

        #[test]
        fn a_cut_anywhere_keeps_all_whole_frames(frames in any_frames(), place: prop::sample::Index) {
            let bytes = file(&frames);
            let cut = place.index(bytes.len());
            let mut whole = Vec::new();
            let mut end = 0;
            for (test, n_nodes, records) in &frames {
                end += encode_trials(*test, *n_nodes, records).len();
                if end <= cut {
                    whole.extend(records.clone());
                }
            }
            let (records, damaged) = read(&bytes[..cut]);
            prop_assert_eq!((records, damaged), (whole, 0));
        }

        #[test]
        fn a_changed_byte_costs_its_frame_alone(frames in any_frames(), place: prop::sample::Index, flip in 1u8..=255) {
            let mut bytes = file(&frames);
            let at = place.index(bytes.len());
            bytes[at] ^= flip;
            let mut end = 0;
            let mut kept = Vec::new();
            for (test, n_nodes, records) in &frames {
                let start = end;
                end += encode_trials(*test, *n_nodes, records).len();
                if !(start..end).contains(&at) {
                    kept.extend(records.clone());
                }
            }
            let last = end - frames.last().map_or(0, |(test, n_nodes, records)| encode_trials(*test, *n_nodes, records).len());
            prop_assert_eq!(read(&bytes), (kept, usize::from(at < last)));
        }

        #[test]
        fn anything_can_be_scanned(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            read(&bytes);
        }

        #[test]
        fn frames_are_found_behind_rubbish(frames in any_frames(), rubbish in prop::collection::vec(any::<u8>(), 1..40)) {
            let bytes = [rubbish, file(&frames)].concat();
            prop_assert_eq!(read(&bytes).0, all(&frames));
        }
    }

    #[test]
    fn bits_beyond_the_nodes_are_not_kept() {
        for n_nodes in [1, 7, 63, 64, 65, 100, 128] {
            let all = |bits| vec![bits; 128 / 64][..(n_nodes as usize).div_ceil(64)].into();
            let key = TrialKey { test: 1, node: 0, slot: 0, instance: 0 };
            let record = TrialRecord {
                key,
                end: End::Unknown,
                forked: false,
                applied: true,
                output_changed: true,
                passes: None,
                used: 0,
                changed: all(u64::MAX),
            };
            let (records, _) = read(&encode_trials(1, n_nodes, &[record]));
            assert_eq!(records[0].changed.iter().map(|word| word.count_ones()).sum::<u32>(), n_nodes);
        }
    }

    /// Bits of each trial and node besides the record's head, for shares of changed nodes from none to all.
    #[test]
    fn an_observation_takes_about_a_bit_for_each_node_at_most() {
        for n_nodes in [20u32, 320, 5000] {
            for share in [0.0, 0.01, 0.1, 0.3, 0.5, 0.9, 1.0] {
                let set = |at: u32| f64::from(at.wrapping_mul(2_654_435_769) >> 8) < share * f64::from(1 << 24);
                let changed = words(&(0..n_nodes).map(set).collect::<Vec<bool>>());
                // The byte that names the encoding counts as head.
                let n_bits = (Bits::of(&changed, n_nodes).encoded.len() - 1) * 8;
                assert!(n_bits * 10 <= n_nodes as usize * 12, "{n_nodes} {share}: {n_bits}");
            }
        }
    }
}
