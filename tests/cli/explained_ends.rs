//! Where chains begin and end: at what a failure is in words, not in the tests' own course, and not at a constant whose reason is not told.

use serde_json::Value;

use crate::project::{Project, text, told};

fn line_of(source: &str, tag: &str) -> u64 {
    1 + source.lines().position(|line| line.contains(tag)).unwrap() as u64
}

/// All places that an explanation tells, as file and line.
fn places(found: &Value) -> Vec<(String, u64)> {
    let place = |point: &Value| Some((point["file"].as_str()?.to_owned(), point["line"].as_u64()?));
    let all = |part: &str| found[part].as_array().into_iter().flatten().filter_map(place).collect::<Vec<_>>();
    let origins = found["origins"].as_array().into_iter().flatten();
    let origins = origins.filter_map(|origin| place(&origin["point"]));
    all("facts").into_iter().chain(origins).chain(all("before")).collect()
}

/// Takes one step of three for two.
const STEPS: &str = r#"int steps(int from, int to, int width)
{
    int count = 0;
    while (from + width < to) { /* fault */
        from += width;
        count++;
    }
    return count;
}
"#;

/// Tests that are run one after the other, as long as none fails.
const TEST_STEPS: &str = r#"#include <stdio.h>

int steps(int, int, int);
static int ran;

#define RUN(test) do { const char *message = test(); ran++; if (message) return message; } while (0)

static const char *none(void) { return steps(0, 0, 4) == 0 ? NULL : "none"; }
static const char *short_one(void) { return steps(0, 3, 4) == 0 ? NULL : "short"; }
static const char *whole(void) { return steps(0, 12, 4) == 3 ? NULL : "whole"; }

static const char *all(void)
{
    RUN(none); /* runs none */
    RUN(short_one); /* runs short */
    RUN(whole); /* runs whole */
    return NULL;
}

int main(void)
{
    const char *message = all();
    if (message)
        fprintf(stderr, "test_steps.c:10: %s\n", message);
    return message != NULL;
}
"#;

#[test]
fn the_course_of_the_tests_is_no_part_of_a_chain() {
    let sources = [("steps.c", STEPS), ("test_steps.c", TEST_STEPS)];
    let suite = "kind = \"command\"\nrun = \"./steps\"";
    let project = Project::tested(&sources, "cc -g -O0 -o steps steps.c test_steps.c", suite);
    for ranked in [false, true] {
        if ranked {
            project.succeed(&["rank", "--budget", "20s"]);
        }
        let found = told(&project);
        let places = places(&found);
        assert!(places.iter().any(|(file, _)| file == "steps.c"), "{found}");
        for tag in ["/* runs none */", "/* runs short */", "/* runs whole */"] {
            let place = ("test_steps.c".to_owned(), line_of(TEST_STEPS, tag));
            assert!(!places.contains(&place), "{tag}: {found}");
        }
    }
}

/// Doubles, and adds one more each time.
const TWICE: &str = r#"int twice(int n)
{
    return n + n + 1; /* fault */
}

int same(int n)
{
    return n;
}
"#;

/// One test fails four times over, so that no change of one moment mends it; the other one does nothing that can be compared with it.
const TEST_TWICE: &str = r#"#include <assert.h>

int twice(int);
int same(int);

static void test_same(void)
{
    assert(same(3) == 3);
}

static void test_twice(void)
{
    int bad = 0;
    for (int n = 0; n < 4; n++)
        if (twice(n) != 2 * n)
            bad++;
    assert(bad == 0); /* check */
}

int main(void)
{
    test_same();
    test_twice();
    return 0;
}
"#;

#[test]
fn a_run_that_nothing_can_be_compared_with_is_followed_alone() {
    let sources = [("twice.c", TWICE), ("test_twice.c", TEST_TWICE)];
    let suite = "kind = \"command\"\nrun = \"./twice\"\ncases = \"auto\"";
    let project = Project::tested(&sources, "cc -g -O0 -o twice twice.c test_twice.c", suite);
    let output = project.suspect(&["explain", "--format", "json"]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output)));
    let check = ("test_twice.c".to_owned(), line_of(TEST_TWICE, "/* check */"));
    assert_eq!(places(&found).first(), Some(&check), "{found}");
}

