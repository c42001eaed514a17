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

/// Ends the process where it is given too much.
const NEED: &str = r#"#include <stdlib.h>

static int left = 10;

void need(int count)
{
    if (count > left) /* check */
        abort();
    left -= count;
}
"#;

/// Tests that are run one after the other, as long as none fails.
const TEST_NEED: &str = r#"#include <stdio.h>

void need(int);
static int ran;

#define RUN(test) do { const char *message = test(); ran++; if (message) return message; } while (0)

static const char *nothing(void) { need(0); return NULL; }
static const char *little(void) { need(1); return NULL; }
static const char *much(void) { need(12); return NULL; } /* much */

static const char *all(void)
{
    RUN(nothing); /* runs nothing */
    RUN(little); /* runs little */
    RUN(much); /* runs much */
    return NULL;
}

int main(void)
{
    return all() != NULL;
}
"#;

#[test]
fn the_course_of_the_tests_is_no_part_of_a_chain() {
    let sources = [("need.c", NEED), ("test_need.c", TEST_NEED)];
    let suite = "kind = \"command\"\nrun = \"./need\"";
    let found = told(&Project::tested(&sources, "cc -g -O0 -o need need.c test_need.c", suite));
    let places = places(&found);
    assert_eq!(places.first(), Some(&("need.c".to_owned(), line_of(NEED, "/* check */"))), "{found}");
    assert!(places.contains(&("test_need.c".to_owned(), line_of(TEST_NEED, "/* much */"))), "{found}");
    for tag in ["/* runs nothing */", "/* runs little */", "/* runs much */"] {
        let place = ("test_need.c".to_owned(), line_of(TEST_NEED, tag));
        assert!(!places.contains(&place), "{tag}: {found}");
    }
}

/// Doubles, and adds one more each time.
const TWICE: &str = r#"int twice(int n)
{
    return n + n + 1; /* fault */
}
"#;

/// One test fails four times over, so that no change of one moment mends it; the other one writes and decides nothing that can be compared with it.
const TEST_TWICE: &str = r#"#include <assert.h>

int twice(int);

static void test_some(void)
{
    assert(twice(1) > 2);
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
    test_some();
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
    edit(line);
    puts(line);
    switch (mode) { /* modes */
    case 0: exit(changed); /* exits */
    case 1: exit(!changed);
    default: exit(0);
    }
}
"#;

#[test]
fn another_way_to_exit_is_no_change_that_mends() {
    let suite = "kind = \"command\"\nrun = \"./edit 0 a; test $? = 1\"";
    let found = told(&Project::tested(&[("edit.c", EDIT)], "cc -g -O0 -o edit edit.c", suite));
    assert_ne!(found["made"]["point"]["line"], line_of(EDIT, "/* modes */"), "{found}");
    let exits = ("edit.c".to_owned(), line_of(EDIT, "/* exits */"));
    let is_told =
        places(&found).contains(&exits) || found["steps"].to_string().contains(&format!("\"line\":{}", exits.1));
    assert!(is_told, "{found}");
}

/// Bits that grow: the first new word is not cleared where the old size filled none. It happens twice, so that no change of one moment mends it.
const BITS: &str = r#"#include "bits.h"

static unsigned char dirt[2][8];

void start(struct bits *bits, int number)
{
    bits->words = dirt[number];
    for (int at = 0; at < 8; at++)
        bits->words[at] = 255;
    bits->size = 0;
}

void grow(struct bits *bits, int size)
{
    int old = bits->size / 8; /* fault */
    int now = (size + 7) / 8;
    for (int at = old + 1; at < now; at++) /* loop */
        bits->words[at] = 0;
    bits->size = size;
}

void put(struct bits *bits, int at, int bit)
{
    bits->words[at / 8] = (bits->words[at / 8] & ~(1 << at % 8)) | bit << at % 8;
}

int get(const struct bits *bits, int at)
{
    return bits->words[at / 8] >> at % 8 & 1;
}
"#;

const BITS_H: &str = "struct bits { unsigned char *words; int size; };\nvoid start(struct bits *, int);\nvoid grow(struct bits *, int);\n\
    void put(struct bits *, int, int);\nint get(const struct bits *, int);\n";

const TEST_BITS: &str = r#"#include <assert.h>
#include "bits.h"

