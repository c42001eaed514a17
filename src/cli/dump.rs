//! `suspect dump`: any file that suspect wrote, for people.

use std::io::Write;
use std::path::Path;

use super::args::DumpArguments;
use super::exit::{Exit, Failure};

/// Writes each file's content as text.
pub fn dump(start: &Path, arguments: &DumpArguments, out: &mut impl Write) -> Result<(), Failure> {
    for file in &arguments.files {
        crate::trace::dump(&start.join(file), out).map_err(Failure::of(Exit::File))?;
    }
    Ok(())
}
