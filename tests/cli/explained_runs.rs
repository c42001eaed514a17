//! What is explained is what the test did, and in the time that is given.

use crate::project::{Project, text};

fn built(project: &Project, source: &str, suite: &str) {
    project.write("prog.c", source);
    project.write("suspect.toml", &format!("[build]\ncommand = \"cc -O2 -w -o prog prog.c\"\n\n[[suite]]\n{suite}"));
    project.succeed(&["build"]);
    project.succeed(&["test"]);
}

/// What a local that is not volatile holds after a jump is nobody's promise: optimised it is the old value.
const TRIES: &str = r#"#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf start;

static int next(int step)
{
    return step + 10;
}

static void check(int step)
{
    if (step > 2)
        longjmp(start, 1);
}

static int reached(int step)
{
    int best = 0;
    if (setjmp(start) == 0) {
        best = next(step);
        check(step);
    }
    return best;
}

int main(int argc, char **argv)
{
    printf("reached %d\n", reached(atoi(argv[1])));
    return 0;
}
"#;

#[test]
fn a_run_that_passes_where_it_is_recorded_explains_no_failure() {
    let project = Project::new();
    project.write("tests.txt", "1\n2\n4\n");
    for (number, reached) in [(1, 11), (2, 12), (3, 14)] {
        project.write(&format!("expected/{number}"), &format!("reached {reached}\n"));
    }
    built(
        &project,
        TRIES,
        "kind = \"lines\"\nfile = \"tests.txt\"\nrun = \"./prog {line}\"\nexpect = \"expected/{n}\"\n",
    );
    for arguments in [&["explain", "3"][..], &["explain", "3", "--against", "1"], &["explain", "3", "--switch"]] {
        let said = project.fail(arguments, 4);
        assert!(said.contains("3 does not end as it did in the last `suspect test`"), "{said}");
        assert!(said.contains("It was: fail: output differs") && said.contains("recorded it is: pass."), "{said}");
        assert!(!said.contains("proved in both directions"), "{said}");
    }
    // A test that does what it did is explained as ever.
    let text = project.succeed(&["explain", "2", "--against", "1"]);
    assert!(text.contains("proved in both directions"), "{text}");
}

/// Words that are longer in one test than in the other lie elsewhere, and those before them, too.
const UNITS: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int factor(const char *unit)
{
    if (strcmp(unit, "kilo") == 0)
        return 1000;
    if (strcmp(unit, "hecto") == 0)
        return 10;
    return 1;
}

int main(int argc, char **argv)
{
    const char *name = strrchr(argv[0], '/');
    const char *unit = argv[1], *number = argv[2];
    printf("%s: ", name ? name + 1 : argv[0]);
    printf("%d\n", factor(unit) * atoi(number));
    return 0;
}
"#;

#[test]
fn arguments_are_told_by_their_numbers_whatever_their_lengths() {
    let project = Project::new();
    project.write("tests.txt", "kilo 3\nnone 12345\nhecto 77\n");
    for (number, factor) in [(1, "3000"), (2, "12345"), (3, "7700")] {
        project.write(&format!("expected/{number}"), &format!("prog: {factor}\n"));
    }
    built(
        &project,
        UNITS,
        "kind = \"lines\"\nfile = \"tests.txt\"\nrun = \"./prog {line}\"\nexpect = \"expected/{n}\"\n",
    );
    for against in ["1", "2"] {
        let output = project.suspect(&["explain", "3", "--against", against]);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains("argv[1]") && !text.contains("argv[0]"), "{text}");
        assert!(!text.contains("/tmp/") && !text.contains("0x7ff"), "{text}");
    }
}

/// Adds up the numbers of a text in which every byte counts for something.
const WEIGHTS: &str = r#"#include <stdio.h>

static char text[1 << 14];

static long total(const char *p, size_t n)
{
    long all = 0, sign = 1;
    for (size_t i = 0; i < n; i++) {
        if (p[i] == '-')
            sign = -sign;
        else if (p[i] >= '0' && p[i] <= '9')
            all = (all * 3 + sign * (p[i] - '0')) % 1000003;
        else if (p[i] == '\n' && all % 7 == 5)
            all += 1;
    }
    return all;
}

int main(void)
{
    size_t n = fread(text, 1, sizeof text - 1, stdin);
    printf("%ld\n", total(text, n));
    return 0;
}
"#;

