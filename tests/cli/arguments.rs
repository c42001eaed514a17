//! What a program is called with lies on its stack, where the lengths of arguments and environment put it: answers do not depend on that.

use serde_json::Value;

use crate::project::Project;

/// What its arguments say is kept by their addresses, and read later.
const SOURCE: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct option { const char *name; int value; } options[8];
static int count;

static void parse(char **argv) {
    for (char **at = argv + 1; *at; at++) {
        char *sign = strchr(*at, '=');
        options[count].name = *at;
        options[count].value = atoi(sign + 1);
        count++;
    }
}

static int total(void) {
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += options[i].name[0] == 'a' ? options[i].value : -options[i].value;
    return sum;
}

int main(int argc, char **argv) {
    (void)argc;
    parse(argv);
    int sum = total();
    printf("%d\n", sum);
    return sum < 0;
}
"#;

#[test]
fn a_step_is_proved_whatever_the_length_of_the_environment() {
    let project = Project::new();
    // The kernel puts the arrays at multiples of 16: arguments that are four bytes shorter move them, or do not.
    project
        .write("options.c", SOURCE)
        .write("tests.txt", "a=5 b=3\na=12 bcd=20\n")
        .write("suspect.toml", "[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"./options {line}\"\n");
    project.succeed(&[
        "build",
        "--modes",
        "plain,values,record",
        "--",
        "cc",
        "-g",
        "-O1",
        "-o",
        "options",
        "options.c",
    ]);
    project.suspect(&["test"]);
    let explained = |longer: usize| {
        let arguments = ["explain", "2", "--against", "1", "--format", "json"];
        let output = project.command(&arguments).env("FILLING", "x".repeat(longer)).output().unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        let steps = answer["steps"].as_array().unwrap();
        let proofs: Vec<&str> = steps.iter().map(|step| step["proof"].as_str().unwrap()).collect();
        assert!(proofs.iter().all(|proof| proof.starts_with("proved")), "{longer} bytes more: {proofs:#?}");
        proofs.len()
    };
    let first = explained(0);
    assert!(first > 4, "{first} steps");
    for longer in (2..16).step_by(2) {
        assert_eq!(explained(longer), first, "{longer} bytes more");
    }
    let text = project.succeed(&["explain", "2", "--against", "1"]);
    // Strings are told by their numbers: that those after a longer one lie elsewhere is no difference.
    assert!(text.contains("`argv[1][2]` is ") && !text.contains("`argv[2]` is ") && !text.contains("0x7ff"), "{text}");
}
