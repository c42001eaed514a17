//! Runs of a test that are recorded, and runs of it that are patched, guided or switched.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use suspect_format::plan::Ended;
use suspect_format::record::{FILE_SUFFIX, RecordHeader, STREAM_ADDRESS};

use super::frame::{Ask, Ran, Stop};
use super::job::{self, Place, Task};
use super::prepare;
use super::{Answered, Known, Plan, TrialError, Worker};
use crate::exec::Status;
use crate::suite::{Suite, Test, Verdict};

/// A test that is run again and again: contained, in a place where it does what is known of it.
#[derive(Clone, Debug)]
pub struct TestRuns {
    test: Test,
    verdict: Verdict,
    place: Place,
    /// Bytes of memory for each process.
    memory: u64,
    wall: Duration,
    /// When its clock is held, seconds since 1970; zero: it is not.
    clock: u64,
}

/// A run of a test.
#[derive(Clone, Debug)]
pub struct Run {
    /// How its first process ended.
    pub status: Status,
    /// What the suite says of it.
    pub verdict: Verdict,
    /// Wall-clock time.
    pub wall: Duration,
    /// Bytes written to standard output and error; the second is empty where the first takes both.
    pub written: [Vec<u8>; 2],
    /// The recordings of its processes, if it was recorded.
    pub recordings: Vec<PathBuf>,
}

/// One test of a plan.
#[derive(Clone, Debug)]
pub struct Patched {
    /// What the process that was meant answered.
    pub answered: Answered,
    /// The run, unless it was forked with others.
    pub run: Option<Run>,
}

/// Bytes of an output that are kept.
const KEPT: u64 = 64 << 20;
/// Bytes to which an output may grow, besides what the limit of recordings is.
const OUTPUT: u64 = 4 << 30;
/// Time for a run besides what the recorded one took, times [`PATIENCE`].
const LEAST_WALL: Duration = Duration::from_secs(2);
const PATIENCE: u32 = 10;
/// Time for the first run of a test whose project gives none.
const FIRST_WALL: Duration = Duration::from_secs(600);

impl TestRuns {
    /// Finds out where the test behaves as known, and records it into the directory `to`, at most `most` bytes for each process. Its clock
    /// is held at `clock`, seconds since 1970; zero: it is not.
    ///
    /// # Errors
    /// [`TrialError::Unsupported`] and [`TrialError::NotReproducible`] are of this test alone. Anything else is of the worker or the system.
    pub fn record(
        worker: &mut Worker,
        suite: &Suite,
        test: &Test,
        recorded: impl Into<Known>,
        to: &Path,
        most: u64,
        clock: u64,
    ) -> Result<(TestRuns, Run), TrialError> {
        let Known { verdict, processes, most: left } = recorded.into();
        let unsupported = |why: &str| TrialError::Unsupported { test: test.name.clone(), why: why.into() };
        let test = &test.alone().map_err(unsupported)?;
        let mut runs = TestRuns {
            test: test.clone(),
            verdict,
            place: Place::Itself,
            memory: worker.setup().memory,
            wall: Duration::ZERO,
            clock,
        };
        let wall = test.own_timeout().unwrap_or(FIRST_WALL) * runs.patience();
        runs.wall = left.map_or(wall, |left| wall.min(left));
        let mut why = None;
        for place in prepare::places(test, worker) {
            runs.place = place;
            let (ran, recordings) = match runs.run(worker, None, Some((to, most))) {
                Ok(run) => run,
                Err(TrialError::NotReproducible { why: refused, .. }) => {
                    why.get_or_insert(refused);
                    continue;
                }
                Err(error) => return Err(error),
            };
            if recordings.is_empty() {
                why.get_or_insert_with(|| "no instrumented program ran where it is run again".into());
                continue;
            }
            let difference = prepare::difference(suite, test, verdict, worker, &ran)?;
            match difference.or_else(|| prepare::other_failure(verdict, processes, recordings.len())) {
                None => {
                    let run = runs.described(suite, worker, &ran, recordings)?;
                    runs.memory = job::memory_for(ran.peak, worker.setup().memory);
                    runs.wall = LEAST_WALL + run.wall * runs.patience();
                    return Ok((runs, run));
                }
                Some(difference) => why = why.or(Some(difference.why)),
            }
        }
        let why = why.unwrap_or_else(|| "it cannot be run anywhere".into());
        Err(TrialError::NotReproducible { test: test.name.clone(), why })
    }

    /// The same test, each run of which takes at most so much time, if that is less.
    pub fn within(&self, most: Option<Duration>) -> TestRuns {
        let wall = most.map_or(self.wall, |most| self.wall.min(most));
        TestRuns { wall, ..self.clone() }
    }

