//! Tests that make runs: targets and commands of a recipe, each a test.

use crate::project::{Project, text};

/// A program that writes its argument, one less where that is above two.
const PROGRAM: &str = r#"#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int n = atoi(argv[1]);
    if (n > 2)
        n = n - 1;
    printf("%d\n", n);
    return argc - 2;
}
"#;

/// The program, tested by `make check`, and built.
fn made_by(makefile: &str, script: &str) -> Project {
    let project = Project::new();
    project
        .write("prog.c", PROGRAM)
        .write("Makefile", makefile)
        .write("all.sh", script)
        .write("suspect.toml", "[build]\ncommand = \"make\"\n[[suite]]\nkind = \"command\"\nrun = \"make check\"\n");
    project.succeed(&["build"]);
    project
}

#[test]
fn targets_that_a_target_of_tests_only_names_are_tests() {
    let project = made_by(
        "N = 1 2\nprog: prog.c\n\tcc -o $@ $<\ncheck: said $(N:%=is_%) is_3\n\t@printf 'all pass\\n'\nsaid:\n\t@echo tests\n\
         .PHONY: check said is_1 is_2 is_3\nis_3: prog\n\ttest `./prog 3` = 3\nis_1 is_2: prog\n\ttest `./prog 1`-`./prog 2` = 1-2\n",
        "",
    );
    let said = project.succeed(&["test"]);
    assert!(said.contains("0 passing, 1 failing") && said.contains("`targets = true` in suspect.toml makes"), "{said}");
    let refined = project.succeed(&["init", "--refine"]);
    assert!(
        refined.starts_with(
            "wrote `targets = true` into [[suite]] 1: 1 test becomes 3, with the same verdicts when run\n"
        ),
        "{refined}"
    );
    let said = project.succeed(&["test"]);
    assert!(
        said.contains("fails: command/is_3: exit status 2") && said.contains("2 passing, 1 failing, 0 not counted"),
        "{said}"
    );
    let report = project.ranking(&["--budget", "20s"]);
    assert!([6, 7].map(|line| line.into()).contains(&report["ranking"][0]["line"]), "{report}");
    // What fails besides the targets is no target's: the test stays as it is.
    let makefile = std::fs::read_to_string(project.path().join("Makefile")).unwrap();
    project.write(
        "Makefile",
        &makefile
            .replace(" is_3\n\t@printf", " is_3 stamp\n\t@printf")
            .replace("said:\n\t", "stamp:\n\t@test $@ = made\nsaid:\n\t"),
    );
    project.write("prog.c", &std::fs::read_to_string(project.path().join("prog.c")).unwrap().replace("n > 2", "n > 3"));
    project.write("suspect.toml", "[build]\ncommand = \"make\"\n[[suite]]\nkind = \"command\"\nrun = \"make check\"\n");
    project.succeed(&["build"]);
    let refined = project.succeed(&["init", "--refine"]);
    assert!(
        refined.contains("left out `targets = true` of [[suite]] 1: command fails and passes with it\n"),
        "{refined}"
    );
    for run in ["make", "make a b", "sh all.sh"] {
        project.write("suspect.toml", &format!("[[suite]]\nkind = \"command\"\ntargets = true\nrun = \"{run}\"\n"));
        let error = project.fail(&["test"], 1);
        assert!(error.contains("suspect.toml:3:") && error.contains("such as run = \"make check\""), "{error}");
    }
}

#[test]
fn a_part_that_fails_and_starts_programs_is_taken_apart_too() {
    let project = made_by(
        "prog: prog.c\n\tcc -o $@ $<\ncheck: one all\none: prog\n\ttest `./prog 1` = 1\nall: prog\n\tsh all.sh\n.PHONY: check one all\n",
        "rc=0\nfor n in 1 2 3 0; do\n    test `./prog $n` = $n || { echo \"FAIL: $n\"; rc=1; }\ndone\nexit $rc\n",
    );
    let refined = project.succeed(&["init", "--refine"]);
    assert_eq!(
        refined,
        "wrote `targets = true` into [[suite]] 1: 1 test becomes 2, with the same verdicts when run\n\
         wrote `starts = [\"command/all\"]` into [[suite]] 1: 2 tests become 6, with the same verdicts when run\n"
    );
    let said = project.succeed(&["test"]);
    assert!(
        said.contains("fails: command/all, 3rd start of prog") && said.contains("4 passing, 1 failing, 1 not counted"),
        "{said}"
    );
}

/// What `check` names runs no more tests than its starts do.
#[test]
fn starts_are_not_told_to_be_targets() {
    let project = made_by(
        "prog: prog.c\n\tcc -o $@ $<\ncheck: one all\none: prog\n\ttest `./prog 1` = 1\nall: prog\n\tsh all.sh\n.PHONY: check one all\n",
        "rc=0\nfor n in 1 2 3 0; do\n    test `./prog $n` = $n || { echo \"FAIL: $n\"; rc=1; }\ndone\nexit $rc\n",
    );
    let config = std::fs::read_to_string(project.path().join("suspect.toml")).unwrap();
    project.write("suspect.toml", &format!("{config}starts = true\n"));
    let said = project.succeed(&["test"]);
    assert!(said.contains("fails: command, 4th start of prog"), "{said}");
    assert!(!said.contains("targets = true"), "{said}");
}

