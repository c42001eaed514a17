//! Uses beyond the end of an object of the heap: what made it too small is told beside where it is used.

use serde_json::Value;

use crate::project::{Project, told};

fn line_of(source: &str, tag: &str) -> u64 {
    1 + source.lines().position(|line| line.contains(tag)).unwrap() as u64
}

fn has(found: &Value, line: u64) -> bool {
    found["facts"].as_array().unwrap().iter().any(|fact| fact["line"] == line)
}

/// What is told of a program that is to write the last word it is given, after it has damaged it.
fn explained(source: &str, line: &str) -> Value {
    let project = Project::new();
    project.write_lines("prog", source, "./prog {line}", &[(line, "name")]);
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    told(&project)
}

/// A list grows by four items at a time, but only where it comes to a multiple of four by single steps. `GROW` is a macro, as it often is.
const LIST: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct list { size_t n; int *items; };

#define GROW(list) do { \
        if ((list)->n % 4 == 0) \
            (list)->items = realloc((list)->items, ((list)->n + 4) * sizeof *(list)->items); \
    } while (0)

static void add(struct list *list, int item)
{
    GROW(list);
    list->items[list->n++] = item;
}

static void set(struct list *list, size_t at, int item)
{
    if (at >= list->n) {
        size_t old = list->n;
        list->n = at + 1; /* counts */
        GROW(list); /* fault */
        while (old < list->n)
            list->items[old++] = 0;
    }
    list->items[at] = item;
}

int main(int argc, char **argv)
{
    struct list list = { 0, 0 };
    add(&list, 1);
    char *name = strdup(argc > 2 ? argv[2] : "");
    set(&list, atoi(argv[1]), 7);
    puts(name);
    return 0;
}
"#;

#[test]
fn the_decision_that_led_past_a_larger_object_is_told() {
    let found = explained(LIST, "9 name");
    let fault = line_of(LIST, "/* fault */");
    assert_eq!(found["origins"][0]["point"]["line"], fault, "{found}");
    assert!(has(&found, fault) && has(&found, line_of(LIST, "/* counts */")), "{found}");
    assert!(found["summary"][1].as_str().unwrap().contains("no larger object is put in its place"), "{found}");
}

/// Joins two words behind each other, in as many bytes as the first one needs.
const JOIN: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *join(const char *one, const char *other)
{
    size_t size = strlen(one) + 1; /* fault */
    char *both = malloc(size); /* allocates */
    size_t n = 0;
    while (*one)
        both[n++] = *one++;
    while (*other)
        both[n++] = *other++;
    both[n] = 0;
    return both;
}

int main(int argc, char **argv)
{
    char *room = malloc(8);
    char *name = strdup(argc > 3 ? argv[3] : "");
    free(room);
    puts(*join(argv[1], argv[2]) ? name : "none");
    return 0;
}
"#;

#[test]
fn the_size_of_an_object_is_followed_as_well_as_the_place_in_it() {
    let found = explained(JOIN, "one another-one-that-is-long-enough name");
    assert!(has(&found, line_of(JOIN, "/* allocates */")), "{found}");
    assert!(has(&found, line_of(JOIN, "/* fault */")), "{found}");
}
