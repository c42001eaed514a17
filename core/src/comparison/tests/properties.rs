//! The theorems on random programs: what section 1.9 measured on the specification.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::case::{Meaning, Recorded};
use super::generate::{PROLOGUE, Sample, samples};
use super::naive::{Found, Slicer};
use super::process::Event;
use crate::comparison::*;

/// The last aligned point whose result differs, and an aligned point before it.
fn points(recorded: &Recorded<'_>, sample: &Sample) -> Option<(u32, [u32; 2])> {
    let pair = recorded.pair();
    let both = |point: u32| pair.alignment.partner(Side::First, point).map(|other| [point, other]);
    let differs = |point: &u32| {
        both(*point).is_some_and(|[first, second]| {
            let results = [(Side::First, first), (Side::Second, second)].map(|(side, point)| {
                let run = pair.run(side);
                (run.outcome(point), run.written(point).map(|write| run.value(write)).collect::<Vec<_>>())
            });
            results[0] != results[1]
        })
    };
    let effect = (PROLOGUE + 1..recorded.runs[0].points()).rev().find(differs)?;
    let causes: Vec<[u32; 2]> = (PROLOGUE + 1..effect).filter_map(both).collect();
    (!causes.is_empty()).then(|| (effect, *sample.cause.get(&causes)))
}

/// Everything about one sample, handed to a property.
struct Setting<'a> {
    slice: &'a DualSlice<'a>,
    offline: &'a Offline<'a, Meaning<'a>>,
    cut: &'a [Difference],
    cause: [u32; 2],
    recorded: &'a Recorded<'a>,
}

