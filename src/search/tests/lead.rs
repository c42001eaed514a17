//! Searches that end because one line is far ahead.

use super::*;

/// Nearly all of it on the faulty line as soon as a change there turns a test.
fn sure(trials: &Trials) -> Vec<f64> {
    let mut candidates = (0..).zip(trials.candidates()).filter(|(_, candidate)| candidate.line == FAULT);
    let turned = |(_, outcome): (u32, Outcome)| outcome.effect == Effect::Turned;
    let is_seen = candidates.any(|(position, _)| trials.failing(position).any(turned));
    let other = if is_seen { 0.05 } else { 1.0 } / f64::from(N_NODES);
    (0..N_NODES).map(|line| if is_seen && line == FAULT { 0.95 + other } else { other }).collect()
}

#[test]
fn a_search_ends_when_one_line_is_far_ahead_and_goes_on_when_asked() {
    let by = |store: &Store, at: Option<usize>| {
        let settings = SearchSettings { settled_at: at, everything: true, ..settings() };
        search_by(&sure, &[], &tests(), &Simulation::default(), store, &settings).unwrap()
    };
    let (_directory, store) = fresh();
    let settled = by(&store, Some(0));
    assert!(settled.is_settled && !settled.is_finished && settled.n_run > 0);
    let again = by(&store, Some(0));
    assert!(again.is_settled && again.n_run == 0, "nothing has to be run to see that it was good enough");
    let whole = by(&store, None);
    assert!(whole.is_finished && !whole.is_settled && whole.n_run > 0 && whole.n_known == settled.n_run);
    let known_whole = by(&store, Some(0));
    assert!(known_whole.is_finished && known_whole.n_run == 0, "everything is known");
    let (_directory, other) = fresh();
    assert_eq!(known(&whole), known(&by(&other, None)));
    let (_directory, patient) = fresh();
    assert!(by(&patient, Some(100_000)).is_finished, "it has fewer trials than that");
}
