//! Explanations of output that is formatted: which of the values that a call prints is wrong, and how values that are passed are told.

use serde_json::Value;

use crate::project::Project;

fn line_of(source: &str, tag: &str) -> u64 {
    1 + source.lines().position(|line| line.contains(tag)).unwrap() as u64
}

/// What `suspect explain` says of a program that is to write this for that argument, without any other test.
fn explained(source: &str, argument: &str, expected: &str, options: &[&str]) -> Value {
    let project = Project::new();
    project.write("prog.c", source).write("tests.txt", &format!("{argument}\n"));
    project.write("expected/1", &format!("{expected}\n"));
    project.write(
        "suspect.toml",
        "[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"./prog {line}\"\nexpect = \"expected/{n}\"\n",
    );
    project.succeed(&["build", "--", "cc", "-g", "-O1", "-o", "prog", "prog.c"]);
    project.suspect(&["test"]);
    let output = project.suspect(&[&["explain", "1", "--format", "json"], options].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}

/// Weighs a word letter by letter, each too little, and measures it, which is right and the last to be computed.
const WEIGH: &str = r#"#include <stdio.h>

static int weigh(const char *word)
{
    int all = 0;
    for (; *word; word++)
        all += *word - 'a'; /* fault */
    return all;
}

static int measure(const char *word)
{
    int all = 0;
    while (word[all])
        all++; /* right */
    return all;
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    int weight = weigh(word);
    int length = measure(word);
    printf("%-6s weighs %3d of %d\n", word, weight, length);
    return 0;
}
"#;

#[test]
fn of_several_numbers_that_are_printed_the_wrong_one_is_followed() {
    let found = explained(WEIGH, "dddd", "dddd   weighs  16 of 4", &[]);
    let facts = found["facts"].to_string();
    let has = |tag: &str| facts.contains(&format!("\"line\":{}", line_of(WEIGH, tag)));
    assert!(has("/* fault */") && !has("/* right */"), "{found}");
}

/// Moves each letter on, by one too many, into memory that is printed as one of several texts.
const SHIFT: &str = r#"#include <stdio.h>
#include <string.h>

static void shift(char *to, const char *from)
{
    size_t length = strlen(from);
    for (size_t at = 0; at < length; at++)
        to[at] = from[at] == 'z' ? 'z' : from[at] + 2; /* fault */
    to[length] = 0;
}

static void copy(char *to, const char *from)
{
    while ((*to++ = *from++)) /* right */
        ;
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    char shifted[64], copied[64];
    shift(shifted, word);
    copy(copied, word);
    printf("%d%%: %.10s, of %8s\n", 100, shifted, copied);
    return 0;
}
"#;

#[test]
fn of_several_texts_that_are_printed_the_wrong_byte_is_followed() {
    let found = explained(SHIFT, "abcz", "100%: bcdz, of     abcz", &[]);
    let first = &found["facts"][0];
    assert_eq!(first["text"], "the first wrong byte, 'c', is written here", "{found}");
    let facts = found["facts"].to_string();
    let has = |tag: &str| facts.contains(&format!("\"line\":{}", line_of(SHIFT, tag)));
    assert!(has("/* fault */") && !has("/* right */"), "{found}");
}

/// Asks the system about a number that may be large, in the place where others pass addresses.
const ASK: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int number = argc > 1 ? atoi(argv[1]) : 0;
    puts("asked");
    if (isatty(number)) /* decision */
        puts("yes");
    else
        puts("no");
    return 0;
}
"#;

#[test]
fn a_large_number_that_is_passed_is_told_as_one() {
    let found = explained(ASK, "70000", "asked\nyes", &["--switch=1:0"]);
    let origins = found["origins"].to_string();
    assert!(origins.contains("isatty(70000) returned 0"), "{found}");
}

/// Takes narrow numbers for ones that need no conversion, so a line is missing, and none that is written is wrong in itself.
const LINES: &str = r#"#include <stdio.h>
#include <stdlib.h>

struct op { const char *name; int value; };

static struct op ops[8];
static int n_ops, jump;

static void add(const char *name, int value)
{
    ops[n_ops].name = name;
    ops[n_ops++].value = value;
}

static void branch(int size, int value)
{
    if (value < 0)
        return;
    if (size > 4) /* fault */
        add("cut", value);
    jump = value + 1;
}

static void emit(void)
{
    puts("start");
    for (int n = 0; n < n_ops; n++)
        printf("%s %d\n", ops[n].name, ops[n].value);
    if (jump > 0)
        printf("jump %d\n", jump - 1);
}

int main(int argc, char **argv)
{
    branch(argc, atoi(argv[1]));
    emit();
    return 0;
}
"#;

#[test]
fn a_line_that_is_missing_is_looked_for_before_what_is_written_in_its_place() {
    let found = explained(LINES, "7", "start\nextend 7\njump 7", &["--budget", "20s"]);
    let fault = line_of(LINES, "/* fault */");
    let facts = found["facts"].as_array().unwrap();
    let text = facts.iter().find(|fact| fact["line"] == fault).map_or("", |fact| fact["text"].as_str().unwrap());
    assert!(text.starts_with("before that, branch() leaves something out: `size > 4` is false"), "{found}");
}
