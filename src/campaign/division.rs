//! Sharing out work among parts so that as little as possible is prepared twice.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::store::Shard;

/// A part is full when no more than one in so many of its share is left.
const SLACK: u64 = 20;
/// Costs are taken for this at most, so that sums stay in range.
const MOST: u64 = 1 << 40;

/// Which part has which stretch of each item. An item is what has to be prepared once by each part that has some of it: a test, say.
#[derive(Debug)]
pub struct Division {
    costs: Vec<u64>,
    /// Of each item, its parts with the stretch that each has of its cost.
    stretches: Vec<Vec<(u32, Range<u64>)>>,
}

impl Division {
    /// Shares out items of these costs among `of` parts. Each part takes the largest items that fit into its share; only where none does is
    /// one cut, so there are at most `of - 1` cuts. The same costs are always shared out alike.
    pub fn new(costs: impl IntoIterator<Item = u64>, of: u32) -> Division {
        let costs: Vec<u64> = costs.into_iter().map(|cost| cost.clamp(1, MOST)).collect();
        let mut stretches = vec![Vec::new(); costs.len()];
        let mut left: BTreeSet<(u64, usize)> = costs.iter().copied().zip(0..).collect();
        let mut total: u64 = costs.iter().sum();
        for number in 1..=of {
            let share = total.div_ceil(u64::from(of - number + 1));
            let (mut room, slack) = (share, share / SLACK);
            while let Some(&largest) = left.last().filter(|_| room > 0) {
                let fits = left.range(..=(room + slack, usize::MAX)).next_back().copied();
                let (rest, item) = match fits {
                    Some(whole) => whole,
                    None if room > slack => largest,
                    None => break,
                };
                let taken = if fits.is_some() { rest } else { room };
                let from = costs[item] - rest;
                stretches[item].push((number, from..from + taken));
                left.remove(&(rest, item));
                if taken < rest {
                    left.insert((rest - taken, item));
                }
                total -= taken;
                room = room.saturating_sub(taken);
            }
        }
        Division { costs, stretches }
    }

    /// Which of the `n` pieces of an item a part has, by position.
    pub fn pieces(&self, item: usize, part: Shard, n: usize) -> Range<usize> {
        let Some((_, stretch)) = self.stretches[item].iter().find(|(number, _)| *number == part.number) else {
            return 0..0;
        };
        let position = |at: u64| (u128::from(at) * n as u128).div_ceil(u128::from(self.costs[item])) as usize;
        position(stretch.start)..position(stretch.end)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// For each part, the items that it has some of, and its cost.
    fn parts(costs: &[u64], of: u32) -> Vec<(Vec<usize>, u64)> {
        let division = Division::new(costs.iter().copied(), of);
        let part = |number| {
            let mut part = (Vec::new(), 0);
            for (item, stretches) in division.stretches.iter().enumerate() {
                for (_, stretch) in stretches.iter().filter(|(owner, _)| *owner == number) {
                    part.0.push(item);
                    part.1 += stretch.end - stretch.start;
                }
            }
            part
        };
        (1..=of).map(part).collect()
    }

    #[test]
    fn items_stay_whole_where_they_fit() {
        assert_eq!(parts(&[6, 5, 4, 3, 2], 2), [(vec![0, 2], 10), (vec![1, 3, 4], 10)]);
        assert_eq!(parts(&[100, 99, 101, 100], 4).iter().map(|part| part.0.len()).collect::<Vec<_>>(), [1; 4]);
    }

    #[test]
    fn fewer_items_than_parts_are_cut() {
        assert_eq!(parts(&[100], 4), [(vec![0], 25), (vec![0], 25), (vec![0], 25), (vec![0], 25)]);
        let of_three = parts(&[100, 100, 100], 4);
        assert!(of_three.iter().all(|(_, cost)| *cost == 75), "{of_three:?}");
        assert_eq!(of_three.iter().map(|part| part.0.len()).sum::<usize>(), 6);
    }

    #[test]
    fn more_parts_than_work_leave_some_without_any() {
        assert_eq!(parts(&[1], 3).iter().filter(|part| part.1 == 0).count(), 2);
        assert!(parts(&[], 3).iter().all(|part| part.1 == 0));
    }

    proptest! {
        #[test]
        fn parts_are_even_and_every_piece_is_in_one(
            costs in prop::collection::vec(0u64..10_000, 1..40),
            of in 1u32..9,
            n in 0usize..100,
        ) {
            let division = Division::new(costs.iter().copied(), of);
            for item in 0..costs.len() {
                let mut owners = vec![0; n];
                for number in 1..=of {
                    division.pieces(item, Shard { number, of }, n).for_each(|piece| owners[piece] += 1);
                }
                prop_assert!(owners.iter().all(|owners| *owners == 1), "{owners:?}");
            }
            let parts = parts(&costs, of);
            let (total, most) = (parts.iter().map(|part| part.1).sum::<u64>(), parts.iter().map(|part| part.1).max());
            prop_assert!(most.unwrap() <= (total.div_ceil(u64::from(of)) as f64 * 1.15) as u64 + 1, "{parts:?}");
            let n_stretches: usize = parts.iter().map(|part| part.0.len()).sum();
            prop_assert!(n_stretches < costs.len() + of as usize, "{parts:?}");
        }
    }
}
