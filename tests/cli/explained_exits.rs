//! Explanations of runs that end themselves: where a program gives up, and what only answers a check.

use serde_json::Value;

use crate::project::{Project, line_of};

fn line(program: &str, tag: &str) -> u64 {
    line_of(&format!("why/{program}.c"), &format!("/* {tag} "))
}

/// A project of one program and these lines of arguments, each with what is written, if that is judged; ranked.
fn ranked(program: &str, tests: &[(&str, &str)], judged: &str) -> Project {
    let project = Project::new();
    let source = format!("{}/tests/programs/why/{program}.c", env!("CARGO_MANIFEST_DIR"));
    project.write(&format!("{program}.c"), &std::fs::read_to_string(source).unwrap());
    for (number, (words, written)) in (1..).zip(tests) {
        project.write(&format!("in/{number}"), words);
        project.write(&format!("out/{number}"), written);
    }
    let run = format!("\"./{program} $(cat {{input}})\"");
    project.write(
        "suspect.toml",
        &format!("[[suite]]\nkind = \"cases\"\ninputs = \"in/*\"\nrun = {run}\nexpect = \"out/{{stem}}\"\n{judged}"),
    );
    project.succeed(&["build", "--", "cc", "-g", "-O0", "-o", program, &format!("{program}.c")]);
    project.suspect(&["test"]);
    project.suspect(&["rank"]);
    project
}

fn explained(project: &Project) -> Value {
    let output = project.suspect(&["explain", "--format", "json"]);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

#[test]
fn a_run_that_gives_up_is_followed_from_there() {
    let tests = [
        ("a", "1 words\n"),
        ("ab(c)", "2 words\n"),
        ("()", "0 words\n"),
        ("(d)e()", "2 words\n"),
        ("((f))", "1 words\n"),
    ];
    let found = explained(&ranked("nested", &tests, "status = 0\n"));
    let told = found["summary"][0].as_str().unwrap();
    assert!(told.starts_with("5 gives up with status 1 at nested.c:"), "{found:#}");
    assert!(told.contains("no word at"), "what it says is told: {told}");
    let lines: Vec<u64> = ["facts", "before"]
        .iter()
        .flat_map(|part| found[part].as_array().into_iter().flatten().filter_map(|point| point["line"].as_u64()))
        .collect();
    assert!(lines.contains(&line("nested", "L1")) && lines.contains(&line("nested", "L3")), "{found:#}");
}

#[test]
fn the_answer_that_a_check_asks_for_is_no_end() {
    let tests = [
        ("a.b:80 a.b", "as expected\n"),
        ("c c", "as expected\n"),
        ("d.e.f d.e.f", "as expected\n"),
        ("[::1]:80 [::1]", "as expected\n"),
    ];
    let found = explained(&ranked("verdict", &tests, ""));
    let last = found["origins"].as_array().into_iter().flatten().next_back();
    let is_verdict = last.is_some_and(|origin| origin["point"]["line"] == line("verdict", "L1"));
    let before = found["before"].as_array().is_some_and(|before| !before.is_empty());
    assert!(!is_verdict || before, "the other answer mends any check: {found:#}");
    assert!(found["made"].is_null(), "{found:#}");
}
