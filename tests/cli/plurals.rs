//! What `suspect rank` says where there is one of something, and where there are more.

use crate::project::{Project, text};

/// It fails where its argument is `f`; some of its functions stay as they are.
const PROGRAM: &str = "__attribute__((naked)) int bare(void) { __asm__(\"ret\"); }\n\
    #ifdef MORE\n__attribute__((naked)) int barer(void) { __asm__(\"ret\"); }\n#endif\n\
    int main(int argc, char **argv) { return argc > 1 && argv[1][0] == 'f'; }\n";

fn built(options: &str) -> Project {
    let project = Project::new();
    project
        .write("prog.c", PROGRAM)
        .write("suspect.toml", "[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"{line}\"\n");
    project.succeed(&["build", "--", "sh", "-c", &format!("cc -O1 {options} -o prog prog.c")]);
    project
}

/// What a ranking says when the tests are these: that pass, fail, or have no trace.
fn said(project: &Project, tests: &str) -> String {
    let line = |test: char| match test {
        '-' => "true\n".to_owned(),
        test => format!("./prog {test}\n"),
    };
    project.write("tests.txt", &tests.chars().map(line).collect::<String>());
    project.suspect(&["test"]);
    text(&project.suspect(&["rank", "-v", "--method", "ochiai"]))
}

#[track_caller]
fn assert_says(said: &str, words: &[&str]) {
    for words in words {
        assert!(said.contains(words), "{words:?} is not in\n{said}");
    }
}

#[test]
fn there_is_one_or_there_are_more() {
    let (one, two) = (built(""), built("-DMORE"));
    assert_says(&said(&one, "p"), &["the one test passes: there is no failure"]);
    assert_says(&said(&one, "f"), &["the one test fails: without a passing test"]);
    assert_says(&said(&one, "pp-"), &["all 2 tests pass (1 more does not count: flaky"]);
    assert_says(&said(&one, "ff--"), &["all 2 tests fail (2 more do not count: flaky"]);
    assert_says(
        &said(&one, "fp-"),
        &[
            "one failing test against 1 passing: a second failing test",
            "one test does not count: flaky, skipped or without a trace (`suspect test` names it)",
            "one function is not instrumented (`suspect doctor` names it)",
            "executed by 1 of 1 failing",
        ],
    );
    assert_says(
        &said(&two, "ffpp--"),
        &[
            "2 failing tests against 2 passing",
            "2 tests do not count: flaky, skipped or without a trace (`suspect test` names them)",
            "2 functions are not instrumented (`suspect doctor` names them)",
            "executed by 2 of 2 failing",
        ],
    );
}

#[test]
fn failing_tests_that_execute_nothing_instrumented_are_told_of_and_leave_the_others_their_trials() {
    let project = Project::new();
    let main = "int part(int);\nint main(int argc, char **argv) { return argc > 2 || part(argv[1][0] - '0'); }\n";
    let tests: String =
        (0..40).map(|n| format!("./prog 1 {n}\n")).chain((1..6).map(|n| format!("./prog {n}\n"))).collect();
    project
        .write("main.c", main)
        .write("part.c", "int part(int n)\n{\n    return n > 3;\n}\n")
        .write("tests.txt", &tests)
        .write("suspect.toml", "[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"{line}\"\n");
    let build = "cc -g -O1 -c part.c && /usr/bin/cc -c main.c && cc -o prog main.o part.o";
    project.succeed(&["build", "--", "sh", "-c", build]);
    project.suspect(&["test"]);
    let said = text(&project.suspect(&["rank"]));
    assert_says(
        &said.split_whitespace().collect::<Vec<_>>().join(" "),
        &[
            "40 of 42 failing tests execute no instrumented code: the fault may lie outside it, as in C++",
            "return n > 3;",
            "makes test 44 and test 45 pass",
        ],
    );
    assert!(!said.contains(" 0 trials"), "{said}");
}
