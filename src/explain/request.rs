//! Requests for explanations, as plain data.

use std::time::Duration;

use crate::comparison::{Replacement, Turn};
use crate::recording::Asked;

/// A request for an explanation.
#[derive(Clone, Debug)]
pub struct Request {
    /// The failing test; without one, one of the last `suspect test` that the best change of the last ranking mends, or the first.
    pub test: Option<String>,
    /// The run that it is compared with.
    pub second: Second,
    /// Time for everything.
    pub budget: Duration,
    /// Seconds since 1970 at which each run begins, if its clock is to be held.
    pub clock: Option<u64>,
    /// The line at which causes are looked for, instead of step by step.
    pub cause: Option<Asked>,
    /// The effect to explain; without it, the crash, the wrong output, or the first difference.
    pub effect: Option<Asked>,
    /// How causes are found.
    pub method: Method,
    /// The engine of patched runs of the approximate model.
    pub engine: Engine,
    /// The execution model of patched runs.
    pub model: Model,
    /// Steps back, at most.
    pub steps: usize,
    /// Whether numbers of addresses are told where nothing has a name.
    pub addresses: bool,
}

/// How causes are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Comparative causality: relevant, sufficient in both directions, minimal.
    Cc,
    /// Cause state minimisation: all differences of the states, one direction, the program's own course.
    Csm,
    /// The differences that are in flight, none tried.
    Dual,
}

/// The engine that patched runs are made by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// The program runs again, where it can be asked; else the recordings. Runs of one step are forked where that is safe.
    Process,
    /// As process, but each run begins anew.
    Exec,
    /// The two recordings alone.
    Offline,
}

/// The execution model that a patched run follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// The approximate one, and where that rejects all differences together, the exact one.
    Ladder,
    /// Branches that both runs take alike, or one alone, are held in place.
    Approximate,
    /// Nothing but the slice is executed, with definitions that it knows.
    Exact,
}

/// The run that the failing one is compared with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Second {
    /// The run of a test that the user named.
    Named(String),
    /// The same test in the other build of the room.
    OtherBuild,
    /// The run of a passing test like it.
    #[default]
    Alike,
    /// The failing one with a change.
    Itself(Itself),
}

/// A change in the failing test's run: this one, or one that makes the test pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Itself {
    /// A condition or a value.
    Either,
    /// A decision goes another way.
    Switched(Option<Turn>),
    /// Each decision made where this one is goes its way, [`OTHER_WAY`](suspect_format::plan::OTHER_WAY) for the other of two.
    Everywhere(Turn),
    /// A value that is stored is another one.
    Replaced(Option<Replacement>),
}

impl Itself {
    /// True if it may be a condition.
    pub fn conditions(self) -> bool {
        !matches!(self, Itself::Replaced(_))
    }

    /// True if it may be a value.
    pub fn values(self) -> bool {
        !matches!(self, Itself::Switched(_))
    }
}
