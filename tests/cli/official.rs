//! Schemas of other tools' formats, from the packages that publish them.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Runs a registry's client in `directory`.
fn run(directory: &Path, line: &[&str]) {
    let output = Command::new(line[0]).args(&line[1..]).current_dir(directory).output().unwrap();
    assert!(output.status.success(), "{line:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn check(schema: &Path, value: &Value) {
    let mut schema: Value = serde_json::from_slice(&std::fs::read(schema).unwrap()).unwrap();
    // SARIF's pattern of language names has an unmatched bracket, so no validator accepts it; nothing here names a language.
    for definition in ["run", "toolComponent"] {
        let path = format!("/definitions/{definition}/properties/language");
        if let Some(language) = schema.pointer_mut(&path).and_then(Value::as_object_mut) {
            language.remove("pattern");
        }
    }
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> =
        validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

/// Checks a mutation-testing-elements report.
pub fn check_stryker(value: &Value) {
    let directory = tempfile::tempdir().unwrap();
    let package = "mutation-testing-report-schema";
    run(directory.path(), &["npm", "install", "--no-audit", "--no-fund", "--prefix", ".", package]);
    check(&directory.path().join("node_modules").join(package).join("src/mutation-testing-report-schema.json"), value);
}

/// Checks a SARIF log.
pub fn check_sarif(value: &Value) {
    let directory = tempfile::tempdir().unwrap();
    let manifest = "[package]\nname = \"schema\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[dependencies]\nserde-sarif = \"0.8\"\n";
    std::fs::write(directory.path().join("Cargo.toml"), manifest).unwrap();
    std::fs::create_dir(directory.path().join("src")).unwrap();
    std::fs::write(directory.path().join("src/lib.rs"), "").unwrap();
    run(directory.path(), &["cargo", "vendor", "--quiet"]);
    check(&directory.path().join("vendor/serde-sarif/src/schema.json"), value);
}

#[test]
#[ignore = "fetches the schemas from npm and crates.io"]
fn wrong_reports_are_told_from_right_ones() {
    let stryker = serde_json::json!({"schemaVersion": "2", "thresholds": {"high": 80, "low": 60}, "files": {}});
    check_stryker(&stryker);
    let sarif = serde_json::json!({"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x"}}}]});
    check_sarif(&sarif);
    let wrong = serde_json::json!({"version": "2.0.0", "runs": [{"tool": {}}], "files": {"a.c": {}}});
    assert!(std::panic::catch_unwind(|| check_stryker(&wrong)).is_err());
    assert!(std::panic::catch_unwind(|| check_sarif(&wrong)).is_err());
}

#[test]
#[ignore = "fetches the schemas from npm and crates.io"]
fn reports_of_every_status_fit() {
    use suspect::report::{MutantEdit, MutantEntry, MutantStatus, MutantsReport, sarif, stryker};
    let statuses = [
        MutantStatus::Killed,
        MutantStatus::Survived,
        MutantStatus::Same,
        MutantStatus::NotCovered,
        MutantStatus::Unknown,
        MutantStatus::NotRun,
    ];
    let source = "int add(int a, int b) {\n    return a + b;\n}\n";
    let entry = |(number, status): (usize, MutantStatus)| MutantEntry {
        id: format!("{number:016x}"),
        class: "AOR".into(),
        function: "add".into(),
        edits: vec![MutantEdit {
            file: "a.c".into(),
            line: 2,
            column: 14,
            end_line: 2,
            end_column: 15,
            original: "+".into(),
            replacement: "-".into(),
        }],
        status,
        covered_by: vec![0],
        killed_by: if status == MutantStatus::Killed { vec![0] } else { Vec::new() },
        too_long_in: Vec::new(),
        same_in: Vec::new(),
        unknown_in: Vec::new(),
        not_run_in: Vec::new(),
        carried_over: None,
    };
    let mutants = statuses.into_iter().enumerate().map(entry).collect();
    let report = MutantsReport::new(vec!["one".into()], mutants, |_| "operator replaced".into());
    check_stryker(&stryker(&report, |_| Some(source.into())));
    check_sarif(&sarif(&report, |_| Some(source.into())));
}
