//! Campaigns over a simulated lab: order, budget, interruption, shards.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use suspect_format::site::{NodeKind, ValueClass};

use super::selection::Coverage;
use super::*;
use crate::program::{Function, Node, Place, Program};
use crate::store::{CampaignStore, Shard, Store, TrialRecord};
use crate::trial::{End, Executor, Garbage, Mutant, Observation, TrialError};

fn function(name: &str) -> Function {
    Function {
        name: name.into(),
        unit: 0,
        place: Place::default(),
        last_line: 0,
        external: true,
        content_hash: 0,
        blocks: 0..0,
        pieces: 0..0,
        edges: 0..0,
        nodes: 0..0,
        compounds: 0..0,
        operations: 0..0,
        variables: Vec::new(),
    }
}

fn node(number: u32, class: ValueClass) -> Node {
    Node {
        function: number % 2,
        piece: 0,
        kind: NodeKind::Assignment,
        class,
        width: 32,
        place: Place { file: number % 2, line: number, column: 3 },
        line: None,
        variable: format!("v{number}"),
        type_name: "int".into(),
        expression: format!("v{number}"),
        ordinal: 0,
        value: number,
        true_edge: None,
        false_edge: None,
        true_counter: None,
    }
}

/// Six nodes: integers, a truth, and a pointer that has no mutants.
fn program() -> Program {
    use ValueClass::{Bool, Pointer, Signed, Unsigned};
    let classes = [Signed, Unsigned, Bool, Signed, Pointer, Signed];
    Program {
        files: vec!["src/a.c".into(), "b.c".into()],
        functions: vec![function("main"), function("helper")],
        nodes: (0..).zip(classes).map(|(number, class)| node(number, class)).collect(),
        ..Program::default()
    }
}

/// What a simulated test does: for each node that it covers, the values.
struct Run {
    nodes: Vec<u32>,
    values: Vec<Vec<u64>>,
}

impl OracleFacts for Run {
    fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    fn order(&self) -> &[u32] {
        &self.nodes
    }

    fn unstable(&self) -> &[u32] {
        &[4]
    }

    fn values(&self, position: usize) -> impl Iterator<Item = u64> {
        self.values[position].iter().copied()
    }

    fn longest(&self) -> u64 {
        1000
    }

    fn patience(&self) -> u64 {
        1_000_000
    }

    fn matched(&self) -> Option<u64> {
        None
    }

    fn garbage(&self) -> Option<Garbage> {
        None
    }

    fn unforkable(&self) -> Option<String> {
        None
    }
}

/// A lab without programs: what a trial shows is a hash of what it is.
#[derive(Default)]
struct Simulation {
    /// Every trial that ran, in the order of their ends.
    ran: Mutex<Vec<(u32, Mutant)>>,
    /// Trials after which the lab breaks down.
    lasts: Option<usize>,
    n_ran: AtomicUsize,
    /// Added to all values: another behaviour.
    drift: u64,
    /// Time that each trial takes.
    slow: Duration,
}

impl Prepare for Simulation {
    type Worker = ();
    type Begun = AtOnce;
    type Ready = (u32, Run);

    fn worker(&self) -> Result<(), CampaignError> {
        Ok(())
    }

    fn begin(&self, (): &mut (), test: u32) -> Result<Result<AtOnce, Refusal>, CampaignError> {
        Ok(Ok(AtOnce(test)))
    }

    fn ready(&self, (): &mut (), AtOnce(test): AtOnce) -> Result<Result<(u32, Run), Refusal>, CampaignError> {
        if test == 9 {
            return Ok(Err("it is written in another language".into()));
        }
        let nodes: Vec<u32> = (0..6).filter(|node| !(node + test).is_multiple_of(5)).collect();
        let value = |node: u32, at: u64| u64::from(node) * u64::from(test) * at % 40 + self.drift;
        let values = nodes.iter().map(|node| (0..20).map(|at| value(*node, at)).collect()).collect();
        Ok(Ok((test, Run { nodes, values })))
    }
}

