//! Failing runs followed alone: where they begin, which way they take, and how much of a long one is looked at.

use serde_json::Value;

use crate::project::Project;

/// A framework whose code is not recorded: it catches crashes of its test, and jumps out of them.
const FRAME: &str = r#"#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static sigjmp_buf out;

static void caught(int number)
{
    siglongjmp(out, number);
}

int run(void (*test)(void))
{
    struct sigaction action = { .sa_handler = caught, .sa_flags = SA_NODEFER };
    sigaction(SIGSEGV, &action, 0);
    int number = sigsetjmp(out, 1);
    if (number) {
        printf("test failed with exception %d\n", number);
        return 1;
    }
    test();
    printf("test passed\n");
    return 0;
}
"#;

/// `get` gives the empty place of a table away; what uses it crashes.
const TABLE: &str = r#"#include <stdlib.h>

struct item { long uses; int value; };
static struct item *table[4];

static struct item *use(struct item *item)
{
    item->uses++; /* crash */
    return item;
}

static struct item *get(int index)
{
    return use(table[index]); /* passes */
}

static void fill(int n)
{
    for (int i = 0; i < n; i++)
        table[i] = calloc(1, sizeof **table);
}

static void test(void)
{
    fill(2);
    if (get(1) == NULL)
        abort();
    if (get(2) != NULL)
        abort();
}

int run(void (*test)(void));

int main(void)
{
    return run(test);
}
"#;

fn line_of(source: &str, tag: &str) -> u64 {
    1 + source.lines().position(|line| line.contains(tag)).unwrap() as u64
}

fn explained(project: &Project, arguments: &[&str]) -> Value {
    let mut command = project.command(&["explain"]);
    command.args(arguments).args(["--format", "json"]);
    serde_json::from_slice(&command.output().unwrap().stdout).unwrap()
}

fn has_line(told: &Value, line: u64) -> bool {
    told.as_array().unwrap().iter().any(|point| point["line"] == line)
}

#[test]
fn a_crash_that_the_framework_catches_is_where_it_begins() {
    let project = Project::new();
    project.write("frame.c", FRAME).write("table.c", TABLE);
    project.write(
        "suspect.toml",
        "[build]\ncommand = \"SUSPECT_OFF=1 cc -g -O1 -c frame.c && cc -g -O1 -o table table.c frame.o\"\n\n\
         [[suite]]\nkind = \"command\"\nrun = \"./table\"\n",
    );
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    let found = explained(&project, &[]);
    let summary = found["summary"][0].as_str().unwrap();
    let crash = line_of(TABLE, "/* crash */");
    assert!(summary.contains(&format!("crashes at table.c:{crash}, where `item` is NULL")), "{found}");
    assert!(has_line(&found["facts"], line_of(TABLE, "/* passes */")), "{found}");
}

/// Counts wrongly, each time it is asked, so no change of one moment mends it. Hardly any of its many lines is suspected where no change was tried.
fn tally(filler: usize) -> String {
    let steps: String =
        (0..filler).map(|n| format!("    if (seen[{n} % 4] > {n}) mixed = mixed * 3 + {n};\n")).collect();
    format!(
        "static int seen[4];\nint mixed;\n\nint total(const int *counts, int n)\n{{\n    int sum = 0;\n    for (int i = 0; i < n; i++)\n        \
         sum += counts[i] + 1; /* fault */\n    return sum;\n}}\n\nvoid mix(void)\n{{\n{steps}}}\n"
    )
}

/// Checks it twice; its own code is trusted.
const TEST_TALLY: &str = r#"#include <stdio.h>

extern int mixed;
int total(const int *, int);
void mix(void);

static int matches(int want, int got)
{
    if (mixed < 0)
        return 0;
    if (want != got) /* compares */
        return 0;
    return 1;
}

#define CHECK(holds) do { if (!(holds)) { printf("%s:%d: failed\n", __FILE__, __LINE__); failed++; } } while (0)

int main(void)
{
    int first[] = { 2, 3, 4 }, second[] = { 1, 1 }, failed = 0;
    CHECK(matches(9, total(first, 3))); /* handed */
    mix();
    CHECK(matches(2, total(second, 2)));
    return failed;
}
"#;

#[test]
fn without_a_likely_line_the_values_of_the_failed_check_are_followed() {
    let (project, source) = (Project::new(), tally(60));
    project.write("tally.c", &source).write("test_tally.c", TEST_TALLY);
    project.write(
        "suspect.toml",
        "[build]\ncommand = \"cc -g -O0 -o tally tally.c test_tally.c\"\n\n[[suite]]\nkind = \"command\"\nrun = \"./tally\"\n",
    );
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    project.succeed(&["rank", "--budget", "0s"]);
    let found = explained(&project, &[]);
    let facts = &found["facts"];
    for (text, tag) in [(TEST_TALLY, "/* compares */"), (TEST_TALLY, "/* handed */"), (&source, "/* fault */")] {
        assert!(has_line(facts, line_of(text, tag)), "{tag}: {found}");
    }
    assert!(found["trust"].to_string().contains("hardly suspects any line"), "{found}");
}

/// Reads ten megabytes, all of which are recorded, before it computes what is checked, twice.
const LONG: &str = r#"#include <stdio.h>

static char block[1 << 20];

int sum_of(const int *numbers, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += numbers[i] + 1; /* fault */
    return sum;
}

