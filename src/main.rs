//! The `suspect` command, also installed as `suspect-cc`.

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

use suspect::build;

fn main() -> ExitCode {
    let command_line: Vec<OsString> = env::args_os().collect();
    match command_line.first() {
        Some(program) if build::is_driver_name(program) => build::driver_main(command_line),
        _ => command(&command_line),
    }
}

fn command(line: &[OsString]) -> ExitCode {
    match line.get(1).and_then(|word| word.to_str()) {
        Some("build") => build_command(&line[2..]),
        Some("doctor") => {
            let directory = env::current_dir().unwrap_or_default();
            let report = build::doctor(&directory, &directory.join(".suspect/build"));
            print!("{report}");
            if report.healthy() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        _ => ExitCode::FAILURE,
    }
}

fn build_command(words: &[OsString]) -> ExitCode {
    let at = words.iter().position(|word| word == "--").map_or(words.len(), |at| at + 1);
    let directory = env::current_dir().unwrap_or_default();
    let options = build::BuildOptions {
        command: words[at..].to_vec(),
        modes: env::var("SUSPECT_MODES").unwrap_or_else(|_| build::driver::ALL_MODES.to_owned()),
        root: directory.clone(),
        state: directory.join(".suspect/build"),
        directory,
    };
    match build::build(&options) {
        Ok(report) => {
            eprint!("{report}");
            ExitCode::from(u8::try_from(report.status).unwrap_or(1))
        }
        Err(error) => {
            if let build::BuildError::NotInstrumented(report) = &error {
                eprint!("{report}");
            }
            eprintln!("suspect: error: {error}");
            ExitCode::from(5)
        }
    }
}