impl Lab for Simulation {
    fn run(
        &self,
        (): &mut (),
        (test, run): &(u32, Run),
        mutants: &[Mutant],
        budget: u64,
        observed: &mut dyn FnMut(usize, Observation) -> ControlFlow<()>,
    ) -> Result<(), CampaignError> {
        for (index, one) in mutants.iter().enumerate().rev() {
            if self.lasts.is_some_and(|lasts| self.n_ran.fetch_add(1, Ordering::SeqCst) >= lasts) {
                return Err(TrialError::Worker { problem: "was killed".into() }.into());
            }
            std::thread::sleep(self.slow);
            self.ran.lock().unwrap().push((*test, one.clone()));
            if observed(index, show(*test, run, one, budget)).is_break() {
                break;
            }
        }
        Ok(())
    }
}

impl OracleFacts for (u32, Run) {
    fn nodes(&self) -> &[u32] {
        self.1.nodes()
    }

    fn order(&self) -> &[u32] {
        self.1.order()
    }

    fn unstable(&self) -> &[u32] {
        self.1.unstable()
    }

    fn values(&self, position: usize) -> impl Iterator<Item = u64> {
        self.1.values(position)
    }

    fn longest(&self) -> u64 {
        self.1.longest()
    }

    fn patience(&self) -> u64 {
        self.1.patience()
    }

    fn matched(&self) -> Option<u64> {
        None
    }

    fn garbage(&self) -> Option<Garbage> {
        self.1.garbage()
    }

    fn unforkable(&self) -> Option<String> {
        self.1.unforkable()
    }
}

fn show(test: u32, run: &Run, one: &Mutant, budget: u64) -> Observation {
    let hash = suspect_format::trace::hash_bytes(u64::from(test), format!("{one:?}").as_bytes());
    Observation {
        executor: if hash & 1 == 0 { Executor::Exec } else { Executor::Fork },
        end: match hash >> 1 & 3 {
            0 => End::Cut,
            1 => End::Signalled(11),
            2 => End::Unknown,
            _ => End::Exited(hash as i32 & 0x7f),
        },
        applied: hash & 16 == 0,
        changed: Box::new([hash >> 8 & ((1 << run.nodes.len()) - 1)]),
        output_changed: hash & 32 == 0,
        passes: [None, Some(true), Some(false)][(hash % 3) as usize],
        silenced: false,
        reached: None,
        matched: None,
        used: budget + (hash & 0xff),
    }
}

struct Quiet;

impl Watch for Quiet {
    fn recorded(&self, _: usize, _: usize) {}
    fn tried(&self, _: &Counts, _: usize) {}
}

fn tests(numbers: &[u32]) -> Vec<KnownTest> {
    let test = |test: &u32| KnownTest { test: *test, name: format!("t{test}"), failed: *test == 2 };
    numbers.iter().map(test).collect()
}

fn settings() -> Settings {
    Settings {
        samples: 6,
        instances: 0,
        seed: 1,
        tests: vec![2, 1, 3],
        nodes: None,
        ranges: BTreeMap::new(),
        shard: Shard::WHOLE,
        jobs: 1,
        budget: None,
    }
}

fn run(lab: &Simulation, store: &CampaignStore, settings: &Settings) -> Result<Summary, CampaignError> {
    let (program, tests) = (program(), tests(&[1, 2, 3, 4, 9]));
    let campaign = Campaign { program: &program, tests: &tests, lab, store, settings, watch: &Quiet };
    campaign.run().map(|(_, summary)| summary)
}

fn records(store: &CampaignStore) -> Vec<TrialRecord> {
    store.trials().unwrap().iter().collect()
}

fn fresh() -> (tempfile::TempDir, CampaignStore) {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::new(directory.path()).campaign(1);
    (directory, store)
}

