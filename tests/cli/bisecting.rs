//! `suspect bisect-step` under a real `git bisect run`.

use std::process::Command;

use crate::nightly::absolute;
use crate::project::{Project, text, tool};

const TESTS: [(&str, &str); 3] = [("3", "3"), ("-1", "1"), ("0", "0")];

fn git(project: &Project, arguments: &[&str]) -> String {
    let identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false"];
    let output = Command::new("git").args(identity).args(arguments).current_dir(project.path()).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", text(&output));
    String::from_utf8_lossy(&output.stdout).trim().to_string()
}

fn program(condition: &str, end: &str) -> String {
    format!(
        "#include <stdio.h>\n#include <stdlib.h>\n\nint main(int argc, char **argv)\n{{\n    int x = argc > 1 ? atoi(argv[1]) : 0;\n    \
         if ({condition})\n        x = -x;\n    printf(\"%d\\n\", x);\n    return 0{end}\n}}\n"
    )
}

fn commit(project: &Project, program: &str) -> String {
    project.write("prog.c", program);
    git(project, &["commit", "-qam", "a change"]);
    git(project, &["rev-parse", "HEAD"])
}

/// Eight commits; the fault came with the returned one, and one beside it does not build.
fn history() -> (Project, String) {
    let project = absolute(false, &TESTS);
    project.write("prog.c", &program("x < 0", ";"));
    git(&project, &["init", "-q"]);
    git(&project, &["add", "prog.c"]);
    git(&project, &["commit", "-qm", "First"]);
    commit(&project, &program("0 > x", ";"));
    commit(&project, &program("x <= -1", ";"));
    commit(&project, &program("!(x >= 0)", ";"));
    let bad = commit(&project, &program("x < -1", ";"));
    commit(&project, &program("x <= -2", ";"));
    commit(&project, &program("x <= -2", ""));
    commit(&project, &program("-2 >= x", ";"));
    (project, bad)
}

#[test]
fn git_bisect_run_finds_the_commit() {
    let (project, bad) = history();
    git(&project, &["bisect", "start", "HEAD", "HEAD~7"]);
    let suspect = tool().to_str().unwrap();
    let said = git(&project, &["bisect", "run", suspect, "bisect-step", "--test", "2"]);
    assert!(said.contains(&format!("{bad} is the first bad commit")), "{said}");
    assert_eq!(said.matches("judging it once more").count(), 1, "{said}");
}

/// As where a test that fails at random had failed there.
#[test]
fn a_bisection_whose_end_does_not_hold_ends_without_a_commit() {
    let (project, bad) = history();
    for (ends, expected) in [
        ([format!("{bad}~1"), "HEAD~7".to_owned()], "was called bad, but all tests pass there now"),
        (["HEAD".to_owned(), bad.clone()], "was called good, but now: 2: fail: output differs"),
    ] {
        git(&project, &["bisect", "start", &ends[0], &ends[1]]);
        let output = Command::new("git")
            .args(["bisect", "run", tool().to_str().unwrap(), "bisect-step", "--test", "2"])
            .current_dir(project.path())
            .output()
            .unwrap();
        let said = text(&output);
        assert!(!output.status.success() && said.contains(expected), "{said}");
        assert!(!said.contains("is the first bad commit"), "{said}");
        git(&project, &["bisect", "reset"]);
    }
}

#[test]
fn a_step_ends_as_git_wants_it() {
    let (project, bad) = history();
    let step = |arguments: &[&str], code: i32| {
        let output = project.suspect(&[&["bisect-step"], arguments].concat());
        assert_eq!(output.status.code(), Some(code), "{arguments:?} {}", text(&output));
        text(&output)
    };
    assert!(step(&[], 128).contains("which test tells good from bad?"));
    step(&["--tset", "2"], 128);
    assert!(step(&["--test", "nine"], 125).contains("no test `nine`"));
    assert!(step(&["--test", "2"], 1).contains("2: fail: output differs"));
    assert!(step(&["--test", "1"], 0).contains("1: passes"));
    // Without --test, what fails in the recorded run.
    project.succeed(&["build"]);
    project.succeed(&["test"]);
    assert!(step(&[], 1).contains("2: fail"));
    git(&project, &["checkout", "-q", &format!("{bad}~1")]);
    step(&[], 0);
    git(&project, &["checkout", "-q", &format!("{bad}~1~2~1")]);
    step(&[], 0);
    project.write("prog.c", "int main(void) {");
    assert!(step(&[], 125).contains("the build command ended with status"));
    // A test whose runs disagree.
    git(&project, &["checkout", "-q", "."]);
    let config = std::fs::read_to_string(project.path().join("suspect.toml")).unwrap();
    let flaky = config.replace("./prog {line}", "./prog {line}; test -e seen && echo more; touch seen");
    project.write("suspect.toml", &flaky);
    assert!(step(&["--test", "1"], 125).contains("1: flaky: pass, fail"));
    std::fs::remove_file(project.path().join("suspect.toml")).unwrap();
    assert!(step(&["--test", "1", "--", "cc", "-o", "prog", "prog.c"], 125).contains("suspect.toml"));
}
