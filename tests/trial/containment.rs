//! What holds mutants: each layer alone, a worker that is killed, tests that write, and what is refused by name.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;

use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::Pid;
use suspect::trial::{
    Change, End, Executor, Executors, Observation, Override, Setup, Site, TestTrials, TrialError, Watched, Worker,
    budget,
};

use crate::support::{Dice, FILES, Project, SUSPECT, alone, observe, overrides, source, state_of, undisturbed, worker};

/// Every order to the vandal, who then has had his way wherever he could.
pub fn vandalise(project: &Project, worker: &mut Worker) -> Vec<End> {
    let trials = project.prepare(worker, 0).unwrap();
    let node =
        *trials.oracle().nodes().iter().find(|node| project.program.nodes[**node as usize].variable == "what").unwrap();
    // All but the fork bomb, which lasts until its time is up.
    let all: Vec<Override> = (1..=40)
        .filter(|order| *order != 7)
        .map(|order| Override { site: Site::Node(node), instance: 1, change: Change::Set(order) })
        .collect();
    let seen = observe(&trials, worker, &all, Executors::Exec, budget(trials.longest(), true));
    seen.into_iter().map(|one| one.end).collect()
}

/// An executable that runs suspect where these system calls are refused.
pub fn without(calls: &[i64], directory: &Path) -> PathBuf {
    let text = format!(
        "#include <errno.h>\n#include <linux/filter.h>\n#include <linux/seccomp.h>\n#include <stddef.h>\n\
         #include <sys/prctl.h>\n#include <unistd.h>\n\
         int main(int argc, char **argv) {{\n\
         static const int calls[] = {{{}}};\n\
         struct sock_filter f[64];\n  int n = 0;\n\
         f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));\n\
         for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {{\n\
           f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i], 0, 1);\n\
           f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);\n  }}\n\
         f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);\n\
         struct sock_fprog p = {{n, f}};\n\
         prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);\n\
         if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p)) return 9;\n\
         argv[0] = \"suspect\";\n  execv(\"{SUSPECT}\", argv);\n  return 8;\n}}\n",
        calls.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")
    );
    fs::write(directory.join("without.c"), text).unwrap();
    let built = Command::new("cc").args(["-w", "-o", "without", "without.c"]).current_dir(directory).status().unwrap();
    assert!(built.success());
    directory.join("without")
}

pub const LANDLOCK: i64 = 444;
pub const UNSHARE: i64 = libc::SYS_unshare;

fn vandal() -> Project {
    Project::new(&source("vandal.c"), &["./prog < words.txt"], &FILES)
}

#[test]
fn each_layer_holds_alone() {
    let _undisturbed = undisturbed();
    let project = vandal();
    let before = state_of(&project.root());
    let all = vandalise(&project, &mut worker());
    let tools = tempfile::tempdir().unwrap();
    for missing in [LANDLOCK, UNSHARE] {
        let setup = Setup::with_executable(without(&[missing], tools.path()));
        let mut worker = Worker::start(&setup).unwrap();
        assert_eq!(worker.missing(), &[] as &[String]);
        let seen = vandalise(&project, &mut worker);
        // Signals meet other processes where there are no namespaces.
        let same = seen.iter().zip(&all).filter(|(one, two)| one == two).count();
        assert!(same + 2 >= all.len(), "without {missing}: {seen:?}\n{all:?}");
        assert!(state_of(&project.root()) == before, "without {missing} the project has changed");
    }
}

#[test]
fn without_any_layer_trials_are_refused() {
    let tools = tempfile::tempdir().unwrap();
    let mut setup = Setup::with_executable(without(&[LANDLOCK, UNSHARE], tools.path()));
    let refused = Worker::start(&setup).unwrap_err().to_string();
    assert!(
        refused.starts_with("mutants cannot be contained here: files outside the scratch directory can be written"),
        "{refused}"
    );
    assert!(refused.contains("--unsafe"), "{refused}");
    setup.allow_unsafe = true;
    assert_eq!(Worker::start(&setup).unwrap().missing().len(), 1);
}

/// Kills a child and waits until it is dead, but leaves it to be waited for by who started it.
fn end(child: Pid) {
    kill(child, Signal::SIGKILL).unwrap();
    waitid(Id::Pid(child), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT).unwrap();
}