#[test]
fn two_inputs_that_differ_in_thousands_of_bytes_take_no_more_than_the_budget() {
    let project = Project::new();
    let input = |seed: u64, lines: u64| -> String {
        let number = |at: u64| (at * 7919 + seed * 104_729) % 99_991;
        (0..lines).map(|at| format!("{}{}\n", if number(at) % 5 == 0 { "-" } else { "" }, number(at))).collect()
    };
    for (seed, expected) in [(1, None), (2, None), (3, Some("1\n"))] {
        project.write(&format!("in/{seed}"), &input(seed, 900 + 40 * seed));
        if let Some(expected) = expected {
            project.write(&format!("expected/{seed}"), expected);
        }
    }
    project.write("prog.c", WEIGHTS);
    project.write(
        "suspect.toml",
        "[build]\ncommand = \"cc -O1 -o prog prog.c\"\n\n[[suite]]\nkind = \"cases\"\ninputs = \"in/*\"\nrun = \"./prog < {input}\"\n\
         expect = \"expected/{stem}\"\n",
    );
    project.succeed(&["build"]);
    for passing in ["1", "2"] {
        let input = std::fs::File::open(project.path().join("in").join(passing)).unwrap();
        let output = std::process::Command::new(project.path().join("prog")).stdin(input).output().unwrap();
        project.write(&format!("expected/{passing}"), &String::from_utf8(output.stdout).unwrap());
    }
    project.succeed(&["test"]);
    let output = project.suspect(&["explain", "3", "--against", "1", "--budget", "3s"]);
    let text = crate::project::text(&output);
    // On a machine that is slow there is no answer at all, which is said, too.
    let said = ["time was up at a step", "within 3s", "no time was left to read"];
    assert!(said.iter().any(|said| text.contains(said)), "{text}");
}

/// Goes round a loop so often that reading what it recorded takes long.
const ROUNDS: &str = r#"#include <stdio.h>

int main(void)
{
    unsigned sum = 0;
    for (unsigned round = 0; round < 4000000; round++)
        if (round * 2654435761u >> 31)
            sum += round;
    printf("%u\n", sum);
    return 0;
}
"#;

#[test]
fn when_time_is_over_the_failure_is_told_with_what_is_known() {
    let project = Project::new();
    project.write("in", "").write("expected", "7\n");
    built(&project, ROUNDS, "kind = \"cases\"\ninputs = \"in\"\nrun = \"./prog < {input}\"\nexpect = \"expected\"\n");
    let output = project.suspect(&["explain", "--budget", "1s", "--format", "json"]);
    let text = crate::project::text(&output);
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{text}"));
    // A machine that is fast enough comes to more than this.
    assert!(found["summary"][0].as_str().is_some_and(|said| said.starts_with("in: ")), "{text}");
    assert!(found["effect"].as_str().is_some_and(|effect| !effect.is_empty()), "{text}");
}

/// Counts one letter too few of the name that an option gives.
const NAMED: &str = r#"#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    const char *given = NULL;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "-o") == 0)
            given = argv[++i];
    size_t length = 0;
    if (given != NULL)
        length = strlen(strdup(given)) - 1;
    printf("%zu\n", length);
    return 0;
}
"#;

#[test]
fn an_argument_that_the_other_run_lacks_can_be_given_to_it() {
    let project = Project::new();
    project.write("tests.txt", "alone\n-o everybody\n").write("expected/1", "0\n").write("expected/2", "9\n");
    built(
        &project,
        NAMED,
        "kind = \"lines\"\nfile = \"tests.txt\"\nrun = \"./prog {line}\"\nexpect = \"expected/{n}\"\n",
    );
    let said = project.succeed(&["explain", "2", "--against", "1"]);
    assert!(said.contains("argv[2] here"), "{said}");
    assert!(said.contains("proved in both directions"), "{said}");
    assert!(!said.contains("not every step is proved") && !said.contains("unverified"), "{said}");
}

/// A library, and a program that is not instrumented, which may load another library before it.
const LIBRARY: &str = r#"#include <stdio.h>

struct scale { int factor; int (*print)(const char *, ...); };
struct scale standard = {2, printf};

