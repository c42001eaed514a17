//! Effects against their textbook formulas, enumerated over joint tables.

use std::collections::BTreeMap;

use num_traits::{ToPrimitive, Zero};
use proptest::prelude::*;

use super::naive::{Fraction, Joint, Line, fraction, values, weight};
use super::{Campaign, campaigns};
use crate::causal::{Dependence, EffectOptions, Effects, Missing, Population, Structure, StructureOptions};

fn near(found: f64, expected: &Fraction) -> bool {
    (found - expected.to_f64().unwrap()).abs() < 1e-9
}

fn about<'a>(lines: &[&'a Line], effect: u32) -> Vec<&'a Line> {
    lines.iter().copied().filter(|line| line.mutated != Some(effect)).collect()
}

fn conditional(lines: &[&Line], holds: impl Fn(&Line) -> bool, given: impl Fn(&Line) -> bool) -> Option<Fraction> {
    let given: Vec<&Line> = lines.iter().copied().filter(|line| given(line)).collect();
    let all = weight(given.iter().copied());
    (!all.is_zero()).then(|| weight(given.into_iter().filter(|line| holds(line))) / all)
}

/// P(effect = 1 | do(cause = value)) = Σ P(effect = 1 | cause = value, parents) P(parents), and the mass without estimate. Conditional
/// probabilities of the effect are of the observations in which it is not mutated itself.
fn intervene(
    all: &[&Line],
    cause: u32,
    value: bool,
    effect: u32,
    parents: &[u32],
    missing: Missing,
) -> (Fraction, Fraction) {
    let lines = &about(all, effect);
    let (mut sum, mut identified) = (fraction(0, 1), fraction(0, 1));
    let realisations: BTreeMap<Vec<bool>, ()> = all.iter().map(|line| (values(line, parents), ())).collect();
    for stratum in realisations.keys() {
        let within = |line: &Line| values(line, parents) == *stratum;
        let mass = conditional(all, within, |_| true).unwrap();
        let probability = |value: bool| {
            conditional(
                lines,
                |line| line.values[effect as usize],
                |line| within(line) && line.values[cause as usize] == value,
            )
        };
        let Some(found) = probability(value) else { continue };
        if missing == Missing::Shared && probability(!value).is_none() {
            continue;
        }
        sum += found * &mass;
        identified += mass;
    }
    let unidentified = fraction(1, 1) - &identified;
    if missing != Missing::Zero && !identified.is_zero() {
        sum /= identified;
    }
    (sum, unidentified)
}

fn check_dependence(
    found: &Dependence,
    lines: &[&Line],
    (cause, effect): (u32, u32),
    parents: &[u32],
    missing: Missing,
) -> Result<(), TestCaseError> {
    for (value, probability, unidentified) in
        [(true, found.changed, found.unidentified[0]), (false, found.unchanged, found.unidentified[1])]
    {
        let (sum, mass) = intervene(lines, cause, value, effect, parents, missing);
        prop_assert!(near(probability, &sum), "{cause}->{effect} {value}: {probability} is not {sum}");
        prop_assert!(near(unidentified, &mass), "{cause}->{effect} {value}: {unidentified} is not {mass}");
    }
    Ok(())
}