#[test]
fn a_worker_that_is_killed_costs_no_trial() {
    let _undisturbed = undisturbed();
    let project = Project::new(&source("words.c"), &["./prog"], &FILES);
    let mut worker = worker();
    let trials = project.prepare(&mut worker, 0).unwrap();
    let all = overrides(&trials, &project.program, 40, &mut Dice(3));
    let budget = budget(trials.longest(), false);
    for executors in [Executors::Exec, Executors::Fork] {
        let whole = observe(&trials, &mut worker, &all, executors, budget);
        let first = worker.process_id().unwrap();
        let mut seen = vec![None; all.len()];
        let mut killed = false;
        trials
            .run(&mut worker, &alone(&all), executors, budget, &mut |index, observation| {
                if !killed {
                    end(Pid::from_raw(first as i32));
                    killed = true;
                }
                seen[index] = Some(observation);
                ControlFlow::Continue(())
            })
            .unwrap();
        let seen: Vec<_> = seen.into_iter().map(Option::unwrap).collect();
        let lost = |of: &[Observation]| of.iter().filter(|one| one.end == End::Unknown).count();
        assert_eq!(lost(&whole), 0, "before the worker is killed: {executors:?} {whole:?}");
        assert_eq!(lost(&seen), 0, "they run again: {executors:?} {seen:?}");
        for (one, two) in seen.iter().zip(&whole) {
            assert_eq!((one.end, &one.changed, one.output_changed), (two.end, &two.changed, two.output_changed));
        }
        assert_ne!(observe(&trials, &mut worker, &all[..1], executors, budget)[0].end, End::Unknown);
        assert_ne!(worker.process_id(), Some(first));
    }
}

const WRITER: &str = "#include <stdio.h>\n#include <stdlib.h>\n\
    int main(void) {\n  int lines = 0, c, more = 1;\n  FILE *log = fopen(\"log/runs\", \"a+\");\n  if (!log) return 9;\n\
    rewind(log);\n  while ((c = getc(log)) != EOF) lines += c == '\\n';\n\
    for (int i = 0; i < more; i++) fputs(\"run\\n\", log);\n  fclose(log);\n  remove(\"log/old\");\n\
    printf(\"%d\\n\", lines);\n  return lines != 2;\n}\n";

#[test]
fn tests_that_write_run_in_a_copy_that_is_restored() {
    let files = [("log/runs", "run\nrun\n"), ("log/old", "x")];
    let project = Project::new(WRITER, &["./prog"], &files);
    let mut worker = worker();
    let before = state_of(&project.root());
    let trials = TestTrials::prepare(
        &mut worker,
        &project.suite,
        &project.suite.tests()[0],
        suspect::suite::Verdict::Pass,
        &project.program,
        Watched::Nodes,
    )
    .unwrap();
    assert!(trials.is_copied());
    let (executor, reason) = trials.executor();
    assert_eq!((executor, reason.unwrap().to_string()), (Executor::Exec, "it opens a file for writing".to_owned()));
    let more =
        *trials.oracle().nodes().iter().find(|node| project.program.nodes[**node as usize].variable == "more").unwrap();
    let all: Vec<Override> =
        [5, 0, 3, 9].map(|value| Override { site: Site::Node(more), instance: 0, change: Change::Set(value) }).into();
    for one in observe(&trials, &mut worker, &all, Executors::Auto, 100_000) {
        // Every run finds the two lines that its predecessors have not added to.
        assert_eq!((one.end, one.output_changed, one.passes), (End::Exited(0), false, Some(true)));
        assert!(one.applied);
    }
    assert!(state_of(&project.root()) == before, "the project has changed");
}

