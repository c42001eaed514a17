//! `suspect eval` with methods that read what changes of each version do to its tests.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::project::Project;

const CORRECT: &str = "#include <stdio.h>\n#include <stdlib.h>\nstatic int limit(int n)\n{\n    int most = 5;\n    \
                       if (n > 100)\n        most = 50;\n    return most;\n}\nint main(int n, char **v)\n{\n    \
                       int a = n > 1 ? atoi(v[1]) : 0;\n    if (a >= limit(a))\n        puts(\"big\");\n    else\n        \
                       puts(\"small\");\n    return 0;\n}\n";

/// A benchmark of a program that tells big numbers from small ones; in one version 5 is small, in the other nothing is wrong.
fn benchmark() -> Project {
    let project = Project::new();
    let numbers = ["1", "3", "4", "5", "6", "9", "101", "200"];
    project.write("p/correct/p.c", CORRECT).write("p/correct/tests.txt", &(numbers.join("\n") + "\n"));
    for (n, number) in (1..).zip(numbers) {
        let expected = if number.parse::<u32>().unwrap() >= 5 { "big\n" } else { "small\n" };
        project.write(&format!("p/correct/expected/{n}"), expected);
    }
    project.write("p/versions/most/p.c", &CORRECT.replace("most = 5;", "most = 6;"));
    project.write("p/versions/same/p.c", &CORRECT.replace("most = 50;", "most = 51;"));
    project.write(
        "p/eval.toml",
        "[build]\ncommand = \"cc -g -o p p.c\"\n[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"./p {line}\"\n\
         reference = \"cat expected/{n}\"\n[[version]]\nname = \"most\"\nchanged = [\"p.c:5\"]\nclass = \"constant\"\n\
         [[version]]\nname = \"same\"\nchanged = [\"p.c:7\"]\n",
    );
    project
}

fn lines(project: &Project, file: &str) -> Vec<Value> {
    let text = fs::read_to_string(project.path().join(file)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn versions_are_searched_once_and_their_features_written() {
    let project = benchmark();
    let methods = "ochiai,metallaxis,muse,value_replacement,predicate_switching,flip,flip_share,repair,all_evidence";
    let all = ["eval", "p", "-o", "results", "--format", "json", "--methods", methods, "--features", "lines.jsonl"];
    let first: Value = serde_json::from_str(&project.succeed(&all)).unwrap();
    assert_eq!(first["excluded"][0]["version"], "p/same", "{first}");
    let located = &first["versions"][0]["located"];
    // All lines but two are executed by all tests, so coverage cannot tell the fault from them.
    assert!(located["ochiai"][0]["average"].as_f64().unwrap() > 3.0, "{located}");
    // Changes of three lines repair it: of the limit, of what is returned, of the comparison.
    for (method, within) in [("repair", 2.0), ("all_evidence", 3.0)] {
        assert!(located[method][0]["average"].as_f64().unwrap() <= within, "{method}: {located}");
    }

    let found = lines(&project, "lines.jsonl");
    let names = found[0]["features"].as_array().unwrap();
    let (versions, rows): (Vec<&Value>, Vec<&Value>) = found[1..].iter().partition(|line| line["features"].is_null());
    assert_eq!(versions.len(), 1);
    assert!(versions[0]["trials"].as_u64().unwrap() > 10 && versions[0]["finished"] == true, "{}", versions[0]);
    assert!(
        rows.iter().all(|row| row["features"].as_array().unwrap().len() == names.len() && row["class"] == "constant")
    );
    let faulty: Vec<&&Value> = rows.iter().filter(|row| row["is_faulty"] == true).collect();
    assert_eq!(faulty.iter().map(|row| row["line"].as_str().unwrap()).collect::<Vec<_>>(), ["p.c:5"]);
    let sum: f64 = rows.iter().map(|row| row["probability"].as_f64().unwrap()).sum();
    assert!(sum > 0.9 && sum <= 1.0, "{sum}");

    // Ranking again tries nothing again.
    let before = fs::read(project.path().join("lines.jsonl")).unwrap();
    let again: Value = serde_json::from_str(&project.succeed(&[&all[..], &["--budget", "0"]].concat())).unwrap();
    assert_eq!(again["versions"], first["versions"]);
    assert_eq!(fs::read(project.path().join("lines.jsonl")).unwrap(), before);

    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/accuracy/calibration");
    let output = Command::new(script).arg(project.path().join("results")).output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(told.starts_with("1 versions\n") && told.contains("the fault is among the first 10: 1 cases"), "{told}");
}

#[test]
fn a_number_of_trials_ends_the_search_of_a_version_and_comes_to_the_same_again() {
    let project = benchmark();
    let some = |most: &str, more: &[&str]| {
        let all = [
            "eval",
            "p",
            "-o",
            "results",
            "--methods",
            "all_evidence",
            "--search-trials",
            most,
            "--features",
            "lines.jsonl",
        ];
        project.succeed(&[&all[..], more].concat());
        lines(&project, "lines.jsonl")
    };
    let few = some("20", &[]);
    // Rounds end together, and what a trial asks for may be one round more.
    assert!((20..60).contains(&few[1]["trials"].as_u64().unwrap()), "{}", few[1]);
    let more = some("100000", &[]);
    assert!(more[1]["trials"].as_u64() > few[1]["trials"].as_u64(), "{} {}", few[1], more[1]);
    let again = some("20", &["--fresh"]);
    assert_eq!(again[2..], few[2..]);
}
