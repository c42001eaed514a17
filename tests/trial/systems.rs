//! Tests of build systems, run by their commands alone; programs of several modules and several processes.

use std::fs;
use std::path::Path;

use suspect::exec::ScratchRoot;
use suspect::program::Program;
use suspect::suite::{RunContext, Suite, Verdict};
use suspect::trial::{Executor, Executors, TestTrials, TrialError, Watched, Worker, budget};

use crate::support::{Dice, build_by, load, observe, overrides, worker};

const MAIN: &str = "#include <stdio.h>\n#include <stdlib.h>\nint sum(const int *, int);\n\
    int main(int argc, char **argv) {\n  int values[8] = {0}, n = argc - 1;\n\
    for (int i = 0; i < n && i < 8; i++) values[i] = atoi(argv[i + 1]);\n  int total = sum(values, n < 8 ? n : 8);\n\
    printf(\"1..1\\n%s 1 total %d\\n\", total > 5 ? \"ok\" : \"not ok\", total);\n  return total > 5 ? 0 : 1;\n}\n";
const SUM: &str = "int sum(const int *values, int n) {\n  int total = 0;\n  for (int i = 0; i < n; i++) total += values[i];\n  return total;\n}\n";

/// A project in a directory without blanks, with these files.
fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let directory = tempfile::Builder::new().prefix("suspect-trial-").tempdir().unwrap();
    for (name, text) in [("main.c", MAIN), ("sum.c", SUM)].iter().chain(files) {
        fs::write(directory.path().join(name), text).unwrap();
    }
    directory
}

fn prepare(
    worker: &mut Worker,
    suite: &Suite,
    name: &str,
    program: &Program,
) -> Result<(TestTrials, Verdict), TrialError> {
    let test = suite.tests().iter().find(|test| test.name.ends_with(name)).unwrap_or_else(|| panic!("no test {name}"));
    let scratch = ScratchRoot::new().unwrap();
    let verdict = suite
        .run_test(
            test,
            &RunContext { env: &[], scratch: &scratch, timeout: None, large_stack: false, interruptible: false },
        )
        .unwrap()
        .verdict;
    TestTrials::prepare(worker, suite, test, verdict, program, Watched::Nodes).map(|trials| (trials, verdict))
}

/// A test that can be forked: both executors see the same, and mutants make it pass and fail.
fn assert_forked(root: &Path, modules: &[&str], tests: &[(&str, Verdict)]) {
    let root = root.canonicalize().unwrap();
    let suite = Suite::load(&root).unwrap();
    let program = load(&root, modules);
    let mut worker = worker();
    for (name, expected) in tests {
        let (trials, verdict) = prepare(&mut worker, &suite, name, &program).unwrap();
        assert_eq!(verdict, *expected, "{name}");
        assert_eq!(trials.executor(), (Executor::Fork, None), "{name}");
        assert!(trials.oracle().nodes().len() > 8, "nodes of both files: {}", trials.oracle().nodes().len());
        let all = overrides(&trials, &program, 100, &mut Dice(11));
        let budget = budget(trials.longest(), true);
        let trees = observe(&trials, &mut worker, &all, Executors::Exec, budget);
        let forks = observe(&trials, &mut worker, &all, Executors::Fork, budget);
        for ((one, tree), fork) in all.iter().zip(&trees).zip(&forks) {
            let seen = |one: &suspect::trial::Observation| {
                (one.end, one.applied, one.changed.clone(), one.output_changed, one.used)
            };
            assert_eq!(seen(tree), seen(fork), "{name}: {one:?}");
            assert!(fork.passes.is_none() || fork.passes == tree.passes, "{name}: {one:?}");
        }
        for passes in [true, false] {
            assert!(trees.iter().any(|one| one.passes == Some(passes)), "{name}: no trial has {passes}");
        }
    }
}

#[test]
fn tests_of_ctest() {
    let project = project(&[
        ("suspect.toml", "[[suite]]\nkind = \"ctest\"\ndir = \"b\"\n"),
        (
            "CMakeLists.txt",
            "cmake_minimum_required(VERSION 3.21)\nproject(p C)\nenable_testing()\nadd_library(sum SHARED sum.c)\n\
             add_executable(program main.c)\ntarget_link_libraries(program sum)\nadd_test(NAME plain COMMAND program 1 2 3)\n\
             add_test(NAME says COMMAND program 1 2)\nset_tests_properties(says PROPERTIES PASS_REGULAR_EXPRESSION \"total 3\")\n\
             add_test(NAME inverted COMMAND program 1)\nset_tests_properties(inverted PROPERTIES WILL_FAIL ON)\n\
             add_test(NAME fails COMMAND program 2 2)\nadd_test(NAME needs COMMAND program 9)\n\
             set_tests_properties(plain PROPERTIES FIXTURES_SETUP f)\nset_tests_properties(needs PROPERTIES FIXTURES_REQUIRED f)\n",
        ),
    ]);
    build_by(project.path(), &["cmake", "-S", ".", "-B", "b"]);
    build_by(project.path(), &["cmake", "--build", "b"]);
    let tests =
        [("plain", Verdict::Pass), ("says", Verdict::Pass), ("inverted", Verdict::Pass), ("fails", Verdict::Fail)];
    assert_forked(project.path(), &["b/program", "b/libsum.so"], &tests);
    let root = project.path().canonicalize().unwrap();
    let (suite, program) = (Suite::load(&root).unwrap(), load(&root, &["b/program", "b/libsum.so"]));
    let error = prepare(&mut worker(), &suite, "needs", &program).unwrap_err().to_string();
    let said = "test `needs` cannot be run with mutants: it needs other tests (fixtures or dependencies) to run before or after it";
    assert_eq!(error, said);
}

