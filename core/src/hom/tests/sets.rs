//! Matching and the strongest sets against all there are.

use std::collections::BTreeSet;

use proptest::prelude::*;
use rand_chacha::ChaCha12Rng;

use super::matrix;
use crate::hom::matching::maximum_weight_matching;
use crate::hom::random::generator;
use crate::hom::sets::Web;

type Edge = ((u32, u32), f64);

fn web(nodes: Vec<u32>, entries: &[(u32, u32, f64)], generator: &mut ChaCha12Rng) -> Web {
    Web::new(nodes, &matrix(entries), |_, _| 0.0, generator)
}

/// The weight of a set.
fn weight(web: &Web, set: &[u32]) -> f64 {
    let with_later = |at: usize| set[at + 1..].iter().map(move |other| web.weight(set[at], *other));
    (0..set.len()).flat_map(with_later).sum()
}

/// The weight of the heaviest matching, by trying all.
fn heaviest(edges: &[Edge], used: &mut BTreeSet<u32>) -> f64 {
    let Some((((a, b), weight), rest)) = edges.split_first() else { return 0.0 };
    let mut best = heaviest(rest, used);
    if !used.contains(a) && !used.contains(b) {
        used.extend([*a, *b]);
        best = best.max(weight + heaviest(rest, used));
        used.remove(a);
        used.remove(b);
    }
    best
}

/// Graphs of up to 10 nodes with few different weights, so that ties and weights of 0 are common, or with any.
fn graphs() -> impl Strategy<Value = Vec<Edge>> {
    let weight = prop_oneof![
        3 => prop::sample::select(vec![0.0, 0.25, 0.5, 1.0]),
        1 => 0.0f64..=1.0,
        1 => prop::sample::select(vec![1e-12, 1.0 / 3.0, 2.0 / 3.0, 1.0 - 1e-15]),
    ];
    (2u32..=10, prop::collection::vec(prop::option::weighted(0.6, weight), 45)).prop_map(|(n, weights)| {
        let pairs = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b)));
        // Names that are neither dense nor ordered as the positions.
        let edges = pairs.zip(weights).filter_map(|((a, b), weight)| Some(((1000 - 7 * a, 1000 - 7 * b), weight?)));
        edges.collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_matching_is_heavier(edges in graphs()) {
        let found = maximum_weight_matching(&edges);
        let ends: Vec<u32> = found.iter().flat_map(|at| [edges[*at].0.0, edges[*at].0.1]).collect();
        prop_assert_eq!(ends.iter().collect::<BTreeSet<_>>().len(), ends.len(), "no two share an end");
        prop_assert!(found.iter().all(|at| edges[*at].1 > 0.0));
        let weight: f64 = found.iter().map(|at| edges[*at].1).sum();
        prop_assert!((weight - heaviest(&edges, &mut BTreeSet::new())).abs() < 1e-9, "{weight}");
        for _ in 0..3 {
            prop_assert_eq!(&maximum_weight_matching(&edges), &found, "the same each time");
        }
    }

    #[test]
    fn no_sets_are_stronger(edges in graphs(), order in 2usize..=5, n in 1usize..=12, seed in any::<u64>()) {
        let nodes: Vec<u32> = edges.iter().flat_map(|((a, b), _)| [*a, *b]).collect::<BTreeSet<_>>().into_iter().collect();
        let entries: Vec<_> = edges.iter().map(|&((a, b), weight)| (a, b, weight)).collect();
        let web = web(nodes.clone(), &entries, &mut generator(seed, &[]));
        let mut all: Vec<f64> = subsets(&nodes, order).iter().map(|set| weight(&web, set)).collect();
        all.retain(|weight| *weight > 0.0);
        all.sort_by(|a, b| b.total_cmp(a));
        all.truncate(n);
        let found = web.strongest(order, n);
        prop_assert_eq!(found.len(), all.len());
        for (set, most) in found.iter().zip(&all) {
            prop_assert!((weight(&web, &set.nodes) - most).abs() < 1e-9);
            prop_assert_eq!(set.nodes.len(), order);
        }
        let distinct: BTreeSet<_> = found.iter().map(|set| set.nodes.clone()).collect();
        prop_assert_eq!(distinct.len(), found.len());
    }

    #[test]
    fn matched_sets_are_disjoint_and_no_weaker_than_the_matching_at_order_2(edges in graphs(), order in 2usize..=5) {
        let nodes: Vec<u32> = edges.iter().flat_map(|((a, b), _)| [*a, *b]).collect::<BTreeSet<_>>().into_iter().collect();
        let entries: Vec<_> = edges.iter().map(|&((a, b), weight)| (a, b, weight)).collect();
        let web = web(nodes, &entries, &mut generator(1, &[]));
        let sets = web.matched(order);
        let members: Vec<u32> = sets.iter().flat_map(|set| set.nodes.clone()).collect();
        prop_assert_eq!(members.iter().collect::<BTreeSet<_>>().len(), members.len());
        prop_assert!(sets.iter().all(|set| set.nodes.len() == order && set.effect > 0.0));
        if order == 2 {
            let found: f64 = sets.iter().map(|set| weight(&web, &set.nodes)).sum();
            prop_assert!((found - heaviest(&web.weighted(), &mut BTreeSet::new())).abs() < 1e-9);
        }
    }
}

