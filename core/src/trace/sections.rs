//! Site tables as they lie in the bytes of ELF files: objects, executables, shared libraries.

use object::{Object, ObjectSection};
use suspect_format::abi::SECTION_SITES;

/// The sections of site tables in `image`, the bytes of an ELF file; none in a module that is not instrumented.
pub fn site_sections(image: &[u8]) -> Result<Vec<&[u8]>, object::Error> {
    sections(image, SECTION_SITES)
}

/// The sections called `name` in `image`, the bytes of an ELF file.
pub fn sections<'a>(image: &'a [u8], name: &str) -> Result<Vec<&'a [u8]>, object::Error> {
    let file = object::File::parse(image)?;
    file.sections().filter(|section| section.name() == Ok(name)).map(|section| section.data()).collect()
}
