//! How alike two tests' trajectories are: which passing test tells most about a failing one.

use crate::program::Execution;

/// The likeness of two tests, from 0 (no node took a value in both) to 1 (every node took the same values as often).
///
/// The mean over the nodes that took a value in either test: 1 for a node of one trajectory in both, else half the ratio of its counts, so that
/// a test which goes the same way with other values is still nearer than one that goes elsewhere. Linear in the number of nodes.
pub fn likeness(one: &Execution, other: &Execution) -> f64 {
    let counts = one.nodes.iter().zip(&other.nodes);
    let hashes = one.trajectories.iter().zip(&other.trajectories);
    let (mut alike, mut seen) = (0.0, 0u32);
    for ((count, another), (hash, other_hash)) in counts.zip(hashes).filter(|((a, b), _)| **a + **b > 0) {
        let same = count == another && hash == other_hash;
        let (less, more) = (*count.min(another) as f64, *count.max(another) as f64);
        alike += if same { 1.0 } else { less / more / 2.0 };
        seen += 1;
    }
    if seen == 0 { 0.0 } else { alike / f64::from(seen) }
}

/// `candidates` in the order of their likeness to `one`, the most alike first; ties by number. One is looked at after another.
pub fn by_likeness<E>(
    one: &Execution,
    candidates: impl IntoIterator<Item = Result<(u32, Execution), E>>,
) -> Result<Vec<(u32, f64)>, E> {
    let mut order = Vec::new();
    for candidate in candidates {
        let (test, execution) = candidate?;
        order.push((test, likeness(one, &execution)));
    }
    order.sort_by(|(a, one), (b, other)| other.total_cmp(one).then(a.cmp(b)));
    Ok(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn execution(nodes: &[(u64, u64)]) -> Execution {
        let (nodes, trajectories) = nodes.iter().copied().unzip();
        Execution { nodes, trajectories, ..Execution::default() }
    }

    #[test]
    fn a_test_is_wholly_like_itself_and_not_at_all_like_one_that_goes_elsewhere() {
        let one = execution(&[(3, 7), (0, 0), (1, 9)]);
        assert_eq!(likeness(&one, &one), 1.0);
        assert_eq!(likeness(&one, &execution(&[(0, 0), (5, 1), (0, 0)])), 0.0);
        assert_eq!(likeness(&execution(&[(0, 0)]), &execution(&[(0, 0)])), 0.0);
    }

    #[test]
    fn the_same_way_with_other_values_counts_half() {
        let one = execution(&[(2, 7), (4, 8)]);
        assert_eq!(likeness(&one, &execution(&[(2, 7), (4, 9)])), 0.75);
        assert_eq!(likeness(&one, &execution(&[(2, 7), (1, 9)])), 0.5625);
    }

    #[test]
    fn the_most_alike_comes_first_and_ties_fall_by_number() {
        let one = execution(&[(2, 7), (4, 8)]);
        let others = [(9, execution(&[(2, 7), (4, 9)])), (4, one.clone()), (3, execution(&[(2, 7), (4, 9)]))];
        let order = by_likeness(&one, others.into_iter().map(Ok::<_, ()>)).unwrap();
        assert_eq!(order.iter().map(|(test, _)| *test).collect::<Vec<_>>(), [4, 3, 9]);
    }

    #[test]
    fn what_cannot_be_read_ends_the_search() {
        assert_eq!(by_likeness(&execution(&[]), [Err("gone")]), Err("gone"));
    }
}