fn subsets(of: &[u32], size: usize) -> Vec<Vec<u32>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let Some((first, rest)) = of.split_first() else { return Vec::new() };
    let with = subsets(rest, size - 1).into_iter().map(|set| [vec![*first], set].concat());
    with.chain(subsets(rest, size)).collect()
}

#[test]
fn the_heaviest_edge_is_left_where_two_others_weigh_more() {
    assert_eq!(maximum_weight_matching(&[((1, 2), 0.5), ((2, 3), 0.9), ((3, 4), 0.5)]), [0, 2]);
    assert_eq!(maximum_weight_matching(&[((1, 2), 0.5), ((2, 3), 1.0), ((3, 4), 0.25)]), [1]);
    assert_eq!(maximum_weight_matching(&[((1, 2), 0.0)]), [0; 0]);
    assert_eq!(maximum_weight_matching(&[]), [0; 0]);
}

#[test]
fn a_triple_takes_nodes_from_weaker_pairs() {
    // The matching is 0-1 and 2-3 and 4-5; 0-1 takes 2, whose partner 3 then joins 4-5.
    let entries = [(0, 1, 1.0), (2, 3, 0.5), (1, 2, 0.4), (4, 5, 0.3), (3, 5, 0.1)];
    let web = web((0..6).collect(), &entries, &mut generator(1, &[]));
    let sets: Vec<_> = web.matched(3).into_iter().map(|set| set.nodes).collect();
    assert_eq!(sets, [[0, 1, 2], [3, 4, 5]]);
}

#[test]
fn strong_sets_of_many_nodes_are_found_soon() {
    // A program of 150 nodes, with chains of strong effects among weak ones: all sets of order 4 are 20 million.
    let effect =
        |a: u32, b: u32| if b - a < 4 { 1.0 / f64::from(b - a) } else { f64::from((a * 31 + b * 17) % 97) / 200.0 };
    let entries: Vec<_> = (0..150).flat_map(|a| (a + 1..150).map(move |b| (a, b, effect(a, b)))).collect();
    let web = web((0..150).collect(), &entries, &mut generator(1, &[]));
    let sets = web.strongest(4, 40);
    assert_eq!(sets.len(), 40);
    assert!(sets.windows(2).all(|pair| weight(&web, &pair[0].nodes) >= weight(&web, &pair[1].nodes) - 1e-9));
}

#[test]
fn of_effects_that_values_do_not_tell_apart_the_nearer_counts() {
    // A ring of four nodes has two matchings. Nodes 0 and 1 are near, as are 2 and 3.
    let near = |a: u32, b: u32| if a / 2 == b / 2 { 0.5 } else { 0.0 };
    let chosen = |nearness: &dyn Fn(u32, u32) -> f64, across: f64| {
        let entries = [(0, 1, 0.91), (2, 3, 0.92), (1, 2, across), (0, 3, across)];
        let web = Web::new((0..4).collect(), &matrix(&entries), nearness, &mut generator(1, &[]));
        let mut sets: Vec<_> = web.matched(2).into_iter().map(|set| set.nodes).collect();
        sets.sort_unstable();
        assert_eq!(
            web.strongest(2, 2).into_iter().map(|set| set.nodes).collect::<BTreeSet<_>>(),
            sets.iter().cloned().collect()
        );
        sets
    };
    assert_eq!(chosen(&near, 0.95), [[0, 1], [2, 3]]);
    assert_eq!(chosen(&near, 0.951), [[0, 3], [1, 2]], "a step more");
    assert_eq!(chosen(&|_, _| 0.0, 0.95), [[0, 3], [1, 2]], "none near, the greater effect");
}
