//! `kind = "meson"`: the tests that `meson introspect --tests` lists, each run by ourselves.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;

use super::SuiteError;
use super::load::{Found, Listed, Listing, script};
use super::locks::Needs;
use super::oracle::{HARD_ERROR, Oracle, SKIPPED};
use super::test::Plan;

#[derive(Deserialize)]
struct RawTest {
    name: String,
    cmd: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    workdir: Option<PathBuf>,
    #[serde(default)]
    timeout: Option<f64>,
    #[serde(default)]
    suite: Vec<String>,
    #[serde(default)]
    is_parallel: Option<bool>,
    #[serde(default)]
    protocol: String,
}

/// One line of a test log; the name there is the one that people see.
#[derive(Deserialize)]
struct LogLine {
    name: String,
    result: String,
    command: Vec<String>,
}

/// The tests that Meson lists in the suite's directory.
pub(super) fn list(listing: &Listing) -> Result<Found, SuiteError> {
    let command = listing.tool(["meson", "introspect", ".", "--tests"]);
    let outcome = listing.run_tool(&command)?;
    let raw: Vec<RawTest> =
        serde_json::from_slice(&outcome.stdout.bytes).map_err(|e| listing.answer(&command.argv, e.to_string()))?;
    if raw.is_empty() {
        return Err(listing.no_tests(format!("meson lists none in {}", listing.dir.display())));
    }
    let failing = expected_failures(listing)?;
    let tests = raw.into_iter().map(|test| {
        let should_fail = failing.iter().any(|(name, cmd)| *cmd == test.cmd && name.ends_with(&test.name));
        let oracle = match test.protocol.as_str() {
            "tap" => Oracle::Tap { should_fail },
            _ => Oracle::Exit { skip: Some(SKIPPED), error: Some(HARD_ERROR), should_fail },
        };
        let alone = test.is_parallel == Some(false);
        let plan = Plan {
            argv: test.cmd.iter().map(OsString::from).collect(),
            env: test.env.into_iter().map(|(name, value)| (name.into(), Some(value.into()))).collect(),
            oracle,
            // Zero and less mean no limit.
            timeout: test.timeout.filter(|seconds| (1e-3..1e9).contains(seconds)).map(Duration::from_secs_f64),
            needs: Needs { alone, ..Needs::default() },
            ..Plan::default()
        };
        let name = match test.suite.iter().find_map(|suite| suite.split_once(':')) {
            Some((_, suite)) => format!("{suite}:{}", test.name),
            None => test.name,
        };
        Listed { name, dir: test.workdir.unwrap_or_else(|| listing.dir.clone()), plan }
    });
    Ok(Found { tests: tests.collect(), ..Found::default() })
}

/// Name in the log and command of tests that should fail. Only a run tells: with every test replaced by one that passes,
/// these pass unexpectedly.
fn expected_failures(listing: &Listing) -> Result<Vec<(String, Vec<String>)>, SuiteError> {
    let wrapper = script("passes", "printf '1..1\nok 1\n'\n")?;
    let name = wrapper.path().join("passes");
    let argv = ["meson".as_ref(), "test".as_ref(), "--no-rebuild".as_ref(), "--wrapper".as_ref(), name.as_os_str()];
    let command = listing.tool(argv.into_iter().chain(["--logbase", LOG].map(OsStr::new)));
    let outcome = listing.try_tool(&command)?;
    let logs = log_files(listing);
    let Some(path) = logs.iter().find(|path| path.extension().is_some_and(|end| end == "json")) else {
        return Err(listing.tool_failed(&command, &outcome));
    };
    let text =
        fs::read_to_string(path).map_err(|source| SuiteError::Io { what: "read", path: path.clone(), source })?;
    let mut failing = Vec::new();
    for line in text.lines() {
        let line: LogLine = serde_json::from_str(line).map_err(|e| listing.answer(&command.argv, e.to_string()))?;
        if line.result == "UNEXPECTEDPASS" {
            failing.push((line.name, line.command.into_iter().skip(1).collect()));
        }
    }
    for path in logs {
        // The log of a run that tested nothing would only mislead; it may stay if it must.
        let _ = fs::remove_file(path);
    }
    Ok(failing)
}

/// Start of the names of the logs that [`expected_failures`] makes.
const LOG: &str = "suspect-list";

fn log_files(listing: &Listing) -> Vec<PathBuf> {
    let entries = fs::read_dir(listing.dir.join("meson-logs")).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(LOG)).map(|entry| entry.path()).collect()
}
