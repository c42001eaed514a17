//! Patched, guided and altered runs of real processes with hand-made hooks.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::OnceLock;
use std::time::Duration;
use std::{fs, str};

use suspect::trial::{Answered, Guide, Place, Plan, Replaced, Turned};
use suspect_format::external::{INDIRECT, UNKNOWN, number};
use suspect_format::plan::{
    Divergence, Ended, NO_ARGUMENT, OTHER_WAY, Point, WHEN_AFTER, WHEN_BEFORE, WHEN_CALLED, Watched,
};
use tempfile::TempDir;

const MAIN: u32 = 0x4444_4444;
/// The steps of the function that is recorded, before its first decision: setting x, y, z, and the decision.
const SET_Z: Point = Point { decisions: [0, 0], steps: [2, 2] };
const FIRST_BRANCH: Point = Point { decisions: [0, 0], steps: [3, 3] };
/// After the second decision.
const PRINT: Point = Point { decisions: [2, 2], steps: [1, 1] };

fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
}

/// The program, always at the same addresses, and those of its variables x, y and z.
fn program() -> &'static (PathBuf, [u64; 3]) {
    static BUILT: OnceLock<(PathBuf, [u64; 3])> = OnceLock::new();
    BUILT.get_or_init(|| {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("replay");
        fs::create_dir_all(&directory).unwrap();
        let out = format!("OUT={}", directory.display());
        run(Command::new("make").args(["-s", "-f"]).arg(here.join("Makefile")).args(["all", &out]));
        let to = directory.join("replay");
        let mut command = Command::new("clang-19");
        command.args([
            "-O1",
            "-g",
            "-no-pie",
            "-Wall",
            "-Werror",
            "-Wno-nonnull",
            "-Wno-unused-function",
            "-fno-builtin",
        ]);
        command.args([format!("-DUNKNOWN={UNKNOWN}u"), format!("-DINDIRECT={INDIRECT}u")]);
        for name in
            ["strcpy", "memcpy", "qsort", "sscanf", "stat", "longjmp", "sigaction", "fork", "vfork", "pthread_create"]
        {
            command.arg(format!("-D{}={}", name.to_uppercase(), number(name).unwrap()));
        }
        command.arg(directory.join("suspect_rt.o")).arg(here.join("tests/recording.c")).arg("-pthread");
        command.arg(directory.join("suspect_rt_end.o")).arg("-o").arg(&to);
        run(&mut command);
        let names = Command::new("nm").arg(&to).output().unwrap().stdout;
        let address = |name: &str| {
            let line =
                str::from_utf8(&names).unwrap().lines().find(|line| line.ends_with(&format!(" B {name}"))).unwrap();
            u64::from_str_radix(line.split(' ').next().unwrap(), 16).unwrap()
        };
        let addresses = ["x", "y", "z"].map(address);
        (to, addresses)
    })
}

/// The two runs: 4 > 3 takes x away, 6 does not.
const RUNS: [[&str; 3]; 2] = [["5", "4", "3"], ["5", "2", "6"]];

fn word(address: u64) -> Watched {
    Watched { address, length: 8, argument: NO_ARGUMENT }
}

fn bytes(number: u64) -> Vec<u8> {
    number.to_ne_bytes().to_vec()
}

/// A plan with one patch, and x looked at where it is printed.
fn plan(cause: Point, patch: &[(u64, u64)]) -> Plan<'static> {
    let (_, [x, ..]) = program();
    Plan {
        cause: Some(cause),
        effect: Some((Place::Point(PRINT), WHEN_BEFORE)),
        watched: vec![word(*x)],
        tests: vec![patch.iter().map(|(address, number)| (*address, bytes(*number))).collect()],
        ..Plan::default()
    }
}

struct Replayed {
    answers: Vec<Answered>,
    status: ExitStatus,
    directory: TempDir,
}

impl Replayed {
    fn ended(&self) -> Ended {
        self.answers[0].ended
    }

