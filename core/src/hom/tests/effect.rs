//! Causal effects of made-up observations.

use crate::causal::{Candidates, EffectOptions, Observations, Structure, StructureOptions, TestObservations};
use crate::hom::EffectMatrix;

/// A chain 0 -> 1 -> 2 with 3 on its own; what mutants change, for two tests.
fn chain() -> (Observations, Structure) {
    let mut tests = Vec::new();
    for skips in [false, true] {
        let mut test = TestObservations::new(vec![0, 1, 2, 3], false);
        test.push(0, &[0b0111], true);
        // In the second test one value of node 0 is lost on the way.
        test.push(0, &[if skips { 0b0001 } else { 0b0111 }], !skips);
        (0..2).for_each(|_| test.push(1, &[0b0110], true));
        (0..2).for_each(|_| test.push(2, &[0b0100], true));
        (0..2).for_each(|_| test.push(3, &[0b1000], false));
        tests.push(test);
    }
    let observations = Observations::new(vec![2; 4], tests).unwrap();
    let options = StructureOptions { candidates: Candidates::All, ..StructureOptions::default() };
    let structure = Structure::learn(&observations, &[0, 1, 2, 3], options);
    (observations, structure)
}

#[test]
fn effects_follow_paths_and_pool_tests() {
    let (observations, structure) = chain();
    let matrix = EffectMatrix::new(&observations, &structure, EffectOptions::default(), &[0, 1, 2, 3]);
    // Of a test's observations of weight 5 (one unmutated, 1/2 for each mutant), node 0 changes in 1. Node 1's own mutants are left out, so
    // where 0 does not change (weight 3), 1 does not either; where it does, it follows in 3 of 4 cases of both tests together.
    assert!((matrix.get(0, 1) - 0.75).abs() < 1e-12, "{}", matrix.get(0, 1));
    // Mutants of 1 change 2 where 0 did not change: 1 of 3.
    assert!((matrix.get(0, 2) - 0.75 * (1.0 - 1.0 / 3.0)).abs() < 1e-12, "{}", matrix.get(0, 2));
    assert!(matrix.get(1, 2) > 0.99);
    assert_eq!([(1, 0), (2, 0), (2, 1), (0, 3), (3, 0), (3, 2)].map(|(a, b)| matrix.get(a, b)), [0.0; 6]);
    assert_eq!(matrix.between(1, 0), matrix.get(0, 1));
}

#[test]
fn effects_of_some_nodes_are_those_of_all() {
    let (observations, structure) = chain();
    let all = EffectMatrix::new(&observations, &structure, EffectOptions::default(), &[0, 1, 2, 3]);
    // The way from 0 to 2 leads over 1, which is not asked for. Node 9 is none of the program's.
    let some = EffectMatrix::new(&observations, &structure, EffectOptions::default(), &[0, 2, 9]);
    assert_eq!(some.iter().collect::<Vec<_>>(), [((0, 2), all.get(0, 2))]);
}

#[test]
fn what_is_never_mutated_is_not_known_to_be_unrelated() {
    let (observations, _) = chain();
    let mut samples = observations.samples().to_vec();
    samples.push(0);
    let more = Observations::new(samples, observations.tests().to_vec()).unwrap();
    let longer = Structure::learn(&more, &[0, 1, 2, 3, 4], StructureOptions::default());
    let matrix = EffectMatrix::new(&more, &longer, EffectOptions::default(), &[0, 1, 2, 3, 4]);
    assert!(matrix.is_unrelated(3, 0) && !matrix.is_unrelated(0, 1), "seen, and related");
    assert!(!matrix.is_unrelated(0, 4) && !matrix.is_unrelated(4, 3));
}
