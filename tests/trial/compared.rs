//! Tests judged by comparing their output: how far trials get, alike by both executors; and overrides at single executions of a site.

use suspect::program::{NodeKind, OperationKind, Operator};
use suspect::trial::{
    Change, End, Executor, Executors, Mutant, Observation, Override, Site, TestTrials, Worker, budget,
};
use suspect_format::abi::Mode;

use crate::support::{Dice, FILES, Project, observe, overrides, run_all, source, undisturbed, worker};

/// Writes in three parts.
const FIZZ: &str = r#"
#include <stdio.h>
#include <stdlib.h>
static const char *kind(int n)
{
    if (n % 3 == 0)
        return "fizz";
    return "-";
}
static int sum(int n)
{
    int s = 0;
    for (int i = 1; i <= n; i++)
        s += i;
    return s;
}
int main(void)
{
    for (int i = 1; i <= 15; i++) {
        printf("%d %s %d\n", i, kind(i), sum(i));
        if (i % 5 == 0)
            fflush(stdout);
    }
    return 0;
}
"#;

/// What it writes if its question is answered otherwise at these executions.
fn written(turned: &[u32]) -> String {
    let line = |n: u32| {
        let fizz = n.is_multiple_of(3) != turned.contains(&n);
        format!("{n} {} {}\n", if fizz { "fizz" } else { "-" }, n * (n + 1) / 2)
    };
    (1..=15).map(line).collect()
}

/// Its prefix that `other` has too.
fn common(other: &str, turned: &[u32]) -> u64 {
    written(turned).bytes().zip(other.bytes()).take_while(|(one, two)| one == two).count() as u64
}

fn compared(modes: &str, program: &str, run: &str, expected: &str) -> Project {
    let config = "[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"{line}\"\nexpect = \"expected\"\n";
    let files = [&[("expected", expected), ("tests.txt", run)][..], &FILES].concat();
    Project::with_suite(program, config, &files).rebuilt(modes)
}

/// The same mutants by both executors, which must agree.
#[track_caller]
fn both(trials: &TestTrials, worker: &mut Worker, mutants: &[Mutant]) -> Vec<Observation> {
    let budget = budget(trials.longest(), true);
    let trees = run_all(trials, worker, mutants, Executors::Exec, budget);
    let forks = run_all(trials, worker, mutants, Executors::Fork, budget);
    assert!(forks.iter().any(|one| one.executor != Executor::Exec));
    for ((mutant, tree), fork) in mutants.iter().zip(&trees).zip(forks) {
        assert_eq!(*tree, Observation { executor: tree.executor, ..fork }, "{mutant:?}");
    }
    trees
}

#[test]
fn one_mutant_turns_a_predicate_at_several_executions() {
    let _undisturbed = undisturbed();
    let wanted = written(&[3, 7, 12]);
    let mut worker = worker();
    for (modes, watched_nodes, mode) in
        [("trace", true, Mode::Trace), ("trace", false, Mode::Trace), ("trace,mutants", false, Mode::Mutants)]
    {
        let project = compared(modes, FIZZ, "./prog", &wanted);
        let trials = match watched_nodes {
            true => project.prepare(&mut worker, 0).unwrap(),
            false => project.prepare_output(&mut worker, 0).unwrap(),
        };
        assert_eq!((trials.executor(), trials.mode()), ((Executor::Fork, None), mode));
        assert_eq!((trials.expected(), trials.matched()), (Some(wanted.as_bytes()), Some(common(&wanted, &[]))));
        let function = project.program.functions.iter().position(|one| one.name == "kind").unwrap() as u32;
        let node =
            project.program.nodes.iter().position(|one| (one.function, one.kind) == (function, NodeKind::Predicate));
        let is_equal = |kind| matches!(kind, OperationKind::Binary { operator: Operator::Equal, .. });
        let equal = project.program.operations.iter().position(|one| one.function == function && is_equal(one.kind));
        let s = project.program.nodes.iter().rposition(|one| one.variable == "s").unwrap() as u32;
        for site in [Site::Node(node.unwrap() as u32), Site::Operation(equal.unwrap() as u32)] {
            let turned = |executions: &[u32]| -> Vec<Override> {
                let at = |one: &u32| Override { site, instance: u64::from(*one), change: Change::Flip };
                executions.iter().map(at).collect()
            };
            // Those that are forked earlier, and done earlier, are of the same function.
            let lists: [&[u32]; 8] =
                [&[1], &[3, 7, 12], &[12, 3, 7], &[3], &[3, 7], &[3, 7, 11], &[3, 7, 12, 16], &[3, 7, 12, 15]];
            let mut mutants: Vec<Mutant> = lists.iter().map(|list| Mutant { overrides: turned(list).into() }).collect();
            // Active from another place on.
            let earlier = Override { site: Site::Node(s), instance: 2, change: Change::Add(1) };
            let back = Override { instance: 3, change: Change::Add(u64::MAX), ..earlier.clone() };
            mutants.push(Mutant { overrides: [vec![earlier, back], turned(&[3, 7, 12])].concat().into() });
            let seen = both(&trials, &mut worker, &mutants);
            for (list, one) in lists.iter().zip(&seen) {
                assert_eq!(one.matched, Some(common(&wanted, list)), "{mode:?} {list:?}");
                assert_eq!(one.passes, Some(written(list) == wanted), "{mode:?} {list:?}");
            }
            assert_eq!(seen[0].matched, Some(2));
            // The sum of 1 and 2 is wrong in between only.
            assert_eq!(seen[8].passes, Some(true), "{mode:?}: {:?}", seen[8]);
        }
    }
}

