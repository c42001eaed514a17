//! `suspect diff`: what is said of two nights between which the program, the tests or nothing changed.

use std::fs;
use std::process::Command;

use serde_json::Value;
use suspect::history::{Change, Fate};
use suspect::report::DiffReport;

use crate::nightly::{absolute, night};
use crate::project::Project;

const TESTS: [(&str, &str); 5] = [("3", "3"), ("-1", "1"), ("0", "0"), ("-5", "5"), ("7", "7")];
const NIGHT: [&str; 2] = ["--budget", "2min"];

fn git(project: &Project, arguments: &[&str]) {
    let identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false"];
    let mut command = Command::new("git");
    let status = command.args(identity).args(arguments).current_dir(project.path()).output().unwrap();
    assert!(status.status.success(), "{}", String::from_utf8_lossy(&status.stderr));
}

fn edit(project: &Project, from: &str, to: &str) {
    let path = project.path().join("prog.c");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(path, text.replace(from, to)).unwrap();
}

/// The difference, which fits its schema.
#[track_caller]
pub fn difference(project: &Project, arguments: &[&str]) -> DiffReport {
    let mut all = vec!["diff", "--format", "json"];
    all.extend(arguments);
    let value: Value = serde_json::from_str(&project.succeed(&all)).unwrap();
    let schema: Value = serde_json::from_str(include_str!("../../docs/diff.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    serde_json::from_value(value).unwrap()
}

/// What became of each test.
pub fn fates(report: &DiffReport) -> Vec<(&str, Fate)> {
    report.tests.iter().map(|test| (test.name.as_str(), test.fate)).collect()
}

#[test]
fn a_commit_that_breaks_a_test_is_named_at_the_line_that_is_suspicious() {
    let project = absolute(false, &TESTS);
    git(&project, &["init", "-q"]);
    git(&project, &["add", "prog.c", "suspect.toml", "tests.txt", "expected"]);
    git(&project, &["commit", "-qm", "First"]);
    night(&project, &NIGHT, 0);
    edit(&project, "#include <stdio.h>", "/* Absolute values. */\n#include <stdio.h>");
    edit(&project, "x < 0", "x < -1");
    git(&project, &["commit", "-qam", "Fewer comparisons"]);
    night(&project, &NIGHT, 2);
    let report = difference(&project, &["1"]);
    assert_eq!(fates(&report), [("2", Fate::New)]);
    let place = &report.suspicious[0];
    assert_eq!((place.line, place.text.as_str(), place.change), (7, "if (x < -1)", Change::Line));
    let commit = place.commit.as_ref().expect("git knows it");
    assert_eq!((commit.author.as_str(), commit.subject.as_str()), ("Ada", "Fewer comparisons"));
    assert_eq!(report.changed_functions, ["absolute"], "a comment changes nothing");
    assert!(report.ranking.is_empty(), "nothing was ranked before");
    let text = project.succeed(&["diff", "1"]);
    assert!(text.contains("fails now: 2: fail") && text.contains("suspicious and changed:\n  #"), "{text}");
    assert!(text.contains("if (x < -1); ") && text.contains("Ada: Fewer comparisons"), "{text}");

    // The way back: fixed, and where the first places of the old ranking are.
    let back = difference(&project, &["2", "1"]);
    assert_eq!(fates(&back), [("2", Fate::Fixed)]);
    assert!(!back.ranking.is_empty());
    assert!(back.ranking.iter().all(|change| change.why.as_deref() == Some("not ranked, since no test fails")));
    let text = project.succeed(&["diff", "2", "1"]);
    assert!(text.contains("no test fails, so nothing is ranked; first was prog.c:"), "{text}");
    assert!(!text.contains("\nranking:"), "{text}");
    // Without a name the night before is meant.
    assert_eq!(project.succeed(&["diff"]), project.succeed(&["diff", "1"]));
}

#[test]
fn lines_keep_their_ranks_through_edits_and_failures_that_differ_have_moved() {
    let project = absolute(true, &TESTS);
    night(&project, &NIGHT, 2);
    edit(&project, "static int absolute", "/* One\n   two. */\nstatic int absolute");
    night(&project, &NIGHT, 2);
    let report = difference(&project, &["1"]);
    assert_eq!(fates(&report), [("2", Fate::Still)]);
    assert!(report.suspicious.is_empty() && report.changed_functions.is_empty(), "{report:?}");
    assert!(!report.ranking.is_empty());
    for change in &report.ranking {
        assert_eq!(change.before, change.now, "{change:?}");
        assert!(change.before.is_some());
    }
    edit(&project, "return x;", "return x - 1;");
    night(&project, &NIGHT, 2);
    let report = difference(&project, &["2"]);
    let of = |name: &str| report.tests.iter().find(|test| test.name == name).map(|test| test.fate);
    assert_eq!((of("2"), of("1"), of("4")), (Some(Fate::Moved), Some(Fate::New), None));
    assert_eq!(report.suspicious.iter().find(|place| place.change == Change::Line).unwrap().text, "return x - 1;");
}

#[test]
fn what_was_not_looked_at_is_not_fixed() {
    let project = absolute(true, &TESTS);
    night(&project, &NIGHT, 2);
    let list = fs::read_to_string(project.path().join("suspect.toml")).unwrap();
    let skipping = list.replace("./prog {line}", "test {line} != -1 || exit 77; ./prog {line}");
    project.write("suspect.toml", &skipping);
    // A night that lost a test does not end well.
    night(&project, &NIGHT, 4);
    assert_eq!(fates(&difference(&project, &["1"])), [("2", Fate::NotLookedAt)], "the program did not run");
    project.write("suspect.toml", &list).write("tests.txt", "3\n");
    project.write("expected/1", "3\n");
    night(&project, &NIGHT, 0);
    let report = difference(&project, &["1"]);
    assert_eq!(fates(&report), [("2", Fate::NotLookedAt)]);
    assert!(report.notes.iter().any(|note| note.contains("nobody knows whether it still fails")), "{:?}", report.notes);
}

#[test]
fn a_verdict_that_changes_while_nothing_else_does_is_flaky() {
    let project = absolute(false, &TESTS);
    let config = fs::read_to_string(project.path().join("suspect.toml")).unwrap();
    project
        .write("suspect.toml", &config.replace("./prog {line}", "./prog {line}; ls | grep -q ^sw && echo more; true"));
    night(&project, &NIGHT, 0);
    // If all failed there would be no contrast.
    project.write(
        "suspect.toml",
        &config.replace("./prog {line}", "./prog {line}; ls | grep -q ^sw && test {line} != 3 && echo more; true"),
    );
    night(&project, &NIGHT, 0);
    project.write("switch", "");
    night(&project, &NIGHT, 2);
    let report = difference(&project, &["2"]);
    assert_eq!(report.tests.len(), 4);
    assert!(report.tests.iter().all(|test| test.fate == Fate::Flaky), "{:?}", report.tests);
    assert!(difference(&project, &["1"]).tests.iter().all(|test| test.fate == Fate::New), "the command changed");
}

#[test]
fn the_older_night_may_be_a_report_or_another_project() {
    let older = absolute(false, &TESTS);
    night(&older, &NIGHT, 0);
    let newer = absolute(true, &TESTS);
    night(&newer, &NIGHT, 2);
    let directory = older.path().to_str().unwrap();
    let report = format!("{directory}/.suspect/runs/1/report.json");
    for name in [directory, &format!("{directory}/.suspect"), &report] {
        let report = difference(&newer, &[name]);
        assert_eq!(fates(&report), [("2", Fate::New)], "{name}");
    }
    assert!(newer.fail(&["diff", "7"], 1).contains("there is no night 7 here; those kept are 1"));
    assert!(newer.fail(&["diff", "nowhere"], 1).contains("neither a night's number nor a directory nor a report"));
    newer.write("report.json", "{\"schema_version\": 1");
    assert!(newer.fail(&["diff", "report.json"], 9).contains("is no JSON"));
}

#[test]
fn schema_file_is_what_the_code_says() {
    let schema = schemars::schema_for!(DiffReport);
    let expected = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/diff.schema.json");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(path, &expected).unwrap();
    }
    assert_eq!(fs::read_to_string(path).unwrap_or_default(), expected, "UPDATE_EXPECT=1 writes it anew");
}
