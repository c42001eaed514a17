//! Values, rank classes and definedness of the catalogue.

use std::collections::{BTreeMap, HashSet};

use proptest::prelude::*;

use super::values::VALUES;
use super::*;

const COUNTS: [[f64; 4]; 3] = [[3.0, 1.0, 2.0, 4.0], [1.0, 3.0, 6.0, 2.0], [3.5, 0.5, 0.5, 2.5]];

fn close(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-12 * a.abs().max(b.abs()).max(1e-3)
}

#[test]
fn the_catalogue_is_whole() {
    assert_eq!(all().len(), 221);
    assert_eq!(all().iter().filter(|measure| measure.classic).count(), 127);
    assert_eq!(all().iter().map(|measure| measure.id).collect::<HashSet<_>>().len(), 221);
    assert_eq!(VALUES.len(), 221);
    for measure in all() {
        assert!(!measure.name.is_empty() && !measure.citation.is_empty(), "{}", measure.id);
        assert!(measure.id.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_'), "{}", measure.id);
    }
    let families: Vec<Family> = all().iter().map(|measure| measure.family).collect();
    assert!(families.is_sorted(), "families stand one behind another");
    assert_eq!(families.iter().collect::<HashSet<_>>().len(), Family::ALL.len());
}

#[test]
fn every_measure_has_the_values_worked_out_for_it() {
    for (id, values, raw) in VALUES {
        let measure = find(id).unwrap_or_else(|| panic!("no measure {id}"));
        let formula = measure.compiled();
        assert_eq!(measure.needs_raw_counts(), *raw, "{id}");
        assert_eq!(formula.needs_raw_counts(), *raw, "{id}");
        for (counts, value) in COUNTS.into_iter().zip(values) {
            match (formula.strict(counts), value) {
                (Some(a), Some(b)) => assert!(close(a, *b), "{id} of {counts:?}: {a}, not {b}"),
                (a, b) => assert_eq!(a, *b, "{id} of {counts:?}"),
            }
        }
    }
}

#[test]
fn smoothing_adds_a_half_but_raw_counts_stay() {
    let all_failing = Spectrum { ef: 3, nf: 0, ep: 0, np: 2 };
    let scores = |id| find(id).unwrap().scores(&[all_failing], Smoothing::Half)[0];
    assert_eq!(scores("ochiai"), 0.875);
    assert_eq!(scores("naish1"), 2.5);
    assert_eq!(scores("binary"), 1.0);
    assert_eq!(scores("ideal"), 0.875);
    assert_eq!(scores("genprog"), 1.0);
    let unexecuted = Spectrum { ef: 0, nf: 3, ep: 0, np: 2 };
    assert_eq!(find("wong3p").unwrap().scores(&[unexecuted], Smoothing::Half)[0], -1000.0);
    assert_eq!(find("jaccard").unwrap().scores(&[all_failing], Smoothing::None)[0], 1.0);
}

/// One failing test and p passing ones: a unit that none executes, beside one that all execute.
#[test]
fn a_half_lifts_what_no_test_executes_above_what_all_do() {
    let scores = |p| {
        let none = Spectrum { ef: 0, nf: 1, ep: 0, np: p };
        let all = Spectrum { ef: 1, nf: 0, ep: p, np: 0 };
        find("ochiai").unwrap().scores(&[none, all], Smoothing::Half)
    };
    assert!(scores(6)[0] < scores(6)[1]);
    assert!(close(scores(7)[0], scores(7)[1]));
    assert!(scores(8)[0] > scores(8)[1]);
}

/// The worked example of Doric: unit 1 is executed by the two passing tests alone, unit 3 by the three failing ones alone.
#[test]
fn gp05_of_the_worked_example_is_what_its_formula_gives() {
    let [first, third] = [Spectrum { ef: 0, nf: 3, ep: 2, np: 0 }, Spectrum { ef: 3, nf: 0, ep: 0, np: 2 }];
    let scores = find("gp05").unwrap().scores(&[first, third], Smoothing::Half);
    // (6 · √3.5) / (4 · (1.25 + √0.5) · 3 · √2), and the same with (0.5, 3.5, 2.5, 0.5).
    let by_hand = [
        1.0 * 0.5f64.sqrt() / (3.0 * (1.75 + 2.5f64.sqrt()) * 3.0 * 2.0f64.sqrt()),
        6.0 * 3.5f64.sqrt() / (4.0 * (1.25 + 0.5f64.sqrt()) * 3.0 * 2.0f64.sqrt()),
    ];
    assert!(close(scores[0], by_hand[0]) && close(scores[1], by_hand[1]), "{scores:?} are not {by_hand:?}");
    assert_eq!((scores[1] * 1000.0).round(), 338.0);
}

#[test]
fn protected_division_yields_one() {
    // ep = np makes the divisor 0.
    let spectrum = Spectrum { ef: 3, nf: 0, ep: 2, np: 2 };
    assert!(close(find("gp04").unwrap().scores(&[spectrum], Smoothing::Half)[0], 2.5f64.sqrt()));
}

#[test]
fn undefined_scores_are_no_numbers() {
    let nothing = Spectrum::default();
    assert!(find("jaccard").unwrap().scores(&[nothing], Smoothing::None)[0].is_nan());
}

#[test]
fn formulas_that_only_seem_to_rank_alike_are_in_no_class() {
    let few_passing = Spectrum { ef: 6, nf: 1, ep: 0, np: 39 };
    let all = Spectrum { ef: 7, nf: 0, ep: 36, np: 3 };
    let order = |id| {
        let scores = find(id).unwrap().scores(&[few_passing, all], Smoothing::Half);
        scores[0].total_cmp(&scores[1])
    };
    assert_ne!(order("gp08"), order("naish2"));
    for id in ["gp08", "gp11", "h3b", "h3c"] {
        assert_eq!(find(id).unwrap().class, None);
    }
}

/// Totals of failing and passing tests, and the counts of some units among them.
fn spectra() -> impl Strategy<Value = Vec<Spectrum>> {
    (1u32..40, 1u32..400).prop_flat_map(|(f, p)| {
        prop::collection::vec((0..=f, 0..=p), 2..12).prop_map(move |pairs| {
            pairs.into_iter().map(|(ef, ep)| Spectrum { ef, nf: f - ef, ep, np: p - ep }).collect()
        })
    })
}

fn compare(a: f64, b: f64) -> std::cmp::Ordering {
    if a == b || (a - b).abs() <= 1e-10 * a.abs().max(b.abs()).max(1e-4) {
        return std::cmp::Ordering::Equal;
    }
    a.total_cmp(&b)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn measures_of_one_class_rank_alike(spectra in spectra()) {
        let mut classes: BTreeMap<&str, Vec<&Measure>> = BTreeMap::new();
        for measure in all() {
            if let Some(class) = measure.class {
                classes.entry(class).or_default().push(measure);
            }
        }
        prop_assert_eq!(classes.len(), 27);
        for (class, measures) in classes {
            let first = measures[0].scores(&spectra, Smoothing::Half);
            for other in &measures[1..] {
                let scores = other.scores(&spectra, Smoothing::Half);
                for i in 0..spectra.len() {
                    for j in 0..i {
                        prop_assert_eq!(
                            compare(first[i], first[j]), compare(scores[i], scores[j]),
                            "{}: {} and {} of {:?} and {:?}: {} {} and {} {}", class, measures[0].id, other.id,
                            spectra[i], spectra[j], first[i], first[j], scores[i], scores[j],
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn columns_compute_what_the_tree_says(spectra in spectra()) {
        for measure in all() {
            let formula = measure.compiled();
            for (spectrum, score) in spectra.iter().zip(measure.scores(&spectra, Smoothing::None)) {
                let counts = [spectrum.ef, spectrum.nf, spectrum.ep, spectrum.np].map(f64::from);
                if let Some(value) = formula.strict(counts) {
                    prop_assert!(value == score, "{}: {} and {}", measure.id, value, score);
                }
            }
        }
    }

    #[test]
    fn smoothed_scores_are_finite_unless_the_measure_is_singular(spectra in spectra()) {
        for measure in all().iter().filter(|measure| !measure.singular) {
            for (spectrum, score) in spectra.iter().zip(measure.scores(&spectra, Smoothing::Half)) {
                prop_assert!(score.is_finite(), "{} of {:?}: {}", measure.id, spectrum, score);
            }
        }
    }
}
