//! Progress of campaigns in words: trials done and left, and how they came out.

use std::time::Duration;

use crate::campaign::{CodeWatch, Counts, KillCounts, Watch};
use crate::progress::Progress;

/// Tells somebody how a campaign goes.
pub struct Shown<'a>(pub &'a dyn Progress);

impl Watch for Shown<'_> {
    fn recorded(&self, done: usize, of: usize) {
        self.0.show(false, &|_| format!("recorded what {done} of {of} tests do without mutants"));
    }

    fn tried(&self, counts: &Counts, of: usize) {
        self.0.show(true, &|since| line(counts, of, since));
    }
}

impl CodeWatch for Shown<'_> {
    fn tried(&self, counts: &KillCounts, of: usize) {
        self.0.show(true, &|since| {
            let KillCounts { trials, killed, unknown, .. } = counts;
            format!("{}; {killed} kills, {unknown} unknown", rate_line(*trials, of, since))
        });
    }
}

/// The state of a campaign: trials done, and what went wrong.
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
