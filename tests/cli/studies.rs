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
fn wrong_requests_are_told_in_one_sentence() {
    let project = benchmark();
    assert!(project.fail(&["study", "doric", "c"], 9).contains("cannot read"));
    assert!(project.fail(&["study", "sober", "b"], 1).contains("[possible values: doric, blockrank"));
    let said = project.fail(&["study", "doric", "b", "--max-failing", "20"], 1);
    assert!(said.contains("a share from 0% to 100%, such as 20%"), "{said}");
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
