//! What one side writes the other reads, event by event.

extern crate std;
use std::boxed::Box;
use std::vec::Vec;

use proptest::prelude::*;

use super::*;

/// A file in memory.
struct File(Vec<u8>);

impl Tape for File {
    fn offset(&self) -> u64 {
        self.0.len() as u64
    }

    fn put(&mut self, byte: u8) {
        self.0.push(byte);
    }

    fn set(&mut self, offset: u64, byte: u8) {
        self.0[offset as usize] = byte;
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Told {
    Branch(u64, u32),
    Loaded(u32, u64),
    Entered(Entry),
    Callback,
    Done(u32, u64, Vec<(u64, Vec<u8>)>),
    Jumped(u64, u64),
    Left(u64),
    Module(u64, u64, Vec<u8>, Vec<(u64, Vec<u8>)>),
    Memory(Vec<(u64, Vec<u8>)>),
    Library(u64, u64, Vec<u8>),
}

fn word() -> impl Strategy<Value = u64> {
    prop_oneof![0u64..300, any::<u64>(), (0x7fff_0000u64..0x7fff_ffff).prop_map(|word| word << 16)]
}

fn ranges() -> impl Strategy<Value = Vec<(u64, Vec<u8>)>> {
    prop::collection::vec((word(), prop::collection::vec(any::<u8>(), 0..9)), 0..4)
}

fn told() -> impl Strategy<Value = Told> {
    let entry = (0u32..5000, 1u64..3, word()).prop_map(|(id, function, frame)| Entry {
        id,
        function: function << 12 | u64::from(id),
        frame,
    });
    let path = prop::collection::vec(any::<u8>(), 0..9);
    let library = (word(), word(), path.clone()).prop_map(|(at, length, name)| Told::Library(at, length, name));
    prop_oneof![
        6 => (0u64..2).prop_map(|outcome| Told::Branch(outcome, 2)),
        2 => (3u32..400).prop_flat_map(|ways| (0..u64::from(ways)).prop_map(move |outcome| Told::Branch(outcome, ways))),
        1 => Just(Told::Branch(0, 1)),
        6 => (any::<u32>(), word()).prop_map(|(slot, bits)| Told::Loaded(slot % 8 * 9000, bits)),
        4 => entry.prop_map(Told::Entered),
        1 => Just(Told::Callback),
        2 => (0u32..2000, word(), ranges()).prop_map(|(external, result, ranges)| Told::Done(external, result, ranges)),
        2 => prop_oneof![
            (word(), word()).prop_map(|(frame, result)| Told::Jumped(frame, result)),
            word().prop_map(Told::Left),
        ],
        1 => (word(), word(), path, ranges()).prop_map(|(identity, at, path, ranges)| Told::Module(identity, at, path, ranges)),
        2 => prop_oneof![ranges().prop_map(Told::Memory), library],
    ]
}

fn put_ranges(mirror: &mut Mirror, file: &mut File, ranges: &[(u64, Vec<u8>)]) {
    for (address, bytes) in ranges {
        mirror.put_range(file, *address, bytes.len() as u64);
        bytes.iter().for_each(|byte| file.put(*byte));
    }
}

fn put(mirror: &mut Mirror, file: &mut File, told: &Told) {
    match told {
        Told::Branch(outcome, ways) => mirror.put_branch(file, *outcome, *ways),
        Told::Loaded(slot, bits) => mirror.put_loaded(file, *slot, *bits),
        Told::Entered(entry) => mirror.put_entered(file, *entry),
        Told::Callback => Mirror::put_callback(file),
        Told::Done(external, result, ranges) => {
            mirror.put_done(file, *external, *result, ranges.len() as u64);
            put_ranges(mirror, file, ranges);
        }
        Told::Jumped(frame, result) => mirror.put_jumped(file, *frame, *result),
        Told::Left(n_calls) => Mirror::put_left(file, *n_calls),
        Told::Module(identity, at, path, ranges) => {
            Mirror::put_module(file, *identity, *at, path.iter().copied(), ranges.len() as u64);
            put_ranges(mirror, file, ranges);
        }
        Told::Library(at, length, name) => Mirror::put_library(file, *at, *length, name.iter().copied()),
        Told::Memory(ranges) => {
            Mirror::put_memory(file, ranges.len() as u64);
            put_ranges(mirror, file, ranges);
        }
    }
}

fn take_ranges(mirror: &mut Mirror, stream: &mut Stream, count: u64) -> Result<Vec<(u64, Vec<u8>)>, Unread> {
    (0..count).map(|_| mirror.take_range(stream).map(|(address, bytes)| (address, bytes.to_vec()))).collect()
}

fn take(mirror: &mut Mirror, stream: &mut Stream, told: &Told) -> Result<Told, Unread> {
    let external = if let Told::Done(external, ..) = told { *external } else { 0 };
    Ok(match told {
        Told::Branch(_, ways) => Told::Branch(mirror.take_branch(stream, *ways)?, *ways),
        Told::Loaded(slot, _) => Told::Loaded(*slot, mirror.take_loaded(stream, *slot)?),
        _ => match mirror.take_event(stream, external)? {
            Event::Entered(entry) => Told::Entered(entry),
            Event::Callback => Told::Callback,
            Event::Done(result) => Told::Done(external, result, Vec::new()),
            Event::Changed(result, count) => Told::Done(external, result, take_ranges(mirror, stream, count)?),
            Event::Jumped(frame, result) => Told::Jumped(frame, result),
            Event::Left(n_calls) => Told::Left(n_calls),
            Event::Module(identity, at, path, count) => {
                let path = path.to_vec();
                Told::Module(identity, at, path, take_ranges(mirror, stream, count)?)
            }
            Event::Library(at, length, name) => Told::Library(at, length, name.to_vec()),
            Event::Memory(count) => Told::Memory(take_ranges(mirror, stream, count)?),
        },
    })
}

fn written(events: &[Told]) -> (Vec<u8>, RecordHeader) {
    let mut mirror = Box::new(Mirror::START);
    let mut file = File(std::vec![0; PAGE]);
    events.iter().for_each(|event| put(&mut mirror, &mut file, event));
    // SAFETY: zeros are a header.
    let mut header: RecordHeader = unsafe { core::mem::zeroed() };
    header.magic = MAGIC;
    header.cursor = STREAM_ADDRESS as u64 + file.offset();
    (header.bit_at, header.bits_used) = (mirror.bit_at, mirror.bits_used);
    (file.0, header)
}

proptest! {
    /// What is written is read; and a reader that expects any event after the last one is told that there is none.
    #[test]
    fn what_is_written_is_read(events in prop::collection::vec(told(), 0..120)) {
        let (bytes, header) = written(&events);
        let mut mirror = Box::new(Mirror::START);
        let mut stream = Stream::new(&bytes, &header).unwrap();
        for event in &events {
            prop_assert_eq!(&take(&mut mirror, &mut stream, event), &Ok(event.clone()));
        }
        for event in [Told::Branch(0, 2), Told::Branch(0, 3), Told::Loaded(0, 0), Told::Callback] {
            prop_assert_eq!(take(&mut mirror.clone(), &mut stream.clone(), &event), Err(Unread::End));
        }
    }

    /// Bytes that no writer wrote end in an answer.
    #[test]
    fn reading_garbage_ends(bytes in prop::collection::vec(any::<u8>(), 0..200), expected in prop::collection::vec(told(), 1..100)) {
        let (_, mut header) = written(&[]);
        let file = [std::vec![0; PAGE], bytes].concat();
        header.cursor = STREAM_ADDRESS as u64 + file.len() as u64;
        let mut mirror = Box::new(Mirror::START);
        let mut stream = Stream::new(&file, &header).unwrap();
        for event in &expected {
            let _ = take(&mut mirror, &mut stream, event);
        }
        prop_assert!(stream.offset() <= stream.end());
    }
}

#[test]
fn frequent_events_are_short() {
    let entry = Entry { id: 7, function: 0x5555_0000_1230, frame: 0x7fff_ffff_e000 };
    let (first, _) = written(&[Told::Entered(entry), Told::Loaded(3, 1 << 40)]);
    let below = Entry { frame: entry.frame - 0x400, ..entry };
    let events = [Told::Entered(entry), Told::Loaded(3, 1 << 40), Told::Entered(below), Told::Loaded(3, (1 << 40) + 8)];
    let (bytes, _) = written(&events);
    assert_eq!(bytes.len() - first.len(), 2 + 1, "an entry of a known function takes two bytes, a close value one");
    let (bits, _) = written(&[const { Told::Branch(1, 2) }; 17]);
    assert_eq!(bits.len() - PAGE, 3);
}
