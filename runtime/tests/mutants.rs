//! Code mutants of a program with hand-made hooks: what each change does, alone and together, in both modes and by both executors.

mod code;

use std::time::{Duration, Instant};

use code::{
    ADD, BYTE, CHOICE, DIVIDE, FLOAT, LESS, NODE, Outcome, READ, STEP, TWICE, Trials, at, change, library, seen_alone,
    seen_forked,
};
use suspect_format::abi::Mode;
use suspect_format::operation::Operator;
use suspect_format::trial::Change::{
    self, Add, Choose, Complement, Exchange, Flip, Instead, Left, Negate, Right, Set, StepAfter, StepBefore,
};
use suspect_format::trial::{Done, EXIT_CUT, OTHERWISE, Override, PROCESS_CUT, Refusal};

const MODES: [Mode; 2] = [Mode::Trace, Mode::Mutants];

fn operator(site: u32, operator: Operator) -> Override {
    change(site, Change::Operator, operator as u64)
}

/// The output with a mutant, in both modes; by a plan it must be the same.
#[track_caller]
fn output(arguments: &str, mutant: &[Override]) -> String {
    let of = |mode: Mode| {
        let trials = Trials::new(mode, arguments).with([mutant.to_vec()]);
        let (single, plan) = (trials.single(Some(0)), trials.plan());
        let plain = trials.single(None);
        assert_eq!(single.how(), (Some(0), None), "{single:?}");
        assert_eq!((plan.stdout.as_str(), plan.header.refusal), (plain.stdout.as_str(), 0));
        assert_eq!((plan.used[0], plan.how()), (plain.used[0], plain.how()));
        let result = &plan.results[0];
        match single.applied() {
            true => assert_eq!(seen_alone(&single, result.before[0] as usize), seen_forked(result)),
            false => {
                assert!(result.done != Done::Ran as u32, "{result:?}");
                assert_eq!(single.stdout, plain.stdout);
            }
        }
        single.stdout
    };
    let [trace, mutants] = MODES.map(of);
    assert_eq!(trace, mutants);
    trace
}

#[test]
fn without_mutant_the_program_does_what_it_does() {
    let all = "add float step both read divide node mode";
    for (mode, number) in [(Mode::Trace, 3), (Mode::Mutants, 4)] {
        let outcome = Trials::new(mode, all).single(None);
        let expected = "add 11\nfloat 12\nstep 5\nboth 00\nread 5\ndivide 35 7\nnode 7\n";
        assert_eq!(outcome.stdout, format!("{expected}mode {number}\n"), "{outcome:?}");
        assert_eq!((outcome.how(), outcome.applied(), outcome.cut()), ((Some(0), None), false, false));
    }
}

