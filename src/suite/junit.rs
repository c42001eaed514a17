//! Result files in the JUnit XML format.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use junit_parser::{TestCase, TestStatus, TestSuite};

use super::Verdict;
use super::mismatch::clip;
use super::verdict::Judgement;

/// The verdict on a run that wrote `path`: fails when one of its cases does.
pub(super) fn judge(path: &Path) -> Judgement {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(e) => return Judgement::error(format!("wrote no result file {}: {e}", path.display())),
    };
    match junit_parser::from_reader(BufReader::new(file)) {
        Ok(suites) => judge_cases(&suites.suites.iter().flat_map(cases).collect::<Vec<_>>()),
        Err(e) => Judgement::error(format!("{} is not a JUnit file: {e}", path.display())),
    }
}

/// The cases of a suite and of those inside it.
fn cases(suite: &TestSuite) -> Vec<&TestCase> {
    suite.cases.iter().chain(suite.suites.iter().flat_map(cases)).collect()
}

fn judge_cases(cases: &[&TestCase]) -> Judgement {
    let find = |what: fn(&TestStatus) -> Option<(&String, &String)>| {
        let found = cases.iter().find_map(|case| what(&case.status).map(|said| (case, said)));
        found.map(|(case, (message, text))| {
            let said = if message.is_empty() { text } else { message };
            format!(
                "case `{}`: {}",
                case.original_name,
                clip(said.trim().lines().next().unwrap_or_default().as_bytes())
            )
        })
    };
    if let Some(reason) = find(failure) {
        return Judgement::fail(reason);
    }
    if let Some(reason) = find(error) {
        return Judgement::error(reason);
    }
    match cases {
        [] => Judgement::error("the result file has no cases"),
        _ if cases.iter().all(|case| case.status.is_skipped()) => Judgement::new(Verdict::Skip, "all cases skipped"),
        _ => Judgement::pass(),
    }
}

/// Message and text of a failed case.
fn failure(status: &TestStatus) -> Option<(&String, &String)> {
    match status {
        TestStatus::Failure(failure) => Some((&failure.message, &failure.text)),
        _ => None,
    }
}

/// Message and text of a case that could not be run.
fn error(status: &TestStatus) -> Option<(&String, &String)> {
    match status {
        TestStatus::Error(error) => Some((&error.message, &error.text)),
        _ => None,
    }
}
