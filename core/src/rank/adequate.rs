//! Small suites that cover what a pool of tests covers, as comparisons of methods draw them.

use std::collections::HashSet;

use crate::hom::random::{generator, pick, shuffle};

/// A test of a pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolTest {
    /// Its number.
    pub test: u32,
    /// True if it fails.
    pub failed: bool,
    /// What it executes: statements, or stretches of them.
    pub executed: Vec<u32>,
}

/// What keeps these random numbers from those of others with the same seed.
const STREAM: u64 = 0x7375_6974;

/// A suite that executes all that the pool does: a failing test, then tests in random order, each of which executes something that none before it
/// did. Ascending; empty if no test fails. `number` and `seed` choose it: the same ones choose the same suite.
pub fn adequate_suite(pool: &[PoolTest], number: u32, seed: u64) -> Vec<u32> {
    let mut random = generator(seed, &[STREAM, u64::from(number)]);
    let failing: Vec<&PoolTest> = pool.iter().filter(|test| test.failed).collect();
    if failing.is_empty() {
        return Vec::new();
    }
    let first = *pick(&failing, &mut random);
    let mut order: Vec<&PoolTest> = pool.iter().collect();
    shuffle(&mut order, &mut random);
    let mut executed: HashSet<u32> = first.executed.iter().copied().collect();
    let mut suite = vec![first.test];
    for test in order {
        let before = executed.len();
        executed.extend(&test.executed);
        if executed.len() > before {
            suite.push(test.test);
        }
    }
    suite.sort_unstable();
    suite
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool(tests: &[(bool, &[u32])]) -> Vec<PoolTest> {
        let test = |(test, (failed, executed)): (u32, &(bool, &[u32]))| PoolTest {
            test,
            failed: *failed,
            executed: executed.to_vec(),
        };
        (0..).zip(tests).map(test).collect()
    }

    #[test]
    fn a_suite_executes_all_with_a_failing_test_and_none_in_vain() {
        let pool = pool(&[(false, &[0, 1]), (true, &[0, 2]), (true, &[0, 2]), (false, &[0]), (false, &[0, 3])]);
        let mut drawn = HashSet::new();
        for number in 0..40 {
            let suite = adequate_suite(&pool, number, 7);
            // Tests 0 and 4 alone execute 1 and 3; one of the failing ones executes 2; test 3 adds nothing.
            assert!(suite == [0, 1, 4] || suite == [0, 2, 4], "{suite:?}");
            assert_eq!(suite, adequate_suite(&pool, number, 7));
            drawn.insert(suite);
        }
        assert_eq!(drawn.len(), 2, "both failing tests are drawn");
    }

    #[test]
    fn without_failures_there_is_no_suite() {
        assert!(adequate_suite(&pool(&[(false, &[0])]), 0, 1).is_empty());
    }
}
