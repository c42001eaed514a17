//! The dynamic slice of a test's run: what a line, or the output, depends on.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use suspect_format::external::Role;

use crate::comparison::{Side, dynamic_slice};
use crate::explain::{RecordedTest, RecordingRoom, Wrong, find_wrong};
use crate::obstacle::Obstacle;
use crate::progress::Progress;
use crate::recording::{Asked, Code, Finder, Runs, Site, Words};
use crate::report::{SLICE_SCHEMA_VERSION, SliceLine, SliceReport};
use crate::source::SourceTree;
use crate::store::Store;
use crate::suite::Test;

/// Seconds for finding the call that wrote what is not expected.
const PATIENCE: Duration = Duration::from_secs(60);

/// From where a run is sliced.
#[derive(Clone, Debug)]
pub struct SliceRequest {
    /// The test.
    pub test: String,
    /// FILE:LINE, FILE:LINE:VARIABLE, `output` for the last thing that was written, or `wrong` for the first that is not expected.
    pub place: String,
}

/// Runs the test once, recorded, and slices backward from the place. The sources are those that the slice names; `say` is told how far the
/// recording can be trusted.
///
/// # Errors
/// When the test cannot be recorded, or there is no such place in its run.
pub fn slice_run(
    store: &Store,
    request: &SliceRequest,
    progress: &dyn Progress,
    say: &mut dyn FnMut(String),
) -> Result<(SliceReport, SourceTree), Obstacle> {
    let room = RecordingRoom::new(store, progress)?;
    let test = room.test(&request.test)?;
    let recorded = room.record(test, "slice")?;
    recorded.warnings(&test.name).into_iter().for_each(say);
    let loaded = room.code(&[&recorded.recording])?;
    let (program, code) = &*loaded;
    let runs = Runs::read(code, &[&recorded.recording])
        .map_err(|error| Obstacle::Request(format!("{}: {error}", test.name)))?;
    let header = recorded.recording.header();
    let words = Words::new(program, code, &runs, header.errno_address, SourceTree::of(store.root(), program));
    let finder = Finder::new(code, &runs, &words);
    let (point, positions, place) = match request.place.as_str() {
        "wrong" => {
            let wrong = wrong(&room, test, &recorded)?;
            let (file, line) = &wrong.place;
            (wrong.returned.unwrap_or(wrong.point), None, format!("{file}:{line}"))
        }
        place => {
            let (point, positions) = criterion(code, &runs, &finder, request)?;
            (point, positions, place.to_owned())
        }
    };
    let members = dynamic_slice(&runs.runs[0], point, positions.as_deref());
    let mut counts = BTreeMap::new();
    for member in members.iter() {
        let Some(place) = words.place(runs.runs[0].site(member)).filter(|place| place.line != 0) else { continue };
        *counts.entry((words.file(place).to_owned(), place.line)).or_insert(0u64) += 1;
    }
    let lines = counts.into_iter().map(|((file, line), executions)| SliceLine { file, line, executions }).collect();
    let report = SliceReport {
        schema_version: SLICE_SCHEMA_VERSION,
        test: test.name.clone(),
        place,
        points: members.count() as u64,
        of: u64::from(runs.runs[0].points()),
        lines,
    };
    Ok((report, SourceTree::of(store.root(), program)))
}

/// What a failing test writes and should not.
fn wrong(room: &RecordingRoom<'_>, test: &Test, failing: &RecordedTest) -> Result<Wrong, Obstacle> {
    find_wrong(room, test, failing, Instant::now() + PATIENCE)?.ok_or_else(|| {
        let message = format!(
            "{}: no call is known that writes what is not expected: the suite has to say byte for byte what the test is to write, and recorded code \
             to write something else; give FILE:LINE",
            test.name
        );
        Obstacle::Request(message)
    })
}

/// The point that is sliced from, and which of its operands.
fn criterion(
    code: &Code,
    runs: &Runs,
    finder: &Finder<'_>,
    request: &SliceRequest,
) -> Result<(u32, Option<Vec<usize>>), Obstacle> {
    let usage = Obstacle::Request;
    let run = &runs.runs[0];
    if request.place == "output" {
        let writes = |point: &u32| {
            let site = run.site(*point);
            matches!(code.what(site), Site::Returned(_)) && code.role(site) == Some(Role::Output)
        };
        let last = (1..run.points()).rev().find(writes);
        return last.map(|point| (point, None)).ok_or_else(|| usage(format!("{} writes nothing", request.test)));
    }
    let asked: Asked =
        request.place.parse().map_err(|expected| usage(format!("{}: expected {expected}", request.place)))?;
    let executions = finder.executions(Side::First, &asked);
    let Some(last) = executions.last() else {
        return Err(usage(format!(
            "{asked} was not executed by {}; give a line with a statement that was",
            request.test
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
