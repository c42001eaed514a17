//! Where a failing run is followed from: a check that tells its line alone, a wrong byte that went through copies; and what silences it.

use serde_json::Value;

use crate::project::{Project, told};

fn line_of(source: &str, tag: &str) -> u64 {
    1 + source.lines().position(|line| line.contains(tag)).unwrap() as u64
}

/// What `suspect explain` says of a program of these sources that is tested as a whole.
fn explained(sources: &[(&str, &str)], build: &str, suite: &str) -> Value {
    told(&Project::tested(sources, build, suite))
}

fn lines(told: &Value) -> Vec<u64> {
    told.as_array().unwrap().iter().filter_map(|point| point["line"].as_u64()).collect()
}

/// Counts words, and takes a tab for none of what parts them, each time.
const WORDS: &str = r#"int words(const char *text)
{
    int count = 0, inside = 0;
    for (; *text; text++) {
        if (*text == ' ') { /* fault */
            inside = 0;
        } else if (!inside) {
            inside = 1;
            count++;
        }
    }
    return count;
}
"#;

/// Checks that tell their line without a file, and a summary that comes last.
const TEST_WORDS: &str = r#"#include <stdio.h>

int words(const char *);
static int checked;

#define CHECK(holds) do { checked++; \
    if (!(holds)) { fprintf(stderr, "Fail on line %d: [%s]\n", __LINE__, #holds); return #holds; } } while (0)

static const char *all(void)
{
    CHECK(words("") == 0);
    CHECK(words("one two") == 2);
    CHECK(words("a\tb\tc d") == 4); /* check */
    return NULL;
}

int main(void)
{
    const char *message = all();
    printf("%s, checked: %d\n", message ? "FAIL" : "PASS", checked);
    return message != NULL;
}
"#;

#[test]
fn a_check_that_tells_its_line_alone_is_where_it_begins() {
    let sources = [("words.c", WORDS), ("test_words.c", TEST_WORDS)];
    let suite = "kind = \"command\"\nrun = \"./words\"";
    let found = explained(&sources, "cc -g -O0 -o words words.c test_words.c", suite);
    let told = lines(&found["facts"]);
    assert_eq!(told.first(), Some(&line_of(TEST_WORDS, "/* check */")), "{found}");
    assert!(found["facts"].to_string().contains("words.c"), "{found}");
}

/// Puts the cells of its input line into a buffer that grows. An empty cell takes all that follows.
const CELLS: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct buffer { char *data; size_t size, room; };

static void put(struct buffer *to, const char *data, size_t size)
{
    if (to->size + size > to->room) {
        to->room = 2 * (to->size + size);
        to->data = realloc(to->data, to->room);
    }
    memcpy(to->data + to->size, data, size);
    to->size += size;
}

int main(void)
{
    char line[256];
    struct buffer out = { NULL, 0, 0 };
    size_t n = fread(line, 1, sizeof line, stdin);
    while (n > 0 && line[n - 1] == '\n')
        n--;
    for (size_t at = 0; at < n; at++) {
        const char *end = memchr(line + at, '|', n - at);
        size_t length = end ? (size_t)(end - line) - at : 0;
        size_t taken = length ? length : n - at; /* fault */
        put(&out, "<", 1);
        put(&out, line + at, taken); /* passes */
        put(&out, ">", 1);
        at += taken;
    }
    fwrite(out.data, 1, out.size, stdout);
    free(out.data);
    return 0;
}
"#;

#[test]
fn of_a_wrong_byte_that_was_copied_the_length_is_followed() {
    let sources = [("cells.c", CELLS), ("in/empty", "a||bb||cc\n"), ("out/empty", "<a><><bb><><cc>")];
    let suite = "kind = \"cases\"\ninputs = \"in/*\"\nrun = \"./cells < {input}\"\nexpect = \"out/{stem}\"";
    let found = explained(&sources, "cc -g -O1 -o cells cells.c", suite);
    let told = lines(&found["facts"]);
    assert!(found["facts"][0]["text"].as_str().unwrap().contains("'|', is copied here"), "{found}");
    assert!(told.contains(&line_of(CELLS, "/* fault */")), "{found}");
    assert!(told.contains(&line_of(CELLS, "/* passes */")), "{found}");
    assert!(!found["facts"].to_string().contains('@'), "{found}");
}

/// Asks a list for its next items; a wrong first index ends the loop before it begins.
const ITEMS: &str = r#"#include <stddef.h>

static const char *const items[] = { "one", "two", "three", NULL };

const char *next(int *at)
{
    if (*at < 0)
        *at = 3; /* fault */
    return items[(*at)++];
}
"#;

const TEST_ITEMS: &str = r#"#include <stdio.h>
#include <stdlib.h>

const char *next(int *);

static int counted(void)
{
    int count = 0, at = -1;
    while (next(&at) != NULL) /* ends */
        count++;
    return count;
}

int main(void)
{
    int failed = 0;
    for (int round = 0; round < 2; round++) {
        if (counted() != 3) { /* check */
            fprintf(stderr, "%s:%d: wrong count\n", __FILE__, __LINE__ - 1);
            failed++;
        }
    }
    return failed;
}
"#;

#[test]
fn of_a_count_that_stays_the_decision_is_told_that_led_past_it() {
    let sources = [("items.c", ITEMS), ("test_items.c", TEST_ITEMS)];
    let suite = "kind = \"command\"\nrun = \"./items\"";
    let found = explained(&sources, "cc -g -O0 -o items items.c test_items.c", suite);
    let told = lines(&found["facts"]);
    assert_eq!(told.first(), Some(&line_of(TEST_ITEMS, "/* check */")), "{found}");
    assert!(told.contains(&line_of(TEST_ITEMS, "/* ends */")), "{found}");
    assert!(found["facts"].to_string().contains("it stays so, for "), "{found}");
    assert!(found["facts"].to_string().contains("items.c"), "{found}");
}

/// Cubes, each time wrong but for 0 and 1, and checks of them in a loop.
const CUBES: &str = r#"#include <stdio.h>

static int cube(int n)
{
    return n * n * n - (n > 1); /* fault */
}

int main(void)
{
    static const int wanted[] = { 0, 1, 8, 27 };
    int failed = 0;
    for (int n = 0; n < 4; n++) { /* loop */
        if (cube(n) != wanted[n]) { /* check */
            printf("%s:%d: failed\n", __FILE__, __LINE__ - 1);
            failed++;
        }
    }
    return failed;
}
"#;

#[test]
fn a_change_that_keeps_the_test_from_its_check_is_no_reference() {
    let suite = "kind = \"command\"\nrun = \"./cubes\"";
    let found = explained(&[("cubes.c", CUBES)], "cc -g -O0 -o cubes cubes.c", suite);
    assert_ne!(found["made"]["point"]["line"], line_of(CUBES, "/* loop */"), "{found}");
    let all = [lines(&found["facts"]), lines(&found["steps"])].concat();
    assert!(all.contains(&line_of(CUBES, "/* fault */")), "{found}");
}

/// Doubles that are wrong twice, so no condition of one moment mends them, and checks of them in a long loop.
const DOUBLES: &str = r#"#include <stdio.h>

static int doubled(int n)
{
    return 2 * n + (n > 37);
}

int main(void)
{
    int failed = 0;
    for (int n = 0; n < 40; n++) {
        if (doubled(n) != n + n) {
            printf("%s:%d: failed\n", __FILE__, __LINE__ - 1);
            failed = 1;
        }
    }
    return failed;
}
"#;

#[test]
fn what_once_kept_a_test_from_its_check_is_not_tried_again() {
    let suite = "kind = \"command\"\nrun = \"./doubles\"";
    let found = explained(&[("doubles.c", DOUBLES)], "cc -g -O0 -o doubles doubles.c", suite);
    let trust = found["trust"].to_string();
    let (before, after) = trust.split_once(" other ways at the ").unwrap_or_else(|| panic!("{found}"));
    let tried: u32 = before.rsplit(' ').next().unwrap().parse().unwrap();
    let decisions: u32 = after.split(' ').next().unwrap().parse().unwrap();
    assert!(decisions > 80 && tried < 60, "{tried} of {decisions}: {found}");
}

/// Takes the smaller one, and a framework that counts what failed at the end.
const LARGER: &str = r#"#include <stdio.h>

static int failed, suites;

static int larger(int a, int b)
{
    if (a < b) /* fault */
        return a;
    return b;
}

#define CHECK(holds) \
    if (!(holds)) { printf("  1. Assert [ %s ] (%s:%d)\n", #holds, __FILE__, __LINE__); failed++; }

int main(void)
{
    CHECK(larger(3, 5) == 5)
    if (failed > 0) /* counts */
        suites++;
    printf("Asserts: %d failed\nSuites: %d failed\n", failed, suites);
    return suites;
}
"#;

#[test]
fn a_run_that_counts_failed_checks_otherwise_but_tells_them_is_no_reference() {
    let suite = "kind = \"command\"\nrun = \"./larger\"";
    let found = explained(&[("larger.c", LARGER)], "cc -g -O0 -o larger larger.c", suite);
    assert_eq!(found["made"]["point"]["line"], line_of(LARGER, "/* fault */"), "{found}");
}

/// Pushes cells, and counts one too many.
const STACK: &str = r#"#include <stdlib.h>
struct stack { int cells[8]; int depth; };
struct stack *stack_new(void) { return calloc(1, sizeof(struct stack)); }
void push(struct stack *stack, int cell)
{
    stack->cells[stack->depth++] = cell;
}
int pop(struct stack *stack)
{
    return stack->cells[--stack->depth];
}
int count(struct stack *stack)
{
    return stack->depth + 1; /* fault */
}
"#;

/// A check that a helper makes, which tells its own line.
const TEST_STACK: &str = r#"#include <stdio.h>
#include <stdlib.h>
struct stack;
struct stack *stack_new(void);
void push(struct stack *, int);
int pop(struct stack *);
int count(struct stack *);

static int failed;

static void assert_equal(int expected, int actual)
{
    if (expected != actual) { /* check */
        fprintf(stderr, "%s:%d: expected %d, was %d\n", __FILE__, __LINE__ - 1, expected, actual);
        failed = 1;
        exit(1);
    }
}

static void check_push(void)
{
    struct stack *stack = stack_new();
    push(stack, 3);
    push(stack, 4);
    assert_equal(4, pop(stack));
    assert_equal(3, pop(stack));
}

static void check_count(void)
{
    struct stack *stack = stack_new();
    push(stack, 3);
    push(stack, 4);
    assert_equal(2, count(stack)); /* called */
}

int main(void)
{
    check_push();
    check_count();
    puts("PASS");
    return failed;
}
"#;

#[test]
fn of_a_check_that_a_helper_makes_the_value_is_followed_that_it_is_handed() {
    let sources = [("stack.c", STACK), ("test.c", TEST_STACK)];
    let suite = "kind = \"command\"\nrun = \"./test\"";
    let project = Project::tested(&sources, "cc -g -O0 -o test stack.c test.c", suite);
    let fault = line_of(STACK, "/* fault */");
    let has = |found: &Value, part: &str, file: &str, line: u64| {
        let text = found[part].to_string();
        text.contains(&format!("\"file\":\"{file}\"")) && text.contains(&format!("\"line\":{line}"))
    };
    let found = told(&project);
    assert!(has(&found, "steps", "stack.c", fault), "{found}");
    assert!(has(&found, "steps", "test.c", line_of(TEST_STACK, "/* called */")), "{found}");
    // The best change of a ranking without passing tests is one of the check.
    project.suspect(&["rank", "--budget", "20s"]);
    let ranked = told(&project);
    assert!(
        ["steps", "before", "facts", "origins"].iter().any(|part| has(&ranked, part, "stack.c", fault)),
        "{ranked}"
    );
}

/// Counts fields, but the last one.
const FIELDS: &str = r#"int fields(const char *text)
{
    int count = 0;
    for (; *text; text++)
        if (*text == ',')
            count++;
    return count;
}

const char *kind(int count)
{
    if (count > 2)
        return "many";
    return count ? "few" : "none";
}
"#;

/// A test of it with one check, made by these declarations.
fn test_fields(declared: &str, check: &str) -> String {
    format!(
        "#include <assert.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\nint fields(const char *);\nconst char *kind(int);\n{declared}\n\
         static void check_fields(void)\n{{\n    {check}\n}}\nint main(void)\n{{\n    check_fields();\n    return 0;\n}}\n"
    )
}

#[test]
fn both_values_of_a_failed_check_are_told_first() {
    let helper = "static void assert_equal(int expected, int actual, const char *file, int line)\n{\n    if (expected != actual) {\n        \
                  fprintf(stderr, \"%s:%d: check failed\\n\", file, line);\n        exit(1);\n    }\n}";
    let failed = "{ printf(\"%s:%d: check failed\\n\", __FILE__, __LINE__); exit(1); }";
    let text = format!("if (strcmp(kind(fields(\"a,b,c\")), \"many\") != 0) {failed}");
    let order = format!("if (fields(\"a,b,c\") < 3) {failed}");
    let cases = [
        ("", "assert(fields(\"a,b,c\") == 3);", Some("in check_fields(), expected 3, was 2.")),
        (
            helper,
            "assert_equal(3, fields(\"a,b,c\"), __FILE__, __LINE__);",
            Some("in check_fields(), `expected` is 3, `actual` is 2."),
        ),
        ("", &text, Some("in check_fields(), \"few\" is not \"many\".")),
        // What a check asks for is not one value.
        ("", &order, None),
    ];
    for (declared, check, expected) in cases {
        let test = test_fields(declared, check);
        let sources = [("fields.c", FIELDS), ("test_fields.c", test.as_str())];
        let suite = "kind = \"command\"\nrun = \"./fields\"";
        let found = explained(&sources, "cc -g -O0 -o fields fields.c test_fields.c", suite);
        let first = found["summary"][0].as_str().unwrap();
        match expected {
            Some(values) => assert!(first.ends_with(values), "{check}: {found}"),
            None => assert!(!first.contains("check_fields()"), "{check}: {found}"),
        }
    }
}

/// Takes letters up to a mark, and tells the place before the one where it stopped.
const MARKED: &str = r#"#include "marked.h"

static void clear(struct error *error)
{
    error->code = 0;
    error->line = 1;
    error->column = 0;
    error->depth = 0;
    error->source = "text";
}

static void set(struct error *error, int code, int column)
{
    error->code = code;
    error->column = column - 1; /* fault */
    error->depth = 1;
}

int take(const char *text, struct error *error)
{
    int at = 0;
    clear(error);
    while (text[at] && text[at] != '?') /* stops */
        at++;
    set(error, 8, at);
    return at;
}
"#;

const MARKED_HEADER: &str =
    "struct error { int code, line, column, depth; const char *source; };\nint take(const char *, struct error *);\n";

const TEST_MARKED: &str = r#"#include <stdio.h>
#include "marked.h"

int main(void)
{
    struct error error;
    take("a text of some forty letters and a mark?", &error);
    if (error.column != 39) { /* check */
        fprintf(stderr, "%s:%d: failed\n", __FILE__, __LINE__ - 1);
        return 1;
    }
    return 0;
}
"#;

/// A mark that is passed over makes another input, under which the check holds.
#[test]
fn where_no_line_is_suspected_the_values_of_the_check_come_before_a_change_of_what_a_loop_reads() {
    let sources = [("marked.c", MARKED), ("marked.h", MARKED_HEADER), ("test_marked.c", TEST_MARKED)];
    let project = Project::tested(
        &sources,
        "cc -g -O0 -o marked marked.c test_marked.c",
        "kind = \"command\"\nrun = \"./marked\"",
    );
    // That many lines without any trial are all hardly suspected.
    project.suspect(&["rank", "--budget", "0"]);
    let found = told(&project);
    assert!(found["made"].is_null(), "{found}");
    let told_lines = lines(&found["facts"]);
    assert_eq!(told_lines.first(), Some(&line_of(TEST_MARKED, "/* check */")), "{found}");
    assert!(told_lines.contains(&line_of(MARKED, "/* fault */")), "{found}");
    // That change is there for who asks for it.
    let switched = project.succeed(&["explain", "--switch", "--format", "json"]);
    let switched: Value = serde_json::from_str(&switched).unwrap();
    assert_eq!(switched["made"]["point"]["line"], line_of(MARKED, "/* stops */"), "{switched}");
    // The condition of a loop is told by its text, as it is in that run.
    let against = switched["against"].as_str().unwrap();
    assert!(against.starts_with("itself with `text[at] != '?'` true at marked.c:"), "{switched}");
}

/// The line that a complaint names does nothing but complain: the check is the condition that led there.
#[test]
fn a_line_that_only_complains_leads_to_the_condition_before_it() {
    let declared = "enum { WANTED = 3 };\n#define fail(message) do { fprintf(stderr, \"%s:%d: %s\\n\", __FILE__, __LINE__, message); exit(1); } while (0)";
    let test = test_fields(declared, "if (fields(\"a,b,c\") != WANTED) /* check */\n        fail(\"wrong number\");");
    let sources = [("fields.c", FIELDS), ("test_fields.c", test.as_str())];
    let found =
        explained(&sources, "cc -g -O0 -o fields fields.c test_fields.c", "kind = \"command\"\nrun = \"./fields\"");
    let summary = found["summary"][0].as_str().unwrap();
    assert!(summary.ends_with("wrong number: in check_fields(), expected WANTED (3), was 2."), "{found}");
    let all = [&found["facts"], &found["steps"]].map(|part| part.to_string()).concat();
    assert!(all.contains(&format!("\"line\":{}", line_of(&test, "/* check */"))), "{found}");
    assert!(!all.contains(&format!("\"line\":{}", line_of(&test, "fail(\"wrong"))), "{found}");
    // What the check says already is not told again.
    let saying = "#define fail(wanted, was) do { fprintf(stderr, \"%s:%d: wanted %d, was %d\\n\", __FILE__, __LINE__, wanted, was); exit(1); } while (0)";
    let test = test_fields(saying, "int got = fields(\"a,b,c\");\n    if (got != 3)\n        fail(3, got);");
    let sources = [("fields.c", FIELDS), ("test_fields.c", test.as_str())];
    let project = Project::tested(
        &sources,
        "cc -g -O0 -o fields fields.c test_fields.c",
        "kind = \"command\"\nrun = \"./fields\"",
    );
    let found = told(&project);
    assert!(found["summary"][0].as_str().unwrap().ends_with("wanted 3, was 2."), "{found}");
    // What a `for` asks is told by its text.
    assert!(found["against"].as_str().unwrap().starts_with("itself with `*text` true at fields.c:4"), "{found}");
    // A heading says what the sentence above it does not.
    let text = project.suspect(&["explain"]);
    let text = String::from_utf8_lossy(&text.stdout);
    assert_eq!(text.matches("wanted 3, was 2").count(), 1, "{text}");
}
