//! The first wrong byte that a failing test writes, and the call that wrote it.

use std::cell::Cell;
use std::fmt;
use std::time::Instant;

use suspect_format::external::Role;

use super::is_over;
use super::recorded::RecordingRoom;
use super::recorded_test::RecordedTest;
use super::right::common;
use crate::comparison::{Alignment, Side};
use crate::obstacle::Obstacle;
use crate::program::{Program, is_of_system};
use crate::recording::{Code, End, Frame, Runs, Site};
use crate::suite::{Mismatch, Test, Verdict, complaint};
use crate::trial::Place;

/// The first thing that a failing test writes and that is not expected.
#[derive(Clone, Debug)]
pub struct Wrong {
    /// The point of its run at which it calls what writes it.
    pub point: u32,
    /// The point at which that call has returned, where what it was given is read.
    pub returned: Option<u32>,
    /// The wrong byte, and how many bytes that call writes before it.
    pub byte: (u8, usize),
    /// The file and line of that call.
    pub place: (String, u32),
    /// Where the output is not the expected one.
    pub mismatch: Mismatch,
    /// Whether an expected line is missing before what is written there.
    pub lacks_line: bool,
}

impl fmt::Display for Wrong {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, line) = &self.place;
        write!(to, "what it writes is not what is expected: {}; {file}:{line} writes it", self.mismatch)
    }
}

impl Wrong {
    /// True if something corresponds to the call in another run.
    pub fn is_in(&self, alignment: &Alignment) -> bool {
        let points = [Some(self.point), self.returned];
        points.into_iter().flatten().any(|point| alignment.partner(Side::Second, point).is_some())
    }
}

/// Looks for the call of a failing test's run that wrote the first byte of standard output that is not the expected one. Nothing where the test is judged by
/// something else, where all that is wrong is that something is missing, or where no recorded code wrote it.
///
/// By bisection: the test is run again, ended before one call or another, and what it has written by then is looked at; not longer than until then.
pub fn find(
    room: &RecordingRoom<'_>,
    test: &Test,
    failing: &RecordedTest,
    until: Instant,
) -> Result<Option<Wrong>, Obstacle> {
    let (Some([written, _]), Verdict::Fail) = (&failing.written, failing.verdict) else { return Ok(None) };
    let Some(expected) = room.expected(test)? else { return Ok(None) };
    let Some(mismatch) = Mismatch::first(&expected, written) else { return Ok(None) };
    let first = common(&expected, written);
    if first == written.len() {
        return Ok(None);
    }
    let (loaded, runs) = room.read(&test.name, failing)?;
    let (program, code) = &*loaded;
    // It is the crash that is explained then.
    if matches!(runs.walked[0].end, End::Within(_)) {
        return Ok(None);
    }
    let course = Course { program, code, runs: &runs };
    let found = course.writer(room, failing, (0, first), until)?;
    if found.is_none() && is_before(room, failing, &runs, until) {
        // It was written before the part that is kept.
        let (_, runs) = room.read_whole(&test.name, failing)?;
        return if runs.passed.is_none() { find(room, test, failing, until) } else { Ok(None) };
    }
    let Some(Writer { point, before }) = found else { return Ok(None) };
    let byte = (written[first], first - before);
    let lacks_line = lacks_line(&expected, written, first);
    let wrong = |place| Wrong { point, returned: course.returned(point), byte, place, mismatch, lacks_line };
    Ok(course.line(point).map(wrong))
}

/// Expected lines behind a missing one, at most, that are looked at for what is written in its place.
const MOST_LATER: usize = 3;

/// Whether a line is missing where a text is not the expected one from a byte on: the line there begins with the first word of one that is expected soon after,
/// and not with that of the one that is expected there.
fn lacks_line(expected: &[u8], written: &[u8], first: usize) -> bool {
    let start = written[..first].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let words = |text: &[u8]| -> Vec<Option<Vec<u8>>> {
        let word = |line: &[u8]| {
            let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
            words.next().map(<[u8]>::to_vec)
        };
        text.split(|byte| *byte == b'\n').take(1 + MOST_LATER).map(word).collect()
    };
    let (expected, written) = (words(&expected[start..]), words(&written[start..]));
    let Some(word) = written.first().cloned().flatten() else { return false };
    expected.iter().position(|one| one.as_ref() == Some(&word)).is_some_and(|at| at > 0)
}

/// The point at which a failing test's run calls what writes the first line that tells a failure, on standard output or error; nothing where it writes none,
/// or no recorded code does.
pub fn complaining(
    room: &RecordingRoom<'_>,
    test: &Test,
    failing: &RecordedTest,
    until: Instant,
) -> Result<Option<u32>, Obstacle> {
    let Some(written) = failing.said() else { return Ok(None) };
    let told = (0..).zip(&written).find_map(|(stream, text)| Some((stream, complaint(text)?.start)));
    let Some((stream, start)) = told else { return Ok(None) };
    // Frameworks indent.
    let blank = written[stream][start..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let (loaded, runs) = room.read(&test.name, failing)?;
    let course = Course { program: &loaded.0, code: &loaded.1, runs: &runs };
    Ok(course.writer(room, failing, (stream, start + blank), until)?.map(|writer| writer.point))
}

/// Whether what was not found in the last part of a run may be found before it, and there is time to read all of it.
fn is_before(room: &RecordingRoom<'_>, failing: &RecordedTest, runs: &Runs, until: Instant) -> bool {
    let bytes = failing.recording.stream().end();
    runs.passed.is_some() && WHOLE * room.reading(bytes) < until.saturating_duration_since(Instant::now())
}

/// So many times as long as the last part all of a run takes to be read, at most: it is walked along twice, and more is made of it.
const WHOLE: u32 = 4;

/// The call that wrote a byte.
struct Writer {
    point: u32,
    /// Bytes that are written before it.
    before: usize,
}

/// A recorded run.
struct Course<'a> {
    program: &'a Program,
    code: &'a Code,
    runs: &'a Runs,
}

