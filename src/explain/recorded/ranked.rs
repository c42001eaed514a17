//! What the last ranking says to one who explains.

use super::RecordingRoom;
use crate::program::Function;
use crate::ranking::{Claims, KeptClaim, last_ranking};
use crate::recording::Recording;

/// Lines of the last ranking on which a change may stand that a run is compared under.
const FIRST_LINES: usize = 3;

/// The probability of a line, at least, that a run is followed back to first: of less likely ones there are many, and one is on some way from anywhere.
const LEAST_LIKELY: f64 = 0.1;

/// The probability of the first line, at least, that may be blamed though others together have more: below it the lines behind are about as likely.
const LEAST_ALONE: f64 = 0.25;

/// Times the probability of the second line that such a first line has, at least.
const FAR_AHEAD: f64 = 10.0;

/// The last ranking, as far as it is asked for.
#[derive(Default)]
pub(super) struct Ranked {
    /// Files and lines, in its order.
    lines: Vec<(String, u32)>,
    /// The probability of each, if it has one.
    probabilities: Vec<Option<f64>>,
}

impl Ranked {
    /// Of the first lines, so many at most, those that are likely, or of no known probability.
    fn likely(&self, most: usize) -> Vec<(String, u32)> {
        let is_likely = |probability: &Option<f64>| probability.is_none_or(|probability| probability >= LEAST_LIKELY);
        let all = self.lines.iter().zip(&self.probabilities).take(most);
        all.filter(|(_, probability)| is_likely(probability)).map(|(line, _)| line.clone()).collect()
    }

    /// All likely lines; all lines where none is.
    fn suspected(&self) -> Vec<(String, u32)> {
        let likely = self.likely(usize::MAX);
        if likely.is_empty() { self.lines.clone() } else { likely }
    }
}

impl RecordingRoom<'_> {
    /// The claims about the latest run's tests, if there are any.
    pub fn claims(&self) -> Option<Claims> {
        Claims::load(self.session().ok()?).ok()
    }

    fn ranked(&self) -> &Ranked {
        self.ranked.get_or_init(|| {
            let ranking = self.session().ok().and_then(last_ranking);
            let entries = ranking.map(|report| report.ranking).unwrap_or_default();
            let probabilities = entries.iter().map(|entry| entry.probability).collect();
            Ranked { lines: entries.into_iter().map(|entry| (entry.file, entry.line)).collect(), probabilities }
        })
    }

    /// The lines of the last ranking of the latest run, in its order; none if there is none.
    pub fn ranked_lines(&self) -> &[(String, u32)] {
        &self.ranked().lines
    }

    /// The lines of the last ranking that it more than hardly suspects, in its order; all of them where it suspects none.
    pub fn suspected_lines(&self) -> Vec<(String, u32)> {
        self.ranked().suspected()
    }

    /// The first lines of the last ranking, each once: on these a change may stand that a run is compared under.
    pub fn first_lines(&self) -> Vec<(String, u32)> {
        let mut first: Vec<(String, u32)> = Vec::new();
        for line in self.ranked_lines() {
            if first.len() < FIRST_LINES && !first.contains(line) {
                first.push(line.clone());
            }
        }
        first
    }

    /// Of failing tests the one that the best change of the last ranking mends; of several, the first.
    pub fn mended_test<'t>(&self, failing: impl Iterator<Item = &'t str>) -> Option<&'t str> {
        let (claims, first) = (self.claims()?, self.first_lines());
        let place = |claim: &&KeptClaim| {
            first.iter().position(|(file, line)| (file, *line) == (&claim.shown.file, claim.shown.line))
        };
        let mended = failing.filter_map(|test| Some((claims.mends(test, &first).first().and_then(place)?, test)));
        mended.min_by_key(|(place, _)| *place).map(|(_, test)| test)
    }

    /// The first lines of the last ranking, at most so many, without those that it hardly suspects.
    pub fn likely_lines(&self, most: usize) -> Vec<(String, u32)> {
        self.ranked().likely(most)
    }

    /// Whether the first line of the last ranking is of the code that a recorded process ran, or nothing was ranked.
    pub(super) fn is_suspected(&self, recording: &Recording) -> bool {
        let Some((file, line)) = self.ranked_lines().first() else { return true };
        let Ok(loaded) = self.code(&[recording]) else { return true };
        let is_there = |function: &Function| {
            loaded.0.files.get(function.place.file as usize) == Some(file)
                && (function.place.line..=function.last_line).contains(line)
        };
        loaded.0.functions.iter().any(is_there)
    }

    /// Whether the last ranking blames this line more than all others together, or so much more than any other that nothing else is worth a look.
    pub fn is_sure_of(&self, file: &str, line: u32) -> bool {
        let Ranked { lines, probabilities } = self.ranked();
        let first = probabilities.first().copied().flatten().unwrap_or_default();
        let second = probabilities.get(1).copied().flatten().unwrap_or_default();
        let is_alone = first >= LEAST_ALONE && first >= FAR_AHEAD * second;
        (first > 0.5 || is_alone) && lines.first().is_some_and(|at| *at == (file.to_owned(), line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_hardly_suspected_count_only_where_none_is_likelier() {
        let lines: Vec<(String, u32)> = (1..4).map(|line| ("a.c".to_owned(), line)).collect();
        let suspected = |probabilities: [Option<f64>; 3]| {
            let ranked = Ranked { lines: lines.clone(), probabilities: probabilities.to_vec() };
            ranked.suspected().into_iter().map(|(_, line)| line).collect::<Vec<_>>()
        };
        assert_eq!(suspected([Some(0.6), Some(0.1), Some(0.09)]), [1, 2]);
        assert_eq!(suspected([Some(0.09), Some(0.02), Some(0.01)]), [1, 2, 3]);
        assert_eq!(suspected([None; 3]), [1, 2, 3]);
    }
}
