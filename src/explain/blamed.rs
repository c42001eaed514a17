//! Of the processes of a failing test the one that the failure is of.

use std::fmt;
use std::time::Instant;

use super::is_over;
use super::recorded::RecordingRoom;
use super::recorded_test::RecordedTest;
use super::right::common;
use crate::obstacle::Obstacle;
use crate::suite::{Test, Verdict, complaints};

/// Why a process is the one to look at: what its test comes to where it ends before it does anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// The test passes.
    Passes,
    /// The first wrong byte of the output is not written; of no later process that holds.
    Unwritten,
    /// The test complains of nothing more, but of each other process that it takes notice of.
    NoMore,
}

impl fmt::Display for Sign {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Sign::Passes => "the test passes",
            Sign::Unwritten => "the first wrong byte is not written",
            Sign::NoMore => "the test complains of no more than it does anyway",
        })
    }
}

/// Processes of a test, at most, that are ended one after the other.
const MOST_ENDED: u32 = 128;

/// What a test came to where one of its processes was ended before it did anything.
struct Without {
    process: u32,
    verdict: Verdict,
    /// Standard output and error.
    written: [Vec<u8>; 2],
    /// Whether all other processes were started.
    is_whole: bool,
}

/// The process of a recorded failing test that the failure is of, and why; nothing where that is not known, or there is one.
///
/// The test is run again, each time with another process ended before it does anything, not longer than until then. Processes of other programs than the
/// one that recorded most are tools of the test.
pub fn process(
    room: &RecordingRoom<'_>,
    test: &Test,
    failing: &RecordedTest,
    until: Instant,
) -> Result<Option<(u32, Sign)>, Obstacle> {
    let n_processes = failing.others + 1;
    let n_ended = failing.alike.len() as u32;
    let Some(written) = &failing.written else { return Ok(None) };
    let is_asked = failing.verdict == Verdict::Fail && (2..=MOST_ENDED).contains(&n_ended);
    if !is_asked || room.takes(&test.name) * n_ended > until.saturating_duration_since(Instant::now()) {
        return Ok(None);
    }
    let mut all = Vec::new();
    for process in failing.alike.iter().copied() {
        if is_over(until) {
            return Ok(None);
        }
        if let Some(run) = room.without(failing, process)? {
            let is_whole = run.recordings.len() == n_processes;
            all.push(Without { process, verdict: run.verdict, written: run.written, is_whole });
        }
    }
    Ok(match room.expected(test)? {
        Some(expected) => writer(&expected, &written[0], &all),
        None => complained_of(written, &all),
    })
}

/// The last process without which the first byte is not written that is not the expected one.
fn writer(expected: &[u8], written: &[u8], all: &[Without]) -> Option<(u32, Sign)> {
    let first = common(expected, written);
    let differs = |one: &&Without| common(&one.written[0], written) <= first;
    let last = all.iter().rfind(differs).filter(|_| first < written.len())?;
    Some((last.process, Sign::Unwritten))
}

/// The process without which the test passes; or else one without which it complains of the same, so that it is complained of anyway: the first one that
/// shows in what else is written, or the first at all where there are no more of them than complaints.
fn complained_of(written: &[Vec<u8>; 2], all: &[Without]) -> Option<(u32, Sign)> {
    // Where it starts the others, the test is not carried out without it.
    if let Some(one) = all.iter().find(|one| one.verdict == Verdict::Pass && one.is_whole) {
        return Some((one.process, Sign::Passes));
    }
    let lines = |written: &[Vec<u8>; 2]| {
        let mut lines: Vec<Vec<u8>> =
            written.iter().flat_map(|text| complaints(text).map(<[u8]>::to_vec).collect::<Vec<_>>()).collect();
        lines.sort_unstable();
        lines
    };
    let known = lines(written);
    let fails = |one: &&Without| one.verdict == Verdict::Fail && one.is_whole;
    let mut some: Vec<&Without> = all.iter().filter(fails).filter(|one| lines(&one.written) == known).collect();
    if some.is_empty() {
        // What is complained of may be told with what came instead.
        some = all.iter().filter(fails).filter(|one| lines(&one.written).len() <= known.len()).collect();
    }
    // Where nothing is complained of, or each may be left out, this tells nothing.
    if known.is_empty() || some.len() == all.len() {
        return None;
    }
    let shown = some.iter().find(|one| one.written != *written);
    let one = shown.or_else(|| some.first().filter(|_| some.len() <= known.len()))?;
    Some((one.process, Sign::NoMore))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without(process: u32, verdict: Verdict, output: &str) -> Without {
        Without { process, verdict, written: [output.into(), Vec::new()], is_whole: true }
    }

    #[test]
    fn a_driver_says_which_of_its_processes_it_complains_of() {
        let written = ["ok 1\nnot ok 2\nok 3\n".into(), Vec::new()];
        let fails = |process, output| without(process, Verdict::Fail, output);
        let mut all = vec![
            fails(0, "not ok 1\nnot ok 2\nok 3\n"),
            fails(1, "ok 1\nnot ok 2\nok 3\n"),
            fails(2, "ok 1\nnot ok 2\nnot ok 3\n"),
        ];
        assert_eq!(complained_of(&written, &all), Some((1, Sign::NoMore)));
        all.push(fails(3, "ok 1\nnot ok 2\nok 3\n"));
        assert_eq!(complained_of(&written, &all), None, "two make no difference");
        all[3].written[0] = b"ok 1\nnot ok 2\n# nothing\nok 3\n".to_vec();
        assert_eq!(complained_of(&written, &all), Some((3, Sign::NoMore)), "what it says changes with one");
        all[2].verdict = Verdict::Pass;
        assert_eq!(complained_of(&written, &all), Some((2, Sign::Passes)));
        all[2].is_whole = false;
        assert_eq!(complained_of(&written, &all), Some((3, Sign::NoMore)), "a runner that starts nothing passes, too");
    }

    #[test]
    fn the_last_process_that_changes_the_first_wrong_byte_wrote_it() {
        let fails = |process, output| without(process, Verdict::Fail, output);
        let all = [fails(0, "xc\n"), fails(1, "a\nc\n"), fails(2, "a\nx")];
        assert_eq!(writer(b"a\nb\nc\n", b"a\nxc\n", &all), Some((1, Sign::Unwritten)));
        assert_eq!(writer(b"a\nxc\nd\n", b"a\nxc\n", &all), None, "something is missing");
    }
}
