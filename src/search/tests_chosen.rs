//! Which tests changes are tried on.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

/// A test that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchTest {
    /// Index in the run's manifest.
    pub test: u32,
    /// Whether it fails.
    pub failed: bool,
    /// The pieces that it executes, ascending.
    pub pieces: Vec<u32>,
    /// What it costs, such as the edges that it takes; only the order counts.
    pub cost: u64,
    /// Wall time of one run when it was recorded.
    pub wall: Duration,
}

/// Getting a test ready takes as long as so many of its runs: they are recorded, and repeated with and without mutants.
const READY: u32 = 5;

impl SearchTest {
    /// How long it takes, about, until something can be tried on it.
    pub fn ready_in(&self) -> Duration {
        self.wall * READY
    }

    /// Whether it executes a piece.
    pub fn executes(&self, piece: u32) -> bool {
        self.pieces.binary_search(&piece).is_ok()
    }
}

/// A failing test is left out that takes longer than this to get ready, and so many times as long as the one that takes least: its few trials would
/// take the time of many.
const DEAR: (Duration, u32) = (Duration::from_secs(1), 8);

/// The tests without failing ones that are dear where others are not, and why these are left out.
pub fn affordable(tests: Vec<SearchTest>) -> (Vec<SearchTest>, BTreeMap<u32, String>) {
    let least = tests.iter().filter(|test| test.failed).map(SearchTest::ready_in).min().unwrap_or_default();
    let most = DEAR.0.max(least * DEAR.1);
    let is_dear = |test: &SearchTest| test.failed && test.ready_in() > most;
    let (dear, left): (Vec<SearchTest>, Vec<SearchTest>) = tests.into_iter().partition(is_dear);
    let why = |test: &SearchTest| {
        format!("getting it ready takes about {:.0?}, and other failing tests take less", test.ready_in())
    };
    (left, dear.iter().map(|test| (test.test, why(test))).collect())
}

/// The tests that changes are tried on: at most so many failing ones, the cheapest first and then those least like the chosen ones; and of the
/// passing ones, for each of these in turn, the one most like it, at most so many. No change shows in a test that executes nothing that is recorded,
/// as where it fails in code of another language first.
pub fn choose(tests: &[SearchTest], most_failing: usize, most_passing: usize) -> Vec<&SearchTest> {
    let (mut failing, mut passing): (Vec<&SearchTest>, Vec<&SearchTest>) =
        tests.iter().filter(|test| !test.pieces.is_empty()).partition(|test| test.failed);
    failing.sort_by_key(|test| (test.cost, test.test));
    let mut chosen: Vec<&SearchTest> = Vec::new();
    while chosen.len() < most_failing && !failing.is_empty() {
        let nearest = |test: &SearchTest| chosen.iter().map(|one| likeness(one, test)).fold(0.0, f64::max);
        let next = (0..failing.len()).min_by(|a, b| nearest(failing[*a]).total_cmp(&nearest(failing[*b]))).unwrap_or(0);
        chosen.push(failing.remove(next));
    }
    let n_failing = chosen.len();
    let mut turn = 0;
    while chosen.len() < n_failing + most_passing && !passing.is_empty() && n_failing > 0 {
        let like = chosen[turn % n_failing];
        let similar = |test: &SearchTest| likeness(like, test);
        let best = (0..passing.len()).max_by(|a, b| {
            let order = similar(passing[*a]).total_cmp(&similar(passing[*b]));
            order.then((passing[*b].cost, passing[*b].test).cmp(&(passing[*a].cost, passing[*a].test)))
        });
        chosen.push(passing.remove(best.unwrap_or(0)));
        turn += 1;
    }
    chosen
}

/// Further tests, of those that [`choose`] did not: at most so many failing ones and passing ones, evenly from all of them, the failing ones first.
pub fn choose_further<'t>(
    tests: &'t [SearchTest],
    chosen: &[&SearchTest],
    most_failing: usize,
    most_passing: usize,
) -> Vec<&'t SearchTest> {
    let known: HashSet<u32> = chosen.iter().map(|test| test.test).collect();
    let spread = |failed: bool, most: usize| {
        let is_open = |test: &&SearchTest| !test.pieces.is_empty() && !known.contains(&test.test);
        let open = tests.iter().filter(|test| test.failed == failed).filter(is_open);
        let open: Vec<&SearchTest> = open.collect();
        let n = most.min(open.len());
        (0..n).map(move |at| open[at * open.len() / n])
    };
    spread(true, most_failing).chain(spread(false, most_passing)).collect()
}

