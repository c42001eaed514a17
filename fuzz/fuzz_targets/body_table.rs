//! Whatever bytes a body table has, its readers answer.
#![no_main]

use libfuzzer_sys::fuzz_target;
use suspect::program::Program;
use suspect::recording::Code;
use suspect_format::body::{Argument, Case, Function, Parameter, Step, Symbol, Token, Unit, Variable, factor};
use suspect_format::site::{Cursor, HEADER_LEN, Header, Sink};

struct Bytes(Vec<u8>);

impl Sink for Bytes {
    fn put(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }
}

fuzz_target!(|input: (u8, Vec<u8>)| {
    let (what, bytes) = input;
    let mut cursor = Cursor::new(&bytes);
    match what % 11 {
        0 => drop(Unit::decode(&mut cursor)),
        1 => drop(Symbol::decode(&mut cursor)),
        2 => drop(Function::decode(&mut cursor)),
        3 => drop(Parameter::decode(&mut cursor)),
        4 => drop(Variable::decode(&mut cursor)),
        5 => drop(Step::decode(&mut cursor)),
        6 => drop(Argument::decode(&mut cursor)),
        7 => drop(Case::decode(&mut cursor)),
        8 => drop(Token::decode(&mut cursor)),
        9 => drop(factor(&mut cursor)),
        _ => {
            let mut section = Bytes(Vec::with_capacity(HEADER_LEN + bytes.len()));
            Header::of(&bytes).encode(&mut section);
            section.put(&bytes);
            let Ok(program) = Program::from_sections([("input", &section.0[..])], "/") else { return };
            let _ = Code::load(&program, &[("input".to_owned(), &section.0)]);
        }
    }
});
