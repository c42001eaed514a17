//! How a campaign or a run of the suite goes, on standard error: one line that changes on a terminal, a line now and then elsewhere.

use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::campaign::{CodeWatch, Counts, KillCounts, Watch};
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
        state.last = now;
        let text = text(state.tried_since.map_or(Duration::ZERO, |since| now - since));
        if self.on_terminal {
            state.shown = true;
            let _ = write!(anstream::stderr(), "\r\x1b[Ksuspect: {text}");
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

    fn clear(&self) {
        StatusLine::clear(self);
    }

    fn say(&self, line: &str) {
        say!("suspect: {line}");
    }
}

impl Watch for StatusLine {
    fn recorded(&self, done: usize, of: usize) {
        self.show(false, |_| format!("recorded what {done} of {of} tests do without mutants"));
    }

    fn tried(&self, counts: &Counts, of: usize) {
        self.show(true, |since| line(counts, of, since));
    }
}

impl CodeWatch for StatusLine {
    fn tried(&self, counts: &KillCounts, of: usize) {
        self.show(true, |since| {
            let KillCounts { trials, killed, unknown, .. } = counts;
            format!("{}; {killed} kills, {unknown} unknown", rate_line(*trials, of, since))
        });
    }
}

/// How far it is, and what went wrong.
fn line(counts: &Counts, of: usize, since: Duration) -> String {
    let Counts { trials, crashed, cut, unknown, .. } = counts;
    format!("{}; {crashed} crashed, {cut} cut, {unknown} unknown", rate_line(*trials, of, since))
}

/// Done and total, rate and time left.
fn rate_line(done: usize, of: usize, since: Duration) -> String {
    let rate = done as f64 / since.as_secs_f64().max(1e-3);
    let left = (of.saturating_sub(done) as f64 / rate.max(1e-9)).round() as u64;
    let left = match left {
        0..=99 => format!("{left} s"),
        100..=5999 => format!("{} min", left / 60),
        _ => format!("{} h", left / 3600),
    };
    format!("{done}/{of} trials, {rate:.0}/s, {left} left")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_far_how_fast_and_how_long_still() {
        let counts = Counts { trials: 500, crashed: 3, cut: 2, unknown: 1, ..Counts::default() };
        let text = line(&counts, 2000, Duration::from_secs(10));
        assert_eq!(text, "500/2000 trials, 50/s, 30 s left; 3 crashed, 2 cut, 1 unknown");
        assert!(line(&counts, 100_000, Duration::from_secs(10)).contains(" 33 min left"));
        assert!(line(&Counts::default(), 10, Duration::ZERO).starts_with("0/10 trials, 0/s"));
    }
}
