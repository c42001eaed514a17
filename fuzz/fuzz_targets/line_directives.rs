//! Whatever text generated code and the file that it names have, it is told which lines were copied.
#![no_main]

use libfuzzer_sys::fuzz_target;
use suspect::source::{claimed_lines, names_others, says_it_is_generated};

fuzz_target!(|input: (&str, &str, &str)| {
    let (generated, name, text) = input;
    let claimed = claimed_lines(generated, name, text);
    assert!(claimed.keys().all(|line| *line > 0));
    let _ = (names_others(generated, name), says_it_is_generated(generated));
});
