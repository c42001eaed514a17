//! A ranking that is interrupted at any moment, by Ctrl-C or worse, or that had no time: what is known then is ranked, and going on comes to the same
//! ranking as never having been interrupted; so does another number of jobs.

use std::fs;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::all_evidence::{AMONG_OTHERS, parcel, parcel_run};
use crate::project::{Project, text};

const JSON: [&str; 5] = ["rank", "--format", "json", "--top", "1000"];

fn forget(project: &Project) {
    let path = project.path().join(".suspect/evidence");
    if path.exists() {
        fs::remove_dir_all(path).unwrap();
    }
}

/// Bytes of outcomes that are stored.
fn stored(project: &Project) -> u64 {
    fn size(path: &std::path::Path) -> u64 {
        let Ok(entries) = fs::read_dir(path) else { return 0 };
        let each = entries.flatten().map(|entry| match entry.path() {
            path if path.is_dir() => size(&path),
            path if path.extension().is_some_and(|extension| extension == "outcomes") => {
                path.metadata().map_or(0, |data| data.len())
            }
            _ => 0,
        });
        each.sum()
    }
    size(&project.path().join(".suspect/evidence"))
}

fn start(project: &Project) -> Child {
    let mut command = project.command(&[&JSON[..], &["--jobs", "1"]].concat());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn ranking(project: &Project, arguments: &[&str]) -> Value {
    serde_json::from_str(&project.succeed(&[&JSON, arguments].concat())).unwrap()
}

/// Waits until so many bytes are stored, or the ranking has ended by itself.
fn wait_for(project: &Project, bytes: u64, child: &mut Child) {
    let began = Instant::now();
    while stored(project) < bytes && child.try_wait().unwrap().is_none() {
        assert!(began.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn interrupted_at_any_moment_it_comes_to_the_same_ranking() {
    let project = parcel();
    let whole = ranking(&project, &["--jobs", "1"]);
    assert_eq!(whole["trials"]["finished"], true);
    let all = stored(&project);
    forget(&project);
    assert_eq!(ranking(&project, &["--jobs", "2"]), whole, "two jobs");
    for part in 0..4 {
        forget(&project);
        let mut child = start(&project);
        wait_for(&project, all * part / 4, &mut child);
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(ranking(&project, &[]), whole, "killed at {part}/4");
    }
}

#[test]
fn ctrl_c_ranks_by_what_is_known_and_the_next_time_goes_on() {
    let project = parcel_run(AMONG_OTHERS);
    let whole = ranking(&project, &[]);
    let all = stored(&project);
    let mut interrupted = 0;
    for part in [0, 2] {
        forget(&project);
        let mut child = start(&project);
        // Not before it is ready for it.
        wait_for(&project, 1 + all * part / 4, &mut child);
        let _ = kill(Pid::from_raw(child.id() as i32), Signal::SIGINT);
        let output = child.wait_with_output().unwrap();
        let known: Value = serde_json::from_slice(&output.stdout).unwrap();
        if output.status.code() == Some(130) {
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(said.contains("interrupted: this is what was known by then"), "{said}");
            assert_eq!(known["ranking"].as_array().unwrap().len(), whole["ranking"].as_array().unwrap().len());
            let trials = |report: &Value| report["trials"]["trials"].as_u64().unwrap_or(0);
            assert!(trials(&known) <= trials(&whole));
            interrupted += 1;
        } else {
            assert_eq!(known, whole, "it was done before");
        }
        assert_eq!(ranking(&project, &[]), whole, "interrupted at {part}/4");
    }
    assert!(interrupted > 0, "it was always done before");
}

#[test]
fn without_time_it_ranks_by_coverage_and_says_what_is_missing() {
    let project = parcel();
    let whole = ranking(&project, &[]);
    assert_eq!(ranking(&project, &["--budget", "0"]), whole, "what is known needs no time");
    forget(&project);
    let none = ranking(&project, &["--budget", "0"]);
    assert_eq!(none["ranking"].as_array().unwrap().len(), whole["ranking"].as_array().unwrap().len());
    assert_ne!(none["trials"]["finished"], true);
    // More each time: on a busy machine a second may not be enough to get a test ready.
    for seconds in 1..30 {
        let report = ranking(&project, &["--budget", &format!("{seconds}s")]);
        if report["trials"]["finished"] == true {
            assert_eq!(report, whole);
            return;
        }
    }
    panic!("it never came to an end");
}

#[test]
fn the_budget_ends_a_trial_that_takes_many_times_what_the_test_takes() {
    let project = Project::new();
    // Most other values of `left` have it sleep until a limit of twenty times a second and more.
    project.write(
        "prog.c",
        "#include <unistd.h>\nint main(int argc, char **argv)\n{\n    int left = argc;\n    while (left != 1) {\n\
         \x20       usleep(500000);\n        left--;\n    }\n    return argv[1] && argv[1][0] == 'f';\n}\n",
    );
    project.write("tests.txt", "f a b c\np a b c\n").write(
        "suspect.toml",
        "[build]\ncommand = \"cc -o prog prog.c\"\n[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"./prog {line}\"\n",
    );
    project.succeed(&["build"]);
    project.succeed(&["test"]);
    let began = Instant::now();
    let said = text(&project.suspect(&["rank", "-v", "--budget", "12s", "--jobs", "1"]));
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}: {said}", began.elapsed());
    assert!(said.contains("not everything that was planned"), "{said}");
}

#[test]
fn tests_that_are_interrupted_are_told_and_the_record_before_stays() {
    let project = Project::new();
    project.copy_program("minmax.c");
    // The second test does not end until somebody interrupts.
    let run = "[ {n} -lt 2 ] || { touch waits; sleep 719; }; exec ./prog {line}";
    let suite = "[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nexpect = \"expected/{n}\"\n";
    project.write("suspect.toml", &format!("{suite}run = '''{run}'''\n")).write("tests.txt", "1 2 3\n3 2 1\n2 1 3\n");
    (1..=3).for_each(|test| _ = project.write(&format!("expected/{test}"), "0\n"));
    project.succeed(&["build", "--", "cc", "-g", "-O1", "-o", "prog", "minmax.c"]);
    let mut command = project.command(&["test", "--no-build", "--jobs", "1"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while !project.path().join("waits").exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
    kill(Pid::from_raw(child.id() as i32), Signal::SIGINT).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = text(&output);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("interrupted after 1 of 3 tests, of which nothing is recorded; 1 failed: 1"), "{said}");
    project.fail(&["rank", "--no-trials"], 7);
}
