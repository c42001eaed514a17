//! How many trials a second each executor runs, and what a plain start of the uninstrumented program costs beside them.
//!
//! `cargo bench --bench trials` builds the programs of the tests twice, runs the same overrides by both executors in turns, and prints
//! a row for each program and what is watched. Ratios are within one run of the bench: of wall-clock time, the quickest turn of each, and of
//! what all processes have computed, which other jobs disturb less.

use std::collections::HashMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use suspect::program::{OperationKind, Operator, Program};
use suspect::suite::{RunContext, Suite};
use suspect::trace::{ModuleFile, sections};
use suspect::trial::{Change, Executor, Executors, Mutant, Override, Setup, Site, TestTrials, Watched, Worker, budget};
use suspect_format::abi::SECTION_SITES;

const SUSPECT: &str = env!("CARGO_BIN_EXE_suspect");

/// Program, its arguments, what it reads.
const PROGRAMS: [(&str, &str, &str); 4] = [
    ("words.c", "words.txt", "the cat and the dog\nsaw the other cat\nand ran\n"),
    ("numbers.c", "5", ""),
    ("wild.c", "", ""),
    ("jumps.c", "< pairs.txt", "one 1\nthree 3\nfour 4\nseven 7\nfifteen 15\nnone 0\nmore 12\nend -1\n"),
];

/// Turns, of which the quickest counts.
const TURNS: usize = 5;
/// Trials in each.
const TRIALS: usize = 600;

