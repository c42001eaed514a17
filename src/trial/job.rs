//! What a worker is given to run: a test, where and with which orders for the program.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use suspect_format::abi::{
    ENV_CLOCK, ENV_FILL, ENV_FILL_FROM, ENV_FILL_TO, ENV_LOG_BYTES, ENV_OUT, ENV_PLAN, ENV_RECORD, ENV_RECORD_BYTES,
    ENV_TEST, ENV_TRIAL, Mode,
};

use super::frame::{Answer, Ask, Job, Ran};
use super::{TrialError, Worker};
use crate::exec::{Environment, LARGE_STACK, Stdin};
use crate::suite::Test;

/// Where a test's trials run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Where the test itself runs; nothing can be written there.
    Itself,
    /// In a copy that is restored after each run.
    Copy,
    /// The same with all that the suite's directory holds, where the test's own is below it: what it finds by `..` is there too.
    Around,
    /// Where the test itself runs, over which such a copy is mounted: what it finds by absolute paths is there too.
    Over,
    /// In a directory that is empty at first.
    Empty,
}

impl Place {
    /// The directory that the trials of a test have a copy of.
    pub(super) fn copied(self, test: &Test) -> Option<&Path> {
        match self {
            Place::Copy => Some(&*test.dir),
            Place::Around | Place::Over => Some(test.around().unwrap_or(&test.dir)),
            Place::Itself | Place::Empty => None,
        }
    }
}

/// Where, and with what, a test's trials run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Room {
    pub place: Place,
    /// Whether processes have a stack of [`LARGE_STACK`] bytes, for frames of versions that are not optimised.
    pub large_stack: bool,
}

impl From<Place> for Room {
    fn from(place: Place) -> Room {
        Room { place, large_stack: false }
    }
}

/// The gates of all functions.
pub(super) const ALL_GATES: (u32, u32) = (0, u32::MAX);

