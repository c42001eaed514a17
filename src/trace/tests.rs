//! Traces built by hand, whole, cut and damaged.

use std::fs;
use std::mem::offset_of;
use std::path::Path;

use proptest::prelude::*;
use suspect_format::abi::{Mode, PAGE, STATE_CLEAN, STATE_LAST, piece_id};
use suspect_format::trace::{
    HASH_START, LogHeader, LogRecord, MAGIC, ProcessHeader, SEGMENT_MAGIC, SegmentHeader, SegmentKind, hash_bytes,
};
use suspect_format::{ENDIAN_TAG, FORMAT_VERSION};

use super::{Ending, Layout, Problem, TraceError, TraceFile, dump, read_directory};

/// A module to be written: the hash and the numbers of counters and values of each unit.
type Spec = Vec<(u64, u32, u32)>;

const LOAD_ADDRESS: u64 = 0x5555_0000_0000;

fn put(bytes: &mut [u8], offset: usize, with: &[u8]) {
    bytes[offset..offset + with.len()].copy_from_slice(with);
}

/// The bytes of a trace of `modules`, whose words count up from 1, and with a log of `records` values out of `taken`.
fn trace(modules: &[Spec], log: Option<(u64, u64)>) -> Vec<u8> {
    let mut bytes = vec![0; PAGE];
    modules.iter().for_each(|module| add_module(&mut bytes, module));
    if let Some((taken, records)) = log {
        add_log(&mut bytes, taken, records);
    }
    let valid_len = bytes.len() as u64;
    put(&mut bytes, 0, &MAGIC);
    put(&mut bytes, offset_of!(ProcessHeader, version), &FORMAT_VERSION.to_ne_bytes());
    put(&mut bytes, offset_of!(ProcessHeader, endian), &ENDIAN_TAG.to_ne_bytes());
    put(&mut bytes, offset_of!(ProcessHeader, pointer_bytes), &8u32.to_ne_bytes());
    put(&mut bytes, offset_of!(ProcessHeader, mode), &(Mode::Values as u32).to_ne_bytes());
    put(&mut bytes, offset_of!(ProcessHeader, pid), &77u32.to_ne_bytes());
    put(&mut bytes, offset_of!(ProcessHeader, valid_len), &valid_len.to_ne_bytes());
    put(&mut bytes, offset_of!(ProcessHeader, n_modules), &(modules.len() as u32).to_ne_bytes());
    put(&mut bytes, offset_of!(ProcessHeader, test), b"a test");
    put(&mut bytes, offset_of!(ProcessHeader, executable), b"/bin/x");
    let check = hash_bytes(HASH_START, &bytes[..offset_of!(ProcessHeader, valid_len)]);
    put(&mut bytes, offset_of!(ProcessHeader, check), &check.to_ne_bytes());
    bytes
}

fn add_module(bytes: &mut Vec<u8>, units: &Spec) {
    let mut entries = Vec::new();
    let mut words = vec![0u64; PAGE / 8];
    words[STATE_CLEAN] = 1;
    words[STATE_LAST] = units.first().map_or(0, |unit| u64::from(piece_id(unit.0, 1)));
    for &(hash, n_counters, n_values) in units {
        entries.extend(hash.to_ne_bytes());
        entries.extend((words.len() as u64 * 8).to_ne_bytes());
        entries.extend(n_counters.to_ne_bytes());
        entries.extend(n_values.to_ne_bytes());
        words.extend((1..).take((n_counters + n_values) as usize));
    }
    words.resize(words.len().next_multiple_of(PAGE / 8), 0);
    let data: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    add_segment(bytes, SegmentKind::Module, &entries, units.len() as u32, &data);
}

fn add_log(bytes: &mut Vec<u8>, taken: u64, records: u64) {
    let mut data = vec![0; size_of::<LogHeader>()];
    put(&mut data, offset_of!(LogHeader, n_taken), &taken.to_ne_bytes());
    for index in 0..records {
        // The last one was not finished.
        let word = if index + 1 == records { 0 } else { (PAGE / 8) as u64 + index };
        data.extend((word | 3 << 48).to_ne_bytes());
        data.extend(index.to_ne_bytes());
    }
    assert_eq!(data.len(), size_of::<LogHeader>() + records as usize * size_of::<LogRecord>());
    data.resize(data.len().next_multiple_of(PAGE), 0);
    add_segment(bytes, SegmentKind::Log, &[], 0, &data);
}

