//! The `suspect` command, also installed as `suspect-cc`.

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

use suspect::build;

fn main() -> ExitCode {
    let command_line: Vec<OsString> = env::args_os().collect();
    match command_line.first() {
        Some(program) if build::is_driver_name(program) => build::driver_main(command_line),
        _ => ExitCode::FAILURE,
    }
}
