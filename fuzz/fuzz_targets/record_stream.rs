//! Whatever bytes a recording has, its reader answers, and never goes beyond its end.
#![no_main]

use libfuzzer_sys::fuzz_target;
use suspect_format::abi::PAGE;
use suspect_format::record::{Event, Mirror, RecordHeader, STREAM_ADDRESS, Stream};

fuzz_target!(|input: (Vec<u8>, Vec<(u8, u32)>)| {
    let (stream, expected) = input;
    let bytes = [vec![0; PAGE], stream].concat();
    // SAFETY: zeros are a header.
    let mut header: RecordHeader = unsafe { std::mem::zeroed() };
    header.cursor = (STREAM_ADDRESS + bytes.len()) as u64;
    let Some(mut stream) = Stream::new(&bytes, &header) else { return };
    let mut mirror = Box::new(Mirror::START);
    for (kind, number) in expected {
        let taken = match kind % 3 {
            0 => mirror.take_branch(&mut stream, number).map(|_| 0),
            1 => mirror.take_loaded(&mut stream, number).map(|_| 0),
            _ => mirror.take_event(&mut stream, number).map(|event| match event {
                Event::Changed(_, ranges) | Event::Module(.., ranges) | Event::Memory(ranges) => ranges,
                _ => 0,
            }),
        };
        let Ok(ranges) = taken else { return };
        for _ in 0..ranges {
            if mirror.take_range(&mut stream).is_err() {
                return;
            }
        }
        assert!(stream.offset() <= stream.end() && stream.end() == bytes.len() as u64);
    }
});