fn main() {
    println!(
        "| program | watched | own time, us | plain starts/s | exec trials/s | plan trials/s | plan / exec | plan / plain \
         | plain CPU us | exec CPU us | plan CPU us | exec / plan | plain / plan | in place |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    let mut worker = Worker::start(&Setup::with_executable(SUSPECT)).unwrap();
    let only = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    for (source, arguments, text) in PROGRAMS.into_iter().filter(|row| only.as_ref().is_none_or(|only| only == row.0)) {
        rows(&mut worker, source, arguments, text);
    }
}

fn rows(worker: &mut Worker, source: &str, arguments: &str, text: &str) {
    let project = tempfile::tempdir().unwrap();
    let root = project.path().canonicalize().unwrap();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/trial/programs").join(source);
    fs::copy(from, root.join("prog.c")).unwrap();
    for name in ["words.txt", "pairs.txt"] {
        fs::write(root.join(name), text).unwrap();
    }
    fs::write(root.join("tests.txt"), format!("./prog {arguments}\n")).unwrap();
    let config = "[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"{line}\"\n";
    fs::write(root.join("suspect.toml"), config).unwrap();
    compile(&root, SUSPECT, &["build", "--modes", "trace,mutants", "--", "cc", "-O1", "-o", "prog", "prog.c", "-lm"]);
    compile(&root, "clang-19", &["-O1", "-w", "-o", "plain", "prog.c", "-lm"]);
    let file = ModuleFile::open(&root.join("prog")).unwrap();
    let tables = sections(file.bytes(), SECTION_SITES).unwrap();
    let program =
        Program::from_sections(tables.into_iter().map(|table| ("prog", table)), &root.to_string_lossy()).unwrap();
    let suite = Suite::load(&root).unwrap();
    let test = &suite.tests()[0];
    let scratch = suspect::exec::ScratchRoot::new().unwrap();
    let verdict = suite
        .run_test(
            test,
            &RunContext { env: &[], scratch: &scratch, timeout: None, large_stack: false, interruptible: false },
        )
        .unwrap()
        .verdict;
    let own = own_time(&root, arguments);
    for watched in [Watched::Nodes, Watched::Output] {
        let trials = TestTrials::prepare(worker, &suite, test, verdict, &program, watched).unwrap();
        assert_eq!(trials.executor(), (Executor::Fork, None), "{source}");
        let budget = budget(trials.longest(), false);
        let mutants = match watched {
            Watched::Nodes => mutants(&trials, &program),
            Watched::Output => code_mutants(&program),
        };
        let (mut least, mut ticks, mut in_place) = ([Duration::MAX; 3], [0; 3], 0.0);
        for _ in 0..TURNS {
            for (at, executors) in [None, Some(Executors::Exec), Some(Executors::Fork)].into_iter().enumerate() {
                let before = descendants_ticks();
                let time = match executors {
                    None => plain(&root, arguments),
                    Some(executors) => {
                        let (time, share) = run(&trials, worker, &mutants, executors, budget);
                        in_place = share;
                        time
                    }
                };
                least[at] = time.min(least[at]);
                ticks[at] += descendants_ticks() - before;
            }
        }
        let started = [TRIALS, mutants.len(), mutants.len()].map(|n| n as f64);
        let [plain, exec, plan] = [0, 1, 2].map(|at| started[at] / least[at].as_secs_f64());
        let cpu = [0, 1, 2].map(|at| ticks[at] as f64 / TICKS * 1e6 / started[at] / TURNS as f64);
        println!(
            "| {source} | {watched:?}, {} | {own:.0} | {plain:.0} | {exec:.0} | {plan:.0} | {:.2} | {:.2} \
             | {:.0} | {:.0} | {:.0} | {:.2} | {:.2} | {in_place:.2} |",
            trials.mode().name(),
            plan / exec,
            plan / plain,
            cpu[0],
            cpu[1],
            cpu[2],
            cpu[1] / cpu[2],
            cpu[0] / cpu[2]
        );
    }
}

/// Clock ticks of Linux in a second.
const TICKS: f64 = 100.0;

/// Clock ticks for which all processes that this one has started, and those started by them, have computed.
fn descendants_ticks() -> u64 {
    let times = |stat: &str| -> Option<(u32, [u64; 4])> {
        let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
        let time = |at: usize| fields.get(at)?.parse().ok();
        Some((fields.get(1)?.parse().ok()?, [time(11)?, time(12)?, time(13)?, time(14)?]))
    };
    let own = std::process::id();
    let mut all = HashMap::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        if let Some(id) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok())
            // One that has ended meanwhile has told its parent.
            && let Some(found) = fs::read_to_string(entry.path().join("stat")).ok().as_deref().and_then(times)
        {
            all.insert(id, found);
        }
    }
    let is_ours = |mut id: u32| {
        while let Some((parent, _)) = all.get(&id)
            && id != own
        {
            id = *parent;
        }
        id == own
    };
    let of = |(id, (_, times)): (&u32, &(u32, [u64; 4]))| match *id == own {
        true => times[2] + times[3],
        false => times.iter().sum(),
    };
    all.iter().filter(|(id, _)| is_ours(**id)).map(of).sum()
}