/// Common pieces over all pieces of both (Jaccard's index).
fn likeness(one: &SearchTest, other: &SearchTest) -> f64 {
    let (mut common, mut at) = (0, 0);
    for piece in &one.pieces {
        while other.pieces.get(at).is_some_and(|found| found < piece) {
            at += 1;
        }
        common += usize::from(other.pieces.get(at) == Some(piece));
    }
    common as f64 / (one.pieces.len() + other.pieces.len() - common).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(test: u32, failed: bool, pieces: &[u32], cost: u64) -> SearchTest {
        SearchTest { test, failed, pieces: pieces.to_vec(), cost, wall: Duration::ZERO }
    }

    #[test]
    fn the_cheapest_failing_test_comes_first_then_unlike_ones_then_passing_ones_near_them() {
        let tests = [
            test(0, true, &[1, 2, 3], 9),
            test(1, true, &[1, 2, 3], 5),
            test(2, true, &[7, 8], 50),
            test(3, false, &[1, 2], 1),
            test(4, false, &[7, 8, 9], 1),
            test(5, false, &[1], 1),
            test(6, false, &[30], 1),
        ];
        let names = |most_failing, most_passing| -> Vec<u32> {
            choose(&tests, most_failing, most_passing).iter().map(|test| test.test).collect()
        };
        assert_eq!(names(2, 3), [1, 2, 3, 4, 5]);
        assert_eq!(names(8, 1), [1, 2, 0, 3]);
        assert_eq!(names(0, 5), [0u32; 0]);
        // Where they fail before anything is recorded, there is nothing to try on them, and they are the cheapest.
        let elsewhere = [test(0, true, &[], 0), test(1, true, &[], 0), test(2, true, &[1], 9), test(3, false, &[], 0)];
        let chosen = choose(&elsewhere, 2, 2);
        assert_eq!(chosen.iter().map(|test| test.test).collect::<Vec<_>>(), [2]);
        assert!(choose_further(&elsewhere, &chosen, 2, 2).is_empty());
    }

    #[test]
    fn failing_tests_that_are_dear_are_left_out_where_there_are_others() {
        let taking = |number: u32, failed: bool, milliseconds: u64| SearchTest {
            wall: Duration::from_millis(milliseconds),
            ..test(number, failed, &[1], 1)
        };
        let left = |tests: &[SearchTest]| -> (Vec<u32>, Vec<u32>) {
            let (left, out) = affordable(tests.to_vec());
            (left.iter().map(|test| test.test).collect(), out.into_keys().collect())
        };
        let tests = [taking(0, true, 2000), taking(1, true, 10), taking(2, false, 2000), taking(3, true, 150)];
        assert_eq!(left(&tests), (vec![1, 2, 3], vec![0]));
        assert_eq!(left(&[tests[0].clone(), taking(4, true, 250), tests[2].clone()]), (vec![0, 4, 2], vec![]));
        assert_eq!(left(&[tests[1].clone(), taking(4, true, 250)]), (vec![1], vec![4]), "a second and more");
        assert_eq!(left(&tests[2..3]), (vec![2], vec![]));
    }

    #[test]
    fn further_tests_are_spread_over_all_that_were_not_chosen() {
        let tests: Vec<SearchTest> = (0..40).map(|number| test(number, number % 4 == 0, &[1], 1)).collect();
        let chosen = choose(&tests, 2, 3);
        let known: Vec<u32> = chosen.iter().map(|test| test.test).collect();
        let further: Vec<u32> = choose_further(&tests, &chosen, 4, 9).iter().map(|test| test.test).collect();
        assert!(further.iter().all(|test| !known.contains(test)));
        assert_eq!(further.len(), 13);
        assert!(further[..4].iter().all(|test| test % 4 == 0) && further[4..].iter().all(|test| test % 4 != 0));
        assert!(further[..4].is_sorted() && further[4..].is_sorted() && further[12] - further[4] > 25);
        assert_eq!(choose_further(&tests, &chosen, 100, 100).len(), 35);
    }
}
