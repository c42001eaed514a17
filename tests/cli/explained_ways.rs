//! How a run that is followed alone is told: functions that only hand a value on, memory without a name, and what led to a change that mends.

use serde_json::Value;

use crate::project::{Project, told};

/// What is told of a program of this source, which complains to a test of its own.
fn explained(source: &str) -> Value {
    let suite = "kind = \"command\"\nrun = \"./prog\"";
    told(&Project::tested(&[("prog.c", source)], "cc -g -O0 -o prog prog.c", suite))
}

fn line_of(source: &str, tag: &str) -> u64 {
    1 + source.lines().position(|line| line.contains(tag)).unwrap() as u64
}

fn text_at(told: &Value, line: u64) -> &str {
    let points = told.as_array().unwrap();
    points.iter().find(|point| point["line"] == line).map_or("", |point| point["text"].as_str().unwrap())
}

/// Tells that a text ends too early by the code of any other error: what would make another one of it is missing where the code is handed on.
const CODES: &str = r#"#include <stdio.h>

struct error { int code; const char *near; };

static void keep(struct error *error, const char *near, int code)
{
    error->near = near;
    error->code = code;
}

static void set(struct error *error, const char *near, int code)
{
    const char *told = "the end";
    if (*near) /* lacking */
        told = near;
    keep(error, told, code);
}

static void parse(const char *text, struct error *error)
{
    while (*text == ' ' || *text == '(')
        text++;
    if (*text != ')')
        set(error, text, 8);
}

int main(void)
{
    struct error error = { 0, "" };
    parse(" (", &error);
    if (error.code != 6) {
        fprintf(stderr, "%s:%d: wrong code\n", __FILE__, __LINE__ - 1);
        return 1;
    }
    return 0;
}
"#;

#[test]
fn of_a_function_that_only_hands_a_value_on_its_last_decision_is_told() {
    let found = explained(CODES);
    let text = text_at(&found["facts"], line_of(CODES, "/* lacking */"));
    assert_eq!(text, "set() hands it on as it is: `*near` is false: `near` is \"\"", "{found}");
}

/// Writes two letters into memory that it was given, both wrong: no value of one moment mends that, and the first one that differs is followed.
const LETTERS: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(char *to, int number)
{
    to[0] = number + '1'; /* fault */
    to[1] = number + '2';
    to[2] = 0;
}

int main(void)
{
    void *words = malloc(8);
    char *copy;
    if (!words)
        return 2;
    put(words, 7);
    copy = strdup(words);
    if (strcmp(copy, "78") != 0) {
        fprintf(stderr, "%s:%d: wrong text\n", __FILE__, __LINE__ - 1);
        return 1;
    }
    return 0;
}
"#;

#[test]
fn memory_without_a_name_is_told_as_the_statement_says_it() {
    let found = explained(LETTERS);
    assert!(text_at(&found["facts"], line_of(LETTERS, "/* fault */")).starts_with("`to[0]` becomes 56"), "{found}");
    assert!(!found["facts"].to_string().contains('@'), "{found}");
}

/// Looks for a number from the first to the last place that may have it, and takes a place too few for the last.
const PLACES: &str = r#"#include <stdio.h>

static const int numbers[] = { 1, 3, 5, 5, 8, 9, 12, 15 };

static int first(int wanted)
{
    int low = 0, high = 7;
    while (low < high) {
        int middle = (low + high) / 2;
        if (numbers[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int last(int wanted)
{
    int at = 0;
    for (int n = 0; n < 8; n++)
        if (numbers[n] == wanted)
            at = n;
    return at / 2; /* fault */
}

int main(void)
{
    int wanted, found = -1;
    if (scanf("%d", &wanted) != 1)
        return 2;
    int high = last(wanted);
    for (int n = first(wanted); n <= high; n++) /* loop */
        if (found < 0 && numbers[n] == wanted)
            found = n;
    printf("%d\n", found);
    return 0;
}
"#;

#[test]
fn what_led_to_a_change_that_mends_is_told_where_the_ranking_is_not_sure_of_its_line() {
    let project = Project::new();
    let tests = [("5", "2"), ("1", "0"), ("7", "-1"), ("2", "-1")];
    project.write_lines("places", PLACES, "sh -c 'echo {line} | ./places'", &tests);
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    project.succeed(&["rank", "--budget", "20s"]);
    let found = told(&project);
    let all = ["steps", "origins", "before", "facts"].map(|part| found[part].to_string()).concat();
    assert!(all.contains(&format!("\"line\":{}", line_of(PLACES, "/* fault */"))), "{found}");
}
