//! Searches over a simulated lab.

mod again;
mod lead;
mod policy;
mod simulation;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::*;
use crate::evidence::{Candidate, Effect, Kind, Outcome, Trials, TriedTest};
use crate::store::{Store, TriedRecord};
use crate::suite::Verdict;
use crate::trial::{Change, End, Garbage, Override, Site};
use simulation::*;

#[test]
fn a_test_with_garbage_executes_what_it_was_seen_to_execute() {
    let garbage = Garbage { byte: 1, with_zeros: Verdict::Pass, function: Some(0) };
    for found in [None, Some(garbage)] {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new(directory.path());
        let lab = Simulation { garbage: found, ..Simulation::default() };
        let searched = search(&lab, &store, &settings()).unwrap();
        let expected: BTreeMap<u32, Garbage> = found.into_iter().flat_map(|found| [(0, found), (1, found)]).collect();
        assert_eq!(searched.garbage, expected);
        let ran = lab
            .ran
            .lock()
            .unwrap()
            .iter()
            .any(|(test, mutant)| *test == 1 && mutant.overrides.iter().any(|one| one.site == Site::Node(FAULT)));
        assert_eq!(ran, found.is_some(), "the recorded run of test 1 does not come to the node");
        let again = search(&Simulation { lasts: Some(0), ..Simulation::default() }, &store, &settings()).unwrap();
        assert_eq!((again.n_run, again.garbage), (0, expected), "looked up");
    }
}

#[test]
fn what_the_clock_stopped_is_tried_again_once_its_run_is_none_of_those_looked_at() {
    let (_directory, store) = fresh();
    let first = search(&Simulation::default(), &store, &settings()).unwrap();
    let n_stopped = |age: u64, began: u64| {
        let (records, _) = store.evidence(1).load().unwrap();
        let stopped = |(key, record): ((u64, u32), TriedRecord)| {
            // As if the clock had stopped everything that turned nothing.
            let is_turned = effect_of(&record) == Effect::Turned;
            (key, (if is_turned { record } else { TriedRecord { effect: 4, ..record } }, age))
        };
        let records = records.into_iter().map(stopped).collect();
        let earlier = EarlierRun { began, records, same: vec![true], unchanged: None };
        let (_directory, store) = fresh();
        let later = search_after(&[earlier], &tests(), &Simulation::default(), &store, &settings()).unwrap();
        let all = (0..later.trials.candidates().len() as u32).flat_map(|at| later.trials.outcomes(at));
        all.filter(|(_, outcome)| outcome.effect == Effect::Unknown).count()
    };
    assert!(n_stopped(7, 7) > 0, "its run is still looked at");
    assert_eq!(n_stopped(6, 7), 0, "a run took it over from one that is not");
    assert!(first.n_run > 0);
}

#[test]
fn of_an_earlier_run_of_the_same_program_everything_holds() {
    let garbage = Garbage { byte: 1, with_zeros: Verdict::Pass, function: Some(0) };
    let lab = || Simulation { garbage: Some(garbage), ..Simulation::default() };
    let (_directory, store) = fresh();
    let first = search(&lab(), &store, &settings()).unwrap();
    let of_first = store.evidence(1);
    let earlier = |unchanged| {
        let (records, _) = of_first.load().unwrap();
        let records = records.into_iter().map(|(key, record)| (key, (record, 7))).collect();
        EarlierRun { began: 7, records, same: vec![true], unchanged }
    };
    let again = |earlier: &[EarlierRun], lab: &Simulation| {
        let (_directory, store) = fresh();
        search_after(earlier, &tests(), lab, &store, &settings()).unwrap()
    };

    let turned = |searched: &Searched| {
        let trials = &searched.trials;
        (0..trials.candidates().len() as u32)
            .flat_map(|at| trials.failing(at))
            .filter(|(_, outcome)| outcome.effect == Effect::Turned)
            .count()
    };
    let later = again(&[earlier(None)], &lab());
    assert_eq!((later.n_run, known(&later)), (turned(&first), known(&first)), "what turned a test is tried again");

    // What a run in between knew of fewer tests does not hide what there is.
    let facts = of_first.load_facts::<Facts>();
    assert!(facts.is_some());
    let between = EarlierRun { unchanged: Some(Unchanged::default()), ..EarlierRun::default() };
    let same = Unchanged { facts, garbage: first.garbage.clone() };
    let lab = Simulation { lasts: Some(0), ..Simulation::default() };
    let later = again(&[between, earlier(Some(same))], &lab);
    assert_eq!((later.n_run, known(&later), later.garbage), (0, known(&first), first.garbage));
    assert_eq!(later.trials.carried_over(), Some((first.trials.len(), 7)));
}

