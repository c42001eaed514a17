//! Limits of trials of failing tests, and the tests that are cut because they do not end, or not in time.

use std::collections::BTreeSet;

use crate::obstacle::Obstacle;
use crate::store::{Recorded, Run, TestRecord};
use crate::suite::{Verdict, WITHOUT_END};

/// Multiple of a passing test's edges from which on a test is cut, and the least and the greatest number of edges that this may be.
const FACTOR: u64 = 4;
const LEAST: u64 = 1 << 19;
const MOST: u64 = 1 << 40;
/// Nor has what loops for good to be waited for: tens of milliseconds.
const MOST_ENOUGH: u64 = 1 << 26;
/// A test that ends is cut if it took at least so many milliseconds, too many for trials, and so many times what is too much.
const SLOW: u64 = 1000;
const RUNAWAY: u64 = 16;

/// Failing tests whose trials are cut where the test would go on, and the limits of all others.
pub struct Endless {
    /// Tests that do not end, or run so much longer than any passing test that a mended one would end long before.
    pub tests: BTreeSet<u32>,
    /// Hooks and ticks after which they are cut: many more than passing tests execute, each of which has no more of them than it takes
    /// edges. A power of two, so that it is the same if these take a few more.
    pub budget: u64,
    /// Hooks and ticks that others may execute at least: what passing tests do.
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
        let most = most_passing_edges(run, &recorded)?;
        for test in slow.difference(&tests.clone()) {
            if n_edges(&recorded, *test)? > budget(most).saturating_mul(RUNAWAY) {
                tests.insert(*test);
            }
        }
        Ok(Endless { tests, budget: budget(most), enough: most.min(MOST_ENOUGH).next_power_of_two() })
    }
}

/// Edges that the passing test with the most of them took.
pub fn most_passing_edges(run: &Run, recorded: &Recorded) -> Result<u64, Obstacle> {
    let passing = (0..).zip(&run.manifest.tests).filter(|(_, test)| test.passed == Some(true));
    passing.map(|(test, _)| n_edges(recorded, test)).try_fold(0, |most, edges| Ok(most.max(edges?)))
}

/// The edges from which on a test is cut, where passing tests take so many at most.
fn budget(most: u64) -> u64 {
    most.saturating_mul(FACTOR).clamp(LEAST, MOST).next_power_of_two()
}

/// Edges that all processes of a test took.
pub fn n_edges(recorded: &Recorded, test: u32) -> Result<u64, Obstacle> {
    Ok(recorded.edges(test)?.iter().map(|(_, count)| *count).fold(0, u64::saturating_add))
}

/// True if a test was stopped, by the clock or because it wrote too much.
pub fn does_not_end(test: &TestRecord) -> bool {
    test.verdict.starts_with(&Verdict::Timeout.to_string()) || test.verdict.contains(WITHOUT_END)
}
