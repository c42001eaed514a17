//! Tests that start a program many times which writes files: each start is a test of its own, by the file that it writes.

use std::process::Command;

use crate::project::{Project, text};

/// Grades the numbers of a file into another one; ninety points are a first grade, but not here. A negative number is too much for it.
const PROGRAM: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int grade(int points)
{
    if (points > 90)
        return 1;
    if (points >= 50)
        return 2;
    return 3;
}
int main(int argc, char **argv)
{
    if (argc != 3) {
        puts("grade 1.0");
        return 0;
    }
    FILE *from = fopen(argv[1], "r");
    int points[16], n = 0;
    if (!from)
        return 2;
    while (n < 16 && fscanf(from, "%d", &points[n]) == 1) {
        if (points[n] < 0)
            abort();
        n++;
    }
    fclose(from);
    FILE *to = fopen(strncmp(argv[2], "-o", 2) ? argv[2] : argv[2] + 2, "w");
    if (!to)
        return 2;
    for (int i = 0; i < n; i++)
        fprintf(to, "%d: %d\n", points[i], grade(points[i]));
    return fclose(to) ? 3 : 0;
}
"#;

/// A project whose one test is a driver.
fn project(driver: &str) -> Project {
    let project = Project::new();
    project
        .write("grade.c", PROGRAM)
        .write("Makefile", "grade: grade.c\n\t$(CC) -g -O0 -o $@ grade.c\n")
        .write("driver", driver)
        .write("high.in", "95 93\n")
        .write("high.want", "95: 1\n93: 1\n")
        .write("low.in", "10\n")
        .write("low.want", "10: 3\n")
        .write("edge.in", "90 60\n")
        .write("edge.want", "90: 1\n60: 2\n");
    let suite = "[[suite]]\nname = \"spec\"\nkind = \"command\"\nrun = \"sh driver\"\nstarts = true\n";
    project.write("suspect.toml", &format!("[build]\ncommand = \"make\"\n{suite}"));
    project.succeed(&["build"]);
    project
}

/// What `suspect test` says.
fn tested(project: &Project) -> String {
    text(&project.suspect(&["test"]))
}

/// The command of a test of the last run.
fn command(project: &Project, number: usize) -> String {
    let run = std::fs::read_to_string(project.path().join(".suspect/runs/1/run.json")).unwrap();
    let run: serde_json::Value = serde_json::from_str(&run).unwrap();
    run["tests"][number]["command"].as_str().unwrap().to_owned()
}

/// Says of each file whether it is as it should be.
const EACH: &str = r#"status=0
check() {
    ./grade $1.in "$2"
    if cmp -s $1.out $1.want; then echo "PASS: $1"; else echo "FAIL: $1"; status=1; fi
}
./grade
check high high.out
check low -olow.out
check edge edge.out
rm -f high.out low.out
exit $status
"#;

#[test]
fn starts_that_write_files_are_tests() {
    let project = project(EACH);
    let said = tested(&project);
    assert!(
        said.contains("4 of its 4 starts of instrumented programs are tests of their own, 1 of them fail"),
        "{said}"
    );
    assert!(said.contains("fails: spec, 4th start of grade: spec: FAIL: edge\n"), "{said}");
    let answer = project.succeed(&["rank"]);
    assert!(answer.contains("grade()") && answer.contains("with `points >= 90`"), "{answer}");
    // Its output is the file, which it does not write in the project's directory.
    std::fs::remove_file(project.path().join("edge.out")).unwrap();
    let by_hand = Command::new("sh").args(["-c", &command(&project, 4)]).current_dir(project.path()).output();
    assert_eq!(text(&by_hand.unwrap()), "90: 2\n60: 2\n");
    assert!(!project.path().join("edge.out").exists());
}

/// The same program, which says what it does.
fn talking(driver: &str) -> Project {
    let project = project(driver);
    let talking = PROGRAM.replace("    return fclose(to)", "    printf(\"%d points\\n\", n);\n    return fclose(to)");
    assert_ne!(talking, PROGRAM);
    project.write("grade.c", &talking);
    project.succeed(&["build"]);
    project
}

#[test]
fn starts_are_judged_by_their_files_where_their_driver_looks_at_these() {
    // It goes with what the driver says; nobody reads it.
    for to in ["", " > /dev/null", " | tee said"] {
        let project = talking(&EACH.replace("\"$2\"", &format!("\"$2\"{to}")));
        let said = tested(&project);
        assert!(
            said.contains("4 of its 4 starts of instrumented programs are tests of their own, 1 of them fail"),
            "{to}: {said}"
        );
        assert!(said.contains("fails: spec, 4th start of grade: spec: FAIL: edge\n"), "{to}: {said}");
        let by_hand = Command::new("sh").args(["-c", &command(&project, 4)]).current_dir(project.path()).output();
        assert_eq!(text(&by_hand.unwrap()), "90: 2\n60: 2\n", "{to}");
        let answer = project.succeed(&["rank"]);
        assert!(answer.contains("grade()") && answer.contains("with `points >= 90`"), "{to}: {answer}");
    }
}

#[test]
fn what_nobody_reads_is_no_output() {
    let project = talking("set -e\n./grade high.in out > /dev/null\n./grade none.in out > /dev/null\n");
    let said = tested(&project);
    assert!(said.contains("2 of its 2 starts"), "{said}");
    assert!(command(&project, 1).contains("out > /dev/null"), "{}", command(&project, 1));
}

/// Stops at the first file that is not as it should be; all have one name, which is there before.
const STOPS: &str = "set -e\ntouch out\nfor one in high low edge; do\n./grade $one.in out\ncmp out $one.want\ndone\n";

#[test]
fn the_start_fails_at_whose_file_the_driver_stops() {
    let project = project(STOPS);
    let said = tested(&project);
    assert!(
        said.contains("3 of its 3 starts of instrumented programs are tests of their own, 1 of them fail"),
        "{said}"
    );
    assert!(said.contains("fails: spec, 3rd start of grade: "), "{said}");
    let answer = project.succeed(&["rank"]);
    assert!(answer.contains("with `points >= 90`"), "{answer}");
}

/// One that ends before it writes its file.
const ENDS: &str = r#"status=0
for one in high low ends; do
    rm -f out
    ./grade $one.in out
    if cmp -s out $one.want; then echo "PASS: $one"; else echo "FAIL: $one"; status=1; fi
done
exit $status
"#;

#[test]
fn a_start_that_ends_before_it_writes_its_file_fails_alone_as_it_does() {
    let project = project(ENDS);
    project.write("ends.in", "-1\n").write("ends.want", "-1: 3\n");
    let said = tested(&project);
    assert!(
        said.contains("3 of its 3 starts of instrumented programs are tests of their own, 1 of them fail"),
        "{said}"
    );
    assert!(said.contains("fails: spec, 3rd start of grade: "), "{said}");
    let by_hand = Command::new("sh").args(["-c", &command(&project, 3)]).current_dir(project.path()).output().unwrap();
    assert_eq!((by_hand.status.code(), by_hand.stdout.as_slice()), (Some(128 + 6), b"".as_slice()));
}
