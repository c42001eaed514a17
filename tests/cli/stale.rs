//! Answers are of the sources, programs and tests as they are now: what is outdated is built and tested again, or the verb stops.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use crate::project::{Project, text, tool};

/// `twice 3` prints 6; the header says what is added, and the Makefile knows nothing of the header.
const HEADER: &str = "#define MORE 0\n";
const SOURCE: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include "more.h"

static int twice(int x) {
  if (x < 0)
    return 0;
  return x + x + MORE;
}

int main(int argc, char **argv) {
  printf("%d\n", twice(argc > 1 ? atoi(argv[1]) : 0));
  return 0;
}
"#;
const MAKEFILE: &str = "prog: prog.o\n\tcc -O1 -o prog prog.o\nprog.o: prog.c\n\tcc -O1 -c prog.c\n";
const SUITE: &str =
    "[[suite]]\nkind = \"cases\"\ninputs = \"in/*\"\nrun = \"./prog $(cat {input})\"\nexpect = \"out/{stem}\"\n";
const RIGHT: &str = "x + x + MORE";
const WRONG: &str = "x * x + MORE";

/// A project whose build is known, built and tested.
fn twice(source: &str) -> Project {
    let project = Project::new();
    project.write("prog.c", source).write("more.h", HEADER).write("Makefile", MAKEFILE);
    cases(&project);
    project.write("suspect.toml", &format!("[build]\ncommand = \"make\"\n\n{SUITE}"));
    project.succeed(&["build"]);
    project.succeed(&["test"]);
    project
}

fn cases(project: &Project) {
    for (input, output) in [("0", "0"), ("2", "4"), ("3", "6"), ("-1", "0")] {
        project.write(&format!("in/{input}"), input).write(&format!("out/{input}"), &format!("{output}\n"));
    }
}

fn wrong() -> String {
    SOURCE.replace(RIGHT, WRONG)
}

/// Writes a file at another time than that of the build before.
fn edit(project: &Project, name: &str, text: &str) {
    sleep(Duration::from_millis(30));
    project.write(name, text);
}

/// Both streams of a command that must succeed.
#[track_caller]
fn said(project: &Project, arguments: &[&str]) -> String {
    let output = project.suspect(arguments);
    assert!(output.status.success(), "{arguments:?}\n{}", text(&output));
    text(&output)
}

#[test]
fn test_builds_an_edited_source_first() {
    let project = twice(SOURCE);
    edit(&project, "prog.c", &wrong());
    let said_first = said(&project, &["test"]);
    assert!(said_first.contains("suspect: prog.c is newer than prog.o: building by `make` ..."), "{said_first}");
    assert!(said_first.contains("3 passing, 1 failing"), "{said_first}");
    assert!(!said_first.contains("cc -O1 -c prog.c"), "what a good build writes is no answer: {said_first}");
    let again = said(&project, &["test"]);
    assert!(!again.contains("building"), "{again}");
    // What a program reads stays a document.
    edit(&project, "prog.c", SOURCE);
    let document: serde_json::Value = serde_json::from_str(&project.succeed(&["test", "--format", "json"])).unwrap();
    assert!(document["tests"].as_array().unwrap().iter().all(|test| test["passed"] == true), "{document:#}");
}

/// Without a call of the compiler nothing is said of what an object was made of.
#[test]
fn an_object_that_a_cache_gives_back_is_of_the_sources_as_they_are() {
    let cache = "kept=kept/$(cat prog.c more.h | cksum | tr ' ' -)\nmkdir -p kept\n\
                 [ -f $kept ] || { cc -O1 -c prog.c && cp prog.o $kept; } || exit\ncp $kept prog.o\n";
    let project = Project::new();
    project.write("prog.c", SOURCE).write("more.h", HEADER).write("cache", cache);
    project.write("Makefile", &MAKEFILE.replace("cc -O1 -c prog.c", "sh cache"));
    cases(&project);
    project.write("suspect.toml", &format!("[build]\ncommand = \"make\"\n\n{SUITE}"));
    for (source, counts) in [(SOURCE, "4 passing"), (&wrong(), "3 passing, 1 failing"), (SOURCE, "4 passing")] {
        edit(&project, "prog.c", source);
        project.succeed(&["build"]);
        let said = said(&project, &["test"]);
        assert!(said.contains(counts) && !said.contains("building"), "{said}");
    }
    edit(&project, "prog.c", &wrong());
    assert!(said(&project, &["test"]).contains("prog.c is newer than prog.o: building by"));
}

#[test]
fn a_header_is_a_source_even_if_make_does_not_know_it() {
    let project = twice(SOURCE);
    edit(&project, "more.h", "#define MORE 1\n");
    let said = said(&project, &["test"]);
    assert!(said.contains("more.h is newer than prog.o"), "{said}");
    assert!(said.contains("1 passing, 3 failing"), "{said}");
}

