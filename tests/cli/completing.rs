//! What shells offer while somebody types, and parts of names that are enough.

use std::os::unix::fs::symlink;
use std::process::Command;

use crate::project::{Project, tool};

/// A project with three tests, of which the last fails, and what was ranked.
fn known() -> Project {
    let project = Project::new();
    project.copy_program("minmax.c");
    let suite = "kind = \"cases\"\ninputs = \"cases/*/*.in\"\nrun = \"read -r all < {input}; exec ./prog $all\"\nexpect = \"cases/{stem}.out\"\n";
    project.write("suspect.toml", &format!("[build]\ncommand = \"cc -g -O1 -o prog minmax.c\"\n\n[[suite]]\n{suite}"));
    for (name, numbers) in [("ends/rising", "1 2 3"), ("ends/climbing", "2 3 1"), ("mid/mixed", "3 2 1")] {
        project.write(&format!("cases/{name}.in"), &format!("{numbers}\n"));
    }
    project.succeed(&["build"]);
    for (name, numbers) in [("rising", "1 2 3"), ("climbing", "2 3 1")] {
        let ran = Command::new(project.path().join("prog")).args(numbers.split(' ')).output().unwrap();
        project.write(&format!("cases/ends/{name}.out"), &String::from_utf8(ran.stdout).unwrap());
    }
    project.write("cases/mid/mixed.out", "3\n");
    project.suspect(&["test"]);
    project.succeed(&["rank", "--budget", "60s"]);
    project
}

/// What bash offers after these words, the last of which is being typed.
fn offered(project: &Project, words: &str) -> Vec<String> {
    let bin = tempfile::tempdir().unwrap();
    symlink(tool(), bin.path().join("suspect")).unwrap();
    let path = format!("{}:{}", bin.path().display(), std::env::var("PATH").unwrap());
    let script = format!(
        "source <(suspect completions bash); COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
         _suspect_complete suspect \"${{COMP_WORDS[$COMP_CWORD]}}\" \"\"; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    );
    let ran = Command::new("bash")
        .args(["-c", &script])
        .env("PATH", path)
        .current_dir(project.path())
        .output()
        .expect("bash is there on every machine that this runs on");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn bash_offers_tests_methods_lines_and_claims_of_the_project() {
    let project = known();
    assert_eq!(offered(&project, "suspect expl"), ["explain"]);
    assert_eq!(offered(&project, "suspect explain ends/r"), ["ends/rising"]);
    assert_eq!(offered(&project, "suspect explain mix"), ["mid/mixed"], "none begins so");
    assert_eq!(offered(&project, "suspect explain mid/mixed --against ends/c"), ["ends/climbing"]);
    assert!(offered(&project, "suspect rank --method och").contains(&"ochiai".into()));
    let lines = offered(&project, "suspect rank --why min");
    let ranking = project.ranking(&["--no-trials"])["ranking"].clone();
    let first = &ranking[0];
    assert_eq!(lines[0], format!("{}:{}", first["file"].as_str().unwrap(), first["line"]), "the likeliest comes first");
    // Bash takes the colon for the end of a word.
    let (file, line) = (first["file"].as_str().unwrap(), first["line"].to_string());
    assert_eq!(offered(&project, &format!("suspect rank --why {file} : {line}"))[0], line);
    assert!(offered(&project, &format!("suspect rank --why {file} :")).contains(&line));
    let brief: serde_json::Value = serde_json::from_str(&project.succeed(&["rank", "--no-trials", "--brief"])).unwrap();
    let claim = brief["best"]["id"].as_str().unwrap().to_owned();
    assert!(offered(&project, &format!("suspect replay {}", &claim[..4])).contains(&claim));
    assert_eq!(offered(&project, "suspect explain nothing-like-it"), [""]);
}

#[test]
fn a_part_of_a_tests_name_is_enough() {
    let project = known();
    let explained = project.suspect(&["explain", "mixed", "--against", "rising"]);
    let said = crate::project::text(&explained);
    assert!(said.contains("mid/mixed compared with ends/rising"), "{said}");
    let several = project.fail(&["explain", "ing"], 1);
    assert!(several.contains("`ing` is a part of 2 tests' names, of `ends/climbing`, `ends/rising`"), "{several}");
    let unknown = project.fail(&["slice", "rissing", "output"], 1);
    assert!(unknown.contains("no test is called `rissing`; did you mean `rising`?"), "{unknown}");
    let graded = project.fail(&["mutants", "--tests", "rissing", "--budget", "1s"], 1);
    assert!(graded.contains("--tests rissing: no test is called `rissing`"), "{graded}");
}
