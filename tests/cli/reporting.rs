//! `suspect report` on real builds: what it holds, that it runs nothing, and that every format comes from the JSON form alone.

use std::fs;

use serde_json::Value;
use suspect::report::{Report, TestOutcome};

use crate::all_evidence::parcel;
use crate::project::{Project, line_of};

/// The report of a project, which fits the schema.
#[track_caller]
fn reported(project: &Project) -> Report {
    let text = project.succeed(&["report", "--format", "json"]);
    let value: Value = serde_json::from_str(&text).unwrap();
    let schema: Value = serde_json::from_str(include_str!("../../docs/report.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    Report::parse(text.as_bytes()).unwrap()
}

/// A built and recorded project of one file, whose tests are lines of arguments.
fn by_lines(program: &str, lines: &str) -> Project {
    let project = Project::new();
    project.write("prog.c", program).write("tests.txt", lines).write(
        "suspect.toml",
        "[build]\ncommand = \"cc -O1 -o prog prog.c\"\n\n[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"./prog {line}\"\n",
    );
    project.succeed(&["build"]);
    project.succeed(&["test"]);
    project
}

#[test]
fn schema_file_is_what_the_code_says() {
    let schema = schemars::schema_for!(Report);
    let expected = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/report.schema.json");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(path, &expected).unwrap();
    }
    assert_eq!(fs::read_to_string(path).unwrap_or_default(), expected, "UPDATE_EXPECT=1 writes it anew");
}

#[test]
fn a_report_holds_what_was_found_out_and_runs_nothing() {
    let project = parcel();
    let before = reported(&project);
    let ranking = before.ranking.as_ref().unwrap();
    assert!(
        ranking.trials.is_none() && ranking.not_tried[0].contains("`suspect rank` has not been run"),
        "{ranking:?}"
    );
    assert!(before.model.is_none() && before.commands.iter().any(|command| command.command == "suspect rank"));

    project.succeed(&["rank", "--budget", "20s"]);
    project.succeed(&["mutate", "--samples", "3"]);
    // Nobody can run what is not there.
    fs::remove_file(project.path().join("prog")).unwrap();
    let report = reported(&project);
    assert_eq!(
        [TestOutcome::Failed, TestOutcome::Passed, TestOutcome::Excluded].map(|outcome| report.n_tests(outcome)),
        [2, 6, 0]
    );
    let ranking = report.ranking.as_ref().unwrap();
    assert!(ranking.trials.is_some_and(|trials| trials.flips > 0), "{ranking:?}");
    let fault = line_of("parcel.c", "if (kilos > 10)") as u32;
    let entry = ranking.ranking.iter().take(3).find(|entry| entry.line == fault).expect("the fault is among the first");
    let claim = entry.reasons.iter().find_map(|reason| reason.claim.as_ref()).expect("a reason with a claim");
    let replay = format!("suspect replay {}", claim.id);
    assert!(report.commands.iter().any(|command| command.command == replay && command.about == entry.unit), "{replay}");

    let methods: Vec<&str> = report.comparison.methods.iter().map(|method| method.id.as_str()).collect();
    assert_eq!(methods[0], "all_evidence");
    assert!(["ochiai", "cln", "blockrank", "cdfl", "direct"].iter().all(|id| methods.contains(id)), "{methods:?}");
    let ochiai: Value =
        serde_json::from_str(&project.succeed(&["rank", "--method", "ochiai", "--format", "json"])).unwrap();
    let position = methods.iter().position(|id| *id == "ochiai").unwrap();
    for line in &report.comparison.lines {
        let same = |entry: &&Value| entry["file"] == line.file.as_str() && entry["line"] == line.line;
        let own = ochiai["ranking"].as_array().unwrap().iter().find(same).expect("a compared line is ranked");
        let ranks = line.ranks[position].map(|ranks| ranks.map(u64::from));
        assert_eq!(ranks, Some([own["rank_best"].as_u64().unwrap(), own["rank_worst"].as_u64().unwrap()]), "{line:?}");
    }

    let model = report.model.as_ref().expect("value mutants were tried");
    assert!(!model.edges.is_empty() && model.nodes.iter().any(|node| node.kind == "output"), "{model:?}");
    let surcharge = report.profiles.iter().find(|profile| profile.function == "surcharge").unwrap();
    assert!(surcharge.edges.iter().any(|edge| edge.from == fault && edge.kind == "false"), "{surcharge:?}");
    let file = &report.files[0];
    assert_eq!((file.path.as_str(), report.files.len()), ("parcel.c", 1));
    assert_eq!(file.text.as_deref(), fs::read_to_string(project.path().join("parcel.c")).ok().as_deref());
    assert!(file.executed().any(|counts| counts == (fault, 2, 5)), "{file:?}");
    assert_eq!(file.functions.iter().find(|function| function.name == "surcharge").unwrap().tests, 7, "{file:?}");
}

#[test]
fn every_format_comes_from_the_json_form_alone() {
    let project = parcel();
    project.succeed(&["report", "--format", "json", "--output", "report.json"]);
    let elsewhere = Project::new();
    fs::copy(project.path().join("report.json"), elsewhere.path().join("report.json")).unwrap();
    for format in ["text", "markdown"] {
        let own = project.succeed(&["report", "--format", format]);
        let other = elsewhere.succeed(&["report", "--from", "report.json", "--format", format]);
        assert_eq!(own, other, "{format}");
        assert!(own.contains("2 of 8 tests fail") && own.contains("parcel.c:"), "{own}");
        elsewhere.succeed(&["report", "--from", "report.json", "--format", format, "--output", "out"]);
        assert_eq!(fs::read_to_string(elsewhere.path().join("out")).unwrap(), own, "{format}");
    }
    assert!(elsewhere.succeed(&["report", "--from", "report.json", "--format", "markdown"]).lines().count() <= 10);
    let error = elsewhere.fail(&["report", "--from", "report.json", "--format", "gzoltar", "--output", "x"], 1);
    assert!(error.contains("leave out --from"), "{error}");
}

#[test]
fn what_is_no_report_is_refused_in_one_sentence() {
    let project = Project::new();
    project.write("cut.json", "{\"schema_version\": 1, \"suspe").write("other.json", "{\"version\": \"2.1.0\"}");
    for name in ["cut.json", "other.json", "missing.json"] {
        let error = project.fail(&["report", "--from", name, "--format", "text"], 9);
        assert!(error.contains(name) && error.contains("suspect report --format json"), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
    assert!(project.fail(&["report"], 7).contains("suspect test"));
}

#[test]
fn a_suite_that_passes_has_a_report_without_ranking() {
    let project = by_lines("int main(int argc, char **argv) { return argc > 1 && argv[1][0] == 'f'; }\n", "p\nq\n");
    let report = reported(&project);
    assert!(report.ranking.is_none() && report.no_ranking.as_ref().is_some_and(|why| why.contains("all 2 tests pass")));
    let text = project.succeed(&["report"]);
    assert!(text.contains("all 2 tests pass") && text.contains("no ranking: "), "{text}");
}

#[test]
fn what_was_not_looked_at_is_named() {
    let program = "#include <stdarg.h>\nstruct big { int a[9]; };\nint odd(struct big b, ...) { return b.a[0]; }\n\
         int unused(int x)\n{\n    return x + 1;\n}\nint main(int argc, char **argv) { return argc > 1 && argv[1][0] == 'f'; }\n";
    let project = by_lines(program, "p\nf\n");
    let missing = reported(&project).not_looked_at;
    assert!(missing.functions.iter().any(|left| left.name == "odd" && left.line == 3), "{missing:?}");
    assert_eq!((missing.n_uncovered, missing.uncovered.as_slice()), (1, &["prog.c:4 unused()".to_string()][..]));
    assert!(missing.statements.iter().any(|statement| statement.contains("suspect rank")), "{missing:?}");
    let text = project.succeed(&["report"]);
    assert!(text.contains("  - 1 function left as it is\n  - 1 function that no test executes\n"), "{text}");
}
