//! Tests that seldom do something else than mostly: what is explained of them does not depend on which of their runs does.

use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::Value;

use crate::project::Project;

/// A run reads whether it is an odd one, and then, when it reads no more of that, that it may go on.
const PIPES: [&str; 2] = ["odd", "next"];
/// One run at a time reads the pipes: two beside each other would share a line, and one would wait for ever.
const TURN: &str = "turn";

fn tested() -> Project {
    let project = Project::new();
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/why/odd_one.c");
    let [odd, next] = PIPES.map(|name| project.path().join(name).display().to_string());
    let turn = project.path().join(TURN).display().to_string();
    let read = format!("exec 9< {turn}; flock 9; read odd < {odd}; read next < {next}; exec 9<&-");
    let run = format!("{read}; echo {{line}} | ./odd_one $odd");
    project
        .write("odd_one.c", &std::fs::read_to_string(source).unwrap())
        .write("tests.txt", "1 0\n1 1\n")
        .write("expected/1", "2\n")
        .write("expected/2", "2\n")
        .write("odd", "0\n")
        .write("next", "0\n")
        .write(TURN, "")
        .write(
            "suspect.toml",
            &format!(
                "[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"sh -c '{run}'\"\nexpect = \"expected/{{n}}\"\n"
            ),
        );
    project.succeed(&["build", "--", "cc", "-g", "-O1", "-o", "odd_one", "odd_one.c"]);
    project.suspect(&["test"]);
    project
}

/// What is said where the runs are odd that `is_odd` says, from 0 in their order; and how many there were.
fn explained(project: &Project, is_odd: impl Fn(usize) -> bool + Sync) -> (Value, usize) {
    let paths = PIPES.map(|name| project.path().join(name));
    for path in &paths {
        std::fs::remove_file(path).unwrap();
        nix::unistd::mkfifo(path, nix::sys::stat::Mode::S_IRWXU).unwrap();
    }
    let (runs, over) = (AtomicUsize::new(0), AtomicBool::new(false));
    // Opening waits for somebody who reads.
    let tell = |path: &Path, text: &[u8]| std::fs::File::options().write(true).open(path).unwrap().write_all(text);
    let (output, _) = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::SeqCst) {
                let odd = is_odd(runs.load(Ordering::SeqCst));
                tell(&paths[0], if odd { b"1\n" } else { b"0\n" }).unwrap();
                runs.fetch_add(1, Ordering::SeqCst);
                tell(&paths[1], b"0\n").unwrap();
            }
        });
        let arguments = ["explain", "2", "--against", "1", "--model", "approximate", "--format", "json"];
        let output = project.suspect(&arguments);
        over.store(true, Ordering::SeqCst);
        // Both ends are open until the writer has ended, so it waits for nobody, whichever pipe it is at.
        let both_ends = |path| std::fs::File::options().read(true).write(true).open(path).unwrap();
        (output, paths.each_ref().map(both_ends))
    });
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 2)), "{}\n{errors}", output.status);
    (serde_json::from_slice(&output.stdout).unwrap(), runs.into_inner() - 1)
}

/// What the steps are, and what is known of them.
fn steps(answer: &Value) -> Vec<Value> {
    let keys = ["cause_point", "effect_point", "causes", "proof"];
    let step = |step: &Value| keys.map(|key| step[key].clone()).into_iter().collect();
    answer["steps"].as_array().unwrap().iter().map(step).collect()
}

#[test]
fn one_run_that_is_odd_changes_nothing_about_an_explanation() {
    let project = tested();
    let (steady, runs) = explained(&project, |_| false);
    assert_eq!(steady["verified"], true, "{steady:#}");
    assert!(runs > 10, "{runs}");
    for odd in 0..runs {
        let (answer, _) = explained(&project, |run| run == odd);
        assert_eq!(answer["verified"], true, "run {odd}: {answer:#}");
        assert_eq!((steps(&answer), &answer["trust"]), (steps(&steady), &steady["trust"]), "run {odd}");
    }
}
