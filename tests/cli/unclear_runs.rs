//! Runs that are hard to explain: a clear answer, or a clear word on why there is none.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::project::{Project, skip, text};

/// A letter and a number each; what they are to write does not matter.
const INPUTS: [&str; 18] = [
    "t 1", "t 2", "c 3", "c 7", "h 3", "h 7", "r 3", "r 20000", "m 1", "m 2", "l 1", "l 2", "a 3", "a 7", "s 3", "s 7",
    "g 4", "g 7",
];

/// Files may have 512 KiB, less than the recordings of much. The command does not end as the program does.
const SUITE: &str = "[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"sh -c 'ulimit -f 1024; echo {line} | ./odd; echo $?'\"\nexpect = \"expected/{n}\"\n";

fn line(tag: &str) -> u64 {
    crate::project::line_of("why/odd.c", &format!("/* {tag} */"))
}

fn place(tag: &str) -> String {
    format!("odd.c:{}", line(tag))
}

fn fill(project: &Project, suite: &str) {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/why/odd.c");
    project.write("odd.c", &std::fs::read_to_string(source).unwrap()).write("suspect.toml", suite);
    for number in 1..=INPUTS.len() {
        project.write(&format!("expected/{number}"), "");
    }
    project.write("tests.txt", &INPUTS.map(|input| format!("{input}\n")).concat());
    project.succeed(&["build", "--modes", "plain,values,record", "--", "cc", "-g", "-O1", "-o", "odd", "odd.c"]);
}

static BUILT: LazyLock<Project> = LazyLock::new(|| {
    let project = Project::shared();
    fill(&project, SUITE);
    project
});

/// The store is locked while a test of the project runs.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is said of two tests; the answer need not be a proof.
fn answer(tests: [&str; 2], options: &[&str]) -> Value {
    let _turn = turn();
    let mut arguments = vec!["explain", tests[1], "--against", tests[0], "--format", "json"];
    arguments.extend(options);
    let output = BUILT.suspect(&arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 2)), "{arguments:?}: {}\n{errors}", output.status);
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_program_that_does_not_do_the_same_twice_is_called_that() {
    let trust = answer(["1", "2"], &[])["trust"].to_string();
    assert!(
        trust.contains("2 is looked at with its clock held: without, it does not do the same each time"),
        "{trust}"
    );
    let steady = answer(["7", "8"], &[])["trust"].to_string();
    assert!(!steady.contains("does not do the same"), "{steady}");
}

#[test]
fn times_that_decide_nothing_are_no_matter() {
    let found = answer(["11", "12"], &[]);
    assert_eq!((&found["verified"], &found["trust"]), (&true.into(), &serde_json::json!([])), "{found}");
}

#[test]
fn runs_of_very_different_length_are_explained_like_others() {
    let found = answer(["7", "8"], &["--cause", &place("L7"), "--effect", &format!("{}:s", place("L11"))]);
    let cause = &found["steps"][0]["causes"][0];
    assert_eq!(
        (&cause["what"], &cause["passing"], &cause["failing"], &found["verified"]),
        (&"k".into(), &"3".into(), &"20000".into(), &true.into()),
        "{found}"
    );
}

#[test]
fn a_crash_before_what_is_asked_for_is_explained_instead() {
    let _turn = turn();
    let message = BUILT.fail(&["explain", "4", "--against", "3", "--effect", &format!("{}:v", place("L3"))], 1);
    assert!(
        message.contains("no execution of it in one run corresponds to one in the other; give an earlier line"),
        "{message}"
    );
    drop(_turn);
    let found = answer(["3", "4"], &[]);
    assert!(found["effect"].as_str().unwrap().contains(&format!("4 crashes at {}", place("L2"))), "{found}");
    let lines: Vec<&Value> =
        found["steps"].as_array().unwrap().iter().map(|step| &step["cause_point"]["line"]).collect();
    assert!(lines.contains(&&line("L1").into()), "{found}");
}

#[test]
fn crashes_in_functions_that_are_not_recorded_are_explained_in_whichever_process_they_happen() {
    let found = answer(["13", "14"], &[]);
    let aborts = format!("14 aborts at {}: the assertion `k < 5` fails", place("L15"));
    assert!(found["effect"].as_str().unwrap().contains(&aborts), "{found}");
    assert_eq!(
        (&found["verified"], &found["steps"][0]["causes"][0]["failing"]),
        (&true.into(), &"7".into()),
        "{found}"
    );
    let found = answer(["15", "16"], &[]);
    assert!(found["effect"].as_str().unwrap().contains(&format!("16 crashes at {}", place("L17"))), "{found}");
    assert!(found["effect"].as_str().unwrap().contains("NULL here"), "{found}");
    let lines: Vec<&Value> =
        found["steps"].as_array().unwrap().iter().map(|step| &step["cause_point"]["line"]).collect();
    assert!(lines.contains(&&line("L16").into()), "{found}");
}

