//! How a campaign or a run of the suite goes, on standard error: one line that changes on a terminal, a line now and then elsewhere.

use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::cli::streams::say;
use crate::progress::Progress;

/// How often the line on a terminal changes.
const SHOWN: Duration = Duration::from_millis(200);
/// How often a line is written elsewhere.
const LOGGED: Duration = Duration::from_secs(30);

/// The line that shows progress.
pub struct StatusLine {
    on_terminal: bool,
    state: Mutex<State>,
}

struct State {
    last: Instant,
    /// When the first trial was seen.
    tried_since: Option<Instant>,
    shown: bool,
}

impl Drop for StatusLine {
    fn drop(&mut self) {
        self.clear();
    }
}

impl StatusLine {
    /// Nothing is shown yet.
    pub fn new() -> StatusLine {
        let on_terminal = std::io::stderr().is_terminal();
        let now = Instant::now();
        // The first line on a terminal need not wait.
        let last = if on_terminal { now.checked_sub(SHOWN).unwrap_or(now) } else { now };
        let state = State { last, tried_since: None, shown: false };
        StatusLine { on_terminal, state: Mutex::new(state) }
    }

    /// Takes the line off the terminal.
    pub fn clear(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::take(&mut state.shown) {
            let _ = write!(anstream::stderr(), "\r\x1b[K");
        }
    }

    /// Shows what `text` says, given when the first trial was seen, unless something was shown just before.
    pub fn show(&self, is_trial: bool, text: impl FnOnce(Duration) -> String) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if is_trial {
            state.tried_since.get_or_insert(now);
        }
        if now.duration_since(state.last) < if self.on_terminal { SHOWN } else { LOGGED } {
            return;
        }
        let text = text(state.tried_since.map_or(Duration::ZERO, |since| now - since));
        self.write(&mut state, &text);
    }

    /// Shows what begins: on a terminal whenever something was shown last, for nothing else may be shown until it has ended.
    pub fn begin(&self, what: &str) {
        if self.on_terminal {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            self.write(&mut state, what);
        } else {
            self.show(false, |_| what.to_owned());
        }
    }

    fn write(&self, state: &mut State, text: &str) {
        state.last = Instant::now();
        if self.on_terminal {
            state.shown = true;
            let columns =
                terminal_size::terminal_size_of(std::io::stderr()).map_or(80, |(width, _)| usize::from(width.0));
            // A line that wraps could not be taken off again.
            let text: String = format!("suspect: {text}").chars().take(columns.saturating_sub(1)).collect();
            let _ = write!(anstream::stderr(), "\r\x1b[K{text}");
            // A terminal that cannot be written to cannot be told so.
            let _ = std::io::stderr().flush();
        } else {
            say!("suspect: {text}");
        }
    }
}

impl Progress for StatusLine {
    fn show(&self, is_trial: bool, text: &dyn Fn(Duration) -> String) {
        StatusLine::show(self, is_trial, text);
    }

    fn begin(&self, what: &str) {
        StatusLine::begin(self, what);
    }

    fn clear(&self) {
        StatusLine::clear(self);
    }

    fn say(&self, line: &str) {
        StatusLine::clear(self);
        say!("suspect: {line}");
    }
}

/// Lines on standard error as they are, and nothing that changes: for several pieces of work at once.
pub struct Lines;

impl Progress for Lines {
    fn show(&self, _: bool, _: &dyn Fn(Duration) -> String) {}

    fn begin(&self, _: &str) {}

    fn clear(&self) {}

    fn say(&self, line: &str) {
        say!("{line}");
    }
}
