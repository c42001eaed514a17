//! `suspect slice`: what a line of a run, or of the code, depends on or influences.

use std::io::Write;
use std::path::Path;

use super::args::{AnswerFormat, SliceArguments};
use super::exit::{Exit, Failure};
use super::progress::StatusLine;
use crate::cli::streams::say;
use crate::report::write_slice;
use crate::run_slice::{SliceRequest, slice as sliced};
use crate::store::Store;

/// Slices the run of a test, which is recorded, or the code.
pub fn slice(root: &Path, arguments: &SliceArguments, out: &mut impl Write) -> Result<(), Failure> {
    let (test, place) = match (&arguments.place, arguments.code) {
        (Some(place), false) => (Some(arguments.test.clone()), place.clone()),
        (None, true) => (None, arguments.test.clone()),
        (None, false) => return Err(Failure::new(Exit::Usage, "give a test and a place, or --static and a place")),
        (Some(_), true) => return Err(Failure::new(Exit::Usage, "--static slices the code: give a place alone")),
    };
    let request = SliceRequest { test, place, forward: arguments.forward };
    let say = &mut |warning| say!("suspect: {warning}");
    let (slice, sources) = sliced(&Store::new(root), &request, &StatusLine::new(), say)?;
    match arguments.format {
        AnswerFormat::Text => write_slice(&slice, |file| sources.text(file), out),
        AnswerFormat::Json => writeln!(out, "{}", serde_json::to_string_pretty(&slice).unwrap_or_default()),
        AnswerFormat::Sarif => {
            return Err(Failure::new(Exit::Usage, "a slice is written as text or json; give one to --format"));
        }
    }
    .map_err(Failure::of(Exit::File))
}
