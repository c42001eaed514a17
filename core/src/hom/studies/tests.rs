//! Tests of the studies, on made-up mutants whose outcomes are known.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::hom::tests::{matrix, pool};
use crate::hom::{Heuristic, KillVector, Kills, PlanError};

/// Outcomes by a rule: what the tests do to a mutant.
fn outcomes(homs: &[Hom], n_tests: u32, killed: impl Fn(&Hom) -> Vec<u32>) -> KillMatrix {
    let mut outcomes = KillMatrix::new(n_tests);
    homs.iter().for_each(|hom| outcomes.push(Kills::known(KillVector::of(n_tests, killed(hom)))));
    outcomes
}

/// First-order mutants that tests 0 and 1 kill, each.
fn first_order(n: usize) -> KillMatrix {
    let mut matrix = KillMatrix::new(3);
    (0..n).for_each(|_| matrix.push(Kills::known(KillVector::of(3, [0, 1]))));
    matrix
}

/// Ten nodes with ten mutants each, so that mutant m is of node m / 10; the effect of a on b is larger the nearer they are.
fn near() -> Vec<(u32, u32, f64)> {
    let pairs = (0..10).flat_map(|a| (a + 1..10).map(move |b| (a, b)));
    pairs.filter(|(a, b)| b - a < 6).map(|(a, b)| (a, b, 1.0 / f64::from(b - a))).collect()
}

fn distance(hom: &Hom) -> u32 {
    hom.members[1] / 10 - hom.members[0] / 10
}

#[test]
fn a_spread_is_that_of_a_sample() {
    let spread = Spread::of(&[2.0, 4.0, 4.0, 6.0]);
    assert_eq!((spread.mean, spread.least, spread.most), (4.0, 2.0, 6.0));
    assert!((spread.deviation - (8.0f64 / 3.0).sqrt()).abs() < 1e-12);
    assert_eq!(Spread::of(&[3.0]).deviation, 0.0);
    assert_eq!(Spread::of(&[]), Spread::default());
}

#[test]
fn deciles_count_what_is_in_each_bucket() {
    let pool = pool(&[10; 10]);
    let buckets = Buckets::Ranks;
    let options = DecileOptions { buckets, pairs: 2, mutants: 30, repeats: 4, ..DecileOptions::default() };
    let study = DecileStudy::plan(&pool, &matrix(&near()), options).unwrap();
    assert_eq!(study.homs().iter().collect::<BTreeSet<_>>().len(), study.homs().len(), "each runs once");
    // Strongly subsuming iff the nodes are neighbours: 9 of 35 pairs with an effect, the two upper deciles and a half.
    let killed = |hom: &Hom| if distance(hom) == 1 { vec![0] } else { vec![2] };
    let table = study.table(&first_order(100), &outcomes(study.homs(), 3, killed));
    let pairs: Vec<_> = table.rows.iter().map(|row| row.n_pairs).collect();
    assert_eq!(pairs, [10, 4, 3, 4, 3, 4, 3, 4, 3, 4, 3]);
    assert!(table.rows.iter().all(|row| row.mutants.mean == 60.0 && row.mutants.deviation == 0.0));
    let strong: Vec<_> = table.rows.iter().map(|row| row.strong.mean).collect();
    assert_eq!(&strong[..8], [0.0; 8]);
    assert_eq!(&strong[9..], [60.0; 2]);
    assert_eq!((table.rows[10].range, table.rows[10].rate, table.rows[0].range), ([1.0, 1.0], 1.0, [0.0, 0.0]));
    // Test 1 kills each member and no strongly subsuming mutant: each of these masks it.
    assert!(table.rows.iter().all(|row| row.masking == row.strong && row.share_of_masking == row.share_of_strong));
    assert!((table.rows.iter().map(|row| row.share_of_strong).sum::<f64>() - 1.0).abs() < 1e-12);
}

