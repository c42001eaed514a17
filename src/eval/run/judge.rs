//! True if a test of a faulty version passed, where the correct version is what says so.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use suspect_format::trace::{HASH_START, hash_bytes};

use crate::eval::ReferenceRun;
use crate::exec::Status;
use crate::suite::{Stability, Suite, Test, TestBaseline, TestRun, Verdict};

/// How a run ended, in words, and a hash of its standard output.
pub type Shown = (String, u64);

/// Keeps what a run showed, by the index of its test.
pub fn keep_shown(shown: &Mutex<HashMap<usize, Vec<Shown>>>, test: &Test, run: &TestRun) {
    if let Some(outcome) = &run.outcome {
        let this = (outcome.status.to_string(), hash_bytes(HASH_START, &outcome.stdout.bytes));
        let is_crash = matches!(outcome.status, Status::Signaled(_));
        let this = if is_crash { (format!("crash: {}", this.0), this.1) } else { this };
        shown.lock().unwrap_or_else(PoisonError::into_inner).entry(test.index).or_default().push(this);
    }
}

/// True if the test's suite says what is right.
pub fn has_expectation(suite: &Suite, test: &Test) -> bool {
    suite.config().suites.get(test.suite).is_some_and(|section| section.has_expectation())
}

/// What the correct version's runs of a test say of it.
pub fn reference_run(expected: bool, baseline: &TestBaseline, runs: &[Shown]) -> ReferenceRun {
    let verdict = baseline.verdict();
    let reason = baseline.reason().unwrap_or_default();
    let unusable = match (&baseline.stability, verdict) {
        (Stability::Flaky(verdicts), _) => Some(format!("flaky on the correct version: {verdicts}")),
        (_, Some(Verdict::Pass)) if expected => None,
        (_, Some(verdict @ (Verdict::Timeout | Verdict::Error | Verdict::Skip))) => {
            Some(format!("{verdict} on the correct version: {reason}"))
        }
        (_, Some(verdict)) if expected => Some(format!("{verdict} on the correct version: {reason}")),
        _ if runs.windows(2).any(|pair| pair[0] != pair[1]) => Some("the correct version's output varies".to_string()),
        _ => match runs.first() {
            None => Some("not run on the correct version".to_string()),
            Some((status, _)) if status.starts_with("crash: ") => Some(format!("{status} on the correct version")),
            Some(_) => None,
        },
    };
    let shown = runs.first().cloned().unwrap_or_default();
    ReferenceRun { unusable, shown, limit: baseline.timeout.as_millis() as u64, status: None }
}

/// True if a test of a faulty version passed: as its suite says, or, where that has no expectation, if the version ends and
/// writes as the correct one does.
pub fn judge(
    suite: &Suite,
    test: &Test,
    baseline: &TestBaseline,
    known: Option<&ReferenceRun>,
    shown: Option<&Vec<Shown>>,
) -> Option<(Option<bool>, String)> {
    let Some(known) = known else { return Some((None, "no test of the correct version".into())) };
    if let Some(reason) = &known.unusable {
        return Some((None, reason.clone()));
    }
    if has_expectation(suite, test) {
        return None;
    }
    let shown = shown.map_or(&[][..], Vec::as_slice);
    let same: Vec<bool> = shown.iter().map(|shown| *shown == known.shown).collect();
    match baseline.verdict() {
        None | Some(Verdict::Timeout | Verdict::Error | Verdict::Skip) => return None,
        Some(Verdict::Pass | Verdict::Fail) => {}
    }
    let Some(first) = shown.first() else { return Some((None, "not run".into())) };
    if same.iter().any(|now| *now != same[0]) {
        return Some((None, "flaky: sometimes as the correct version, sometimes not".into()));
    }
    Some(match (same[0], first.0 == known.shown.0) {
        (true, _) => (Some(true), "as the correct version".into()),
        (false, true) => (Some(false), "output differs from the correct version's".into()),
        (false, false) => (Some(false), format!("{}; the correct version: {}", first.0, known.shown.0)),
    })
}

/// Keeps what the correct version writes in a test that does not say what is right, in `directory`; the exit status if all was kept.
pub fn keep_expected(directory: &Path, test: &Test, run: &TestRun) -> Option<i32> {
    let outcome = run.outcome.as_ref().filter(|outcome| !outcome.stdout.truncated)?;
    let Status::Exited(status) = outcome.status else { return None };
    fs::create_dir_all(directory).ok()?;
    fs::write(directory.join(test.index.to_string()), &outcome.stdout.bytes).ok()?;
    Some(status)
}

/// The suite in which tests that do not say what is right expect what the correct version does.
pub fn with_expectations(suite: Suite, directory: &Path, known: &BTreeMap<String, ReferenceRun>) -> Suite {
    let unsaid: HashSet<usize> =
        suite.tests().iter().filter(|test| !has_expectation(&suite, test)).map(|test| test.index).collect();
    suite.expecting(|test| {
        let status = known.get(&test.name)?.status.filter(|_| unsaid.contains(&test.index))?;
        Some((directory.join(test.index.to_string()), status))
    })
}
