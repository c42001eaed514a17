//! Groups of GNU Autotest, and the one start of a program that decides what a group comes to.

use std::process::Command;

use crate::project::{Project, text};

/// A calculator that is wrong above nine, and says its version.
const CALC: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    int sum = 0;
    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        puts("calc 1");
        return 0;
    }
    for (int i = 1; i < argc; i++)
        sum += atoi(argv[i]);
    if (sum >= 9)
        sum -= 9;
    printf("%d\n", sum);
    return 0;
}
"#;

const GROUPS: &str = r#"AT_INIT
AT_TESTED([calc])
m4_foreach([n], [1, 2, 5], [
AT_SETUP([adds ]n)
AT_CHECK([calc 3 n], 0, [m4_eval(3 + n)
])
AT_CLEANUP
])
AT_SETUP([adds six])
AT_CHECK([calc 3 6], 0, [9
])
AT_CLEANUP
"#;

#[test]
fn the_start_that_a_group_looks_at_is_a_test() {
    let project = Project::new();
    let root = project.path().canonicalize().unwrap();
    // As config.status writes it.
    let config = format!(
        "at_testdir=tests\nabs_builddir='{0}/tests'\nat_srcdir=.\nabs_srcdir='{0}/tests'\nat_top_srcdir=..\nabs_top_srcdir='{0}'\n\
         at_top_build_prefix=../\nabs_top_builddir='{0}'\nat_top_builddir=../\nAUTOTEST_PATH=.\nSHELL=/bin/sh\n",
        root.display()
    );
    let package = ["NAME", "TARNAME", "VERSION", "STRING", "BUGREPORT"]
        .map(|word| format!("m4_define([AT_PACKAGE_{word}], [calc])\n"))
        .concat();
    project.write("calc.c", CALC).write("tests/testsuite.at", GROUPS).write("tests/package.m4", &package);
    project.write("tests/atconfig", &config).write("Makefile", "calc: calc.c\n\tcc -g -o $@ $<\n");
    let make = Command::new("autom4te")
        .args(["--language=autotest", "-o", "testsuite", "testsuite.at"])
        .current_dir(root.join("tests"))
        .output();
    let make = make.unwrap();
    assert!(make.status.success(), "{}", text(&make));
    project.succeed(&["init"]);
    project.succeed(&["build"]);
    let said = project.succeed(&["test"]);
    assert!(said.contains("fails: adds six: testsuite.at:10: `-9`"), "{said}");
    assert!(said.contains("3 passing, 1 failing, 0 not counted") && said.contains("`starts = true`"), "{said}");
    let refined = project.succeed(&["init", "--refine"]);
    assert!(refined.contains("wrote `starts = true` into [[suite]] 1: 4 tests become "), "{refined}");
    let said = project.succeed(&["test"]);
    assert!(said.contains("fails: adds six, 2nd start of calc: adds six: +0\n"), "{said}");
    assert!(said.contains("6 passing, 1 failing, 4 not counted"), "{said}");
    let ranking = project.ranking(&["--budget", "20s"]);
    let first = &ranking["ranking"][0];
    assert!([13, 14].map(|line| line.into()).contains(&first["line"]), "{ranking}");
}
