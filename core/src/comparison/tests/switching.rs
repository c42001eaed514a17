//! The orders in which decisions are switched.

use super::case::Recorded;
use super::programs::*;
use crate::comparison::*;

#[test]
fn what_is_near_comes_first_and_everything_that_decides_comes() {
    for (program, inputs) in [(fig2(), [[1, 2], [3, -2]]), (fig8(), [[2, 0], [3, 0]]), (ext_loop(), [[2, 5], [4, 5]])] {
        let recorded = Recorded::new(&program, &inputs[0], &inputs[1]).unwrap();
        for side in Side::BOTH {
            let run = &recorded.runs[side.index()];
            let last = run.points() - 1;
            let near = by_distance(run, &[last]);
            let mut members = near.clone();
            members.sort_unstable();
            assert_eq!(members, dynamic_slice(run, last, None).iter().collect::<Vec<_>>());
            assert_eq!(near[0], last);

            let all: Vec<u32> = (1..run.points()).filter(|point| run.outcome(*point) != NONE).collect();
            let sites: Vec<u32> = all.iter().map(|point| run.site(*point)).collect();
            assert_eq!(decisions(run, |site| sites.contains(&site)), all);
            let order: Vec<u64> = switching_order(run, &all, &[last]).collect();
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..all.len() as u64).collect::<Vec<_>>());
            let nearest = near.iter().find_map(|point| all.binary_search(point).ok());
            assert_eq!(order[0], nearest.unwrap_or(all.len() - 1) as u64);
            let next = (0..all.len() as u64).rev().find(|number| *number != order[0]);
            assert_eq!(order.get(1).copied(), next, "in turn the last executed");
        }
    }
}
