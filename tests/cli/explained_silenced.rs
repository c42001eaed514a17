//! Explanations where a change silences the failure: it is one of the check that fails, or keeps the test from it. What the check says is explained instead.

use serde_json::Value;

use crate::project::{Project, told};

fn line_of(source: &str, tag: &str) -> u64 {
    1 + source.lines().position(|line| line.contains(tag)).unwrap() as u64
}

/// A program of one file, code and test, that was tested as a whole.
fn tested(source: &str) -> Project {
    Project::tested(&[("prog.c", source)], "cc -g -O0 -o prog prog.c", "kind = \"command\"\nrun = \"./prog\"")
}

fn has(part: &Value, source: &str, tag: &str) -> bool {
    part.to_string().contains(&format!("\"line\":{}", line_of(source, tag)))
}

/// Adds up too much in each round, so that neither a condition nor a value of one moment mends it.
const SCALE: &str = r#"#include <stdio.h>

static int scaled(int rounds)
{
    int all = 0;
    for (int round = 0; round < rounds; round++)
        all += 20 + round * 7; /* fault */
    return all;
}

int main(void)
{
    int got = scaled(5);
    if (got != 100) { /* check */
        fprintf(stderr, "%s:%d: not as much as it should be\n", __FILE__, __LINE__ - 1);
        return 1;
    }
    return 0;
}
"#;

#[test]
fn the_check_that_fails_is_no_change_that_mends() {
    let project = tested(SCALE);
    for ranked in [false, true] {
        if ranked {
            project.succeed(&["rank", "--budget", "20s"]);
        }
        let found = told(&project);
        assert!(!has(&found["made"], SCALE, "/* check */"), "{ranked}: {found}");
        assert!(!has(&found["origins"], SCALE, "/* check */"), "{ranked}: {found}");
        let told = ["facts", "before", "steps", "origins"].iter().any(|part| has(&found[*part], SCALE, "/* fault */"));
        assert!(told, "{ranked}: {found}");
    }
    // Who asks for it is told.
    let asked = project.suspect(&["explain", "--switch", "--format", "json"]);
    let asked: Value = serde_json::from_slice(&asked.stdout).unwrap();
    assert!(has(&asked["made"], SCALE, "/* check */"), "{asked}");
}

/// Opens a file that is not there.
const OPEN: &str = r#"#include <stdio.h>

void check(int holds, const char *what);

static const char *wanted(int argc, char **argv)
{
    return argc > 1 ? argv[1] : "missing.txt";
}

int main(int argc, char **argv)
{
    const char *name = wanted(argc, argv);
    FILE *file = fopen(name, "r"); /* opened */
    check(file != NULL, "cannot open it"); /* check */
    fclose(file);
    return 0;
}
"#;

/// A helper of the tests, which does not say where it is called.
const CHECK: &str = r#"#include <stdio.h>
#include <stdlib.h>

void check(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "error: %s\n", what);
        exit(1);
    }
}
"#;

#[test]
fn a_statement_that_leaves_before_the_check_is_no_change_that_mends() {
    let project = Project::new();
    project.write("prog.c", OPEN).write("tests/check.c", CHECK);
    project.write(
        "suspect.toml",
        "[build]\ncommand = \"cc -g -O0 -o prog prog.c tests/check.c\"\n\n[[suite]]\nkind = \"command\"\nrun = \"./prog\"\n",
    );
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    let ranked = project.suspect(&["rank", "--budget", "20s"]);
    let ranked = String::from_utf8_lossy(&ranked.stdout).into_owned();
    assert!(ranked.contains("with `return 0;` before it"), "{ranked}");
    let found = told(&project);
    assert!(!found["summary"].to_string().contains("passes"), "{found}");
    // It begins with what decides, not with the words of the complaint, and comes to what the check is of.
    assert!(found["facts"][0]["text"].as_str().unwrap().contains("`holds` is 0"), "{found}");
    assert!(has(&found["origins"], OPEN, "/* opened */"), "{found}");
}

/// Adds up too much, too, and checks it by an assertion of the C library.
const ASSERT: &str = r#"#include <assert.h>

static int scaled(int rounds)
{
    int all = 0;
    for (int round = 0; round < rounds; round++)
        all += 20 + round * 7; /* fault */
    return all;
}

int main(void)
{
    int got = scaled(5);
    assert(got < 171 && got == 100); /* check */
    return 0;
}
"#;

#[test]
fn an_assertion_that_fails_is_told_by_its_text_and_followed_from_its_condition() {
    let project = tested(ASSERT);
    let found = told(&project);
    let check = line_of(ASSERT, "/* check */");
    let summary = found["summary"][0].as_str().unwrap();
    let told = format!("aborts at prog.c:{check}: the assertion `got < 171 && got == 100` fails");
    assert!(summary.contains(&told), "{found}");
    assert!(found["facts"][0]["text"].as_str().unwrap().contains("`got` is 170"), "{found}");
    assert!(has(&found["facts"], ASSERT, "/* fault */"), "{found}");
}