/// All results of an undisturbed campaign.
fn reference() -> Vec<TrialRecord> {
    let (_directory, store) = fresh();
    let summary = run(&Simulation::default(), &store, &settings()).unwrap();
    assert!(summary.not_run.is_empty() && summary.counts.trials == summary.planned, "{summary:?}");
    assert_eq!(summary.n_unstable, 1);
    let records = records(&store);
    assert!(records.len() > 50 && records.len() == summary.planned);
    records
}

#[test]
fn every_node_gets_its_first_value_before_any_gets_its_second() {
    let (_directory, store) = fresh();
    let lab = Simulation::default();
    run(&lab, &store, &settings()).unwrap();
    let mut per_node: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    let rounds: Vec<usize> = lab
        .ran
        .into_inner()
        .unwrap()
        .iter()
        .map(|(test, one)| {
            let tried = per_node.entry((*test, one.overrides[0].node().unwrap())).or_default();
            *tried += 1;
            *tried
        })
        .collect();
    let last = |round| rounds.iter().rposition(|one| *one == round).unwrap();
    let first = |round| rounds.iter().position(|one| *one == round).unwrap();
    assert!(last(1) < first(2) && last(2) < first(3), "{rounds:?}");
}

#[test]
fn neither_jobs_nor_shards_nor_interruptions_nor_sample_steps_change_the_results() {
    let reference = reference();
    for jobs in [2, 5] {
        let (_directory, store) = fresh();
        run(&Simulation::default(), &store, &Settings { jobs, ..settings() }).unwrap();
        assert!(records(&store) == reference, "{jobs} jobs");
    }
    let (_directory, store) = fresh();
    let mut sum = 0;
    for number in [2, 3, 1] {
        let shard = Shard { number, of: 3 };
        sum += run(&Simulation::default(), &store, &Settings { shard, ..settings() }).unwrap().planned;
    }
    assert!(records(&store) == reference, "shards");
    assert_eq!(sum, reference.len(), "no trial belongs to two shards");
    let (_directory, store) = fresh();
    for samples in [1, 4, 6] {
        run(&Simulation::default(), &store, &Settings { samples, ..settings() }).unwrap();
    }
    let plan: Plan = store.load_plan().unwrap().unwrap();
    let program = program();
    let schedule = Schedule::new(&program, &plan, &[1, 2, 3], (None, &BTreeMap::new()), 1, 6);
    let of_schedule: Vec<_> = records(&store).into_iter().filter(|record| schedule.has(&record.key)).collect();
    assert!(of_schedule == reference, "more samples later");
    let (_directory, store) = fresh();
    for tests in [vec![2], vec![3, 2], vec![1, 2, 3]] {
        run(&Simulation::default(), &store, &Settings { tests, ..settings() }).unwrap();
    }
    assert!(records(&store) == reference, "more tests later");
}

#[test]
fn an_interrupted_campaign_goes_on_where_it_was() {
    let reference = reference();
    for step in [1, 7, 64, 65] {
        let (_directory, store) = fresh();
        let mut all = BTreeMap::new();
        for session in 0.. {
            let before = records(&store).len();
            let lab = Simulation { lasts: Some(step), ..Simulation::default() };
            let ended = run(&lab, &store, &settings());
            let after = records(&store).len();
            for (test, one) in lab.ran.into_inner().unwrap() {
                *all.entry((test, one)).or_insert(0) += 1;
            }
            match ended {
                Ok(summary) => {
                    assert_eq!((summary.done_before, after), (before, reference.len()));
                    break;
                }
                Err(error) => assert!(error.to_string().contains("was killed"), "{error}"),
            }
            assert_eq!(after, before + step, "every finished trial is kept; session {session}");
        }
        assert!(all.values().all(|times| *times == 1), "no trial ran twice");
        assert_eq!(records(&store), reference);
    }
}

