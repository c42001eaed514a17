//! `suspect test` beside itself: many tests at once, tests that are flaky, runs that are interrupted.

use std::io::Read;
use std::process::Stdio;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::project::{Project, text};

pub fn lines_suite(further: &str) -> String {
    format!("[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"./prog {{line}}\"\n{further}")
}

#[test]
fn programs_in_copies_can_always_be_executed() {
    let project = Project::new();
    project.write("prog.c", "int main(int argc, char **argv) { return argc > 5; }\n");
    project.write("tests.txt", &"1\n".repeat(80)).write("suspect.toml", &lines_suite("scratch = \"copy\"\n"));
    project.succeed(&["build", "--", "cc", "-o", "prog", "prog.c"]);
    let said = project.succeed(&["test", "--jobs", "8"]);
    assert_eq!(said, "80 passing, 0 failing, 0 not counted; recorded\n");
}

#[test]
fn flaky_tests_mask_no_nodes() {
    let project = Project::new();
    project.write(
        "prog.c",
        "#include <stdio.h>\n#include <string.h>\nint main(int argc, char **argv) {\n  int runs = 0;\n  \
         if (strcmp(argv[1], \"flaky\") == 0) {\n    FILE *f = fopen(\"runs\", \"a+\");\n    rewind(f);\n    \
         while (getc(f) != EOF) runs++;\n    putc('x', f);\n    fclose(f);\n  }\n  return runs;\n}\n",
    );
    project.write("tests.txt", "1\nflaky\n").write("suspect.toml", &lines_suite(""));
    project.succeed(&["build", "--", "cc", "-o", "prog", "prog.c"]);
    let said = project.succeed(&["test"]);
    assert!(said.contains("does not count: 2 (./prog flaky): flaky"), "{said}");
    assert!(!said.contains("masked"), "{said}");
}

#[test]
fn a_test_that_once_did_what_the_plain_program_does_is_flaky() {
    let project = Project::new();
    project.write(
        "prog.c",
        "#include <stdio.h>\nint main(void) {\n  int runs = 0;\n  FILE *f = fopen(\"runs\", \"a+\");\n  rewind(f);\n  \
         while (getc(f) != EOF) runs++;\n  putc('x', f);\n  fclose(f);\n  return \"010110\"[runs % 6] - '0';\n}\n",
    );
    project.write("tests.txt", "1\n").write("suspect.toml", &lines_suite(""));
    project.succeed(&["build", "--", "cc", "-o", "prog", "prog.c"]);
    // Recorded twice, plain, recorded twice, plain: alone, all that is recorded fails and all that is not passes.
    let said = project.succeed(&["test", "--record", "values", "--repeat", "2", "--jobs", "1"]);
    assert!(said.contains("does not count: 1 (./prog 1): flaky"), "{said}");
}

#[test]
fn interrupted_run_leaves_nothing_running_and_the_store_whole() {
    let project = Project::new();
    project.write(
        "prog.c",
        "#include <stdlib.h>\n#include <unistd.h>\nint main(int argc, char **argv) {\n  int n = atoi(argv[1]);\n  \
         if (n > 9) sleep(n);\n  return n == 3;\n}\n",
    );
    project.write("tests.txt", "1\n3\n").write("suspect.toml", &lines_suite(""));
    project.succeed(&["build", "--", "cc", "-o", "prog", "prog.c"]);
    project.succeed(&["test"]);
    let ranking = project.ranking(&["--method", "ochiai"]);
    project.write("tests.txt", "1\n3\n600\n");
    let mut child = project.command(&["test"]).stdout(Stdio::piped()).spawn().unwrap();
    let sleeper = project.path().join("prog").canonicalize().unwrap();
    wait_until("the long test runs", || running(&sleeper) == 1);
    // What a shell starts in the background ignores SIGINT, and so does what that starts.
    kill(Pid::from_raw(child.id() as i32), Signal::SIGTERM).unwrap();
    assert!(!child.wait().unwrap().success());
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(!said.contains("recorded"), "{said}");
    wait_until("the long test is gone", || running(&sleeper) == 0);
    project.write("tests.txt", "1\n3\n");
    assert_eq!(project.ranking(&["--method", "ochiai"]), ranking);
    project.succeed(&["test"]);
    assert_eq!(project.ranking(&["--method", "ochiai"]), ranking);
}

fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(60), "waited too long until {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Number of processes that execute this file.
fn running(program: &std::path::Path) -> usize {
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    processes.filter(|entry| std::fs::read_link(entry.path().join("exe")).is_ok_and(|exe| exe == program)).count()
}

#[test]
fn programs_that_only_the_tests_need_are_noticed_when_listing_builds_them() {
    let project = Project::new();
    project.write("half.c", "int half(int n) { return n / 2; }\n");
    project.write("prog.c", "int half(int);\nint main(int argc, char **argv) { return half(argc) - 1; }\n");
    project.write("check.c", "int half(int);\nint main(void) { int four = half(8); return four != 3; }\n");
    // As a configured tree does, it keeps the compiler that it was configured for.
    project.write(
        "Makefile",
        "-include config.mk\nprog: prog.c half.c\n\t$(CC) -o $@ prog.c half.c\n\techo \"CC = $(CC)\" > config.mk\n\
         check: check.c half.c\n\t$(CC) -o $@ check.c half.c\n",
    );
    project.write(
        "suspect.toml",
        "[[suite]]\nkind = \"command\"\nlist = \"make check >&2; ls check prog\"\nrun = \"./{test} two\"\n",
    );
    project.succeed(&["build", "--", "make", "prog"]);
    let said = project.succeed(&["test"]);
    assert!(said.contains("1 passing, 1 failing, 0 not counted; recorded\n"), "{said}");
    let first = &project.ranking(&["--method", "ochiai"])["ranking"][0];
    assert_eq!((&first["file"], &first["line"]), (&"check.c".into(), &2.into()));
}

/// Executes itself behind another root directory, where it may.
const ROOTED: &str = r#"#include <stdio.h>
#include <unistd.h>
#include <sys/wait.h>

int main(int argc, char **argv)
{
    if (argc > 2)
        return 0;
    if (fork() == 0) {
        if (chroot(".") == 0 && chdir("/") == 0)
            execl("/prog", "prog", "again", argv[1], (char *)0);
        _exit(0);
    }
    wait(0);
    printf("%s\n", argv[1]);
    return 0;
}
"#;

#[test]
fn programs_that_leave_no_record_behind_another_root_are_named() {
    let project = Project::new();
    project.write("prog.c", ROOTED).write("tests.txt", "a\n").write("expected/1", "a\n").write(
        "suspect.toml",
        "[build]\ncommand = \"cc -O1 -w -o prog prog.c\"\n\n[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"./prog {line}\"\n\
         expect = \"expected/{n}\"\n",
    );
    project.succeed(&["build"]);
    let said = text(&project.suspect(&["test"]));
    assert!(
        said.contains("test 1: prog can execute a program after chroot: such a program leaves no record"),
        "{said}"
    );
    project.write("prog.c", &ROOTED.replace("chroot(\".\") == 0 && ", ""));
    project.succeed(&["build"]);
    let said = text(&project.suspect(&["test"]));
    assert!(!said.contains("chroot"), "{said}");
}