#[test]
fn executors_tell_alike_how_far_trials_get() {
    let _undisturbed = undisturbed();
    let words = "new the\nnew cat\nnew and\nnew dog\nnew saw\nnew other\nnew ran\n";
    for (program, run, expected) in [
        (FIZZ, "./prog", written(&[]) + "more\n"),
        (FIZZ, "./prog", written(&[]).repeat(2)),
        (FIZZ, "./prog", written(&[4, 11])),
        (FIZZ, "./prog", String::new()),
        (&source("words.c"), "./prog", format!("{words}xnd 2\n")),
        (&source("jumps.c"), "./prog < pairs.txt", "one 2 2 0\n".into()),
    ] {
        let project = compared("trace,mutants", program, run, &expected);
        let mut worker = worker();
        let trials = project.prepare(&mut worker, 0).unwrap();
        let own = trials.matched().unwrap();
        let all = overrides(&trials, &project.program, 150, &mut Dice(3));
        let mutants: Vec<Mutant> = all.iter().cloned().map(Mutant::from).collect();
        let seen = both(&trials, &mut worker, &mutants);
        for one in &seen {
            match one.end {
                End::Unknown => assert_eq!(one.matched, None),
                _ => assert!(one.matched.unwrap() <= expected.len() as u64),
            }
            assert!(one.applied || one.matched.is_none_or(|matched| matched == own));
            assert!(one.passes != Some(true) || one.matched == Some(expected.len() as u64));
        }
        let outputs = project.prepare_output(&mut worker, 0).unwrap();
        let budget = budget(outputs.longest(), true);
        let fast = observe(&outputs, &mut worker, &all, Executors::Fork, budget);
        for (one, (slow, fast)) in all.iter().zip(seen.iter().zip(&fast)) {
            // Budgets of the two modes count different things.
            if slow.end != End::Cut && fast.end != End::Cut {
                assert_eq!((slow.matched, slow.passes), (fast.matched, fast.passes), "{one:?}");
            }
        }
        let further = seen.iter().filter(|one| one.matched > Some(own)).count();
        let less = seen.iter().filter(|one| one.matched.is_some_and(|matched| matched < own)).count();
        eprintln!("{run}: {} trials, {own} of {} bytes, {further} further, {less} less", all.len(), expected.len());
        assert!(less > 0 || own == 0);
    }
}

#[test]
fn tests_that_are_judged_otherwise_match_nothing() {
    let project = Project::new(&source("words.c"), &["./prog"], &FILES);
    let mut worker = worker();
    let trials = project.prepare(&mut worker, 0).unwrap();
    assert_eq!((trials.expected(), trials.matched()), (None, None));
    let all = overrides(&trials, &project.program, 20, &mut Dice(1));
    let seen = observe(&trials, &mut worker, &all, Executors::Auto, budget(trials.longest(), false));
    assert!(seen.iter().all(|one| one.matched.is_none()));
}
