//! `suspect` without a verb: from nothing, or from whatever is there, to the answer.

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::project::{Project, text};
use crate::recording::lines_suite;

const SOURCE: &str = "#include <stdlib.h>\nstatic int cost(int kilos)\n{\n    if (kilos > 10)\n        return 9;\n    return 4;\n}\n\
                      int main(int argc, char **argv)\n{\n    return argc < 3 || cost(atoi(argv[1])) != atoi(argv[2]);\n}\n";

fn mended() -> String {
    SOURCE.replace("kilos > 10", "kilos >= 10")
}

/// A program of which one of three tests fails, and what is known of it is suspect.toml alone.
fn project() -> Project {
    let project = Project::new();
    let build = "[build]\ncommand = \"cc -O1 -o prog prog.c\"\n";
    project.write("prog.c", SOURCE).write("tests.txt", "3 4\n10 9\n20 9\n");
    project.write("suspect.toml", &format!("{build}{}", lines_suite("")));
    project
}

#[test]
fn it_builds_tests_and_answers() {
    let project = project();
    let output = project.suspect(&[]);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    let answer = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(answer.starts_with("2 fails: ./prog 10 9\n") && answer.lines().count() <= 25, "{said}");
    assert!(answer.contains("if (kilos > 10)\n                with `kilos >= 10`: 2 passes"), "{said}");
    assert!(said.contains("suspect: 1 of 3 tests fails"), "{said}");
    // What it claims can be repeated.
    let id = answer.split(['[', ']']).nth(1).unwrap();
    assert!(project.succeed(&["replay", id]).contains("2 passes with it, as claimed"));
    project.write("prog.c", &mended());
    assert!(project.succeed(&[]).contains("3 passing, 0 failing"));
    assert!(project.fail(&["--watch", "test"], 1).contains("suspect --watch"));
}

/// Tells of each of its starts whether it is right; one is not.
const DRIVER: &str = "status=0\nfor each in '3 4' '10 9' '20 9'; do\n    if ./prog $each; then echo \"ok $each\"; else echo \"FAILED: $each\"; \
                      status=1; fi\ndone\nexit $status\n";

#[test]
fn tests_that_a_refined_suite_still_has_are_recorded_once() {
    let project = Project::new();
    let log = project.path().join("log");
    let other = format!("echo \"$SUSPECT_RECORD\" >> '{}'\n./prog 30 9\n", log.display());
    project.write("prog.c", SOURCE).write("driver", DRIVER).write("other", &other);
    project.write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.10)\nproject(p C)\nenable_testing()\nadd_executable(prog prog.c)\n\
         add_test(NAME spec COMMAND sh ${CMAKE_SOURCE_DIR}/driver)\nadd_test(NAME other COMMAND sh ${CMAKE_SOURCE_DIR}/other)\n",
    );
    let said = text(&project.suspect(&[]));
    assert!(said.contains("wrote `starts = true` into [[suite]] 1: 2 tests become 5"), "{said}");
    assert!(said.contains("suspect: 1 of 5 tests is as it was recorded before: the others run"), "{said}");
    assert!(said.contains("if (kilos > 10)\n                with `kilos >= 10`"), "{said}");
    assert!(said.contains("suspect: 1 of 5 tests fails"), "{said}");
    let recorded = std::fs::read_to_string(log).unwrap();
    assert_eq!(recorded.lines().filter(|line| *line == "values").count(), 2, "{recorded}");
    // What it did was kept: recorded anew, all tests come to the same.
    let ranked = || project.succeed(&["rank", "--method", "ochiai", "--by", "node", "--top", "99", "--format", "json"]);
    let carried = ranked();
    project.suspect(&["test"]);
    assert_eq!(ranked(), carried);
}