#[test]
fn every_change_does_what_it_says() {
    let negative = |number: i64| number as u64;
    for (arguments, one, expected) in [
        ("add", operator(ADD, Operator::Sub), "add 4294967287"),
        ("add", operator(ADD, Operator::Mul), "add 10"),
        ("add", operator(ADD, Operator::Equal), "add 0"),
        ("add", change(ADD, Left, 7), "add 17"),
        ("add", change(ADD, Right, negative(-1)), "add 0"),
        ("add", change(ADD, Set, 5), "add 5"),
        ("add", change(ADD, Add, 2), "add 13"),
        ("add", change(ADD, Negate, 0), "add 4294967285"),
        ("add", change(ADD, Complement, 0), "add 4294967284"),
        ("add", change(ADD, Flip, 0), "add 0"),
        ("float", operator(FLOAT, Operator::FloatDiv), "float 0.1"),
        ("float", operator(FLOAT, Operator::FloatMul), "float 10"),
        ("float", change(FLOAT, Left, 2.5f64.to_bits()), "float 12.5"),
        ("float", change(FLOAT, Negate, 0), "float -11"),
        ("float", change(FLOAT, Add, 0.5f64.to_bits()), "float 11.5"),
        ("step", change(STEP, Left, negative(-3)), "step -2"),
        ("step", change(STEP, Negate, 0), "step -1"),
        ("step", change(STEP, Set, 0), "step 1"),
        ("both", change(CHOICE, Choose, 1), "both 10"),
        ("read", change(READ, Choose, 1), "read 20"),
        ("read", change(READ, Choose, 2), "read 30"),
        // Out of scope, and the same contents.
        ("read", change(READ, Choose, 3), "read 1"),
        ("read", change(READ, Choose, 0), "read 1"),
        ("count", change(READ, StepAfter, 1), "count 1002"),
        ("count", change(READ, StepBefore, 1), "count 2002"),
        ("count", change(READ, StepAfter, negative(-1)), "count 1000"),
        ("count", change(READ, StepBefore, negative(-1)), "count 0"),
        ("count", change(READ, StepBefore, 12), "count 13013"),
        ("read", change(READ, StepAfter, 1), "read 1"),
        ("divide", operator(DIVIDE, Operator::SignedRem), "divide 2 7"),
        ("divide", operator(LESS, Operator::SignedGreater), "divide 7 251"),
        ("divide", change(LESS, Flip, 0), "divide 7 251"),
        ("divide", Override { other: 9, ..change(LESS, Instead, negative(-5)) }, "divide 33 251"),
        ("divide", Override { other: 9, ..change(LESS, Instead, 6) }, "divide 33 7"),
        ("divide", change(BYTE, Set, 0x1_23), "divide 35 7"),
        ("divide", change(BYTE, Negate, 0), "divide 223 7"),
        ("node", change(NODE, Complement, 0), "node 18446744073709551614"),
        ("node", change(NODE, Set, 77), "node 77"),
        ("node", Override { other: 77, ..change(NODE, Exchange, 1) }, "node 77"),
        ("node", Override { other: 1, ..change(NODE, Exchange, 77) }, "node 77"),
        ("node", Override { other: 78, ..change(NODE, Exchange, 77) }, "node 1"),
        ("node", change(NODE, Set, 1), "node 1"),
    ] {
        let expected = format!("{expected}\n");
        // What stands beside it is not touched.
        let around = format!("both {arguments} add");
        let alone = output(arguments, &[one]);
        assert_eq!(alone, expected, "{one:?}");
        if one.site != ADD && one.site != CHOICE {
            let lines = output(&around, &[one]);
            assert!(lines.starts_with("both 00\n") && lines.ends_with("add 13\n"), "{lines}");
        }
    }
}

#[test]
fn a_variable_is_counted_up_once_for_each_time_it_is_read() {
    let (after, before) = (change(READ, StepAfter, 1), change(READ, StepBefore, 1));
    let chosen = change(READ, Choose, 2);
    // The global counts.
    assert_eq!(output("count count", &[chosen, after]), "count 30001\ncount 31002\n");
    assert_eq!(output("count count", &[before, chosen]), "count 31001\ncount 32002\n");
    assert_eq!(output("count count", &[at(2, after)]), "count 1001\ncount 2003\n");
    assert_eq!(output("add count", &[change(READ, StepAfter, 1 << 32)]), "add 11\ncount 2002\n");
}

#[test]
fn threads_read_each_its_own_variable_before_it_is_counted_up() {
    for mode in MODES {
        let trials = Trials { budget: 1 << 40, ..Trials::new(mode, "threads") };
        let single = trials.with([vec![change(READ, StepAfter, 1)]]).single(Some(0));
        assert_eq!((single.stdout.as_str(), single.applied()), ("threads 1002 0\n", true), "{single:?}");
    }
}

