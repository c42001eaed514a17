//! Bad input: each kind has its own message that says what to do, and its own exit code; nothing is lost by it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::project::{Project, text, tool};

const PROGRAM: &str = "int main(int argc, char **argv) { return argc > 1 && argv[1][0] == 'f'; }\n";

/// A built program whose tests are these lines; those that begin with `f` fail.
fn project(lines: &str) -> Project {
    let project = Project::new();
    project.write("prog.c", PROGRAM).write("tests.txt", lines).write(
        "suspect.toml",
        "[build]\ncommand = \"cc -o prog prog.c\"\n[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"./prog {line}\"\n",
    );
    project.succeed(&["build"]);
    project
}

#[track_caller]
fn assert_says(message: &str, words: &[&str]) {
    assert!(words.iter().all(|word| message.contains(word)), "{message:?} lacks one of {words:?}");
    assert!(!message.contains("panicked"), "{message}");
}

#[test]
fn nothing_recorded_asks_for_suspect_test() {
    assert_says(&project("p\nf\n").fail(&["rank"], 7), &["no recorded run", "suspect test"]);
}

#[test]
fn no_suspect_toml_asks_for_suspect_init() {
    assert_says(&Project::new().fail(&["test"], 1), &["suspect.toml", "suspect init"]);
}

#[test]
fn a_suite_without_tests_is_named() {
    let project = project("p\n");
    project.write("tests.txt", "");
    assert_says(&project.fail(&["test"], 4), &["no tests", "tests.txt"]);
}

#[test]
fn wrong_key_in_suspect_toml_names_line_and_likely_key() {
    let project = Project::new();
    project.write("suspect.toml", "[[suite]]\nkind = \"lines\"\nflie = \"tests.txt\"\n");
    assert_says(&project.fail(&["test"], 1), &["suspect.toml:3", "flie"]);
}

#[test]
fn all_tests_passing_is_no_ranking() {
    let project = project("p\np\n");
    project.succeed(&["test"]);
    assert_says(&project.fail(&["rank"], 4), &["all 2 tests pass"]);
}

#[test]
fn all_tests_failing_is_no_ranking() {
    let project = project("f\nf1\n");
    project.succeed(&["test"]);
    assert_says(&project.fail(&["rank", "--method", "ochiai"], 4), &["all 2 tests fail", "passing test"]);
}

#[test]
fn where_nearly_all_tests_fail_the_build_and_the_command_are_doubted() {
    let failing: String = (0..11).map(|n| format!("f{n}\n")).collect();
    let project = project(&failing);
    let doubt = ["warning: all 11 tests fail: is the program built", "`suspect build`", "one test says: ./prog f0\n"];
    assert_says(&project.succeed(&["test"]), &doubt);
    let of_config = fs::read_to_string(project.path().join("suspect.toml")).unwrap();
    fs::create_dir(project.path().join("a b")).unwrap();
    project.write("tests.txt", &format!("{failing}p\n"));
    project.write("suspect.toml", &of_config.replace("./prog", "../prog").replace("run", "dir = \"a b\"\nrun"));
    project.write("a b/tests.txt", &format!("{failing}p\n"));
    let doubt = ["11 of 12 tests fail: ", "says: (cd 'a b' && ../prog f0)\n"];
    assert_says(&project.succeed(&["test"]), &doubt);
    assert_says(&project.succeed(&["rank", "-v", "--method", "ochiai"]), &doubt[..1]);
    project.write("a b/tests.txt", &format!("{failing}p\np2\n"));
    assert!(!project.succeed(&["test"]).contains("is the program built"));
}

#[test]
fn missing_expected_file_is_named() {
    let project = project("p\nf\n");
    project.write(
        "suspect.toml",
        "[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"./prog {line}\"\nexpect = \"expected/{n}\"\n",
    );
    assert_says(&project.fail(&["test"], 4), &["expected/1", "does not exist"]);
}

#[test]
fn program_that_is_not_instrumented_is_never_reported_on() {
    let project = project("p\nf\n");
    assert!(
        Command::new("clang-19").args(["-o", "prog", "prog.c"]).current_dir(project.path()).status().unwrap().success()
    );
    let message = project.fail(&["test"], 5);
    assert_says(&message, &["suspect build", "suspect doctor"]);
    assert_says(&project.fail(&["rank"], 7), &["no recorded run"]);
}

#[test]
fn build_whose_programs_have_no_sites_is_an_error() {
    let project = Project::new();
    project.write("prog.c", PROGRAM);
    let clang = String::from_utf8(Command::new("which").arg("clang-19").output().unwrap().stdout).unwrap();
    let message = project.fail(&["build", "--", clang.trim(), "-o", "prog", "prog.c"], 5);
    assert_says(&message, &["no program of this build is instrumented"]);
}

