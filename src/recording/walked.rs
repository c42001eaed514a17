//! How a walk along a recording ended, and what was found on it.

use std::path::PathBuf;

use suspect_format::record::Unread;

use super::arithmetic::Trap;
use super::bounds::Misuse;

/// How the walk ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// Code that is not recorded was at work when the process ended: it exited, or a signal ended it there. The step that had called it.
    Outside(Option<u32>),
    /// The recording ends in the middle of this step: the process crashed there, was killed, or was not recorded further.
    Within(u32),
    /// A handler of a signal was entered, and where the next one was is not known.
    Interrupted(u32),
    /// The recording cannot be of this code.
    Damaged(String),
    /// There was no more time.
    Late,
}

/// A load that found what nothing explains but the code outside that ran last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stray {
    /// How many times code outside had returned or called back.
    pub after: u32,
    /// Where.
    pub address: u64,
    /// How many bytes.
    pub length: u32,
    /// What they were.
    pub bits: u64,
    /// The step that found it.
    pub step: u32,
    /// What was expected.
    pub expected: u64,
}

/// A branch that went another way than the code says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// The point.
    pub point: u32,
    /// The step.
    pub step: u32,
    /// What the code says.
    pub computed: u64,
    /// What was recorded.
    pub recorded: u64,
}

/// What is told about a walk.
#[derive(Clone, Debug)]
pub struct Walked {
    /// How it ended.
    pub end: End,
    /// Points, with the start.
    pub points: u32,
    /// Loads that nothing explains.
    pub strays: Vec<Stray>,
    /// Branches that went another way.
    pub disagreements: Vec<Disagreement>,
    /// How many were compared: branches, and loads of what was known.
    pub compared: [u64; 2],
    /// How many calls of code outside returned.
    pub returned: u32,
    /// Tokens and steps evaluated: about the number of instructions.
    pub evaluated: u64,
    /// Paths of modules, in the order in which they were loaded.
    pub modules: Vec<PathBuf>,
    /// What was done outside of objects, if that was looked at.
    pub misuses: Vec<Misuse>,
}

/// Why a step cannot be gone along.
#[derive(Debug)]
pub enum Stop {
    /// The recording says nothing, or nonsense.
    Unread(Unread),
    /// The processor would stop the program.
    Trap,
    /// A handler of a signal has jumped out of it.
    Left,
    /// Where handlers of signals were entered is not known from here on.
    Interrupted,
    /// There is no more time.
    Late,
    /// Code and recording contradict each other.
    Wrong(String),
}

impl From<Unread> for Stop {
    fn from(unread: Unread) -> Self {
        Stop::Unread(unread)
    }
}

impl From<Trap> for Stop {
    fn from(_: Trap) -> Self {
        Stop::Trap
    }
}
