//! Suites that an evaluation draws itself from a version's pool of tests.

use super::version::Place;
use crate::obstacle::Obstacle;
use crate::rank::{PoolTest, adequate_suite};
use crate::store::Run;

/// Suites to draw: each executes every statement that the pool does, and has a failing test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SuiteDraw {
    /// How many.
    pub suites: u32,
    /// Seed of all choices.
    pub seed: u64,
}

impl Place<'_> {
    /// The suites drawn from the tests of a run that count, each with its name; none without a failing test.
    pub(super) fn drawn(&self, run: &Run, draw: SuiteDraw) -> Result<Vec<(String, Vec<u32>)>, Obstacle> {
        let recorded = run.recorded()?;
        let mut pool = Vec::new();
        for test in run.counted_tests() {
            let failed = run.manifest.tests[test as usize].passed == Some(false);
            pool.push(PoolTest { test, failed, executed: recorded.pieces(test)? });
        }
        let suites =
            (1..=draw.suites).map(|number| (format!("drawn {number}"), adequate_suite(&pool, number, draw.seed)));
        Ok(suites.filter(|(_, tests)| !tests.is_empty()).collect())
    }
}
