//! What the tests of the reports on code mutants share.

use super::{MutantEdit, MutantEntry, MutantStatus, MutantsReport};

/// An edit of a line's first text.
pub fn edit(file: &str, line: u32, original: &str, replacement: &str) -> MutantEdit {
    MutantEdit {
        file: file.into(),
        line,
        column: 12,
        end_line: line,
        end_column: 12 + original.len() as u32,
        original: original.into(),
        replacement: replacement.into(),
    }
}

/// A mutant that test 0 executes.
pub fn entry(status: MutantStatus, edit: MutantEdit) -> MutantEntry {
    MutantEntry {
        id: "0123456789abcdef".into(),
        class: "AOR".into(),
        function: "add".into(),
        edits: vec![edit],
        status,
        covered_by: vec![0],
        killed_by: Vec::new(),
        too_long_in: Vec::new(),
        same_in: Vec::new(),
        unknown_in: Vec::new(),
        not_run_in: Vec::new(),
        carried_over: None,
    }
}

/// The file that the sample's mutants are in.
pub const SOURCE: &str = "int add(int a, int b) {\n    return a + b; /* \u{e4} */\n}\n";

/// A report with a mutant of each status.
pub fn sample() -> MutantsReport {
    let mut mutants = Vec::new();
    for (number, status) in [
        MutantStatus::Killed,
        MutantStatus::Survived,
        MutantStatus::Same,
        MutantStatus::NotCovered,
        MutantStatus::Unknown,
        MutantStatus::NotRun,
    ]
    .into_iter()
    .enumerate()
    {
        let replacement = ["-", "*", "/", "%", "&", "|"][number];
        let mut mutant = MutantEntry {
            id: format!("{number:016x}"),
            edits: vec![MutantEdit { column: 14, end_column: 15, ..edit("src/a b.c", 2, "+", replacement) }],
            ..entry(status, edit("", 1, "", ""))
        };
        match status {
            MutantStatus::Killed => (mutant.killed_by, mutant.carried_over) = (vec![0], Some(86_400 * 3)),
            MutantStatus::Same => mutant.same_in = vec![0],
            MutantStatus::NotCovered => mutant.covered_by = Vec::new(),
            MutantStatus::Unknown => mutant.unknown_in = vec![0],
            MutantStatus::NotRun => mutant.not_run_in = vec![0],
            MutantStatus::Survived => mutant.covered_by = vec![0, 1],
        }
        mutants.push(mutant);
    }
    let tests = vec!["one".to_string(), "two".to_string()];
    let mut report = MutantsReport::new(tests, mutants, |_| "arithmetic operator replaced".into());
    report.not_looked_at = vec!["3 mutants are junk".into()];
    report
}

#[test]
fn json_is_read_back_and_fits_the_schema_file() {
    let report = sample();
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(serde_json::from_value::<MutantsReport>(json.clone()).unwrap(), report);
    let schema = schemars::schema_for!(MutantsReport);
    let expected = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/mutants.schema.json");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, &expected).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap_or_default(), expected, "UPDATE_EXPECT=1 writes it anew");
    let validator = jsonschema::validator_for(&schema.to_value()).unwrap();
    assert!(validator.is_valid(&json));
}
