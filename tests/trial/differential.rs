//! Both executors see the same, whatever mutants do, and nothing outside their scratch directories changes.

use suspect::trial::{Change, End, Executor, Executors, Override, Site, Worker, budget};

use crate::support::{Dice, FILES, Project, observe, overrides, source, state_of, undisturbed, worker};

/// A program with its tests.
struct Subject {
    source: &'static str,
    tests: &'static [&'static str],
}

const SUBJECTS: [Subject; 8] = [
    Subject { source: "reader.c", tests: &["./prog"] },
    Subject { source: "words.c", tests: &["./prog", "./prog - < words.txt", "./prog none.txt"] },
    Subject { source: "numbers.c", tests: &["./prog 4", "./prog 5"] },
    Subject { source: "wild.c", tests: &["./prog"] },
    Subject { source: "released.c", tests: &["./prog"] },
    Subject { source: "greedy.c", tests: &["./prog"] },
    Subject { source: "vandal.c", tests: &["./prog < words.txt", "./prog"] },
    Subject { source: "jumps.c", tests: &["./prog < pairs.txt"] },
];

/// Runs about `count` trials of each test with both executors; how many there were, and how many of them were forked.
fn compare(subject: &Subject, count: usize, seed: u64) -> (usize, usize) {
    let project = Project::new(&source(subject.source), subject.tests, &FILES);
    let before = state_of(&project.root());
    let mut worker = worker();
    assert_eq!(worker.missing(), &[] as &[String]);
    let (mut trials_run, mut forked, mut wrong) = (0, 0, Vec::new());
    for test in 0..subject.tests.len() {
        let trials = project.prepare(&mut worker, test).unwrap();
        assert_eq!(trials.executor(), (Executor::Fork, None), "{} {}", subject.source, subject.tests[test]);
        let all = overrides(&trials, &project.program, count, &mut Dice(seed + test as u64));
        let budget = budget(trials.longest(), false);
        let trees = observe(&trials, &mut worker, &all, Executors::Exec, budget);
        let forks = observe(&trials, &mut worker, &all, Executors::Fork, budget);
        for ((one, tree), fork) in all.iter().zip(&trees).zip(forks) {
            forked += usize::from(fork.executor != Executor::Exec);
            let (mut tree, mut fork) = (tree.clone(), fork);
            // A trial whose time was up says nothing, and on a busy machine that may be one of both: a mutant that forks for ever, say.
            for _ in 0..3 {
                if (tree.end == End::Unknown) != (fork.end == End::Unknown) {
                    let again = |worker: &mut Worker, executors| {
                        observe(&trials, worker, std::slice::from_ref(one), executors, budget).swap_remove(0)
                    };
                    (tree, fork) = (again(&mut worker, Executors::Exec), again(&mut worker, Executors::Fork));
                }
            }
            fork.executor = tree.executor;
            let node = &project.program.nodes[one.node().unwrap() as usize];
            if tree != fork {
                wrong.push(format!(
                    "{one:?} of {} {:?} line {}:\n{tree:?}\n{fork:?}",
                    node.variable, node.kind, node.place.line
                ));
            }
            assert!(tree.applied || tree.end == End::Unknown || tree.changed.iter().all(|word| *word == 0));
        }
        trials_run += all.len();
    }
    drop(worker);
    assert!(wrong.is_empty(), "{}: {} of {trials_run}:\n{}", subject.source, wrong.len(), wrong.join("\n"));
    let after = state_of(&project.root());
    assert!(before == after, "{}: the project has changed", subject.source);
    (trials_run, forked)
}

#[test]
fn executors_agree_on_a_sample() {
    let _undisturbed = undisturbed();
    for subject in &SUBJECTS {
        let began = std::time::Instant::now();
        let (trials, forked) = compare(subject, 250, 7);
        eprintln!("{}: {trials} trials, {forked} forked, {:?}", subject.source, began.elapsed());
        assert!(forked * 2 > trials, "{}: {forked} of {trials} trials were forked", subject.source);
    }
}

#[test]
fn every_order_to_the_vandal_is_seen_alike_and_harms_nothing() {
    let _undisturbed = undisturbed();
    let project = Project::new(&source("vandal.c"), &["./prog < words.txt"], &FILES);
    let before = state_of(&project.root());
    let mut worker = worker();
    let trials = project.prepare(&mut worker, 0).unwrap();
    let is_order = |node: &&u32| project.program.nodes[**node as usize].variable == "what";
    let nodes: Vec<u32> = trials.oracle().nodes().iter().filter(is_order).copied().collect();
    assert_eq!(nodes.len(), 2, "the parameter and the variable");
    let orders = |node: &u32| {
        let node = *node;
        (0..=40).flat_map(move |order| {
            [0, 1, 2].map(|instance| Override { site: Site::Node(node), instance, change: Change::Set(order) })
        })
    };
    let all: Vec<Override> = nodes.iter().flat_map(orders).collect();
    let budget = budget(trials.longest(), true);
    let trees = observe(&trials, &mut worker, &all, Executors::Exec, budget);
    let forks = observe(&trials, &mut worker, &all, Executors::Auto, budget);
    for ((one, tree), mut fork) in all.iter().zip(&trees).zip(forks) {
        fork.executor = tree.executor;
        assert_eq!(*tree, fork, "{one:?}");
    }
    assert!(state_of(&project.root()) == before, "the project has changed");
}

/// `cargo test --release --test trial -- --ignored`
#[test]
#[ignore = "takes three minutes optimised, and both processors"]
fn executors_agree_on_a_hundred_thousand_trials() {
    let _undisturbed = undisturbed();
    let tests: usize = SUBJECTS.iter().map(|subject| subject.tests.len()).sum();
    let mut total = 0;
    for subject in &SUBJECTS {
        let (trials, forked) = compare(subject, 100_000 / tests + 1, 4711);
        println!("{}: {trials} trials, {forked} forked", subject.source);
        total += trials;
    }
    assert!(total >= 50_000, "{total}");
}
