//! `suspect eval` on the example benchmark, whose ranks were worked out by hand, and on benchmarks that are wrong.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::project::{Project, text, tool};

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/eval");

#[track_caller]
fn report(project: &Project, arguments: &[&str]) -> Value {
    let mut all = vec!["eval", "--format", "json"];
    all.extend(arguments);
    serde_json::from_str(&project.succeed(&all)).expect("the report is JSON")
}

/// Positions of a version's fault by a method with each suite: average, line, best, worst.
fn positions(report: &Value, version: &str, method: &str) -> Vec<[f64; 4]> {
    let versions = report["versions"].as_array().unwrap();
    let found = versions.iter().find(|found| found["version"] == version).unwrap_or_else(|| panic!("{version}"));
    let suites = found["located"][method].as_array().unwrap();
    suites.iter().map(|suite| ["average", "line", "best", "worst"].map(|ties| suite[ties].as_f64().unwrap())).collect()
}

/// The reason why a version is left out.
fn reason(report: &Value, version: &str) -> String {
    let excluded = report["excluded"].as_array().unwrap();
    let found = excluded.iter().find(|found| found["version"] == version);
    found.unwrap_or_else(|| panic!("{version} in {excluded:?}"))["reason"].as_str().unwrap().to_string()
}

/// A report without what differs from run to run.
fn timeless(mut report: Value) -> Value {
    report["times"].take();
    report["overhead"].take();
    report
}

#[test]
fn example_has_the_ranks_worked_out_by_hand() {
    let project = Project::new();
    let all = ["--methods", "ochiai,tarantula,sober,blockrank", "-o", "results", EXAMPLE];
    let first = report(&project, &all);
    // Of 21 tests, -5, 3--4 and -(2+6) fail: they alone execute the block of lines 44 and 45.
    assert_eq!(positions(&first, "calc/sign", "ochiai"), [[1.5, 2.0, 1.0, 2.0]]);
    // 1/0 and (1-1)/(2-2) crash. Lines 69 and 70 of the operator / are executed by them and three tests more; the lines of divide,
    // 54 and 56, also by the two of the operator %.
    assert_eq!(positions(&first, "calc/zero", "ochiai"), [[3.5, 4.0, 3.0, 4.0]]);
    // 17%5 and 9%3+1 never end: they alone execute the block of lines 76 to 80, in which 78 is the first of three lines with code.
    assert_eq!(positions(&first, "calc/endless", "ochiai"), [[2.0, 1.0, 1.0, 3.0]]);
    // Suite even: 06 and 10 fail, 04, 14, 18 and 20 pass among those that put blanks (lines 59, 60). Suite odd: 19 fails, and 05, 07
    // and 09 pass, while of the tests that end a line there (57), 17 alone passes.
    assert_eq!(positions(&first, "wrap/column", "ochiai"), [[1.5, 1.0, 1.0, 2.0], [2.5, 2.0, 2.0, 3.0]]);
    assert_eq!(reason(&first, "calc/usage"), "no test detects its fault: all 21 pass");
    assert!(reason(&first, "wrap/lines").contains("selections/even.txt: all its 10 tests fail"), "{first}");
    check_totals(&first);
    check_schema(&first);
    check_results(&project.path().join("results"));
    nothing_runs_twice(&project, &first, &all);
}

/// Adds up from the positions what the summary says.
fn check_totals(report: &Value) {
    let versions = report["versions"].as_array().unwrap();
    assert_eq!((versions.len(), report["total"]["excluded"].as_u64()), (8, Some(2)));
    for method in report["total"]["methods"].as_array().unwrap() {
        let id = method["method"].as_str().unwrap();
        let share = |found: &Value, of: &dyn Fn(&Value) -> f64| -> f64 {
            let suites = found["located"][id].as_array().unwrap();
            suites.iter().map(of).sum::<f64>() / suites.len() as f64
        };
        for acc in method["acc"].as_array().unwrap() {
            let ties = acc["ties"].as_str().unwrap();
            for (n, field) in [(1.0, "at_1"), (3.0, "at_3"), (5.0, "at_5"), (10.0, "at_10")] {
                let within = |suite: &Value| f64::from(u8::from(suite[ties].as_f64().unwrap() <= n));
                let sum: f64 = versions.iter().map(|found| share(found, &within)).sum();
                assert!((sum - acc[field].as_f64().unwrap()).abs() < 1e-9, "{id} {ties} {field}");
            }
        }
        let exam: f64 = versions
            .iter()
            .map(|found| {
                let units = found["units"].as_f64().unwrap();
                share(found, &|suite| suite["inspected"].as_f64().unwrap() / units)
            })
            .sum();
        let exam = exam / versions.len() as f64;
        assert!((exam - method["exam"].as_f64().unwrap()).abs() < 1e-9, "{id}");
        let bounds = &method["intervals"]["exam"];
        assert!(bounds["low"].as_f64().unwrap() < exam && exam < bounds["high"].as_f64().unwrap(), "{id} {bounds}");
        assert_eq!(method["t_score"].is_number(), id == "sober", "{id}");
    }
    // Four methods make six pairs.
    assert_eq!(report["total"]["comparisons"].as_array().unwrap().len(), 6);
}

