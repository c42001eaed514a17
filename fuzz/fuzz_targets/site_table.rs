//! Whatever bytes a site table has, the loader answers, and a program it makes has no index that leads nowhere.
#![no_main]

use libfuzzer_sys::fuzz_target;
use suspect::program::{OUTSIDE, Program, Recorder};
use suspect_format::site::{HEADER_LEN, Header, Sink};

struct Bytes(Vec<u8>);

impl Sink for Bytes {
    fn put(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }
}

/// A section with one table whose header agrees with its body, which a fuzzer would not find.
fn section(body: &[u8]) -> Vec<u8> {
    let mut bytes = Bytes(Vec::with_capacity(HEADER_LEN + body.len()));
    Header::of(body).encode(&mut bytes);
    bytes.put(body);
    bytes.0
}

fuzz_target!(|input: (bool, Vec<u8>)| {
    let (headed, bytes) = input;
    let bytes = if headed { section(&bytes) } else { bytes };
    let Ok(program) = Program::from_sections([("input", &bytes[..])], "/") else { return };
    for edge in &program.edges {
        for piece in [edge.from, edge.to].into_iter().filter(|piece| *piece != OUTSIDE) {
            assert!((piece as usize) < program.pieces.len());
        }
    }
    assert!(program.nodes.iter().all(|node| (node.piece as usize) < program.pieces.len()));
    assert!(program.pieces.iter().flat_map(|piece| &piece.lines).all(|line| (*line as usize) < program.lines.len()));
    let _ = Recorder::new(&program);
});
