//! Explanations of checks that fail within a program: from the check's operands back to the fault, in the words of the source.

use serde_json::Value;

use crate::project::Project;

/// Removes from a list by moving what is behind; the count is one too small (L1).
const LIST: &str = r#"#include <string.h>
#include "list.h"

static void move_items(struct list *list, size_t to, size_t from, size_t count)
{
    memmove(&list->table[to], &list->table[from], count * sizeof *list->table);
}

int remove_item(struct list *list, size_t index)
{
    if (index >= list->size)
        return -1;
    if (index < list->size - 1)
        move_items(list, index, index + 1, list->size - index - 2); /* L1 */
    list->size--;
    return 0;
}
"#;

const HEADER: &str =
    "#include <stddef.h>\nstruct list { int *table; size_t size; };\nint remove_item(struct list *, size_t);\n";

/// A test of it, which names its file with all directories.
const TEST: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include "list.h"

#define FAIL(message) do { fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, message); exit(1); } while (0)

int main(int argc, char **argv)
{
    int table[] = { 5, 7, 6, 8 };
    struct list list = { table, 4 };
    size_t index = argc > 1 ? strtoul(argv[1], NULL, 10) : 9;
    if (remove_item(&list, index) != (index > 3 ? -1 : 0))
        FAIL("remove says so");
    if (index == 2 && (list.table[0] != 5 || list.table[1] != 7 ||
        list.table[2] != 8))
        FAIL("remove works incorrectly");
    return 0;
}
"#;

fn line(source: &str, tag: &str) -> u64 {
    1 + source.lines().position(|line| line.contains(&format!("/* {tag} "))).unwrap() as u64
}

/// A program of these sources, tested with these arguments.
fn tested(sources: &[(&str, &str)], tests: &str) -> Project {
    let project = Project::new();
    let suite = format!("[[suite]]\nkind = \"command\"\nlist = \"printf '{tests}'\"\nrun = \"./list {{test}}\"\n");
    project.write("suspect.toml", &suite);
    let mut build: Vec<String> = ["build", "--", "cc", "-g", "-O1", "-o", "list"].map(str::to_owned).into();
    for (name, source) in sources {
        project.write(name, source);
        if name.ends_with(".c") {
            build.push(project.path().join(name).to_str().unwrap().to_owned());
        }
    }
    project.succeed(&build.iter().map(String::as_str).collect::<Vec<_>>());
    project.suspect(&["test"]);
    project
}

#[test]
fn what_a_call_is_given_is_followed_from_the_check_that_fails() {
    let project = tested(&[("list.c", LIST), ("list.h", HEADER), ("test_list.c", TEST)], "3\\n2\\n9\\n");
    project.succeed(&["rank", "--budget", "20s"]);
    let found: Value = serde_json::from_str(&project.succeed(&["explain", "2", "--format", "json"])).unwrap();
    assert_eq!((&found["verified"], &found["complete"]), (&true.into(), &true.into()), "{found}");
    let effect = found["effect"].as_str().unwrap();
    assert!(effect.starts_with("exit status 1: test_list.c:"), "{effect}");
    assert!(effect.contains("`list.table[2] != 8` at test_list.c:"), "{effect}");
    let fault = line(LIST, "L1");
    assert_eq!(found["made"]["point"]["line"], fault, "{found}");
    assert_eq!(found["made"]["value"]["what"], "count", "{found}");
    assert!(found["origins"].as_array().unwrap().iter().any(|origin| origin["point"]["line"] == fault), "{found}");
    // The command repeats it.
    let command: Vec<&str> = found["command"].as_str().unwrap().split(' ').skip(1).collect();
    let again: Value =
        serde_json::from_str(&project.succeed(&[command.as_slice(), &["--format", "json"]].concat())).unwrap();
    assert_eq!(again["steps"], found["steps"], "{again}");
}

/// Conditions behind `!`, in the middle of others, and behind a macro that turns them; L1 to L3 decide wrongly for the argument.
const DECIDE: &str = r#"#include <stdio.h>
#include <stdlib.h>

#define IS_NOT(value) (!(value))

static int decide(int kind, int error, int size)
{
    if (kind == 1 && !error) /* L1 */
        return 1;
    if ((kind == 2) && (size > 3 || size == 2)) /* L2 */
        return 2;
    if (IS_NOT(kind - 3)) /* L3 */
        return 3;
    return 0;
}

int main(int argc, char **argv)
{
    int kind = argc > 1 ? atoi(argv[1]) : 0;
    int error = kind == 1 ? 5 : 0;
    int size = kind == 2 ? 2 : 1;
    if (decide(kind, error, size) != (kind == 1 || kind == 4))
        exit(1);
    return 0;
}
"#;