#[test]
fn what_the_machine_cannot_divide_raises_its_own_signal() {
    for mode in MODES {
        for one in [change(DIVIDE, Right, 0), operator(DIVIDE, Operator::UnsignedRem)] {
            let zero = change(DIVIDE, Right, 0);
            let mutant = vec![one, zero];
            let trials = Trials::new(mode, "add divide").with([mutant.clone()]);
            let single = trials.single(Some(0));
            assert_eq!((single.how(), single.stdout.as_str()), ((None, Some(8)), ""));
            let plan = trials.plan();
            assert_eq!(seen_alone(&single, 0), seen_forked(&plan.results[0]));
            let trials = Trials::new(mode, "handle divide add").with([mutant]);
            let single = trials.single(Some(0));
            assert_eq!((single.how(), single.stdout.as_str()), ((Some(9), None), "signal 8 1\n"));
            assert_eq!(seen_alone(&single, 0), seen_forked(&trials.plan().results[0]));
        }
        let least = vec![change(DIVIDE, Left, 1 << 31), change(DIVIDE, Right, u64::MAX)];
        let trials = Trials::new(mode, "divide").with([least]);
        assert_eq!(trials.single(Some(0)).how(), (None, Some(8)));
    }
}

#[test]
fn an_instance_is_an_execution_of_the_site_in_its_process() {
    let set = change(ADD, Set, 0);
    assert_eq!(output("add add add", &[at(2, set)]), "add 11\nadd 0\nadd 13\n");
    assert_eq!(output("add add add", &[at(4, set)]), "add 11\nadd 12\nadd 13\n");
    assert_eq!(output("add add add", &[at(1, set), at(3, set)]), "add 0\nadd 12\nadd 0\n");
    assert_eq!(output("add read add", &[at(2, set), at(1, change(READ, Choose, 1))]), "add 11\nread 20\nadd 0\n");
    assert_eq!(output("node node", &[at(2, change(NODE, Set, 9))]), "node 1\nnode 9\n");
    // Of several at one execution the last counts, of others each.
    assert_eq!(output("add add add", &[at(1, set), at(1, change(ADD, Set, 5)), at(3, set)]), "add 5\nadd 12\nadd 0\n");
    let turned = |executions: &[u64]| executions.iter().map(|one| at(*one, change(LESS, Flip, 0))).collect::<Vec<_>>();
    assert_eq!(output("divide divide divide", &turned(&[2])), "divide 33 251\ndivide 34 7\ndivide 34 7\n");
    assert_eq!(output("divide divide divide", &turned(&[2, 3, 6])), "divide 33 251\ndivide 7 7\ndivide 34 251\n");
    assert_eq!(output("divide divide divide", &turned(&[6, 2, 3])), "divide 33 251\ndivide 7 7\ndivide 34 251\n");
    let loops = output("times 1000 add", &[at(1001, set)]);
    assert_eq!(loops, "times 1000\nadd 0\n");
}

#[test]
fn overrides_of_a_mutant_are_active_together() {
    let (plus, half) = (change(ADD, Add, 1), change(DIVIDE, Right, 2));
    assert_eq!(output("add divide", &[plus, half]), "add 12\ndivide 51 7\n");
    assert_eq!(
        output("divide add node", &[plus, half, change(NODE, Negate, 0)]),
        "divide 50 7\nadd 13\nnode 18446744073709551613\n"
    );
    // Order 3 at one operation: operands, operator, result.
    let three = [change(ADD, Add, 100), operator(ADD, Operator::Sub), change(ADD, Left, 50)];
    assert_eq!(output("add", &three), "add 140\n");
    // Two that undo each other change nothing.
    let twice = [change(ADD, Complement, 0), change(ADD, Complement, 0)];
    assert_eq!(output("add read", &twice), "add 11\nread 2\n");
    let undone = [change(ADD, Add, 3), change(ADD, Add, 0u64.wrapping_sub(3)), change(READ, Choose, 1)];
    assert_eq!(output("add read", &undone), "add 11\nread 20\n");
}

