//! `suspect report` on real builds: what it holds, that it runs nothing, and that every format comes from the JSON form alone.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
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
        serde_json::from_str(&project.succeed(&["rank", "--method", "ochiai", "--format", "json", "--top", "1000"]))
            .unwrap();
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
    for format in ["text", "markdown", "sarif", "junit", "codequality", "lcov"] {
        let own = project.succeed(&["report", "--format", format]);
        let other = elsewhere.succeed(&["report", "--from", "report.json", "--format", format]);
        assert_eq!(own, other, "{format}");
        assert!(own.contains("parcel.c"), "{own}");
        elsewhere.succeed(&["report", "--from", "report.json", "--format", format, "--output", "out"]);
        assert_eq!(fs::read_to_string(elsewhere.path().join("out")).unwrap(), own, "{format}");
    }
    assert!(elsewhere.succeed(&["report", "--from", "report.json", "--format", "markdown"]).lines().count() <= 10);
    for format in ["gzoltar", "parquet"] {
        let error = elsewhere.fail(&["report", "--from", "report.json", "--format", format, "--output", "x"], 1);
        assert!(error.contains("leave out --from"), "{error}");
    }
    assert!(elsewhere.fail(&["report", "--from", "report.json", "--format", "dot"], 7).contains("suspect mutate"));
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
    let short = project.succeed(&["report"]);
    assert!(short.lines().count() <= 25 && short.contains("Trust: ") && short.contains("suspect report -v"), "{short}");
    let text = project.succeed(&["report", "-v"]);
    assert!(text.contains("  - 1 function left as it is\n  - 1 function that no test executes\n"), "{text}");
}

/// The schema of SARIF 2.1.0, as a package has it that the tests depend on.
fn sarif_schema() -> Value {
    let arguments = ["metadata", "--format-version", "1", "--offline", "--filter-platform", "x86_64-unknown-linux-gnu"];
    let output = Command::new(env!("CARGO")).args(arguments).output().unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo describes the dependencies");
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages.iter().find(|package| package["name"] == "serde-sarif").expect("a dependency of the tests");
    let directory = Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap();
    let text = fs::read_to_string(directory.join("src/schema.json")).unwrap();
    // A lone `]` is itself in JavaScript's patterns, and an error in others.
    serde_json::from_str(&text.replace("{2}]?$", "{2}\\\\]?$")).unwrap()
}

/// A chain of causes for the test `heavy` of `parcel.c`, as the store keeps them.
pub fn keep_chain(project: &Project, report: &Report) {
    let line = line_of("parcel.c", "if (kilos > 10)");
    let call = line_of("parcel.c", "+ surcharge(kilos)");
    let chain = json!([{
        "test": "heavy", "against": "limit", "command": "suspect explain heavy", "trust": [],
        "steps": [{
            "effect_point": { "file": "", "line": 0, "text": "cost 4" },
            "cause_point": { "file": "parcel.c", "line": line, "function": "surcharge", "instance": 1, "text": "kilos > 10" },
            "causes": [{ "what": "kilos > 10", "failing": "false", "passing": "true" }],
            "slice": [{ "file": "parcel.c", "line": line }], "model": "patched run", "re_executions": 2,
        }, {
            "effect_point": { "file": "parcel.c", "line": line, "text": "kilos > 10" },
            "cause_point": { "file": "parcel.c", "line": call, "function": "total", "instance": 1, "text": "surcharge(kilos)" },
            "causes": [{ "what": "kilos", "failing": "10", "passing": "12" }],
        }],
    }]);
    let path = format!(".suspect/explanations/{}.json", report.recorded.identity);
    project.write(&path, &chain.to_string());
}

#[test]
fn sarif_fits_its_official_schema_and_has_a_flow_for_each_chain() {
    let project = parcel();
    project.succeed(&["rank", "--budget", "20s"]);
    keep_chain(&project, &reported(&project));
    let schema = sarif_schema();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for top in ["20", "1", "0"] {
        let text = project.succeed(&["report", "--format", "sarif", "--top", top]);
        let value: Value = serde_json::from_str(&text).unwrap();
        let errors: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "--top {top}: {errors:?}");
    }
    assert!(!validator.is_valid(&json!({ "version": "2.1.0", "runs": [{}] })), "the schema refuses something");
    let value: Value = serde_json::from_str(&project.succeed(&["report", "--format", "sarif"])).unwrap();
    let results = value["runs"][0]["results"].as_array().unwrap();
    let fault = line_of("parcel.c", "if (kilos > 10)");
    let line = |result: &Value| result["locations"][0]["physicalLocation"]["region"]["startLine"].as_u64().unwrap();
    let result = results.iter().find(|result| line(result) == fault).expect("the fault is a result");
    assert_eq!(result["codeFlows"].as_array().unwrap().len(), 1, "{result}");
    assert!(result["rank"].as_f64().unwrap() > 1.0 && result["message"]["text"].to_string().contains("suspect replay"));
    let names: Vec<&str> =
        results.iter().map(|result| result["partialFingerprints"]["suspect/line/v1"].as_str().unwrap()).collect();
    assert_eq!(names.iter().collect::<std::collections::BTreeSet<_>>().len(), names.len(), "{names:?}");
    let dot = project.succeed(&["report", "--format", "dot"]);
    assert!(dot.starts_with("digraph causes {") && dot.contains("the output `cost 4`"), "{dot}");
}

