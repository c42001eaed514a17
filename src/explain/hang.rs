//! A run that does not end: the condition of its loop that is the same each time.

use super::Case;
use crate::comparison::{NONE, Side};
use crate::report::Point;
use crate::suite::Verdict;

/// Points from the end on, at most, among which the loop is looked for: hundreds of rounds of one that anybody can read.
const MOST_POINTS: u32 = 200_000;
/// Rounds in which nothing changes, at least, before that is said.
const LEAST_ROUNDS: u32 = 3;

impl Case<'_> {
    /// The loop that a failing run does not leave, where what its condition reads is not written again: the condition, with what it reads, and where
    /// that was written last.
    pub(super) fn unchanging_loop(&self) -> Vec<Point> {
        if self.recorded[1].verdict != Verdict::Timeout {
            return Vec::new();
        }
        let Some((point, rounds)) = self.unchanged_condition() else { return Vec::new() };
        let run = self.failing();
        let text = format!(
            "{} is {} in each of the last {rounds} rounds of this loop{}, and no round changes what it reads",
            self.decided(point),
            self.truth(point),
            self.operands(point)
        );
        let mut told = vec![Point { text, ..self.place(Side::Second, point) }];
        for write in self.operands_of(point) {
            let writer = run.writer(write);
            let place = self.place(Side::Second, writer);
            if writer == 0
                || place.line == 0
                || told.iter().any(|one| (&one.file, one.line) == (&place.file, place.line))
            {
                continue;
            }
            let name = self.words.written(run.location(write), [None, Some(write)]);
            told.push(Point { text: format!("`{name}` is written here for the last time"), ..place });
        }
        told
    }

    /// The condition of the innermost loop that reads the same writes in each of the last rounds, in its last execution; and how many rounds these are, as
    /// far as that was looked at.
    fn unchanged_condition(&self) -> Option<(u32, u32)> {
        let run = self.failing();
        let last = run.points() - 1;
        let first = last.saturating_sub(MOST_POINTS).max(1);
        let decides = |point: &u32| run.outcome(*point) != NONE && self.code.decides(run.site(*point));
        let mut seen: Vec<u32> = Vec::new();
        for point in (first..=last).rev().filter(decides) {
            if seen.contains(&run.site(point)) {
                continue;
            }
            seen.push(run.site(point));
            let rounds = self.rounds(point, first);
            if rounds >= LEAST_ROUNDS {
                return Some((point, rounds));
            }
        }
        None
    }

    /// How many executions of a loop's condition before this one, each of which leads to the next, read the same and go the same way, with it.
    fn rounds(&self, point: u32, first: u32) -> u32 {
        let run = self.failing();
        let (mut at, mut rounds) = (point, 1);
        loop {
            let before = run.parent(at);
            let is_same = before != NONE
                && before >= first
                && run.site(before) == run.site(point)
                && run.outcome(before) == run.outcome(point)
                && run.reads(before) == run.reads(point);
            if !is_same {
                return rounds;
            }
            (at, rounds) = (before, rounds + 1);
        }
    }
}