#[test]
fn failing_build_command_passes_its_status_on_in_words() {
    let project = Project::new();
    project.write("prog.c", PROGRAM);
    assert_says(&project.fail(&["build", "--", "sh", "-c", "cc -o prog prog.c; exit 3"], 4), &["status 3"]);
}

#[test]
fn no_clang_says_what_to_install() {
    let project = Project::new();
    project.write("prog.c", PROGRAM);
    let output = Command::new(tool())
        .args(["build", "--", "cc", "prog.c"])
        .current_dir(project.path())
        .env("PATH", "/nonexistent")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(6), "{}", text(&output));
    assert_says(&text(&output), &["clang", "apt-get install"]);
}

#[test]
fn plugin_for_another_clang_is_refused_before_clang_crashes() {
    let project = Project::new();
    project.write("prog.c", PROGRAM).write("clang", "#!/bin/sh\necho 'clang version 3.9.1'\n");
    let clang = project.path().join("clang");
    assert!(Command::new("chmod").arg("+x").arg(&clang).status().unwrap().success());
    let output = Command::new(tool())
        .args(["build", "--", "cc", "prog.c"])
        .current_dir(project.path())
        .env("SUSPECT_CLANG", &clang)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(6), "{}", text(&output));
    assert_says(&text(&output), &["3.9.1"]);
}

#[test]
fn damaged_store_is_named_and_left_alone() {
    let project = project("p\nf\n");
    project.succeed(&["test"]);
    let executions = project.path().join(".suspect/runs/1/executions");
    let mut bytes = fs::read(&executions).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 0x55;
    fs::write(&executions, &bytes[..last]).unwrap();
    assert_says(&project.fail(&["rank"], 7), &["executions", "damaged", "suspect test"]);
    assert_eq!(fs::read(&executions).unwrap().len(), last);
    fs::write(project.path().join(".suspect/runs/1/run.json"), "{\"version\": 99}").unwrap();
    assert_says(&project.fail(&["rank"], 7), &["run.json", "version 99"]);
}

#[test]
fn what_is_stored_is_as_readable_as_the_program() {
    let project = project("p\nf\n");
    project.succeed(&["test"]);
    let mode = |name: &str| fs::metadata(project.path().join(name)).unwrap().permissions().mode() & 0o444;
    for name in [".suspect/build.json", ".suspect/runs/1/run.json", ".suspect/runs/1/executions"] {
        assert_eq!(mode(name), mode("prog"), "{name}");
    }
}

#[test]
fn trace_of_another_build_is_refused() {
    let (project, elsewhere) = (project("p\nf\n"), Project::new());
    let old = elsewhere.path().join("old");
    fs::copy(project.path().join("prog"), &old).unwrap();
    project.write("prog.c", &format!("int other(void) {{ return 7; }}\n{PROGRAM}"));
    project.succeed(&["build"]);
    let run = format!("{} {{line}}", old.display());
    project.write("suspect.toml", &format!("[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"{run}\"\n"));
    assert_says(&project.fail(&["test"], 8), &["another build", "old"]);
}

#[test]
fn unknown_method_suggests_the_likely_one() {
    assert_says(&project("p\nf\n").fail(&["rank", "--method", "ochai"], 1), &["ochai", "did you mean `ochiai`"]);
}

#[test]
fn unknown_mode_lists_the_modes() {
    assert_says(
        &Project::new().fail(&["build", "--modes", "fast", "--", "true"], 1),
        &["fast", "plain,edges,values,trace,mutants,record"],
    );
}

#[test]
fn innocent_unit_that_is_not_there_is_refused() {
    let project = project("p\nf\n");
    project.succeed(&["test"]);
    assert_says(&project.fail(&["rank", "--innocent", "prog.c:999"], 1), &["prog.c:999", "FILE:LINE"]);
}

#[test]
fn directory_that_is_not_there_is_named() {
    assert_says(&Project::new().fail(&["-C", "nowhere", "rank"], 1), &["nowhere"]);
}

#[test]
fn file_that_is_no_trace_is_named() {
    let project = Project::new();
    project.write("x.trace", "hello");
    assert_says(&project.fail(&["dump", "x.trace"], 9), &["x.trace"]);
}

#[test]
fn two_writers_do_not_meet() {
    let project = project("p\nf\n");
    let lock = fs::File::options().append(true).open(project.path().join(".suspect/lock")).unwrap();
    let held = nix::fcntl::Flock::lock(lock, nix::fcntl::FlockArg::LockExclusive).unwrap();
    assert_says(&project.fail(&["test"], 7), &["in use"]);
    drop(held);
    project.succeed(&["test"]);
}