/// A plan of many mutants has for each of them what a process of its own shows.
#[test]
fn a_plan_shows_of_each_mutant_what_a_process_of_its_own_shows() {
    let arguments = "add float both times 20 read divide node add step divide add";
    let mut mutants: Vec<Vec<Override>> = Vec::new();
    for site in [ADD, DIVIDE, LESS, BYTE, NODE] {
        for (kind, operand) in [(Set, 1), (Add, 3), (Negate, 0), (Flip, 0), (Complement, 0), (Set, 3)] {
            mutants.push(vec![change(site, kind, operand)]);
            mutants.push(vec![at(2, change(site, kind, operand))]);
            mutants.push(vec![at(2, change(site, kind, operand)), change(READ, Choose, 2)]);
            mutants.push(vec![change(CHOICE, Choose, 1), change(site, kind, operand), at(1, change(STEP, Left, 9))]);
        }
    }
    for operation in Operator::ALL.into_iter().filter(|operator| !operator.is_float()) {
        mutants.extend([ADD, DIVIDE, LESS].map(|site| vec![operator(site, operation)]));
    }
    for mode in MODES {
        let mut trials = Trials::new(mode, arguments).with(mutants.clone());
        let plain = trials.single(None);
        // What most mutants get right at first, and few to the end.
        trials.expected = plain.stdout.replacen("divide 35", "divide 26", 1);
        let plan = trials.plan();
        assert_eq!((&plan.stdout, plan.used[0], plan.header.refusal), (&plain.stdout, plain.used[0], 0));
        let mut ran = 0;
        for (index, result) in plan.results.iter().enumerate() {
            let single = trials.single(Some(index));
            assert_eq!(single.applied(), result.done == Done::Ran as u32, "{:?}", mutants[index]);
            if single.applied() {
                ran += 1;
                let before = result.before[0] as usize;
                assert_eq!(seen_alone(&single, before), seen_forked(result), "{mode:?} {:?}", mutants[index]);
            } else {
                assert_eq!((&single.stdout, single.used[0]), (&plain.stdout, plain.used[0]));
            }
        }
        assert!(ran * 2 > mutants.len(), "{ran} of {}", mutants.len());
        assert_eq!(plan.header.n_done as usize, ran);
    }
}

#[test]
fn what_a_child_writes_is_compared_with_what_is_expected() {
    let matched = |expected: &str, one: Override| {
        let trials = Trials::new(Mode::Mutants, "add read divide add").with([vec![one]]);
        let plan = Trials { expected: expected.into(), ..trials }.plan();
        let result = &plan.results[0];
        assert_eq!(result.done, Done::Ran as u32);
        let end = result.otherwise.iter().position(|byte| *byte == 0).unwrap_or(OTHERWISE);
        let otherwise = String::from_utf8_lossy(&result.otherwise[..end]).into_owned();
        (result.before[0], result.matched, otherwise)
    };
    let seen = |matched, otherwise: &str| (0, matched, otherwise.to_owned());
    // The program writes all at its end: "add 11\nread 2\ndivide 34 7\nadd 14\n".
    let read = change(READ, Choose, 1);
    assert_eq!(matched("add 11\nread 20\ndivide 34 7\nadd 14\n", read), seen(34, ""));
    assert_eq!(matched("add 11\nread 20\ndivide 34 7\nadd 14\nmore\n", read), seen(34, ""));
    assert_eq!(matched("add 11\nread 20\ndivide 25 7\nadd 14\n", read), seen(22, "34 7\nadd 14\n"));
    assert_eq!(matched("add 11\nread 2", read), seen(13, "0\ndivide 34 7\nadd 14\n"));
    assert_eq!(matched("mul", read), seen(0, "add 11\nread 20\ndivide 34 7\nadd 14\n"));
    assert_eq!(matched("", read), seen(0, "add 11\nread 20\ndivide 34 7\nadd 14\n"));
}

