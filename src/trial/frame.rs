//! What tool and worker say to each other, over the worker's standard input and output.

use std::io::{self, Read, Write};
use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The first word to a worker.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Hello {
    /// Directories below which it may write.
    pub writable: Vec<PathBuf>,
    /// An empty directory that is to be its `/tmp`.
    pub tmp: PathBuf,
    /// What is to be mounted first.
    pub cover: Option<Cover>,
}

/// A directory over which another one is mounted, in which may be written.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Cover {
    /// It.
    pub directory: PathBuf,
    /// Where it is to be found instead.
    pub original: PathBuf,
    /// The other one.
    pub by: PathBuf,
}

/// The worker's answer to it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Ready {
    /// What cannot be contained, as sentences.
    pub missing: Vec<String>,
    /// Whether directories can be covered, and the one that was to be is.
    pub covers: bool,
}

/// What a worker is asked.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Ask {
    /// From now on run this.
    Job(Box<Job>),
    /// Run the job once.
    Run(Stop),
    /// Run the job once for each of these mutants of the trial file, each in a process tree of its own; once without mutant if there is
    /// no range.
    Exec(Option<(u32, u32)>, Stop),
    /// Run the job once as a plan of all mutants of the trial file.
    Plan(Stop),
}

/// When to stop a run, and what to keep of it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Stop {
    /// Nanoseconds of wall-clock time; of a plan, between two finished mutants.
    pub wall_ns: u64,
    /// Nanoseconds of processor time for each mutant of a plan.
    pub busy_ns: u64,
    /// Bytes to which an output or another file may grow.
    pub output_limit: u64,
    /// Most bytes of each output to be sent.
    pub keep: u64,
    /// Hooks and ticks for each process.
    pub budget: u64,
}

/// A command to run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Job {
    /// Program and arguments.
    pub argv: Vec<Vec<u8>>,
    /// `NAME=value`.
    pub env: Vec<Vec<u8>>,
    /// Working directory.
    pub cwd: PathBuf,
    /// Standard input, from its start; `/dev/null` when not given.
    pub stdin: Option<PathBuf>,
    /// Whether standard error goes where standard output goes.
    pub merge_stderr: bool,
    /// Bytes of memory of its own that each process may have.
    pub memory: u64,
    /// Bytes of address space of each process.
    pub addresses: u64,
    /// Bytes of its stack, if not as many as usual.
    pub stack: Option<u64>,
    /// Directories to be emptied before each run.
    pub empty: Vec<PathBuf>,
    /// A directory and where its copy is to be, which is as the directory before each run.
    pub copy: Option<(PathBuf, PathBuf)>,
    /// The trial file.
    pub file: Option<PathBuf>,
    /// Whether the first process is given the same random bytes each time, also without a trial file.
    pub same_random: bool,
}

/// What a worker answers.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Answer {
    /// The job is understood.
    Understood,
    /// It is not, or cannot be run: what was attempted, and what the system said.
    Refused(String),
    /// One run; the answer to everything but a job.
    Ran(Ran),
}

/// One run.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Ran {
    /// Word from `wait`; `None` when its time was up.
    pub status: Option<i32>,
    /// Nanoseconds it took.
    pub wall_ns: u64,
    /// Most KiB that the first process had in memory.
    pub peak: u64,
    /// Standard output and error; the second is empty when merged.
    pub outputs: [Written; 2],
    /// Bits of the nodes that changed, for a trial.
    pub changed: Vec<u64>,
    /// Hooks and ticks executed, all processes together.
    pub used: u64,
    /// Hooks and ticks of the process that executed most.
    pub longest: u64,
    /// Bytes of the output that is compared up to the first that is not what the trial file expects, for a trial.
    pub matched: u64,
    /// The first of those that follow.
    pub otherwise: Vec<u8>,
    /// `PROCESS_*` bits of all processes.
    pub flags: u32,
    /// Processes that took part in the trial.
    pub processes: u32,
    /// The working directory's copy was written to.
    pub wrote: bool,
}

/// What was written to one stream.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Written {
    /// Bytes.
    pub length: u64,
    /// [`suspect_format::trial::output_hash`] of them.
    pub hash: u64,
    /// The bytes, up to the limit that was asked for.
    pub bytes: Vec<u8>,
}

/// Sends a message; nothing is held back.
pub(super) fn send(to: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let bytes = bincode::serde::encode_to_vec(message, bincode::config::standard()).map_err(io::Error::other)?;
    let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
    to.write_all(&[&length.to_le_bytes()[..], &bytes].concat())
}

/// Receives a message; an error at the end of the stream.
pub(super) fn receive<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<T> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let mut bytes = vec![0; u32::from_le_bytes(length) as usize];
    from.read_exact(&mut bytes)?;
    let (message, _) =
        bincode::serde::decode_from_slice(&bytes, bincode::config::standard()).map_err(io::Error::other)?;
    Ok(message)
}
