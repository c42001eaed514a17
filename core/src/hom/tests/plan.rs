//! Plans: what they contain, in which proportions, and that they repeat.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::{matrix, pool};
use crate::hom::{FirstOrder, Heuristic, Location, Plan, PlanError, PlanOptions, Pool, plan};

fn planned(pool: &Pool, entries: &[(u32, u32, f64)], heuristic: Heuristic, order: usize, n: usize) -> Plan {
    plan(pool, &matrix(entries), PlanOptions { heuristic, order, n, seed: 7 }).unwrap()
}

/// How many mutants each set of nodes gives.
fn counts(plan: &Plan) -> BTreeMap<Vec<u32>, usize> {
    let mut counts = BTreeMap::new();
    plan.set_of.iter().for_each(|set| *counts.entry(plan.sets[*set as usize].nodes.clone()).or_default() += 1);
    counts
}

const PATH: [(u32, u32, f64); 3] = [(0, 1, 0.6), (1, 2, 0.9), (2, 3, 0.5)];

#[test]
fn matching_spreads_and_sorting_does_not() {
    let pool = pool(&[10; 4]);
    assert_eq!(counts(&planned(&pool, &PATH, Heuristic::Mwm, 2, 31)), [(vec![0, 1], 16), (vec![2, 3], 15)].into());
    let sorted = counts(&planned(&pool, &PATH, Heuristic::Dsort, 2, 31));
    assert_eq!(sorted[&vec![1, 2]], 16);
    assert_eq!(sorted.len(), 2, "as many pairs as matching picks");
}

#[test]
fn sets_share_what_one_cannot_give() {
    // Pair 0-1 has two combinations only.
    let pool = pool(&[1, 2, 10, 10]);
    let plan = planned(&pool, &PATH, Heuristic::Mwm, 2, 50);
    assert_eq!(counts(&plan), [(vec![0, 1], 2), (vec![2, 3], 48)].into());
    let all = planned(&pool, &PATH, Heuristic::Mwm, 2, 1000);
    assert_eq!(all.homs.len(), 102, "each combination once");
    assert_eq!(all.homs.iter().collect::<BTreeSet<_>>().len(), 102);
}

#[test]
fn drawing_follows_effects() {
    let pool = pool(&[60; 4]);
    let counts = counts(&planned(&pool, &[(0, 1, 0.1), (1, 2, 0.3), (3, 2, 0.6)], Heuristic::Prop, 2, 5000));
    for (nodes, expected) in [([0, 1], 500.0), ([1, 2], 1500.0), ([2, 3], 3000.0)] {
        let count = counts[&nodes.to_vec()] as f64;
        assert!((count - expected).abs() < 4.0 * f64::sqrt(expected), "{nodes:?}: {count}");
    }
    // Of order 3, a set counts by the sum of its pairs: 0.4, 0.9, 0.7, 0.9 would be those of this path with 1-3 unrelated.
    let counts = self::counts(&planned(&pool, &[(0, 1, 0.1), (1, 2, 0.3), (3, 2, 0.6)], Heuristic::Prop, 3, 4000));
    for (nodes, strength) in [([0, 1, 2], 0.4), ([1, 2, 3], 0.9), ([0, 1, 3], 0.1), ([0, 2, 3], 0.6)] {
        let (count, expected) = (counts[&nodes.to_vec()] as f64, 4000.0 * strength / 2.0);
        assert!((count - expected).abs() < 4.0 * f64::sqrt(expected), "{nodes:?}: {count}");
    }
}

#[test]
fn drawing_goes_on_with_the_others_when_a_pair_is_exhausted() {
    let plan = planned(&pool(&[2, 2, 3, 3]), &[(0, 1, 1.0), (2, 3, 1e-9)], Heuristic::Prop, 2, 100);
    assert_eq!(counts(&plan), [(vec![0, 1], 4), (vec![2, 3], 9)].into());
}

#[test]
fn random_takes_no_heed_of_effects_and_repeats() {
    let plan = planned(&pool(&[2; 4]), &[], Heuristic::Random, 2, 6000);
    let counts = counts(&plan);
    assert_eq!(counts.len(), 6);
    assert!(counts.values().all(|count| (850..1150).contains(count)), "{counts:?}");
    assert_eq!(plan.homs.iter().collect::<BTreeSet<_>>().len(), 24);
}