#[test]
fn a_process_is_cut_at_the_same_tick_whatever_the_modules_and_the_slow_functions() {
    let library = library();
    let arguments = format!("open {library} twice add twice twice times 50 twice add close add");
    let all = [vec![change(ADD, Add, 1)], vec![change(TWICE, Add, 1)], vec![change(READ, Choose, 1)]];
    let whole = Trials::new(Mode::Mutants, &arguments).with(all.clone());
    let plain = whole.single(None);
    assert_eq!(plain.how(), (Some(0), None), "{plain:?}");
    let used = plain.used[0];
    // main once for each word but two, `add` 53 times, the loop 50 times, the library three for each of four.
    assert_eq!(used, 10 + 53 + 50 + 12);
    for selected in 0..3 {
        assert_eq!(whole.single(Some(selected)).used[0], used);
    }
    for budget in [0, 1, 2, 3, 5, 10, 40, used - 3, used - 2, used - 1] {
        let trials = Trials { budget, ..Trials::new(Mode::Mutants, &arguments).with(all.clone()) };
        let outcomes: Vec<Outcome> = [None, Some(0), Some(1), Some(2)].map(|selected| trials.single(selected)).into();
        for outcome in &outcomes {
            assert_eq!((outcome.how(), outcome.cut()), ((Some(EXIT_CUT), None), true), "{budget}");
            assert_eq!((outcome.used[0], outcome.stdout.as_str()), (budget, ""));
        }
    }
    let enough = Trials { budget: used, ..Trials::new(Mode::Mutants, &arguments).with(all) };
    let outcome = enough.single(Some(1));
    assert_eq!((outcome.how(), outcome.cut(), outcome.used[0]), ((Some(0), None), false, used));
}

#[test]
fn a_mutant_that_runs_away_is_cut_in_both_executors_at_the_same_tick() {
    // 1 to 500 becomes a sum that is never counted down: `times` counts by itself, so the mutant must loop otherwise.
    for mode in MODES {
        let trials = Trials { budget: 300, ..Trials::new(mode, "add times 500 read") };
        let trials = trials.with([vec![change(ADD, Add, 1)], vec![change(READ, Choose, 1)]]);
        let single = trials.single(Some(0));
        assert_eq!((single.how(), single.cut(), single.used[0]), ((Some(EXIT_CUT), None), true, 300));
        let plan = trials.plan();
        assert_eq!((plan.how(), plan.used[0]), ((Some(EXIT_CUT), None), 300));
        assert_eq!(seen_alone(&single, 0), seen_forked(&plan.results[0]));
        assert!(plan.results[0].flags & PROCESS_CUT != 0);
        assert_eq!(plan.results[1].done, Done::Not as u32);
    }
}

#[test]
fn what_is_used_is_known_of_a_process_that_is_killed() {
    for (mode, name) in MODES.map(|mode| (mode, mode.name())) {
        let outcome = Trials::new(mode, "add add kill add").single(None);
        assert_eq!((outcome.how(), outcome.used[0]), ((None, Some(9)), 5), "{name}");
    }
}

#[test]
fn processes_that_the_program_forks_count_for_themselves() {
    let arguments = "add fork add";
    for mode in MODES {
        let trials = Trials { processes: 2, ..Trials::new(mode, arguments) };
        let trials = trials.with([vec![at(1, change(ADD, Set, 5))], vec![at(2, change(ADD, Set, 5))]]);
        let plain = trials.single(None);
        assert_eq!(
            (plain.stdout.as_str(), plain.used.as_slice()),
            ("add 11\nchild 22\nwaited 0\nadd 13\n", &[5, 1][..])
        );
        assert_eq!(trials.single(Some(0)).stdout, "add 5\nchild 5\nwaited 0\nadd 13\n");
        assert_eq!(trials.single(Some(1)).stdout, "add 11\nchild 22\nwaited 0\nadd 5\n");
        // A plan cannot keep them apart.
        let plan = trials.plan();
        assert_eq!(plan.header.refusal, Refusal::Call as u32);
        // One that the oracle does not know of has fuel of its own, too.
        let trials = Trials { processes: 1, ..trials };
        assert_eq!(trials.single(Some(0)).stdout, "add 5\nchild 5\nwaited 0\nadd 13\n");
    }
}

