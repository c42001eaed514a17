//! What a failing test writes that is not expected, and which call wrote the first of it.

use std::fmt;

use suspect_format::external::Role;

use super::super::exit::{Exit, Failure};
use super::super::recorded::{RecordedTest, RecordingRoom};
use crate::recording::{Code, Runs, Site};
use crate::suite::{Test, Verdict};
use crate::trial::Place;

/// The first thing that a failing test writes and that is not expected.
#[derive(Clone, Debug)]
pub struct Wrong {
    /// The point of its run at which it calls what writes it.
    pub point: u32,
    /// The file and line of that call.
    pub place: (String, u32),
    /// How what is written differs from what is expected.
    pub words: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, line) = &self.place;
        write!(to, "{}; {file}:{line} writes it", self.words)
    }
}

/// Looks for the call of a failing test's run that wrote the first byte of standard output that is not the expected one. Nothing where the test is judged by
/// something else, where all that is wrong is that something is missing, or where no recorded code wrote it.
///
/// By bisection: the test is run again, ended before one call or another, and what it has written by then is looked at.
pub fn find(room: &RecordingRoom<'_>, test: &Test, failing: &RecordedTest) -> Result<Option<Wrong>, Failure> {
    let (Some([written, _]), Verdict::Fail, Some(words)) = (&failing.written, failing.verdict, &failing.reason) else {
        return Ok(None);
    };
    let Some(expected) = room.expected(test)? else { return Ok(None) };
    let first = common(&expected, written);
    if first == written.len() {
        return Ok(None);
    }
    let (program, code) = room.code(&[&failing.recording])?;
    let runs = Runs::read(&code, &[&failing.recording])
        .map_err(|error| Failure::new(Exit::Usage, format!("{}: {error}", test.name)))?;
    let calls = calls(&code, &runs);
    let is_written_before = |at: usize| {
        let so_far = room.written_before(failing, place(&code, &runs, &calls, at))?;
        Ok::<_, Failure>(so_far.map(|so_far| common(&so_far, written) > first))
    };
    // It is not written before the call at `low`, and is before the one at `high`, or at the end.
    let (mut low, mut high) = (0, calls.len());
    if calls.is_empty() || is_written_before(0)? != Some(false) {
        return Ok(None);
    }
    while high - low > 1 {
        let middle = low.midpoint(high);
        match is_written_before(middle)? {
            Some(true) => high = middle,
            Some(false) => low = middle,
            None => return Ok(None),
        }
    }
    let point = calls[low];
    // What is not recorded may have written it, after a call that writes nothing.
    if code.role(runs.runs[0].site(point)) != Some(Role::Output) {
        return Ok(None);
    }
    let place = code.step_of(runs.runs[0].site(point)).map(|step| code.steps[step as usize].place);
    let named = place.and_then(|place| Some((program.files.get(place.file as usize)?.clone(), place.line)));
    Ok(named.map(|place| Wrong { point, place, words: words.clone() }))
}

/// How many bytes two texts have in common before they differ.
fn common(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

/// The call of this number by its step and how often that was begun, which a run that goes another way at times has, too.
fn place(code: &Code, runs: &Runs, calls: &[u32], at: usize) -> Place {
    let run = &runs.runs[0];
    let site = run.site(calls[at]);
    let count = calls[..=at].iter().filter(|point| run.site(**point) == site).count() as u32;
    let step = code.step_of(site).unwrap_or_default();
    let function = &code.functions[code.steps[step as usize].function as usize];
    Place::Step { function: function.id, step: step - function.steps.start, count }
}

/// The points at which code is called that need not be recorded.
fn calls(code: &Code, runs: &Runs) -> Vec<u32> {
    let run = &runs.runs[0];
    let is_call = |point: &u32| matches!(code.what(run.site(*point)), Site::Step(step) if code.is_hooked_call(step));
    (1..run.points()).filter(is_call).collect()
}
