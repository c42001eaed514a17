//! Surviving code mutants as SARIF 2.1.0, which code hosts and editors show in the source.

use serde_json::{Value, json};

use super::mutants::editor_column;
use super::{MutantEdit, MutantEntry, MutantStatus, MutantsReport};

/// The survivors; `source` gives the text of a file, if it can be had.
pub fn sarif(report: &MutantsReport, source: impl Fn(&str) -> Option<String>) -> Value {
    let rules: Vec<Value> = report
        .classes
        .iter()
        .map(|class| {
            json!({
                "id": class.name,
                "shortDescription": { "text": class.title },
                "fullDescription": { "text": format!("A mutant survives: {}, and no test fails.", class.title) },
                "defaultConfiguration": { "level": "warning" },
            })
        })
        .collect();
    let survivors = report.mutants.iter().filter(|mutant| is_survivor(mutant));
    let results: Vec<Value> = survivors.map(|mutant| result(report, mutant, &source)).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "suspect", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "automationDetails": { "id": "suspect/mutants/" },
            "columnKind": "utf16CodeUnits",
            "results": results,
        }],
    })
}

/// Whether all tests that execute it pass.
pub(super) fn is_survivor(mutant: &MutantEntry) -> bool {
    matches!(mutant.status, MutantStatus::Survived | MutantStatus::Same)
}

fn result(report: &MutantsReport, mutant: &MutantEntry, source: &impl Fn(&str) -> Option<String>) -> Value {
    let rule = report.classes.iter().position(|class| class.name == mutant.class).unwrap_or_default();
    let place = |edit: &MutantEdit| json!({ "physicalLocation": { "artifactLocation": artifact(&edit.file), "region": region(edit, source(&edit.file).as_deref()) } });
    json!({
        "ruleId": mutant.class,
        "ruleIndex": rule,
        "level": if mutant.status == MutantStatus::Survived { "warning" } else { "note" },
        "message": { "text": message(report, mutant) },
        "locations": mutant.edits.first().map(place).into_iter().collect::<Vec<_>>(),
        "partialFingerprints": { "suspect/mutant/v1": mutant.id },
        "fixes": [{
            "description": { "text": "Make the mutant, to see what it does" },
            "artifactChanges": changes(mutant, source),
        }],
    })
}

fn message(report: &MutantsReport, mutant: &MutantEntry) -> String {
    let tests = report.test_names(&mutant.covered_by, 5);
    let why = match mutant.status {
        MutantStatus::Same => "it changes no value in any test that executes it",
        _ => "tests execute it and still pass",
    };
    format!("{} in {}(): {why}: {tests}", mutant.change(), mutant.function)
}

/// The edits of each file.
fn changes(mutant: &MutantEntry, source: &impl Fn(&str) -> Option<String>) -> Vec<Value> {
    let mut files: Vec<&str> = mutant.edits.iter().map(|edit| edit.file.as_str()).collect();
    files.dedup();
    let change = |file: &str| {
        let text = source(file);
        let of_file = mutant.edits.iter().filter(|edit| edit.file == file);
        let replacement = |edit: &MutantEdit| json!({ "deletedRegion": region(edit, text.as_deref()), "insertedContent": { "text": edit.replacement } });
        json!({ "artifactLocation": artifact(file), "replacements": of_file.map(replacement).collect::<Vec<_>>() })
    };
    files.into_iter().map(change).collect()
}

/// Where a file is.
pub(super) fn artifact(file: &str) -> Value {
    match file.starts_with('/') {
        true => json!({ "uri": format!("file://{}", escaped(file)) }),
        false => json!({ "uri": escaped(file), "uriBaseId": "%SRCROOT%" }),
    }
}

/// A path as part of a URI.
fn escaped(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/+,=@".contains(&byte);
    let character = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    path.bytes().map(character).collect()
}

fn region(edit: &MutantEdit, text: Option<&str>) -> Value {
    json!({
        "startLine": edit.line,
        "startColumn": editor_column(text, edit.line, edit.column),
        "endLine": edit.end_line,
        "endColumn": editor_column(text, edit.end_line, edit.end_column),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::mutants_tests::{SOURCE, sample};

    #[test]
    fn survivors_alone_are_results_at_their_places() {
        let value = sarif(&sample(), |_| Some(SOURCE.into()));
        let results = value["runs"][0]["results"].as_array().unwrap();
        let levels: Vec<&str> = results.iter().map(|result| result["level"].as_str().unwrap()).collect();
        assert_eq!(levels, ["warning", "note"]);
        let place = &results[0]["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "src/a%20b.c");
        assert_eq!(place["region"], json!({"startLine": 2, "startColumn": 14, "endLine": 2, "endColumn": 15}));
        let change = &results[0]["fixes"][0]["artifactChanges"][0]["replacements"][0];
        assert_eq!(change["insertedContent"]["text"], "*");
        assert_eq!(results[0]["partialFingerprints"]["suspect/mutant/v1"], "0000000000000001");
        assert_eq!(value["runs"][0]["tool"]["driver"]["rules"][0]["id"], results[0]["ruleId"]);
    }

    #[test]
    fn paths_are_parts_of_uris() {
        assert_eq!(escaped("src/a b%\u{e4}.c"), "src/a%20b%25%C3%A4.c");
        assert_eq!(artifact("/usr/a.c"), json!({"uri": "file:///usr/a.c"}));
    }
}
