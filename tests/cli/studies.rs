//! `suspect study`: the papers' tables on a benchmark whose figures were worked out by hand.

use std::fs;

use serde_json::Value;

use crate::project::Project;

/// Without macros, so that each line is one line of code: 2 to 4 are a block, then 5, 6, 7, and 8 with 9.
const CORRECT: &str = "int printf(const char *, ...);
int main(int argc, char **argv) {
    int n = argv[argc - 1][0] - '0';
    if (n == 1)
        n = 5;
    if (n == 2)
        n = 7;
    printf(\"%d\\n\", n);
    return 0;
}
";

/// Three versions, six tests:
///
/// - `one` fails with 1, which alone executes line 5;
/// - `two`, of two faults, fails with 1 and 2, which alone execute lines 5 and 7;
/// - `read` fails with 4, which executes what every test does; with 5 it prints 5 by way of line 5.
fn benchmark() -> Project {
    let project = Project::new();
    let five = CORRECT.replace("n = 5", "n = 6");
    project.write("b/correct/p.c", CORRECT).write("b/correct/tests.txt", "0\n1\n2\n3\n4\n5\n");
    project.write("b/versions/one/p.c", &five);
    project.write("b/versions/two/p.c", &five.replace("n = 7", "n = 8"));
    project.write("b/versions/read/p.c", &CORRECT.replace("- '0'", "& 3"));
    project.write(
        "b/eval.toml",
        "[build]\ncommand = \"cc -O0 -o p p.c\"\n\n[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"./p {line}\"\n\n\
         [[version]]\nname = \"one\"\nchanged = [\"p.c:5\"]\n\n\
         [[version]]\nname = \"two\"\nchanged = [\"p.c:5\", \"p.c:7\"]\nfaults = 2\n\n\
         [[version]]\nname = \"read\"\nchanged = [\"p.c:3\"]\n",
    );
    project
}

fn study(project: &Project, arguments: &[&str]) -> Value {
    let mut all = vec!["study"];
    all.extend(arguments);
    all.extend(["--format", "json"]);
    serde_json::from_str(&project.succeed(&all)).expect("the study is JSON")
}

/// The rows of a table that begin with `first`, without that cell; what is no number is NaN.
#[track_caller]
fn rows(study: &Value, table: &str, first: &str) -> Vec<Vec<f64>> {
    let tables = study["tables"].as_array().unwrap();
    let table = tables.iter().find(|found| found["name"] == table).unwrap_or_else(|| panic!("{table}: {study}"));
    let rows = table["rows"].as_array().unwrap().iter().filter(|row| row[0] == first);
    rows.map(|row| row.as_array().unwrap()[1..].iter().map(|cell| cell.as_f64().unwrap_or(f64::NAN)).collect())
        .collect()
}

#[track_caller]
fn assert_row(found: &[f64], expected: &[f64]) {
    let close = |(found, expected): (&f64, &f64)| (found - expected).abs() < 1e-9;
    assert!(found.len() >= expected.len() && found.iter().zip(expected).all(close), "{found:?}, not {expected:?}");
}

#[test]
fn doric_counts_units_inspected_in_vain_by_number_of_faults() {
    let project = benchmark();
    let found = study(&project, &["doric", "b", "--plots", "plots"]);
    assert_eq!((found["versions"].as_u64(), found["by"].as_str()), (Some(3), Some("line")));
    // One fault, two faults, all: `one` and `two` cost nothing, `read` half of the other five lines that every test executes.
    assert_row(&rows(&found, "accuracy", "versions")[0], &[2.0, 1.0, 3.0]);
    assert_row(&rows(&found, "accuracy", "cln")[0], &[1.25, 0.0, 2.5 / 3.0]);
    // n-scores: two of three faults at once, the last after two and a half units.
    assert_row(&rows(&found, "n-scores", "cln")[0], &[200.0 / 3.0, 200.0 / 3.0, 200.0 / 3.0, 100.0, 100.0]);
    // For each number of faults the 127 are ahead, equal or behind, and none is ahead of what costs nothing.
    for row in rows(&found, "ahead", "cln") {
        assert_eq!(row[2..5].iter().sum::<f64>(), 127.0, "{row:?}");
    }
    let two = rows(&found, "ahead", "cln").into_iter().find(|row| row[0].is_nan() && row[1] == 1.0).unwrap();
    assert_eq!((two[2], two[5]), (0.0, 0.0), "{two:?}");
    let svg = fs::read_to_string(project.path().join("plots/doric-n-scores.svg")).unwrap();
    assert!(svg.contains("60.0,170.0 114.0,170.0 168.0,170.0 222.0,40.0 "), "{svg}");
    assert!(project.path().join("plots/doric-accuracy.svg").is_file());
    check_schema(&found);
}

#[test]
fn blockrank_counts_faults_within_shares_of_the_code() {
    let project = benchmark();
    let found = study(&project, &["blockrank", "b", "--plots", "plots"]);
    // Of five blocks: `one` costs one, `two` two that are equal, `read` the three that every test executes.
    let ochiai = &rows(&found, "located", "ochiai")[0];
    assert_row(ochiai, &[3.0, 0.0, 0.0, 0.0, 100.0 / 3.0, 40.0]);
    assert_row(&ochiai[8..], &[20.0, 60.0, 20.0]);
    let svg = fs::read_to_string(project.path().join("plots/blockrank-located.svg")).unwrap();
    assert!(svg.contains("168.0,430.0 168.0,300.0 276.0,300.0 276.0,170.0 384.0,170.0 384.0,40.0 "), "{svg}");
    // Two of six tests are more than 20 %.
    let few = study(&project, &["blockrank", "b", "--max-failing", "20%"]);
    assert_eq!((few["versions"].as_u64(), few["excluded"][0]["version"].as_str()), (Some(2), Some("b/two")));
    let reason = few["excluded"][0]["reason"].as_str().unwrap();
    assert_eq!(reason, "33.3 % of its tests fail, more than 20 %");
    let ochiai = &rows(&few, "located", "ochiai")[0];
    assert_row(ochiai, &[2.0, 0.0, 0.0, 0.0, 50.0, 40.0]);
    assert_row(&ochiai[8..], &[20.0, 60.0, 800f64.sqrt()]);
    check_schema(&few);
    let said = project.succeed(&["study", "blockrank", "b", "--max-failing", "20%"]);
    assert!(said.contains("left out: b/two: 33.3 % of its tests fail") && said.contains("at most 20 %"), "{said}");
    let said = project.fail(&["study", "blockrank", "b", "--max-failing", "10%"], 4);
    assert!(
        said.contains("none of the 3 versions can be ranked: b/one: 16.7 % of its tests fail, more than 10 %"),
        "{said}"
    );
}

#[test]
fn cdfl_counts_places_over_seeds_and_values() {
    let project = benchmark();
    let found = study(&project, &["cdfl", "b", "--samples", "1,3", "--seeds", "3", "--plots", "plots"]);
    assert_eq!(found["versions"].as_u64(), Some(3));
    // Whatever is written instead by line 5 shows in every failing test of `one`, and no passing test executes it: 1. In `two` lines 5 and 7
    // have half of that. What all tests execute changes passing tests' outputs as well. So the fault is first, or tied with another fault.
    for method in ["cdfl_paper", "direct"] {
        for ties in rows(&found, "places", method) {
            assert!(ties[1] >= 2.0 && ties[1] <= 3.0, "{method}: {ties:?}");
        }
    }
    // Lines with the fault's score: six in `read`, two in `two`, one in `one`.
    assert_row(&rows(&found, "ties", "ochiai")[0], &[3.0]);
    let few = study(&project, &["cdfl", "b", "--samples", "1", "--seeds", "3", "-o", "few"]);
    // The first value of three is the one that is drawn alone. The average is the first tie-breaker.
    let alone = &rows(&few, "places", "cdfl_paper")[0][1..5];
    assert_row(&rows(&found, "values", "cdfl_paper")[0], &[&[1.0], alone].concat());
    // Version, units, pool, suites, tests of a suite: lines 2 to 9 hold code.
    assert_row(&rows(&found, "subjects", "b")[0], &[3.0, 8.0, 6.0, 1.0, 6.0]);
    assert!(rows(&found, "cost", "b")[0][2] > 10.0, "trials are counted");
    let svg = fs::read_to_string(project.path().join("plots/cdfl-values.svg")).unwrap();
    assert!(svg.contains(">cdfl_paper acc@1</text>") && svg.contains("values: 3 versions"), "{svg}");
    check_schema(&found);
    let said = project.succeed(&["study", "cdfl", "b", "--seeds", "2", "--search-budget", "0s", "-o", "none"]);
    assert!(said.contains("note: in 3 of 3 versions no trial of a value was done, so cdfl_paper, "), "{said}");
    assert!(
        !project.succeed(&["study", "cdfl", "b", "--samples", "1", "--seeds", "3", "-o", "few"]).contains("no trial")
    );
    let methods = project.succeed(&["eval", "b", "--methods", "cdfl_paper,ochiai", "-o", "few"]);
    assert!(methods.contains("cdfl_paper"), "{methods}");
}

/// Two versions of a program whose right outputs are 2 for 1, 11 for 5 and 19 for 9:
///
/// - `one` adds 2 in line 7, so 5 fails first: the fault influences line 8 by way of itself, and the runs differ in lines 4 to 8;
/// - `omit` leaves line 7 out for 5, so the lines given as faulty are not executed, and nothing is ideal.
fn branches() -> Project {
    let correct = "int printf(const char *, ...);\nint atoi(const char *);\nint main(int argc, char **argv) {\n    \
                   int n = atoi(argv[1]);\n    int m = n * 2;\n    if (n > 3)\n        m = m + 1;\n    printf(\"%d\\n\", m);\n    \
                   return 0;\n}\n";
    let project = Project::new();
    project.write("b/correct/p.c", correct).write("b/correct/tests.txt", "1\n5\n9\n");
    project.write("b/versions/one/p.c", &correct.replace("m + 1", "m + 2"));
    project.write("b/versions/omit/p.c", &correct.replace("n > 3", "n > 5"));
    project.write("b/versions/same/p.c", &correct.replace("n > 3", "3 < n"));
    project.write(
        "b/eval.toml",
        "[build]\ncommand = \"cc -O0 -o p p.c\"\n\n[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"./p {line}\"\n\n\
         [[version]]\nname = \"one\"\nchanged = [\"p.c:7\"]\n\n[[version]]\nname = \"omit\"\nomitted = [\"p.c:7\"]\n\n\
         [[version]]\nname = \"same\"\nchanged = [\"p.c:6\"]\n",
    );
    project
}

#[test]
fn comparative_measures_explanations_against_ideal_ones() {
    let project = branches();
    let found = study(&project, &["comparative", "b"]);
    assert!(found["by"].is_null() && found["versions"] == 2, "{found}");
    let excluded = &found["excluded"][0];
    assert_eq!(
        (excluded["version"].as_str(), excluded["reason"].as_str()),
        (Some("b/same"), Some("no test detects its fault"))
    );
    let beside = |second: &str, method: &str, version: &str, head: &str| -> Value {
        let table = &found["tables"][0];
        let at = table["columns"].as_array().unwrap().iter().position(|name| name == head).unwrap();
        let rows = table["rows"].as_array().unwrap();
        let is_asked = |row: &&Value| row[0] == method && row[1] == version && row[2] == second;
        rows.iter().find(is_asked).unwrap_or_else(|| panic!("{second} {method} {version}: {found}"))[at].clone()
    };
    let of = |method: &str, version: &str, head: &str| beside("another test", method, version, head);
    let number = |method: &str, version: &str, head: &str| -> f64 { of(method, version, head).as_f64().unwrap() };
    for method in ["cc", "csm", "dual"] {
        // Lines 7 and 8 of the five that are named.
        assert_eq!((number(method, "b/one", "precision"), number(method, "b/one", "recall")), (0.4, 1.0), "{method}");
        assert_eq!((number(method, "b/one", "statements"), number(method, "b/one", "ideal")), (5.0, 2.0), "{method}");
        assert_eq!(of(method, "b/one", "names the fault"), "yes");
        assert!(of(method, "b/omit", "precision").is_null() && of(method, "b/omit", "ideal").is_null(), "{method}");
        assert_eq!(of(method, "mean", "names the fault"), "1 of 2");
        assert_eq!(number(method, "mean", "recall"), 1.0, "of what is ideal somewhere");
        let mean = (number(method, "b/one", "tests") + number(method, "b/omit", "tests")) / 2.0;
        assert_eq!(number(method, "mean", "tests"), mean);
    }
    assert!(number("cc", "b/one", "steps") == number("cc", "b/one", "proved") && number("cc", "b/one", "tests") > 0.0);
    assert_eq!((number("dual", "b/one", "proved"), number("dual", "b/one", "tests")), (0.0, 0.0));
    // The correct version's run of the same test differs in what line 7 writes, and in what line 8 prints: that is all there is to tell.
    for method in ["cc", "dual"] {
        let same = |head: &str| beside("correct version", method, "b/one", head).as_f64();
        assert_eq!(
            (same("precision"), same("recall"), same("statements")),
            (Some(1.0), Some(1.0), Some(2.0)),
            "{method}"
        );
        assert_eq!(beside("correct version", method, "b/one", "names the fault"), "yes");
    }
    // Nothing is confounded: guard rails and the program's own course are the same where one condition parts the runs.
    let counts = |method: &str| -> Vec<Vec<f64>> { rows(&found, "confounding", method) };
    assert_eq!((counts("cc").len(), counts("csm").len(), counts("dual").len()), (8, 8, 2), "two kinds of second run");
    let counts = |method: &str| -> Vec<Vec<f64>> {
        let all = counts(method);
        all[..all.len() / 2].to_vec()
    };
    assert!(counts("cc").concat().into_iter().filter(|count| !count.is_nan()).all(|count| count == 0.0), "{found}");
    // Control flow, data flow, omission; the last row is of what is none of these.
    assert!(counts("csm")[..3].iter().all(|row| row[2..] == [0.0; 3]), "{found}");
    let notes = &found["tables"][1]["notes"][0];
    assert_eq!(
        notes.as_str().map(|note| note.starts_with("another test: cc proved 10 causes on 9 of 9 steps")),
        Some(true),
        "{notes}"
    );
    check_schema(&found);
    // What was found is kept, and told without time; else nothing is.
    assert_eq!(study(&project, &["comparative", "b", "--budget", "0s"])["tables"], found["tables"]);
    let said = project.succeed(&["study", "comparative", "b", "--budget", "0s", "--fresh"]);
    assert!(said.contains("not run, the budget is spent: b/one") && said.contains("0 versions explained"), "{said}");
    let said = project.fail(&["study", "comparative", "b", "--suites", "3"], 1);
    assert!(said.contains("--suites is for cdfl, doric, blockrank alone"), "{said}");
    let text = fs::read_to_string(project.path().join("b/eval.toml")).unwrap();
    project.write("b/eval.toml", &text.replace("cc -O0", "false"));
    let said = project.fail(&["study", "comparative", "b"], 4);
    assert!(
        said.contains("none of the 3 versions can be explained: b/one: the correct version: it does not build"),
        "{said}"
    );
}

/// A cell of a table of mutants: the row that begins with `first`, the column `head`.
#[track_caller]
fn cell(study: &Value, table: &str, first: &str, head: &str) -> f64 {
    let found = study["tables"].as_array().unwrap().iter().find(|found| found["name"] == table).unwrap();
    let at = found["columns"]
        .as_array()
        .unwrap()
        .iter()
        .position(|column| column == head)
        .unwrap_or_else(|| panic!("{head}"));
    let is_first = |row: &&Value| row[0] == first || row[0].as_f64() == first.parse().ok();
    found["rows"].as_array().unwrap().iter().find(is_first).unwrap()[at].as_f64().unwrap()
}

#[test]
fn hom_makes_the_papers_tables_of_each_correct_version() {
    let project = benchmark();
    let all = ["hom", "b", "--samples", "5", "-n", "40", "--repeats", "2", "--plots", "plots"];
    let found = study(&project, &all);
    assert!(found["by"].is_null() && found["resamples"].is_null());
    for heuristic in ["random", "prop", "dsort", "mwm"] {
        let of = |head: &str| cell(&found, "b-heuristics", heuristic, head);
        assert_eq!(of("mutants"), 40.0);
        assert!(of("masking") <= of("SSHOMs") && of("SSHOMs") <= 40.0 && of("dScore") > 0.0, "{heuristic}");
    }
    // Pairs of places are the same in both divisions; ten of equal size differ by one at most.
    let pairs =
        |table: &str| -> Vec<f64> { (1..=10).map(|at| cell(&found, table, &at.to_string(), "pairs")).collect() };
    let (widths, ranks) = (pairs("b-widths"), pairs("b-ranks"));
    assert_eq!(widths.iter().sum::<f64>(), ranks.iter().sum::<f64>());
    let (least, most) = ranks.iter().fold((f64::INFINITY, 0.0), |(least, most), n| (n.min(least), n.max(most)));
    assert!(most - least <= 1.0 && widths != ranks, "{widths:?} {ranks:?}");
    for bucket in 1..=10 {
        let to = cell(&found, "b-widths", &bucket.to_string(), "to");
        assert!(to <= f64::from(bucket) / 10.0 + 1e-9, "{bucket}: {to}");
    }
    assert!(cell(&found, "b-survival", "first order", "number") > 20.0);
    let drawn = fs::read_to_string(project.path().join("plots/hom-b-mwm.svg")).unwrap();
    assert!(drawn.contains("over the causal structure") && drawn.contains("stroke=\"#d55e00\""), "{drawn}");
    for plot in ["widths", "ranks", "heuristics", "survival"] {
        assert!(project.path().join(format!("plots/hom-b-{plot}.svg")).is_file(), "{plot}");
    }
    assert_eq!(study(&project, &all), found, "the same again");
    check_schema(&found);
    let said = project.fail(&["study", "hom", "b", "--samples", "5", "--search-budget", "0s"], 4);
    assert!(said.contains("b: none of ") && said.contains("--search-budget gives it more"), "{said}");
    assert!(
        project
            .fail(&["study", "hom", "b", "--max-failing", "20%"], 1)
            .contains("--max-failing is for cdfl, doric, blockrank alone")
    );
    let text = fs::read_to_string(project.path().join("b/eval.toml")).unwrap();
    project.write("b/eval.toml", &text.replace("cc -O0", "false"));
    assert!(
        project
            .fail(&["study", "hom", "b"], 4)
            .contains("no program can be studied: b: the correct version: it does not build")
    );
}

#[test]
fn small_suites_execute_what_the_pool_does() {
    let project = benchmark();
    let found = study(&project, &["doric", "b", "--suites", "4"]);
    // Tests 1 and 2 alone execute lines 5 and 7: in `two` both of them fail, and nothing else is needed.
    assert_eq!((found["versions"].as_u64(), found["excluded"][0]["version"].as_str()), (Some(2), Some("b/two")));
    let reason = found["excluded"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("drawn 1: all its 2 tests fail"), "{reason}");
    // In `one` 1 fails and 2 passes; in `read` 4 fails, and 1 and 2 pass, or 5 in place of 1.
    let of = |version: &str| -> Value {
        let text = fs::read_to_string(project.path().join(format!("b/results/b/{version}.json"))).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()["outcome"]["evaluated"]["suites"].take()
    };
    for (version, passing) in [("one", 1), ("read", 2)] {
        let suites = of(version);
        assert_eq!(suites.as_array().unwrap().len(), 4);
        for suite in suites.as_array().unwrap() {
            assert_eq!((suite["failing"].as_u64(), suite["passing"].as_u64()), (Some(1), Some(passing)), "{suites}");
        }
    }
}

#[test]
fn wrong_requests_are_told_in_one_sentence() {
    let project = benchmark();
    assert!(project.fail(&["study", "doric", "c"], 9).contains("cannot read"));
    assert!(
        project
            .fail(&["study", "sober", "b"], 1)
            .contains("[possible values: cdfl, doric, hom, blockrank, comparative]")
    );
    let said = project.fail(&["study", "doric", "b", "--max-failing", "20"], 1);
    assert!(said.contains("a share from 0% to 100%, such as 20%"), "{said}");
    let said = project.fail(&["study", "doric", "b", "--seeds", "3"], 1);
    assert!(said.contains("--seeds is for cdfl alone"), "{said}");
    assert!(project.fail(&["study", "cdfl", "b", "--samples", "0"], 1).contains("1..=1000"));
    let text = fs::read_to_string(project.path().join("b/eval.toml")).unwrap();
    project.write("b/eval.toml", &text.replace("faults = 2", "faults = 0"));
    let said = project.fail(&["study", "doric", "b"], 1);
    assert!(said.contains("version `two`: `faults` is 0: give the number of its mistakes"), "{said}");
}

fn check_schema(report: &Value) {
    let schema: Value = serde_json::from_str(include_str!("../../docs/study.schema.json")).expect("the schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is a schema");
    let errors: Vec<String> = validator.iter_errors(report).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
}

#[test]
fn schema_file_is_what_the_code_says() {
    let schema = schemars::schema_for!(suspect::study::StudyReport);
    let expected = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/study.schema.json");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(path, &expected).unwrap();
    }
    assert_eq!(fs::read_to_string(path).unwrap_or_default(), expected, "UPDATE_EXPECT=1 writes it anew");
}
