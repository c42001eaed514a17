//! The view of what changed between two nights, which is also its JSON form (`docs/diff.schema.json`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::history::{Change, Fate};

/// Version of the JSON form; goes up when a field changes its meaning or goes away.
pub const DIFF_SCHEMA_VERSION: u32 = 1;

/// What changed between two nights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DiffReport {
    /// Version of this form.
    pub schema_version: u32,
    /// The older night.
    pub older: NightName,
    /// The newer night.
    pub newer: NightName,
    /// Tests that there is something to say of, in the order of what became of them and then of the suite.
    pub tests: Vec<TestChange>,
    /// Places of the newer ranking whose code changed: changed lines first, best rank first; then other lines of changed functions.
    pub suspicious: Vec<ChangedPlace>,
    /// The first places of both rankings, and where they are in the other.
    pub ranking: Vec<RankChange>,
    /// Functions whose code changed, or that are new.
    pub changed_functions: Vec<String>,
    /// Functions that are gone.
    pub gone_functions: Vec<String>,
    /// What was not looked at, and what could not be said: one statement each.
    pub notes: Vec<String>,
}

/// A night.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NightName {
    /// Its number in its store.
    pub id: u64,
    /// When its tests began to run, seconds since 1970.
    pub began: u64,
    /// The commit that the work tree was of; `null` outside of git.
    pub revision: Option<String>,
    /// Failing tests.
    pub failing: u32,
    /// Passing tests.
    pub passing: u32,
    /// Tests that do not count.
    pub excluded: u32,
}

/// What became of a test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestChange {
    /// Its name.
    pub name: String,
    /// What became of it.
    pub fate: Fate,
    /// Its verdict in the older night; `null` if it was not there.
    pub before: Option<String>,
    /// Its verdict in the newer night; `null` if it is gone.
    pub now: Option<String>,
}

/// A line that is suspicious and changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChangedPlace {
    /// Its rank in the newer night, from 1.
    pub rank: f64,
    /// The probability that the fault is there; `null` if the ranking does not say.
    pub probability: Option<f64>,
    /// Source file.
    pub file: String,
    /// Line.
    pub line: u32,
    /// Function.
    pub function: String,
    /// The line's text without the space around it.
    pub text: String,
    /// How it differs.
    pub change: Change,
    /// The commit that the line is from; `null` where git does not say.
    pub commit: Option<Commit>,
}

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Commit {
    /// Its hash.
    pub id: String,
    /// Who wrote it.
    pub author: String,
    /// The first line of its message.
    pub subject: String,
}

/// A place of one of the rankings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RankChange {
    /// Source file, in the newer night if it is there.
    pub file: String,
    /// Line, in the newer night if it is there.
    pub line: u32,
    /// Function.
    pub function: String,
    /// The line's text without the space around it.
    pub text: String,
    /// Rank in the older night; `null` if it was not ranked.
    pub before: Option<f64>,
    /// Rank in the newer night; `null` if it is not ranked.
    pub now: Option<f64>,
    /// Why it has no rank in one of them, in words.
    pub why: Option<String>,
}