static void test_put(void)
{
    struct bits bits;
    start(&bits, 0);
    grow(&bits, 8);
    put(&bits, 3, 0);
    assert(get(&bits, 3) == 0);
}

static void test_more(void)
{
    struct bits bits;
    start(&bits, 0);
    grow(&bits, 8);
    for (int at = 0; at < 8; at++)
        put(&bits, at, at % 2);
    grow(&bits, 24);
    assert(get(&bits, 0) == 0 && get(&bits, 1) == 1 && get(&bits, 20) == 0);
}

static void test_grow(void)
{
    struct bits one, other;
    start(&one, 0);
    start(&other, 1);
    grow(&one, 16);
    grow(&other, 16);
    put(&one, 1, 1);
    put(&other, 1, 1);
    assert(get(&one, 0) + get(&other, 0) == 0);
}

int main(void)
{
    test_put();
    test_more();
    test_grow();
    return 0;
}
"#;

#[test]
fn a_store_that_a_suspected_line_led_past_is_told() {
    let sources = [("bits.c", BITS), ("bits.h", BITS_H), ("test_bits.c", TEST_BITS)];
    let suite = "kind = \"command\"\nrun = \"./bits\"\ncases = \"auto\"";
    let project = Project::tested(&sources, "cc -g -O0 -o bits bits.c test_bits.c", suite);
    project.succeed(&["rank", "--budget", "20s"]);
    let found = told(&project);
    let places = places(&found);
    assert!(places.contains(&("bits.c".to_owned(), line_of(BITS, "/* loop */"))), "{found}");
}

/// Tells of a failed check in colours, and its line in words.
const TEST_COLOURED: &str = r#"#include <stdio.h>

int last(const int *values, int count);

int main(void)
{
    static const int values[] = { 4, 5, 6, 7 };
    int found = last(values, 3);
    if (found != 6) { /* check */
        fprintf(stderr, "\033[31m assert fail\033[0m in \033[36m%s \033[0mon \033[1mline %d\033[0m : found\n", __FILE__, __LINE__ - 1);
        return 1;
    }
    return 0;
}
"#;

#[test]
fn a_check_that_tells_its_place_in_colours_is_where_it_begins() {
    let sources = [("last.c", LAST), ("test_last.c", TEST_COLOURED)];
    let suite = "kind = \"command\"\nrun = \"./last\"";
    let found = told(&Project::tested(&sources, "cc -g -O0 -o last last.c test_last.c", suite));
    let first = found["summary"][0].as_str().unwrap();
    assert!(first.contains("assert fail in test_last.c on line"), "{found}");
    assert!(first.contains("expected 6, was 7"), "{found}");
    assert!(!first.contains("u{1b}"), "{found}");
}

/// Writes the even numbers below a bound, and one of them twice.
const EVENS: &str = r#"int evens(int below, int *into)
{
    int count = 0;
    for (int n = 0; n < below; n += 2)
        into[count++] = n == 4 ? 2 : n; /* fault */
    return count;
}
"#;

/// Counts along what it expects, behind what is written.
const TEST_EVENS: &str = r#"#include <stdio.h>

int evens(int below, int *into);

int main(void)
{
    int found[8];
    int count = evens(10, found);
    int expected = 0;
    for (int at = 0; at < count; at++) {
        expected = 2 * at; /* expected */
        if (found[at] != expected) {
            fprintf(stderr, "test_evens.c:12: failed\n");
            return 1;
        }
    }
    return 0;
}
"#;

#[test]
fn of_what_a_check_compares_what_the_tested_code_wrote_is_followed() {
    let sources = [("evens.c", EVENS), ("test_evens.c", TEST_EVENS)];
    let suite = "kind = \"command\"\nrun = \"./evens\"";
    let project = Project::tested(&sources, "cc -g -O0 -o evens evens.c test_evens.c", suite);
    let output = project.suspect(&["explain", "--budget", "0s", "--format", "json"]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output)));
    let places = places(&found);
    assert!(places.contains(&("evens.c".to_owned(), line_of(EVENS, "/* fault */"))), "{found}");
    assert!(!places.contains(&("test_evens.c".to_owned(), line_of(TEST_EVENS, "/* expected */"))), "{found}");
}
