//! What locals begin as where trials run: zero, or garbage for a test that fails only then.

use suspect::program::{OperationKind, Program};
use suspect::suite::Verdict;
use suspect::trial::{
    Change, Executor, Executors, Garbage, Mutant, Override, Site, TestTrials, TrialError, Watched, Worker, budget,
};
use suspect_format::abi::Mode;

use crate::support::{Project, run_all, source, worker};

const KINDS: [&str; 13] = [
    "whole",
    "small",
    "middle",
    "large",
    "truth",
    "address",
    "number",
    "single",
    "structure",
    "array",
    "variable",
    "stack",
    "result",
];

fn project(kinds: &[&str]) -> Project {
    let tests: Vec<String> = kinds.iter().map(|kind| format!("./prog {kind}")).collect();
    let tests: Vec<&str> = tests.iter().map(String::as_str).collect();
    Project::with_modes("values,trace,mutants", &source("unset.c"), &tests, &[])
}

/// The test, got ready as one that was recorded with this verdict.
fn prepare(project: &Project, worker: &mut Worker, test: usize, verdict: Verdict) -> Result<TestTrials, TrialError> {
    let test = &project.suite.tests()[test];
    TestTrials::prepare(worker, &project.suite, test, verdict, &project.program, Watched::Output)
}

/// What the test writes in a trial without mutant.
fn written(trials: &TestTrials, worker: &mut Worker) -> String {
    let nothing = Mutant { overrides: Box::default() };
    let written = trials.replay(worker, &nothing, u64::MAX).unwrap().written;
    String::from_utf8_lossy(&written[0].bytes).into_owned()
}

#[test]
fn locals_of_every_kind_begin_as_zero_or_as_garbage() {
    let (project, mut worker) = (project(&KINDS), worker());
    for (test, kind) in KINDS.iter().enumerate() {
        let failing = prepare(&project, &mut worker, test, Verdict::Fail).unwrap();
        let garbage = failing.garbage().unwrap_or_else(|| panic!("{kind}"));
        assert_eq!(garbage.with_zeros, Verdict::Pass, "{kind}");
        let function = garbage.function.map(|function| project.program.functions[function as usize].name.as_str());
        assert_eq!(function, Some(if *kind == "result" { "nothing" } else { kind }));
        assert_eq!(written(&failing, &mut worker), format!("{:02x} throughout\n", garbage.byte), "{kind}");
        assert_eq!(failing.mode(), Mode::Mutants, "{kind}");
        assert_eq!(failing.executor(), (Executor::Fork, None), "{kind}");
    }
}

#[test]
fn a_test_that_does_with_zeros_what_is_known_of_it_keeps_them() {
    let (project, mut worker) = (project(&["assigned", "none", "whole"]), worker());
    let passing = prepare(&project, &mut worker, 0, Verdict::Pass).unwrap();
    assert_eq!((passing.garbage(), written(&passing, &mut worker)), (None, "00 throughout\n".into()));
    // Nothing is read that nothing was assigned to, so garbage changes nothing.
    for test in 0..2 {
        let refused = prepare(&project, &mut worker, test, Verdict::Fail).unwrap_err();
        assert!(matches!(refused, TrialError::NotReproducible { .. }), "{refused}");
        assert!(refused.to_string().contains("recorded as `fail` and now is `pass`"), "{refused}");
        assert!(refused.to_string().contains("where they begin as garbage it is not `fail`"), "{refused}");
    }
    let refused = prepare(&project, &mut worker, 2, Verdict::Skip).unwrap_err();
    assert!(matches!(refused, TrialError::Unsupported { .. }), "{refused}");
}

#[test]
fn what_compares_alike_with_negative_garbage_is_tried_with_other_garbage() {
    let (project, mut worker) = (project(&["greater"]), worker());
    let trials = prepare(&project, &mut worker, 0, Verdict::Fail).unwrap();
    let garbage = trials.garbage().unwrap();
    assert!((garbage.byte as i8) > 0, "{garbage:?}");
    assert_eq!(written(&trials, &mut worker), "greater\n");
    // The values that nodes take are compared under the same conditions.
    let test = &project.suite.tests()[0];
    let values =
        TestTrials::prepare(&mut worker, &project.suite, test, Verdict::Fail, &project.program, Watched::Nodes)
            .unwrap();
    assert_eq!(values.garbage(), Some(Garbage { function: None, ..garbage }));
}

#[test]
fn where_locals_of_two_functions_are_needed_none_is_named() {
    let (project, mut worker) = (project(&["both"]), worker());
    let garbage = prepare(&project, &mut worker, 0, Verdict::Fail).unwrap().garbage().unwrap();
    assert_eq!((garbage.with_zeros, garbage.function), (Verdict::Pass, None));
}

/// A change of the first addition in a function.
fn of_addition(program: &Program, function: &str, change: Change) -> Mutant {
    let functions = program.functions.iter().find(|found| found.name == function).unwrap();
    let mut operations = functions.operations.clone();
    let is_addition = |operation: &u32| matches!(program.operations[*operation as usize].kind, OperationKind::Binary { operator, .. } if operator.token() == "+");
    let operation = operations.find(is_addition).unwrap();
    Mutant::from(Override { site: Site::Operation(operation), instance: 0, change })
}

#[test]
fn mutants_run_with_the_same_garbage_whichever_function_they_change() {
    let (project, mut worker) = (project(&["sum"]), worker());
    let trials = prepare(&project, &mut worker, 0, Verdict::Fail).unwrap();
    assert!(trials.garbage().is_some());
    // In `twice` alone nothing repairs, though `sum` then has no mutant of its own; in `sum` leaving out the local does.
    let repair = |function, change| of_addition(&project.program, function, change);
    let mutants = [
        repair("twice", Change::Set(3)),
        repair("twice", Change::Set(4)),
        repair("sum", Change::Left(0)),
        repair("sum", Change::Left(1)),
    ];
    let budget = budget(trials.longest(), true);
    for executors in [Executors::Exec, Executors::Fork] {
        let seen = run_all(&trials, &mut worker, &mutants, executors, budget);
        let passes: Vec<Option<bool>> = seen.iter().map(|one| one.passes).collect();
        assert_eq!(passes, [Some(false), Some(false), Some(true), Some(false)], "{executors:?}: {seen:?}");
    }
}
