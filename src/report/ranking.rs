//! The view of a ranking, which is also its JSON form (`docs/ranking.schema.json`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::claim::{Confidence, Reason, TrialCounts};
use super::score::Score;

/// Version of the JSON form; goes up when a field changes its meaning or goes away, or when a verb comes to write other fields.
/// 2: without `--method`, all evidence together ranks.
pub const SCHEMA_VERSION: u32 = 2;

/// A ranking of a program's parts by how probably they are to blame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RankingReport {
    /// Version of this form.
    pub schema_version: u32,
    /// The method that gave the scores.
    pub method: String,
    /// What is ranked: line, block, function, node or predicate.
    pub by: String,
    /// How ties are broken.
    pub tie_breaker: String,
    /// The tests behind it.
    pub tests: TestCounts,
    /// In rank order, best first.
    pub ranking: Vec<Entry>,
    /// How far to trust it: one statement each.
    pub trust: Vec<String>,
    /// What changes of the program were tried for it; `null` for methods that need none.
    #[serde(default)]
    pub trials: Option<TrialCounts>,
    /// How sure it is; `null` for methods that do not say.
    #[serde(default)]
    pub confidence: Option<Confidence>,
    /// What was not tried or not looked at, and why: one statement each.
    #[serde(default)]
    pub not_tried: Vec<String>,
    /// Failing tests in groups that seem to fail for one reason each, the largest first; empty where one test fails, or nothing is known of it.
    #[serde(default)]
    pub groups: Vec<TestGroup>,
}

/// Failing tests that seem to fail for one reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestGroup {
    /// Their names.
    pub tests: Vec<String>,
    /// What of the ranking is likeliest to be to blame for them: `src/a.c:41`; `null` if nothing of it is.
    pub unit: Option<String>,
    /// The probability that it is, if these were the only tests that fail.
    pub probability: Option<f64>,
}

/// How many tests there were and what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestCounts {
    /// Failing tests that count.
    pub failing: u32,
    /// Passing tests that count.
    pub passing: u32,
    /// Tests that do not count: flaky, skipped, or without a trace.
    pub excluded: u32,
}

/// One place of the ranking.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Entry {
    /// Its rank under the tie-breaker, from 1; a half when ties are averaged.
    pub rank: f64,
    /// Its rank if it came first of those that tie with it.
    pub rank_best: u32,
    /// Its rank if it came last of those that tie with it.
    pub rank_worst: u32,
    /// Its score; higher is more suspicious. `"inf"` or `"-inf"` where it is infinite; `null` where the method is undefined for it, or has nothing to
    /// judge it by.
    pub score: Score,
    /// Source file, relative to the project's root.
    pub file: String,
    /// Line, from 1; the first one where it has several.
    pub line: u32,
    /// Last line.
    pub last_line: u32,
    /// Function it is in.
    pub function: String,
    /// What it is, in words: `src/a.c:41`, `foo()`, `block 3 of foo()`, `x = ... in foo()`.
    pub unit: String,
    /// What was seen of it.
    pub evidence: Evidence,
    /// The probability that the fault is here, from 0 to 1, given that it is in nothing that is left out; of what has several lines, that it is in
    /// the likeliest of them. `null` for methods that do not say.
    #[serde(default)]
    pub probability: Option<f64>,
    /// Why it is here, the weightiest first; empty for methods that do not say, and after the first hundred entries.
    #[serde(default)]
    pub reasons: Vec<Reason>,
}

/// What the tests did with a ranked unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// Failing tests that executed it.
    pub failing_executed: u32,
    /// Failing tests.
    pub failing_total: u32,
    /// Passing tests that executed it.
    pub passing_executed: u32,
    /// Passing tests.
    pub passing_total: u32,
    /// Mean number of executions in a failing test; `null` where only coverage was read.
    pub failing_mean: Option<f64>,
    /// Mean number of executions in a passing test; `null` where only coverage was read.
    pub passing_mean: Option<f64>,
}

impl Evidence {
    /// The evidence as one clause.
    pub fn sentence(&self) -> String {
        let Evidence { failing_executed, failing_total, passing_executed, passing_total, .. } = *self;
        let mut text = format!(
            "executed by {failing_executed} of {failing_total} failing, {passing_executed} of {passing_total} passing tests"
        );
        if let Some(frequency) = self.frequency() {
            text.push_str("; ");
            text.push_str(&frequency);
        }
        text
    }

    /// How much more or less often failing tests execute it, where the difference is worth a word.
    fn frequency(&self) -> Option<String> {
        let (failing, passing) = (self.failing_mean?, self.passing_mean?);
        if failing == 0.0 || passing == 0.0 {
            return None;
        }
        let ratio = failing / passing;
        match ratio {
            1.2.. => Some(format!("{ratio:.1}× as often in failing runs")),
            ..0.8 => Some(format!("{:.1}× as often in passing runs", 1.0 / ratio)),
            _ => None,
        }
    }
}
