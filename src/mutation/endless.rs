//! Limits of trials of failing tests, and the tests that are cut because they do not end, or not in time.

use std::collections::BTreeSet;

use crate::obstacle::Obstacle;
use crate::store::{Recorded, Run, TestRecord};
use crate::suite::{Verdict, WITHOUT_END};

/// Multiple of the edges of [`USUAL`] passing tests from which on a test is cut, and the least and the greatest number of edges that this may be.
const FACTOR: u64 = 4;
const LEAST: u64 = 1 << 19;
const MOST: u64 = 1 << 40;
/// Quarters of the passing tests that take no more edges than a usual one: a few that take a hundred times as many would make each trial as long.
const USUAL: usize = 3;
const QUARTERS: usize = 4;
/// Share of the most frequent edge's count below which an edge is not of the loop that does not end.
const OF_LOOP: u64 = 256;
/// Nor has what loops for good to be waited for: tens of milliseconds.
const MOST_ENOUGH: u64 = 1 << 26;
/// A test that ends is cut if it took at least so many milliseconds, too many for trials, and so many times what is too much.
const SLOW: u64 = 1000;
const RUNAWAY: u64 = 16;

/// Failing tests whose trials are cut where the test would go on, and the limits of all others.
pub struct Endless {
    /// Tests that do not end, or run so much longer than any passing test that a mended one would end long before.
    pub tests: BTreeSet<u32>,
    /// Hooks and ticks after which they are cut at first: many more than most passing tests execute, each of which has no more of them than it takes
    /// edges, and than they execute before they loop. A power of two, so that it is the same if these take a few more.
    pub budget: u64,
    /// Hooks and ticks that others, and second trials of these, may execute at least: what passing tests do.
    pub enough: u64,
}

impl Endless {
    /// The endless tests of a recorded run.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn of(run: &Run) -> Result<Endless, Obstacle> {
        let all = || (0..).zip(&run.manifest.tests);
        let failing = |wanted: fn(&TestRecord) -> bool| {
            let is_wanted = move |(_, test): &(u32, &TestRecord)| test.passed == Some(false) && wanted(test);
            all().filter(is_wanted).map(|(index, _)| index).collect::<BTreeSet<u32>>()
        };
        let (mut tests, slow) = (failing(does_not_end), failing(|test| test.milliseconds >= SLOW));
        let recorded = run.recorded()?;
        let passing = passing_edges(run, &recorded)?;
        let most = passing.last().copied().unwrap_or(0);
        for test in slow.difference(&tests.clone()) {
            if n_edges(&recorded, *test)? > budget(most).saturating_mul(RUNAWAY) {
                tests.insert(*test);
            }
        }
        let before =
            tests.iter().map(|test| edges_before_loop(&recorded, *test)).collect::<Result<Vec<u64>, Obstacle>>()?;
        let needed = before.iter().copied().fold(usual(&passing), u64::max).min(most);
        tracing::debug!(
            usual = usual(&passing),
            most,
            ?before,
            "edges of passing tests, and of tests without end before they loop"
        );
        Ok(Endless { tests, budget: budget(needed), enough: most.min(MOST_ENOUGH).next_power_of_two() })
    }
}

/// Edges that the passing test with the most of them took.
pub fn most_passing_edges(run: &Run, recorded: &Recorded) -> Result<u64, Obstacle> {
    Ok(passing_edges(run, recorded)?.last().copied().unwrap_or(0))
}

/// Edges that passing tests took, ascending.
fn passing_edges(run: &Run, recorded: &Recorded) -> Result<Vec<u64>, Obstacle> {
    let passing = (0..).zip(&run.manifest.tests).filter(|(_, test)| test.passed == Some(true));
    let mut edges = passing.map(|(test, _)| n_edges(recorded, test)).collect::<Result<Vec<u64>, Obstacle>>()?;
    edges.sort_unstable();
    Ok(edges)
}

/// Edges that [`USUAL`] of the passing tests do not exceed; of four tests or fewer those of the longest.
fn usual(ascending: &[u64]) -> u64 {
    ascending.get(ascending.len() * USUAL / QUARTERS).copied().unwrap_or(0)
}

/// The edges from which on a test is cut, where passing tests take so many.
fn budget(edges: u64) -> u64 {
    edges.saturating_mul(FACTOR).clamp(LEAST, MOST).next_power_of_two()
}

/// Edges that all processes of a test took.
pub fn n_edges(recorded: &Recorded, test: u32) -> Result<u64, Obstacle> {
    Ok(recorded.edges(test)?.iter().map(|(_, count)| *count).fold(0, u64::saturating_add))
}

/// Edges that a test without end took besides those of its loop: it has to get there before it is cut.
fn edges_before_loop(recorded: &Recorded, test: u32) -> Result<u64, Obstacle> {
    let edges = recorded.edges(test)?;
    let most = edges.iter().map(|(_, count)| *count).max().unwrap_or(0);
    Ok(edges.iter().map(|(_, count)| *count).filter(|count| *count < most / OF_LOOP).fold(0, u64::saturating_add))
}

/// True if a test was stopped, by the clock or because it wrote too much.
pub fn does_not_end(test: &TestRecord) -> bool {
    test.verdict.starts_with(&Verdict::Timeout.to_string()) || test.verdict.contains(WITHOUT_END)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_long_tests_are_not_usual() {
        assert_eq!([0, 1, 2, 4, 5, 8].map(|n| usual(&(1..=n).collect::<Vec<u64>>())), [0, 1, 2, 4, 4, 7]);
        assert_eq!((budget(usual(&[5, 6, 7, 8, 1 << 30])), budget(usual(&[1 << 30]))), (LEAST, 1 << 32));
    }
}
