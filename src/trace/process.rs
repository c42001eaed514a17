//! What one process recorded, as the analysis sees it.

use std::path::Path;

use suspect_format::abi::{Mode, STATE_CLEAN, STATE_LAST, STATE_LOST, STATE_NONLOCAL, STATE_WORDS};

/// How a process ended, as far as its parent told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// Nobody saw it: a process started by the test's own programs.
    #[default]
    Unknown,
    /// It exited.
    Exited,
    /// A signal ended it.
    Signalled,
}

/// One process: views into a trace file.
#[derive(Clone, Debug)]
pub struct Process<'a> {
    /// The trace file, for messages.
    pub trace: &'a Path,
    /// What was recorded.
    pub mode: Mode,
    /// It was forked by a recorded process, so its functions were entered there.
    pub forked: bool,
    /// How it ended.
    pub ending: Ending,
    /// Its modules.
    pub modules: Vec<Module<'a>>,
}

impl Process<'_> {
    /// The program reached the end of `main`, or called a function that ends the process.
    pub fn is_clean(&self) -> bool {
        self.modules.iter().any(|module| module.state[STATE_CLEAN] != 0)
    }

    /// Control left frames behind (`longjmp`, `pthread_exit`, ...).
    pub fn is_nonlocal(&self) -> bool {
        self.modules.iter().any(|module| module.state[STATE_NONLOCAL] != 0)
    }

    /// Forked children that could not be recorded.
    pub fn lost_children(&self) -> u64 {
        self.modules.iter().map(|module| module.state[STATE_LOST]).max().unwrap_or(0)
    }
}

/// One module of a process.
#[derive(Clone, Debug)]
pub struct Module<'a> {
    /// Path of its file; empty when the runtime did not know.
    pub path: &'a str,
    /// Its state words.
    pub state: [u64; STATE_WORDS],
    /// Its units, in the order of their addresses.
    pub units: Vec<Unit<'a>>,
}

impl Module<'_> {
    /// The unit (its position in `units`) and the piece (its position in the unit) that were entered last.
    pub fn last_piece(&self) -> Option<(usize, u64)> {
        let last = self.state[STATE_LAST];
        let after = self.units.partition_point(|unit| unit.address <= last);
        let index = after.checked_sub(1).filter(|_| last != 0)?;
        Some((index, last - self.units[index].address))
    }
}

/// One unit's words.
#[derive(Clone, Copy, Debug)]
pub struct Unit<'a> {
    /// The unit's hash.
    pub hash: u64,
    /// Where its words were in the process.
    pub address: u64,
    /// Its counters.
    pub counters: &'a [u64],
    /// Its values.
    pub values: &'a [u64],
}