#[test]
fn a_torn_file_costs_what_was_torn() {
    let reference = reference();
    let (_directory, store) = fresh();
    run(&Simulation::default(), &store, &settings()).unwrap();
    let path = store.directory().join("shard-1-of-1.1.trials");
    let bytes = std::fs::read(&path).unwrap();
    for cut in (0..bytes.len()).step_by(97) {
        std::fs::write(&path, &bytes[..cut]).unwrap();
        let kept = records(&store).len();
        let lab = Simulation::default();
        run(&lab, &store, &settings()).unwrap();
        assert_eq!(lab.ran.into_inner().unwrap().len(), reference.len() - kept);
        assert_eq!(records(&store), reference);
        for entry in std::fs::read_dir(store.directory()).unwrap() {
            let other = entry.unwrap().path();
            if other != path && other.extension().is_some_and(|extension| extension == "trials") {
                std::fs::remove_file(other).unwrap();
            }
        }
    }
}

#[test]
fn without_time_nothing_runs_and_all_is_said_to_be_missing() {
    let (_directory, store) = fresh();
    let lab = Simulation::default();
    let summary = run(&lab, &store, &Settings { budget: Some(Duration::ZERO), ..settings() }).unwrap();
    assert_eq!((summary.counts.trials, summary.whole_rounds), (0, 0));
    assert_eq!(summary.not_run.values().sum::<usize>(), summary.planned);
    assert!(summary.planned > 0 && lab.ran.into_inner().unwrap().is_empty());
    let all = run(&Simulation::default(), &store, &settings()).unwrap();
    assert_eq!((all.whole_rounds, all.not_run.len()), (all.n_rounds, 0));
}

#[test]
fn a_short_time_completes_the_first_rounds_first() {
    let (_directory, store) = fresh();
    let lab = Simulation { slow: Duration::from_millis(2), ..Simulation::default() };
    let budget = Some(Duration::from_millis(100));
    let summary = run(&lab, &store, &Settings { budget, ..settings() }).unwrap();
    let missing: usize = summary.not_run.values().sum();
    assert!(missing > 0 && summary.counts.trials + missing == summary.planned, "{summary:?}");
    let slots = |records: &[TrialRecord], node| {
        let of = |record: &&TrialRecord| (record.key.test, record.key.node) == (2, node);
        records.iter().filter(of).map(|record| record.key.slot).collect::<BTreeSet<_>>()
    };
    let records = records(&store);
    let n_slots: Vec<usize> = [0, 1, 5].iter().map(|node| slots(&records, *node).len()).collect();
    assert!(n_slots.iter().max().unwrap() - n_slots.iter().min().unwrap() <= 1, "{n_slots:?}");
}

#[test]
fn tests_that_cannot_be_used_are_named_and_left_out() {
    let (_directory, store) = fresh();
    let summary = run(&Simulation::default(), &store, &Settings { tests: vec![9, 2], ..settings() }).unwrap();
    assert_eq!(summary.refused, BTreeMap::from([(9, "it is written in another language".to_string())]));
    assert!(records(&store).iter().all(|record| record.key.test == 2));
    let (_directory, store) = fresh();
    let (program, tests, settings) = (program(), tests(&[9]), settings());
    let lab = &Simulation::default();
    let campaign =
        Campaign { program: &program, tests: &tests, lab, store: &store, settings: &settings, watch: &Quiet };
    let error = campaign.run().unwrap_err().to_string();
    assert!(error.contains("t9") && error.contains("another language"), "{error}");
}

#[test]
fn a_test_that_behaves_otherwise_when_resumed_is_left_out() {
    let (_directory, store) = fresh();
    let lab = Simulation { lasts: Some(5), ..Simulation::default() };
    run(&lab, &store, &settings()).unwrap_err();
    let drifted = Simulation { drift: 1, ..Simulation::default() };
    let summary = run(&drifted, &store, &settings()).unwrap();
    assert_eq!(summary.refused.len(), 3, "{summary:?}");
    assert!(summary.refused.values().all(|why| why.contains("does not behave")));
    assert_eq!(records(&store).len(), 5);
    assert_eq!(summary.not_run.values().sum::<usize>(), summary.planned - 5);
}