#[test]
fn widths_leave_buckets_empty() {
    let pool = pool(&[10; 10]);
    let options = DecileOptions { pairs: 50, repeats: 1, ..DecileOptions::default() };
    let study = DecileStudy::plan(&pool, &matrix(&near()), options).unwrap();
    let table = study.table(&first_order(100), &outcomes(study.homs(), 3, |_| Vec::new()));
    // Effects are 1/5 (in the second), 1/4, 1/3, 1/2 (in the fifth) and 1.
    let found: Vec<_> = table.rows.iter().map(|row| (row.n_pairs, row.mutants.mean)).collect();
    let expected = [(10, 1000.0), (0, 0.0), (5, 500.0), (6, 600.0), (7, 700.0), (8, 800.0)];
    assert_eq!(&found[..6], expected);
    assert_eq!(&found[6..], [(0, 0.0), (0, 0.0), (0, 0.0), (0, 0.0), (9, 900.0)]);
    assert_eq!(study.homs().len(), 45 * 100, "all pairs, each with all of its combinations");
}

#[test]
fn heuristics_are_compared_by_their_repeats() {
    let pool = pool(&[10; 10]);
    let options = HeuristicOptions { n: 100, repeats: 3, ..HeuristicOptions::default() };
    let study = HeuristicStudy::plan(&pool, &matrix(&near()), options).unwrap();
    let killed = |hom: &Hom| match distance(hom) {
        1 => vec![hom.members[0] % 2],
        2 => vec![],
        _ => vec![2],
    };
    let outcomes = outcomes(study.homs(), 3, killed);
    let table = study.table(&first_order(100), &outcomes);
    let names: Vec<_> = table.rows.iter().map(|row| row.heuristic.as_str()).collect();
    assert_eq!(names, Heuristic::ALL.map(Heuristic::name));
    let [random, prop, dsort, mwm] = [0, 1, 2, 3].map(|row| &table.rows[row]);
    for best in [dsort, mwm] {
        assert_eq!((best.n_sets, best.mutants.mean, best.strong.mean, best.strong.deviation), (5, 100.0, 100.0, 0.0));
        assert_eq!((best.strong_vectors.mean, best.d_score.unwrap().mean, best.survival.mean), (2.0, 0.02, 0.0));
        assert!((best.times_random.unwrap() - 100.0 / random.strong.mean).abs() < 1e-9);
    }
    assert!(random.strong.mean > 5.0 && random.strong.mean < prop.strong.mean && prop.strong.mean < 70.0);
    assert!((random.d_score.unwrap().mean - 0.04).abs() < 1e-12, "two vectors, none, and that of test 2");
    assert_eq!([dsort.published, mwm.published], [Some([65.6, 54.0]), Some([38.2, 41.8])]);

    assert!(table.to_string().contains("published, masking: parking, schedule"));

    let survival = study.survival(&pool, &first_order(100), &outcomes);
    let [first, random, .., mwm] = &survival.rows[..] else { panic!("{survival:?}") };
    assert_eq!((first.mutants, first.survived), (100, 0));
    assert_eq!((mwm.mutants, mwm.survived), (300, 0));
    assert!(random.mutants == 300 && random.survived > 20 && random.hidden == random.survived);
}

#[test]
fn higher_orders_stand_alone() {
    let pool = pool(&[10; 10]);
    let options = HeuristicOptions { order: 3, n: 40, repeats: 2, ..HeuristicOptions::default() };
    let study = HeuristicStudy::plan(&pool, &matrix(&near()), options).unwrap();
    assert!(study.homs().iter().all(|hom| hom.order() == 3));
    let table = study.table(&first_order(100), &outcomes(study.homs(), 3, |_| vec![0, 1]));
    assert!(table.rows.iter().all(|row| row.strong.mean == 40.0 && row.published.is_none()));
    assert_eq!(table.rows[3].n_sets, 3, "ten nodes make three disjoint sets of three");
    assert!(!table.to_string().contains("published"));
}

#[test]
fn what_is_unknown_counts_for_nothing_else() {
    let pool = pool(&[2, 2]);
    let options = HeuristicOptions { n: 4, repeats: 1, ..HeuristicOptions::default() };
    let study = HeuristicStudy::plan(&pool, &matrix(&[(0, 1, 1.0)]), options).unwrap();
    let mut outcomes = KillMatrix::new(3);
    for hom in study.homs() {
        let unknown = KillVector::of(3, (hom.members[0] == 0).then_some(2));
        outcomes.push(Kills { killed: KillVector::new(3), unknown });
    }
    let mwm = &study.table(&first_order(4), &outcomes).rows[3];
    assert_eq!((mwm.mutants.mean, mwm.unknown.mean, mwm.survival.mean), (4.0, 2.0, 1.0));
    let row = &study.survival(&pool, &first_order(4), &outcomes).rows[4];
    assert_eq!((row.mutants, row.survived, row.unknown), (2, 2, 2));
    assert!(study.survival(&pool, &first_order(4), &outcomes).to_string().contains("mwm: of 2 mutants"));
}

