//! What running a command gave.

use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

/// How the first process of a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Returned or called `exit` with this status.
    Exited(i32),
    /// Ended by this signal.
    Signaled(i32),
    /// Killed because the wall-clock limit was reached.
    TimedOut,
    /// Killed because it wrote more output than [`super::Limits::flood`].
    Flooded,
}

impl Status {
    /// From the word that `wait` gives.
    pub(crate) fn from_wait(word: i32) -> Status {
        let status = ExitStatus::from_raw(word);
        match status.signal() {
            Some(signal) => Status::Signaled(signal),
            None => Status::Exited(status.code().unwrap_or(-1)),
        }
    }

    /// Exit status zero.
    pub fn success(self) -> bool {
        self == Status::Exited(0)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Status::Exited(code) => write!(f, "exit status {code}"),
            Status::Signaled(signal) => match nix::sys::signal::Signal::try_from(*signal) {
                Ok(known) => write!(f, "killed by {known}"),
                Err(_) => write!(f, "killed by signal {signal}"),
            },
            Status::TimedOut => f.write_str("out of time"),
            Status::Flooded => f.write_str("too much output"),
        }
    }
}

/// What a process wrote to one stream, up to the limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// The first bytes, at most [`super::Limits::output`].
    pub bytes: Vec<u8>,
    /// Whether more was written than kept.
    pub truncated: bool,
}

/// One finished run of a command.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How its first process ended.
    pub status: Status,
    /// From start to the end of the first process.
    pub wall: Duration,
    /// User and system time of all processes of the command.
    pub cpu: Duration,
    /// Standard output (and standard error, when merged).
    pub stdout: Output,
    /// Standard error; empty when merged into `stdout`.
    pub stderr: Output,
    /// Processes that were still there when the first had ended, and were ended.
    pub leftovers: u32,
    /// Of these, how many could not be killed (another user's, or stuck in the kernel).
    pub survivors: u32,
}