/// What the environment tells the program to do.
#[derive(Clone, Copy, Debug)]
pub(super) enum Task<'a> {
    /// Nothing: it is the program as it is without suspect.
    Nothing,
    /// To write traces into this directory, with so many bytes for values; locals begin as this byte.
    Record(&'a Path, u64, u8),
    /// To take part in the trial of this file; locals begin as this byte, those of functions with other gates than these as zero.
    Trial(&'a Path, u8, (u32, u32)),
    /// To do what this plan says; to be recorded into this directory, so many bytes for each process.
    Replay {
        /// The plan file.
        plan: Option<&'a Path>,
        /// The directory.
        record: Option<&'a Path>,
        /// Bytes.
        most: u64,
        /// When its clock is held, seconds since 1970; zero: it is not.
        clock: u64,
    },
}

/// Bytes of address space that a process may have besides its memory: programs, libraries, files.
const ADDRESSES: u64 = 4 << 30;
/// Times that a trial may have the oracle's memory, and bytes that it may have anyway.
const MEMORY_FACTOR: u64 = 8;
const LEAST_MEMORY: u64 = 256 << 20;

/// Bytes of memory for trials of a test whose first process had so many KiB.
pub(super) fn memory_for(peak: u64, most: u64) -> u64 {
    // A power of two, so that it is the same whenever the test is got ready.
    (peak * 1024 * MEMORY_FACTOR).next_power_of_two().max(LEAST_MEMORY).min(most)
}

/// The job of running `test`.
fn of(worker: &Worker, test: &Test, Room { place, large_stack }: Room, task: Task, memory: u64) -> Job {
    let (tmp, work) = (worker.tmp(), worker.work());
    let copied = place.copied(test);
    let cwd = match copied {
        _ if matches!(place, Place::Itself | Place::Over) => test.dir.clone(),
        Some(copied) => {
            test.dir.strip_prefix(copied).map_or(work.clone(), |below| work.join(below).components().collect())
        }
        None => work.clone(),
    };
    let mut command = test.command_in(&cwd, &tmp);
    command.env.set_varying("PWD", &cwd);
    if !matches!(task, Task::Nothing) {
        command.env.set_varying(ENV_TEST, &test.name);
    }
    tell(&mut command.env, task);
    let mut job = Job {
        argv: command.argv.into_iter().map(OsString::into_vec).collect(),
        env: block(&command.env),
        cwd,
        stdin: match command.stdin {
            Stdin::File(path) => Some(path),
            Stdin::Null | Stdin::Bytes(_) => None,
        },
        merge_stderr: command.merge_stderr,
        memory,
        addresses: memory + ADDRESSES + worker.setup().log_bytes,
        stack: large_stack.then_some(LARGE_STACK),
        empty: vec![tmp],
        copy: None,
        file: None,
        same_random: matches!(task, Task::Replay { .. }),
    };
    match copied {
        Some(copied) if place == Place::Over => job.copy = Some((worker.original(), copied.to_owned())),
        Some(copied) => job.copy = Some((copied.to_owned(), work)),
        None if place == Place::Empty => job.empty.push(work),
        None => {}
    }
    if let Task::Trial(file, ..) = task {
        job.file = Some(file.to_owned());
    }
    job
}

/// Tells the program what to do. For one kind of task always as many variables: each moves the stack.
fn tell(environment: &mut Environment, task: Task) {
    let (variable, path, log_bytes, fill) = match task {
        Task::Nothing => return,
        Task::Record(directory, log_bytes, fill) => (ENV_OUT, directory, log_bytes, fill),
        Task::Trial(file, fill, (first, end)) => {
            environment.set_varying(ENV_FILL_FROM, first.to_string());
            environment.set_varying(ENV_FILL_TO, end.to_string());
            (ENV_TRIAL, file, 0, fill)
        }
        Task::Replay { plan, record, most, clock } => {
            environment.set_varying(ENV_OUT, record.unwrap_or(Path::new("")));
            environment.set_varying(ENV_PLAN, plan.unwrap_or(Path::new("")));
            environment.set_varying(ENV_RECORD, Mode::Record.name());
            environment.set_varying(ENV_CLOCK, clock.to_string());
            return environment.set_varying(ENV_RECORD_BYTES, most.to_string());
        }
    };
    environment.set_varying(variable, path);
    environment.set_varying(ENV_RECORD, Mode::Trace.name());
    environment.set_varying(ENV_LOG_BYTES, log_bytes.to_string());
    environment.set_varying(ENV_FILL, fill.to_string());
}

/// The environment with what differs from worker to worker at its end: a mutant that reads beyond its frames comes upon it last.
fn block(environment: &Environment) -> Vec<Vec<u8>> {
    let mut all: Vec<(OsString, OsString)> = environment.sealed().into_iter().collect();
    let place = |name: &OsStr| match name.as_bytes() {
        b"PWD" | b"TMPDIR" => 2,
        // The filling, which is most of it.
        b"SUSPECT_PAD" => 1,
        name if name.starts_with(b"SUSPECT_") => 2,
        _ => 0,
    };
    all.sort_by_key(|(name, _)| place(name));
    all.iter().map(|(name, value)| pair(name, value)).collect()
}

fn pair(name: &OsStr, value: &OsStr) -> Vec<u8> {
    [name.as_bytes(), b"=", value.as_bytes()].concat()
}

/// Gives the worker a job: `test`, where and with which task, with so many bytes of memory for each process.
pub(super) fn set(
    worker: &mut Worker,
    test: &Test,
    room: impl Into<Room>,
    task: Task,
    memory: u64,
) -> Result<(), TrialError> {
    let room = room.into();
    let place = room.place;
    let covered = place.copied(test).filter(|_| place == Place::Over);
    if !worker.cover(covered)? {
        let why = "the system does not let a copy of its directory be mounted over that";
        return Err(TrialError::NotReproducible { test: test.name.clone(), why: why.into() });
    }
    let job = of(worker, test, room, task, memory);
    let refused = |problem: &str| TrialError::Worker { problem: format!("cannot take the test: {problem}") };
    let died = |worker: &Worker| if worker.is_over() { gone(worker, test) } else { refused("it died") };
    if worker.ask(&Ask::Job(Box::new(job)))?.is_err() {
        return Err(died(worker));
    }
    match worker.answer() {
        Ok(Answer::Understood) => Ok(()),
        Ok(Answer::Refused(why)) => Err(refused(&why)),
        Ok(Answer::Ran(_)) => Err(refused("it answered something else")),
        Err(_) => Err(died(worker)),
    }
}

/// Why there is no run of a test whose worker died.
pub(super) fn gone(worker: &Worker, test: &Test) -> TrialError {
    let test = test.name.clone();
    match worker.is_over() {
        true => TrialError::Late { test },
        false => TrialError::NotReproducible { test, why: "the process that runs it is killed".into() },
    }
}

/// One run of the worker's job.
pub(super) fn run(worker: &mut Worker, test: &Test, ask: &Ask) -> Result<Ran, TrialError> {
    let died = |worker: &Worker| gone(worker, test);
    if worker.ask(ask)?.is_err() {
        return Err(died(worker));
    }
    match worker.answer() {
        Ok(Answer::Ran(ran)) => Ok(ran),
        Ok(Answer::Refused(why)) => Err(TrialError::NotReproducible { test: test.name.clone(), why }),
        Ok(Answer::Understood) => Err(TrialError::Worker { problem: "answered something else".into() }),
        Err(_) => Err(died(worker)),
    }
}
