//! Slices: what a line, or the output, depends on, and what it influences, in a test's run or in the code.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use suspect_format::external::Role;

use crate::comparison::{Side, dynamic_slice, forward_slice};
use crate::explain::{RecordedTest, RecordingRoom, Wrong, find_wrong};
use crate::obstacle::Obstacle;
use crate::program::{Line, Program};
use crate::progress::Progress;
use crate::recording::{Asked, Code, Finder, Runs, Site, Words, is_same_file};
use crate::report::{SLICE_SCHEMA_VERSION, SliceLine, SliceReport};
use crate::slice::{Code as DependenceCode, Criterion, Slicer};
use crate::source::SourceTree;
use crate::store::Store;
use crate::suite::Test;

/// Seconds for finding the call that wrote what is not expected.
const PATIENCE: Duration = Duration::from_secs(60);

/// From where a run is sliced.
#[derive(Clone, Debug)]
pub struct SliceRequest {
    /// The test whose run is sliced; without one, the code.
    pub test: Option<String>,
    /// FILE:LINE, FILE:LINE:VARIABLE, in a run either with `#N`, `output` for the last thing that was written, or `wrong` for the first that is not
    /// expected.
    pub place: String,
    /// True for what the place influences, instead of what it depends on.
    pub forward: bool,
}

/// Slices as is asked for. The sources are those that the slice names; `say` is told how far a recording can be trusted.
///
/// # Errors
/// When the test cannot be recorded, the code is not known, or there is no such place in it.
pub fn slice(
    store: &Store,
    request: &SliceRequest,
    progress: &dyn Progress,
    say: &mut dyn FnMut(String),
) -> Result<(SliceReport, SourceTree), Obstacle> {
    match &request.test {
        Some(test) => slice_run(store, test, request, progress, say),
        None => slice_code(store, request),
    }
}

/// The static slice of the code that the last `suspect test` ran.
fn slice_code(store: &Store, request: &SliceRequest) -> Result<(SliceReport, SourceTree), Obstacle> {
    let run = store.latest_run()?;
    let program = &run.program;
    let sections = run.dependences()?;
    let named: Vec<(String, &[u8])> = sections.iter().map(|(name, bytes)| (name.clone(), bytes.as_slice())).collect();
    let code = DependenceCode::load(program, &named).map_err(Obstacle::of(Obstacle::Store))?;
    let slicer = Slicer::new(program, &code);
    let lines = match (request.place.as_str(), request.forward) {
        ("output", false) => slicer.slice(Criterion::Output),
        ("output" | "wrong", _) => {
            return Err(Obstacle::Request(format!("{}: expected FILE:LINE of the code", request.place)));
        }
        (place, forward) => {
            let line = line_of(program, place)?;
            if forward { slicer.influenced(line) } else { slicer.slice(Criterion::Line(line)) }
        }
    };
    let place = |line: &u32| &program.lines[*line as usize];
    let mut found: Vec<SliceLine> = lines
        .iter()
        .map(place)
        .filter(|line| line.line != 0)
        .map(|line| SliceLine { file: program.files[line.file as usize].clone(), line: line.line, executions: 0 })
        .collect();
    found.sort_by(|one, other| (&one.file, one.line).cmp(&(&other.file, other.line)));
    let report = SliceReport {
        schema_version: SLICE_SCHEMA_VERSION,
        test: String::new(),
        place: request.place.clone(),
        forward: request.forward,
        points: found.len() as u64,
        of: code.lines() as u64,
        lines: found,
    };
    Ok((report, SourceTree::of(store.root(), program)))
}

/// The number of a line of the program.
fn line_of(program: &Program, place: &str) -> Result<u32, Obstacle> {
    let asked: Asked = place.parse().map_err(|expected| Obstacle::Request(format!("{place}: expected {expected}")))?;
    if asked.variable.is_some() || asked.execution.is_some() {
        return Err(Obstacle::Request(format!(
            "{place}: expected FILE:LINE alone: code has neither values nor executions"
        )));
    }
    let fits = |line: &Line| line.line == asked.line && is_same_file(&program.files[line.file as usize], &asked.file);
    let found = program.lines.iter().position(fits);
    let none = || Obstacle::Request(format!("{place}: no recorded code stands there; give a line with a statement"));
    Ok(found.ok_or_else(none)? as u32)
}

