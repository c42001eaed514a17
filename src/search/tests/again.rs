//! Second trials of what was cut.

use super::*;

/// Candidates that turn failing tests, with the tests.
fn turning(searched: &Searched) -> BTreeSet<(u64, u32)> {
    let trials = &searched.trials;
    (0..trials.candidates().len() as u32)
        .flat_map(|at| trials.failing(at).map(move |(test, outcome)| (at, test, outcome)))
        .filter(|(_, _, outcome)| outcome.effect == Effect::Turned)
        .map(|(at, test, _)| (trials.candidates()[at as usize].id, test))
        .collect()
}

#[test]
fn what_mends_by_a_long_run_is_found_and_looked_up() {
    let (_directory, store) = fresh();
    let quick = search(&Simulation::default(), &store, &settings()).unwrap();
    let (_directory, store) = fresh();
    let lab = Simulation { takes: 5_000_000, ..Simulation::default() };
    let long = search(&lab, &store, &settings()).unwrap();
    assert!(lab.n_long.load(Ordering::Relaxed) > 0);
    let found = turning(&long);
    assert!(!found.is_empty() && found.is_subset(&turning(&quick)), "{found:?}");
    // Some candidate for each failing test that something turns.
    let tests = |of: &BTreeSet<(u64, u32)>| of.iter().map(|(_, test)| *test).collect::<BTreeSet<u32>>();
    assert_eq!(tests(&found), tests(&turning(&quick)));
    let again = search(&Simulation { lasts: Some(0), ..Simulation::default() }, &store, &settings()).unwrap();
    assert_eq!((again.n_run, known(&again)), (0, known(&long)));
}

#[test]
fn what_does_not_end_is_tried_again_a_few_times() {
    let (_directory, store) = fresh();
    let lab = Simulation { takes: u64::MAX, ..Simulation::default() };
    let searched = search(&lab, &store, &settings()).unwrap();
    assert!(searched.is_finished && turning(&searched).is_empty());
    let n_long = lab.n_long.load(Ordering::Relaxed);
    assert!((1..=24).contains(&n_long), "{n_long}");
}