/// Looks for `inf` only where more follows.
const NUMBER: &str = r#"#include <stdio.h>
#include <string.h>

static int is_number(const char *text, const char *end)
{
    if (text < end && *text >= '0' && *text <= '9')
        return 1;
    if (text + 3 < end) { /* fault */
        if (memcmp(text, "inf", 3) == 0)
            return 1;
    }
    return 0; /* constant */
}

int main(int argc, char **argv)
{
    const char *text = argc > 1 ? argv[1] : "";
    puts(is_number(text, text + strlen(text)) ? "number" : "none");
    return 0;
}
"#;

#[test]
fn of_a_constant_what_decided_it_is_told() {
    let project = Project::new();
    project.write_lines("number", NUMBER, "./number {line}", &[("12", "number"), ("x", "none"), ("inf", "number")]);
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    let output = project.suspect(&["explain", "3", "--replace", "--format", "json"]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output)));
    assert_eq!(found["made"]["point"]["line"], line_of(NUMBER, "/* constant */"), "{found}");
    let before: Vec<u64> =
        found["before"].as_array().into_iter().flatten().filter_map(|point| point["line"].as_u64()).collect();
    assert_eq!(before, [line_of(NUMBER, "/* fault */")], "{found}");
}

/// Checks of its own that tell their place in another form than the C library's, and abort.
const TEST_LAST: &str = r#"#include <stdio.h>
#include <stdlib.h>

#define CHECK(holds) do { if (!(holds)) { \
    fprintf(stderr, "Assertion failed: %s (%s: %d)\n", #holds, __FILE__, __LINE__); abort(); } } while (0)

int last(const int *values, int count);

int main(void)
{
    static const int values[] = { 4, 5, 6, 7 };
    int found = last(values, 3);
    CHECK(found == 6); /* check */
    return 0;
}
"#;

const LAST: &str = r#"int last(const int *values, int count)
{
    int at = count; /* fault */
    return values[at];
}
"#;

#[test]
fn a_check_that_aborts_is_told_with_its_values() {
    let sources = [("last.c", LAST), ("test_last.c", TEST_LAST)];
    let suite = "kind = \"command\"\nrun = \"./last\"";
    let found = told(&Project::tested(&sources, "cc -g -O0 -o last last.c test_last.c", suite));
    let first = found["summary"][0].as_str().unwrap();
    assert!(first.contains("aborts at test_last.c:"), "{found}");
    assert!(first.contains("`found` is 7"), "{found}");
    assert!(!first.contains("crashes"), "{found}");
}

/// Forgets that an edited line is a change; its status says whether there was one, or the other way round.
const EDIT: &str = r#"#include <stdio.h>
#include <stdlib.h>

static int mode, changed;

static void edit(char *line)
{
    line[0] = '#'; /* fault */
}

int main(int argc, char **argv)
{
    char line[16];
    mode = argc > 1 ? atoi(argv[1]) : 0;
    snprintf(line, sizeof line, "%s", argc > 2 ? argv[2] : "");
    if (line[0] == '!')
        edit(line);
    if (line[0] == '-')
        changed = 1;
    puts(line);
    switch (mode) { /* modes */
    case 0: exit(changed);
    case 1: exit(!changed);
    default: exit(0);
    }
}
"#;

#[test]
fn another_way_to_exit_is_no_change_that_mends() {
    let sources = [("edit.c", EDIT)];
    let run = "./edit 0 '!a'; test $? = 1";
    let suite = format!("kind = \"command\"\nlist = \"echo minus; echo mark\"\nrun = '''case {{test}} in minus) ./edit 0 -a; test $? = 1;; *) {run};; esac'''");
    let project = Project::tested(&sources, "cc -g -O0 -o edit edit.c", &suite);
    let found = told(&project);
    let modes = line_of(EDIT, "/* modes */");
    assert_ne!(found["made"]["point"]["line"], modes, "{found}");
    assert!(found["test"] == "mark", "{found}");
}
