//! From what a trial showed to what is kept of it.

use serde::{Deserialize, Serialize};

use crate::store::{TrialKey, TrialRecord};
use crate::trial::{End, Executor, Observation};

/// What is kept of an observation.
pub fn record(key: TrialKey, seen: Observation) -> TrialRecord {
    let end = seen.end;
    TrialRecord {
        key,
        end,
        forked: seen.executor != Executor::Exec,
        applied: seen.applied,
        output_changed: seen.output_changed,
        passes: seen.passes,
        used: seen.used,
        changed: seen.changed,
    }
}

/// How trials ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// All of them.
    pub trials: usize,
    /// Ended by a signal.
    pub crashed: usize,
    /// Ended for having used up their budget of hooks.
    pub cut: usize,
    /// Stopped by the clock: they say nothing.
    pub unknown: usize,
    /// No value was changed: the run was the oracle's.
    pub unapplied: usize,
    /// Forked from the test's own run.
    pub forked: usize,
    /// What the test looks at changed.
    pub output_changed: usize,
}

impl Counts {
    /// Counts a trial.
    pub fn add(&mut self, record: &TrialRecord) {
        self.trials += 1;
        self.crashed += usize::from(matches!(record.end, End::Signalled(_)));
        self.cut += usize::from(record.end == End::Cut);
        self.unknown += usize::from(record.end == End::Unknown);
        self.unapplied += usize::from(!record.applied);
        self.forked += usize::from(record.forked);
        self.output_changed += usize::from(record.output_changed);
    }
}
