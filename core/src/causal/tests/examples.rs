//! Worked examples of Lee et al., as tables of what their mutants change.

use super::Campaign;
use crate::causal::{CdflOptions, EffectOptions, Effects, Structure, StructureOptions, cdfl, direct_suspicion};

/// `a = 3; b = 4; c = a % 3 + 1; return c;`, one failing test. Of three values for a, one leaves a % 3 as it was.
fn first() -> Campaign {
    let test = (
        true,
        vec![0, 1, 2],
        vec![
            (0, vec![0, 2], true),
            (0, vec![0, 2], true),
            (0, vec![0], false),
            (1, vec![1], false),
            (1, vec![1], false),
            (1, vec![1], false),
            (2, vec![2], true),
            (2, vec![2], true),
            (2, vec![2], true),
        ],
    );
    Campaign { samples: vec![3, 3, 3], tests: vec![test], order: vec![0, 1, 2] }
}

/// `s = input(); pred = is_end_space(s); if (pred) p = strip(s); return p;` with the tests "a", "a " (passing) and " a " (failing).
/// Other values of s have no space at their end. Negating pred for "a" strips nothing.
fn second() -> Campaign {
    let spaced = |failed| {
        let rows = vec![
            (0, vec![0, 1, 2], true),
            (0, vec![0, 1, 2], true),
            (1, vec![1, 2], true),
            (2, vec![2], true),
            (2, vec![2], true),
        ];
        (failed, vec![0, 1, 2], rows)
    };
    let plain = (false, vec![0, 1], vec![(0, vec![0], true), (0, vec![0], true), (1, vec![1], false)]);
    Campaign { samples: vec![2, 1, 2], tests: vec![plain, spaced(false), spaced(true)], order: vec![0, 1, 2] }
}

fn assert_scores(found: Vec<Option<f64>>, expected: &[f64]) {
    let found: Vec<f64> = found.into_iter().map(Option::unwrap).collect();
    let near = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-12);
    assert!(near && found.len() == expected.len(), "{found:?} are not {expected:?}");
}

#[test]
fn the_fault_of_the_first_example_comes_first() {
    let campaign = first();
    let observations = campaign.observations();
    let all = StructureOptions::default();
    for options in
        [CdflOptions::paper(), CdflOptions::default(), CdflOptions { structure: all, ..CdflOptions::default() }]
    {
        let scores: Vec<f64> = cdfl(&observations, &campaign.order, options).into_iter().flatten().collect();
        assert!(scores[2] > scores[0] && scores[0] > scores[1], "{scores:?}");
    }
    assert_scores(cdfl(&observations, &campaign.order, CdflOptions::paper()), &[2.0 / 3.0, 0.0, 1.0]);
}

#[test]
fn the_second_example_has_the_printed_suspicions() {
    let campaign = second();
    let observations = campaign.observations();
    assert_scores(cdfl(&observations, &campaign.order, CdflOptions::paper()), &[0.0, 0.5, 0.5]);
    assert_scores(direct_suspicion(&observations), &[0.0, 0.5, 0.5]);
}

#[test]
fn over_all_observations_the_second_example_has_other_suspicions() {
    // By hand: in the tests with a space P(output | s unchanged) = 2/3, so CD(s) = 1/3, and 1 in the other. CD(pred) = 1 − 1/2 · 3/4 (the
    // values of s that leave pred alone are never seen) where there is a space, 0 − 1/3 where not; CD(p) = 1, and 0 where p is not reached.
    let campaign = second();
    let options = CdflOptions { effects: CdflOptions::default().effects, structure: StructureOptions::paper() };
    let scores = cdfl(&campaign.observations(), &campaign.order, options);
    let pred = 5.0 / 8.0 - (5.0 / 8.0 - 1.0 / 3.0) / 2.0;
    assert_scores(scores, &[1.0 / 3.0 - 2.0 / 3.0, pred, 0.5]);
}

#[test]
fn a_chain_has_direct_dependence_on_the_nearest_only() {
    let campaign = first();
    let observations = campaign.observations();
    let structure = Structure::learn(&observations, &campaign.order, StructureOptions::default());
    assert_eq!((structure.parents(2), structure.parents(3)), (&[0][..], &[2][..]));
    let effects = Effects::new(&observations, &structure, EffectOptions::default());
    let pairs = effects.pairs(&[(0, 2), (0, 3)]);
    assert_eq!(pairs.iter().map(|pair| pair.direct.value).collect::<Vec<_>>(), [2.0 / 3.0, 0.0]);
    assert_eq!(pairs.iter().map(|pair| pair.interventional.value).collect::<Vec<_>>(), [2.0 / 3.0, 2.0 / 3.0]);
}

#[test]
fn nodes_that_were_not_tried_have_no_suspicion() {
    let mut campaign = second();
    campaign.tests.iter_mut().for_each(|(_, _, rows)| rows.retain(|(mutated, _, _)| *mutated != 1));
    let observations = campaign.observations();
    let tried = |scores: Vec<Option<f64>>| scores.iter().map(Option::is_some).collect::<Vec<_>>();
    assert_eq!(tried(cdfl(&observations, &campaign.order, CdflOptions::default())), [true, false, true]);
    assert_eq!(tried(direct_suspicion(&observations)), [true, false, true]);
}
