//! Tests that are judged by their exit status alone: a change that only silences what a failing test says mends nothing.

use crate::all_evidence::ranked;
use crate::project::{Project, line_of};

/// Scripts of `checks.c`; the last fails.
const SCRIPTS: [(&str, &str); 5] = [
    ("add", "assert 1 + 2 = 3\n"),
    ("sub", "assert 5 - 2 = 3\n"),
    ("mul", "assert 2 * 3 = 6\n"),
    ("div", "assert 7 / 2 = 3\nassert 7 / 0 = 0\n"),
    ("mod", "assert 7 % 2 = 1\n"),
];

#[test]
fn silencing_a_failed_check_is_no_repair() {
    let project = Project::new();
    project.copy_program("checks.c");
    for (name, text) in SCRIPTS {
        project.write(&format!("t/{name}.calc"), text);
    }
    project.write(
        "suspect.toml",
        "[build]\ncommand = \"cc -O2 -g -o checks checks.c\"\n[[suite]]\nkind = \"command\"\nlist = \"ls t/*.calc\"\n\
         run = \"./checks {test}\"\n",
    );
    project.succeed(&["build"]);
    project.succeed(&["test"]);
    let report = ranked(&project, &[]);
    let probability = |needle: &str| {
        let line = line_of("checks.c", needle);
        let entry = report.ranking.iter().find(|entry| u64::from(entry.line) == line);
        entry.and_then(|entry| entry.probability).unwrap_or(0.0)
    };
    let fault = probability("the fault");
    assert_eq!(u64::from(report.ranking[0].line), line_of("checks.c", "the fault"), "{:?}", report.ranking);
    for silencing in ["the status", "fail(FAILED, line)"] {
        let of = probability(silencing);
        assert!(of < fault / 2.0, "{silencing}: {of} against {fault}");
    }
    // What silences it is said not to mend it.
    let shown = project.succeed(&["rank", "-v"]);
    assert!(!shown.contains("with `0`: t/mod.calc passes"), "{shown}");
}

#[test]
fn silencing_a_failed_test_of_ctest_is_no_repair() {
    let project = Project::new();
    project.copy_program("checks.c");
    let mut cmake = "cmake_minimum_required(VERSION 3.10)\nproject(checks C)\nenable_testing()\n\
                     add_executable(checks checks.c)\n"
        .to_owned();
    for (name, text) in SCRIPTS {
        project.write(&format!("t/{name}.calc"), text);
        cmake += &format!("add_test({name} checks ${{CMAKE_SOURCE_DIR}}/t/{name}.calc)\n");
    }
    project.write("CMakeLists.txt", &cmake);
    project.succeed(&["init"]);
    project.succeed(&["build"]);
    project.succeed(&["test"]);
    let report = ranked(&project, &[]);
    assert_eq!(u64::from(report.ranking[0].line), line_of("checks.c", "the fault"), "{:?}", report.ranking);
    let shown = project.succeed(&["rank", "-v"]);
    assert!(!shown.contains("with `0`: mod passes") && shown.contains("judged by their exit status alone"), "{shown}");
}

/// Checks what it is told to, and says what it checks; the square of 3 is wrong.
const SQUARES: &str = "#include <stdio.h>
#include <stdlib.h>
static int square(int n)
{
    if (n > 2)
        return n * n - 1;
    return n * n;
}
int main(int argc, char **argv)
{
    int bad = 0;
    for (int i = 1; i < argc; i++) {
        int n = atoi(argv[i]);
        printf(\"square of %d\\n\", n);
        if (square(n) / n != n) {
            printf(\"square of %d is wrong: FAILED\\n\", n);
            bad = 1;
        }
    }
    return bad;
}
";

#[test]
fn ending_before_the_check_that_fails_is_no_repair() {
    let project = Project::new();
    project.write("squares.c", SQUARES).write("tests.list", "1\n2\n1 2\n2 3\n2 1\n");
    project.write(
        "suspect.toml",
        "[build]\ncommand = \"cc -O1 -o squares squares.c\"\n\n[[suite]]\nkind = \"lines\"\nfile = \"tests.list\"\n\
         run = \"./squares {line}\"\n",
    );
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    let report = ranked(&project, &[]);
    let line = |needle: &str| 1 + SQUARES.lines().position(|line| line.contains(needle)).unwrap();
    assert_eq!(report.ranking[0].line as usize, line("n * n - 1"), "{:?}", report.ranking);
    let said = project.succeed(&["rank", "--why", &format!("squares.c:{}", line("i < argc"))]);
    assert!(said.contains("none makes one pass"), "{said}");
}

/// Checks one thing or several; the area of what is long is wrong.
const SERIES: &str = "#include <stdio.h>
#include <stdlib.h>
static int scale(int n)
{
    return n * 3;
}
static int area(int a, int b)
{
    return a * b + (a > 4);
}
static void check(int right, int line)
{
    if (!right) {
        fprintf(STREAM, \"series.c:%d: check failed\\n\", line);
        exit(1);
    }
}
int main(int argc, char **argv)
{
    int which = argc > 1 ? atoi(argv[1]) : 0;
    if (which == 1)
        check(area(2, 3) == 6, __LINE__);
    if (which == 2)
        check(area(3, 3) == 9, __LINE__);
    if (which == 3) {
        check(scale(2) == 6, __LINE__);
        check(scale(5) == 15, __LINE__);
        check(area(5, 2) == 10, __LINE__);
    }
    return 0;
}
";

#[test]
fn a_change_that_fails_an_earlier_check_speaks_against_its_line() {
    // Forked trials that complain on standard error, and process trees that do on standard output.
    for (stream, run) in
        [("stderr", "./series {line}"), ("stdout", "./series {line} > out; code=$?; cat out; exit $code")]
    {
        let project = Project::new();
        project.write("series.c", &SERIES.replace("STREAM", stream)).write("tests.list", "1\n2\n3\n");
        project.write(
            "suspect.toml",
            &format!(
                "[build]\ncommand = \"cc -O1 -o series series.c\"\n\n[[suite]]\nkind = \"lines\"\nfile = \"tests.list\"\n\
                 run = \"{run}\"\n"
            ),
        );
        project.succeed(&["build"]);
        project.suspect(&["test"]);
        let report = ranked(&project, &[]);
        let line = |needle: &str| 1 + SERIES.lines().position(|line| line.contains(needle)).unwrap();
        let place = |needle: &str| report.ranking.iter().position(|entry| entry.line as usize == line(needle)).unwrap();
        assert!(place("a * b") < place("n * 3"), "{stream}");
        let said = project.succeed(&["rank", "--why", &format!("series.c:{}", line("n * 3"))]);
        assert!(said.contains("at an earlier check; none makes one pass"), "{stream}: {said}");
    }
}
