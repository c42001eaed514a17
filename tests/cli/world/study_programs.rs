//! The programs of the study of higher-order mutants: that their suites pass and can be run with mutants.

use std::fs;
use std::path::Path;

use crate::project::Project;

/// The program of a directory of tests/programs, built and recorded.
fn recorded(name: &str) -> (Project, String) {
    let project = Project::new();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name), project.path());
    project.succeed(&["build", "--", "cc", "-O1", "-o", name, &format!("{name}.c")]);
    let said = project.succeed(&["test"]);
    (project, said)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        match path.is_dir() {
            true => copy(&path, &to),
            false => fs::write(to, fs::read(&path).unwrap()).unwrap(),
        }
    }
}

/// Programs, what is said of their suites, and a function whose nodes are mutated.
const STUDIED: [(&str, &str, &str); 2] =
    [("parking", "101 passing, 0 failing", "day_fee()"), ("schedule", "106 passing, 0 failing", "dispatch()")];

#[test]
fn all_tests_of_the_study_programs_pass_and_take_mutants() {
    for (name, passing, function) in STUDIED {
        let (project, said) = recorded(name);
        assert!(said.contains(passing), "{name}: {said}");
        let said = project.succeed(&["mutate", "--tests", "all", "--samples", "1", "--nodes", function]);
        let trials = said.lines().find(|line| line.contains(" trials of ")).unwrap_or_else(|| panic!("{name}: {said}"));
        assert!(trials.contains(", 0 by a process each"), "{name}: each trial is forked: {said}");
        assert!(!said.contains("not run") && said.contains("0 say nothing"), "{name}: {said}");
    }
}