#[test]
fn mutants_of_one_operation_or_in_conflict_are_never_together() {
    // Mutants 1 and 2 are of one operation at two nodes; 0 and 3 are in conflict.
    let of = |node, operation| FirstOrder { node: Some(node), operation };
    let unplaced = FirstOrder { node: None, operation: 9 };
    let pool = Pool::new(&[of(0, 0), of(0, 1), of(1, 1), of(1, 2), unplaced]).with_conflicts([(3, 0)]);
    for heuristic in Heuristic::ALL {
        let plan = planned(&pool, &[(0, 1, 1.0)], heuristic, 2, 40);
        let found: BTreeSet<_> = plan.homs.iter().map(|hom| hom.members.clone()).collect();
        assert_eq!(found, [vec![0, 2], vec![1, 3]].into(), "{heuristic:?}");
    }
    let hopeless = Pool::new(&[of(0, 0), of(1, 0)]);
    assert_eq!(planned(&hopeless, &[], Heuristic::Random, 2, 40).homs, []);
}

#[test]
fn nearness_is_of_lines_within_a_function() {
    let at = |function, line| Location { function, line };
    let pool = pool(&[1; 5]).with_locations([(0, at(1, 10)), (1, at(1, 10)), (2, at(1, 13)), (3, at(2, 10))]);
    let found = [(0, 1), (0, 2), (2, 0), (0, 3), (0, 4)].map(|(a, b)| pool.nearness(a, b));
    assert_eq!(found, [1.0, 0.25, 0.25, 0.0, 0.0]);
}

#[test]
fn another_seed_gives_other_mutants() {
    let pool = pool(&[9; 4]);
    for heuristic in Heuristic::ALL {
        let homs = |seed| plan(&pool, &matrix(&PATH), PlanOptions { heuristic, order: 2, n: 20, seed }).unwrap().homs;
        assert_eq!(homs(1), homs(1));
        assert_ne!(homs(1), homs(2), "{heuristic:?}");
    }
}

#[test]
fn what_cannot_be_planned_is_refused() {
    let refused = |sizes: &[usize], entries: &[(u32, u32, f64)], heuristic, order| {
        plan(&pool(sizes), &matrix(entries), PlanOptions { heuristic, order, n: 5, seed: 1 }).unwrap_err()
    };
    assert_eq!(refused(&[1, 1], &[], Heuristic::Random, 1), PlanError::Order(1));
    assert_eq!(refused(&[1, 0, 1], &[], Heuristic::Random, 3), PlanError::Nodes { order: 3, nodes: 2 });
    // The effect is between nodes one of which has no mutants.
    assert_eq!(refused(&[1, 0, 1], &[(0, 1, 1.0)], Heuristic::Mwm, 2), PlanError::NoEffect("mwm"));
}

proptest! {
    #[test]
    fn plans_keep_their_promises(
        sizes in prop::collection::vec(0usize..5, 3..9),
        effects in prop::collection::vec((0u32..8, 0u32..8, 0.0f64..=1.0), 1..20),
        order in 2usize..5,
        n in 0usize..60,
        seed in any::<u64>(),
    ) {
        let (pool, matrix) = (pool(&sizes), matrix(&effects));
        for heuristic in Heuristic::ALL {
            let options = PlanOptions { heuristic, order, n, seed };
            let Ok(found) = plan(&pool, &matrix, options) else { continue };
            prop_assert_eq!(&plan(&pool, &matrix, options).unwrap(), &found, "same seed, same mutants");
            prop_assert!(found.homs.len() <= n && found.homs.len() == found.set_of.len());
            for (hom, set) in found.homs.iter().zip(&found.set_of) {
                let nodes: Vec<u32> = found.sets[*set as usize].nodes.clone();
                prop_assert_eq!(hom.order(), order);
                let of_node = |node: &u32| hom.members.iter().filter(|member| pool.mutants(*node).contains(member)).count();
                prop_assert!(nodes.iter().all(|node| of_node(node) == 1), "one mutant of each node");
                prop_assert!(hom.members.is_sorted());
                prop_assert!(heuristic == Heuristic::Random || found.sets[*set as usize].effect > 0.0);
            }
            if heuristic != Heuristic::Random {
                prop_assert_eq!(found.homs.iter().collect::<BTreeSet<_>>().len(), found.homs.len());
            }
        }
    }
}
