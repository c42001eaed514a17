//! Reports on code mutants in the form of mutation-testing-elements, which viewers of other mutation testing tools show
//! (`mutation-testing-report-schema`, version 2).

use serde_json::{Map, Value, json};

use super::mutants::editor_column;
use super::{MutantEntry, MutantStatus, MutantsReport};

/// The report; `source` gives the text of a file, if it can be had.
pub fn stryker(report: &MutantsReport, source: impl Fn(&str) -> Option<String>) -> Value {
    let mut files = Map::new();
    for name in report.files.keys() {
        let text = source(name);
        let of_file =
            report.mutants.iter().filter(|mutant| mutant.edits.first().is_some_and(|edit| &edit.file == name));
        let mutants: Vec<Value> = of_file.map(|mutant| one(report, mutant, text.as_deref())).collect();
        files.insert(name.clone(), json!({ "language": "c", "source": text.unwrap_or_default(), "mutants": mutants }));
    }
    let tests: Vec<Value> = (0..)
        .zip(&report.tests)
        .map(|(number, test): (u32, _)| json!({ "id": number.to_string(), "name": test.name }))
        .collect();
    json!({
        "$schema": "https://git.io/mutation-testing-schema",
        "schemaVersion": "2",
        "thresholds": { "high": 80, "low": 60 },
        "files": files,
        // Tests are known by the suite's names, not by files.
        "testFiles": { "": { "tests": tests } },
        "framework": { "name": "suspect", "version": env!("CARGO_PKG_VERSION") },
    })
}

fn one(report: &MutantsReport, mutant: &MutantEntry, text: Option<&str>) -> Value {
    let Some(edit) = mutant.edits.first() else { return Value::Null };
    let place = |line, column| json!({ "line": line, "column": editor_column(text, line, column) });
    let ids = |tests: &[u32]| tests.iter().map(u32::to_string).collect::<Vec<_>>();
    let (status, reason) = status(report, mutant);
    let mut value = json!({
        "id": mutant.id,
        "mutatorName": mutant.class,
        "replacement": edit.replacement,
        "description": mutant.change(),
        "location": { "start": place(edit.line, edit.column), "end": place(edit.end_line, edit.end_column) },
        "status": status,
        "coveredBy": ids(&mutant.covered_by),
        "killedBy": ids(&mutant.killed_by),
        "testsCompleted": mutant.covered_by.len() - mutant.unknown_in.len() - mutant.not_run_in.len(),
    });
    if let (Some(reason), Some(fields)) = (reason, value.as_object_mut()) {
        fields.insert("statusReason".into(), reason.into());
    }
    value
}

/// The nearest of the schema's statuses, and what it does not say.
fn status(report: &MutantsReport, mutant: &MutantEntry) -> (&'static str, Option<String>) {
    let names = |tests: &[u32]| report.test_names(tests, 3);
    match mutant.status {
        MutantStatus::Killed if mutant.too_long_in.len() == mutant.killed_by.len() => {
            ("Timeout", Some(format!("runs for too long in {}", names(&mutant.killed_by))))
        }
        MutantStatus::Killed => ("Killed", Some(format!("fails: {}", names(&mutant.killed_by)))),
        MutantStatus::Survived => ("Survived", None),
        MutantStatus::Same => ("Survived", Some("it changes no value in any test that executes it".into())),
        MutantStatus::NotCovered => ("NoCoverage", None),
        MutantStatus::Unknown => ("Pending", Some(format!("stopped by the clock in {}", names(&mutant.unknown_in)))),
        MutantStatus::NotRun => ("Pending", Some(format!("not run in {}", names(&mutant.not_run_in)))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::mutants_tests::{SOURCE, sample};

    #[test]
    fn every_status_has_a_counterpart() {
        let value = stryker(&sample(), |_| Some(SOURCE.into()));
        let mutants = value["files"]["src/a b.c"]["mutants"].as_array().unwrap();
        let statuses: Vec<&str> = mutants.iter().map(|mutant| mutant["status"].as_str().unwrap()).collect();
        assert_eq!(statuses, ["Killed", "Survived", "Survived", "NoCoverage", "Pending", "Pending"]);
        assert_eq!(mutants[0]["killedBy"], json!(["0"]));
        assert_eq!(mutants[1]["coveredBy"], json!(["0", "1"]));
        assert_eq!(
            mutants[0]["location"],
            json!({"start": {"line": 2, "column": 14}, "end": {"line": 2, "column": 15}})
        );
        assert_eq!(value["testFiles"][""]["tests"][1], json!({"id": "1", "name": "two"}));
        assert_eq!(value["files"]["src/a b.c"]["source"], SOURCE);
    }

    #[test]
    fn a_mutant_that_only_runs_too_long_is_a_timeout() {
        let mut report = sample();
        report.mutants[0].too_long_in = vec![0];
        let value = stryker(&report, |_| None);
        assert_eq!(value["files"]["src/a b.c"]["mutants"][0]["status"], "Timeout");
    }
}