    /// The words that were looked at in the only test.
    fn words(&self) -> Vec<u64> {
        assert_eq!(self.ended(), Ended::Effect);
        self.answers[0].watched.iter().map(|bytes| u64::from_ne_bytes(bytes[..].try_into().unwrap())).collect()
    }
}

fn replayed_as(what: &str, arguments: [&str; 3], plan: &Plan, test: Option<usize>, record: bool) -> Replayed {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("plan");
    plan.write(&path, test, Duration::from_millis(500)).unwrap();
    let mut command = Command::new(&program().0);
    command.arg(what).args(arguments).env("SUSPECT_RECORD", "record").env("SUSPECT_PLAN", &path);
    if record {
        fs::create_dir(directory.path().join("out")).unwrap();
        command.env("SUSPECT_OUT", directory.path().join("out"));
    }
    let status = command.stderr(std::process::Stdio::null()).status().unwrap();
    let answers = plan.read(&path).unwrap().into_iter().map(Option::unwrap).collect();
    Replayed { answers, status, directory }
}

fn replayed(arguments: [&str; 3], plan: &Plan) -> Replayed {
    replayed_as("figure", arguments, plan, Some(0), false)
}

#[test]
fn a_patch_is_written_at_its_point_and_nowhere_else() {
    let [x, y, z] = program().1;
    assert_eq!(replayed(RUNS[0], &plan(SET_Z, &[])).words(), [0], "without patches it is the run itself");
    assert_eq!(replayed(RUNS[0], &plan(SET_Z, &[(y, 1)])).words(), [5], "y is set by then, and decides");
    assert_eq!(replayed(RUNS[0], &plan(SET_Z, &[(z, 9)])).words(), [0], "z is set after it");
    assert_eq!(replayed(RUNS[0], &plan(FIRST_BRANCH, &[(z, 9), (x, 77)])).words(), [77]);
    let late = Point { decisions: [1, 1], steps: [1, 1] };
    let mut late = plan(late, &[(x, 6)]);
    late.effect = Some((Place::Point(Point { decisions: [1, 1], steps: [2, 2] }), WHEN_BEFORE));
    assert_eq!(replayed(RUNS[0], &late).words(), [6], "cause and effect after one decision");
}

#[test]
fn the_effect_is_looked_at_before_its_step_when_it_calls_or_after_it() {
    let [x, y, _] = program().1;
    let mut plan = plan(SET_Z, &[]);
    plan.watched = vec![word(y)];
    let at_way = Point { decisions: [2, 2], steps: [0, 0] };
    plan.effect = Some((Place::Point(at_way), WHEN_BEFORE));
    assert_eq!(replayed(RUNS[0], &plan).words(), [4]);
    plan.effect = Some((Place::Point(at_way), WHEN_AFTER));
    assert_eq!(replayed(RUNS[0], &plan).words(), [404], "after the step");

    plan.effect = Some((Place::Point(PRINT), WHEN_CALLED));
    plan.watched = vec![word(x), Watched { address: 1, length: 3, argument: 1 }];
    let called = replayed(RUNS[1], &plan);
    let answer = &called.answers[0];
    assert_eq!((answer.ended, answer.arguments.len(), &answer.arguments[2..]), (Ended::Effect, 4, &[5, 202][..]));
    assert_eq!(answer.watched[1], b"ld ", "what an argument points to");

    // The second decision: its way is known after the step.
    plan.watched.clear();
    plan.effect = Some((Place::Point(Point { decisions: [1, 1], steps: [3, 3] }), WHEN_AFTER));
    assert_eq!(replayed(RUNS[0], &plan).answers[0].outcome, Some(4));
    assert_eq!(replayed(RUNS[1], &plan).answers[0].outcome, None, "one step fewer: the step is the next one's");
}

