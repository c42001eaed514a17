//! Chores of suspect's developers: `cargo xtask numbers` counts lines by room and sizes of functions.

mod numbers;

use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask numbers";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let done = match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["numbers"] => numbers::print(),
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}
