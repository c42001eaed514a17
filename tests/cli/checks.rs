//! Explanations of checks that fail: the framework reports them, leaves by a jump, and goes on; it is not recorded itself.

use std::process::{Command, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::project::{Project, text};

/// A framework: it says what failed, jumps out of the test, and runs the next one.
const FRAMEWORK: &str = r#"#include <setjmp.h>
#include <stdio.h>
static jmp_buf around;
static int failures;
void fail_at(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: failed: %s\n", file, line, what);
    longjmp(around, 1);
}
int run_tests(void (**tests)(void))
{
    for (; *tests; tests++)
        if (setjmp(around) == 0)
            (*tests)();
        else
            failures++;
    return failures;
}
"#;

const PROGRAM: &str = r#"#include <stdlib.h>
#include <string.h>
void fail_at(const char *file, int line, const char *what);
int run_tests(void (**tests)(void));
#define CHECK(is) ((is) ? (void)0 : fail_at("prog.c", __LINE__, #is))

struct text {
    int length;
    char *bytes;
};

static struct text *unescaped(const char *in)
{
    struct text *text = malloc(sizeof *text);
    text->length = 0;
    text->bytes = malloc(32);
    while (*in)
        if (*in == '\\') {
            text->bytes[text->length++] = in[0]; /* the fault: should be in[1] */
            in += 2;
        } else
            text->bytes[text->length++] = *in++;
    text->bytes[text->length] = 0;
    return text;
}

static void plain(void) { CHECK(unescaped("abc")->length == 3); }
static void slash(void) { CHECK(strcmp(unescaped("a\\/b")->bytes, "a/b") == 0); }
static void empty(void) { CHECK(unescaped("")->length == 0); }

int main(int argc, char **argv)
{
    void (*tests[])(void) = { plain, argc > 1 ? slash : plain, empty, 0 };
    (void)argv;
    return run_tests(tests);
}
"#;

fn line_of(needle: &str) -> u64 {
    1 + PROGRAM.lines().position(|line| line.contains(needle)).unwrap() as u64
}

#[test]
fn what_a_framework_leaves_by_a_jump_is_followed_from_the_check_to_the_fault() {
    let project = Project::new();
    project.write("frame.c", FRAMEWORK).write("prog.c", PROGRAM).write("tests.txt", "\n-s\n");
    let cc = Command::new("cc").args(["-c", "frame.c"]).current_dir(project.path()).status().unwrap();
    assert!(cc.success());
    project.write("suspect.toml", "[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"./prog {line}\"\n");
    project.succeed(&["build", "--", "cc", "-g", "-O1", "-o", "prog", "prog.c", "frame.o"]);
    project.suspect(&["test"]);
    project.succeed(&["rank", "--budget", "20s"]);
    let output = project.suspect(&["explain", "--format", "json"]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output)));
    assert!(!found["trust"].to_string().contains("in part only"), "{found}");
    let fault = line_of("the fault");
    assert_eq!(found["origins"][0]["point"]["line"], fault, "{found}");
    // It begins at the check, and is told with the values of the run.
    let facts = found["facts"].as_array().unwrap();
    assert_eq!(facts[0]["line"], line_of("void slash(void)"), "{found}");
    assert!(facts.iter().any(|fact| fact["line"] == fault), "{found}");
    // What is on the heap is called as the program calls it.
    assert!(found["facts"].to_string().contains("`text->bytes[1]` becomes 92"), "{found}");
    assert!(facts.len() <= 12, "{found}");
    let said = text(&project.suspect(&["explain"]));
    assert!(said.contains(&format!("That comes from prog.c:{fault}: with `in[1]` there, 2 passes")), "{said}");
    an_interrupt_shows_what_is_known(&project, fault);
}

/// Whether a process catches Ctrl-C.
fn catches_interrupts(pid: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    caught >> (Signal::SIGINT as i32 - 1) & 1 == 1
}

fn an_interrupt_shows_what_is_known(project: &Project, fault: u64) {
    let mut command = project.command(&["explain"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while !catches_interrupts(child.id()) {
        assert!(child.try_wait().unwrap().is_none(), "it has ended before it catches anything");
        std::thread::sleep(Duration::from_millis(1));
    }
    kill(Pid::from_raw(child.id() as i32), Signal::SIGINT).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = text(&output);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains(&format!("That comes from prog.c:{fault}: ")), "{said}");
    assert!(said.contains("interrupted: this is what was found out by then"), "{said}");
}
