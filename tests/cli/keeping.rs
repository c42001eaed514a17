//! What the store keeps: a number of nights, whoever else runs and whenever somebody is killed, and a clear word about what is damaged.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::nightly::{absolute, night};
use crate::project::{Project, text};

const TESTS: [(&str, &str); 3] = [("3", "3"), ("-1", "1"), ("0", "0")];

fn keep(project: &Project, n: u32) {
    let config = fs::read_to_string(project.path().join("suspect.toml")).unwrap();
    project.write("suspect.toml", &config.replace("[[suite]]", &format!("[store]\nkeep = {n}\n\n[[suite]]")));
}

fn runs(project: &Project) -> Vec<u64> {
    let entries = fs::read_dir(project.path().join(".suspect/runs")).unwrap();
    let mut numbers: Vec<u64> = entries.filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok()).collect();
    numbers.sort_unstable();
    numbers
}

#[test]
fn as_many_nights_as_asked_for_are_kept() {
    let project = absolute(true, &TESTS);
    keep(&project, 2);
    for _ in 0..3 {
        // What is older is told by seconds.
        std::thread::sleep(Duration::from_millis(1100));
        night(&project, &["--budget", "1min"], 2);
    }
    assert_eq!(runs(&project), [2, 3]);
    let evidence = fs::read_dir(project.path().join(".suspect/evidence")).unwrap().count();
    assert!((1..=2).contains(&evidence), "{evidence}");
    project.succeed(&["diff", "2"]);
    keep(&project, 0);
    let config = fs::read_to_string(project.path().join("suspect.toml")).unwrap();
    project.write("suspect.toml", &config.replacen("[store]\nkeep = 2\n\n", "", 1));
    assert!(project.fail(&["run"], 1).contains("`keep` is how many nights are kept, at least 1"));
}

#[test]
fn nights_at_the_same_time_wait_for_nobody_and_break_nothing() {
    let project = absolute(true, &TESTS);
    keep(&project, 2);
    night(&project, &["--budget", "1min"], 2);
    for _ in 0..3 {
        let start =
            || project.command(&["run", "--budget", "1min"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let together: Vec<_> = (0..3).map(|_| start().unwrap()).collect();
        for child in together {
            let output = child.wait_with_output().unwrap();
            let said = text(&output);
            match output.status.code() {
                Some(2 | 3) => {}
                Some(7) => assert!(said.contains("in use by another suspect"), "{said}"),
                // Another one has built or recorded since.
                Some(8) => assert!(said.contains("run `suspect test` again"), "{said}"),
                code => panic!("{code:?}: {said}"),
            }
        }
    }
    night(&project, &["--budget", "1min"], 2);
    assert!(runs(&project).len() <= 2);
}

#[test]
fn killed_at_any_moment_the_store_stays_usable() {
    let project = absolute(true, &TESTS);
    keep(&project, 2);
    night(&project, &["--budget", "1min"], 2);
    let began = Instant::now();
    night(&project, &["--budget", "1min"], 2);
    let takes = began.elapsed();
    for part in 0..12 {
        let mut command = project.command(&["run", "--budget", "1min"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(takes * part / 12);
        child.kill().unwrap();
        child.wait().unwrap();
        let first = runs(&project)[0].to_string();
        project.succeed(&["diff", &first]);
        project.succeed(&["report", "--format", "json"]);
    }
    night(&project, &["--budget", "1min"], 2);
    let left = fs::read_dir(project.path().join(".suspect/runs")).unwrap().count();
    assert_eq!((left, runs(&project).len()), (2, 2), "nothing is left of runs that were killed");
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap().flatten() {
        match entry.path() {
            path if path.is_dir() => found.extend(files(&path)),
            path => found.push(path),
        }
    }
    found.sort();
    found
}

/// The contents of a store without what is only a lock.
fn contents(store: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let kept =
        files(store).into_iter().filter(|path| !path.ends_with("lock") && path.extension().is_none_or(|e| e != "lock"));
    kept.map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

#[test]
fn damaged_foreign_and_older_files_get_one_clear_error_and_lose_nothing() {
    let project = absolute(true, &TESTS);
    night(&project, &["--budget", "1min"], 2);
    let store = project.path().join(".suspect");
    let whole = contents(&store);
    let mut refused = 0;
    for name in
        ["runs/1/run.json", "runs/1/night.json", "runs/1/executions", "runs/1/sites/0", "claims.json", "ranking.json"]
    {
        let path = store.join(name);
        let bytes = &whole[&path];
        let older = String::from_utf8_lossy(bytes).replace("\"version\": 1", "\"version\": 0");
        let damages: [(&str, Vec<u8>); 4] = [
            ("cut", bytes[..bytes.len() / 2].to_vec()),
            ("empty", Vec::new()),
            ("foreign", b"#!/bin/sh\necho something else\n".to_vec()),
            ("older", older.into_bytes()),
        ];
        for (how, damage) in damages.iter().filter(|(_, damage)| damage != bytes) {
            fs::write(&path, damage).unwrap();
            for arguments in
                [&["diff", "1"][..], &["rank", "--no-trials"], &["replay", "0"], &["report", "--format", "json"]]
            {
                let output = project.suspect(arguments);
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                assert!(!said.contains("panicked"), "{name} {how} {arguments:?}: {said}");
                if !output.status.success() {
                    refused += 1;
                    let errors: Vec<&str> = said.lines().filter(|line| line.starts_with("suspect: ")).collect();
                    assert_eq!(errors.len(), 1, "{name} {how} {arguments:?}: {said}");
                    assert!([1, 7, 8].contains(&output.status.code().unwrap()), "{name} {how} {arguments:?}: {said}");
                }
            }
            fs::write(&path, bytes).unwrap();
            for (path, bytes) in &whole {
                let now = fs::read(path).unwrap_or_else(|error| panic!("{name} {how}: {}: {error}", path.display()));
                // What a ranking claims and how it ranks is written anew by each, and so is the report of it.
                let anew = ["claims.json", "ranking.json", "report.json", "report.state"];
                let is_rewritten = anew.iter().any(|name| path.ends_with(name));
                assert!(is_rewritten || now == *bytes, "{name} {how}: {} changed", path.display());
            }
        }
    }
    assert!(refused >= 20, "{refused}");
}
