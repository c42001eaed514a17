//! What a project's own tests said, whoever ran them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::project::Project;

/// `pass`, `fail` or `skip` for each test by its name.
pub type Results = BTreeMap<String, String>;

/// One line `== NAME STATUS`.
pub fn ended(line: &str) -> Option<(String, String)> {
    let (name, status) = line.strip_prefix("== ")?.split_once(' ')?;
    Some((name.to_string(), if status == "0" { "pass" } else { "fail" }.to_string()))
}

/// From what `ctest` prints: ` 1/2 Test #1: example ...   Passed    0.01 sec`.
pub fn ctest(printed: &str) -> Results {
    let result = |line: &str| {
        let (_, rest) = line.split_once("Test ")?.1.split_once(": ")?;
        let (name, rest) = rest.split_once(' ')?;
        Some((name.to_string(), if rest.contains(" Passed ") { "pass" } else { "fail" }.to_string()))
    };
    printed.lines().filter_map(result).collect()
}

/// From the result files that Automake's test driver leaves below a directory, by their paths without ending.
pub fn automake(directory: &Path) -> Results {
    let mut results = Results::new();
    let mut directories = vec![directory.to_path_buf()];
    while let Some(below) = directories.pop() {
        for entry in fs::read_dir(below).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.is_symlink() {
                directories.push(path);
            } else if path.extension().is_some_and(|ending| ending == "trs") {
                let name = path.strip_prefix(directory).unwrap().with_extension("");
                results.insert(name.to_string_lossy().into_owned(), automake_result(&path));
            }
        }
    }
    results
}

fn automake_result(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let word = text.lines().find_map(|line| line.strip_prefix(":global-test-result: "));
    match word.unwrap_or_else(|| panic!("{}: {text}", path.display())) {
        "PASS" | "XFAIL" => "pass".to_string(),
        "SKIP" => "skip".to_string(),
        _ => "fail".to_string(),
    }
}

/// From the last run that suspect recorded.
pub fn recorded(project: &Project) -> Results {
    let run = fs::read(project.path().join(".suspect/runs/1/run.json")).unwrap();
    let run: serde_json::Value = serde_json::from_slice(&run).unwrap();
    let result = |test: &serde_json::Value| {
        let verdict = test["verdict"].as_str().unwrap();
        let word = verdict.split([':', ';', ' ']).next().unwrap();
        assert!(word == "skip" || test["processes"].as_u64() > Some(0), "{test}");
        (test["name"].as_str().unwrap().to_string(), word.to_string())
    };
    run["tests"].as_array().unwrap().iter().map(result).collect()
}
