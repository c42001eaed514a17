//! Outcomes as they are kept, and looked up.

use super::Searched;
use super::policy::Pair;
use crate::evidence::{Effect, Outcome};
use crate::store::{Ages, TriedRecord, TriedRecords};

/// Takes the outcome of a trial from what is known; whether it is.
pub(super) fn look_up(
    (candidate, at): Pair,
    test: u32,
    (known, ages): (&TriedRecords, &Ages),
    searched: &mut Searched,
) -> bool {
    let key = (searched.trials.candidates()[candidate as usize].id, test);
    let Some(record) = known.get(&key) else { return false };
    searched.trials.set(candidate, at, outcome_of(record));
    if let Some(age) = ages.get(&key) {
        searched.trials.set_age(candidate, at, *age);
    }
    searched.n_known += 1;
    true
}

/// Numbers that effects are kept by.
const EFFECTS: [Effect; 6] =
    [Effect::Same, Effect::Unchanged, Effect::Changed, Effect::Turned, Effect::Unknown, Effect::Silenced];

/// The outcome of a candidate, by identity, on a test as it is kept.
pub(super) fn record(candidate: u64, test: u32, outcome: Outcome) -> TriedRecord {
    let Outcome { effect, end, matched } = outcome;
    let number = |effect| EFFECTS.iter().position(|one| *one == effect).unwrap_or_default() as u8;
    let effect = number(effect);
    TriedRecord { candidate, test, effect, end, matched }
}

/// The effect that a search kept.
pub fn effect_of(record: &TriedRecord) -> Effect {
    EFFECTS.get(record.effect as usize).copied().unwrap_or(Effect::Unknown)
}

/// All of an outcome that a search kept.
pub(super) fn outcome_of(record: &TriedRecord) -> Outcome {
    Outcome { effect: effect_of(record), end: record.end, matched: record.matched }
}
