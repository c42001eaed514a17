//! `suspect report`: everything that is known, in the format that somebody reads. Nothing is run for it.

mod gather;
mod methods;
mod missing;
mod profiles;
mod sources;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use super::args::{ReportArguments, ReportFormat};
use super::exit::{Exit, Failure};
use super::spectra;
use crate::report::{Report, write_report_markdown, write_report_text};
pub use gather::gather;

/// Places shown as text unless asked otherwise.
const TOP: usize = 5;

/// Makes the report, or reads it back, and writes it.
pub fn report(root: &Path, start: &Path, arguments: &ReportArguments, out: &mut impl Write) -> Result<(), Failure> {
    if arguments.format == ReportFormat::Gzoltar {
        return spectra::write_spectra(root, directory(arguments)?, out);
    }
    let report = match &arguments.from {
        Some(path) => read(&start.join(path))?,
        None => gather(root, now())?,
    };
    publish(start, arguments, &render(&report, arguments)?, out)
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Reads a report that was written as JSON.
pub fn read(path: &Path) -> Result<Report, Failure> {
    let text = fs::read(path).map_err(|error| {
        let message =
            format!("cannot read {}: {error}; give a file that `suspect report --format json` wrote", path.display());
        Failure::new(Exit::File, message)
    })?;
    Report::parse(&text).map_err(|error| Failure::new(Exit::File, format!("{} {error}", path.display())))
}

/// The report as the arguments ask.
fn render(report: &Report, arguments: &ReportArguments) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let top = arguments.top.unwrap_or(TOP);
    match arguments.format {
        ReportFormat::Text => write_report_text(report, top, &mut bytes).map_err(Failure::of(Exit::File))?,
        ReportFormat::Markdown => bytes.extend(write_report_markdown(report).as_bytes()),
        ReportFormat::Json => bytes.extend(report.to_json().as_bytes()),
        ReportFormat::Gzoltar => {}
    }
    Ok(bytes)
}

/// The directory to write to, which formats of several files need.
fn directory(arguments: &ReportArguments) -> Result<&Path, Failure> {
    let wrong = |message: &str| Err(Failure::new(Exit::Usage, message));
    match (&arguments.from, &arguments.output) {
        (Some(_), _) => wrong("this format needs what was recorded, which a report has not: leave out --from"),
        (None, None) => wrong("this format is several files: give a directory with --output"),
        (None, Some(directory)) => Ok(directory),
    }
}

/// Writes to the file that was asked for, whole or not at all, or to `out`.
fn publish(start: &Path, arguments: &ReportArguments, bytes: &[u8], out: &mut impl Write) -> Result<(), Failure> {
    match &arguments.output {
        Some(path) => super::files::write_whole(&start.join(path), bytes),
        None => out.write_all(bytes).map_err(Failure::of(Exit::File)),
    }
}
