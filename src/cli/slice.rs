//! `suspect slice`: what a line of a run depends on.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use suspect_format::external::Role;

use super::args::{AnswerFormat, SliceArguments};
use super::exit::{Exit, Failure};
use super::progress::StatusLine;
use crate::cli::streams::say;
use crate::comparison::{Side, dynamic_slice};
use crate::explain::{RecordedTest, RecordingRoom, Wrong, find_wrong};
use crate::recording::{Asked, Code, Finder, Runs, Site, Words};
use crate::report::{SliceLine, SliceReport, write_slice};
use crate::source::SourceTree;
use crate::store::Store;
use crate::suite::Test;

/// Time for finding the call that wrote what is not expected.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs the test once, recorded, and slices backward from the place.
pub fn slice(root: &Path, arguments: &SliceArguments, out: &mut impl Write) -> Result<(), Failure> {
    let store = Store::new(root);
    let progress = StatusLine::new();
    let room = RecordingRoom::new(&store, &progress)?;
    let test = room.test(&arguments.test)?;
    let recorded = room.record(test, "slice")?;
    for warning in recorded.warnings(&test.name) {
        say!("suspect: {warning}");
    }
    let loaded = room.code(&[&recorded.recording])?;
    let (program, code) = &*loaded;
    let sources = SourceTree::of(root, program);
    let runs = Runs::read(code, &[&recorded.recording])
        .map_err(|error| Failure::new(Exit::Usage, format!("{}: {error}", test.name)))?;
    let words =
        Words::new(program, code, &runs, recorded.recording.header().errno_address, SourceTree::of(root, program));
    let finder = Finder::new(code, &runs, &words);
    let (point, positions, place) = match arguments.place.as_str() {
        "wrong" => {
            let wrong = wrong(&room, test, &recorded)?;
            let (file, line) = &wrong.place;
            (wrong.returned.unwrap_or(wrong.point), None, format!("{file}:{line}"))
        }
        place => {
            let (point, positions) = criterion(code, &runs, &finder, arguments)?;
            (point, positions, place.to_owned())
        }
    };
    let members = dynamic_slice(&runs.runs[0], point, positions.as_deref());
    let mut counts = std::collections::BTreeMap::new();
    for member in members.iter() {
        let Some(place) = words.place(runs.runs[0].site(member)).filter(|place| place.line != 0) else { continue };
        *counts.entry((words.file(place).to_owned(), place.line)).or_insert(0u64) += 1;
    }
    let lines = counts.into_iter().map(|((file, line), executions)| SliceLine { file, line, executions }).collect();
    let report = SliceReport {
        schema_version: crate::report::SLICE_SCHEMA_VERSION,
        test: test.name.clone(),
        place,
        points: members.count() as u64,
        of: u64::from(runs.runs[0].points()),
        lines,
    };
    match arguments.format {
        AnswerFormat::Text => write_slice(&report, |file| sources.text(file), out),
        AnswerFormat::Json => writeln!(out, "{}", serde_json::to_string_pretty(&report).unwrap_or_default()),
        AnswerFormat::Sarif => {
            return Err(Failure::new(Exit::Usage, "a slice is written as text or json; give one to --format"));
        }
    }
    .map_err(Failure::of(Exit::File))
}

/// What a failing test writes and should not.
fn wrong(room: &RecordingRoom<'_>, test: &Test, failing: &RecordedTest) -> Result<Wrong, Failure> {
    find_wrong(room, test, failing, Instant::now() + PATIENCE)?.ok_or_else(|| {
        let message = format!(
            "{}: no call is known that writes what is not expected: the suite has to say byte for byte what the test is to write, and recorded code \
             to write something else; give FILE:LINE",
            test.name
        );
        Failure::new(Exit::Usage, message)
    })
}

/// The point that is sliced from, and which of its operands.
fn criterion(
    code: &Code,
    runs: &Runs,
    finder: &Finder<'_>,
    arguments: &SliceArguments,
) -> Result<(u32, Option<Vec<usize>>), Failure> {
    let usage = |message: String| Failure::new(Exit::Usage, message);
    let run = &runs.runs[0];
    if arguments.place == "output" {
        let writes = |point: &u32| {
            let site = run.site(*point);
            matches!(code.what(site), Site::Returned(_)) && code.role(site) == Some(Role::Output)
        };
        let last = (1..run.points()).rev().find(writes);
        return last.map(|point| (point, None)).ok_or_else(|| usage(format!("{} writes nothing", arguments.test)));
    }
    let asked: Asked =
        arguments.place.parse().map_err(|expected| usage(format!("{}: expected {expected}", arguments.place)))?;
    let executions = finder.executions(Side::First, &asked);
    let Some(last) = executions.last() else {
        return Err(usage(format!(
            "{asked} was not executed by {}; give a line with a statement that was",
            arguments.test
        )));
    };
    let Some(name) = &asked.variable else { return Ok((last[last.len() - 1], None)) };
    let locations = finder.locations(Side::First, last[0], name);
    for point in last {
        let reads = run.reads(*point);
        let chosen: Vec<usize> =
            (0..reads.len()).filter(|position| locations.contains(&run.location(reads[*position]))).collect();
        if !chosen.is_empty() {
            return Ok((*point, Some(chosen)));
        }
    }
    Err(usage(format!(
        "{asked}: the line does not read a variable of this name; leave it out, or name one that it reads"
    )))
}
