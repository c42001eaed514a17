//! Plan and guide files of patched runs: what a process is to do, and what it answers. Layout in [`suspect_format::plan`].

use std::fs;
use std::mem::offset_of;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use suspect_format::ENDIAN_TAG;
use suspect_format::abi::PAGE;
use suspect_format::plan::{
    ALL_TESTS, ANSWER_ARGUMENTS, Answer, Divergence, Ended, GUIDE_MAGIC, GuideHeader, NEVER, PLAN_MAGIC, Patch,
    PlanHeader, PlanTest, Point, WHEN_BEFORE, Watched,
};
use suspect_format::record::VERSION;
use suspect_format::trace::TEXT_LEN;

use super::TrialError;

/// The decisions of two runs, in a file that patched processes of both map; removed when dropped.
#[derive(Debug)]
pub struct Guide {
    path: PathBuf,
}

impl Guide {
    /// Writes the outcomes of both runs' decisions and the places where the runs part into the file `path`.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(path: &Path, outcomes: [&[u32]; 2], divergences: &[Divergence]) -> Result<Guide, TrialError> {
        let start = size_of::<GuideHeader>();
        let first = start.next_multiple_of(8);
        let second = (first + 4 * outcomes[0].len()).next_multiple_of(8);
        let parts = (second + 4 * outcomes[1].len()).next_multiple_of(8);
        let length = parts + size_of_val(divergences);
        let mut bytes = vec![0; length];
        let header = GuideHeader {
            magic: GUIDE_MAGIC,
            version: VERSION,
            endian: ENDIAN_TAG,
            length: length as u64,
            n_outcomes: outcomes.map(|outcomes| outcomes.len() as u64),
            outcomes: [first as u64, second as u64],
            n_divergences: divergences.len() as u64,
            divergences: parts as u64,
        };
        put(&mut bytes, 0, &[header]);
        put(&mut bytes, first, outcomes[0]);
        put(&mut bytes, second, outcomes[1]);
        put(&mut bytes, parts, divergences);
        fs::write(path, bytes).map_err(TrialError::io("write", path))?;
        Ok(Guide { path: path.to_owned() })
    }
}

impl Drop for Guide {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Where a process ends and answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// At a point of both runs.
    Point(Point),
    /// Where it begins a step, by its number in the function of this id, for the n-th time (from 1) after its cause point; for a process that is
    /// not guided.
    Step {
        /// The function.
        function: u32,
        /// The step.
        step: u32,
        /// How many times.
        count: u32,
    },
}

/// A value that is replaced once it was stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// The point after the store.
    pub at: Point,
    /// Where it is.
    pub address: u64,
    /// What it becomes.
    pub bits: u64,
    /// How many bytes it has, at most 8.
    pub length: u32,
}

/// A step whose decisions are all sent another way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turned {
    /// The function.
    pub function: u32,
    /// The step.
    pub step: u32,
    /// The way, or [`suspect_format::plan::OTHER_WAY`].
    pub way: u32,
}

/// What a process of a patched, guided or altered run is to do.
#[derive(Debug, Default)]
pub struct Plan<'a> {
    /// Which of the test's instrumented processes is meant, from 0 in the order in which they start.
    pub process: u32,
    /// The run, 0 or 1, whose input the process runs on.
    pub side: usize,
    /// What keeps it on the way of both runs; without it, it goes its own.
    pub guide: Option<&'a Guide>,
    /// The number, from 0, of a decision that is sent another way, and that way.
    pub switched: Option<(u64, u32)>,
    /// Where each decision is sent another way.
    pub turned: Option<Turned>,
    /// A value that is replaced before the cause point.
    pub replaced: Option<Replaced>,
    /// Where patches are written.
    pub cause: Option<Point>,
    /// Where the process ends and answers, and whether before the step, when it calls, or after it (`WHEN_*`).
    pub effect: Option<(Place, u32)>,
    /// Whether the process writes before that what it holds back of its output.
    pub flushes: bool,
    /// What is looked at there.
    pub watched: Vec<Watched>,
    /// What lies at [`suspect_format::plan::TEXTS_ADDRESS`], for patches that point to it.
    pub texts: Vec<u8>,
    /// For each test the bytes that are written, and where.
    pub tests: Vec<Vec<(u64, Vec<u8>)>>,
}

