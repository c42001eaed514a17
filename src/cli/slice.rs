//! `suspect slice`: what a line of a run depends on.

use std::io::Write;
use std::path::Path;

use super::args::{AnswerFormat, SliceArguments};
use super::exit::{Exit, Failure};
use super::progress::StatusLine;
use crate::cli::streams::say;
use crate::report::write_slice;
use crate::run_slice::{SliceRequest, slice_run};
use crate::store::Store;

/// Runs the test once, recorded, and slices backward from the place.
pub fn slice(root: &Path, arguments: &SliceArguments, out: &mut impl Write) -> Result<(), Failure> {
    let request = SliceRequest { test: arguments.test.clone(), place: arguments.place.clone() };
    let say = &mut |warning| say!("suspect: {warning}");
    let (slice, sources) = slice_run(&Store::new(root), &request, &StatusLine::new(), say)?;
    match arguments.format {
        AnswerFormat::Text => write_slice(&slice, |file| sources.text(file), out),
        AnswerFormat::Json => writeln!(out, "{}", serde_json::to_string_pretty(&slice).unwrap_or_default()),
        AnswerFormat::Sarif => {
            return Err(Failure::new(Exit::Usage, "a slice is written as text or json; give one to --format"));
        }
    }
    .map_err(Failure::of(Exit::File))
}
