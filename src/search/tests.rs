//! Searches over a simulated lab.

mod again;
mod lead;
mod policy;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use suspect_format::site::{NodeKind, ValueClass};

use super::*;
use crate::campaign::{AtOnce, CampaignError, Lab, OracleFacts, Prepare};
use crate::evidence::{Candidate, Effect, Kind, Outcome, Strings, Trials, TriedTest};
use crate::program::{Function, Line, Node, Place, Program};
use crate::store::{Store, TriedRecord};
use crate::suite::Verdict;
use crate::trial::{Change, End, Executor, Garbage, Mutant, Observation, Override, Site};

const N_NODES: u32 = 24;
/// The node that is to blame; the condition that only helps at its fifth execution; the test that only node 3 can turn.
const FAULT: u32 = 7;
const LOOP: u32 = 11;
/// The condition that helps at its second and fourth execution together.
const TWICE: u32 = 13;
/// The condition that helps from its third execution on.
const FROM: u32 = 16;
const OTHER: (u32, u32) = (3, 1);

fn program() -> Program {
    let function = Function {
        name: "f".into(),
        unit: 0,
        place: Place::default(),
        last_line: 99,
        external: true,
        content_hash: 0,
        blocks: 0..0,
        pieces: 0..N_NODES,
        edges: 0..0,
        nodes: 0..N_NODES,
        compounds: 0..0,
        operations: 0..0,
        variables: Vec::new(),
    };
    let node = |number: u32| Node {
        function: 0,
        piece: number,
        kind: if [LOOP, TWICE, FROM].contains(&number) { NodeKind::Predicate } else { NodeKind::Assignment },
        class: ValueClass::Signed,
        width: 32,
        place: Place { file: 0, line: number + 1, column: 1 },
        line: Some(number),
        variable: format!("v{number}"),
        type_name: "int".into(),
        expression: format!("v{number}"),
        ordinal: 0,
        value: number,
        true_edge: None,
        false_edge: None,
        true_counter: None,
    };
    Program {
        files: vec!["a.c".into()],
        functions: vec![function],
        nodes: (0..N_NODES).map(node).collect(),
        lines: (0..N_NODES).map(|number| Line { file: 0, line: number + 1 }).collect(),
        ..Program::default()
    }
}

/// Tests 0 to 2 fail; test 2 cannot be used; 3 to 8 pass.
fn tests() -> Vec<SearchTest> {
    let pieces = |test: u32| (0..N_NODES).filter(|piece| test != 1 || *piece != FAULT).collect();
    let wall = Duration::ZERO;
    (0..9)
        .map(|test| SearchTest { test, failed: test < 3, pieces: pieces(test), cost: u64::from(test), wall })
        .collect()
}

struct Ready {
    test: u32,
    garbage: Option<Garbage>,
    nodes: Vec<u32>,
}

impl OracleFacts for Ready {
    fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    fn order(&self) -> &[u32] {
        &self.nodes
    }

    fn unstable(&self) -> &[u32] {
        &[]
    }

    fn values(&self, position: usize) -> impl Iterator<Item = u64> {
        (0..8)
            .map(move |at| u64::from(self.test) + u64::from(![LOOP, TWICE, FROM].contains(&self.nodes[position])) * at)
    }

    fn longest(&self) -> u64 {
        100
    }

    fn matched(&self) -> Option<u64> {
        Some(5)
    }

    fn garbage(&self) -> Option<Garbage> {
        self.garbage
    }

    fn unforkable(&self) -> Option<String> {
        None
    }
}

/// What a trial shows is a function of what it is.
#[derive(Default)]
struct Simulation {
    ran: Mutex<Vec<(u32, Mutant)>>,
    /// Trials after which it breaks down.
    lasts: Option<usize>,
    n_ran: AtomicUsize,
    slow: Duration,
    /// Whether the test that opens a socket may.
    opens: bool,
    /// What locals begin as in failing tests.
    garbage: Option<Garbage>,
    /// How long what makes a failing test pass runs.
    takes: u64,
    /// Trials with a larger budget than the first.
    n_long: AtomicUsize,
}

impl Prepare for Simulation {
    type Worker = ();
    type Begun = AtOnce;
    type Ready = Ready;

    fn worker(&self) -> Result<(), CampaignError> {
        Ok(())
    }

    fn begin(&self, (): &mut (), test: u32) -> Result<Result<AtOnce, String>, CampaignError> {
        Ok(Ok(AtOnce(test)))
    }

    fn ready(&self, (): &mut (), AtOnce(test): AtOnce) -> Result<Result<Ready, String>, CampaignError> {
        let garbage = self.garbage.filter(|_| test < 3);
        Ok(if test == 2 && !self.opens {
            Err("it opens a socket".into())
        } else {
            Ok(Ready { test, garbage, nodes: (0..N_NODES).collect() })
        })
    }
}