#[test]
fn why_a_test_is_not_forked_is_told() {
    let program = |body: &str| {
        format!(
            "#define _GNU_SOURCE\n#include <fcntl.h>\n#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
             #include <sys/socket.h>\n#include <sys/time.h>\n#include <sys/wait.h>\n#include <unistd.h>\n\
             static void *run(void *p) {{ return p; }}\n\
             int main(int argc, char **argv) {{\n  int a = argc, fds[2] = {{0}};\n  pthread_t t = 0; (void)t; (void)run; (void)fds;\n\
             {body}\n  printf(\"%d\\n\", a);\n  return 0;\n}}\n"
        )
    };
    let cases = [
        ("if (!pthread_create(&t, 0, run, 0)) pthread_join(t, 0);", "it starts threads"),
        ("fclose(fopen(\"/dev/null\", \"w\"));", "it opens a file for writing"),
        ("a += pipe(fds);", "it makes a pipe"),
        ("socket(AF_INET, SOCK_STREAM, 0);", "it opens a socket"),
        ("struct itimerval i = {{0, 0}, {9, 0}}; setitimer(ITIMER_REAL, &i, 0);", "it sets a timer"),
        (
            "a += system(\"true\");",
            "it blocks all signals and makes a call that a fork does not keep apart, as `system` does to start a process",
        ),
        ("if (!fork()) _exit(0); wait(0);", "the test runs it among other processes"),
        ("a += mkdir(\"new\", 0777) == 5;", "it makes a directory"),
    ];
    let mut worker = worker();
    for (body, reason) in cases {
        let project =
            Project::new(&program(body).replace("<fcntl.h>", "<fcntl.h>\n#include <sys/stat.h>"), &["./prog"], &[]);
        let trials = project.prepare(&mut worker, 0).unwrap_or_else(|error| panic!("{body}: {error}"));
        let (executor, why) = trials.executor();
        assert_eq!((executor, why.map(ToString::to_string)), (Executor::Exec, Some(reason.to_owned())), "{body}");
        let all = overrides(&trials, &project.program, 12, &mut Dice(5));
        let seen = observe(&trials, &mut worker, &all, Executors::Auto, budget(trials.longest(), false));
        assert!(seen.iter().all(|one| one.executor == Executor::Exec));
        assert!(seen.iter().any(|one| one.output_changed), "{body}: {seen:?}");
    }
    let project = Project::new(&program(""), &["./prog | cat", "./prog > out.txt", "./prog; true", "./prog"], &[]);
    for (test, reason) in [
        (0, Some("the test runs it among other processes")),
        (1, Some("it has a pipe, a device or a file for writing open")),
        (2, Some("the test runs it among other processes")),
        (3, None),
    ] {
        let trials = project.prepare(&mut worker, test).unwrap();
        let all = overrides(&trials, &project.program, 12, &mut Dice(5));
        let _ = observe(&trials, &mut worker, &all, Executors::Auto, budget(trials.longest(), false));
        let why = trials.executor().1.map(ToString::to_string);
        // What stands open is seen when the first trial is to be forked.
        if test != 1 {
            assert_eq!(why.as_deref(), reason, "test {test}");
        }
    }
}

#[test]
fn seconds_of_the_clock_are_not_taken_for_stable_values() {
    let mut worker = worker();
    let source = "#include <stdio.h>\n#include <time.h>\nint main(void) { long now = time(0); int five = 5;\n\
                  printf(\"%d\\n\", five + (now == 0)); return 0; }\n";
    let project = Project::new(source, &["./prog"], &[]);
    let trials = project.prepare(&mut worker, 0).unwrap();
    let name = |node: &u32| project.program.nodes[*node as usize].variable.clone();
    let unstable: Vec<String> = trials.oracle().unstable().iter().map(name).collect();
    assert_eq!(unstable, ["now"], "two runs within one second see the same time");
    assert!(trials.oracle().nodes().iter().any(|node| name(node) == "five"));
}

#[test]
fn what_cannot_be_run_is_named() {
    let mut worker = worker();
    let clock = "#include <stdio.h>\n#include <time.h>\nint main(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t);\n\
                 long n = t.tv_nsec; printf(\"%ld\\n\", n); return 0; }\n";
    let config = "[[suite]]\nkind = \"command\"\nrun = \"./prog\"\nresult = \"tap\"\n";
    let project = Project::with_suite(clock, config, &[]);
    let test = &project.suite.tests()[0];
    let error = TestTrials::prepare(
        &mut worker,
        &project.suite,
        test,
        suspect::suite::Verdict::Error,
        &project.program,
        Watched::Nodes,
    );
    assert!(matches!(error, Err(TrialError::Unsupported { .. })), "{error:?}");
    let plain = Project::new(clock, &["./prog", "test -e nothing", "./prog; ls /nothing-there"], &[]);
    let trials = plain.prepare(&mut worker, 0).unwrap();
    assert!(!trials.oracle().unstable().is_empty(), "the clock's value is a node");
    let error = plain.prepare(&mut worker, 1).unwrap_err().to_string();
    assert!(error.contains("records no values: no instrumented program ran"), "{error}");
    let error = TestTrials::prepare(
        &mut worker,
        &plain.suite,
        &plain.suite.tests()[2],
        suspect::suite::Verdict::Pass,
        &plain.program,
        Watched::Nodes,
    );
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("not reproducible under containment: it was recorded as `pass` and now is `fail`"),
        "{error}"
    );
}

/// The tests of this program that matter most, by somebody else.
#[test]
fn a_normal_user_is_held_as_well() {
    let _undisturbed = undisturbed();
    if !nix::unistd::geteuid().is_root() {
        // Then all tests were.
        return;
    }
    let somebody = ["--reuid=65534", "--regid=65534", "--clear-groups"];
    let reaches = Command::new("setpriv").args(somebody).args(["test", "-x", SUSPECT]).status().unwrap();
    if !reaches.success() {
        eprintln!("not tested as a normal user, who cannot reach {SUSPECT}");
        return;
    }
    let home = tempfile::tempdir().unwrap();
    fs::set_permissions(home.path(), std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    let mut command = Command::new("setpriv");
    command.args(somebody).arg(std::env::current_exe().unwrap());
    command.args([
        "--exact",
        "containment::each_layer_holds_alone",
        "containment::without_any_layer_trials_are_refused",
    ]);
    command.args([
        "containment::tests_that_write_run_in_a_copy_that_is_restored",
        "covered::tests_that_write_by_absolute_paths_find_a_copy_there",
        "covered::whatever_a_mutant_does_there_is_undone_and_meets_nothing_else",
        "basics::trials_of_both_executors_agree",
    ]);
    command.arg("differential::executors_agree_on_a_sample");
    command
        .env("HOME", home.path())
        .env("TMPDIR", home.path())
        .env("CCACHE_DIR", home.path())
        .env("RUST_BACKTRACE", "0");
    let output = command.output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && said.contains("7 passed"), "{said}");
}
