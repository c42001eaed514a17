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
    assert_eq!(costs, [4096, 40, 24]);
}

#[test]
fn switches_are_extended_only_where_one_got_further_than_the_failing_run() {
    let (program, tests) = (program(), tests());
    let executions = BTreeMap::from([(0, BTreeMap::from([(LOOP, 3)]))]);
    let facts = facts::Facts { executions, ..facts::Facts::default() };
    let first = [&tests[0]];
    let changed = |matched| Outcome { effect: Effect::Changed, end: End::Exited(0), matched: Some(matched) };
    // The failing run's output is right up to byte 5; switching the second execution alone gets it to `second`, and all else to `others`.
    let extended = |second: u64, others: u64| {
        let tried = TriedTest { test: 0, failed: true, matched: Some(5), further: false };
        let mut trials = Trials::new(vec![tried]);
        let throughout = trials.add(Candidate { kind: Kind::Predicate, ..setting(LOOP, 0) });
        trials.set(throughout, 0, changed(others));
        let mut policy = Policy::new(&program, &first, 1, &facts, false);
        let mut rounds = Vec::new();
        for _ in 0..3 {
            let before = trials.candidates().len();
            policy.next(&mut trials, &[1.0; N_NODES as usize], &[true], usize::MAX);
            let made: Vec<Vec<u64>> = trials.candidates()[before..].iter().map(|one| one.instances.to_vec()).collect();
            for (candidate, instances) in (before as u32..).zip(&made) {
                trials.set(candidate, 0, changed(if *instances == [2] { second } else { others }));
            }
            rounds.push(made);
        }
        assert!([1, 2, 3].iter().all(|one| rounds[0].contains(&vec![*one])), "{rounds:?}");
        rounds.split_off(1)
    };
    let nothing: Vec<Vec<u64>> = Vec::new();
    assert_eq!(extended(5, 5), [nothing.clone(), nothing.clone()], "no further");
    assert_eq!(extended(4, 3), [nothing.clone(), nothing.clone()], "less far");
    let pairs = vec![vec![2, 3], vec![2, 4], vec![2, 5]];
    assert_eq!(extended(6, 5), [pairs.clone(), nothing.clone()], "further, but not by the pairs");
    assert_eq!(extended(6, 6)[0], [[1, 2], [1, 3], [1, 4], [1, 5]], "the first of those that got furthest");
}

#[test]
fn what_turned_is_verified_to_the_end_unless_one_line_is_far_ahead() {
    let (program, facts) = (program(), facts::Facts::default());
    let passing = SearchTest { test: 9, failed: false, ..tests()[0].clone() };
    let tests = [&tests()[0].clone(), &passing];
    let verified = |probabilities: [f64; 2]| {
        let tried = |(test, failed)| TriedTest { test, failed, matched: None, further: false };
        let mut trials = Trials::new([(0, true), (9, false)].map(tried).to_vec());
        let turned = Outcome { effect: Effect::Turned, end: End::Exited(0), matched: None };
        for value in 0..60 {
            let candidate = trials.add(setting(1, value));
            trials.set(candidate, 0, turned);
        }
        let mut all = [0.0; N_NODES as usize];
        (all[1], all[2]) = (probabilities[0], probabilities[1]);
        let other = trials.add(setting(2, 0));
        trials.set(other, 0, Outcome { effect: Effect::Unchanged, ..turned });
        let mut policy = Policy::new(&program, &tests, 2, &facts, false);
        let mut n = 0;
        loop {
            let chosen = policy.next(&mut trials, &all, &[true; 2], usize::MAX);
            if chosen.is_empty() {
                return n;
            }
            n += chosen.len();
            chosen.iter().for_each(|(candidate, test)| trials.set(*candidate, *test, turned));
        }
    };
    assert_eq!(verified([0.5, 0.3]), 60);
    assert_eq!(verified([0.9, 0.01]), 10);
}

/// What mends one failing test may do nothing to a cheaper one, which another change turns that breaks a passing test.
#[test]
fn a_failing_test_that_nothing_mends_has_everything_tried_on_it_in_the_end() {
    let (program, facts) = (program(), facts::Facts::default());
    let of = |test: u32, failed: bool| SearchTest { test, failed, cost: u64::from(test), ..tests()[0].clone() };
    let all = [of(0, true), of(1, true), of(2, false)];
    let tests: Vec<&SearchTest> = all.iter().collect();
    let tried = |test: &&SearchTest| TriedTest { test: test.test, failed: test.failed, matched: None, further: false };
    let next = |breaking: Effect| {
        let mut trials = Trials::new(tests.iter().map(tried).collect());
        let mut set = |node: u32, effects: [Option<Effect>; 3]| {
            let candidate = trials.add(setting(node, 7));
            for (test, effect) in (0..).zip(effects).filter_map(|(test, effect)| Some((test, effect?))) {
                trials.set(candidate, test, Outcome { effect, end: End::Exited(0), matched: None });
            }
            candidate
        };
        set(1, [Some(Effect::Turned), Some(Effect::Turned), Some(breaking)]);
        let idle = set(2, [Some(Effect::Unchanged), None, None]);
        let mut policy = Policy::new(&program, &tests, 3, &facts, false);
        (policy.next(&mut trials, &[1.0 / f64::from(N_NODES); N_NODES as usize], &[true; 3], 32), idle)
    };
    let (chosen, idle) = next(Effect::Turned);
    assert_eq!(chosen, [(idle, 1)]);
    assert_eq!(next(Effect::Unchanged).0, []);
}

/// A line may have dozens of changes that turn a test, and time for few of them.
#[test]
fn usual_slips_are_tried_and_verified_before_other_changes_of_their_line() {
    let (program, facts) = (program(), facts::Facts::default());
    let all: Vec<SearchTest> = (0..3).map(|test| SearchTest { test, failed: true, ..tests()[0].clone() }).collect();
    let tests: Vec<&SearchTest> = all.iter().collect();
    let tried = |test: u32| TriedTest { test, failed: true, matched: None, further: false };
    let first = |known: bool| {
        let mut trials = Trials::new((0..3).map(tried).collect());
        for (value, relation) in (0..).zip(["==", "!=", "<=", ">"]) {
            let (original, replacement) = ("<".into(), relation.into());
            let at = trials.add(Candidate { original, replacement, ..setting(1, value) });
            if known {
                trials.set(at, 0, Outcome { effect: Effect::Turned, end: End::Exited(0), matched: None });
            }
        }
        let mut policy = Policy::new(&program, &tests, 3, &facts, false);
        policy.next(&mut trials, &[1.0; N_NODES as usize], &[true; 3], 1)
    };
    assert_eq!(first(false), [(2, 0)]);
    assert_eq!(first(true), [(2, 1)]);
}