#[test]
fn what_calls_in_several_blocks_return_is_told_apart() {
    let found = answer(["17", "18"], &["--cause", &place("L19"), "--effect", &format!("{}:p", place("L20"))]);
    assert!(found["effect"].as_str().unwrap().ends_with("`p` is &high here, &low there"), "{found}");
    assert_eq!((&found["verified"], &found["steps"][0]["model"]), (&true.into(), &"approximate".into()), "{found}");
    let slices = answer(["17", "18"], &[])["steps"].to_string();
    assert!(slices.contains(r#""failing":"&high","passing":"&low","what":"what chosen returned""#), "{slices}");
}

#[test]
fn a_recording_that_may_not_grow_so_long_is_told_of() {
    let asked = ["explain", "10", "--against", "9"];
    let _turn = turn();
    let message = BUILT.fail(&asked, 1);
    let tmp = BUILT.path().join(".suspect/tmp");
    assert!(message.contains("say what differs before: --effect FILE:LINE[:VAR]"), "{message}");
    for name in ["9", "10"] {
        let start = format!("{name}: the recording ends before the run, after ");
        let said = message.split("; ").find(|said| said.starts_with(&start)).unwrap_or_else(|| panic!("{message}"));
        let kib: u64 = said[start.len()..].split(' ').next().unwrap().parse().unwrap();
        assert!((256..=512).contains(&kib) && said.contains(tmp.to_str().unwrap()), "{said}");
    }
    assert!(message.contains("raise `ulimit -f`"), "{message}");
    assert!(!tmp.exists(), "half-written recordings stay");
    drop(_turn);
    // What comes before is explained as anywhere.
    let found = answer(["9", "10"], &["--effect", &format!("{}:k", place("L14"))]);
    assert_eq!(found["verified"], true, "{found}");
    assert!(found["trust"].to_string().contains("the recording ends before the run"), "{found}");
}

#[test]
fn what_only_one_run_has_on_its_heap_is_proved_without_a_process_or_said() {
    let asked = ["--cause", &place("L4"), "--effect", &format!("{}:r", place("L6"))];
    let found = answer(["5", "6"], &asked);
    let causes: Vec<&str> =
        found["steps"][0]["causes"].as_array().unwrap().iter().map(|cause| cause["what"].as_str().unwrap()).collect();
    assert!(causes.contains(&"p"), "{found}");
    assert_eq!(found["steps"][0]["model"], "exact", "{found}");
    let found = answer(["5", "6"], &[&asked[..], &["--model", "approximate"]].concat());
    assert_eq!(found["verified"], false);
    assert!(found["trust"].to_string().contains("it needs an object that does not exist in that run"), "{found}");
}

#[test]
fn the_environment_says_how_long_recordings_may_be() {
    let _turn = turn();
    let asked = |bytes: &str| {
        let mut command = BUILT.command(&["explain", "10", "--against", "9"]);
        let output = command.env("SUSPECT_RECORD_BYTES", bytes).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", crate::project::text(&output));
        crate::project::text(&output)
    };
    let said = asked("300000");
    assert!(said.contains("10: the recording ends before the run, after 25"), "{said}");
    assert!(said.contains(": it may have no more; set SUSPECT_RECORD_BYTES to more"), "{said}");
    let said = asked("much");
    assert!(said.contains("SUSPECT_RECORD_BYTES is much; expected a number of bytes"), "{said}");
}

/// A file system of its own, unmounted when dropped.
struct Mount(PathBuf);

impl Mount {
    fn small(at: &Path, size: &str) -> Option<Mount> {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"]).arg(at);
        mount.output().is_ok_and(|output| output.status.success()).then(|| Mount(at.to_owned()))
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn a_recording_that_does_not_fit_on_the_disk_is_told_of() {
    let project = Project::new();
    let Some(_small) = Mount::small(project.path(), "6m") else {
        skip("mounting a small file system is not allowed here");
        return;
    };
    fill(&project, &SUITE.replace("ulimit -f 1024; ", ""));
    let scratch = project.path().join("scratch");
    std::fs::create_dir(&scratch).unwrap();
    let output = project.command(&["slice", "10", "output"]).env("TMPDIR", &scratch).output().unwrap();
    let said = crate::project::text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("10 writes nothing")
            && said.contains("10: the recording ends before the run, after ")
            && said.contains(": the disk of "),
        "{said}"
    );
    // What fits is explained there as anywhere.
    let output = project.command(&["explain", "8", "--against", "7"]).env("TMPDIR", &scratch).output().unwrap();
    assert!(output.status.success(), "{}", crate::project::text(&output));
}

#[test]
fn where_runs_differ_by_chance_the_way_ends_at_the_line_that_can_be_mended() {
    let project = Project::new();
    project
        .write(
            "prog.c",
            "#include <assert.h>\n#include <fcntl.h>\n#include <string.h>\n#include <unistd.h>\n\nstatic unsigned char seed;\n\n\
             static int slot(const char *text)\n{\n    int at = 0;\n    for (int i = 0; i < seed; i++)\n        at = (at * 7 + text[0]) % 64;\n    \
             return at;\n}\n\nstatic int is_name(const char *text)\n{\n    int length = strlen(text);\n    if (length == 1)\n        return 0;\n    \
             return slot(text) != -1;\n}\n\nint main(int argc, char **argv)\n{\n    int file = open(\"/dev/urandom\", O_RDONLY);\n    \
             if (read(file, &seed, 1) != 1 || argc < 3)\n        return 3;\n    int found = is_name(argv[1]);\n    \
             assert(found == (argv[2][0] == 'y'));\n    return 0;\n}\n",
        )
        .write("tests.txt", "ab y\nabc y\nname y\n'' n\na n\n")
        .write("suspect.toml", "[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"./prog {line}\"\nreference = \"true\"\nstatus = 0\n");
    project.succeed(&["build", "--", "cc", "-g", "-O1", "-o", "prog", "prog.c"]);
    project.suspect(&["test"]);
    project.succeed(&["rank", "--budget", "20s"]);
    let told = text(&project.suspect(&["explain"]));
    assert!(told.contains("That comes from prog.c:") && told.contains(": this can be mended here"), "{told}");
}
