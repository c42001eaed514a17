//! Progress of a search in words: what it will do, how far it is and what comes first so far, what it did.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::evidence::Trials;
use crate::program::Program;
use crate::progress::Progress;
use crate::report::percent;
use crate::search::{SearchWatch, Searched};
use crate::store::Run;

/// Tells somebody how a search goes.
pub struct Watching<'a> {
    program: &'a Program,
    progress: &'a dyn Progress,
    began: Instant,
    budget: Duration,
    first: Mutex<String>,
}

/// A time as `5 s`, or as `500 ms` where it is short.
fn seconds(time: Duration) -> String {
    if time.as_secs() > 0 { format!("{} s", time.as_secs()) } else { format!("{} ms", time.as_millis()) }
}

impl<'a> Watching<'a> {
    /// A search of a program within a budget.
    pub fn new(program: &'a Program, budget: Duration, progress: &'a dyn Progress) -> Watching<'a> {
        Watching { program, progress, began: Instant::now(), budget, first: Mutex::default() }
    }

    /// Announces the search.
    pub fn announce(&self, run: &Run) {
        if self.budget.is_zero() {
            self.progress.say("looking up what was tried before");
            return;
        }
        let count = |passed: bool| run.manifest.tests.iter().filter(|test| test.passed == Some(passed)).count();
        self.progress.say(&format!(
            "trying changes on {} failing and {} passing tests, for {} at most; Ctrl-C ranks now",
            count(false),
            count(true),
            seconds(self.budget)
        ));
    }

    /// Sums the search up.
    pub fn summarise(&self, searched: &Searched) {
        let seconds = self.began.elapsed().as_secs_f64();
        let before = match searched.n_known {
            0 => String::new(),
            n => format!(" ({n} were known)"),
        };
        let end = match (searched.is_finished, searched.is_settled) {
            (true, _) => "",
            (_, true) => "; good enough, since one line is far ahead: --budget TIME goes on",
            (false, false) => "; not everything that was planned",
        };
        let trials = if searched.n_run == 1 { "trial" } else { "trials" };
        self.progress.say(&format!("{} {trials} in {seconds:.1} s{before}{end}", searched.n_run));
        if searched.n_damaged > 0 {
            self.progress.say(&format!(
                "{} stretches of earlier results could not be read; their trials were run again",
                searched.n_damaged
            ));
        }
    }

    fn show(&self, n_trials: usize) {
        let first = self.first.lock().unwrap_or_else(PoisonError::into_inner).clone();
        self.progress.show(n_trials > 0, &|_| line(n_trials, self.began.elapsed(), self.budget, &first));
    }
}

/// Trials done, their rate, the time left, and the first line so far.
fn line(n_trials: usize, since: Duration, budget: Duration, first: &str) -> String {
    let rate = n_trials as f64 / since.as_secs_f64().max(1e-3);
    let left = budget.saturating_sub(since).as_secs();
    if n_trials == 0 {
        return format!("getting tests ready for trials, {left} s left at most");
    }
    format!("{n_trials} trials, {rate:.0}/s, {left} s left at most; first: {first}")
}

impl SearchWatch for Watching<'_> {
    fn tried(&self, n_trials: usize) {
        self.show(n_trials);
    }

    fn ranked(&self, trials: &Trials, probabilities: &[f64]) {
        let best = (0..).zip(probabilities).max_by(|a: &(u32, &f64), b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)));
        if let Some((number, probability)) = best {
            let place = &self.program.lines[number as usize];
            let file = self.program.files.get(place.file as usize).map_or("?", String::as_str);
            let text = format!("{file}:{} ({})", place.line, percent(*probability));
            *self.first.lock().unwrap_or_else(PoisonError::into_inner) = text;
        }
        self.show(trials.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_far_how_fast_how_long_and_what_comes_first() {
        let (ten, minute) = (Duration::from_secs(10), Duration::from_secs(60));
        assert_eq!(line(500, ten, minute, "a.c:3 (50 %)"), "500 trials, 50/s, 50 s left at most; first: a.c:3 (50 %)");
        assert!(line(0, minute, 2 * minute, "") == "getting tests ready for trials, 60 s left at most");
    }
}
