//! Verdicts are those of the program as it is: not of its versions, of tests beside it, or of what was lost.

use std::process::Command;
use std::sync::{LazyLock, Mutex, PoisonError};

use serde_json::Value;

use crate::project::{Project, skip, text};

const SUITE: &str = "[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"{line}\"\nexpect = \"expected/{n}\"\n";

/// `otherwise.c`, built once; one test at a time changes the suite.
static BUILT: LazyLock<Mutex<Project>> = LazyLock::new(|| {
    let project = Project::shared();
    project.copy_program("otherwise.c").write("suspect.toml", SUITE).write("tests.txt", "true\n");
    project.succeed(&["build", "--", "cc", "-g", "-O2", "-ffast-math", "-w", "-o", "otherwise", "otherwise.c"]);
    Mutex::new(project)
});

/// Gives the suite these tests, each of which expects what the program writes that nobody records, or what follows a `=`.
fn tests(project: &Project, lines: &[&str]) {
    let mut commands = String::new();
    for (number, line) in (1..).zip(lines) {
        let (command, expected) = line.split_once(" = ").unwrap_or((line, ""));
        let output = Command::new("sh").args(["-c", command]).current_dir(project.path()).output().unwrap();
        let written = String::from_utf8(output.stdout).unwrap();
        let expected = if expected.is_empty() { written } else { format!("{expected}\n") };
        project.write(&format!("expected/{number}"), &expected);
        commands += &format!("{command}\n");
    }
    project.write("tests.txt", &commands);
}

fn built(lines: &[&str]) -> std::sync::MutexGuard<'static, Project> {
    let project = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    tests(&project, lines);
    project
}

#[track_caller]
fn assert_has(said: &str, words: &[&str]) {
    for words in words {
        assert!(said.contains(words), "{words:?} is not in\n{said}");
    }
}

#[test]
fn what_a_version_alone_does_is_no_failure_of_the_program() {
    let project =
        built(&["./otherwise digits 3", "./otherwise deep 9", "./otherwise deep 7 = 8", "./otherwise jump 20"]);
    let said = project.succeed(&["test"]);
    assert_has(
        &said,
        &[
            "does not count: 1 (./otherwise digits 3): passes without recording; version `",
            "of the same program: fail: output differs",
            "-ffast-math",
            "2 passing, 1 failing, 1 not counted",
        ],
    );
    let ranked = text(&project.suspect(&["rank", "-v", "--method", "ochiai"]));
    assert_has(&ranked, &["one test does not count, because the program does something else in version"]);
    let report: Value = serde_json::from_str(&project.succeed(&["report", "--format", "json"])).unwrap();
    assert_has(&report["not_looked_at"]["tests"].to_string(), &["1: passes without recording; version"]);
}

#[test]
fn what_the_version_for_changes_does_otherwise_is_said_when_tests_are_recorded() {
    let tests = ["./otherwise deep 9", "./otherwise jump 20", "./otherwise jump 30 = 31", "./otherwise deep 7 = 8"];
    let project = built(&tests);
    // The second time it is known of the same program and tests.
    for _ in 0..2 {
        let said = text(&project.suspect(&["test"]));
        assert_has(
            &said,
            &[
                "2 passing, 2 failing, 0 not counted",
                "2 tests do something else in version `trace`, in which changes are tried and runs are explained; nothing is claimed of it",
                "2 (fail: output differs from expected/2",
                "3 (pass; it is not optimised and its locals begin as zero",
            ],
        );
    }
}

/// A driver of a thousand processes would fill the memory with their values.
#[test]
fn no_values_are_kept_where_only_verdicts_are_compared() {
    let project = built(&["echo $SUSPECT_RECORD $SUSPECT_LOG_BYTES >> versions.log; ./otherwise jump 20"]);
    project.succeed(&["test"]);
    let log = std::fs::read_to_string(project.path().join("versions.log")).unwrap();
    let of_trace: Vec<&str> = log.lines().filter(|line| line.starts_with("trace")).collect();
    assert!(!of_trace.is_empty() && of_trace.iter().all(|line| *line == "trace 0"), "{log}");
}

