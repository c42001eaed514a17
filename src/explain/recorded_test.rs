//! A recorded run of a test, and of several processes the one that is looked at.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::blamed::Sign;
use crate::comparison::Turn;
use crate::obstacle::Obstacle;
use crate::recording::{Recording, Runs};
use crate::report::{Place, lines_named, places_named};
use crate::suite::{self, Verdict, failed_checks};
use crate::trial::{self, Plan, Replaced, TestRuns, Turned};

/// Bytes of a recording, at most, that is gone along for what it does outside of objects.
const MOST_LOOKED_AT: u64 = 64 << 20;

/// What the recording of a process may have.
#[derive(Clone, Copy)]
pub struct Most {
    /// In bytes.
    pub bytes: u64,
    /// True if it is so little because the disk has no room for more.
    pub is_of_disk: bool,
}

/// A recorded run of a test.
pub struct RecordedTest {
    /// The suite's verdict.
    pub verdict: Verdict,
    /// The reason of the verdict, unless it goes without saying.
    pub reason: Option<String>,
    /// The means to run it again with patches, if there are any.
    pub runs: Option<TestRuns>,
    /// The number of the process in the order in which they started.
    pub process: u32,
    /// The process that is looked at: of several, the one that the failure is known to be of, or else that recorded most.
    pub recording: Recording,
    /// Why this process is looked at, if more is known than that it recorded most.
    pub sign: Option<Sign>,
    /// The number of further processes of the test that recorded something.
    pub others: usize,
    /// The numbers of its processes that run the program of this one.
    pub alike: Vec<u32>,
    /// Its standard output and error, if it ran contained.
    pub written: Option<[Vec<u8>; 2]>,
    /// Lines that a passing test writes, too, if one was asked: they complain of nothing.
    pub usual: HashSet<Vec<u8>>,
    /// The change in a run that is not the test's own.
    pub change: Option<Change>,
    /// True if it is a run of the room's other build.
    pub is_of_other_build: bool,
    /// What it did, once it was read alone.
    pub read: RefCell<Option<Rc<Runs>>>,
}

/// A verdict, and the standard output and error that it is of.
pub type Judged = (Verdict, [Vec<u8>; 2]);

/// A change in a run of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A decision goes another way.
    Turned(Turn),
    /// Each decision made where this one is goes another way, or its way: by the step there.
    Everywhere(Turn, Turned),
    /// The value of a store, by its point, is another one.
    Replaced(u32, Replaced),
}

impl Change {
    /// Makes it part of what a process is to do.
    pub fn put_into(self, plan: &mut Plan<'_>) {
        match self {
            Change::Turned(turn) => plan.switched = Some((turn.decision, turn.way)),
            Change::Everywhere(_, turned) => plan.turned = Some(turned),
            Change::Replaced(_, replaced) => plan.replaced = Some(replaced),
        }
    }
}

impl RecordedTest {
    /// The verdict in words, as a recorded run has it.
    pub fn verdict_text(&self) -> String {
        match &self.reason {
            Some(reason) => format!("{}: {reason}", self.verdict),
            None => self.verdict.to_string(),
        }
    }

    /// Whether it is gone along for what it does outside of objects: a run that does not end does the same again and again.
    pub fn is_looked_at_for_misuses(&self) -> bool {
        self.verdict != Verdict::Timeout && self.recording.stream().end() <= MOST_LOOKED_AT
    }

    /// Its standard output and error with blanks for the lines that a passing test writes, too.
    pub fn said(&self) -> Option<[Vec<u8>; 2]> {
        self.written.as_ref().map(|written| written.each_ref().map(|text| blanked(text, &self.usual)))
    }

    /// Places in these files that what the test complains of names, in their order, the complaint itself first. A line without a file, of a check that
    /// failed, is one of `own`: the file that tells it most likely.
    pub fn complained_places<'f>(
        &self,
        complaint: &str,
        root: &Path,
        files: &'f [String],
        own: Option<&'f str>,
    ) -> impl Iterator<Item = Place> + use<'f> {
        let written = self.said().into_iter().flat_map(|[output, error]| [error, output]);
        let written: Vec<Vec<u8>> = written.map(|bytes| suite::without_colours(&bytes)).collect();
        // What passed may have said its place before.
        let complaining = written.iter().filter_map(|bytes| Some(&bytes[suite::complaint(bytes)?.start..]));
        let said = complaining
            .chain(written.iter().map(Vec::as_slice))
            .map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        let texts = std::iter::once(complaint.to_owned()).chain(said);
        // A check names its file as the compiler was given it, often with all its directories.
        let root = format!("{}/", root.display());
        let texts: Vec<String> = texts.map(|text| text.replace(&root, "")).collect();
        let lines = |text: &String| failed_checks(text.as_bytes()).flat_map(lines_of).collect::<Vec<_>>();
        let lines: Vec<u32> = texts.iter().flat_map(lines).collect();
        let own = lines.into_iter().filter_map(move |line| Some(Place { file: own?.to_owned(), line }));
        texts.into_iter().flat_map(|text| places_named(&text, files)).chain(own)
    }

    /// Statements about what was not recorded of the test called `name`.
    pub fn warnings(&self, name: &str) -> Vec<String> {
        let others = (self.others > 0).then(|| {
            let verb = if self.others == 1 { "other was" } else { "others were" };
            let one = match self.sign {
                Some(sign) => format!("number {} is looked at: where it does nothing, {sign}", self.process + 1),
                None => "the one that recorded most is looked at".to_owned(),
            };
            format!("of its processes {one}; {} {verb} recorded, too", self.others)
        });
        let all = self.recording.warnings().into_iter().chain(others);
        all.map(|warning| format!("{name}: {warning}")).collect()
    }
}