fn check_schema(report: &Value) {
    let schema: Value = serde_json::from_str(include_str!("../../docs/eval.schema.json")).expect("the schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is a schema");
    let errors: Vec<String> = validator.iter_errors(report).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
}

fn check_results(results: &Path) {
    let read = |name: &str| fs::read_to_string(results.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    for name in ["located.svg", "calc/located.svg", "wrap/located.svg"] {
        let svg = read(name);
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n") && svg.contains(">blockrank</text>"), "{name}");
    }
    let text = read("report.txt");
    for words in ["calc: 4 versions", "all programs: 8 versions, ", "left out: calc/usage: no test detects its fault"] {
        assert!(text.contains(words.trim_end_matches(", ")), "{words}: {text}");
    }
    assert!(!results.join("calc/work/sign/calc.c").exists(), "built trees are removed");
}

/// With results there, no version is built or run: an evaluation needs no compiler. Nor do other methods.
fn nothing_runs_twice(project: &Project, first: &Value, all: &[&str]) {
    let without_clang = |arguments: &[&str]| -> Value {
        let mut command = std::process::Command::new(tool());
        command
            .args(["eval", "--format", "json"])
            .args(arguments)
            .current_dir(project.path())
            .env("PATH", "/nonexistent");
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    assert_eq!(without_clang(all), *first);
    let other = without_clang(&["--methods", "cln,jaccard", "-o", "results", EXAMPLE]);
    // Jaccard and Ochiai agree where the block is executed by failing tests alone.
    assert_eq!(positions(&other, "calc/sign", "jaccard"), [[1.5, 2.0, 1.0, 2.0]]);
    assert_eq!(other["total"]["methods"].as_array().unwrap().len(), 2);
    let doric = without_clang(&["--methods", "doric127,clu", "-o", "results", EXAMPLE]);
    assert_eq!(
        doric["total"]["methods"].as_array().unwrap().len(),
        128,
        "the measures that Doric is compared with, and clu"
    );
    let functions = without_clang(&["--methods", "ochiai", "--by", "function", "-o", "results", EXAMPLE]);
    assert!(functions["versions"][0]["units"].as_u64() < Some(12), "{functions}");
    assert_eq!(timeless(without_clang(all))["total"], timeless(first.clone())["total"]);
}

/// A program of one line that fails for arguments above 5, and versions of it.
fn small(versions: &str) -> Project {
    let project = Project::new();
    project
        .write(
            "p/correct/p.c",
            "#include <stdlib.h>\nint main(int n, char **v)\n{\n    return n > 1 && atoi(v[1]) > 5;\n}\n",
        )
        .write("p/correct/tests.txt", "1\n4\n6\n9\n")
        .write(
            "p/eval.toml",
            &format!(
                "[build]\ncommand = \"cc -o p p.c\"\n[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\n\
                 run = \"./p {{line}}\"\n{versions}"
            ),
        );
    project
}

#[test]
fn versions_that_cannot_be_ranked_are_listed_with_the_reason() {
    let project = small(
        "[[version]]\nname = \"syntax\"\nchanged = [\"p.c:1\"]\n[[version]]\nname = \"hunk\"\npatch = \"hunk.patch\"\nchanged = [\"p.c:1\"]\n\
         [[version]]\nname = \"beyond\"\nchanged = [\"p.c:7\"]\n[[version]]\nname = \"all\"\nchanged = [\"p.c:1\"]\n",
    );
    project
        .write("p/versions/syntax/p.c", "int main(void) { return 0\n")
        .write("p/hunk.patch", "--- a/p.c\n+++ b/p.c\n@@ -1 +1 @@\n-nowhere\n+here\n")
        .write("p/versions/beyond/p.c", "int main(void) { return 0; }\n")
        .write("p/versions/all/p.c", "int main(void) { return 2; }\n");
    let message = project.fail(&["eval", "."], 4);
    assert!(message.contains("none of the 4 versions can be ranked"), "{message}");
    let report: Value =
        serde_json::from_str(&fs::read_to_string(project.path().join("results/report.json")).unwrap()).unwrap();
    assert!(reason(&report, "p/syntax").contains("does not build"), "{report}");
    assert!(reason(&report, "p/hunk").contains("hunk.patch: does not apply"), "{report}");
    assert!(reason(&report, "p/beyond").contains("p.c:7 is beyond the file's end"), "{report}");
    assert_eq!(reason(&report, "p/all"), "all 4 tests fail");
}

#[test]
fn versions_of_a_program_whose_correct_version_does_not_build_say_so() {
    let project = small("[[version]]\nname = \"v\"\nchanged = [\"p.c:1\"]\n");
    project.write("p/correct/p.c", "not C\n").write("p/versions/v/p.c", "int main(void) { return 0; }\n");
    project.fail(&["eval", "p"], 4);
    let report: Value =
        serde_json::from_str(&fs::read_to_string(project.path().join("p/results/report.json")).unwrap()).unwrap();
    assert!(reason(&report, "p/v").contains("the correct version: it does not build"), "{report}");
}

#[test]
fn spent_budget_names_what_was_not_run_and_a_later_evaluation_runs_it() {
    let project = small("[[version]]\nname = \"v\"\nchanged = [\"p.c:4\"]\n");
    project.write(
        "p/versions/v/p.c",
        "#include <stdlib.h>\nint main(int n, char **v)\n{\n    return n > 1 && atoi(v[1]) > 8;\n}\n",
    );
    let none = report(&project, &["--budget", "0", "--methods", "ochiai", "."]);
    assert_eq!((none["not_run"][0].as_str(), none["total"]["versions"].as_u64()), (Some("p/v"), Some(0)));
    let all = report(&project, &["--budget", "10min", "--methods", "ochiai", "."]);
    assert_eq!((all["not_run"].as_array().unwrap().len(), all["total"]["versions"].as_u64()), (0, Some(1)));
    // A changed version is run again.
    project.write(
        "p/versions/v/p.c",
        "#include <stdlib.h>\nint main(int n, char **v)\n{\n    return n > 1 && atoi(v[1]) > 3;\n}\n",
    );
    let changed = report(&project, &["--methods", "ochiai", "."]);
    assert_eq!(changed["versions"][0]["tests"]["failing"], 1);
    assert_eq!(all["versions"][0]["tests"]["failing"], 1);
    assert_ne!(changed["times"], all["times"]);
}

#[test]
fn methods_that_try_changes_are_evaluated_on_what_each_version_does_with_them() {
    let project = small("[[version]]\nname = \"v\"\nchanged = [\"p.c:5\"]\n");
    let program = |bound: u32| {
        format!(
            "#include <stdlib.h>\nint main(int n, char **v)\n{{\n    int x = n > 1 ? atoi(v[1]) : 0;\n    return x > {bound};\n}}\n"
        )
    };
    project.write("p/correct/p.c", &program(5)).write("p/versions/v/p.c", &program(4));
    project.write("p/correct/tests.txt", "1\n4\n5\n6\n9\n");
    let all = ["--methods", "ochiai,cdfl,direct,flip,repair,all_evidence", "--features", "lines.jsonl", "."];
    let first = report(&project, &all);
    assert_eq!(first["versions"][0]["tests"]["failing"], 1);
    // Everything executes every line: coverage says nothing; another bound repairs.
    assert_eq!(positions(&first, "p/v", "ochiai")[0][3], 3.0);
    assert_eq!(positions(&first, "p/v", "repair")[0][2..], [1.0, 2.0], "another x does, too");
    assert!(positions(&first, "p/v", "all_evidence")[0][0] <= 2.0);
    assert!(positions(&first, "p/v", "cdfl")[0][2] >= 1.0 && positions(&first, "p/v", "direct")[0][2] >= 1.0);
    let lines = fs::read_to_string(project.path().join("lines.jsonl")).unwrap();
    assert!(lines.lines().any(|line| line.contains("p.c:5") && line.contains("\"is_faulty\":true")), "{lines}");
    let again = report(&project, &all);
    for what in ["build", "tests"] {
        assert_eq!(again["times"][what], first["times"][what], "nothing is built or run twice");
    }
    let build = first["times"]["build"].clone();
    assert_eq!(timeless(again), timeless(first));
    let paper = report(&project, &["--methods", "cdfl_paper,cdfl", "."]);
    assert!(positions(&paper, "p/v", "cdfl_paper")[0][2] >= 1.0);
    assert_eq!(paper["times"]["build"], build, "the paper's method reads the same trials");
}

#[test]
fn tests_that_the_correct_version_does_not_pass_do_not_count() {
    let project = Project::new();
    let program = |bound: &str| {
        format!(
            "#include <stdio.h>\n#include <stdlib.h>\nint main(int n, char **v)\n{{\n    if (atoi(v[1]) > {bound})\n        \
             puts(\"big\");\n    if (atoi(v[1]) == 99)\n        printf(\"%d\\n\", rand() ? getpid() : n);\n    return 0;\n}}\n"
        )
        .replace("#include <stdlib.h>", "#include <stdlib.h>\nint getpid(void);")
    };
    project
        .write("p/correct/p.c", &program("5"))
        .write("p/versions/v/p.c", &program("8"))
        .write("p/correct/t/1", "1\n7\n9\n")
        .write("p/correct/expected/1", "")
        .write("p/correct/expected/2", "big\n")
        .write("p/correct/expected/3", "wrong on purpose\n")
        .write("p/correct/t/2", "2\n6\n99\n")
        .write(
            "p/eval.toml",
            "[build]\ncommand = \"cc -o p p.c\"\n[[suite]]\nkind = \"lines\"\nfile = \"t/1\"\nrun = \"./p {line}\"\n\
             expect = \"expected/{n}\"\n[[suite]]\nkind = \"lines\"\nfile = \"t/2\"\nrun = \"./p {line}\"\n\
             [[version]]\nname = \"v\"\nchanged = [\"p.c:6\"]\n",
        );
    let found = report(&project, &["--methods", "ochiai", "."]);
    // 7 fails by its file, 6 by the correct version's output. 9 has a file that nothing fits, 99 writes something else each time.
    let tests = &found["versions"][0]["tests"];
    assert_eq!([&tests["failing"], &tests["passing"], &tests["excluded"]].map(Value::as_u64), [Some(2); 3]);
    assert!(found["notes"][0].as_str().unwrap().contains("p/v: 2 tests do not count"), "{found}");
}

#[test]
fn a_killed_evaluation_goes_on_where_it_was() {
    let sections: Vec<String> =
        ["a", "b", "c"].iter().map(|v| format!("[[version]]\nname = \"{v}\"\nchanged = [\"p.c:4\"]\n")).collect();
    let project = small(&sections.concat());
    for (version, bound) in [("a", 3), ("b", 7), ("c", 8)] {
        let text = format!(
            "#include <stdlib.h>\nint main(int n, char **v)\n{{\n    return n > 1 && atoi(v[1]) > {bound};\n}}\n"
        );
        project.write(&format!("p/versions/{version}/p.c"), &text);
    }
    let arguments = ["--methods", "ochiai", "--jobs", "1", "p"];
    let mut command = std::process::Command::new(tool());
    command.arg("eval").args(arguments).current_dir(project.path()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let first = project.path().join("p/results/p/a.json");
    let begun = Instant::now();
    while !first.exists() {
        assert!(begun.elapsed() < Duration::from_secs(120), "no version is done");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = fs::metadata(&first).unwrap().modified().unwrap();
    let resumed = report(&project, &arguments);
    assert_eq!(fs::metadata(&first).unwrap().modified().unwrap(), before, "the first version is done again");
    let whole = report(&project, &["--methods", "ochiai", "-o", "whole", "p"]);
    assert_eq!(timeless(resumed), timeless(whole.clone()));
    // What was recorded is gone, and other methods are asked for: it runs again.
    fs::remove_dir_all(project.path().join("whole/p/work")).unwrap();
    let again = report(&project, &["--methods", "ochiai,cln", "-o", "whole", "p"]);
    assert_eq!(positions(&again, "p/b", "ochiai"), positions(&whole, "p/b", "ochiai"));
}

#[test]
fn wrong_benchmarks_are_refused_by_name() {
    let refused = |versions: &str, words: &[&str]| {
        let message = small(versions).fail(&["eval", "."], 1);
        assert!(words.iter().all(|word| message.contains(word)), "{message} lacks one of {words:?}");
    };
    refused("[[version]]\nname = \"v\"\nchnged = [\"p.c:1\"]\n", &["p/eval.toml:9", "did you mean `changed`"]);
    refused("[[version]]\nname = \"v\"\npatch = \"v.patch\"\nchanged = [\"p.c:1\"]\n", &["v.patch", "not there"]);
    refused("[[version]]\nname = \"correct\"\nchanged = [\"p.c:1\"]\n", &["eval.toml", "`correct`"]);
    let project = small("[[version]]\nname = \"v\"\n");
    project.write("p/versions/v/p.c", "");
    assert!(project.fail(&["eval", "."], 1).contains("no faulty line"));
    assert!(Project::new().fail(&["eval", "."], 1).contains("docs/eval.md"));
    assert!(project.fail(&["eval", ".", "--methods", "ochai"], 1).contains("did you mean `ochiai`"));
    assert!(project.fail(&["eval", ".", "--methods", "ochiai", "--against", "cln"], 1).contains("--methods"));
}

#[test]
fn schema_file_is_what_the_code_says() {
    let schema = schemars::schema_for!(suspect::eval::EvalReport);
    let expected = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/eval.schema.json");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(path, &expected).unwrap();
    }
    assert_eq!(fs::read_to_string(path).unwrap_or_default(), expected, "UPDATE_EXPECT=1 writes it anew");
}