#[test]
fn it_says_what_it_takes_for_build_and_tests() {
    let project = Project::new();
    project.write("prog.c", &mended());
    project.write("Makefile", "prog: prog.c\n\t$(CC) -O1 -o prog prog.c\ncheck: prog\n\t./prog 3 4\n\t./prog 10 9\n");
    let output = project.suspect(&[]);
    let said = text(&output);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("suspect.toml: built by `make") && said.contains("; tests: command"), "{said}");
    assert!(said.contains("1 passing, 0 failing"), "{said}");
    let nothing = Project::new();
    assert!(nothing.fail(&[], 1).contains("no build command"));
}

/// A project whose first tests by custom only look at its sources.
fn with_a_check_of_style() -> Project {
    let project = Project::new();
    project.write("prog.c", SOURCE).write("style.sh", "! grep goto prog.c\n");
    let tests = "test: prog\n\t./prog 3 4\n\t./prog 10 9\n";
    let makefile = format!("prog: prog.c\n\t$(CC) -O1 -o prog prog.c\ncheck:\n\tsh style.sh\n{tests}");
    project.write("Makefile", &makefile);
    project
}

#[test]
fn tests_that_start_nothing_instrumented_give_way_to_others() {
    let project = with_a_check_of_style();
    let output = project.suspect(&[]);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("takes `make test` as one test") && said.contains("1 test becomes 2"), "{said}");
    assert!(said.contains("1 of 2 tests fail"), "{said}");
    let config = std::fs::read_to_string(project.path().join("suspect.toml")).unwrap();
    assert!(config.contains("\nrun = \"make test\"\n") && !config.contains("\nrun = \"make check\"\n"), "{config}");
    // Also where the verbs are given one by one.
    let refined = with_a_check_of_style();
    refined.succeed(&["init"]);
    refined.succeed(&["build"]);
    let at = refined.path().join("suspect.toml");
    // What stands before the tests is the user's.
    let edited = format!("# Ours.\n{}", std::fs::read_to_string(&at).unwrap());
    refined.write("suspect.toml", &edited);
    refined.succeed(&["init", "--refine"]);
    let taken = std::fs::read_to_string(&at).unwrap();
    assert!(taken.starts_with("# Ours.\n") && taken.contains("\nrun = \"make test\"\n"), "{taken}");
    // Tests that the user wrote stay, and so do all where none start anything.
    let own = taken.replace("make test", "sh style.sh").replace("targets = true\n", "");
    refined.write("suspect.toml", &own);
    refined.succeed(&["init", "--refine"]);
    assert_eq!(std::fs::read_to_string(&at).unwrap(), own);
    refined
        .write("suspect.toml", &edited)
        .write("Makefile", "prog: prog.c\n\t$(CC) -o prog prog.c\ncheck test:\n\tsh style.sh\n");
    refined.succeed(&["init", "--refine"]);
    assert_eq!(std::fs::read_to_string(&at).unwrap(), edited);
}

#[test]
fn watching_it_answers_after_each_save() {
    let project = project();
    let mut child = project.command(&["--watch"]).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let (send, lines) = mpsc::channel();
    let errors = BufReader::new(child.stderr.take().unwrap());
    std::thread::spawn(move || errors.lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
    let wait_for = |what: &str| {
        let mut seen = Vec::new();
        loop {
            // What fails waits for ever.
            let line =
                lines.recv_timeout(Duration::from_secs(300)).unwrap_or_else(|_| panic!("no {what} in {seen:#?}"));
            seen.push(line);
            if seen.last().is_some_and(|line| line.contains(what)) {
                return seen.join("\n");
            }
        }
    };
    assert!(wait_for("waiting for changes").contains("1 of 3 tests fails"));
    project.write("prog.c", "int main(void) {\n");
    assert!(wait_for("waiting for changes").contains("the build command ended with status"));
    project.write("prog.c", &mended());
    let said = wait_for("waiting for changes");
    assert!(said.contains(": building by `cc -O1 -o prog prog.c`") && !said.contains("tests fail"), "{said}");
    kill(Pid::from_raw(child.id() as i32), Signal::SIGINT).unwrap();
    assert!(child.wait().unwrap().success());
}
