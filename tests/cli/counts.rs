//! Counts of real processes: what the marks in a C program say was executed is what suspect counts, however it ended.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use crate::project::{Project, line_of, skip};
use suspect::program::{Counts, EdgeKind, ModuleImage, Program, Recorder};
use suspect::trace::{Ending, ModuleFile, read_directory};

const SOURCE: &str = "endings.c";

fn program_of(project: &Project) -> Program {
    let file = ModuleFile::open(&project.path().join("prog")).unwrap();
    let root = project.path().canonicalize().unwrap();
    Program::load(&[ModuleImage { name: "prog", bytes: file.bytes() }], root.to_str().unwrap()).unwrap()
}

/// Records the program as it is called with `arguments`.
fn record(project: &Project, program: &Program, mode: &str, arguments: &[&str]) -> (Counts, ExitStatus) {
    let out = tempfile::tempdir().unwrap();
    let mut command = Command::new(project.path().join("prog"));
    command.args(arguments).env("SUSPECT_OUT", out.path()).env("SUSPECT_RECORD", mode).stdout(Stdio::null());
    let status = command.status().unwrap();
    let traces = read_directory(out.path()).unwrap();
    assert!(traces.warnings.is_empty(), "{:?}", traces.warnings);
    assert!(!traces.files.is_empty());
    let processes = traces.processes(status.signal().is_some());
    (Recorder::new(program).unwrap().counts(&processes).unwrap(), status)
}

/// How often a line of the program was executed: as often as the piece on it that was entered most.
fn count(program: &Program, counts: &Counts, line: u32) -> Option<u64> {
    let file = program.files.iter().position(|file| file == SOURCE).unwrap() as u32;
    let index = program.lines.iter().position(|known| (known.file, known.line) == (file, line))? as u32;
    let pieces = program.pieces.iter().zip(&counts.execution.pieces);
    pieces.filter(|(piece, _)| piece.lines.contains(&index)).map(|(_, count)| *count).max()
}

/// The marks that hold for an end: lines and counts.
fn marks(end: &str) -> Vec<(u32, u64)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(SOURCE);
    let text = fs::read_to_string(path).unwrap();
    let mut found = Vec::new();
    for (number, line) in (2..).zip(text.lines().skip(1)) {
        let words = line.split_once("/* ").map_or("", |(_, comment)| comment).split_whitespace();
        for (name, expected) in words.filter_map(|word| word.split_once('=')) {
            if name.is_empty() || name == end {
                found.push((number, expected.parse().unwrap()));
            }
        }
    }
    found
}

const ENDS: [(&str, Option<i32>); 8] = [
    ("return", None),
    ("abort", Some(6)),
    ("segv", Some(11)),
    ("kill", Some(9)),
    ("dividefpe", Some(8)),
    ("exit", None),
    ("fork", None),
    ("xec", None),
];

#[test]
fn values_mode_counts_exactly_however_the_process_ends() {
    for level in ["-O0", "-O2"] {
        let project = built(level);
        let program = program_of(&project);
        for (argument, signal) in ENDS {
            let end = argument.trim_start_matches("divide");
            let (counts, status) = record(&project, &program, "values", &[argument]);
            assert_eq!(status.signal(), signal, "{level} {end}");
            assert!(counts.exact && counts.warnings.is_empty(), "{level} {end}: {:?}", counts.warnings);
            let marks = marks(end);
            assert!(marks.len() > 10);
            for (line, expected) in marks {
                let found = count(&program, &counts, line);
                assert_eq!(found, Some(expected), "{level} {end}: line {line}");
            }
        }
    }
}

fn built(level: &str) -> Project {
    let project = Project::new();
    project.copy_program(SOURCE);
    project.succeed(&["build", "--", "cc", level, "-o", "prog", SOURCE]);
    project
}

#[test]
fn the_piece_that_a_signal_stopped_is_named() {
    let project = built("-O2");
    let program = program_of(&project);
    let ends = [("abort", "abort();"), ("segv", "return *p;"), ("kill", "kill(getpid()"), ("dividefpe", "100 / by")];
    for (argument, text) in ends {
        let (counts, _) = record(&project, &program, "values", &[argument]);
        let [piece] = counts.execution.stopped_in[..] else { panic!("{argument}: {:?}", counts.execution.stopped_in) };
        let lines = program.pieces[piece as usize].lines.iter().map(|line| program.lines[*line as usize].line);
        let expected = line_of(SOURCE, text) as u32;
        assert!(lines.clone().any(|line| line == expected), "{argument}: {:?}", lines.collect::<Vec<_>>());
    }
    for argument in ["return", "exit", "fork", "xec"] {
        let (counts, _) = record(&project, &program, "values", &[argument]);
        assert!(counts.execution.stopped_in.is_empty(), "{argument}: {:?}", counts.execution.stopped_in);
    }
}

#[test]
fn edges_mode_says_when_its_counts_are_not_exact() {
    let project = built("-O1");
    let program = program_of(&project);
    for (argument, _) in ENDS {
        // Every run of the program leaves frames by longjmp.
        assert!(!record(&project, &program, "edges", &[argument]).0.exact, "{argument}");
    }
}