/// A recipe ends at its first failure, so the whole says nothing of the commands behind it.
#[test]
fn commands_of_a_recipe_that_share_no_file_are_tests() {
    let project = made_by(
        "prog: prog.c\n\tcc -o $@ $<\ncheck: prog\n\t@echo tests\n\ttest `./prog 1` = 1\n\t./prog 2 > two\n\ttest `cat two` = 2\n\
         \ttest `./prog 3` = 3\n\ttest `./prog 0` = 0\n\trm -f two\n.PHONY: check\n",
        "",
    );
    let said = project.succeed(&["test"]);
    assert!(said.contains("0 passing, 1 failing"), "{said}");
    let refined = project.succeed(&["init", "--refine"]);
    assert_eq!(refined, "wrote `targets = true` into [[suite]] 1: 1 test becomes 4, with the same verdicts when run\n");
    let said = project.succeed(&["test"]);
    assert!(said.contains("fails: command/test-prog-3-3: exit status 1"), "{said}");
    assert!(said.contains("3 passing, 1 failing, 0 not counted"), "{said}");
    let report = project.ranking(&["--budget", "20s"]);
    assert!([6, 7].map(|line| line.into()).contains(&report["ranking"][0]["line"]), "{report}");
    // A command that starts nothing of the project may look at what others did: the recipe stays one driver.
    let makefile = std::fs::read_to_string(project.path().join("Makefile")).unwrap();
    project.write("Makefile", &makefile.replace("\trm -f two", "\tls"));
    project.write("suspect.toml", "[build]\ncommand = \"make\"\n[[suite]]\nkind = \"command\"\nrun = \"make check\"\n");
    let refined = project.succeed(&["init", "--refine"]);
    assert!(refined.starts_with("wrote `starts = true` into [[suite]] 1: 1 test becomes 4"), "{refined}");
}

/// Automake lists TESTS alone; what else `make check` runs fails unseen by them.
#[test]
fn what_automake_checks_besides_its_tests_is_a_test() {
    let project = Project::new();
    project
        .write("configure.ac", "AC_INIT([prog], [1])\nAM_INIT_AUTOMAKE([foreign])\nAC_PROG_CC\nAC_CONFIG_FILES([Makefile checks/Makefile])\nAC_OUTPUT\n")
        .write("Makefile.am", "SUBDIRS = . checks\nbin_PROGRAMS = prog\nprog_SOURCES = prog.c\nTEST_EXTENSIONS = .sh\nSH_LOG_COMPILER = sh\nTESTS = two.sh\n")
        .write("checks/Makefile.am", "check-local:\n\ttest `../prog 3` = 3\n")
        .write("prog.c", PROGRAM)
        .write("two.sh", "#!/bin/sh\ntest `./prog 2` = 2\n");
    project.succeed(&["init"]);
    project.succeed(&["build"]);
    let said = text(&project.suspect(&["test"]));
    assert!(said.contains("fails: check-local/check-local: exit status 2"), "{said}");
    assert!(said.contains("1 passing, 1 failing, 0 not counted"), "{said}");
    assert!(!said.contains("make -k check"), "it does not run where tests are listed: {said}");
}

/// A recipe of Automake's `check` itself runs behind all else: TESTS is empty, and Meson, which builds the library too, has no tests.
#[test]
fn a_recipe_for_automake_s_check_is_the_tests() {
    let project = Project::new();
    project
        .write("configure.ac", "AC_INIT([prog], [1])\nAM_INIT_AUTOMAKE([foreign])\nAC_PROG_CC\nAC_CONFIG_FILES([Makefile testbed/Makefile])\nAC_OUTPUT\n")
        .write("Makefile.am", "SUBDIRS = . testbed\nbin_PROGRAMS = prog\nprog_SOURCES = prog.c\n")
        .write("testbed/Makefile.am", "check_PROGRAMS = bed\ncheck:\n\tif true; then ./bed; fi\n\ttest `../prog 3` = 3\n")
        .write("testbed/bed.c", "int main(void) { return 0; }\n")
        .write("meson.build", "project('prog', 'c')\nexecutable('prog', 'prog.c')\n")
        .write("prog.c", PROGRAM);
    project.succeed(&["init"]);
    let written = std::fs::read_to_string(project.path().join("suspect.toml")).unwrap();
    assert!(written.contains("run = \"make -C testbed check\""), "{written}");
    assert!(written.contains("&& make -j$(nproc) && make -C testbed -j$(nproc) check-am TESTS=\""), "{written}");
    assert!(written.contains("test_code = [\"testbed/**\"]"), "{written}");
    project.succeed(&["build"]);
    let said = text(&project.suspect(&["test"]));
    assert!(said.contains("fails: command: exit status 2"), "{said}");
    // Beside TESTS it is a suite of its own, as check-local is.
    std::fs::remove_file(project.path().join("suspect.toml")).unwrap();
    project.write("Makefile.am", "SUBDIRS = . testbed\nTESTS = two.sh\n").succeed(&["init"]);
    let written = std::fs::read_to_string(project.path().join("suspect.toml")).unwrap();
    assert!(written.contains("name = \"check\"\nkind = \"command\"\nrun = \"make TESTS= check\""), "{written}");
}
