//! The view of all that is known about one line, which is also its JSON form (`docs/why.schema.json`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Confidence, Entry, Reason, Score, TrialCounts};

/// Version of the JSON form; goes up when a field changes its meaning or goes away.
pub const WHY_SCHEMA_VERSION: u32 = 1;

/// Everything that is known about one line of a ranking by all evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WhyReport {
    /// Version of this form.
    pub schema_version: u32,
    /// The line as the ranking has it, with the reasons.
    pub entry: Entry,
    /// How many lines are ranked.
    pub n_ranked: u32,
    /// Where methods that look at coverage alone put it.
    pub spectra: Vec<Standing>,
    /// What its probability is computed from, the weightiest first; those that are 0 are left out.
    pub features: Vec<Feature>,
    /// Changes that were tried here, those that turn most failing tests first, each with what came out.
    pub tried: Vec<Reason>,
    /// What was not tried here, and why: one statement each.
    pub not_tried: Vec<String>,
    /// Why it is not ranked higher; `null` unless that was asked.
    pub why_not: Option<WhyNot>,
    /// How much was tried in all; `null` where nothing was.
    pub trials: Option<TrialCounts>,
    /// How sure the ranking is.
    pub confidence: Option<Confidence>,
}

/// Where a method puts a line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Standing {
    /// The method.
    pub method: String,
    /// Its score there, as in a ranking.
    pub score: Score,
    /// Rank, if it came first of those that tie with it.
    pub rank_best: u32,
    /// Rank, if it came last of those that tie with it.
    pub rank_worst: u32,
}

/// A number that goes into a line's score; its probability is in proportion to the exponential of the sum of all contributions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Feature {
    /// Its name.
    pub name: String,
    /// The number.
    pub value: f64,
    /// What it is multiplied by.
    pub weight: f64,
    /// The product.
    pub contribution: f64,
}

/// Why a line is not ranked higher.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WhyNot {
    /// In words, one statement each.
    pub statements: Vec<String>,
    /// The first lines that stand before it.
    pub before: Vec<Before>,
}

/// A line that stands before the one asked about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Before {
    /// `file:line`.
    pub place: String,
    /// Its rank, from 1.
    pub rank: f64,
    /// Its probability.
    pub probability: f64,
    /// The strongest reason for it.
    pub reason: String,
    /// What makes the difference, the weightiest first.
    pub differences: Vec<Difference>,
}

/// A feature in which two lines differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// Its name.
    pub name: String,
    /// There.
    pub there: f64,
    /// Here.
    pub here: f64,
    /// By how much that raises the other line's score over this one's.
    pub contribution: f64,
}