int read_blocks(const char *name)
{
    FILE *file = fopen(name, "r");
    int read = 0;
    while (file != NULL && fread(block, 1, sizeof block, file) == sizeof block)
        read++;
    return read;
}
"#;

const TEST_LONG: &str = r#"#include <stdio.h>

int sum_of(const int *, int);
int read_blocks(const char *);

#define CHECK(holds) do { if (!(holds)) { printf("%s:%d: failed\n", __FILE__, __LINE__); failed++; } } while (0)

int main(void)
{
    int numbers[] = { 1, 2, 3 }, failed = 0;
    CHECK(read_blocks("input") == 10);
    CHECK(sum_of(numbers, 2) == 3); /* checks */
    CHECK(sum_of(numbers, 3) == 6);
    return failed;
}
"#;

#[test]
fn of_a_long_run_the_last_part_is_followed_and_said_to_be() {
    let project = Project::new();
    project.write("long.c", LONG).write("test_long.c", TEST_LONG);
    // Not zeros: what a call leaves as it was is not recorded.
    let input: Vec<u8> =
        (0..10 << 20).map(|at: u32| if at.is_multiple_of(1 << 20) { 0 } else { (at >> 20) as u8 + 1 }).collect();
    std::fs::write(project.path().join("input"), input).unwrap();
    project.write(
        "suspect.toml",
        "[build]\ncommand = \"cc -g -O0 -o long long.c test_long.c\"\n\n[[suite]]\nkind = \"command\"\nrun = \"./long\"\n",
    );
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    let found = explained(&project, &[]);
    for (text, tag) in [(TEST_LONG, "/* checks */"), (LONG, "/* fault */")] {
        assert!(has_line(&found["facts"], line_of(text, tag)), "{tag}: {found}");
    }
    let trust = found["trust"].to_string();
    assert!(trust.contains("was followed back for the last"), "{found}");
}

/// Flags share a word with the state, which is written last and often. A second message keeps a flag of the first.
const FLAGS: &str = r#"#include "flags.h"

void feed(struct parser *parser, const char *text)
{
    for (; *text; text++) {
        parser->state = *text % 16;
        if (*text == 'c')
            parser->flags |= CHUNKED; /* sets */
        if (*text == 'l')
            parser->flags |= LENGTH;
    }
}

int needs_end(const struct parser *parser)
{
    if (parser->flags & CHUNKED) /* tests */
        return 0;
    return 1;
}
"#;

const FLAGS_HEADER: &str = "enum { CHUNKED = 1, LENGTH = 2 };\n\
    struct parser { unsigned type : 2, flags : 8, state : 7; };\n\
    void feed(struct parser *, const char *);\nint needs_end(const struct parser *);\n";

const TEST_FLAGS: &str = r#"#include <stdio.h>
#include "flags.h"

#define CHECK(holds) do { if (!(holds)) { printf("%s:%d: failed\n", __FILE__, __LINE__); failed++; } } while (0)

int main(void)
{
    struct parser first = { 0 }, second = { 0 };
    int failed = 0;
    feed(&first, "abcdefgh");
    feed(&first, "lmnopqrs");
    feed(&second, "ucv");
    feed(&second, "lxyz");
    CHECK(needs_end(&first) == 1);
    CHECK(needs_end(&second) == 1);
    return failed;
}
"#;

#[test]
fn of_bit_fields_in_one_word_the_write_that_mattered_is_followed() {
    let project = Project::new();
    project.write("flags.c", FLAGS).write("flags.h", FLAGS_HEADER).write("test_flags.c", TEST_FLAGS);
    project.write(
        "suspect.toml",
        "[build]\ncommand = \"cc -g -O0 -o flags flags.c test_flags.c\"\n\n[[suite]]\nkind = \"command\"\nrun = \"./flags\"\n",
    );
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    // Nothing is ranked, and no change of one moment mends both checks.
    let found = explained(&project, &[]);
    for tag in ["/* tests */", "/* sets */"] {
        assert!(has_line(&found["facts"], line_of(FLAGS, tag)), "{tag}: {found}");
    }
}

/// Keeps another number than it should, twice. Where it is handed on, another argument has the same value.
const CODES: &str = r#"#include <stdio.h>

static int kept[2];

static void keep(int at, int line, int code)
{
    if (line >= 0)
        kept[at] = code;
}

static void fails(int at, const int *lines, int code)
{
    int line = -1;
    line = lines[at];
    keep(at, line, code);
}

static void parse(int at, const int *lines)
{
    fails(at, lines, 8); /* the fault */
}

#define CHECK(holds) do { if (!(holds)) { printf("%s:%d: failed\n", __FILE__, __LINE__); failed++; } } while (0)

int main(int argc, char **argv)
{
    int lines[2] = { 7 + argc, 7 + argc }, failed = 0;
    parse(0, lines);
    parse(1, lines);
    CHECK(kept[0] == 6);
    CHECK(kept[1] == 6);
    return failed;
}
"#;

#[test]
fn an_argument_is_followed_by_its_place_among_others_of_the_same_value() {
    let project = Project::new();
    project.write("main.c", CODES);
    project.write(
        "suspect.toml",
        "[build]\ncommand = \"cc -g -O1 -o main main.c\"\n\n[[suite]]\nkind = \"command\"\nrun = \"./main\"\n",
    );
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    let said = crate::project::text(&project.suspect(&["explain"]));
    assert!(said.contains("main.c:20: passes 8, as `code` of fails()"), "{said}");
    assert!(!said.contains("`line` becomes"), "{said}");
}
