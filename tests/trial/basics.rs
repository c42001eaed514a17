//! One program from end to end.

use suspect::trial::{Executor, Executors};

use crate::support::{Dice, Project, observe, overrides, source, worker};

const TEXT: &str = "the cat and the dog\nsaw the other cat\nand ran\n";

#[test]
fn trials_of_both_executors_agree() {
    let project = Project::new(&source("words.c"), &["./prog", "./prog missing.txt"], &[("words.txt", TEXT)]);
    let mut worker = worker();
    assert_eq!(worker.missing(), &[] as &[String]);
    let trials = project.prepare(&mut worker, 0).unwrap();
    assert_eq!(trials.executor(), (Executor::Fork, None));
    let all = overrides(&trials, &project.program, 300, &mut Dice(1));
    let budget = suspect::trial::budget(trials.longest(), false);
    let trees = observe(&trials, &mut worker, &all, Executors::Exec, budget);
    let forks = observe(&trials, &mut worker, &all, Executors::Fork, budget);
    for ((one, tree), mut fork) in all.iter().zip(trees).zip(forks) {
        fork.executor = tree.executor;
        assert_eq!(tree, fork, "{one:?} of {:?}", project.program.nodes[one.node().unwrap() as usize]);
    }
}