/// Runs the test once, recorded, and slices from the place.
fn slice_run(
    store: &Store,
    test: &str,
    request: &SliceRequest,
    progress: &dyn Progress,
    say: &mut dyn FnMut(String),
) -> Result<(SliceReport, SourceTree), Obstacle> {
    let room = RecordingRoom::new(store, progress)?;
    let test = room.test(test)?;
    let recorded = room.record(test, "slice")?;
    recorded.warnings(&test.name).into_iter().for_each(say);
    let loaded = room.code(&[&recorded.recording])?;
    let (program, code) = &*loaded;
    let runs = Runs::read(code, &[&recorded.recording])
        .map_err(|error| Obstacle::Request(format!("{}: {error}", test.name)))?;
    let header = recorded.recording.header();
    let words = Words::new(program, code, &runs, header.errno_address, SourceTree::of(store.root(), program));
    let finder = Finder::new(code, &runs, &words);
    let (members, place) = match request.place.as_str() {
        place @ ("wrong" | "output") if request.forward => {
            return Err(Obstacle::Request(format!("{place}: expected FILE:LINE: nothing depends on what is written")));
        }
        "wrong" => {
            let wrong = wrong(&room, test, &recorded)?;
            let (file, line) = &wrong.place;
            let point = wrong.returned.unwrap_or(wrong.point);
            (dynamic_slice(&runs.runs[0], point, None), format!("{file}:{line}"))
        }
        place if request.forward => {
            let starts = starts(&runs, &finder, &asked(request)?, &test.name)?;
            (forward_slice(&runs.runs[0], &starts), place.to_owned())
        }
        place => {
            let (point, positions) = criterion(code, &runs, &finder, request, &test.name)?;
            (dynamic_slice(&runs.runs[0], point, positions.as_deref()), place.to_owned())
        }
    };
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
        forward: request.forward,
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

/// The place in a run that is asked for.
fn asked(request: &SliceRequest) -> Result<Asked, Obstacle> {
    request.place.parse().map_err(|expected| Obstacle::Request(format!("{}: expected {expected}", request.place)))
}

/// The executions of a place in the run of `test`: the one that has the number, or all.
fn executions(finder: &Finder<'_>, asked: &Asked, test: &str) -> Result<Vec<Vec<u32>>, Obstacle> {
    let all = finder.executions(Side::First, asked);
    if all.is_empty() {
        let message = format!("{asked} was not executed by {test}; give a line with a statement that was");
        return Err(Obstacle::Request(message));
    }
    let Some(number) = asked.execution else { return Ok(all) };
    let count = all.len();
    let chosen = all.into_iter().nth(number as usize - 1);
    let few = || format!("{asked}: {test} executes the line {count} times; give a number up to that");
    Ok(vec![chosen.ok_or_else(|| Obstacle::Request(few()))?])
}

/// The points that are sliced from forward: those of the executions, or those that write the variable.
fn starts(runs: &Runs, finder: &Finder<'_>, asked: &Asked, test: &str) -> Result<Vec<u32>, Obstacle> {
    let run = &runs.runs[0];
    let all = executions(finder, asked, test)?.into_iter().flatten();
    let Some(name) = &asked.variable else { return Ok(all.collect()) };
    let writes = |point: &u32| {
        let locations = finder.locations(Side::First, *point, name);
        run.written(*point).any(|write| locations.contains(&run.location(write)))
    };
    let found: Vec<u32> = all.filter(writes).collect();
    let none = || {
        Obstacle::Request(format!(
            "{asked}: the line does not write a variable of this name; leave it out, or name one that it writes"
        ))
    };
    if found.is_empty() { Err(none()) } else { Ok(found) }
}

/// The point that is sliced from, and which of its operands.
fn criterion(
    code: &Code,
    runs: &Runs,
    finder: &Finder<'_>,
    request: &SliceRequest,
    test: &str,
) -> Result<(u32, Option<Vec<usize>>), Obstacle> {
    let usage = Obstacle::Request;
    let run = &runs.runs[0];
    if request.place == "output" {
        let writes = |point: &u32| {
            let site = run.site(*point);
            matches!(code.what(site), Site::Returned(_)) && code.role(site) == Some(Role::Output)
        };
        let last = (1..run.points()).rev().find(writes);
        return last.map(|point| (point, None)).ok_or_else(|| usage(format!("{test} writes nothing")));
    }
    let asked = asked(request)?;
    let executions = executions(finder, &asked, test)?;
    let last = executions.last().map_or(&[][..], Vec::as_slice);
    let [first, end] = [last.first(), last.last()].map(|point| point.copied().unwrap_or_default());
    let Some(name) = &asked.variable else { return Ok((end, None)) };
    let locations = finder.locations(Side::First, first, name);
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