#[test]
fn a_changed_makefile_and_a_new_source_are_built_first() {
    let project = Project::new();
    let all = "prog: $(patsubst %.c,%.o,$(wildcard *.c)) Makefile\n\tcc -O1 -o prog *.o\n%.o: %.c Makefile\n\tcc -O1 $(FLAGS) -c $<\n";
    project.write("prog.c", SOURCE).write("more.h", "#ifndef MORE\n#define MORE 0\n#endif\n").write("Makefile", all);
    cases(&project);
    project.write("suspect.toml", &format!("[build]\ncommand = \"make\"\n\n{SUITE}"));
    project.succeed(&["build"]);
    project.succeed(&["test"]);
    edit(&project, "Makefile", &all.replace("$(FLAGS)", "-DMORE=1"));
    let answer = said(&project, &["test"]);
    assert!(
        answer.contains("Makefile was changed: building by `make`") && answer.contains("1 passing, 3 failing"),
        "{answer}"
    );
    edit(&project, "Makefile", all);
    said(&project, &["test"]);
    edit(&project, "late.c", "static int late = 1;\nint *where(void) { return &late; }\n");
    let answer = said(&project, &["test"]);
    assert!(answer.contains("late.c is new: building by `make`") && answer.contains("4 passing"), "{answer}");
    assert!(project.path().join("late.o").exists());
    let again = said(&project, &["test"]);
    assert!(!again.contains("building"), "{again}");
}

#[test]
fn rank_never_shows_old_claims_over_new_text() {
    let project = twice(&wrong());
    let before = said(&project, &["rank"]);
    assert!(before.contains(WRONG), "{before}");
    // The fault is elsewhere now, and two lines further down.
    edit(&project, "prog.c", &format!("\n\n{}", SOURCE.replace("x < 0", "x < 3")));
    let after = said(&project, &["rank"]);
    assert!(after.contains("prog.c is newer than prog.o: building"), "{after}");
    assert!(after.contains("testing again"), "{after}");
    assert!(after.contains("x < 3") && !after.contains(WRONG), "{after}");
    let json: serde_json::Value = serde_json::from_str(&project.succeed(&["rank", "--format", "json"])).unwrap();
    let first = json["ranking"][0]["line"].as_u64().unwrap() as usize;
    let text = fs::read_to_string(project.path().join("prog.c")).unwrap();
    assert!(text.lines().nth(first - 1).unwrap().contains("x < 3"), "{json:#}");
}

#[test]
fn who_wants_nothing_to_be_run_is_told_nothing_untrue() {
    let project = twice(&wrong());
    said(&project, &["rank"]);
    edit(&project, "prog.c", &format!("\n{}", wrong()));
    for stopped in [&["rank", "--no-trials"][..], &["rank", "--no-build"], &["explain", "--no-build"]] {
        let said = project.fail(stopped, 8);
        assert!(said.contains("prog.c was changed since the tests were recorded"), "{said}");
    }
    let said = said(&project, &["test", "--no-build"]);
    assert!(!said.contains("building") && said.contains("3 passing, 1 failing"), "{said}");
}

#[test]
fn explain_is_of_the_new_source() {
    let project = twice(&wrong());
    edit(&project, "prog.c", &format!("\n{}", wrong()));
    let output = project.suspect(&["explain"]);
    assert!(text(&output).contains("building by `make`"), "{}", text(&output));
    assert!(matches!(output.status.code(), Some(0 | 2)), "{}", text(&output));
}

#[test]
fn a_report_of_an_older_source_is_refused() {
    let project = twice(&wrong());
    said(&project, &["rank"]);
    edit(&project, "prog.c", &format!("\n{}", wrong()));
    let said = project.fail(&["report"], 8);
    assert!(said.contains("prog.c was changed") && said.contains("suspect test && suspect rank"), "{said}");
}

#[test]
fn dependences_of_an_older_source_are_refused() {
    let project = twice(&wrong());
    said(&project, &["mutate", "--samples", "1"]);
    edit(&project, "prog.c", &format!("\n{}", wrong()));
    for verb in [&["graph"][..], &["ask", "fail"], &["hom", "--heuristic", "dsort", "-n", "5"]] {
        let said = project.fail(verb, 8);
        assert!(said.contains("prog.c was changed") && said.contains("suspect test && suspect mutate"), "{said}");
    }
}

#[test]
fn a_changed_suite_is_tested_again() {
    let project = twice(&wrong());
    edit(&project, "in/2", "5");
    edit(&project, "out/2", "10\n");
    let said = said(&project, &["rank"]);
    assert!(!said.contains("building"), "{said}");
    assert!(said.contains("was changed since the tests were recorded: testing again"), "{said}");
    assert!(said.contains("2 passing, 2 failing"), "{said}");
}

#[test]
fn a_file_that_is_only_touched_is_not_built_again() {
    let project = twice(&wrong());
    edit(&project, "prog.c", &wrong());
    edit(&project, "more.h", HEADER);
    for verb in ["test", "rank"] {
        let said = said(&project, &[verb]);
        assert!(!said.contains("building") && !said.contains("testing again"), "{said}");
        assert!(!said.contains("was changed after"), "{said}");
    }
}

