//! Why a failing run ends as it does: chains of causes, each proved by running the program again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Version of an [`Explanation`] as JSON.
pub const EXPLANATION_SCHEMA_VERSION: u32 = 1;

/// A chain of causes from the first difference that matters to the failure.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Explanation {
    /// Version of this form.
    #[serde(default)]
    pub schema_version: u32,
    /// The failing test.
    pub test: String,
    /// The run that it is compared with.
    #[serde(default)]
    pub against: String,
    /// What made the other run, if it is the failing test's own, changed so that it passes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made: Option<Made>,
    /// What is explained, in words.
    #[serde(default)]
    pub effect: String,
    /// The steps, from the failure back to the first cause.
    pub steps: Vec<Step>,
    /// Where what differs comes in.
    #[serde(default)]
    pub origins: Vec<Origin>,
    /// Whether everything was followed back to where it comes in.
    #[serde(default)]
    pub complete: bool,
    /// Whether patched runs proved each step.
    #[serde(default)]
    pub verified: bool,
    /// What repeats it.
    #[serde(default)]
    pub command: String,
    /// How far to trust it: one statement each.
    #[serde(default)]
    pub trust: Vec<String>,
    /// When the run was recorded of which it was found out, seconds since 1970, if that was an earlier one in which both tests did the
    /// same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<u64>,
}

impl Explanation {
    /// Where the causes are, step by step, and where what differs comes in; each place once.
    pub fn chain_lines(&self) -> Vec<Place> {
        let causes = self.steps.iter().filter(|step| !step.causes.is_empty()).map(|step| &step.cause_point);
        let points = causes.chain(self.origins.iter().map(|origin| &origin.point)).filter(|point| point.line > 0);
        let mut places: Vec<Place> = points.map(|point| Place { file: point.file.clone(), line: point.line }).collect();
        places.sort();
        places.dedup();
        places
    }
}

/// How a failing run was made to pass.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Made {
    /// What was changed: `switched`, a condition that goes another way at this one execution; `replaced`, a value that is another one once it was
    /// stored.
    pub by: String,
    /// Where.
    pub point: Point,
    /// The option that makes the same run again: `--switch=NUMBER:WAY` or `--replace=NUMBER:VALUE`.
    #[serde(default)]
    pub option: String,
    /// Of a value that was replaced: what it is of, and what it is in each run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Cause>,
    /// Changes that were tried until this one made the test pass.
    pub tried: u32,
}

/// One step: an effect and what caused it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// Where the causes are.
    pub cause_point: Point,
    /// Where the effect is.
    pub effect_point: Point,
    /// What is different at the causes, in the failing run and in the other one.
    pub causes: Vec<Cause>,
    /// Places that the effect depends on and that differ.
    #[serde(default)]
    pub slice: Vec<Place>,
    /// The execution model that proved it: `approximate`, `exact` or `unguided`; `none` if nothing did.
    #[serde(default)]
    pub model: String,
    /// How the step was judged, in words.
    #[serde(default)]
    pub proof: String,
    /// Runs that it took to prove it.
    #[serde(default)]
    pub re_executions: u32,
    /// Of these runs, how many were forked from one process at the cause point.
    #[serde(default)]
    pub forked: u32,
    /// All differences that the effect depends on here, of which the causes are chosen.
    #[serde(default)]
    pub cut: Vec<Cause>,
    /// Conditions between cause and effect that went another way in the other run, in words.
    #[serde(default)]
    pub taken: Vec<String>,
    /// Whether a condition between cause and effect went another way.
    #[serde(default)]
    pub decides: bool,
}

/// Where something comes into the runs that differs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Origin {
    /// The place.
    pub point: Point,
    /// What differs from there on, in words.
    pub what: Vec<String>,
}

/// A place in the source.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    /// Source file.
    pub file: String,
    /// Line.
    pub line: u32,
}

/// A place in the source at one execution.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    /// Source file; empty for the output.
    pub file: String,
    /// Line; 0 for the output.
    pub line: u32,
    /// Function; empty where there is none.
    #[serde(default)]
    pub function: String,
    /// Which execution of the place, from 1; 0 where that means nothing.
    #[serde(default)]
    pub instance: u64,
    /// What happens there, in words.
    #[serde(default)]
    pub text: String,
}

/// A value that differs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cause {
    /// What has it: a variable, a condition.
    pub what: String,
    /// What it is in the failing run.
    pub failing: String,
    /// What it is in the other run.
    pub passing: String,
}