impl Lab for Simulation {
    fn run(
        &self,
        (): &mut (),
        ready: &Ready,
        mutants: &[Mutant],
        budget: u64,
        observed: &mut dyn FnMut(usize, Observation) -> ControlFlow<()>,
    ) -> Result<(), CampaignError> {
        for (index, mutant) in mutants.iter().enumerate().rev() {
            if self.lasts.is_some_and(|lasts| self.n_ran.fetch_add(1, Ordering::SeqCst) >= lasts) {
                let problem = "the simulation ends here".into();
                return Err(CampaignError::Trial(crate::trial::TrialError::Worker { problem }));
            }
            std::thread::sleep(self.slow);
            self.ran.lock().unwrap().push((ready.test, mutant.clone()));
            if budget > crate::trial::budget(ready.longest(), ready.test < 3) {
                self.n_long.fetch_add(1, Ordering::Relaxed);
            }
            let mut seen = show(ready.test, mutant);
            if ready.test < 3 && self.takes > budget && seen.passes == Some(true) {
                seen = Observation { end: End::Cut, passes: Some(false), ..seen };
            }
            if observed(index, seen).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// Node 7 is to blame for test 0: values below 5 repair it, and 0 breaks test 5 as well. The loop's condition helps at its fifth execution.
fn show(test: u32, mutant: &Mutant) -> Observation {
    let one = &mutant.overrides[0];
    let Site::Node(node) = one.site else { panic!("nodes alone have candidates here") };
    let small = matches!(one.change, Change::Set(value) if value < 5);
    let at = |instance: u64| mutant.overrides.iter().any(|one| one.instance == instance);
    let turned = match test {
        0 => {
            (node == FAULT && small)
                || (node == LOOP && at(5))
                || (node == TWICE && at(2) && at(4))
                || (node == FROM && (3..9).all(at))
        }
        1 => (node, test) == OTHER && small,
        _ => node == FAULT && one.change == Change::Set(0) && test == 5,
    };
    let further = node == TWICE && at(2);
    let changed = turned || further || node % 3 == 0;
    Observation {
        executor: Executor::Fork,
        end: End::Exited(0),
        applied: node % 5 != 4,
        changed: Box::default(),
        output_changed: changed,
        passes: Some((test > 2) != turned),
        silenced: false,
        matched: Some(if further { 9 } else { 5 }),
        used: 1,
    }
}

#[derive(Default)]
struct Watching {
    ranked: AtomicUsize,
}

impl SearchWatch for Watching {
    fn tried(&self, _: usize) {}

    fn ranked(&self, _: &Trials, probabilities: &[f64]) {
        assert_eq!(probabilities.len(), N_NODES as usize);
        self.ranked.fetch_add(1, Ordering::Relaxed);
    }
}

fn posterior(trials: &Trials) -> Vec<f64> {
    let mut scores = vec![1.0; N_NODES as usize];
    for (position, candidate) in (0..).zip(trials.candidates()) {
        let turned = trials.failing(position).filter(|(_, outcome)| outcome.effect == Effect::Turned).count();
        scores[candidate.line as usize] += turned as f64;
    }
    let sum: f64 = scores.iter().sum();
    scores.into_iter().map(|score| score / sum).collect()
}

fn settings() -> SearchSettings {
    SearchSettings {
        settled_at: None,
        jobs: 1,
        budget: None,
        most_failing: 4,
        most_passing: 6,
        most_further: (0, 0),
        most_trials: 100_000,
        everything: false,
        seed: 1,
    }
}

fn search(lab: &Simulation, store: &Store, settings: &SearchSettings) -> Result<Searched, CampaignError> {
    search_on(&tests(), lab, store, settings)
}

fn search_on(
    tests: &[SearchTest],
    lab: &Simulation,
    store: &Store,
    settings: &SearchSettings,
) -> Result<Searched, CampaignError> {
    search_after(&[], tests, lab, store, settings)
}

fn search_after(
    earlier: &[EarlierRun],
    tests: &[SearchTest],
    lab: &Simulation,
    store: &Store,
    settings: &SearchSettings,
) -> Result<Searched, CampaignError> {
    search_by(&posterior, earlier, tests, lab, store, settings)
}

fn search_by(
    posterior: &(dyn Fn(&Trials) -> Vec<f64> + Sync),
    earlier: &[EarlierRun],
    tests: &[SearchTest],
    lab: &Simulation,
    store: &Store,
    settings: &SearchSettings,
) -> Result<Searched, CampaignError> {
    let program = program();
    let search = Search {
        program: &program,
        tests,
        mutants: &[],
        left_out: &BTreeSet::new(),
        strings: &Strings::default(),
        lab,
        values: lab,
        store: &store.evidence(1),
        earlier,
        settings,
        posterior,
        stop: &AtomicBool::new(false),
        watch: &Watching::default(),
    };
    search.run()
}

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
    let part = (6..).map(|power| within(1 << power)).find(|part| part.n_run > 0).unwrap();
    assert!(!part.is_finished);
    let rest = search(&Simulation::default(), &store, &settings()).unwrap();
    assert!(rest.is_finished && rest.n_known >= part.n_run);
    let (_directory, other) = fresh();
    assert_eq!(known(&rest), known(&search(&Simulation::default(), &other, &settings()).unwrap()));
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