#[test]
fn only_selected_nodes_are_mutated_and_the_rest_is_as_without_selection() {
    let (_directory, store) = fresh();
    let nodes = select_nodes(&program(), &["helper()".into()]).unwrap();
    assert_eq!(nodes, [1, 3, 5]);
    run(&Simulation::default(), &store, &Settings { nodes: Some(nodes.clone()), ..settings() }).unwrap();
    let expected: Vec<_> = reference().into_iter().filter(|record| nodes.contains(&record.key.node)).collect();
    assert_eq!(records(&store), expected);
}

#[test]
fn selectors_name_functions_files_lines_and_places() {
    let select = |text: &str| select_nodes(&program(), &[text.to_string()]);
    assert_eq!(select("main()").unwrap(), [0, 2, 4]);
    assert_eq!(select("src/a.c").unwrap(), [0, 2, 4]);
    assert_eq!(select("a.c").unwrap(), [0, 2, 4]);
    assert_eq!(select("b.c:3").unwrap(), [3]);
    assert_eq!(select("b.c:3:3").unwrap(), [3]);
    for wrong in ["c.c", "b.c:4", "b.c:3:4", ".c", "nobody()", "", ":3"] {
        assert_eq!(select(wrong), Err(wrong.to_string()));
    }
    let several = ["b.c:3".to_string(), "helper()".to_string()];
    assert_eq!(select_nodes(&program(), &several).unwrap(), [1, 3, 5]);
}

#[test]
fn the_passing_tests_most_like_the_failing_ones_are_chosen() {
    let test = |test, failed, lines: &[u32]| Coverage { test, failed, lines: lines.to_vec() };
    let mut all = vec![
        test(0, false, &[1, 2]),
        test(1, true, &[1, 2, 3]),
        test(2, false, &[1, 2, 3]),
        test(3, false, &[7]),
        test(4, true, &[8, 9]),
        test(5, false, &[2, 8]),
    ];
    let covering = choose_tests(&all, TestGroup::FailingAndCovering);
    assert_eq!(covering, Chosen { tests: vec![1, 4, 2, 0, 5], n_left_out: 0, n_unrelated: 1 });
    assert_eq!(choose_tests(&all, TestGroup::Failing).tests, [1, 4]);
    assert_eq!(choose_tests(&all, TestGroup::All).tests, [1, 4, 0, 2, 3, 5]);
    all.extend((6..100).map(|number| test(number, false, &[1])));
    let bounded = choose_tests(&all, TestGroup::FailingAndCovering);
    assert_eq!((bounded.tests.len(), bounded.n_left_out), (2 + MOST_PASSING, 97 - MOST_PASSING));
    assert_eq!(bounded.tests[..6], [1, 4, 2, 0, 5, 6]);
}

#[test]
fn of_very_many_tests_some_are_recorded_and_always_the_same() {
    let all: Vec<u32> = (0..MOST_RECORDED as u32).collect();
    assert_eq!(recorded_tests(&all, &[3]), all);
    let all: Vec<u32> = (0..10_000).map(|test| test * 2).collect();
    let some = recorded_tests(&all, &[9000, 4]);
    assert_eq!(some.len(), MOST_RECORDED);
    assert!(some.is_sorted() && some.contains(&9000) && some.contains(&4));
    assert!(some.iter().any(|test| *test > 19_000) && some.iter().all(|test| all.contains(test)));
    assert_eq!(some, recorded_tests(&all, &[4, 9000]));
    assert_eq!(recorded_tests(&all, &all), all);
    let many: Vec<u32> = all[..300].to_vec();
    assert_eq!(recorded_tests(&all, &many), many);
}