#[test]
fn facts_go_with_their_tests() {
    let facts = Facts { tests: vec![3, 5], matched: BTreeMap::from([(3, 9)]), ..Facts::default() };
    let moved = facts.clone().renumbered(|test| Some(test + 1)).unwrap();
    assert_eq!((moved.tests, moved.matched), (vec![4, 6], BTreeMap::from([(4, 9)])));
    assert_eq!(facts.renumbered(|test| (test == 3).then_some(0)), None, "one is not what it was");
}

/// What is known in the end, whatever the order.
fn known(searched: &Searched) -> BTreeMap<(u64, u32), Effect> {
    let trials = &searched.trials;
    let of = |position: u32| {
        let id = trials.candidates()[position as usize].id;
        trials.outcomes(position).iter().map(move |(test, outcome)| ((id, *test), outcome.effect))
    };
    (0..trials.candidates().len() as u32).flat_map(of).collect()
}

fn fresh() -> (tempfile::TempDir, Store) {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::new(directory.path());
    (directory, store)
}

#[test]
fn what_turns_failing_tests_is_found_and_checked_on_passing_ones() {
    let (_directory, store) = fresh();
    let lab = Simulation::default();
    let searched = search(&lab, &store, &settings()).unwrap();
    assert!(searched.is_finished && searched.n_known == 0);
    assert_eq!(searched.refused, BTreeMap::from([(2, "it opens a socket".to_string())]));
    let trials = &searched.trials;
    assert_eq!(*trials.unusable(), BTreeSet::from([position(trials, 2)]));
    let turning: BTreeSet<u32> = (0..trials.candidates().len() as u32)
        .filter(|one| trials.failing(*one).any(|(_, outcome)| outcome.effect == Effect::Turned))
        .map(|one| trials.candidates()[one as usize].line)
        .collect();
    assert_eq!(
        turning,
        BTreeSet::from([OTHER.0, FAULT, LOOP, TWICE, FROM]),
        "also at some executions, also of the second test"
    );
    let zero = (0..).zip(trials.candidates()).find(|(_, one)| {
        one.node == Some(FAULT) && one.mutant.overrides[0].change == Change::Set(0) && one.instances.is_empty()
    });
    let breaks = |position| trials.passing(position).filter(|(_, outcome)| outcome.effect == Effect::Turned).count();
    assert_eq!(zero.map(|(position, _)| (trials.passing(position).count(), breaks(position))), Some((4, 1)));
    // No trial is run twice.
    let ran = lab.ran.into_inner().unwrap();
    assert_eq!(ran.iter().collect::<std::collections::HashSet<_>>().len(), ran.len());
    assert_eq!(ran.len(), searched.n_run);
}

/// The position of a test in the trials.
fn position(trials: &Trials, test: u32) -> u32 {
    trials.tests().iter().position(|one| one.test == test).unwrap() as u32
}

#[test]
fn that_nothing_can_be_tried_on_a_test_is_known_again_and_that_there_was_no_time_is_not() {
    let (_directory, store) = fresh();
    let hurried = SearchSettings { budget: Some(Duration::ZERO), ..settings() };
    assert!(search(&Simulation::default(), &store, &hurried).unwrap().trials.unusable().is_empty());
    search(&Simulation::default(), &store, &settings()).unwrap();
    let again = search(&Simulation::default(), &store, &hurried).unwrap();
    assert_eq!(*again.trials.unusable(), BTreeSet::from([position(&again.trials, 2)]));
    // It can be used after all.
    let lab = Simulation { opens: true, ..Simulation::default() };
    assert!(search(&lab, &store, &settings()).unwrap().trials.unusable().is_empty());
    assert!(search(&lab, &store, &hurried).unwrap().trials.unusable().is_empty());
}

#[test]
fn where_nothing_can_be_tried_on_the_failing_tests_that_were_chosen_others_are() {
    let (_directory, store) = fresh();
    let cheapest = |test: SearchTest| SearchTest { cost: if test.test == 2 { 0 } else { 9 }, ..test };
    let tests: Vec<SearchTest> = tests().into_iter().map(cheapest).collect();
    let one = SearchSettings { most_failing: 1, ..settings() };
    let searched = search_on(&tests, &Simulation::default(), &store, &one).unwrap();
    assert_eq!(searched.refused, BTreeMap::from([(2, "it opens a socket".to_string())]));
    assert!(searched.is_finished && searched.n_run > 0);
    let failing: Vec<u32> = searched.trials.tests().iter().filter(|test| test.failed).map(|test| test.test).collect();
    assert_eq!(failing, [0]);
    let hurried = SearchSettings { budget: Some(Duration::ZERO), ..one.clone() };
    let again = search_on(&tests, &Simulation::default(), &store, &hurried).unwrap();
    assert_eq!((again.n_run, known(&again)), (0, known(&searched)), "what is known is looked up");
    // If there are none, that is the end.
    let searched = search_on(&tests[2..], &Simulation::default(), &store, &one).unwrap();
    assert_eq!((searched.n_run, searched.refused.len()), (0, 1));
}

