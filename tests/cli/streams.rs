//! What commands print: into a pipe that nobody reads, as JSON, and of files that suspect wrote.

use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;

use crate::project::Project;

/// A program of which two tests fail, with everything that can be known of it.
fn known() -> Project {
    let project = Project::new();
    project.copy_program("minmax.c").write("tests.txt", "1 2 3\n3 2 1\n2 1 3\n").write(
        "suspect.toml",
        "[build]\ncommand = \"cc -g -O1 -o prog minmax.c && echo built\"\n\n[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\n\
         run = \"./prog {line}\"\nexpect = \"expected/{n}\"\n",
    );
    for test in 1..=3 {
        project.write(&format!("expected/{test}"), "nothing of the kind\n");
    }
    project.succeed(&["build"]);
    // What the first test prints is right, and what the second one expects can be had by a change.
    let first = std::process::Command::new(project.path().join("prog")).args(["1", "2", "3"]).output().unwrap();
    project.write("expected/1", &String::from_utf8_lossy(&first.stdout)).write("expected/2", "3\n");
    project.succeed(&["test"]);
    for command in [&["rank", "--budget", "60s"][..], &["mutate", "--budget", "2s"], &["report"]] {
        project.succeed(command);
    }
    project
}

fn files(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

#[test]
fn every_file_of_the_store_is_printed() {
    let project = known();
    let mut found = Vec::new();
    files(&project.path().join(".suspect"), &mut found);
    assert!(found.len() > 15, "{found:?}");
    for path in found.iter().filter(|path| !path.is_symlink()) {
        let text = project.succeed(&["dump", path.to_str().unwrap()]);
        // Where the time was over before the first trial a log of outcomes is empty, and that is said.
        let is_log = path.extension().is_some_and(|extension| extension == "outcomes");
        let is_empty = std::fs::read(path).unwrap().is_empty();
        assert_eq!(text.is_empty(), is_empty && !is_log, "{}", path.display());
    }
    let edges = project.succeed(&["dump", ".suspect/runs/1/executions"]);
    assert!(edges.lines().any(|line| line.starts_with("test 0 edges taken: 0=1")), "{edges}");
    project.write("broken", "SUSF and no frame");
    assert!(project.fail(&["dump", "broken"], 7).contains("broken is damaged"));
}

#[test]
fn commands_whose_output_nobody_reads_end_quietly() {
    let project = known();
    let commands = [
        "rank --no-trials",
        "doctor",
        "methods",
        "report",
        "mutants --list",
        "graph --format dot",
        "slice 2 output",
        "completions bash",
        "ask P(e)",
        "--help",
        "dump .suspect/runs/1/executions",
        "test",
        "build",
    ];
    for command in commands {
        for stderr in [false, true] {
            let mut command: Vec<&str> = command.splitn(3, ' ').collect();
            command.retain(|word| !word.is_empty());
            let (reader, writer) = std::io::pipe().unwrap();
            let mut child = project.command(&command);
            child.stdout(writer.try_clone().unwrap());
            child.stderr(if stderr { Stdio::from(writer) } else { Stdio::piped() });
            drop(reader);
            let mut child = child.spawn().unwrap();
            let mut said = String::new();
            if let Some(mut stderr) = child.stderr.take() {
                stderr.read_to_string(&mut said).unwrap();
            }
            let status = child.wait().unwrap();
            let is_quiet = status.success() || status.signal() == Some(13);
            assert!(is_quiet, "{command:?}: {status} {said}");
            assert!(!said.contains("pipe") && !said.contains("panicked"), "{command:?}: {said}");
        }
    }
}

#[test]
fn answers_are_json_where_that_is_asked() {
    let project = known();
    let json = |arguments: &[&str]| -> Value {
        let text = project.succeed(&[arguments, &["--format", "json"]].concat());
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {text}"))
    };
    assert_eq!(json(&["methods", "ochiai"])["id"], "ochiai");
    assert!(json(&["methods"]).as_array().unwrap().len() > 221);
    let answer = json(&["ask", "P(e)"]);
    assert!(answer["value"].as_f64().unwrap() <= 1.0 && answer["exact"].is_string(), "{answer}");
    assert!(json(&["doctor"])["checks"].is_array());
    let ranking = json(&["rank", "--no-trials"]);
    let claims = ranking["ranking"].as_array().unwrap().iter().flat_map(|entry| entry["reasons"].as_array().unwrap());
    let claim = claims.filter_map(|reason| reason["claim"]["id"].as_str()).next().expect("a claim");
    let replayed = json(&["replay", claim]);
    assert!(replayed["tests"].as_array().unwrap().iter().all(|test| test["holds"] == true), "{replayed}");
    let tested = json(&["test"]);
    let passed: Vec<&Value> = tested["tests"].as_array().unwrap().iter().map(|test| &test["passed"]).collect();
    assert_eq!(passed, [true, false, false]);
    let mutated = json(&["mutate", "--nodes", "main()", "--samples", "1", "--shard", "1/1"]);
    assert!(mutated["trials"].as_u64() > Some(0) && mutated["planned"] == mutated["trials"], "{mutated}");
    let joined = json(&["merge"]);
    assert_eq!((&joined[0]["parts"], &joined[0]["of"]), (&Value::from(1), &Value::from(1)), "{joined}");
    let built = json(&["build"]);
    assert_eq!(built["status"], 0, "the command's own output is no part of the document: {built}");
    std::fs::remove_file(project.path().join("suspect.toml")).unwrap();
    let initial = json(&["init"]);
    assert!(initial["file"].as_str().unwrap().ends_with("suspect.toml"), "{initial}");
    assert!(initial["build"].as_str().unwrap().contains("minmax.c"), "{initial}");
}
