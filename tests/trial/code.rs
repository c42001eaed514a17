//! Code mutants, alone and together: both executors see the same, and what they see is what the change in the source would show.

use suspect::program::{OperationKind, Operator, Program};
use suspect::trial::{Change, Executor, Executors, Mutant, Override, Setup, Site, TestTrials, Worker, budget};
use suspect_format::abi::Mode;
use suspect_format::site::{Exit, guard};

use crate::support::{Dice, FILES, Project, SUSPECT, run_all, source, state_of, undisturbed, worker};

/// Programs with tests, the hostile ones included.
const SUBJECTS: [(&str, &[&str]); 4] = [
    ("words.c", &["./prog", "./prog - < words.txt", "./prog none.txt"]),
    ("greedy.c", &["./prog"]),
    ("vandal.c", &["./prog < words.txt"]),
    ("jumps.c", &["./prog < pairs.txt"]),
];

/// Programs whose mutants read and write outside of objects, where frames of other functions are. How these look depends on which functions
/// have a mutant of their own pending: only where all run in one version executors must agree.
const FRAMES: [(&str, &[&str]); 3] = [("reader.c", &["./prog"]), ("wild.c", &["./prog"]), ("numbers.c", &["./prog 4"])];

/// Something that can be changed about an operation.
fn changed(program: &Program, operation: u32, dice: &mut Dice) -> Option<Override> {
    let one = &program.operations[operation as usize];
    let operand = |dice: &mut Dice| [0, 1, 2, u64::MAX, 1 << 31, dice.roll(300)][dice.roll(6) as usize];
    let of_value = |dice: &mut Dice| match dice.roll(5) {
        0 => Change::Negate,
        1 => Change::Complement,
        2 => Change::Flip,
        3 => Change::Add(1),
        _ => Change::Set(operand(dice)),
    };
    let change = match one.kind {
        OperationKind::Binary { operator, .. } => match dice.roll(6) {
            0 => Change::Left(operand(dice)),
            1 => Change::Right(operand(dice)),
            2 => of_value(dice),
            _ => {
                let like = |other: &&Operator| {
                    (other.is_float(), other.is_comparison()) == (operator.is_float(), operator.is_comparison())
                        || !operator.is_comparison() && other.token().is_empty()
                };
                let others: Vec<&Operator> = Operator::ALL.iter().filter(like).collect();
                Change::Operator(*others[dice.roll(others.len() as u64) as usize])
            }
        },
        OperationKind::Step { .. }
        | OperationKind::Subscript { .. }
        | OperationKind::Argument { .. }
        | OperationKind::Passed { .. } => of_value(dice),
        OperationKind::Unary { .. } if dice.roll(2) == 0 => of_value(dice),
        OperationKind::Unary { .. } => Change::Operator(Operator::First),
        OperationKind::Logical { .. } => Change::Choose(1 + dice.roll(3) as u32),
        OperationKind::Pointer | OperationKind::Number { .. } | OperationKind::Bounded { .. } => {
            let is_pointer = one.kind == OperationKind::Pointer;
            let condition = if is_pointer { guard::ZERO } else { guard::ALL[dice.roll(3) as usize] };
            // Where the function has none of this number, that is returned.
            let exit = match dice.roll(2) {
                0 => Exit::Returned(dice.roll(2) as i64),
                _ => Exit::Consequence(dice.roll(4) as u32),
            };
            Change::Left(guard::answer(condition, exit)?)
        }
        OperationKind::Consequence { .. } | OperationKind::Donor { .. } => return None,
        OperationKind::Statement { .. } | OperationKind::If => Change::Choose(1),
        OperationKind::Assign { is_float, .. } => {
            use Operator::*;
            let others = if is_float { [FloatAdd, FloatSub, FloatMul] } else { [Add, Or, Mul] };
            Change::Operator(others[dice.roll(3) as usize])
        }
        OperationKind::Member { .. } => Change::Add(0),
        OperationKind::Called { .. } => {
            Change::Choose(*one.others.get(dice.roll(one.others.len().max(1) as u64) as usize)?)
        }
        OperationKind::Read { .. } => {
            let others = &one.others;
            match dice.roll(4) {
                0 => Change::StepBefore(1),
                1 => Change::StepAfter(u64::MAX),
                _ => Change::Choose(*others.get(dice.roll(others.len().max(1) as u64) as usize)?),
            }
        }
        OperationKind::Whole { .. } => {
            return Some(Override { site: Site::Node(one.node?), instance: 0, change: of_value(dice) });
        }
    };
    let instance = if dice.roll(5) == 0 { 1 + dice.roll(4) } else { 0 };
    Some(Override { site: Site::Operation(operation), instance, change })
}

/// Mutants of orders 1 to 3 of all operations.
fn mutants(program: &Program, count: usize, dice: &mut Dice) -> Vec<Mutant> {
    // Donors are changes of statements.
    let is_site = |at: &u32| !matches!(program.operations[*at as usize].kind, OperationKind::Donor { .. });
    let operations: Vec<u32> = (0..program.operations.len() as u32).filter(is_site).collect();
    let n_operations = operations.len() as u64;
    let mut all = Vec::new();
    while all.len() < count {
        let first = all.len() as u64 % n_operations;
        let order = [1, 1, 1, 2, 3][dice.roll(5) as usize];
        let mut sites = vec![first];
        sites.extend((1..order).map(|_| dice.roll(n_operations)));
        let overrides: Vec<Override> =
            sites.into_iter().filter_map(|site| changed(program, operations[site as usize], dice)).collect();
        all.push(Mutant { overrides: overrides.into() });
    }
    all
}