/// What one test came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// How it ended.
    pub ended: Ended,
    /// For [`Ended::Left`]: the word from `wait`.
    pub status: i32,
    /// Decisions behind the process's place, of each run.
    pub decisions: [u64; 2],
    /// The way that the effect point's step went, if it is a decision.
    pub outcome: Option<u64>,
    /// Arguments of the call that the effect point's step is, at most 16.
    pub arguments: Vec<u64>,
    /// The bytes of what was looked at.
    pub watched: Vec<Vec<u8>>,
}

impl Plan<'_> {
    /// Offset of the first answer, and bytes from one to the next.
    fn answers(&self) -> (usize, usize) {
        let patches: usize = self.tests.iter().map(Vec::len).sum();
        let bytes: usize = self.tests.iter().flatten().map(|(_, bytes)| bytes.len().next_multiple_of(8)).sum();
        let tables = self.n_tests() * size_of::<PlanTest>()
            + patches * size_of::<Patch>()
            + self.watched.len() * size_of::<Watched>();
        let watched: usize = self.watched.iter().map(|watched| watched.length as usize).sum();
        (self.tables() + tables + bytes, (size_of::<Answer>() + watched).next_multiple_of(8))
    }

    /// Offset of the tables, behind the texts.
    fn tables(&self) -> usize {
        (PAGE + self.texts.len()).next_multiple_of(8)
    }

    /// A plan without tests is one test without patches.
    pub(super) fn n_tests(&self) -> usize {
        self.tests.len().max(1)
    }

    /// Writes the plan file: of one test, or of all, each by a fork that may run for `wall`.
    ///
    /// # Errors
    /// When the file cannot be written, or the guide's path is too long.
    pub fn write(&self, path: &Path, test: Option<usize>, wall: Duration) -> Result<(), TrialError> {
        let (answers, stride) = self.answers();
        let n_patches = self.tests.iter().map(Vec::len).sum::<usize>();
        let tests = self.tables();
        let patches = tests + self.n_tests() * size_of::<PlanTest>();
        let watched = patches + n_patches * size_of::<Patch>();
        let mut bytes_at = watched + self.watched.len() * size_of::<Watched>();
        let length = answers + stride * self.n_tests();
        let mut bytes = vec![0; length];
        let (effect_function, effect_step, effect_count) = match self.effect {
            Some((Place::Step { function, step, count }, _)) => (function, step, count),
            _ => (0, 0, 0),
        };
        let mut header = PlanHeader {
            magic: PLAN_MAGIC,
            version: VERSION,
            endian: ENDIAN_TAG,
            length: length as u64,
            process: self.process,
            selected: test.map_or(ALL_TESTS, |test| test as u32),
            n_tests: self.n_tests() as u32,
            n_patches: n_patches as u32,
            n_watched: self.watched.len() as u32,
            when: self.effect.map_or(WHEN_BEFORE, |(_, when)| when),
            side: self.side as u32,
            switched_to: self.switched.map_or(0, |(_, way)| way),
            switched: self.switched.map_or(NEVER, |(number, _)| number),
            turned_function: self.turned.map_or(0, |turned| turned.function),
            turned_step: self.turned.map_or(0, |turned| turned.step),
            turned_to: self.turned.map_or(0, |turned| turned.way),
            reserved_turned: 0,
            replaced: self.replaced.map_or(Point::NONE, |one| one.at),
            replaced_address: self.replaced.map_or(0, |one| one.address),
            replaced_bits: self.replaced.map_or(0, |one| one.bits),
            replaced_length: self.replaced.map_or(0, |one| u64::from(one.length)),
            cause: self.cause.unwrap_or(Point::NONE),
            effect: match self.effect {
                Some((Place::Point(point), _)) => point,
                _ => Point::NONE,
            },
            effect_function,
            effect_step,
            effect_count,
            flushes: u32::from(self.flushes),
            tests: tests as u64,
            patches: patches as u64,
            watched: watched as u64,
            answers: answers as u64,
            answer_stride: stride as u64,
            wall_ns: wall.as_nanos() as u64,
            next_process: 0,
            reserved: 0,
            guide: [0; TEXT_LEN],
        };
        if let Some(guide) = self.guide {
            let text = guide.path.as_os_str().as_bytes();
            let room = header.guide.get_mut(..text.len()).filter(|room| room.len() < TEXT_LEN);
            let too_long = || std::io::Error::from(std::io::ErrorKind::InvalidFilename);
            room.ok_or_else(too_long).map_err(TrialError::io("use", &guide.path))?.copy_from_slice(text);
        }
        put(&mut bytes, 0, &[header]);
        let mut patch = 0;
        for (number, test) in self.tests.iter().enumerate() {
            let row = PlanTest { first_patch: patch as u32, n_patches: test.len() as u32 };
            put(&mut bytes, tests + number * size_of::<PlanTest>(), &[row]);
            for (address, patched) in test {
                let row = Patch { address: *address, bytes: bytes_at as u64, length: patched.len() as u64 };
                put(&mut bytes, patches + patch * size_of::<Patch>(), &[row]);
                put(&mut bytes, bytes_at, patched);
                bytes_at += patched.len().next_multiple_of(8);
                patch += 1;
            }
        }
        bytes[PAGE..PAGE + self.texts.len()].copy_from_slice(&self.texts);
        put(&mut bytes, watched, &self.watched);
        fs::write(path, bytes).map_err(TrialError::io("write", path))
    }

    /// What the tests of the plan file came to. `None` for what no process writes.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read(&self, path: &Path) -> Result<Vec<Option<Answered>>, TrialError> {
        let bytes = fs::read(path).map_err(TrialError::io("read", path))?;
        let (first, stride) = self.answers();
        Ok((0..self.n_tests()).map(|test| self.answer(bytes.get(first + test * stride..)?)).collect())
    }

    fn answer(&self, bytes: &[u8]) -> Option<Answered> {
        let word = |offset: usize| Some(u64::from_ne_bytes(bytes.get(offset..offset + 8)?.try_into().ok()?));
        let half = |offset: usize| Some(u32::from_ne_bytes(bytes.get(offset..offset + 4)?.try_into().ok()?));
        let decisions = offset_of!(Answer, decisions);
        let n_arguments = word(offset_of!(Answer, n_arguments))?.min(ANSWER_ARGUMENTS as u64) as usize;
        let mut at = size_of::<Answer>();
        let mut next = |length: u32| {
            let taken = bytes.get(at..at + length as usize)?;
            at += length as usize;
            Some(taken.to_vec())
        };
        let ended = Ended::from_number(half(offset_of!(Answer, ended))?)?;
        let is_effect = ended == Ended::Effect;
        Some(Answered {
            ended,
            status: half(offset_of!(Answer, status))? as i32,
            decisions: [word(decisions)?, word(decisions + 8)?],
            outcome: word(offset_of!(Answer, outcome)).filter(|outcome| is_effect && *outcome != NEVER),
            arguments: (0..n_arguments)
                .map(|number| word(offset_of!(Answer, arguments) + 8 * number))
                .collect::<Option<_>>()?,
            watched: self.watched.iter().map(|watched| next(watched.length)).collect::<Option<_>>()?,
        })
    }
}

/// Rows of the file formats: numbers without gaps between them.
trait Row: Copy {}
impl Row for u8 {}
impl Row for u32 {}
impl Row for GuideHeader {}
impl Row for Divergence {}
impl Row for PlanHeader {}
impl Row for PlanTest {}
impl Row for Patch {}
impl Row for Watched {}

fn put<T: Row>(bytes: &mut [u8], at: usize, rows: &[T]) {
    let room = &mut bytes[at..at + size_of_val(rows)];
    // SAFETY: as many bytes on both sides, which do not overlap; rows have no bytes that are not written.
    unsafe { std::ptr::copy_nonoverlapping(rows.as_ptr().cast(), room.as_mut_ptr(), room.len()) }
}