#[test]
fn an_effect_can_be_given_by_its_function_and_step() {
    let [_, y, _] = program().1;
    let mut plan = plan(SET_Z, &[(y, 1)]);
    let step = |step: u32, count: u32| Some((Place::Step { function: MAIN, step, count }, WHEN_BEFORE));
    plan.effect = step(16, 1);
    assert_eq!(replayed(RUNS[0], &plan).words(), [5]);
    plan.effect = step(14, 2);
    assert_eq!(replayed(RUNS[0], &plan).ended(), Ended::Patched, "it is not begun so often");
}

fn guide(directory: &Path) -> Guide {
    // Ways of the decisions: whether y > z, and y % 5. The first parts the runs.
    let divergences = [Divergence { at: [0, 0], arms: [0, 0], decided: 1, reserved: 0 }];
    Guide::write(&directory.join("guide"), [&[1, 4], &[0, 4]], &divergences).unwrap()
}

#[test]
fn guard_rails_force_what_both_runs_decided_alike() {
    let [_, y, _] = program().1;
    let directory = TempDir::new().unwrap();
    let guide = guide(directory.path());
    let mut plan = plan(FIRST_BRANCH, &[(y, 1)]);
    plan.guide = Some(&guide);
    // By itself y % 5 would be 1 then.
    plan.watched.push(word(y));
    assert_eq!(replayed(RUNS[0], &plan).words(), [5, 401], "forced to the fourth way");
    plan.effect = Some((Place::Point(PRINT), WHEN_CALLED));
    let called = replayed(RUNS[0], &plan);
    assert_eq!((called.answers[0].arguments[3], called.answers[0].decisions), (401, [2, 2]));
    assert_eq!(called.status.code(), Some(0), "the process ends there");
    // A process whose decisions before the cause are not its run's is not the one that was recorded.
    plan.cause = Some(Point { decisions: [2, 2], steps: [0, 0] });
    assert_eq!(replayed(RUNS[1], &plan).ended(), Ended::Parted);
    plan.side = 1;
    assert_eq!(replayed(["5", "4", "6"], &plan).ended(), Ended::Effect);
}

#[test]
fn a_way_that_neither_run_went_is_confounded() {
    let [_, y, _] = program().1;
    let directory = TempDir::new().unwrap();
    let divergences = [Divergence { at: [1, 1], arms: [0, 0], decided: 1, reserved: 0 }];
    let guide = Guide::write(&directory.path().join("guide"), [&[1, 4], &[1, 2]], &divergences).unwrap();
    let mut plan = plan(FIRST_BRANCH, &[(y, 8)]);
    plan.guide = Some(&guide);
    assert_eq!(replayed(RUNS[0], &plan).ended(), Ended::Confounded);
    plan.tests = vec![vec![(y, bytes(7))]];
    assert_eq!(replayed(RUNS[0], &plan).ended(), Ended::Effect);
    let short = Guide::write(&directory.path().join("short"), [&[1], &[1]], &[]).unwrap();
    plan.guide = Some(&short);
    assert_eq!(replayed(RUNS[0], &plan).ended(), Ended::Desync, "more decisions than the runs have");
}

#[test]
fn one_decision_is_switched_and_the_run_goes_on_and_is_recorded() {
    let mut plan = Plan { switched: Some((1, 3)), ..Plan::default() };
    let switched = replayed_as("figure", RUNS[0], &plan, Some(0), true);
    assert_eq!((switched.ended(), switched.status.code()), (Ended::Nowhere, Some(4)));
    assert_eq!(fs::read_dir(switched.directory.path().join("out")).unwrap().count(), 1);
    plan.switched = Some((0, 0));
    plan.effect = Some((Place::Point(PRINT), WHEN_BEFORE));
    plan.watched = vec![word(program().1[0])];
    assert_eq!(replayed(RUNS[0], &plan).ended(), Ended::Nowhere, "without a cause there is no effect to come");
}