fn compare(mode: Mode, source_name: &str, tests: &[&str], count: usize) -> (usize, usize, usize) {
    let modes = if mode == Mode::Mutants { "trace,mutants" } else { "trace" };
    let project = Project::with_modes(modes, &source(source_name), tests, &FILES);
    assert!(!project.program.operations.is_empty());
    let before = state_of(&project.root());
    let mut worker = worker();
    let (mut ran, mut forked, mut applied, mut wrong) = (0, 0, 0, Vec::new());
    for test in 0..tests.len() {
        let trials: TestTrials = project.prepare_output(&mut worker, test).unwrap();
        assert_eq!((trials.executor(), trials.mode()), ((Executor::Fork, None), mode), "{source_name}");
        let all = mutants(&project.program, count, &mut Dice(11 + test as u64));
        let budget = budget(trials.longest(), false);
        let trees = run_all(&trials, &mut worker, &all, Executors::Exec, budget);
        let forks = run_all(&trials, &mut worker, &all, Executors::Fork, budget);
        for ((one, tree), mut fork) in all.iter().zip(&trees).zip(forks) {
            forked += usize::from(fork.executor != Executor::Exec);
            applied += usize::from(tree.applied);
            fork.executor = tree.executor;
            if *tree != fork {
                let kinds: Vec<String> = one
                    .overrides
                    .iter()
                    .map(|one| match one.site {
                        Site::Operation(at) => {
                            let at = &project.program.operations[at as usize];
                            format!("{:?} at {}:{}", at.kind, at.place.line, at.place.column)
                        }
                        Site::Node(_) => "node".into(),
                    })
                    .collect();
                wrong.push(format!("{one:?}\n{kinds:?}\n{tree:?}\n{fork:?}"));
            }
        }
        ran += all.len();
    }
    assert!(wrong.is_empty(), "{source_name}: {} of {ran}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(state_of(&project.root()) == before, "{source_name}: the project has changed");
    (ran, forked, applied)
}

#[test]
fn executors_agree_on_code_mutants_of_every_kind_and_order() {
    let _undisturbed = undisturbed();
    let all = SUBJECTS.into_iter().map(|(name, tests)| (Mode::Mutants, name, tests));
    for (mode, name, tests) in all.chain(FRAMES.into_iter().map(|(name, tests)| (Mode::Trace, name, tests))) {
        let began = std::time::Instant::now();
        let (ran, forked, applied) = compare(mode, name, tests, 300);
        eprintln!("{name}: {ran} mutants, {forked} forked, {applied} applied, {:?}", began.elapsed());
        assert!(forked * 2 > ran && applied * 4 > ran, "{name}: {forked} and {applied} of {ran}");
    }
}

#[test]
fn the_reference_decides_where_only_a_whole_run_tells_whether_a_test_passes() {
    let source = r#"
#include <stdio.h>
static int twice(int x) { return 2 * x; }
int main(void)
{
    puts("1..1");
    puts(twice(4) == 8 ? "ok 1" : "not ok 1");
    printf("twice %d\n", twice(3) - 1);
    return 0;
}
"#;
    let config = "[[suite]]\nkind = \"command\"\nrun = \"./prog\"\nresult = \"tap\"\n";
    let project = Project::with_suite(source, config, &[]);
    let mut worker = worker();
    let trials = project.prepare_output(&mut worker, 0).unwrap();
    assert_eq!((trials.executor(), trials.mode()), ((Executor::Fork, None), Mode::Trace));
    let operation = |operator: Operator| {
        let is = |one: &suspect::program::Operation| matches!(one.kind, OperationKind::Binary { operator: found, .. } if found == operator);
        project.program.operations.iter().position(is).unwrap() as u32
    };
    let mutant = |operation, operator| {
        Mutant::from(Override { site: Site::Operation(operation), instance: 0, change: Change::Operator(operator) })
    };
    let (times, minus) = (operation(Operator::Mul), operation(Operator::Sub));
    // Killed, seen but not killed, the same.
    let all = [mutant(times, Operator::Add), mutant(minus, Operator::Add), mutant(minus, Operator::Sub)];
    let budget = budget(trials.longest(), false);
    let passes = |executors| -> Vec<(Option<bool>, bool)> {
        let seen =
            run_all(&trials, &mut Worker::start(&Setup::with_executable(SUSPECT)).unwrap(), &all, executors, budget);
        seen.iter().map(|one| (one.passes, one.output_changed)).collect()
    };
    assert_eq!(passes(Executors::Fork), [(None, true), (None, true), (Some(true), false)]);
    let decided = [(Some(false), true), (Some(true), true), (Some(true), false)];
    assert_eq!((&passes(Executors::Decided)[..], &passes(Executors::Exec)[..]), (&decided[..], &decided[..]));
}