#[test]
fn a_forked_process_has_a_budget_of_its_own() {
    let trials = Trials { processes: 2, budget: 20, ..Trials::new(Mode::Mutants, "times 9 fork") };
    let outcome = trials.single(None);
    assert_eq!((outcome.stdout.as_str(), &outcome.used[..]), ("times 9\nchild 23\nwaited 0\n", &[20, 1][..]));
}

#[test]
fn threads_and_executed_programs_have_the_mutant_too() {
    for mode in MODES {
        let trials = Trials { processes: 2, ..Trials::new(mode, "add thread exec add read") };
        let trials = trials.with([vec![change(ADD, Set, 5)]]);
        let single = trials.single(Some(0));
        assert_eq!((single.stdout.as_str(), single.how()), ("add 5\nthread 5\nadd 5\nread 2\n", (Some(0), None)));
        assert_eq!(single.used, [5, 4]);
    }
}

#[test]
fn libraries_that_come_and_go_are_mutated_and_counted() {
    let library = library();
    let arguments = format!("open {library} twice close add open {library} twice");
    for mode in MODES {
        let trials = Trials::new(mode, &arguments).with([vec![change(TWICE, Add, 1)], vec![change(ADD, Set, 0)]]);
        let plain = trials.single(None);
        assert_eq!(plain.stdout, "twice 6\nadd 15\ntwice 16\n");
        assert_eq!(trials.single(Some(0)).stdout, "twice 7\nadd 15\ntwice 17\n");
        let plan = trials.plan();
        assert_eq!((&plan.stdout, plan.used[0], plan.header.refusal), (&plain.stdout, plain.used[0], 0));
        for (index, result) in plan.results.iter().enumerate() {
            assert_eq!(seen_alone(&trials.single(Some(index)), result.before[0] as usize), seen_forked(result));
        }
    }
}

#[test]
fn recording_runs_every_function_in_the_version_that_has_hooks() {
    let directory = tempfile::tempdir().unwrap();
    let mut command = std::process::Command::new(code::built().join("code"));
    command.args(["add", "node"]).env("SUSPECT_OUT", directory.path()).env("SUSPECT_RECORD", "trace");
    assert!(command.output().unwrap().status.success());
    let traces = suspect::trace::read_directory(directory.path()).unwrap();
    assert_eq!(traces.files[0].log().map(|entry| entry.value).collect::<Vec<_>>(), [2]);
}

#[test]
fn the_runtime_needs_nothing_of_the_program() {
    code::built();
    let object = code::built().join("suspect_rt.o");
    let output = std::process::Command::new("nm").arg("-u").arg(object).output().unwrap();
    let names = String::from_utf8(output.stdout).unwrap();
    let strong: Vec<&str> = names.lines().filter(|line| line.trim_start().starts_with("U ")).collect();
    assert!(strong.is_empty(), "{strong:?}");
}

/// A loop of the C library has no ticks.
#[test]
fn what_computes_without_ticks_is_ended_by_the_time_that_it_computes() {
    for mode in MODES {
        let trials = Trials::new(mode, "unless add").with([vec![change(NODE, Add, 1)], vec![change(ADD, Add, 1)]]);
        let began = Instant::now();
        let plan = Trials { busy: 100_000_000, ..trials }.plan();
        let done: Vec<u32> = plan.results.iter().map(|result| result.done).collect();
        assert_eq!(done, [Done::TimedOut, Done::Ran].map(|done| done as u32));
        assert_eq!((plan.stdout.as_str(), plan.how()), ("add 12\n", (Some(0), None)));
        assert!(began.elapsed() < Duration::from_secs(100), "the clock would have taken two minutes");
    }
}
