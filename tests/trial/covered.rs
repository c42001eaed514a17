//! Tests that lead to their project by absolute paths: a copy of it is mounted over it, and is as before after each trial.

use std::fs;
use std::os::unix::fs::MetadataExt;

use suspect::suite::Verdict;
use suspect::trial::{Change, End, Executor, Executors, Override, Setup, Site, TestTrials, Watched, Worker};

use crate::containment::{LANDLOCK, UNSHARE, vandalise, without};
use crate::support::{FILES, Project, observe, source, state_of, undisturbed, worker};

const SUITE: &str = "[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"{line}\"\n";

/// A project with a test `sh ./run.sh` in the directory `below`, whose script goes on where an absolute path leads, once a directory could be
/// made there that must not be there yet; another test runs `./prog` in place.
fn project(source: &str, below: &str, then: &str, files: &[(&str, &str)]) -> Project {
    let tests = format!("{below}/tests.txt");
    let lines = (&*tests, "sh ./run.sh\n../prog\n");
    let project = Project::with_suite(source, &format!("{SUITE}dir = \"{below}\"\n"), &[&[lines], files].concat());
    let root = project.root();
    let script = format!(
        "mkdir '{0}/made' || exit 99\ncd '{0}' && {then}\ncame=$?\nrmdir '{0}/made'\nexit $came\n",
        root.display()
    );
    fs::write(root.join(below).join("run.sh"), script).unwrap();
    project
}

/// Counts the lines of a file below it, and adds some.
const WRITER: &str = "#include <stdio.h>\n#include <stdlib.h>\n\
    int main(void) {\n  int lines = 0, c, more = 1;\n  FILE *log = fopen(\"log/runs\", \"a+\");\n  if (!log) return puts(\"none\") < 0;\n\
    rewind(log);\n  while ((c = getc(log)) != EOF) lines += c == '\\n';\n\
    for (int i = 0; i < more; i++) fputs(\"run\\n\", log);\n  fclose(log);\n  remove(\"log/old\");\n\
    printf(\"%d\\n\", lines);\n  return lines != 2;\n}\n";

fn overrides(project: &Project, trials: &TestTrials) -> Vec<Override> {
    let is_more = |node: &&u32| project.program.nodes[**node as usize].variable == "more";
    let more = *trials.oracle().nodes().iter().find(is_more).unwrap();
    [5, 0, 3, 9].map(|value| Override { site: Site::Node(more), instance: 0, change: Change::Set(value) }).into()
}

#[test]
fn tests_that_write_by_absolute_paths_find_a_copy_there() {
    let files = [("log/runs", "run\nrun\n"), ("log/old", "x")];
    let project = project(WRITER, "tests", "./prog", &files);
    let before = state_of(&project.root());
    let mut worker = worker();
    let prepare = |worker: &mut Worker, test: usize, watched| {
        let test = &project.suite.tests()[test];
        TestTrials::prepare(worker, &project.suite, test, Verdict::Pass, &project.program, watched).unwrap()
    };
    let trials = prepare(&mut worker, 0, Watched::Output);
    assert!(trials.is_copied());
    let all = overrides(&project, &prepare(&mut worker, 0, Watched::Nodes));
    let mut processes = vec![worker.process_id()];
    for _ in 0..2 {
        // What needs no other view of the files is run by another process.
        assert!(!prepare(&mut worker, 1, Watched::Output).is_copied());
        processes.push(worker.process_id());
        for one in observe(&trials, &mut worker, &all, Executors::Auto, 100_000) {
            // Every run finds the two lines that its predecessors have not added to, and no directory.
            assert_eq!((one.end, one.output_changed, one.passes), (End::Exited(0), false, Some(true)));
            assert_eq!((one.applied, one.executor), (true, Executor::Exec));
        }
        processes.push(worker.process_id());
    }
    assert!(processes[0] != processes[1], "one for each view of the files");
    assert!((2..5).all(|at| processes[at] == processes[at - 2]), "in turn: {processes:?}");
    assert!(state_of(&project.root()) == before, "the project has changed");
}

#[test]
fn whatever_a_mutant_does_there_is_undone_and_meets_nothing_else() {
    let _undisturbed = undisturbed();
    let project = project(&source("vandal.c"), "tests", "./prog < words.txt", &FILES);
    let (before, mode) = (state_of(&project.root()), fs::metadata(project.root()).unwrap().mode());
    let tools = tempfile::tempdir().unwrap();
    let mut all: Option<Vec<End>> = None;
    for missing in [&[] as &[i64], &[LANDLOCK]] {
        let mut worker = Worker::start(&Setup::with_executable(without(missing, tools.path()))).unwrap();
        let seen = vandalise(&project, &mut worker);
        let same = |all: &Vec<End>| seen.iter().zip(all).filter(|(one, two)| one == two).count();
        assert!(all.as_ref().is_none_or(|all| same(all) + 2 >= all.len()), "without {missing:?}: {seen:?}\n{all:?}");
        // After all that the test does what it did.
        project.prepare(&mut worker, 0).unwrap();
        assert!(state_of(&project.root()) == before, "without {missing:?} the project has changed");
        assert_eq!(fs::metadata(project.root()).unwrap().mode(), mode);
        all = Some(seen);
    }
    let mut worker = Worker::start(&Setup::with_executable(without(&[UNSHARE], tools.path()))).unwrap();
    let error = project.prepare(&mut worker, 0).unwrap_err().to_string();
    assert!(error.contains("no instrumented program ran where trials run"), "{error}");
    assert!(state_of(&project.root()) == before, "the project has changed");
}
