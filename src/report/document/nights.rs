//! What came of each night, in a few numbers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A night of the project.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NightPoint {
    /// Its number in its store.
    pub id: u64,
    /// When its tests began to run, seconds since 1970.
    pub began: u64,
    /// Failing tests.
    pub failing: u32,
    /// Passing tests.
    pub passing: u32,
    /// Tests that do not count.
    pub excluded: u32,
    /// The probability that the fault was in its first line; `null` where nothing was ranked, or by a method that does not say.
    pub first: Option<f64>,
    /// The best rank that a line of the report's first function had; `null` where it had none.
    pub rank: Option<u32>,
}