#[test]
fn conditions_are_told_as_they_decide() {
    let project = tested(&[("list.c", DECIDE)], "1\\n2\\n3\\n5\\n");
    let told = |test: &str, tag: &str, words: &[&str]| {
        let at = line(DECIDE, tag);
        // Each decision of the run on that line, by its number, that makes the test pass.
        let answers = (0..10).flat_map(|number| [0, 1].map(|way| format!("--switch={number}:{way}")));
        let found = answers.filter_map(|option| {
            let output = project.suspect(&["explain", test, &option, "--format", "json"]);
            let found: Value = serde_json::from_slice(&output.stdout).ok()?;
            (found["made"]["point"]["line"] == at).then(|| found["origins"].to_string())
        });
        let found: Vec<String> = found.collect();
        assert!(!found.is_empty(), "{test} {tag}");
        for words in words {
            assert!(found.iter().any(|text| text.contains(words)), "{words} is not in {found:?}");
        }
        found
    };
    let behind_not = told("1", "L1", &["`error` is true here, false there, for `error` is 5"]);
    assert!(!behind_not.iter().any(|text| text.contains("`!error`")), "{behind_not:?}");
    told(
        "2",
        "L2",
        &["`size == 2` is true here, false there, for `size` is 2", "`kind == 2` is true here, false there"],
    );
    let macros = told("3", "L3", &[]);
    assert!(!macros.iter().any(|text| text.contains("IS_NOT")), "{macros:?}");
}

/// Marks numbers; seventy is no failure, but here it is (L4).
const MARK: &str = r#"#include <stdio.h>
#include <stdlib.h>

static const char *mark(int points)
{
    if (points <= 70) /* L4 */
        return "fails";
    return "passes";
}

int main(int argc, char **argv)
{
    for (int at = 1; at < argc; at++)
        printf("%s %s\n", argv[at], mark(atoi(argv[at])));
    return 0;
}
"#;

/// A script that tells which of its cases fail; the first and the last start of the program do most.
const DRIVER: &str = r#"n=0; echo 1..4
check() {
    n=$((n + 1))
    expected=$1; shift
    if [ "$(./list "$@" | tail -n 1)" = "$expected" ]; then echo "ok $n"; else echo "not ok $n"; fi
}
check '20 fails' 99 98 97 96 95 94 93 92 91 90 20
check '71 passes' 71
check '70 passes' 70
check '80 passes' 99 98 97 96 95 94 93 92 91 90 80
"#;

