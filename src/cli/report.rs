//! `suspect report`: everything that is known, in the format that somebody reads. Nothing is run for it.

use std::io::{self, Write};
use std::path::Path;

use super::answer::detail;
use super::args::{ReportArguments, ReportFormat};
use super::exit::{Exit, Failure};
use super::progress::StatusLine;
use crate::ranking::write_spectra;
use crate::report::{
    Report, read_report, report_code_quality, report_html, report_junit, report_lcov, report_sarif, write_chains_dot,
    write_graph_dot, write_report_markdown, write_report_text,
};
use crate::run_report::{current, write_tables};
use crate::store::Store;

/// Places in formats that other tools sort, unless asked otherwise.
const TOP: usize = 20;

/// Makes the report, or reads it back, and writes it.
pub fn report(root: &Path, start: &Path, arguments: &ReportArguments, out: &mut impl Write) -> Result<(), Failure> {
    match arguments.format {
        ReportFormat::Gzoltar => return write_gzoltar(root, &start.join(directory(arguments)?), out),
        ReportFormat::Parquet => {
            let directory = start.join(directory(arguments)?);
            let store = Store::new(root);
            let report = current(&store, &StatusLine::new())?;
            let mut say = |path: &Path, n_rows: usize| writeln!(out, "{}: {n_rows} rows", path.display());
            return Ok(write_tables(&report, &store, &directory, &mut say)?);
        }
        _ => {}
    }
    let report = match &arguments.from {
        Some(path) => read_report(&start.join(path))?,
        None => current(&Store::new(root), &StatusLine::new())?,
    };
    publish(start, arguments, &render(&report, arguments)?, out)
}

/// Writes the latest run for other tools.
fn write_gzoltar(root: &Path, directory: &Path, out: &mut impl Write) -> Result<(), Failure> {
    let written = write_spectra(&Store::new(root).latest_run()?, directory)?;
    writeln!(out, "{} tests, {} lines in {}", written.n_tests, written.n_lines, directory.display())
        .map_err(Failure::of(Exit::File))
}

/// The report as the arguments ask.
fn render(report: &Report, arguments: &ReportArguments) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let top = arguments.top.unwrap_or(TOP);
    let written = match arguments.format {
        ReportFormat::Text => write_report_text(report, arguments.top, detail(arguments.verbose), &mut bytes),
        ReportFormat::Html => bytes.write_all(report_html(report).as_bytes()),
        ReportFormat::Markdown => bytes.write_all(write_report_markdown(report).as_bytes()),
        ReportFormat::Json => bytes.write_all(report.to_json().as_bytes()),
        ReportFormat::Sarif => json(&report_sarif(report, top), &mut bytes),
        ReportFormat::Junit => bytes.write_all(report_junit(report).as_bytes()),
        ReportFormat::Codequality => json(&report_code_quality(report, top), &mut bytes),
        ReportFormat::Lcov => bytes.write_all(report_lcov(report).as_bytes()),
        ReportFormat::Dot => return dot(report),
        ReportFormat::Gzoltar | ReportFormat::Parquet => Ok(()),
    };
    written.map_err(Failure::of(Exit::File))?;
    Ok(bytes)
}

fn json(value: &serde_json::Value, out: &mut Vec<u8>) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, value)?;
    writeln!(out)
}

fn dot(report: &Report) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let written = match (&report.model, report.explanations.is_empty()) {
        (Some(model), _) => write_graph_dot(model, &mut bytes),
        (None, false) => write_chains_dot(report, &mut bytes),
        (None, true) => {
            let message = "there is no graph yet: run `suspect mutate` for the dependence model";
            return Err(Failure::new(Exit::Store, message));
        }
    };
    written.map_err(Failure::of(Exit::File))?;
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
