//! Whatever bytes a file of the store has, it is printed or refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use suspect::store::{json, list_frames};

fuzz_target!(|bytes: &[u8]| {
    let _ = list_frames(bytes, |_, frame| json::<Vec<u32>>(frame));
});
