//! Maximum weight matching.

use std::convert::Infallible;

use rustworkx_core::max_weight_matching::max_weight_matching;
use rustworkx_core::petgraph::graph::{EdgeReference, UnGraph};

/// Weights become integers in units of 2^-62 of the greatest: finer than an `f64` near it, and no sum that the algorithm forms overflows.
const UNITS: f64 = (1u64 << 62) as f64;

/// The edges (by position, ascending) of a matching of maximum weight: no two share an end, and no other choice of such edges weighs
/// more in sum. Ends may be any numbers; no two edges have the same two. Edges that do not weigh more than 0 are never chosen; of several optimal
/// matchings, which it is depends on the order of edges alone.
///
/// Time is cubic in the number of ends.
pub(super) fn maximum_weight_matching(edges: &[((u32, u32), f64)]) -> Vec<usize> {
    let mut ends: Vec<u32> = edges.iter().flat_map(|((a, b), _)| [*a, *b]).collect();
    ends.sort_unstable();
    ends.dedup();
    let index = |end: u32| ends.partition_point(|other| *other < end) as u32;
    let greatest = edges.iter().map(|(_, weight)| *weight).fold(0.0, f64::max);
    let units = |weight: f64| (weight / greatest * UNITS) as i128;
    let chosen = edges.iter().enumerate().filter(|(_, ((a, b), weight))| a != b && *weight > 0.0);
    let graph =
        UnGraph::<(), i128>::from_edges(chosen.map(|(_, ((a, b), weight))| (index(*a), index(*b), units(*weight))));
    let weight = |edge: EdgeReference<i128>| Ok::<_, Infallible>(*edge.weight());
    let Ok(matched) = max_weight_matching(&graph, false, weight, false);
    let is_matched = |(a, b): (u32, u32)| {
        let (a, b) = (index(a) as usize, index(b) as usize);
        matched.contains(&(a, b)) || matched.contains(&(b, a))
    };
    (0..edges.len()).filter(|at| edges[*at].1 > 0.0 && is_matched(edges[*at].0)).collect()
}