#[test]
fn neither_jobs_nor_interruptions_change_the_outcome() {
    let (_directory, store) = fresh();
    let reference = known(&search(&Simulation::default(), &store, &settings()).unwrap());
    for jobs in [2, 5] {
        let (_directory, store) = fresh();
        let searched = search(&Simulation::default(), &store, &SearchSettings { jobs, ..settings() }).unwrap();
        assert_eq!(known(&searched), reference, "{jobs} jobs");
    }
    for step in [1, 17, 101] {
        let (_directory, store) = fresh();
        let mut all = std::collections::HashSet::new();
        let last = loop {
            let lab = Simulation { lasts: Some(step), ..Simulation::default() };
            let ended = search(&lab, &store, &settings());
            for one in lab.ran.into_inner().unwrap() {
                assert!(all.insert(one.clone()), "{one:?} ran twice");
            }
            if let Ok(searched) = ended {
                break searched;
            }
        };
        assert_eq!(known(&last), reference, "{step} at a time");
    }
}

#[test]
fn when_time_is_up_what_is_known_is_told_and_the_next_search_goes_on() {
    let (_directory, store) = fresh();
    let none = search(&Simulation::default(), &store, &SearchSettings { budget: Some(Duration::ZERO), ..settings() });
    let none = none.unwrap();
    assert!(!none.is_finished && none.trials.is_empty());
    let slow = Simulation { slow: Duration::from_millis(10), ..Simulation::default() };
    let within = |milliseconds: u64| {
        let short = SearchSettings { budget: Some(Duration::from_millis(milliseconds)), ..settings() };
        search(&slow, &store, &short).unwrap()
    };
    // A busy machine may need longer than that to begin.
    let (_directory, other) = fresh();
    let whole = search(&Simulation::default(), &other, &settings()).unwrap();
    // What is tried by what fewer tests do is other than what is tried at last.
    let facts = |store: &Store| store.evidence(1).load_facts::<facts::Facts>();
    let is_alike = |part: &Searched| part.n_run > 0 && facts(&store) == facts(&other);
    let part = (6..).map(|power| within(1 << power)).find(is_alike).unwrap();
    assert!(!part.is_finished);
    let rest = search(&Simulation::default(), &store, &settings()).unwrap();
    assert!(rest.is_finished && rest.n_known >= part.n_run);
    assert_eq!(known(&rest), known(&whole));
}

#[test]
fn what_repairs_the_first_tests_alone_is_tried_on_further_ones() {
    let (_directory, store) = fresh();
    let further = SearchSettings { most_failing: 1, most_passing: 1, most_further: (2, 9), ..settings() };
    let trials = search(&Simulation::default(), &store, &further).unwrap().trials;
    let tests: Vec<(u32, bool)> = trials.tests().iter().map(|test| (test.test, test.further)).collect();
    assert_eq!((tests.len(), tests.iter().filter(|(_, further)| *further).count()), (9, 7));
    let mut tried: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
    for (position, candidate) in (0..).zip(trials.candidates()) {
        let on_further = trials.outcomes(position).iter().filter(|(test, _)| !trials.is_first(*test)).count();
        tried.entry(candidate.line).or_default().insert(on_further);
    }
    // Five passing tests, and a failing one that does not execute the faulty node. Conditions are switched from some execution on.
    assert_eq!((&tried[&FAULT], &tried[&FROM]), (&BTreeSet::from([0, 5]), &BTreeSet::from([0, 6])));
    let repairing = [FAULT, LOOP, TWICE, FROM];
    assert!(tried.iter().all(|(line, n)| repairing.contains(line) || n == &BTreeSet::from([0])), "{tried:?}");
}