#[test]
fn tests_of_meson() {
    let project = project(&[
        ("suspect.toml", "[[suite]]\nkind = \"meson\"\ndir = \"b\"\n"),
        (
            "meson.build",
            "project('p', 'c')\nsum = shared_library('sum', 'sum.c')\nprogram = executable('program', 'main.c', link_with: sum)\n\
             test('plain', program, args: ['7'])\ntest('tap', program, args: ['4'], protocol: 'tap')\n",
        ),
    ]);
    build_by(project.path(), &["meson", "setup", "b"]);
    build_by(project.path(), &["meson", "compile", "-C", "b"]);
    let tests = [("plain", Verdict::Pass), ("tap", Verdict::Fail)];
    assert_forked(project.path(), &["b/program", "b/libsum.so"], &tests);
}

#[test]
fn tests_of_automake_are_run_without_their_driver() {
    let project = project(&[
        ("suspect.toml", "[[suite]]\nkind = \"automake\"\n"),
        (
            "configure.ac",
            "AC_INIT([p],[1])\nAM_INIT_AUTOMAKE([foreign])\nAC_PROG_CC\nAC_PROG_AWK\nAC_REQUIRE_AUX_FILE([tap-driver.sh])\n\
             AC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n",
        ),
        (
            "Makefile.am",
            "check_PROGRAMS = plain broken said.tap\nplain_SOURCES = main.c sum.c\nplain_CPPFLAGS = -DPLAIN\nsaid_tap_CPPFLAGS = -DPLAIN\n\
             broken_SOURCES = main.c sum.c\nsaid_tap_SOURCES = main.c sum.c\nTESTS = plain broken said.tap\n\
             XFAIL_TESTS = broken\nTEST_EXTENSIONS = .tap\n\
             TAP_LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/tap-driver.sh\n",
        ),
    ]);
    // Tests of Automake have no arguments.
    let main = MAIN.replace("int total = sum", "values[0] = PLAIN_VALUE; n++;\n  int total = sum");
    let main = format!("#ifdef PLAIN\n#define PLAIN_VALUE 8\n#else\n#define PLAIN_VALUE 3\n#endif\n{main}");
    fs::write(project.path().join("main.c"), main).unwrap();
    let made = suspect::exec::Command::shell("autoreconf -i", project.path()).run().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr.bytes));
    build_by(project.path(), &["./configure"]);
    build_by(project.path(), &["make", "check", "TESTS="]);
    let tests = [("plain", Verdict::Pass), ("broken", Verdict::Pass), ("said.tap", Verdict::Pass)];
    assert_forked(project.path(), &["plain", "broken", "said.tap"], &tests);
}

#[test]
fn several_processes_are_compared_one_by_one() {
    let project = project(&[
        ("suspect.toml", "[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"{line}\"\n"),
        ("tests.txt", "./prog 1 2; ./prog 3 4; ./prog 1 2 | grep total\n"),
    ]);
    build_by(project.path(), &["cc", "-O1", "-o", "prog", "main.c", "sum.c"]);
    let root = project.path().canonicalize().unwrap();
    let (suite, program) = (Suite::load(&root).unwrap(), load(&root, &["prog"]));
    let mut worker = worker();
    let (trials, _) = prepare(&mut worker, &suite, "1", &program).unwrap();
    let oracle = trials.oracle();
    assert_eq!(oracle.n_processes(), 3);
    let differs = |at: usize| oracle.values(0, at) != oracle.values(1, at);
    assert!((0..oracle.nodes().len()).any(differs), "the second process has other values");
    assert!(
        (0..oracle.nodes().len()).all(|at| oracle.values(0, at) == oracle.values(2, at)),
        "the third has the first's"
    );
    let all = overrides(&trials, &program, 60, &mut Dice(5));
    let seen = observe(&trials, &mut worker, &all, Executors::Auto, budget(trials.longest(), false));
    assert!(seen.iter().all(|one| one.executor == Executor::Exec));
    assert!(seen.iter().any(|one| one.output_changed));
    assert_eq!(seen, observe(&trials, &mut worker, &all, Executors::Auto, budget(trials.longest(), false)));
}