#[test]
fn edges_and_values_agree_on_processes_that_end_well() {
    let project = Project::new();
    project.copy_program("queue.c");
    project.succeed(&["build", "--", "cc", "-O1", "-o", "prog", "queue.c"]);
    let program = program_of(&project);
    let (edges, status) = record(&project, &program, "edges", &[]);
    let (values, _) = record(&project, &program, "values", &[]);
    assert!(status.success() && values.exact);
    assert!(edges.exact && edges.warnings.is_empty());
    assert_eq!(edges.execution.edges, values.execution.edges);
    assert_eq!(edges.execution.pieces, values.execution.pieces);
    assert!(edges.execution.trajectories.iter().all(|hash| *hash == 0));
    assert!(values.execution.trajectories.iter().any(|hash| *hash != 0));
}

/// How often each function was called, as clang's own `--coverage` counts.
fn calls_by_coverage(project: &Project) -> Option<BTreeMap<String, u64>> {
    let run = |program: &str, arguments: &[&str]| {
        Command::new(program)
            .args(arguments)
            .current_dir(project.path())
            .output()
            .ok()
            .filter(|out| out.status.success())
    };
    run("clang-19", &["-w", "-I/usr/include/csmith", "--coverage", "-O0", "-c", "random.c", "-o", "covered.o"])?;
    run("clang-19", &["--coverage", "covered.o", "-o", "covered"])?;
    run(project.path().join("covered").to_str()?, &[])?;
    run("llvm-cov-19", &["gcov", "-b", "covered.gcda"])?;
    let text = fs::read_to_string(project.path().join("random.c.gcov")).ok()?;
    let lines = text.lines().filter_map(|line| line.strip_prefix("function ")?.split_once(" called "));
    lines.map(|(name, rest)| Some((name.to_owned(), rest.split(' ').next()?.parse().ok()?))).collect()
}

#[test]
fn random_programs_are_counted_as_by_clang_itself() {
    for seed in ["1", "5", "10"] {
        let project = Project::new();
        let csmith =
            Command::new("csmith").args(["--seed", seed, "--max-funcs", "4"]).current_dir(project.path()).output();
        let Some(source) = csmith.ok().filter(|out| out.status.success()) else {
            skip("there is no csmith");
            return;
        };
        project.write("random.c", &String::from_utf8(source.stdout).unwrap());
        let Some(calls) = calls_by_coverage(&project) else {
            skip("clang-19 cannot count here");
            return;
        };
        project.succeed(&["build", "--", "cc", "-w", "-I/usr/include/csmith", "-O1", "-o", "prog", "random.c"]);
        let program = program_of(&project);
        let (edges, _) = record(&project, &program, "edges", &[]);
        let (values, _) = record(&project, &program, "values", &[]);
        assert!(edges.exact && values.exact, "seed {seed}");
        assert_eq!(edges.execution.edges, values.execution.edges, "seed {seed}");
        assert!(program.functions.len() > 1);
        for function in &program.functions {
            let entry = function.edges.clone().find(|edge| program.edges[*edge as usize].kind == EdgeKind::Entry);
            let entered = values.execution.edges[entry.unwrap() as usize];
            let called = calls.get(&function.name);
            assert!(called.is_none_or(|called| *called == entered), "seed {seed}: {}: {called:?}", function.name);
        }
        let checked = program.functions.iter().filter(|function| calls.contains_key(&function.name)).count();
        assert!(checked > 1, "seed {seed}: {calls:?}");
    }
}

#[test]
fn a_trace_of_another_build_is_refused() {
    let project = built("-O1");
    let old = program_of(&project);
    let text = fs::read_to_string(project.path().join(SOURCE)).unwrap();
    project.write(SOURCE, &text.replace("n < 2", "n <= 1"));
    project.succeed(&["build", "--", "cc", "-O1", "-o", "prog", SOURCE]);
    let out = tempfile::tempdir().unwrap();
    let mut command = Command::new(project.path().join("prog"));
    assert!(command.env("SUSPECT_OUT", out.path()).stdout(Stdio::null()).status().unwrap().success());
    let traces = read_directory(out.path()).unwrap();
    let error = Recorder::new(&old).unwrap().counts(&[traces.files[0].process(Ending::Exited)]).unwrap_err();
    assert!(error.to_string().contains("of another build"), "{error}");
}

#[test]
fn structures_passed_on_the_stack_arrive() {
    for level in ["-O0", "-O2"] {
        let project = Project::new();
        project.copy_program("by_value.c");
        let clang = std::env::var("SUSPECT_CLANG").unwrap_or("clang-19".to_string());
        let plain = Command::new(clang).args([level, "-o", "plain", "by_value.c"]).current_dir(project.path()).status();
        assert!(plain.unwrap().success());
        project.succeed(&["build", "--", "cc", level, "-o", "prog", "by_value.c"]);
        let expected = Command::new(project.path().join("plain")).output().unwrap();
        for mode in ["plain", "edges", "values", "trace"] {
            let out = tempfile::tempdir().unwrap();
            let mut command = Command::new(project.path().join("prog"));
            let found = command.env("SUSPECT_OUT", out.path()).env("SUSPECT_RECORD", mode).output().unwrap();
            assert_eq!(found, expected, "{level} {mode}");
        }
    }
}
