//! What became of a test between two nights.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a failing test failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// Its verdict in words.
    pub verdict: String,
    /// Where a signal stopped it: function and text of the line; empty where none did.
    pub stopped_at: String,
}

/// What a night knows of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Known {
    /// It passes.
    Passed,
    /// It fails.
    Failed(Failed),
    /// Its runs disagree.
    Flaky,
    /// It does not count for another reason: skipped, not run, without a trace.
    Uncounted,
    /// There is no such test.
    Absent,
}

/// What became of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "TestFate")]
pub enum Fate {
    /// It fails and did not before.
    New,
    /// It fails in another way, or is stopped at another place.
    Moved,
    /// It fails as before.
    Still,
    /// It failed and passes now.
    Fixed,
    /// It failed, and was not looked at: it is not resolved.
    NotLookedAt,
    /// Its runs disagree, or it went from one verdict to the other though neither it nor any function that it executes changed.
    Flaky,
}

/// What became of a test; `None` where there is nothing to say. `is_same`: neither it nor any function that it executes changed.
pub fn fate(before: &Known, now: &Known, is_same: bool) -> Option<Fate> {
    match (before, now) {
        (_, Known::Flaky) => Some(Fate::Flaky),
        (Known::Passed, Known::Failed(_)) | (Known::Failed(_), Known::Passed) if is_same => Some(Fate::Flaky),
        (Known::Failed(before), Known::Failed(now)) if before == now => Some(Fate::Still),
        (Known::Failed(_), Known::Failed(_)) => Some(Fate::Moved),
        (_, Known::Failed(_)) => Some(Fate::New),
        (Known::Failed(_), Known::Passed) => Some(Fate::Fixed),
        (Known::Failed(_), Known::Uncounted | Known::Absent) => Some(Fate::NotLookedAt),
        (_, Known::Passed | Known::Uncounted | Known::Absent) => None,
    }
}
