//! What a policy tries next, of trials that are given.

use crate::search::policy::Policy;

use super::*;

/// A candidate that gives `node` a value throughout.
fn setting(node: u32, value: u64) -> Candidate {
    Candidate {
        id: u64::from(node) << 32 | value,
        kind: Kind::Value,
        line: node,
        node: Some(node),
        instances: Box::default(),
        mutant: Override { site: Site::Node(node), instance: 0, change: Change::Set(value) }.into(),
        original: String::new(),
        replacement: String::new(),
        edit: None,
    }
}

#[test]
fn what_turned_one_of_many_failing_tests_is_tried_on_a_second_one_though_its_line_is_improbable() {
    let (program, facts) = (program(), facts::Facts::default());
    let failing = |test: u32| SearchTest { test, failed: true, cost: u64::from(9 - test), ..tests()[0].clone() };
    let tests: Vec<SearchTest> = (0..6).map(failing).collect();
    let tests: Vec<&SearchTest> = tests.iter().collect();
    let tried = |test: u32| TriedTest { test, failed: true, matched: None, further: false };
    let mut trials = Trials::new((0..6).map(tried).collect());
    let mut turned = |node: u32, value: u64, effects: &[Effect]| {
        let candidate = trials.add(setting(node, value));
        for (test, effect) in (0..).zip(effects) {
            trials.set(candidate, test, Outcome { effect: *effect, end: End::Exited(0), matched: None });
        }
        candidate
    };
    let refuted: Vec<u32> = (0..12).map(|value| turned(1, value, &[Effect::Turned, Effect::Unchanged])).collect();
    let probable: Vec<u32> = (0..12).map(|value| turned(2, value, &[Effect::Turned])).collect();
    let improbable = turned(3, 0, &[Effect::Turned]);
    let mut probabilities = [0.0; N_NODES as usize];
    (probabilities[1], probabilities[2], probabilities[3]) = (0.6, 0.3, 0.05);
    let mut policy = Policy::new(&program, &tests, 6, &facts, false);
    let chosen = policy.next(&mut trials, &probabilities, &[true; 6], 32);
    assert_eq!(chosen.len(), 32);
    let of = |candidates: &[u32]| chosen.iter().filter(|(candidate, _)| candidates.contains(candidate)).count();
    assert_eq!(of(&[improbable]), 1, "{chosen:?}");
    assert!(of(&refuted) >= 16 && of(&probable) >= 3, "{chosen:?}");
    assert!(chosen.contains(&(improbable, 5)), "the cheapest of the others comes first: {chosen:?}");
}

#[test]
fn lines_whose_trials_run_until_their_time_is_up_come_later() {
    let (program, tests, facts) = (program(), tests(), facts::Facts::default());
    let tried = TriedTest { test: 0, failed: true, matched: None, further: false };
    let mut trials = Trials::new(vec![tried]);
    for (node, effect) in [(1, Effect::Unknown), (2, Effect::Unchanged)] {
        let all: Vec<u32> = (0..6).map(|value| trials.add(setting(node, value))).collect();
        trials.set(all[0], 0, Outcome { effect, end: End::Exited(0), matched: None });
    }
    let first = [&tests[0]];
    let mut policy = Policy::new(&program, &first, 1, &facts, false);
    let chosen = policy.next(&mut trials, &[1.0 / f64::from(N_NODES); N_NODES as usize], &[true], 3);
    let lines: Vec<u32> = chosen.iter().map(|(candidate, _)| trials.candidates()[*candidate as usize].line).collect();
    assert_eq!(lines, [1, 2, 2], "they would come in turn");
}

#[test]
fn rounds_of_slow_tests_are_smaller() {
    let (program, facts) = (program(), facts::Facts::default());
    let tried = TriedTest { test: 0, failed: true, matched: None, further: false };
    let largest = |cost: u64| {
        let test = SearchTest { cost, ..tests()[0].clone() };
        let (tests, mut trials) = ([&test], Trials::new(vec![tried]));
        (0..5000).for_each(|value| _ = trials.add(setting(1, value)));
        let mut policy = Policy::new(&program, &tests, 1, &facts, false);
        let mut next = || policy.next(&mut trials, &[1.0; N_NODES as usize], &[true], usize::MAX).len();
        (0..9).map(|_| next()).max().unwrap()
    };
    let costs = [2_000_000, 20_000_000, 1_000_000_000].map(largest);
    assert_eq!(costs, [4096, 409, 192]);
}
