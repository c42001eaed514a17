//! Whatever debug information a module has, its types are read, and places in them are called something or nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use suspect::recording::Types;

/// Sections of debug information, abbreviations and strings; names and offsets that are asked for.
type Input = (Vec<u8>, Vec<u8>, Vec<u8>, Vec<(String, u64)>);

fuzz_target!(|input: Input| {
    let (info, abbreviations, texts, asked) = input;
    let types = Types::of_sections(|name| match name {
        ".debug_info" => &info,
        ".debug_abbrev" => &abbreviations,
        ".debug_str" => &texts,
        _ => &[],
    });
    for (name, offset) in asked {
        let _ = types.global(&name, offset);
        if let Some(of) = types.part(&name, 0).and_then(|part| part.pointee) {
            let _ = (types.pointed(of, offset), types.is_record(of));
        }
        let _ = types.part(&name, offset);
    }
});