#[test]
fn each_decision_of_a_step_goes_the_way_that_is_asked_for() {
    let evens = |function: u32, step: u32, way: u32| {
        let plan = Plan { turned: Some(Turned { function, step, way }), ..Plan::default() };
        replayed_as("evens", ["5", "", ""], &plan, Some(0), true).status.code().unwrap()
    };
    assert_eq!([evens(MAIN, 20, 0), evens(MAIN, 20, 1), evens(MAIN, 20, OTHER_WAY)], [35, 30, 32]);
    assert_eq!([evens(MAIN, 21, 0), evens(MAIN, 21, 1), evens(MAIN, 21, OTHER_WAY)], [53, 3, 23]);
    assert_eq!([evens(MAIN, 22, 0), evens(MAIN + 1, 20, 0)], [33, 33], "no such step, or of another function");
}

#[test]
fn a_run_whose_decisions_are_all_turned_can_be_patched_under_guard_rails() {
    let [x, y, _] = program().1;
    let directory = TempDir::new().unwrap();
    let divergences = [Divergence { at: [1, 1], arms: [0, 0], decided: 1, reserved: 0 }];
    let guide = Guide::write(&directory.path().join("guide"), [&[1, 2], &[1, 4]], &divergences).unwrap();
    let mut plan = plan(FIRST_BRANCH, &[(y, 7)]);
    plan.watched = vec![word(x), word(y)];
    (plan.guide, plan.turned) = (Some(&guide), Some(Turned { function: MAIN, step: 15, way: 2 }));
    assert_eq!(replayed(RUNS[0], &plan).words(), [0, 207]);
    plan.cause = Some(Point { decisions: [2, 2], steps: [0, 0] });
    plan.tests = vec![Vec::new()];
    assert_eq!(replayed(RUNS[0], &plan).words(), [0, 204], "it is the run that was recorded");
    plan.turned = None;
    assert_eq!(replayed(RUNS[0], &plan).ended(), Ended::Parted, "without the turn it is another run");
}

#[test]
fn a_switched_run_can_be_patched_under_guard_rails() {
    let [x, y, _] = program().1;
    let directory = TempDir::new().unwrap();
    // The first run with its second decision switched, and the first run: they part there.
    let divergences = [Divergence { at: [1, 1], arms: [0, 0], decided: 1, reserved: 0 }];
    let guide = Guide::write(&directory.path().join("guide"), [&[1, 2], &[1, 4]], &divergences).unwrap();
    let mut plan = plan(FIRST_BRANCH, &[]);
    plan.watched = vec![word(x), word(y)];
    (plan.guide, plan.switched) = (Some(&guide), Some((1, 2)));
    assert_eq!(replayed(RUNS[0], &plan).words(), [0, 204], "it goes the switched way and keeps in step");
    plan.tests = vec![vec![(y, bytes(7))]];
    assert_eq!(replayed(RUNS[0], &plan).words(), [0, 207], "the way is not what y says");
    plan.side = 1;
    plan.switched = None;
    assert_eq!(replayed(RUNS[0], &plan).words(), [0, 207], "the other run's process takes it by itself");
    plan.cause = Some(Point { decisions: [2, 2], steps: [0, 0] });
    assert_eq!(replayed(RUNS[0], &plan).ended(), Ended::Effect);
    plan.side = 0;
    assert_eq!(replayed(RUNS[0], &plan).ended(), Ended::Parted, "without the switch it is another run");
    plan.switched = Some((1, 2));
    assert_eq!(replayed(RUNS[0], &plan).ended(), Ended::Effect);
}