#[test]
fn files_that_the_build_writes_again_behind_their_compilation_are_the_same() {
    let project = Project::new();
    let build = "cp prog.c made.c && cp mine.h more.h && cc -o prog made.c && sleep 0.1 && cp prog.c made.c && cp mine.h more.h";
    project.write("prog.c", &wrong()).write("mine.h", HEADER);
    project.write("suspect.toml", &format!("[build]\ncommand = \"{build}\"\n{SUITE}"));
    cases(&project);
    project.succeed(&["build"]);
    assert!(said(&project, &["test"]).contains("is newer than prog: building"));
    for verb in ["test", "rank"] {
        let said = said(&project, &[verb]);
        assert!(!said.contains("building") && !said.contains("was changed"), "{verb}: {said}");
    }
    edit(&project, "more.h", "#define MORE 2\n");
    assert!(said(&project, &["test"]).contains("more.h is newer than prog: building"));
}

#[test]
fn without_a_known_build_the_verb_stops_and_names_the_file() {
    let project = Project::new();
    project.write("prog.c", &wrong()).write("more.h", HEADER).write("suspect.toml", SUITE);
    cases(&project);
    let compiler = tool().with_file_name("suspect-cc");
    let compile = || {
        let mut command = std::process::Command::new(&compiler);
        command.args(["-O1", "-o", "prog", "prog.c"]).current_dir(project.path());
        assert!(command.status().unwrap().success());
    };
    if !compiler.exists() {
        return crate::project::skip("no suspect-cc beside the tool");
    }
    compile();
    project.succeed(&["test"]);
    edit(&project, "prog.c", &format!("\n{}", wrong()));
    for verb in ["test", "rank", "explain"] {
        let said = project.fail(&[verb], 8);
        assert!(said.contains("prog.c was changed") && said.contains("build"), "{verb}: {said}");
    }
    compile();
    project.succeed(&["test"]);
    project.succeed(&["rank"]);
}

#[test]
fn a_build_that_fails_is_the_answer() {
    let project = twice(SOURCE);
    edit(&project, "prog.c", &SOURCE.replace("return 0;\n}", "return nothing;\n}"));
    for verb in ["test", "rank", "explain", "test"] {
        let said = project.fail(&[verb], 4);
        assert!(said.contains("prog.c is newer") || said.contains("the last build did not succeed"), "{said}");
        assert!(said.contains("the build command ended with status"), "{said}");
        assert!(said.contains("undeclared identifier 'nothing'") && said.contains("is in "), "{said}");
    }
    edit(&project, "prog.c", &wrong());
    assert!(said(&project, &["test"]).contains("3 passing, 1 failing"));
}

/// A copy of the plugin and the runtime that is another release's by its bytes.
fn other_release(directory: &Path) -> PathBuf {
    let from = std::env::var_os("SUSPECT_LIB")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("target/suspect/lib/suspect"), PathBuf::from);
    let to = directory.join("lib");
    copy(&from, &to);
    to
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name())).unwrap();
        if path.is_dir() {
            copy(&path, &to.join(name));
            continue;
        }
        let mut bytes = fs::read(&path).unwrap();
        if path.extension().is_some_and(|extension| extension == "so") {
            bytes.extend(b"another release");
        }
        fs::write(to.join(name), bytes).unwrap();
    }
}

#[test]
fn a_program_of_another_release_is_built_again() {
    let project = twice(SOURCE);
    let other = tempfile::tempdir().unwrap();
    let library = other_release(other.path());
    let object = project.path().join("prog.o");
    let before = fs::metadata(&object).unwrap().modified().unwrap();
    let run = |verb: &str| {
        let output = project.command(&[verb]).env("SUSPECT_LIB", &library).output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
        text(&output)
    };
    let said = run("test");
    assert!(said.contains("were built by another release of suspect: building by `make`"), "{said}");
    assert!(fs::metadata(&object).unwrap().modified().unwrap() > before, "make took the object for current: {said}");
    assert!(!run("test").contains("building"));
    // `suspect build` itself does the same.
    let before = fs::metadata(&object).unwrap().modified().unwrap();
    project.succeed(&["build"]);
    assert!(fs::metadata(&object).unwrap().modified().unwrap() > before);
}

#[test]
fn an_edited_source_is_built_by_what_is_enough() {
    let project = twice(SOURCE);
    let before = std::fs::read_to_string(project.path().join("suspect.toml")).unwrap();
    let config =
        before.replace("command = \"make\"\n", "command = \"touch all && make\"\nagain = \"touch some && make\"\n");
    assert_ne!(config, before);
    project.write("suspect.toml", &config);
    let is_there = |name: &str| project.path().join(name).exists();
    edit(&project, "prog.c", &wrong());
    let first = said(&project, &["test"]);
    assert!(first.contains("suspect: prog.c is newer than prog.o: building by `touch some && make` ..."), "{first}");
    assert!(first.contains("3 passing, 1 failing"), "{first}");
    assert!(is_there("some") && !is_there("all"));
    // How to build is another matter.
    let makefile = std::fs::read_to_string(project.path().join("Makefile")).unwrap();
    edit(&project, "Makefile", &format!("{makefile}# more\n"));
    let second = said(&project, &["test"]);
    assert!(second.contains("suspect: Makefile was changed: building by `touch all && make` ..."), "{second}");
    assert!(is_there("all"));
}