fn compile(root: &Path, program: &str, arguments: &[&str]) {
    let output = Command::new(program).args(arguments).current_dir(root).output().unwrap();
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Mutants of one override each, about as many of each node.
fn mutants(trials: &TestTrials, program: &Program) -> Vec<Mutant> {
    let takes_numbers = |node: &&u32| {
        use suspect::program::ValueClass::{FunctionPointer, Pointer, String};
        !matches!(program.nodes[**node as usize].class, FunctionPointer | Pointer | String)
    };
    let nodes: Vec<u32> = trials.oracle().nodes().iter().filter(takes_numbers).copied().collect();
    let mut all = Vec::new();
    for round in 0..TRIALS as u64 {
        let node = nodes[round as usize % nodes.len()];
        let width = program.nodes[node as usize].width.min(63);
        let change = match round / nodes.len() as u64 % 3 {
            0 => Change::Add(1),
            1 => Change::Negate,
            _ => Change::Set((round * 7919) & ((1 << width) - 1)),
        };
        all.push(Override { site: Site::Node(node), instance: 0, change }.into());
    }
    all
}

/// Code mutants of one change each, of all operations in turn: other operators, other branches, statements left out.
fn code_mutants(program: &Program) -> Vec<Mutant> {
    let change = |operation: u32, round: usize| {
        let one = &program.operations[operation as usize];
        let change = match one.kind {
            OperationKind::Binary { operator, .. } => {
                let like = |other: &&Operator| {
                    (other.is_float(), other.is_comparison()) == (operator.is_float(), operator.is_comparison())
                };
                Change::Operator(*Operator::ALL.iter().filter(like).cycle().nth(round)?)
            }
            OperationKind::Step { .. }
            | OperationKind::Subscript { .. }
            | OperationKind::Argument { .. }
            | OperationKind::Passed { .. }
            | OperationKind::Unary { .. }
            | OperationKind::Assign { .. }
            | OperationKind::Pointer
            | OperationKind::Number { .. }
            | OperationKind::Bounded { .. }
            | OperationKind::Member { .. } => Change::Add(round as u64 + 1),
            OperationKind::Logical { .. } | OperationKind::Statement { .. } | OperationKind::If => Change::Choose(1),
            OperationKind::Read { .. } | OperationKind::Called { .. } => Change::Choose(*one.others.get(round)?),
            OperationKind::Whole { .. } | OperationKind::Consequence { .. } | OperationKind::Donor { .. } => {
                return None;
            }
        };
        Some(Override { site: Site::Operation(operation), instance: 0, change }.into())
    };
    let all = 0..program.operations.len() as u32;
    (0..10).flat_map(|round| all.clone().filter_map(move |operation| change(operation, round))).take(TRIALS).collect()
}

/// Runs them all; how long that takes, and which part of those that are not the test's own run its process ran itself.
fn run(trials: &TestTrials, worker: &mut Worker, all: &[Mutant], executors: Executors, budget: u64) -> (Duration, f64) {
    let started = Instant::now();
    let (mut seen, mut applied, mut in_place) = (0, 0, 0);
    let mut look = |_, observation: suspect::trial::Observation| {
        seen += 1;
        applied += usize::from(observation.applied);
        in_place += usize::from(observation.executor == Executor::InPlace);
        ControlFlow::Continue(())
    };
    trials.run(worker, all, executors, budget, &mut look).unwrap();
    assert_eq!(seen, all.len());
    (started.elapsed(), in_place as f64 / applied.max(1) as f64)
}

/// As many plain starts of the uninstrumented program, one after another.
fn plain(root: &Path, arguments: &str) -> Duration {
    let started = Instant::now();
    for _ in 0..TRIALS {
        start(root, arguments);
    }
    started.elapsed()
}

fn start(root: &Path, arguments: &str) {
    let mut command = Command::new(root.join("plain"));
    command.current_dir(root).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match arguments.strip_prefix("< ") {
        Some(input) => {
            command.stdin(fs::File::open(root.join(input)).unwrap());
        }
        None => {
            command.args(arguments.split_whitespace());
        }
    }
    command.status().unwrap();
}

/// Microseconds by which a start of the program is dearer than one of a program that does nothing.
fn own_time(root: &Path, arguments: &str) -> f64 {
    fs::write(root.join("nothing.c"), "int main(void) { return 0; }\n").unwrap();
    compile(root, "clang-19", &["-O1", "-w", "-o", "nothing", "nothing.c", "-lm"]);
    let time = |name: &str| {
        let began = Instant::now();
        let mut command = Command::new(root.join(name));
        command.current_dir(root).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if let Some(input) = arguments.strip_prefix("< ") {
            command.stdin(fs::File::open(root.join(input)).unwrap());
        } else {
            command.args(arguments.split_whitespace());
        }
        command.status().unwrap();
        began.elapsed()
    };
    let least = |name: &str| (0..200).map(|_| time(name)).min().unwrap_or_default();
    (least("plain").as_secs_f64() - least("nothing").as_secs_f64()).max(0.0) * 1e6
}
