//! Whatever bytes a format string has, its conversions end.
#![no_main]

use libfuzzer_sys::fuzz_target;
use suspect_format::conversion::{Prints, Scans};

fuzz_target!(|format: &[u8]| {
    assert!(Prints::new(format).count() <= format.len());
    assert!(Scans::new(format).count() <= format.len());
});
