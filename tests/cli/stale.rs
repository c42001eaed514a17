//! Sources, suites and releases that changed since the last build or test: nothing old is shown over something new.

use std::fs;

use crate::project::{Project, text};
use crate::recording::lines_suite;

const SOURCE: &str = "#include <stdio.h>\n#include <stdlib.h>\n#include \"limit.h\"\nstatic int cost(int kilos)\n{\n    if (kilos > LIMIT)\n        \
                      return 9;\n    return 4;\n}\nint main(int argc, char **argv)\n{\n    int kilos = argc > 1 ? atoi(argv[1]) : 0;\n    \
                      printf(\"%d\\n\", cost(kilos));\n    return cost(kilos) != atoi(argv[2]);\n}\n";

/// Whether all `words` are in `message`.
#[track_caller]
fn assert_says(message: &str, words: &[&str]) {
    for word in words {
        assert!(message.contains(word), "no {word} in {message}");
    }
}

/// A program of which one of three tests fails: 10 kilos should cost 9.
fn project() -> Project {
    let project = Project::new();
    project.write("prog.c", SOURCE).write("limit.h", "#define LIMIT 10\n").write("tests.txt", "3 4\n10 9\n20 9\n");
    project
        .write("Makefile", "prog: prog.c limit.h\n\t$(CC) -O1 -o prog prog.c\n")
        .write("suspect.toml", &lines_suite(""));
    project.succeed(&["build", "--", "make"]);
    project.succeed(&["test"]);
    project
}

fn mend(project: &Project) {
    project.write("prog.c", &SOURCE.replace("kilos > LIMIT", "kilos >= LIMIT"));
}

#[test]
fn tests_run_in_the_program_of_the_sources_as_they_are() {
    let project = project();
    assert!(project.succeed(&["test"]).contains("2 passing, 1 failing"));
    mend(&project);
    let output = project.suspect(&["test"]);
    assert_says(&text(&output), &["prog.c changed since the last build: building", "3 passing, 0 failing"]);
    // Nothing is built for what was only written again.
    mend(&project);
    assert!(!text(&project.suspect(&["test"])).contains("building"));
    project.write("limit.h", "#define LIMIT 11\n");
    let output = project.suspect(&["test"]);
    assert_says(&text(&output), &["limit.h changed since the last build: building", "2 passing, 1 failing"]);
    // Who wants to test what was built can.
    mend(&project);
    project.write("limit.h", "#define LIMIT 10\n");
    assert!(project.succeed(&["test", "--no-build"]).contains("2 passing, 1 failing"));
}

#[test]
fn rankings_and_explanations_are_of_the_sources_as_they_are() {
    let project = project();
    project.succeed(&["rank", "--budget", "20s"]);
    let longer = format!("/* A line more. */\n{SOURCE}");
    project.write("prog.c", &longer);
    for stopped in [&["rank", "--no-trials"][..], &["rank", "--no-build"], &["explain", "--no-build"]] {
        let said = project.fail(stopped, 8);
        assert_says(&said, &["prog.c changed since the last build", "suspect build && suspect test"]);
    }
    let output = project.suspect(&["rank", "--budget", "20s"]);
    let said = text(&output);
    assert_says(&said, &["changed since the last build: building", "testing again", "  7  if (kilos > LIMIT)"]);
    assert!(output.status.success(), "{said}");
    // A mended program has nothing to be ranked, and says so.
    mend(&project);
    assert_says(
        &project.fail(&["explain"], 4),
        &["prog.c changed since the last build: building", "3 passing, 0 failing"],
    );
}

#[test]
fn other_tests_than_those_recorded_are_run_first() {
    let project = project();
    project.write("tests.txt", "3 4\n11 4\n20 9\n");
    let said = text(&project.suspect(&["rank", "--budget", "20s"]));
    assert_says(&said, &["the suite changed since the tests were recorded: testing again", "2 fails: ./prog 11 4"]);
    project.write("tests.txt", "3 4\n10 9\n20 9\n");
    assert_says(&project.fail(&["rank", "--no-build"], 8), &["type `suspect test`"]);
}

#[test]
fn a_build_that_fails_ends_what_it_was_for() {
    let project = project();
    project.write("prog.c", "int main(void) {\n");
    for verb in [&["test"][..], &["rank"], &["explain"]] {
        assert_says(
            &project.fail(verb, 4),
            &["prog.c changed since the last build", "the build command ended with status"],
        );
    }
}

#[test]
fn what_another_release_built_is_built_again_though_make_thinks_it_is_not_needed() {
    let project = project();
    let built = || fs::metadata(project.path().join("prog")).unwrap().modified().unwrap();
    let before = built();
    assert!(!text(&project.suspect(&["test"])).contains("building"));
    // As by a release with another plugin.
    let note = project.path().join(".suspect/build/built.json");
    let noted = fs::read_to_string(&note).unwrap();
    let mut other: serde_json::Value = serde_json::from_str(&noted).unwrap();
    other["release"] = serde_json::json!(1);
    fs::write(&note, other.to_string()).unwrap();
    let said = text(&project.suspect(&["test"]));
    assert_says(&said, &["another release of suspect built the program: building", "2 passing, 1 failing"]);
    assert!(built() > before, "{said}");
    assert_eq!(fs::read_to_string(&note).unwrap(), noted);
}
