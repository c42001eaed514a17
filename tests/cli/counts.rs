//! Counts of real processes: what the marks in a C program say was executed is what suspect counts, however it ended.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use crate::project::{Project, line_of};
use suspect::program::{Counts, ModuleImage, Program, Recorder};
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
    let mut child = command.spawn().unwrap();
    let status = child.wait().unwrap();
    let traces = read_directory(out.path()).unwrap();
    assert!(traces.warnings.is_empty(), "{:?}", traces.warnings);
    assert!(!traces.files.is_empty());
    let ending = |pid| match status.signal() {
        _ if pid != child.id() => Ending::Unknown,
        Some(_) => Ending::Signalled,
        None => Ending::Exited,
    };
    let processes: Vec<_> = traces.files.iter().map(|trace| trace.process(ending(trace.facts().pid))).collect();
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
    if edges.exact {
        assert_eq!(edges.execution.edges, values.execution.edges);
        assert_eq!(edges.execution.pieces, values.execution.pieces);
    }
    assert!(edges.execution.trajectories.iter().all(|hash| *hash == 0));
    assert!(values.execution.trajectories.iter().any(|hash| *hash != 0));
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