fn add_segment(bytes: &mut Vec<u8>, kind: SegmentKind, entries: &[u8], n_units: u32, data: &[u8]) {
    let mut head = vec![0; size_of::<SegmentHeader>()];
    let data_offset = (bytes.len() + head.len() + entries.len()).next_multiple_of(PAGE);
    put(&mut head, 0, &SEGMENT_MAGIC);
    put(&mut head, offset_of!(SegmentHeader, kind), &(kind as u32).to_ne_bytes());
    put(&mut head, offset_of!(SegmentHeader, n_units), &n_units.to_ne_bytes());
    put(&mut head, offset_of!(SegmentHeader, data_offset), &(data_offset as u64).to_ne_bytes());
    put(&mut head, offset_of!(SegmentHeader, data_len), &(data.len() as u64).to_ne_bytes());
    put(&mut head, offset_of!(SegmentHeader, load_address), &LOAD_ADDRESS.to_ne_bytes());
    let hash = hash_bytes(HASH_START, &head[..offset_of!(SegmentHeader, check)]);
    put(&mut head, offset_of!(SegmentHeader, check), &hash_bytes(hash, entries).to_ne_bytes());
    put(&mut head, offset_of!(SegmentHeader, path), b"/lib/m.so");
    bytes.extend(head);
    bytes.extend(entries);
    bytes.resize(data_offset, 0);
    bytes.extend(data);
}

fn open(bytes: &[u8]) -> Result<TraceFile, TraceError> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("1-2.trace");
    fs::write(&path, bytes).unwrap();
    TraceFile::open(&path)
}

fn two_modules() -> Vec<u8> {
    trace(&[vec![(5, 3, 2), (6, 600, 0)], vec![(7, 1, 1)]], None)
}

#[test]
fn a_whole_trace_gives_its_words() {
    let trace = open(&two_modules()).unwrap();
    assert!(trace.warnings().is_empty());
    let facts = trace.facts();
    assert_eq!((facts.mode, facts.pid, facts.test.as_str()), (Mode::Values, 77, "a test"));
    let process = trace.process(Ending::Exited);
    assert!(process.is_clean() && !process.is_nonlocal() && !process.forked);
    let [first, second] = &process.modules[..] else { panic!("{process:?}") };
    assert_eq!((first.path, second.units.len()), ("/lib/m.so", 1));
    assert_eq!((first.units[0].counters, first.units[0].values), (&[1, 2, 3][..], &[4, 5][..]));
    assert_eq!(first.units[1].counters, (1..=600).collect::<Vec<u64>>());
    // The upper halves of their hashes are the same, so they share the ids of pieces.
    assert_eq!(first.last_pieces().collect::<Vec<_>>(), [(0, 1), (1, 1)]);
}

#[test]
fn the_log_leaves_out_what_was_not_finished() {
    let trace = open(&trace(&[vec![(5, 300, 0)]], Some((1000, 256)))).unwrap();
    let entries: Vec<_> = trace.log().collect();
    assert_eq!(entries.len(), 255);
    assert_eq!((entries[3].address, entries[3].value), (LOAD_ADDRESS + PAGE as u64 + 24, 3));
    assert_eq!(entries[3].thread, Some(3));
    assert_eq!(trace.warnings(), ["744 values were dropped: there was room for 256"]);
}

#[test]
fn bad_files_are_told_apart() {
    let problem = |bytes: &[u8]| match open(bytes) {
        Err(TraceError::Bad { problem, .. }) => problem,
        other => panic!("{other:?}"),
    };
    let changed = |offset: usize, with: &[u8]| {
        let mut bytes = two_modules();
        put(&mut bytes, offset, with);
        problem(&bytes)
    };
    assert_eq!(problem(b""), Problem::Unstarted);
    assert_eq!(problem(&[0; 8192]), Problem::Unstarted);
    assert_eq!(problem(b"hello, world"), Problem::NotATrace);
    assert_eq!(problem(&two_modules()[..100]), Problem::Truncated(100));
    assert_eq!(changed(8, &u32::MAX.to_ne_bytes()), Problem::Version(u32::MAX));
    assert_eq!(changed(12, &ENDIAN_TAG.swap_bytes().to_ne_bytes()), Problem::Machine);
    assert!(matches!(changed(24, &[1]), Problem::Damaged(_)));
    assert!(matches!(changed(PAGE, b"x"), Problem::Damaged(_)));
}

#[test]
fn errors_name_the_file() {
    let error = TraceFile::open(Path::new("/nowhere/1.trace")).unwrap_err();
    assert!(error.to_string().contains("/nowhere/1.trace"), "{error}");
    let error = open(b"hello").unwrap_err().to_string();
    assert!(error.contains("1-2.trace") && error.contains("SUSTRACE"), "{error}");
}

#[test]
fn a_directory_gives_its_traces_and_what_they_lack() {
    let directory = tempfile::tempdir().unwrap();
    let whole = two_modules();
    fs::write(directory.path().join("a.trace"), &whole).unwrap();
    fs::write(directory.path().join("b.trace"), b"").unwrap();
    fs::write(directory.path().join("c.trace"), &whole[..whole.len() - 1]).unwrap();
    fs::write(directory.path().join("notes.txt"), b"not a trace").unwrap();
    let traces = read_directory(directory.path()).unwrap();
    assert_eq!((traces.files.len(), traces.warnings.len()), (2, 2), "{:?}", traces.warnings);
    fs::write(directory.path().join("d.trace"), b"nonsense").unwrap();
    assert!(read_directory(directory.path()).is_err());
}