    /// Carries out the tests of a plan, each in a process tree of its own in a fresh place, or, with `forked`, all in children of one process
    /// that are forked at the cause point: right where what runs after it leaves nothing outside of its process. With `record` the directory
    /// in which each is recorded too.
    ///
    /// # Errors
    /// When the worker cannot be kept alive, or the system refuses files.
    pub fn patched(
        &self,
        worker: &mut Worker,
        suite: &Suite,
        plan: &Plan,
        forked: bool,
        record: Option<(&Path, u64)>,
    ) -> Result<Vec<Patched>, TrialError> {
        let path = worker.file("plan");
        let mut answers = vec![None; plan.n_tests()];
        if forked && plan.cause.is_some() {
            plan.write(&path, None, self.wall)?;
            self.run(worker, Some(&path), None)?;
            let found = plan.read(&path)?.into_iter().zip(&mut answers);
            for (answer, place) in found.filter_map(|(answer, place)| Some((answer?, place))) {
                if !matches!(answer.ended, Ended::Nowhere | Ended::Refused | Ended::Parted) {
                    *place = Some(Patched { answered: answer, run: None });
                }
            }
        }
        for (number, place) in answers.iter_mut().enumerate().filter(|(_, place)| place.is_none()) {
            plan.write(&path, Some(number), self.wall)?;
            let (ran, recordings) = self.run(worker, Some(&path), record)?;
            let run = self.described(suite, worker, &ran, recordings)?;
            let answered = plan.read(&path)?.into_iter().nth(number).flatten();
            let garbled = || TrialError::Worker { problem: "left a plan file that nothing can be read from".into() };
            let mut answered = answered.ok_or_else(garbled)?;
            if ran.status.is_none() && matches!(answered.ended, Ended::Nowhere | Ended::Patched) {
                answered.ended = Ended::TimedOut;
            }
            *place = Some(Patched { answered, run: Some(run) });
        }
        let _ = fs::remove_file(&path);
        Ok(answers.into_iter().flatten().collect())
    }

    /// How many times as long as it took a run may take: what does not end does not end later either.
    fn patience(&self) -> u32 {
        if self.verdict == Verdict::Timeout { 1 } else { PATIENCE }
    }

    /// The verdict that is known of the test.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    fn run(
        &self,
        worker: &mut Worker,
        plan: Option<&Path>,
        record: Option<(&Path, u64)>,
    ) -> Result<(Ran, Vec<PathBuf>), TrialError> {
        let streams = worker.streams();
        crate::exec::remove_tree(&streams);
        fs::create_dir(&streams).map_err(TrialError::io("make the directory", &streams))?;
        let most = record.map_or(0, |(_, most)| most);
        let task = Task::Replay { plan, record: record.map(|_| &*streams), most, clock: self.clock };
        job::set(worker, &self.test, self.place, task, self.memory)?;
        let stop = Stop {
            wall_ns: self.wall.as_nanos() as u64,
            busy_ns: u64::MAX,
            output_limit: OUTPUT.saturating_add(most),
            keep: KEPT,
            budget: u64::MAX,
        };
        let ran = job::run(worker, &self.test, &Ask::Run(stop));
        let recordings = match record {
            Some((to, _)) => take_out(&streams, to),
            None => Ok(Vec::new()),
        };
        crate::exec::remove_tree(&streams);
        Ok((ran?, recordings?))
    }

    fn described(
        &self,
        suite: &Suite,
        worker: &Worker,
        ran: &Ran,
        recordings: Vec<PathBuf>,
    ) -> Result<Run, TrialError> {
        let outcome = prepare::outcome(ran);
        let (verdict, _) = suite.judge(&self.test, worker.scratch(), &outcome)?;
        let written = [outcome.stdout.bytes, outcome.stderr.bytes];
        Ok(Run { status: outcome.status, verdict, wall: outcome.wall, written, recordings })
    }
}

/// Moves recordings from the directory `from` to the directory `to`, cut to what was written.
fn take_out(from: &Path, to: &Path) -> Result<Vec<PathBuf>, TrialError> {
    let mut taken = Vec::new();
    fs::create_dir_all(to).map_err(TrialError::io("make the directory", to))?;
    for entry in fs::read_dir(from).map_err(TrialError::io("read", from))? {
        let path = entry.map_err(TrialError::io("read", from))?.path();
        let Some(name) = path.file_name().filter(|name| name.to_string_lossy().ends_with(FILE_SUFFIX)) else {
            continue;
        };
        let target = to.join(name);
        cut(&path).map_err(TrialError::io("cut", &path))?;
        if fs::rename(&path, &target).is_err() {
            fs::copy(&path, &target).map_err(TrialError::io("write", &target))?;
        }
        taken.push(target);
    }
    taken.sort();
    Ok(taken)
}

/// Gives back what a process reserved and did not use.
fn cut(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::FileExt;
    let file = fs::OpenOptions::new().read(true).write(true).open(path)?;
    let mut word = [0; 8];
    file.read_exact_at(&mut word, std::mem::offset_of!(RecordHeader, cursor) as u64)?;
    let end = u64::from_ne_bytes(word).wrapping_sub(STREAM_ADDRESS as u64);
    if end < file.metadata()?.len() {
        file.set_len(end)?;
    }
    Ok(())
}
