//! Any bytes are a suspect.toml or an error that names a place in it.

#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use suspect::suite::{Config, SuiteError};

fuzz_target!(|bytes: &[u8]| {
    match Config::parse(bytes, Path::new("suspect.toml")) {
        Ok(config) => assert!(config.suites.iter().all(|suite| suite.repeat >= 2)),
        Err(SuiteError::Config { line, column, message, .. }) => {
            let lines = bytes.iter().filter(|byte| **byte == b'\n').count() + 1;
            assert!((1..=lines).contains(&line) && column >= 1 && !message.is_empty());
        }
        Err(other) => panic!("{other}"),
    }
});