#[test]
fn a_value_is_replaced_and_the_run_goes_on_and_is_recorded_or_patched() {
    let [x, y, z] = program().1;
    let replaced = |at: Point, address: u64, bits: u64| Some(Replaced { at, address, bits, length: 8 });
    let y_is_1 = replaced(SET_Z, y, 1);
    let alone = Plan { replaced: y_is_1, ..Plan::default() };
    let run = replayed_as("figure", RUNS[0], &alone, Some(0), true);
    assert_eq!((run.ended(), run.status.code()), (Ended::Nowhere, Some(1)), "1 % 5");
    assert_eq!(fs::read_dir(run.directory.path().join("out")).unwrap().count(), 1);

    let mut plan = plan(FIRST_BRANCH, &[]);
    plan.replaced = y_is_1;
    assert_eq!(replayed(RUNS[0], &plan).words(), [5], "y is 1 before the cause point");
    plan.tests = vec![vec![(z, bytes(0))]];
    assert_eq!(replayed(RUNS[0], &plan).words(), [0], "and is compared with the patch");
    plan.replaced = replaced(FIRST_BRANCH, y, 1);
    plan.tests = vec![vec![(y, bytes(9))]];
    assert_eq!(replayed(RUNS[0], &plan).words(), [0], "at one point the patch comes last");
    plan.replaced = Some(Replaced { at: SET_Z, address: y, bits: 0xff01, length: 1 });
    (plan.tests, plan.watched) = (vec![vec![]], vec![word(x), word(y)]);
    assert_eq!(replayed(RUNS[0], &plan).words(), [5, 101], "as many bytes as it has");
    plan.replaced = replaced(SET_Z, 8, 1);
    assert_eq!(replayed(RUNS[0], &plan).ended(), Ended::NoMemory);
}

#[test]
fn what_cannot_be_patched_or_reached_is_said() {
    assert_eq!(replayed(RUNS[0], &plan(SET_Z, &[(8, 1)])).ended(), Ended::NoMemory);
    let never = Point { decisions: [9, 9], steps: [0, 0] };
    assert_eq!(replayed(RUNS[0], &plan(never, &[])).ended(), Ended::Nowhere);
    let mut unreached = plan(SET_Z, &[]);
    unreached.effect = Some((Place::Point(never), WHEN_BEFORE));
    let unreached = replayed(RUNS[0], &unreached);
    assert_eq!((unreached.ended(), unreached.status.code()), (Ended::Patched, Some(4)));
    let mut nowhere = plan(SET_Z, &[]);
    nowhere.watched = vec![word(8)];
    assert_eq!(replayed(RUNS[0], &nowhere).ended(), Ended::NoMemory);
}

#[test]
fn all_tests_of_a_plan_are_forked_where_they_begin() {
    let [_, y, z] = program().1;
    let mut plan = plan(FIRST_BRANCH, &[]);
    let patches = [vec![], vec![(y, 1)], vec![(z, 9)], vec![(y, 1000)], vec![(y, 2000)], vec![(9, 9)], vec![(y, 2)]];
    plan.tests = patches.iter().map(|test| test.iter().map(|(at, number)| (*at, bytes(*number))).collect()).collect();
    let all = replayed_as("figure", RUNS[0], &plan, None, false);
    let ends: Vec<Ended> = all.answers.iter().map(|answer| answer.ended).collect();
    use Ended::{Effect, Left, NoMemory, TimedOut};
    assert_eq!(ends, [Effect, Effect, Effect, TimedOut, Left, NoMemory, Effect]);
    assert_eq!(all.answers[4].status & 0x7f, 6, "SIGABRT");
    for (test, words) in [(0, 0), (1, 5), (2, 5), (6, 5)] {
        assert_eq!(all.answers[test].watched, [bytes(words)], "{test}");
        let alone = replayed_as("figure", RUNS[0], &plan, Some(test), false);
        assert_eq!(alone.answers[test], all.answers[test], "a process of its own answers the same");
    }
    assert_eq!(all.status.code(), Some(0));
}

#[test]
fn a_plan_is_for_one_process() {
    let [_, y, _] = program().1;
    let mut plan = plan(SET_Z, &[(y, 1)]);
    let figure = |plan: &Plan| replayed_as("forks to figure", RUNS[0], plan, Some(0), false);
    assert_eq!(figure(&plan).ended(), Ended::Nowhere, "the parent does not come there");
    plan.process = 1;
    assert_eq!(figure(&plan).words(), [5]);
    plan.process = 2;
    assert_eq!(figure(&plan).ended(), Ended::Nowhere);
}
