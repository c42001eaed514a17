//! Outcomes as they are kept, and looked up.

use suspect_format::trace::hash_bytes;

use super::Searched;
use super::policy::Pair;
use crate::evidence::{Effect, Outcome, Trials};
use crate::store::{Ages, TriedRecord, TriedRecords};

/// Whether this is the second trial of a pair, with a larger budget, because the first one was cut.
pub(super) fn is_second((candidate, test): Pair, trials: &Trials) -> bool {
    trials.outcome(candidate, test).is_some()
}

/// What the next trial of a pair is kept by: the candidate's identity, or another number where it is the second.
pub(super) fn identity(pair: Pair, trials: &Trials) -> u64 {
    let id = trials.candidates()[pair.0 as usize].id;
    if is_second(pair, trials) { hash_bytes(id, b"again") } else { id }
}

/// Takes the outcome of a trial from what is known; whether it is.
pub(super) fn look_up(
    (candidate, at): Pair,
    test: u32,
    (known, ages): (&TriedRecords, &Ages),
    searched: &mut Searched,
) -> bool {
    let key = (identity((candidate, at), &searched.trials), test);
    let Some(record) = known.get(&key) else { return false };
    searched.trials.set(candidate, at, outcome_of(record));
    if let Some(age) = ages.get(&key) {
        searched.trials.set_age(candidate, at, *age);
    }
    searched.n_known += 1;
    true
}

/// The outcome of a trial, by its [`identity`], on a test as it is kept.
pub(super) fn record(candidate: u64, test: u32, outcome: Outcome) -> TriedRecord {
    let Outcome { effect, end, matched } = outcome;
    TriedRecord { candidate, test, effect: effect.number(), end, matched }
}

/// The effect that a search kept.
pub fn effect_of(record: &TriedRecord) -> Effect {
    Effect::of_number(record.effect)
}

/// All of an outcome that a search kept.
pub(super) fn outcome_of(record: &TriedRecord) -> Outcome {
    Outcome { effect: effect_of(record), end: record.end, matched: record.matched }
}