#[test]
fn a_version_that_is_not_optimised_gets_the_stack_that_it_needs_or_is_named() {
    let project =
        built(&["./otherwise deep 9", "./otherwise deep 240000", "./otherwise jump 20", "./otherwise jump 30 = 31"]);
    let said = project.succeed(&["test", "--record", "trace"]);
    assert_has(
        &said,
        &[
            "does not count: 3 (./otherwise jump 20): passes without recording; version `trace` of the same program: fail",
            "does not count: 4 (./otherwise jump 30): without recording fail: output differs from expected/4: line 1 is `1`",
            "one test was recorded with a larger stack, which version `trace` needs: 2",
            "2 passing, 0 failing, 2 not counted",
        ],
    );
    tests(&project, &["./otherwise deep 9", "./otherwise deep 240000", "./otherwise jump 20"]);
    project.succeed(&["test"]);
    let output = project.suspect(&["mutants", "--sample", "20%", "--format", "json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output)));
    let not_used: Vec<(&str, &str)> = report["tests_not_used"]
        .as_array()
        .unwrap()
        .iter()
        .map(|test| (test["name"].as_str().unwrap(), test["why"].as_str().unwrap()))
        .collect();
    let [("3", why)] = not_used[..] else { panic!("{not_used:?}") };
    assert_has(
        why,
        &["version `trace` of the program, in which changes are made, does something else than the program: `fail`"],
    );
}

#[test]
fn a_program_that_confines_itself_is_recorded_quietly() {
    let calls = ["getpid", "openat", "close", "mmap"];
    let lines: Vec<String> = calls.iter().map(|call| format!("./otherwise {call} 9 = 18")).collect();
    let mut lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    lines.push("./otherwise getpid 3 = 4");
    let project = built(&lines);
    let said = project.succeed(&["test"]);
    assert_has(
        &said,
        &[
            "fails: 5 (./otherwise getpid 3): output differs",
            "recorded without a file for each forked process",
            "4 passing, 1 failing",
        ],
    );
    assert_child_is_counted(&project, 5);
}

/// What the children alone execute has been executed by all tests.
#[track_caller]
fn assert_child_is_counted(project: &Project, tests: u64) {
    let report: Value = serde_json::from_str(&project.succeed(&["report", "--format", "json"])).unwrap();
    let file = report["files"].as_array().unwrap().iter().find(|file| file["path"] == "otherwise.c").unwrap();
    let worked = file["functions"].as_array().unwrap().iter().find(|function| function["name"] == "worked");
    assert_eq!(worked.unwrap()["tests"], tests, "{file}");
}

#[test]
fn processes_of_another_user_or_root_are_counted() {
    if !nix::unistd::geteuid().is_root() {
        skip("only root can become another user");
        return;
    }
    let project = built(&["./otherwise user 9 = 18", "./otherwise jail 9 = 18", "./otherwise user 3 = 4"]);
    let said = project.succeed(&["test"]);
    assert_has(&said, &["2 passing, 1 failing", "test 2: one forked process is counted with its parent"]);
    assert!(!said.contains("/dev/shm"), "{said}");
    assert_child_is_counted(&project, 3);
}

#[test]
fn a_test_that_clears_the_environment_is_recorded_and_told_of() {
    let project = built(&[
        "env -i ./otherwise deep 9",
        "env -i ./otherwise deep 7 = 8",
        "./otherwise deep 5",
        "setsid -w env -i ./otherwise deep 4",
        "setsid -w sh -c 'env -i ./otherwise deep 3; :'",
    ]);
    let said = project.succeed(&["test"]);
    assert_has(
        &said,
        &[
            "4 passing, 1 failing, 0 not counted",
            "4 tests (1, 2, 4, 5): the program ran without suspect's environment: the test clears it",
        ],
    );
    let doctor = project.succeed(&["doctor"]);
    assert_has(
        &doctor,
        &["note 4 tests (1, 2, 4, 5): the program ran without suspect's environment: the test clears it"],
    );
    let left = std::fs::read_dir("/dev/shm").unwrap().flatten();
    let left = left.filter(|entry| entry.file_name().to_string_lossy().starts_with("suspect-session-"));
    assert!(!left.into_iter().any(|entry| std::fs::read(entry.path()).is_ok_and(|text| {
        let root = project.path().to_string_lossy().into_owned();
        String::from_utf8_lossy(&text).contains(&root)
    })));
}

#[test]
fn a_program_that_never_asks_for_the_time_is_not_waited_for() {
    let project = built(&[]);
    assert!(!suspect::trace::can_ask_for_time(&project.path().join("otherwise")), "the runtime's own look-ups count");
    let other = Project::new();
    other.write("clock.c", "#include <time.h>\nint main(void) { return time(0) == 0; }\n");
    other.succeed(&["build", "--", "cc", "-O1", "-o", "clock", "clock.c"]);
    assert!(suspect::trace::can_ask_for_time(&other.path().join("clock")));
}

const TAP: &str = "#!/bin/sh\n./otherwise deep 3 > /dev/null\ncase $1 in\n  good) printf '1..1\\nok 1\\n' ;;\n  none) echo 1..3 ;;\n  \
    bail) printf '1..2\\nok 1\\nBail out! no more\\n' ;;\n  twice) printf '1..1\\nok 1\\n1..1\\n' ;;\n  gone) exec ./not-there ;;\nesac\n";

#[test]
fn a_night_that_lost_a_test_does_not_end_well() {
    let project = built(&[]);
    let suite = |names: &str| {
        format!(
            "[[suite]]\nkind = \"command\"\nlist = \"printf '%s\\\\n' {names}\"\nrun = \"sh tap.sh {{test}}\"\nresult = \"tap\"\n"
        )
    };
    project.write("tap.sh", TAP).write("suspect.toml", &suite("good none bail twice"));
    let said = project.succeed(&["test"]);
    project.write("suspect.toml", &suite("good"));
    let well = project.suspect(&["run", "--no-build", "--budget", "20s"]);
    project.write("suspect.toml", &suite("good gone").replace("tap\"", "exit\""));
    let lost = project.suspect(&["run", "--no-build", "--budget", "20s"]);
    project.write("suspect.toml", SUITE);
    assert_has(
        &said,
        &[
            "fails: none: 0 of 3 points reported",
            "fails: bail: bailed out: no more",
            "fails: twice: not well-formed TAP: more than one plan",
            "1 passing, 3 failing, 0 not counted",
        ],
    );
    assert_eq!(well.status.code(), Some(0), "{}", text(&well));
    assert_eq!(lost.status.code(), Some(4), "{}", text(&lost));
    assert_has(
        &text(&lost),
        &["no test fails that counts, but one does not pass either, 1 of 2: gone: error: command not found"],
    );
}

#[test]
fn a_driver_that_tells_failures_and_passes_is_doubted_where_nothing_fails() {
    let project = built(&["./otherwise deep 9"]);
    let driver = "[[suite]]\nname = \"all\"\nkind = \"command\"\nrun = \"sh all.sh\"\n";
    let told = |said: &str, more: &str| {
        project
            .write("all.sh", &format!("./otherwise deep 9 > got\n{said}\n"))
            .write("suspect.toml", &format!("{driver}{more}"));
        text(&project.suspect(&["test"]))
    };
    assert_has(
        &told("echo 't.deep: BAD ... 2d1'", ""),
        &[
            "warning: all passes by its exit status and writes `t.deep: BAD ... 2d1`: if that tells a failure",
            "as by run = 'said=$(sh all.sh) && ! echo \"$said\" | grep BAD'",
            "1 passing, 0 failing",
        ],
    );
    let proposed = "run = 'said=$(sh all.sh) && ! echo \"$said\" | grep BAD'";
    for said in ["echo 't.deep: BAD ... 2d1'", "kill -SEGV $$"] {
        project.write("all.sh", &format!("./otherwise deep 9 > got\n{said}\n"));
        project.write("suspect.toml", &driver.replace("run = \"sh all.sh\"", proposed));
        assert_has(&text(&project.suspect(&["test"])), &["0 passing, 1 failing"]);
    }
    let last = told("echo checking; echo 'Something is wrong: t'; echo '1 unit ignored' >&2", "");
    assert_has(
        &last,
        &[
            "warning: all passes by its exit status and writes `Something is wrong: t`: if that tells a failure",
            "as by run = 'said=$(sh all.sh) && ! echo \"$said\" | grep wrong'",
        ],
    );
    assert_has(
        &told("echo 1 test failed >&2", ""),
        &["run = 'said=$(sh all.sh 2>&1) && ! echo \"$said\" | grep failed'"],
    );
    let long = told("printf 'deep: FAIL \\033[31m%0500d\\n' 7", "");
    assert!(
        long.contains("writes `deep: FAIL \\u{1b}[31m00") && long.contains("0…`") && !long.contains('\u{1b}'),
        "{long}"
    );
    let quiet = [
        ("echo 'FAIL: 0 of 3'", ""),
        ("echo failed as it should, XFAIL", ""),
        ("echo BAD", "[[suite]]\nname = \"red\"\nkind = \"command\"\nrun = \"./otherwise deep 9; false\"\n"),
    ];
    for (said, more) in quiet {
        let all = told(said, more);
        assert!(!all.contains("by its exit status and writes"), "{all}");
    }
    project.write("suspect.toml", SUITE);
}

#[test]
fn what_a_test_compiles_for_itself_costs_no_test_its_record() {
    let project = Project::new();
    project
        .write(
            "prog.c",
            "#include <dlfcn.h>\n#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv)\n{\n    int n = atoi(argv[1]);\n    \
             void *module = argc > 2 ? dlopen(argv[2], RTLD_NOW) : 0;\n    int (*more)(int) = module ? dlsym(module, \"more\") : 0;\n    \
             printf(\"%d\\n\", more ? more(n) : n < 3 ? n : n - 1);\n    return 0;\n}\n",
        )
        .write("more.c", "int more(int n)\n{\n    return n > 1 ? n + 1 : n;\n}\n")
        .write("with.sh", "`cat compiler` -shared -fPIC -o more.so more.c && test `./prog 4 ./more.so` = 5\n")
        .write("three.sh", "test `./prog 3` = 3\n")
        .write("two.sh", "test `./prog 2` = 2\n")
        .write("suspect.toml", "[[suite]]\nkind = \"command\"\nlist = \"ls *.sh\"\nrun = \"sh {test}\"\n");
    // As configure does, the build notes which compiler it was told.
    project.succeed(&["build", "--", "sh", "-c", "command -v cc > compiler && cc -o prog prog.c -ldl"]);
    let said = project.succeed(&["test"]);
    assert_has(&said, &["2 passing, 1 failing, 0 not counted", "with.sh: more.so is built by the test itself"]);
    let report = project.ranking(&["--budget", "20s"]);
    assert_eq!(report["ranking"][0]["line"], 9, "{report}");
}

/// Words in memory of their own, without a byte to spare; it counts those that are longer than two letters.
const WORDS: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct word { char *text; struct word *next; };
static struct word *with(struct word *words, const char *text)
{
    struct word *new = malloc(sizeof *new);
    new->text = strdup(text);
    new->next = words;
    return new;
}
static int is_long(const char *text)
{
    return strlen(text) >= 2;
}
int main(int argc, char **argv)
{
    struct word *words = NULL;
    int count = 0;
    for (int at = 1; at < argc; at++)
        words = with(words, argv[at]);
    while (words) {
        struct word *word = words;
        count += is_long(word->text);
        words = word->next;
        free(word->text);
        free(word);
    }
    printf("%d\n", count);
    return 0;
}
"#;

#[test]
fn programs_in_valgrind_do_what_they_do_without_recording() {
    let project = Project::new();
    let suite = SUITE.replace("{line}", "valgrind -q --error-exitcode=9 --leak-check=full {line}");
    project.write("words.c", WORDS).write("suspect.toml", &format!("{suite}status = 0\n"));
    project.succeed(&["build", "--", "cc", "-g", "-o", "words", "words.c"]);
    tests(&project, &["./words one to four = 2", "./words three", "./words eleven twelve"]);
    let said = project.succeed(&["test"]);
    assert_has(&said, &["2 passing, 1 failing, 0 not counted", "3 tests (1, 2, 3): the program runs in valgrind"]);
    assert!(!said.contains("something else in version"), "{said}");
}

#[test]
fn a_skipped_test_is_not_said_to_lack_a_record() {
    let project = Project::new();
    project.write("prog.c", "int main(void) { return 0; }\n");
    project
        .write("skipped.sh", "echo '1..0 # SKIP no terminal'\n")
        .write("whole.sh", "./prog && echo 'ok 1' && echo '1..1'\n");
    project.write("empty.sh", "echo 'ok 1'\necho '1..1'\n");
    project.write(
        "suspect.toml",
        "[[suite]]\nkind = \"command\"\nlist = \"ls *.sh\"\nrun = \"sh {test}\"\nresult = \"tap\"\n",
    );
    project.succeed(&["build", "--", "cc", "-g", "-o", "prog", "prog.c"]);
    let said = project.succeed(&["test"]);
    let of = |name: &str| said.lines().find(|line| line.contains(name)).unwrap_or_default().to_owned();
    assert!(of("skipped.sh").contains("no terminal") && !of("skipped.sh").contains("record"), "{said}");
    assert!(of("empty.sh").contains("no instrumented program left a record"), "{said}");
    // Where none counts, the first says why.
    project.write("whole.sh", "./prog; echo '1..0 # SKIP no network'\n");
    project.suspect(&["test"]);
    let said = project.fail(&["rank"], 4);
    assert!(said.contains("suspect: no test counts: empty.sh (") && said.contains("; and 2 more"), "{said}");
}
