//! Which mutants, and which sets of mutants, become faults.

use std::collections::{BTreeSet, HashSet};

use suspect_format::trace::HASH_START;

use crate::mutation::mix;
use crate::obstacle::Obstacle;

/// A mutant that may become a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its identity.
    pub id: u64,
    /// File and line of its edit: no two faults of a version share one.
    pub line: (u32, u32),
    /// The tests that kill it, ascending.
    pub killed_by: Vec<u32>,
}

/// Sets that are tried at once for each one that is still wanted.
const TRIED: usize = 3;
/// How often sets are tried before fewer than wanted are enough.
const ROUNDS: u64 = 12;
/// Draws for each set, most of which fail because every test would notice.
const DRAWS: u64 = 200;

/// Candidates, those on lines of their own first: positions in a random order that the seed decides.
pub fn singles(candidates: &[Candidate], seed: u64) -> Vec<u32> {
    let mut lines = HashSet::new();
    let (mut first, more): (Vec<u32>, Vec<u32>) =
        shuffled(candidates, seed).into_iter().partition(|at| lines.insert(candidates[*at as usize].line));
    first.extend(more);
    first
}

fn shuffled(candidates: &[Candidate], seed: u64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..candidates.len() as u32).collect();
    order.sort_by_cached_key(|at| (mix(mix(HASH_START, seed), candidates[*at as usize].id), *at));
    order
}

/// `count` sets of `size` candidates each, none twice, that `keep` says are good; fewer when that is hard to reach. When most are not, because
/// all tests notice so many faults, candidates that few tests notice are preferred.
pub fn sets(
    candidates: &[Candidate],
    size: usize,
    count: usize,
    n_tests: usize,
    seed: u64,
    mut keep: impl FnMut(&[Vec<u32>]) -> Result<Vec<bool>, Obstacle>,
) -> Result<Vec<Vec<u32>>, Obstacle> {
    let mut easiest: Vec<u32> = shuffled(candidates, seed);
    easiest.sort_by_key(|at| candidates[*at as usize].killed_by.len());
    let (mut kept, mut tried, mut n_pool) = (Vec::new(), BTreeSet::new(), candidates.len());
    for round in 0..ROUNDS {
        if kept.len() >= count || n_pool < size {
            break;
        }
        let wanted = (count - kept.len()) * TRIED;
        let pool: Vec<&Candidate> = easiest[..n_pool].iter().map(|at| &candidates[*at as usize]).collect();
        let mut drawn: Vec<Vec<u32>> = Vec::new();
        for number in 0..wanted as u64 * DRAWS {
            let lot = mix(mix(mix(mix(HASH_START, seed), size as u64), round), number);
            let set = draw(&pool, size, n_tests, lot).map(|set| {
                let mut set: Vec<u32> = set.into_iter().map(|at| easiest[at]).collect();
                set.sort_unstable();
                set
            });
            drawn.extend(set.filter(|set| tried.insert(set.clone())));
            if drawn.len() == wanted {
                break;
            }
        }
        let good = keep(&drawn)?;
        let n_good = good.iter().filter(|good| **good).count();
        if n_good * 2 < wanted {
            n_pool = (n_pool * 2 / 3).max(size.min(n_pool - 1));
        }
        kept.extend(drawn.into_iter().zip(good).filter(|(_, good)| *good).map(|(set, _)| set));
    }
    kept.truncate(count);
    Ok(kept)
}

/// `size` of the pool on different lines, which together some test would not notice if they did not influence each other.
fn draw(pool: &[&Candidate], size: usize, n_tests: usize, mut lot: u64) -> Option<Vec<usize>> {
    let (mut set, mut lines, mut killers) = (Vec::new(), HashSet::new(), BTreeSet::new());
    for _ in 0..size * 4 {
        lot = mix(lot, 1);
        let at = (lot % pool.len() as u64) as usize;
        let candidate = pool[at];
        let more = candidate.killed_by.iter().filter(|test| !killers.contains(*test)).count();
        if killers.len() + more < n_tests && !lines.contains(&candidate.line) {
            lines.insert(candidate.line);
            killers.extend(candidate.killed_by.iter().copied());
            set.push(at);
        }
        if set.len() == size {
            return Some(set);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidates(killed_by: impl Fn(u32) -> Vec<u32>) -> Vec<Candidate> {
        (0..60).map(|n| Candidate { id: u64::from(n) * 7, line: (0, n / 2), killed_by: killed_by(n) }).collect()
    }

    #[test]
    fn lines_come_once_before_any_comes_twice() {
        let all = candidates(|_| vec![0]);
        let order = singles(&all, 1);
        let lines: BTreeSet<_> = order[..30].iter().map(|at| all[*at as usize].line).collect();
        assert_eq!((order.len(), lines.len()), (60, 30));
        assert_ne!(order, singles(&all, 2));
        assert_eq!(order, singles(&all, 1));
    }

    #[test]
    fn sets_are_distinct_disjoint_and_leave_a_test() {
        let all = candidates(|n| vec![n % 5]);
        let mut asked = 0;
        let find = |seed, keep: &mut dyn FnMut(&[Vec<u32>]) -> Vec<bool>| {
            sets(&all, 4, 10, 5, seed, |sets| Ok(keep(sets))).unwrap()
        };
        let found = find(3, &mut |sets| {
            asked += sets.len();
            sets.iter().map(|set| set[0] % 2 == 0).collect()
        });
        assert_eq!((found.len(), found.iter().collect::<BTreeSet<_>>().len()), (10, 10));
        for set in &found {
            let lines: BTreeSet<_> = set.iter().map(|at| all[*at as usize].line).collect();
            let killers: BTreeSet<u32> = set.iter().flat_map(|at| all[*at as usize].killed_by.clone()).collect();
            assert!(lines.len() == 4 && killers.len() < 5 && set[0] % 2 == 0, "{set:?}");
        }
        assert_eq!(found, find(3, &mut |sets| sets.iter().map(|set| set[0] % 2 == 0).collect()), "same seed");
        assert!(asked >= 20);
    }

    #[test]
    fn what_few_tests_notice_is_preferred_where_all_notice_most() {
        // Most candidates are noticed by 9 of 10 tests; 8 of them by one and the same.
        let all = candidates(|n| if n < 16 { vec![0] } else { (0..10).filter(|test| *test != n % 10).collect() });
        let found = sets(&all, 6, 5, 10, 1, |sets| Ok(vec![true; sets.len()])).unwrap();
        assert_eq!(found.len(), 5);
        assert_eq!(
            sets(&all, 40, 5, 10, 1, |sets| Ok(vec![true; sets.len()])).unwrap().len(),
            0,
            "there are not so many lines"
        );
    }
}
