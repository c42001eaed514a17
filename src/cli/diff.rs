//! `suspect diff`: what changed between two nights.

use std::io::Write;
use std::path::Path;

use super::answer::detail;
use super::args::{DiffArguments, RankFormat};
use super::exit::{Exit, Failure};
use super::progress::StatusLine;
use crate::night::{Side, compare, night_before};
use crate::report::write_diff;
use crate::store::Store;

/// Compares two nights and writes what changed.
pub fn diff(root: &Path, start: &Path, arguments: &DiffArguments, out: &mut impl Write) -> Result<(), Failure> {
    let store = Store::new(root);
    let progress = StatusLine::new();
    let older = match &arguments.older {
        Some(name) => Side::find(&store, start, name, &progress)?,
        None => {
            let latest = store.latest_run()?.number;
            let before = night_before(&store, latest)?.ok_or_else(|| {
                let message = format!(
                    "there is no night before run {latest}: `suspect run` makes one; or name what to compare with"
                );
                Failure::new(Exit::Usage, message)
            })?;
            Side::of(&before, &progress)?
        }
    };
    let newer = match &arguments.newer {
        Some(name) => Side::find(&store, start, name, &progress)?,
        None => Side::latest(&store, &progress)?,
    };
    let report = compare(root, &older, &newer);
    let written = match arguments.format {
        RankFormat::Text => write_diff(&report, detail(arguments.verbose), out),
        RankFormat::Json => {
            serde_json::to_writer_pretty(&mut *out, &report).map_err(Into::into).and_then(|()| writeln!(out))
        }
    };
    written.map_err(Failure::of(Exit::File))
}
