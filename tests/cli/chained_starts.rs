//! Starts of programs that read what earlier ones of their driver wrote: the test of the last one runs them all.

use crate::project::{Project, text};

/// Packs runs of a letter into a digit and the letter, and unpacks them; ten do not fit into one digit.
const PROGRAM: &str = r#"#include <stdio.h>
#include <string.h>
static void pack(FILE *from)
{
    int last = fgetc(from), n = 1;
    while (last != EOF) {
        int next = fgetc(from);
        if (next == last && n < 10) {
            n++;
            continue;
        }
        printf("%d%c", n, last);
        last = next;
        n = 1;
    }
}
static void unpack(FILE *from)
{
    int digit, letter;
    while ((digit = fgetc(from)) != EOF && (letter = fgetc(from)) != EOF)
        for (int i = 0; i < digit - '0'; i++)
            putchar(letter);
}
int main(int argc, char **argv)
{
    int is_back = argc > 1 && !strcmp(argv[1], "-d");
    FILE *from = argc > 1 + is_back ? fopen(argv[1 + is_back], "r") : stdin;
    if (!from)
        return 2;
    if (is_back)
        unpack(from);
    else
        pack(from);
    return 0;
}
"#;

/// A project whose one test is a driver.
fn project(driver: &str) -> Project {
    let project = Project::new();
    project
        .write("packer.c", PROGRAM)
        .write("Makefile", "packer: packer.c\n\t$(CC) -g -O0 -o $@ packer.c\n")
        .write("driver", driver)
        .write("few", "abc\n")
        .write("some", "aabbb\n")
        .write("many", "aaaaaaaaaaaab\n");
    let suite = "[[suite]]\nname = \"spec\"\nkind = \"command\"\nrun = \"sh driver\"\nstarts = true\n";
    project.write("suspect.toml", &format!("[build]\ncommand = \"make\"\n{suite}"));
    project.succeed(&["build"]);
    project
}

/// What a driver says that packs and unpacks each file, by some commands.
fn driver(commands: &str) -> String {
    format!(
        "status=0\nfor one in few some many; do\n    {commands}\n    \
         if cmp -s $one back; then echo \"PASS: $one\"; else echo \"FAIL: $one\"; status=1; fi\ndone\nexit $status\n"
    )
}

#[test]
fn the_last_start_of_a_failing_case_runs_behind_those_that_feed_it() {
    for commands in ["./packer $one > packed; ./packer -d packed > back", "./packer < $one | ./packer -d > back"] {
        let project = project(&driver(commands));
        let said = text(&project.suspect(&["test"]));
        assert!(said.contains("fails: spec, 6th start of packer: spec: FAIL: many\n"), "{commands}: {said}");
        assert!(said.contains("4 passing, 1 failing, 1 not counted"), "{commands}: {said}");
        // The wrong statement is executed by the start before.
        let answer = project.succeed(&["rank"]);
        assert!(answer.contains("pack()") && answer.contains("with `n < 9`"), "{commands}: {answer}");
    }
}

#[test]
fn a_case_stays_one_test_where_its_starts_feed_nobody() {
    let project = project(&driver("./packer few > other; ./packer -d $one > back"));
    let said = text(&project.suspect(&["test"]));
    assert!(said.contains("0 passing, 1 failing, 0 not counted"), "{said}");
}