#[test]
fn studies_that_cannot_be_made_are_refused() {
    let decile = |sizes: &[usize], effects| DecileStudy::plan(&pool(sizes), &matrix(effects), DecileOptions::default());
    assert_eq!(decile(&[3], &[]), Err(PlanError::Nodes { order: 2, nodes: 1 }));
    assert_eq!(decile(&[3, 3], &[]), Err(PlanError::NoEffect("deciles")));
    let one = HeuristicStudy::plan(&pool(&[3, 3]), &matrix(&[]), HeuristicOptions::default());
    assert_eq!(one, Err(PlanError::NoEffect("prop")));
}

#[test]
fn tables_are_readable() {
    let pool = pool(&[10; 10]);
    let buckets = Buckets::Ranks;
    let options = DecileOptions { buckets, pairs: 1, mutants: 10, repeats: 2, ..DecileOptions::default() };
    let study = DecileStudy::plan(&pool, &matrix(&near()), options).unwrap();
    let killed = |hom: &Hom| if distance(hom) == 1 { vec![0] } else { vec![2] };
    let table = study.table(&first_order(100), &outcomes(study.homs(), 3, killed));
    let text = table.to_string();
    assert!(text.lines().all(|line| line.trim_end() == line && line.chars().count() <= 100), "{text}");
    let last = text.lines().last().unwrap();
    assert!(last.starts_with("    10  1.0000 - 1.0000       3       10     10.0 ±0.0"), "{last}");
    assert!(last.ends_with(&"█".repeat(30)), "{last}");
    let svg = table.svg("a < b");
    assert_eq!(svg.matches("<rect").count(), 12, "a field and a bar for each bucket");
    assert!(svg.contains("a &lt; b") && svg.ends_with("</svg>\n"));
}

proptest! {
    #[test]
    fn a_study_repeats_and_samples_as_it_says(
        sizes in prop::collection::vec(0usize..6, 2..12),
        effects in prop::collection::vec((0u32..12, 0u32..12, 0.0f64..=1.0), 1..30),
        pairs in 1usize..4,
        mutants in 1usize..20,
        seed in any::<u64>(),
        widths in any::<bool>(),
    ) {
        let buckets = if widths { Buckets::Widths } else { Buckets::Ranks };
        let options = DecileOptions { buckets, pairs, mutants, repeats: 2, seed };
        let (pool, matrix) = (pool(&sizes), matrix(&effects));
        if let Ok(study) = DecileStudy::plan(&pool, &matrix, options) {
            prop_assert_eq!(&DecileStudy::plan(&pool, &matrix, options).unwrap(), &study);
            let n_nodes = pool.nodes().len();
            prop_assert_eq!(study.buckets.iter().map(|bucket| bucket.n_pairs).sum::<usize>(), n_nodes * (n_nodes - 1) / 2);
            let node = |mutant: &u32| pool.nodes().into_iter().find(|node| pool.mutants(*node).contains(mutant)).unwrap();
            for sample in &study.batch.samples {
                let of_sample: Vec<_> = sample.mutants.iter().map(|at| &study.homs()[*at as usize]).collect();
                let ends: BTreeSet<_> = of_sample.iter().map(|hom| (node(&hom.members[0]), node(&hom.members[1]))).collect();
                prop_assert_eq!(ends.len(), pairs.min(study.buckets[sample.row].n_pairs));
                let expected: usize = ends.iter().map(|(a, b)| mutants.min(pool.mutants(*a).len() * pool.mutants(*b).len())).sum();
                prop_assert_eq!(of_sample.len(), expected);
                let [least, most] = study.buckets[sample.row].range;
                let effects: Vec<_> = ends.iter().map(|(a, b)| matrix.between(*a, *b)).collect();
                prop_assert!(effects.iter().all(|effect| *effect >= least && *effect <= most));
                prop_assert!(effects.iter().all(|effect| (sample.row == 0) == (*effect == 0.0)));
            }
        }
    }
}