impl Course<'_> {
    /// The call that wrote this byte of standard output (0) or error (1), by bisection; nothing where no recorded code did, or time is up.
    fn writer(
        &self,
        room: &RecordingRoom<'_>,
        failing: &RecordedTest,
        (stream, first): (usize, usize),
        until: Instant,
    ) -> Result<Option<Writer>, Obstacle> {
        let Some(written) = failing.written.as_ref().map(|written| &written[stream]) else { return Ok(None) };
        let before = Cell::new(0);
        let is_written_before = |point: u32| {
            if is_over(until) {
                return Ok(None);
            }
            let so_far = room.written_before(failing, self.place(point))?;
            let so_far = so_far.map(|so_far| common(&so_far[stream], written));
            if let Some(bytes) = so_far.filter(|bytes| *bytes <= first) {
                before.set(bytes.max(before.get()));
            }
            Ok::<_, Obstacle>(so_far.map(|bytes| bytes > first))
        };
        // It is not written before the call at `low`, and is before the one at `high`, or at the end.
        let calls = self.calls();
        let (mut low, mut high) = (0, calls.len());
        if calls.is_empty() || is_written_before(calls[0])? != Some(false) {
            return Ok(None);
        }
        while high - low > 1 {
            let middle = low.midpoint(high);
            match is_written_before(calls[middle])? {
                Some(true) => high = middle,
                Some(false) => low = middle,
                None => return Ok(None),
            }
        }
        let point = calls[low];
        // What is not recorded may have written it: after a call that writes nothing, or once recorded code has returned.
        let is_output = self.code.role(self.site(point)) == Some(Role::Output);
        let is_sure = is_output
            && (self.is_in_main(point) || self.next_step(point).map_or(Ok(None), is_written_before)? == Some(true));
        Ok(is_sure.then_some(Writer { point, before: before.get() }))
    }

    fn site(&self, point: u32) -> u32 {
        self.runs.runs[0].site(point)
    }

    /// The points at which code is called that need not be recorded.
    fn calls(&self) -> Vec<u32> {
        let is_call = |point: &u32| matches!(self.code.what(self.site(*point)), Site::Step(step) if self.code.is_hooked_call(step));
        (1..self.runs.runs[0].points()).filter(is_call).collect()
    }

    /// The point at which the call at a point has returned.
    fn returned(&self, point: u32) -> Option<u32> {
        let Site::Step(step) = self.code.what(self.site(point)) else { return None };
        let end = self.code.site(Site::Returned(step));
        (point..self.runs.runs[0].points()).find(|point| self.site(*point) == end)
    }

    /// A point by its step and how often that was begun, which a run that goes another way at times has, too.
    fn place(&self, point: u32) -> Place {
        let site = self.site(point);
        let kept = (1..=point).filter(|point| self.site(*point) == site).count() as u32;
        let count = kept + self.runs.passed.as_ref().map_or(0, |passed| passed.count(site));
        let step = self.code.step_of(site).unwrap_or_default();
        let function = &self.code.functions[self.code.steps[step as usize].function as usize];
        Place::Step { function: function.id, step: step - function.steps.start, count }
    }

    fn frame(&self, point: u32) -> u32 {
        self.runs.details[0].frame_of(point).unwrap_or_default()
    }

    /// The outermost activation of recorded code around an activation.
    fn outermost(&self, frame: u32) -> &Frame {
        let frames = &self.runs.details[0].frames;
        let mut frame = frame;
        while frames[frame as usize].caller != frame {
            frame = frames[frame as usize].caller;
        }
        &frames[frame as usize]
    }

    /// True if `main` is recorded and all that happens at a point happens in it.
    fn is_in_main(&self, point: u32) -> bool {
        let function = &self.code.functions[self.outermost(self.frame(point)).function as usize];
        self.program.functions[function.program as usize].name == "main"
    }

    /// The next point at which a step begins, if recorded code does not return or is called in between.
    fn next_step(&self, point: u32) -> Option<u32> {
        let around = |point: u32| self.outermost(self.frame(point)).object;
        let is_step = |next: &u32| matches!(self.code.what(self.site(*next)), Site::Step(_));
        let next = (point + 1..self.runs.runs[0].points()).find(is_step)?;
        (around(next) == around(point)).then_some(next)
    }

    /// The file and line of a point: in code of the system's headers, of what called it.
    fn line(&self, point: u32) -> Option<(String, u32)> {
        let place = |step: u32| {
            let place = self.code.steps[step as usize].place;
            Some((self.program.files.get(place.file as usize)?.clone(), place.line))
        };
        let mut named = place(self.code.step_of(self.site(point))?)?;
        let mut frame = self.frame(point);
        while is_of_system(&named.0) {
            let of = &self.runs.details[0].frames[frame as usize];
            named = place(of.call?)?;
            frame = of.caller;
        }
        Some(named)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_missing_where_a_later_one_is_begun() {
        let expected = b"start\n\tload 7\n\tjump 7, on\nend\n";
        let lacks = |written: &[u8]| lacks_line(expected, written, common(expected, written));
        assert!(lacks(b"start\n\tjump 256, on\nend\n"));
        assert!(lacks(b"start\nend\n"));
        // Another line, a line too many, and no line at all.
        assert!(!lacks(b"start\n\tload 8\n\tjump 7, on\nend\n"));
        assert!(!lacks(b"start\n\tlist 7\n\tload 7\n"));
        assert!(!lacks(b"start\n\n"));
    }
}