/// What `./setup test` has put there.
fn tool(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/tools").join(name);
    assert!(path.exists(), "{} is missing; type: ./setup test", path.display());
    path
}

/// Rows that DuckDB answers to a query about the Parquet files of a directory.
fn query(directory: &Path, sql: &str) -> Value {
    let script = "import duckdb, json, sys\nprint(json.dumps(duckdb.sql(sys.argv[1]).fetchall()))\n";
    let mut command = Command::new(tool("python/bin/python"));
    let output = command.args(["-c", script, sql]).current_dir(directory).output().unwrap();
    assert!(output.status.success(), "{sql}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn tables_answer_queries_as_the_report_does() {
    let project = parcel();
    project.succeed(&["rank", "--budget", "20s"]);
    project.succeed(&["mutate", "--samples", "2"]);
    let said = project.succeed(&["report", "--format", "parquet", "--output", "tables"]);
    assert_eq!(said.lines().count(), 5, "{said}");
    let report = reported(&project);
    let tables = project.path().join("tables");
    let outcomes = query(&tables, "select outcome, count(*) from 'tests.parquet' group by outcome order by outcome");
    assert_eq!(outcomes, json!([["failed", 2], ["passed", 6]]));

    let first = &report.top(1)[0];
    let lines = query(&tables, "select file, line, failing, passing, probability from 'lines.parquet' where rank = 1");
    let evidence = first.evidence;
    let expected =
        json!([first.file, first.line, evidence.failing_executed, evidence.passing_executed, first.probability]);
    assert_eq!(lines, json!([expected]));

    // How often failing tests execute the condition, from observations alone.
    let fault = line_of("parcel.c", "if (kilos > 10)");
    let sql = format!(
        "select count(distinct test), sum(o.trues) from 'observations.parquet' o join 'nodes.parquet' n using (node) \
         join 'tests.parquet' t using (test) where n.line = {fault} and n.kind = 'predicate' and t.outcome = 'failed'"
    );
    assert_eq!(query(&tables, &sql), json!([[2, 0]]), "the condition is false in both");

    let counts = report.ranking.as_ref().unwrap().trials.unwrap();
    let flips = "select count(distinct change) from 'trials.parquet' where kind = 'changes' and effect = 'passes'";
    assert_eq!(query(&tables, flips), json!([[counts.flips]]));
    let values = "select count(*) > 0, bool_and(node is not null) from 'trials.parquet' where kind = 'values'";
    assert_eq!(query(&tables, values), json!([[true, true]]));
}

#[test]
fn a_reader_of_junit_finds_the_suite_as_it_was_recorded() {
    let project = parcel();
    let text = project.succeed(&["report", "--format", "junit"]);
    let read = junit_parser::from_reader(text.as_bytes()).unwrap();
    let suite = &read.suites[0];
    assert_eq!((suite.tests, suite.failures, suite.skipped, suite.cases.len()), (8, 2, 0, 8));
    let failed: Vec<&str> =
        suite.cases.iter().filter(|case| case.status.is_failure()).map(|case| case.original_name.as_str()).collect();
    let report = reported(&project);
    let expected = report.tests.iter().filter(|test| test.outcome == TestOutcome::Failed);
    assert_eq!(failed, expected.map(|test| test.name.as_str()).collect::<Vec<_>>());
}

#[test]
fn a_report_is_made_once_for_all_formats_until_something_changes() {
    let project = parcel();
    project.succeed(&["rank", "--budget", "20s"]);
    project.succeed(&["mutate", "--samples", "3"]);
    let json = || project.succeed(&["report", "--format", "json"]);
    let made = |text: &str| Report::parse(text.as_bytes()).unwrap().created;
    let pause = || std::thread::sleep(std::time::Duration::from_millis(1100));
    let first = json();
    pause();
    assert_eq!(json(), first, "the one that is kept");
    fs::write(project.path().join("report.json"), &first).unwrap();
    let of = |arguments: &[&str]| project.succeed(&[&["report"], arguments].concat());
    for format in ["text", "markdown", "html", "sarif", "dot"] {
        let from = of(&["--from", "report.json", "--format", format]);
        assert_eq!(of(&["--format", format]), from, "{format}");
    }
    // Each of these is told by a report, so that is made anew.
    let kept = project.path().join(".suspect/runs/1/report.json");
    let changes: [(&str, &dyn Fn()); 3] = [
        ("more was tried", &|| drop(project.succeed(&["mutate", "--samples", "4"]))),
        ("code was found innocent", &|| drop(project.succeed(&["rank", "--no-trials", "--innocent", "parcel.c:15"]))),
        ("what is kept is damaged", &|| fs::write(&kept, &fs::read(&kept).unwrap()[..100]).unwrap()),
    ];
    let mut last = made(&json());
    for (what, change) in changes {
        change();
        pause();
        let now = json();
        assert!(made(&now) > last, "{what}");
        assert_eq!(json(), now);
        last = made(&now);
    }
}