/// NDE_t = Σ_z [P(j | i=1, z) − P(j | i=0, z)] Σ_p P(z | i=0, p) P(p), and the mass of the z that have an estimate.
fn natural_direct_effect(
    all: &[&Line],
    (cause, effect): (u32, u32),
    others: &[u32],
    parents: &[u32],
) -> (Fraction, Fraction) {
    let lines = &about(all, effect);
    let realisations = |nodes: &[u32]| -> Vec<Vec<bool>> {
        let set: std::collections::BTreeSet<Vec<bool>> = all.iter().map(|line| values(line, nodes)).collect();
        set.into_iter().collect()
    };
    let (mut sum, mut identified) = (fraction(0, 1), fraction(0, 1));
    for z in realisations(others) {
        let probability = |value: bool| {
            let given = |line: &Line| values(line, others) == z && line.values[cause as usize] == value;
            conditional(lines, |line| line.values[effect as usize], given)
        };
        let (Some(with), Some(without)) = (probability(true), probability(false)) else { continue };
        let mut mass = fraction(0, 1);
        for p in realisations(parents) {
            let given = |line: &Line| values(line, parents) == p && !line.values[cause as usize];
            let Some(of_z) = conditional(all, |line| values(line, others) == z, given) else { continue };
            mass += of_z * conditional(all, |line| values(line, parents) == p, |_| true).unwrap();
        }
        sum += (with - without) * &mass;
        identified += mass;
    }
    (sum, identified)
}

fn check(campaign: &Campaign, structure: &Structure, options: EffectOptions) -> Result<(), TestCaseError> {
    let observations = campaign.observations();
    let joint = Joint::new(campaign);
    let effects = Effects::new(&observations, structure, options);
    for cause in 0..joint.n_nodes {
        for effect in (0..=joint.n_nodes).filter(|effect| *effect != cause) {
            let parents = structure.parents(cause);
            let counts = |line: &Line| {
                options.population == Population::All
                    || line
                        .mutated
                        .is_none_or(|node| node == cause || joint.intervention_parents(cause).contains(&node))
            };
            let others: Vec<u32> = structure.all_parents(effect).into_iter().filter(|node| *node != cause).collect();
            let covers = |test: usize| joint.covers(test, cause) && joint.covers(test, effect);
            let both: Vec<&Line> = joint.lines.iter().filter(|line| covers(line.test)).collect();
            let (mut sum, mut unidentified, mut n_tests, mut n_estimates) = (fraction(0, 1), fraction(0, 1), 0, 0);
            for test in 0..campaign.tests.len() {
                let found = effects.dependence_in(test, cause, effect);
                prop_assert_eq!(found.is_some(), covers(test));
                let Some(found) = found else { continue };
                let of_test: Vec<&Line> = both.iter().copied().filter(|line| line.test == test).collect();
                let population: Vec<&Line> = of_test.iter().copied().filter(|line| counts(line)).collect();
                check_dependence(&found, &population, (cause, effect), parents, options.missing)?;
                let (nde, identified) = natural_direct_effect(&of_test, (cause, effect), &others, parents);
                n_tests += 1;
                unidentified += fraction(1, 1) - &identified;
                if options.missing == Missing::Zero {
                    (sum, n_estimates) = (sum + nde, n_estimates + 1);
                } else if !identified.is_zero() {
                    (sum, n_estimates) = (sum + nde / identified, n_estimates + 1);
                }
            }
            let pair = effects.pairs(&[(cause, effect)])[0];
            prop_assert_eq!(pair.direct.n_tests, n_estimates);
            prop_assert!(near(pair.direct.value, &(sum / fraction(i64::from(n_estimates.max(1)), 1))));
            if n_tests > 0 {
                prop_assert!(near(pair.direct.unidentified, &(unidentified / fraction(n_tests, 1))));
                let population: Vec<&Line> = both.into_iter().filter(|line| counts(line)).collect();
                check_dependence(&pair.causal, &population, (cause, effect), parents, options.missing)?;
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn effects_are_those_of_the_formulas(campaign in campaigns(5, 25), paper in any::<bool>(), upstream in any::<bool>(), missing in 0..3usize) {
        let options = if paper { StructureOptions::paper() } else { StructureOptions::default() };
        let structure = Structure::learn(&campaign.observations(), &campaign.order, options);
        let population = if upstream { Population::Upstream } else { Population::All };
        let missing = [Missing::Renormalise, Missing::Zero, Missing::Shared][missing];
        check(&campaign, &structure, EffectOptions { population, missing })?;
    }
}