fn with(
    sample: &Sample,
    property: impl FnOnce(&Setting<'_>) -> Result<(), TestCaseError>,
) -> Result<(), TestCaseError> {
    let program = sample.program();
    let recorded = Recorded::new(&program, &sample.inputs[0], &sample.inputs[1]);
    prop_assume!(recorded.is_ok());
    let recorded = recorded.expect("assumed");
    let Some((effect, cause)) = points(&recorded, sample) else { return Err(TestCaseError::reject("nothing differs")) };
    let pair = recorded.pair();
    let effect = Effect::new(&pair, effect, Watch::Result, &recorded.names).expect("the effect point is aligned");
    let slice = DualSlice::new(&pair, &effect, Rules::Repaired);
    let states = States::before(&pair, cause[0], &recorded.names).expect("the cause point is aligned");
    let cut = slice.cut(&states);
    let semantics = Meaning { program: &program, inputs: &recorded.inputs, names: &recorded.names };
    let offline = Offline { slice: &slice, states: &states, names: &recorded.names, semantics: &semantics };
    property(&Setting { slice: &slice, offline: &offline, cut: &cut, cause, recorded: &recorded })
}

fn indices(events: &[Event]) -> Vec<u32> {
    events.iter().map(|event| event.index).collect()
}

/// Some subsets of the cut: none, all, each alone.
fn subsets(cut: &[Difference]) -> Vec<Vec<&Difference>> {
    let singles = cut.iter().map(|difference| vec![difference]);
    [Vec::new(), cut.iter().collect()].into_iter().chain(singles).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, max_global_rejects: 20_000, ..ProptestConfig::default() })]

    /// Theorem 2, which needs both repairs: under the exact model the full cut brings about the effect in both directions.
    #[test]
    fn the_full_cut_is_sufficient(sample in samples(false)) {
        with(&sample, |setting| {
            let patch: Vec<&Difference> = setting.cut.iter().collect();
            for side in Side::BOTH {
                prop_assert_eq!(setting.offline.exact(side, &patch), Verdict::Induced, "into {:?}", side);
            }
            Ok(())
        })?;
    }

    /// Theorem 3: guard rails keep a patched process on points that one of the runs has.
    #[test]
    fn guard_rails_prevent_control_flow_confounding(sample in samples(false)) {
        let program = sample.program();
        let recorded = Recorded::new(&program, &sample.inputs[0], &sample.inputs[1]);
        prop_assume!(recorded.is_ok());
        let mut recorded = recorded.unwrap();
        let found = points(&recorded, &sample);
        prop_assume!(found.is_some());
        let (_, cause) = found.unwrap();
        let plan = Plan::new(&recorded.pair());
        let all = {
            let pair = recorded.pair();
            differences(&States::before(&pair, cause[0], &recorded.names).unwrap(), &recorded.names)
        };
        let known: BTreeSet<u32> = recorded.events.iter().flat_map(|events| indices(events)).collect();
        for patch in subsets(&all) {
            for side in Side::BOTH {
                let (events, ended) = recorded.guided(side, cause, &patch, &plan);
                prop_assert!(events.iter().all(|event| known.contains(&event.index)));
                prop_assert_ne!(ended, Err(Stop::Desync));
            }
        }
    }

    /// Unpatched, both models reproduce the recorded run.
    #[test]
    fn nothing_comes_of_an_empty_patch(sample in samples(false)) {
        with(&sample, |setting| {
            for side in Side::BOTH {
                let own = Ok(setting.slice.effect.values[side.index()].clone());
                prop_assert_eq!(setting.offline.exact_values(side, &[]), own.clone());
                prop_assert_eq!(setting.offline.approximate_values(side, &[]), own);
            }
            Ok(())
        })?;
        let program = sample.program();
        let mut recorded = Recorded::new(&program, &sample.inputs[0], &sample.inputs[1]).unwrap();
        let plan = Plan::new(&recorded.pair());
        for side in Side::BOTH {
            let (events, ended) = recorded.guided(side, [1, 1], &[], &plan);
            prop_assert_eq!(ended, Ok(()));
            prop_assert_eq!(&events, &recorded.events[side.index()]);
        }
    }

    /// The approximate model without a process says what a guided process does.
    #[test]
    fn the_offline_model_is_the_guided_process(sample in samples(false)) {
        let program = sample.program();
        let mut again = Recorded::new(&program, &sample.inputs[0], &sample.inputs[1]).unwrap();
        let plan = Plan::new(&again.pair());
        with(&sample, |setting| {
            for patch in subsets(setting.cut) {
                for side in Side::BOTH {
                    let process = again.values_again(side, setting.cause, setting.slice.effect, &patch, Some(&plan));
                    prop_assert_eq!(setting.offline.approximate_values(side, &patch), process);
                }
            }
            Ok(())
        })?;
    }

    /// Nothing can be taken from what is found.
    #[test]
    fn causes_are_minimal(sample in samples(false)) {
        with(&sample, |setting| {
            let (found, executions) = infer(setting.cut, |side, patch| setting.offline.exact(side, patch));
            let found = found.expect("the full cut is sufficient");
            prop_assert!(executions >= 2);
            for left_out in &found {
                let rest: Vec<&Difference> = found.iter().filter(|other| *other != left_out).collect();
                let sufficient = Side::BOTH.iter().all(|side| setting.offline.exact(*side, &rest) == Verdict::Induced);
                prop_assert!(!sufficient, "{} is not needed", setting.recorded.name(left_out.location));
            }
            Ok(())
        })?;
    }

    /// Chains lead back to where nothing differs, and each link is what its proof says.
    #[test]
    fn chains_lead_to_an_origin(sample in samples(false)) {
        with(&sample, |setting| {
            let pair = setting.slice.pair;
            let names = &setting.recorded.names;
            let semantics = setting.offline.semantics;
            let chain = chain(pair, names, setting.slice.effect.clone(), 1000, |slice, states, cut| {
                let offline = Offline { slice, states, names, semantics };
                explain_step(cut, |side, patch| offline.approximate(side, patch), |side, patch| offline.exact(side, patch))
            });
            prop_assert!(chain.is_proved());
            let mut before = setting.slice.effect.points[0] + 1;
            for link in &chain.links {
                prop_assert!(link.cause[0] < before);
                prop_assert!(!link.inference.causes.is_empty());
                before = link.cause[0];
            }
            // Only the inputs at the beginning come from outside.
            prop_assert!(chain.complete && !chain.origins.is_empty());
            prop_assert!(chain.origins.iter().all(|origin| origin.points[0] < PROLOGUE), "{:?}", chain.origins);
            Ok(())
        })?;
    }

    /// The sweep over marks finds what the work list of Alg. 1 finds, and the same cut.
    #[test]
    fn the_slice_is_that_of_algorithm_1(sample in samples(true)) {
        with(&sample, |setting| {
            let runs = setting.slice.pair.runs;
            let own = setting.recorded.events.each_ref().map(|events| indices(events));
            let naive = Slicer::new(runs, [&own[0], &own[1]]).slice(own[0][setting.slice.effect.points[0] as usize]);
            let mut found = Found::default();
            setting.slice.edges([0, 0], |edge| {
                found.data.insert(edge);
            });
            for side in Side::BOTH {
                let points = 0..runs[side.index()].points();
                let control = points.filter_map(|point| Some((side, point, None, setting.slice.control(side, point)?)));
                found.control.extend(control);
            }
            prop_assert_eq!(&found, &naive);
            let (from, states) = (setting.cause, setting.offline.states);
            let mut cut: Vec<u32> = Vec::new();
            for edge in &naive.data {
                let (run, from) = (runs[edge.side.index()], from[edge.side.index()]);
                if run.writer(edge.write) < from && from <= edge.user {
                    cut.extend(states.difference(run.location(edge.write)).map(|found| found.location));
                }
            }
            cut.sort_unstable();
            cut.dedup();
            prop_assert_eq!(setting.cut.iter().map(|found| found.location).collect::<Vec<u32>>(), cut);
            Ok(())
        })?;
    }

    /// The walk in lockstep pairs the points whose structural indices are equal, and no others.
    #[test]
    fn points_correspond_by_structural_index(sample in samples(true)) {
        let program = sample.program();
        let recorded = Recorded::new(&program, &sample.inputs[0], &sample.inputs[1]);
        prop_assume!(recorded.is_ok());
        let recorded = recorded.unwrap();
        prop_assert_eq!(recorded.alignment.unexplained(), 0);
        let second: std::collections::BTreeMap<u32, u32> = indices(&recorded.events[1]).into_iter().zip(0..).collect();
        for (point, index) in (0..).zip(indices(&recorded.events[0])) {
            prop_assert_eq!(recorded.alignment.partner(Side::First, point), second.get(&index).copied());
        }
    }
}
