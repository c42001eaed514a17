//! What one process recorded, as the analysis sees it.

use std::path::Path;

use suspect_format::abi::{Mode, STATE_CLEAN, STATE_LAST, STATE_LOST, STATE_NONLOCAL, STATE_WORDS, piece_id};

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

    /// Forked children that could not have a file of their own, and count here.
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
    /// The pieces that [`STATE_LAST`] may mean: units (positions in `units`) and numbers of pieces in them. The numbers are
    /// below those of the units' words; who knows the units' pieces rules out those that are too large.
    pub fn last_pieces(&self) -> impl Iterator<Item = (usize, u32)> {
        let last = self.state[STATE_LAST] as u32;
        let units = self.units.iter().enumerate().filter(move |_| last != 0);
        units.filter_map(move |(position, unit)| {
            let piece = last.wrapping_sub(piece_id(unit.hash, 0));
            // A unit's words have at least as many bytes as it has pieces.
            ((piece as usize) < 8 * (unit.counters.len() + unit.values.len())).then_some((position, piece))
        })
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