#[test]
fn everything_is_all_changes_on_all_tests_that_execute_them_and_tells_no_more() {
    let (_directory, store) = fresh();
    let chosen = search(&Simulation::default(), &store, &settings()).unwrap();
    let (_directory, store) = fresh();
    let all = SearchSettings { everything: true, ..settings() };
    let everything = search(&Simulation::default(), &store, &all).unwrap();
    assert!(everything.is_finished && everything.trials.len() > chosen.trials.len());
    let trials = &everything.trials;
    let usable = (0..).zip(trials.tests()).filter(|(_, test)| test.test != 2).map(|(position, _)| position);
    let usable: Vec<u32> = usable.collect();
    for (position, candidate) in (0..).zip(trials.candidates()).filter(|(_, one)| one.instances.is_empty()) {
        let pieces = crate::evidence::pieces_of(&program(), candidate);
        let tests = tests();
        let executes = |test: &&u32| {
            tests.iter().any(|one| {
                one.test == trials.tests()[**test as usize].test && pieces.iter().any(|piece| one.executes(*piece))
            })
        };
        let wanted: Vec<u32> = usable.iter().filter(executes).copied().collect();
        let mut tried: Vec<u32> = trials.outcomes(position).iter().map(|(test, _)| *test).collect();
        tried.sort_unstable();
        assert_eq!(tried, wanted, "{candidate:?}");
    }
    let known = known(&everything);
    assert!(self::known(&chosen).iter().all(|(key, effect)| known.get(key) == Some(effect)));
}

#[test]
fn a_bound_on_trials_ends_the_search() {
    let (_directory, store) = fresh();
    let few = SearchSettings { most_trials: 50, ..settings() };
    let searched = search(&Simulation::default(), &store, &few).unwrap();
    assert!(searched.is_finished && (50..300).contains(&searched.trials.len()), "{}", searched.trials.len());
}

#[test]
fn within_a_bound_single_executions_have_their_share() {
    let bounded = |most_trials: usize| {
        let (_directory, store) = fresh();
        search(&Simulation::default(), &store, &SearchSettings { most_trials, ..settings() }).unwrap().trials
    };
    let shares = |trials: &Trials| {
        let (mut single, mut untried) = (0, 0);
        for (position, candidate) in (0..).zip(trials.candidates()) {
            let is_everywhere = candidate.instances.is_empty();
            single += usize::from(!is_everywhere && !trials.outcomes(position).is_empty());
            untried += usize::from(is_everywhere && trials.outcomes(position).is_empty());
        }
        (single, untried)
    };
    // The first round tries 192 of some 210 changes.
    let found: Vec<_> = (190..250).step_by(10).map(|most_trials| shares(&bounded(most_trials))).collect();
    assert!(found.iter().any(|(single, untried)| *single > 0 && *untried > 0), "{found:?}");
}

#[test]
fn of_the_tests_that_execute_a_line_the_cheapest_comes_first() {
    let failing = |test: u32, pieces: std::ops::Range<u32>, cost: u64| SearchTest {
        test,
        failed: true,
        pieces: pieces.collect(),
        cost,
        wall: Duration::ZERO,
    };
    // The second test is least like the first one, and dear.
    let tests = [failing(3, 0..1, 1), failing(1, 1..N_NODES, 100), failing(0, 0..N_NODES, 5)];
    let (_directory, store) = fresh();
    let lab = Simulation::default();
    search_on(&tests, &lab, &store, &SearchSettings { most_trials: 50, ..settings() }).unwrap();
    let ran: BTreeSet<u32> = lab.ran.into_inner().unwrap().iter().map(|(test, _)| *test).collect();
    assert_eq!(ran, BTreeSet::from([0, 3]));
}

#[test]
fn what_passing_tests_do_takes_a_share_of_the_budget_alone() {
    let (directory, store) = fresh();
    let wall = Duration::from_secs(60);
    let tests: Vec<SearchTest> = tests().into_iter().map(|test| SearchTest { wall, ..test }).collect();
    // Five runs of each have to fit.
    let budget =
        |seconds| SearchSettings { budget: Some(Duration::from_secs(seconds)), most_trials: 400, ..settings() };
    let n_wanted = facts::Facts::wanted(&tests.iter().collect::<Vec<_>>()).len();
    // What there was time for is kept, but not taken for all.
    let known = || store.evidence(1).load_facts::<facts::Facts>().is_some_and(|facts| facts.tests.len() == n_wanted);
    let searched = search_on(&tests, &Simulation::default(), &store, &budget(1000)).unwrap();
    assert!(!searched.is_finished && searched.n_run > 0 && !known(), "a quarter is not enough: more may be found out");
    let searched = search_on(&tests, &Simulation::default(), &store, &budget(2000)).unwrap();
    assert!(searched.is_finished && known());
    drop(directory);
}

#[test]
fn values_that_there_was_no_time_for_are_looked_at_again() {
    let (_directory, store) = fresh();
    // There is far more time than that: who says that it was over is the test.
    let settings = SearchSettings { budget: Some(Duration::from_secs(1000)), ..settings() };
    let known = || store.evidence(1).load_facts::<Facts>().is_some_and(|facts| facts.tests.contains(&3));
    let late = Simulation { is_late: true, ..Simulation::default() };
    assert!(!search(&late, &store, &settings).unwrap().is_finished && !known());
    assert!(search(&Simulation::default(), &store, &settings).unwrap().is_finished && known());
}