#[test]
fn of_several_processes_the_one_that_its_driver_complains_of_is_looked_at() {
    let project = Project::new();
    project.write("list.c", MARK).write("driver.sh", DRIVER);
    project.write("suspect.toml", "[[suite]]\nkind = \"command\"\nrun = \"sh driver.sh\"\nresult = \"tap\"\n");
    let source = project.path().join("list.c");
    project.succeed(&["build", "--", "cc", "-g", "-O1", "-o", "list", source.to_str().unwrap()]);
    project.suspect(&["test"]);
    project.succeed(&["rank", "--budget", "20s"]);
    let output = project.suspect(&["explain", "--format", "json"]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let trust = found["trust"].to_string();
    assert!(trust.contains("of its processes number 3 is looked at"), "{found}");
    assert!(found.to_string().contains(&format!("\"line\":{}", line(MARK, "L4"))), "{found}");
}

/// Says its arguments, letter by letter, so that it records more than what is tested.
const SAY: &str = r#"#include <stdio.h>

int main(int argc, char **argv)
{
    for (int at = 1; at < argc; at++)
        for (const char *letter = argv[at]; *letter; letter++)
            putchar(*letter);
    putchar('\n');
    return 0;
}
"#;

/// A script that has a program of its own say what it does, and counts at the end.
const COUNTING: &str = r#"failed=0 passed=0
check() {
    ./say "$2 ................................................................................................"
    if [ "$(./list "$2")" = "$1" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); ./say "for $2"; fi
}
check '20 fails' 20
check '70 passes' 70
check '80 passes' 80
./say "driver.sh: 3 tests; $failed failed/$passed passed"
exit $failed
"#;

#[test]
fn a_program_that_only_says_what_its_driver_does_is_not_looked_at() {
    let project = Project::new();
    project.write("list.c", MARK).write("say.c", SAY).write("driver.sh", COUNTING);
    project.write(
        "suspect.toml",
        "[build]\ncommand = \"cc -g -O1 -o list list.c && cc -g -O1 -o say say.c\"\n\n\
         [[suite]]\nkind = \"command\"\nrun = \"sh driver.sh\"\n",
    );
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    project.succeed(&["rank", "--budget", "20s"]);
    let output = project.suspect(&["explain", "--format", "json"]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let trust = found["trust"].to_string();
    assert!(trust.contains("of its processes number 4 is looked at"), "{found}");
    assert!(found.to_string().contains(&format!("\"line\":{}", line(MARK, "L4"))), "{found}");
}

/// Moves each letter on, by one too many (L7): no condition and no value of one moment mends all letters.
const SHIFT: &str = r#"#include <stdio.h>
#include <string.h>

static void shift(char *to, const char *from, int by)
{
    size_t length = strlen(from);
    for (size_t at = 0; at < length; at++)
        to[at] = from[at] == 'z' ? 'z' : from[at] + by + (from[at] < 'f'); /* L7 */
    to[length] = 0;
}

int main(int argc, char **argv)
{
    char shifted[64];
    shift(shifted, argc > 1 ? argv[1] : "", 1);
    puts(shifted);
    return 0;
}
"#;

/// A script that judges what a program writes, which itself sees nothing wrong in it.
const JUDGING: &str = r#"n=0; echo 1..3
check() { n=$((n + 1)); if [ "$(./list "$2")" = "$1" ]; then echo "ok $n"; else echo "not ok $n"; fi; }
check ghi fgh
check bcdd abcc
check zz zz
"#;

#[test]
fn what_a_driver_judges_is_followed_where_nothing_mends_it() {
    let project = Project::new();
    project.write("list.c", SHIFT).write("driver.sh", JUDGING);
    project.write(
        "suspect.toml",
        "[build]\ncommand = \"cc -g -O1 -o list list.c\"\n\n\
         [[suite]]\nkind = \"command\"\nrun = \"sh driver.sh\"\nresult = \"tap\"\n",
    );
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    let output = project.suspect(&["explain", "--format", "json"]);
    let found: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    assert!(found["effect"].as_str().unwrap().contains("process number 2 is judged by"), "{found}");
    assert!(found["facts"].to_string().contains(&format!("\"line\":{}", line(SHIFT, "L7"))), "{found}");
    assert_eq!(output.status.code(), Some(2), "{found}");
}

/// Says of each check where it stands, the way of many frameworks. The second and the last one fail, so no condition of one moment mends all.
const TOLD: &str = r#"#include <stdio.h>

static int failed, number;

static void ok_at(int right, int line)
{
    printf("%s %d - list.c %d\n", right ? "ok" : "not ok", ++number, line);
    failed += !right;
}
#define ok(right) ok_at(right, __LINE__)

static int doubled(int value)
{
    return value > 5 ? value * 2 : value + 2; /* L5 */
}

int main(void)
{
    ok(doubled(6) == 12);
    ok(doubled(3) == 6);
    ok(doubled(2) == 4);
    ok(doubled(1) == 2); /* L6 */
    return failed;
}
"#;

#[test]
fn a_check_whose_place_is_told_without_a_colon_is_begun_at() {
    let project = tested(&[("list.c", TOLD)], "1\\n");
    let output = project.suspect(&["explain", "1", "--budget", "20s", "--format", "json"]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let told = found.to_string();
    assert!(told.contains(&format!("\"line\":{}", line(TOLD, "L6"))), "{found}");
    assert!(told.contains(&format!("\"line\":{}", line(TOLD, "L5"))), "{found}");
    assert!(!told.contains(&format!("\"line\":{}", line(TOLD, "L6") - 1)), "what passed: {found}");
}

/// Hashes texts by words, as far as a word begins in one; L1 forgets the last letter's weight.
const WORDS: &str = r#"#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t hash(const char *text, size_t length)
{
    uint32_t word = *(const uint32_t *)text;
    return word & (length >= 4 ? 0xffffffffu : (1u << 8 * length) - 1);
}

static int weight(const char *text, size_t length)
{
    int all = 0;
    for (size_t i = 0; i + (length > 1) < length; i++) /* L1 */
        all += text[i] - 'a' + 1;
    return all;
}

int main(int argc, char **argv)
{
    const char *given = argc > 1 ? argv[1] : "a";
    char *text = strdup(given);
    int found = weight(text, strlen(text)) + (hash(text, strlen(text)) == 0);
    free(text);
    if (found != given[0] - 'a' + 1 + (given[1] ? given[1] - 'a' + 1 : 0)) { /* C1 */
        fprintf(stderr, "%s:%d: the weight is wrong\n", __FILE__, __LINE__);
        exit(1);
    }
    return 0;
}
"#;

#[test]
fn a_word_that_reaches_beyond_a_text_is_not_why_a_check_fails() {
    let check = line(WORDS, "C1");
    // The last one says nothing.
    for (told, end) in [("fprintf", "exit(1)"), ("fprintf", "abort()"), ("(void)", "abort()")] {
        let source = WORDS.replace("exit(1)", end).replace("fprintf", told);
        let project = tested(&[("list.c", &source)], "a\\nbc\\n");
        let output = project.suspect(&["explain", "bc", "--format", "json"]);
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        let effect = found["effect"].as_str().unwrap();
        let is_at_check = (check..check + 3).any(|line| effect.contains(&format!("list.c:{line}")));
        assert!(is_at_check && !effect.contains("reads"), "{told} {end}: {effect}");
    }
}