int scaled(const struct scale *by, int value)
{
    int result = by->factor * value;
    if (result == 14)
        result++;
    return by->print("%d\n", result) < 0;
}
"#;
const LOADER: &str = r#"#include <dlfcn.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    if (argc > 2 && !dlopen(argv[2], RTLD_NOW))
        return 2;
    void *library = dlopen("./libscaled.so", RTLD_NOW);
    if (!library)
        return 3;
    int (*scaled)(const void *, int) = (int (*)(const void *, int))dlsym(library, "scaled");
    return scaled(dlsym(library, "standard"), atoi(argv[1]));
}
"#;

#[test]
fn where_libraries_lie_is_no_difference_of_two_runs() {
    let project = Project::new();
    project.write("scaled.c", LIBRARY).write("loader.c", LOADER);
    project.write("tests.txt", "7\n6 libm.so.6\n").write("expected/1", "14\n").write("expected/2", "12\n");
    // The driver stands in for compilers that are found by their names.
    project.write(
        "suspect.toml",
        "[build]\ncommand = \"cc -g -O1 -shared -fPIC -o libscaled.so scaled.c && /usr/bin/c++ -x c++ -fpermissive -w -o loader loader.c -ldl\"\n\n\
         [[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"./loader {line}\"\nexpect = \"expected/{n}\"\n",
    );
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    let output = project.suspect(&["explain", "1", "--against", "2"]);
    let said = text(&output);
    assert!(said.contains("`value` is 7 here, 6 there"), "{said}");
    for same in ["`by`", "0x7ff", "memory at"] {
        assert!(!said.contains(same), "{same}: {said}");
    }
}

/// Gathers what it writes in a buffer; words that begin with `n` are taken for wide ones.
const GATHERED: &str = r#"#include <stdio.h>
#include <string.h>

static struct {
    char data[64];
    size_t size;
} out;

static void append(const char *text, size_t length)
{
    memcpy(out.data + out.size, text, length);
    out.size += length;
}

int main(void)
{
    char word[20];
    while (scanf("%19s", word) == 1) {
        append(word[0] == 'w' || word[0] == 'n' ? "W" : "s", 1); /* the fault */
        append(word, strlen(word));
    }
    fwrite(out.data, 1, out.size, stdout);
    return 0;
}
"#;

#[test]
fn of_a_buffer_that_is_written_the_wrong_byte_is_explained_and_not_the_length() {
    let project = Project::new();
    project.write("tests.txt", "water fox\nwater north\n").write("expected/1", "Wwatersfox");
    project.write("expected/2", "Wwatersnorth");
    built(
        &project,
        GATHERED,
        "kind = \"lines\"\nfile = \"tests.txt\"\nrun = \"sh -c 'echo {line} | ./prog'\"\nexpect = \"expected/{n}\"\n",
    );
    let said = text(&project.suspect(&["explain", "2", "--against", "1"]));
    assert!(said.contains("`out.data[6]` is 87 'W' here, 115 's' there"), "{said}");
    assert!(!said.contains("argument 3") && !said.contains("`out.size`"), "{said}");
    assert!(said.contains("the first wrong byte, 'W', is put into memory here\n"), "{said}");
    // The literal comes from the fault.
    assert!(said.contains("which is passed here, as `text` of append()\n"), "{said}");
}

/// Takes seconds, and does not end where one of its conditions goes another way.
const WAITS: &str = r#"#include <stdio.h>
#include <unistd.h>

static int later(int number)
{
    return number + 2; /* fault */
}

int main(void)
{
    sleep(3);
    int number = later(3);
    if (number > 9)
        for (;;)
            sleep(1);
    if (number != 4) {
        fprintf(stderr, "prog.c:%d: number is %d\n", __LINE__ - 1, number);
        return 1;
    }
    return 0;
}
"#;

#[test]
fn a_changed_run_that_does_not_end_ends_with_the_time_that_is_given() {
    let project = Project::new();
    project.write("prog.c", WAITS);
    project.write(
        "suspect.toml",
        "[build]\ncommand = \"cc -g -O0 -w -o prog prog.c\"\n\n[[suite]]\nkind = \"command\"\nrun = \"./prog\"\n",
    );
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    let output = project.suspect(&["explain", "--budget", "24s", "--format", "json"]);
    let text = text(&output);
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{text}"));
    // What is under way when time is up is not broken off with all that was found out.
    assert!(!found["trust"].to_string().contains("nothing more was found out"), "{found}");
    let line = 1 + WAITS.lines().position(|line| line.contains("/* fault */")).unwrap();
    assert!(found["facts"].to_string().contains(&format!("\"line\":{line}")), "{found}");
}
