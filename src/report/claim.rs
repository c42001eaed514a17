//! Why a line is suspected: reasons in words, and the claims behind them that `suspect replay` repeats.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MutantEdit;
use super::inserted::Inserted;
use super::mutants::quoted;

/// One reason why a line is where it is in a ranking.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reason {
    /// In words.
    pub text: String,
    /// The change that was tried and that shows it; `null` where the reason is about more than one.
    pub claim: Option<Claim>,
}

/// What a change of the program does to its tests, as trials showed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Claim {
    /// What `suspect replay` takes: 16 hexadecimal digits. Stays while the build does.
    pub id: String,
    /// What is changed: `value`, `pointer`, `predicate`, `switch`, `call`, or the class of an operator, such as `AOR`.
    pub kind: String,
    /// Source file.
    pub file: String,
    /// Line.
    pub line: u32,
    /// What stands or is computed there.
    pub original: String,
    /// What it becomes.
    pub replacement: String,
    /// The executions at which it applies, from 1; empty for all of them.
    pub instances: Vec<u64>,
    /// What came out, test by test, failing ones first.
    pub outcomes: Vec<ClaimedOutcome>,
    /// The same as an edit of the source; `null` where no edit means it.
    pub edit: Option<MutantEdit>,
    /// The edit as a unified diff for `patch -p1`.
    pub patch: Option<String>,
}

/// What a change does to a test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClaimedOutcome {
    /// Name of the test.
    pub test: String,
    /// Whether it passes without the change.
    pub passed_before: bool,
    /// What it does with it.
    pub effect: Effect,
    /// How the program ended: `exit status 0`, `killed by signal 11`, `ran too long`, `stopped by the clock`.
    pub end: String,
    /// Bytes of the expected output that it wrote before the first wrong one, where that is compared.
    pub matched: Option<u64>,
    /// When it was found out, seconds since 1970, if that was in an earlier night; other code may have changed since.
    #[serde(default)]
    pub carried_from: Option<u64>,
}

/// What a change does to a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// It changes no value: the run is the one without it.
    Same,
    /// It changes values, but nothing that the test looks at.
    Unchanged,
    /// What the test looks at is different, its verdict is not.
    Changed,
    /// The failing test passes.
    Passes,
    /// The passing test fails.
    Fails,
    /// Nothing can be said: the clock stopped it.
    Unknown,
}

impl Effect {
    /// What a test does with the change, in words after its name; `passed_before`: without it.
    pub const fn words(self, passed_before: bool) -> &'static str {
        match (self, passed_before) {
            (Effect::Same, _) => "runs with it as without it",
            (Effect::Unchanged, _) => "ends with it as without it",
            (Effect::Changed, false) => "does something else with it and still fails",
            (Effect::Changed, true) => "does something else with it and still passes",
            (Effect::Passes, _) => "passes with it",
            (Effect::Fails, _) => "fails with it",
            (Effect::Unknown, _) => "was stopped by the clock",
        }
    }
}

/// How much was tried for a ranking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TrialCounts {
    /// Changes that were tried on some test.
    pub candidates: u32,
    /// Trials of one change on one test whose outcome is known, whenever they were run.
    pub trials: u64,
    /// Failing tests that changes were tried on.
    pub failing: u32,
    /// Passing tests that changes were tried on.
    pub passing: u32,
    /// Changes that make some failing test pass.
    pub flips: u32,
    /// Changes that make all failing tests pass and were seen to break no passing one.
    pub repairs: u32,
    /// Of these trials, those of earlier nights: what they change and their tests are the same since, other code may not be.
    #[serde(default)]
    pub carried_over: u64,
    /// Whether everything that was planned has been tried.
    pub finished: bool,
    /// Whether trying ended because one line was far ahead, though not everything had been tried.
    #[serde(default)]
    pub settled: bool,
}

/// How sure a ranking is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Confidence {
    /// Why there is not enough to say where the fault is; `null` if there is.
    pub lack: Option<String>,
    /// The probability that the fault is among the first lines.
    pub within: Vec<Within>,
    /// The cheapest next things that would help: one statement each.
    pub next: Vec<String>,
}

/// The probability that the fault is among the first lines.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Within {
    /// So many of them.
    pub first: u32,
    /// From 0 to 1.
    pub probability: f64,
}

/// What a claim changes, in words: `a - b` becomes `a + b`.
pub fn change_of(claim: &Claim) -> String {
    let change = match &claim.edit {
        Some(edit) if edit.replacement.trim().trim_matches(';').is_empty() => {
            format!("{} left out", quoted(&edit.original))
        }
        Some(edit) => match Inserted::of(&edit.original, &edit.replacement) {
            Some(inserted) => inserted.beside_what(&edit.original),
            None => format!("{} becomes {}", quoted(&edit.original), quoted(edit.replacement.trim())),
        },
        None if claim.kind == "call" => format!("{} left out", quoted(&claim.original)),
        // A condition without a text of its own, such as one in a macro.
        None if claim.kind == "predicate" && ["true", "false"].contains(&claim.original.as_str()) => {
            format!("the condition becomes {}", claim.replacement)
        }
        None if [" less", " more"].iter().any(|end| claim.replacement.ends_with(end)) => {
            format!("{} is {}", quoted(&claim.original), claim.replacement)
        }
        None => format!("{} becomes {}", quoted(&claim.original), quoted(&claim.replacement)),
    };
    let times: Vec<String> = claim.instances.iter().map(u64::to_string).collect();
    match times.is_empty() {
        true => change,
        false => format!("{change} at execution {}", times.join(", ")),
    }
}

/// A probability for people: no more digits than it has meaning, and never 0 or 100 %.
pub fn percent(probability: f64) -> String {
    match probability {
        p if p.is_nan() => "?".to_string(),
        p if p < 0.01 => "under 1 %".to_string(),
        p if p > 0.99 => "over 99 %".to_string(),
        p => format!("{:.0} %", p * 100.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_is_added_is_no_text_of_the_source() {
        let said = |replacement: &str| {
            let replacement = replacement.to_owned();
            change_of(&Claim { kind: "value".into(), edit: None, replacement, ..super::super::text_tests::claim() })
        };
        assert_eq!(
            ["1 less", "2.5 more", "NULL"].map(said),
            ["`-` is 1 less", "`-` is 2.5 more", "`-` becomes `NULL`"]
        );
    }

    #[test]
    fn nothing_is_certain_and_nothing_impossible() {
        let said = [0.0, 0.004, 0.01, 0.126, 0.5, 0.99, 0.9999, 1.0, f64::NAN].map(percent);
        assert_eq!(said, ["under 1 %", "under 1 %", "1 %", "13 %", "50 %", "99 %", "over 99 %", "over 99 %", "?"]);
    }
}
