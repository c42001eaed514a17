//! `suspect try`: answers about commands, without suspect.toml.

use crate::project::{Project, text};

const SOURCE: &str = "#include <stdio.h>\n#include <stdlib.h>\nstatic int cost(int kilos)\n{\n    if (kilos > 10)\n        return 9;\n    return 4;\n}\n\
                      int main(void)\n{\n    int kilos = 0;\n    if (scanf(\"%d\", &kilos) != 1)\n        abort();\n    printf(\"%d\\n\", cost(kilos));\n    \
                      return 0;\n}\n";

/// A built program without suspect.toml: 10 kilos should cost 9.
fn project() -> Project {
    let project = Project::new();
    project
        .write("prog.c", SOURCE)
        .write("bad", "10\n")
        .write("good", "9\n")
        .write("light", "3\n")
        .write("heavy", "20\n");
    project.write("none", "");
    project.succeed(&["build", "--", "cc", "-O1", "-o", "prog", "prog.c"]);
    project
}

const FAIL: [&str; 3] = ["try", "--fail", "./prog < bad"];

#[test]
fn the_line_behind_a_failing_command_is_ranked() {
    let project = project();
    let passing = ["--expect", "good", "--pass", "./prog < light", "--pass", "./prog < heavy"];
    let output = project.suspect(&[&FAIL[..], &passing].concat());
    let said = text(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    let answer = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        answer.starts_with("fail/1 fails: ./prog < bad\n   - 9  (expected, line 1)\n   + 4  (written, line 1)\n"),
        "{said}"
    );
    assert!(
        answer.contains("5  if (kilos > 10)\n                with `kilos >= 10`: fail/1 passes, 2 of 2 others"),
        "{said}"
    );
    // Nothing is left but what is suspect's own.
    assert!(!project.path().join("suspect.toml").exists());
    assert!(project.fail(&["rank"], 7).contains("no recorded run"));
}

#[test]
fn a_crash_needs_no_expected_output() {
    let project = project();
    let output = project.suspect(&["try", "--fail", "./prog < none", "--pass", "./prog < light"]);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("fail/1 fails: ./prog < none") && said.contains("SIGABRT"), "{said}");
}

#[test]
fn what_cannot_be_tried_is_said() {
    let project = project();
    let said = project.fail(&FAIL, 4);
    assert!(said.contains("does not fail") && said.contains("--expect FILE"), "{said}");
    let said = project.fail(&[&FAIL[..], &["--expect", "nowhere"]].concat(), 1);
    assert!(said.contains("nowhere"), "{said}");
    let said = project.fail(&[&FAIL[..], &["--fail", "./prog < none", "--expect", "good"]].concat(), 1);
    assert!(said.contains("--fail once"), "{said}");
    let said = project.fail(&[&FAIL[..], &["--expect", "good", "--pass", "./prog < none"]].concat(), 4);
    assert!(said.contains("does not end well") && said.contains("./prog < none"), "{said}");
    let said = project.fail(&["try", "--fail", "true", "--expect", "good"], 5);
    assert!(said.contains("suspect build"), "{said}");
}