/// Lines that one line of a complaint names without a file.
fn lines_of(said: &[u8]) -> Vec<u32> {
    lines_named(&String::from_utf8_lossy(said))
}

/// Recordings in the order in which their processes started.
fn in_order(paths: &[PathBuf]) -> Result<Vec<Recording>, Obstacle> {
    let mut recordings = paths.iter().map(|path| Recording::open(path)).collect::<Result<Vec<_>, _>>()?;
    recordings.sort_by_key(|recording| (recording.header().start_ns, recording.header().pid));
    Ok(recordings)
}

pub fn of_process(paths: &[PathBuf], process: u32) -> Result<Option<Recording>, Obstacle> {
    Ok(in_order(paths)?.into_iter().nth(process as usize))
}

/// A test that was recorded contained; nothing if no program was, or one that is not there any more.
pub fn of_contained(
    runs: TestRuns,
    run: trial::Run,
    reason: Option<String>,
    asked: &Asked<'_>,
) -> Result<Option<RecordedTest>, Obstacle> {
    let Some(Chosen { recording, process, sign, others, alike }) = chosen(&run.recordings, asked)? else {
        return Ok(None);
    };
    let is_whole = recording.modules().iter().all(|module| module.is_file());
    let (verdict, runs, written) = (run.verdict, Some(runs), Some(run.written));
    Ok(is_whole.then_some(RecordedTest {
        verdict,
        reason,
        runs,
        recording,
        sign,
        process,
        others,
        alike,
        written,
        usual: HashSet::new(),
        change: None,
        is_of_other_build: false,
        read: RefCell::default(),
    }))
}

/// What decides which recording of a test's is looked at.
pub struct Asked<'a> {
    /// What a recording may have.
    pub most: Most,
    /// The process that is to be looked at, and why, if that is known.
    pub looked_at: Option<(u32, Sign)>,
    /// Whether a recorded process ran the code that is most likely to be at fault; true of each where that is not known.
    pub is_suspected: &'a dyn Fn(&Recording) -> bool,
}

/// The recording that is looked at of a test's.
pub struct Chosen {
    pub recording: Recording,
    pub process: u32,
    /// Why it is this one, if more is known than that it recorded most.
    pub sign: Option<Sign>,
    pub others: usize,
    pub alike: Vec<u32>,
}

/// The recording of the process that is asked for, or else the one that says most: of programs with suspected code, if there are such. Others are tools
/// of the test.
pub fn chosen(paths: &[PathBuf], asked: &Asked<'_>) -> Result<Option<Chosen>, Obstacle> {
    let mut recordings = in_order(paths)?;
    let is_suspected = by_program(&recordings, asked.is_suspected);
    let longest = (0..recordings.len()).max_by_key(|at| (is_suspected[*at], recordings[*at].stream().end()));
    let most = asked.most;
    let named = asked.looked_at.filter(|(process, _)| (*process as usize) < recordings.len());
    // Both ends of a pipe start at once, so which of them is first may be another one each time.
    let nearest = named.and_then(|(process, _)| {
        let suspected = (0..recordings.len()).filter(|at| is_suspected[*at]);
        suspected.min_by_key(|at| at.abs_diff(process as usize)).or(Some(process as usize))
    });
    let Some(at) = nearest.or(longest) else { return Ok(None) };
    let sign = named.map(|(_, sign)| sign);
    let program = recordings[at].modules().into_iter().next();
    let is_alike = |(_, one): &(u32, &Recording)| one.modules().into_iter().next() == program;
    let alike = (0..).zip(&recordings).filter(is_alike).map(|(number, _)| number).collect();
    let others = recordings.len() - 1;
    let recording = recordings.swap_remove(at).within(most.is_of_disk);
    Ok(Some(Chosen { recording, process: at as u32, sign, others, alike }))
}

/// For each recording whether that holds of its program; one program is asked once, and one alone not at all.
fn by_program(recordings: &[Recording], holds: &dyn Fn(&Recording) -> bool) -> Vec<bool> {
    let programs: Vec<Option<PathBuf>> = recordings.iter().map(|one| one.modules().into_iter().next()).collect();
    if programs.iter().all(|program| *program == programs[0]) {
        return vec![true; recordings.len()];
    }
    let mut known: HashMap<&Option<PathBuf>, bool> = HashMap::new();
    let each = programs.iter().zip(recordings);
    each.map(|(program, one)| *known.entry(program).or_insert_with(|| holds(one))).collect()
}

/// A text with blanks for these lines, whatever they are indented by: what else it holds stays where it is.
fn blanked(text: &[u8], lines: &HashSet<Vec<u8>>) -> Vec<u8> {
    let blank = |byte: &u8| if *byte == b'\n' { b'\n' } else { b' ' };
    let own = |line: &[u8]| match lines.contains(line.trim_ascii()) {
        true => line.iter().map(blank).collect(),
        false => line.to_vec(),
    };
    text.split_inclusive(|byte| *byte == b'\n').flat_map(own).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_test_says_too_is_blank_and_all_else_where_it_was() {
        let usual = HashSet::from([b"a.c:3: refused".to_vec()]);
        let said = blanked(b"  a.c:3: refused\na.c:9: wrong\n", &usual);
        assert_eq!(said, [&[b' '; 16][..], b"\na.c:9: wrong\n"].concat());
        assert_eq!(suite::complaint(&said).map(|found| found.start), Some(17));
    }
}