#[test]
fn a_dump_shows_counters_and_state() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.trace");
    fs::write(&path, trace(&[vec![(0xabc, 2, 1)]], Some((2, 2)))).unwrap();
    let mut text = Vec::new();
    dump(&path, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    for line in [
        "mode         values",
        "test         a test",
        "unit 0000000000000abc  2 counters, 1 values, at 0x555500001000",
        "  counter 1 = 2",
        "  value 0 = 0000000000000003",
        "last piece   1 of unit 0000000000000abc",
        "  module 0 word 0x555500001000 thread 3 value 0x0",
    ] {
        assert!(text.contains(line), "no `{line}` in\n{text}");
    }
}

#[test]
fn a_dump_of_something_else_says_so() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x");
    fs::write(&path, b"text").unwrap();
    let error = dump(&path, &mut Vec::new()).unwrap_err().to_string();
    assert!(error.contains("neither a trace file nor an ELF file"), "{error}");
    let own = std::env::current_exe().unwrap();
    let error = dump(&own, &mut Vec::new()).unwrap_err().to_string();
    assert!(error.contains("has no site table"), "{error}");
}

fn specs() -> impl Strategy<Value = (Vec<Spec>, Option<(u64, u64)>)> {
    let unit = (1..u64::MAX, 0u32..700, 0u32..40);
    let module = proptest::collection::vec(unit, 1..4);
    (proptest::collection::vec(module, 0..3), proptest::option::of((0u64..300, 0u64..300)))
}

/// Every module of `found` is, without a difference, the one of `whole` at its position.
fn agrees(found: &Layout, whole: &Layout) -> bool {
    let facts = (found.facts.mode, found.facts.pid, found.facts.image_id, found.facts.start_ns);
    let same = |(left, right): (&super::ModulePart, &super::ModulePart)| {
        (&left.data, left.load_address, &left.units) == (&right.data, right.load_address, &right.units)
    };
    facts == (whole.facts.mode, whole.facts.pid, whole.facts.image_id, whole.facts.start_ns)
        && found.modules.len() <= whole.modules.len()
        && found.modules.iter().zip(&whole.modules).all(same)
        && (found.modules.len() == whole.modules.len() || !found.warnings.is_empty())
}

proptest! {
    #[test]
    fn what_is_written_is_read((modules, log) in specs()) {
        let bytes = trace(&modules, log);
        let layout = Layout::of(&bytes).unwrap();
        prop_assert!(layout.warnings.is_empty());
        let sizes = |range: &std::ops::Range<usize>| (range.len() / 8) as u32;
        let found: Vec<Spec> = layout.modules.iter().map(|module| {
            module.units.iter().map(|unit| (unit.hash, sizes(&unit.counters), sizes(&unit.values))).collect()
        }).collect();
        prop_assert_eq!(found, modules);
        prop_assert_eq!(layout.log.map(|log| log.n_taken), log.map(|(taken, _)| taken));
    }

    #[test]
    fn a_trace_cut_anywhere_keeps_its_whole_modules((modules, log) in specs(), at in any::<prop::sample::Index>()) {
        let bytes = trace(&modules, log);
        let whole = Layout::of(&bytes).unwrap();
        let length = at.index(bytes.len());
        match Layout::of(&bytes[..length]) {
            Ok(cut) => {
                prop_assert!(agrees(&cut, &whole));
                prop_assert!(!cut.warnings.is_empty() || length == bytes.len());
                let complete = whole.modules.iter().filter(|module| module.data.end <= length).count();
                prop_assert_eq!(cut.modules.len(), complete);
            }
            Err(Problem::Truncated(_)) => prop_assert!(length < size_of::<ProcessHeader>()),
            Err(Problem::Unstarted) => prop_assert!(length == 0),
            Err(other) => prop_assert!(false, "{} at {}", other, length),
        }
    }

    #[test]
    fn a_byte_changed_anywhere_never_gives_wrong_units(
        (modules, log) in specs(), at in any::<prop::sample::Index>(), change in 1u8.., structure in any::<bool>(),
    ) {
        let mut bytes = trace(&modules, log);
        let whole = Layout::of(&bytes).unwrap();
        // Half of the time where it matters: in the headers.
        let starts: Vec<usize> = (0..bytes.len()).step_by(PAGE).filter(|page| bytes[*page..].starts_with(b"SUS")).collect();
        let place = if structure { starts[at.index(starts.len())] + at.index(1200) } else { at.index(bytes.len()) };
        bytes[place] ^= change;
        if let Ok(found) = Layout::of(&bytes) {
            prop_assert!(agrees(&found, &whole), "byte {}", place);
        }
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..6000), header in any::<bool>()) {
        let mut all = if header { trace(&[], None) } else { Vec::new() };
        all.extend(bytes);
        let length = all.len() as u64;
        if header {
            put(&mut all, offset_of!(ProcessHeader, valid_len), &length.to_ne_bytes());
        }
        let _ = Layout::of(&all);
    }
}
