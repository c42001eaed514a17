//! What is kept of a version: one file for its recording, one for its results; and one for each correct version.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{EvalError, FaultKind};
use crate::rank::Located;
use crate::report::TestCounts;

/// Time spent on a version, seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunTimes {
    /// Making the tree and building it.
    pub build: f64,
    /// Running tests as `suspect test` does, as many at once as were allowed: scratch directories and containment included.
    pub tests: f64,
    /// Of this, while the tests' own processes ran.
    pub processes: f64,
    /// All else: reading traces, keeping them, ranking.
    pub rest: f64,
}

impl RunTimes {
    /// Of a phase that took `whole`: `build`, then tests.
    pub fn new(build: Duration, tests: Duration, processes: Duration, whole: Duration) -> RunTimes {
        RunTimes {
            build: build.as_secs_f64(),
            tests: tests.as_secs_f64(),
            processes: processes.as_secs_f64(),
            rest: whole.saturating_sub(build).saturating_sub(tests).as_secs_f64(),
        }
    }

    /// Together.
    pub fn plus(self, other: RunTimes) -> RunTimes {
        RunTimes {
            build: self.build + other.build,
            tests: self.tests + other.tests,
            processes: self.processes + other.processes,
            rest: self.rest + other.rest,
        }
    }
}

/// What the correct version does in a test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReferenceRun {
    /// Why the test cannot count, if so: it fails, is flaky, or does not end.
    pub unusable: Option<String>,
    /// How it ended, in words, and a hash of its standard output.
    pub shown: (String, u64),
    /// Milliseconds that a faulty version may take.
    pub limit: u64,
    /// Its exit status, where its output is kept as what is expected.
    #[serde(default)]
    pub status: Option<i32>,
}

impl ReferenceRun {
    /// Milliseconds for a test that the correct version does not have.
    pub const UNKNOWN_LIMIT: u64 = 10_000;
}

/// What the correct version does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// Fingerprint of what it was made from.
    pub key: String,
    /// By name of the test, or why the correct version cannot be run.
    pub tests: Result<BTreeMap<String, ReferenceRun>, String>,
    /// Time it took.
    pub times: RunTimes,
}

/// A version that was built and run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    /// Fingerprint of what it was made from.
    pub key: String,
    /// Why it cannot be ranked, if so.
    pub unusable: Option<String>,
    /// Time it took.
    pub times: RunTimes,
}

/// The results of a version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionResult {
    /// Fingerprint of what it was made from: the version, its faulty lines, its suites.
    pub key: String,
    /// What is ranked.
    pub by: String,
    /// The program's name.
    pub program: String,
    /// The version's name.
    pub version: String,
    /// Kinds of its faulty lines.
    pub kinds: Vec<FaultKind>,
    /// What kind of mistake its fault is, if eval.toml says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// What came of it.
    pub outcome: VersionOutcome,
    /// Time it took.
    pub times: RunTimes,
}

/// What came of a version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VersionOutcome {
    /// It was ranked.
    Evaluated(Evaluated),
    /// It cannot be, and why.
    Excluded(String),
}

/// Rankings of a version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evaluated {
    /// The pool's tests, by what they count as.
    pub tests: TestCounts,
    /// Ranked units.
    pub n_units: u32,
    /// Ranked units that hold a faulty line.
    pub n_faulty: u32,
    /// Faulty lines that no ranked unit holds.
    pub unranked: Vec<String>,
    /// Suites that can be ranked with.
    pub suites: Vec<SuiteResult>,
    /// Suites that cannot, and why.
    pub excluded_suites: Vec<(String, String)>,
    /// For each method, where each of `suites` puts the fault.
    pub located: BTreeMap<String, Vec<Option<Located>>>,
    /// For each method that ranks predicates, the T-score with each of `suites`.
    pub t_scores: BTreeMap<String, Vec<f64>>,
    /// Where methods that mutate values put the fault, by the numbers of values and seeds; empty where there is one of each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_values: Vec<ByValues>,
    /// Trials of values and the seconds that they took; nothing where no method mutates any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_trials: Option<(u64, f64)>,
    /// With each of `suites`, how probable the first lines were taken to be by all evidence; empty if no changes were tried.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assessed: Vec<Assessed>,
}

/// Rankings by methods that mutate values, with so many values of each node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ByValues {
    /// Values of each node.
    pub samples: u32,
    /// Seed of the values.
    pub seed: u64,
    /// For each method, where each suite puts the fault.
    pub located: BTreeMap<String, Vec<Option<Located>>>,
}

/// How probable lines were taken to be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assessed {
    /// The first [`Assessed::MOST`] lines in the order in which to look: the probability that each holds the fault, and whether it does.
    pub first: Vec<(f64, bool)>,
    /// The probability of all faulty lines together.
    pub faulty: f64,
}

impl Assessed {
    /// Lines that are kept.
    pub const MOST: usize = 20;
}

/// A suite.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuiteResult {
    /// Its name.
    pub name: String,
    /// Its failing tests.
    pub failing: u32,
    /// Its passing tests.
    pub passing: u32,
}

impl VersionResult {
    /// Whether it answers for these methods at this granularity.
    pub fn answers(&self, by: &str, methods: &[&str]) -> bool {
        match &self.outcome {
            VersionOutcome::Excluded(_) => true,
            VersionOutcome::Evaluated(evaluated) => {
                self.by == by && methods.iter().all(|method| evaluated.located.contains_key(*method))
            }
        }
    }
}

/// Reads a file of results; `None` when there is none, or it was made from something else than `key` says.
///
/// # Errors
/// When it cannot be read or does not hold what it should.
pub fn read<T: DeserializeOwned>(path: &Path, key: &str) -> Result<Option<T>, EvalError> {
    #[derive(Deserialize)]
    struct Keyed {
        key: String,
    }
    let text = match fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(EvalError::io("read", path)(error)),
    };
    let damaged = |error: serde_json::Error| EvalError::Damaged { path: path.into(), reason: error.to_string() };
    // Another version of suspect may keep other things, under another key.
    let found: Keyed = serde_json::from_slice(&text).map_err(damaged)?;
    if found.key != key {
        return Ok(None);
    }
    serde_json::from_slice(&text).map(Some).map_err(damaged)
}

/// Writes a file so that a reader sees the old one or the new one, never half of either.
///
/// # Errors
/// When it cannot be written.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), EvalError> {
    let directory = path.parent().unwrap_or(Path::new("."));
    let write = || -> io::Result<()> {
        fs::create_dir_all(directory)?;
        let mut file = tempfile::NamedTempFile::new_in(directory)?;
        file.write_all(bytes)?;
        // Results are for whoever may read the directory, not for the owner of a temporary file alone.
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
        file.as_file().set_permissions(mode)?;
        file.persist(path)?;
        Ok(())
    };
    write().map_err(EvalError::io("write", path))
}
