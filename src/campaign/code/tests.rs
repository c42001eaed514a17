//! Campaigns of code mutants on a made-up suite.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::Duration;

use super::*;
use crate::campaign::{AtOnce, CampaignError, Prepare, Refusal};
use crate::store::{KillOutcome, KillStore, Shard, Store, StoreError};
use crate::trial::End;

/// Twenty mutants and five tests; what comes out is a function of both.
#[derive(Default)]
struct Simulation {
    /// What was run, in order: mutant and test.
    ran: Mutex<Vec<(u32, u32)>>,
    /// After so many trials the process is killed.
    lasts: Option<usize>,
    /// Each trial takes this.
    slow: Duration,
}

fn outcome(mutant: u32, test: u32) -> KillOutcome {
    match (mutant * 7 + test * 3) % 5 {
        0 => KillOutcome::Killed,
        1 => KillOutcome::Same,
        _ => KillOutcome::Passed,
    }
}

impl Prepare for Simulation {
    type Worker = ();
    type Begun = AtOnce;
    type Ready = u32;

    fn worker(&self) -> Result<(), CampaignError> {
        Ok(())
    }

    fn begin(&self, (): &mut (), test: u32) -> Result<Result<AtOnce, Refusal>, CampaignError> {
        Ok(Ok(AtOnce(test)))
    }

    fn ready(&self, (): &mut (), AtOnce(test): AtOnce) -> Result<Result<u32, Refusal>, CampaignError> {
        // Test 14 of the run cannot be used.
        Ok(if test == 14 { Err("it opens a socket".into()) } else { Ok(test - 10) })
    }
}

impl MutantLab for Simulation {
    fn n_values(&self, _: &u32) -> usize {
        1
    }

    fn run(
        &self,
        (): &mut (),
        test: &u32,
        mutants: &[u32],
        shown: &mut dyn FnMut(usize, Shown) -> ControlFlow<()>,
    ) -> Result<(), CampaignError> {
        for (index, mutant) in mutants.iter().enumerate() {
            {
                let mut ran = self.ran.lock().unwrap();
                if self.lasts == Some(ran.len()) {
                    return Err(StoreError::Locked { path: "killed".into() }.into());
                }
                ran.push((*mutant, *test));
            }
            std::thread::sleep(self.slow);
            let end = End::Exited(0);
            if shown(index, Shown { outcome: outcome(*mutant, *test), end }).is_break() {
                break;
            }
        }
        Ok(())
    }
}

struct Quiet;

impl CodeWatch for Quiet {
    fn tried(&self, _: &KillCounts, _: usize) {}
}

/// Mutant m is executed by the tests that do not divide it, the later ones first.
fn mutants() -> Vec<CoveredMutant> {
    let tests = |mutant: u32| (0..4).rev().filter(|test| !mutant.is_multiple_of(test + 2)).collect();
    let mutant =
        |mutant: u32| CoveredMutant { id: u64::from(mutant) * 1000, state: 5, tests: tests(mutant), decisive: 0 };
    (0..20).map(mutant).collect()
}

/// The same, decided by a kill of the first `decisive` of their tests.
fn decided_by(decisive: usize) -> Vec<CoveredMutant> {
    mutants().into_iter().map(|mutant| CoveredMutant { decisive, ..mutant }).collect()
}

fn tests() -> Vec<CodeTest> {
    (0..5).map(|test| CodeTest { test: test + 10, id: u64::from(test), state: 0, cost: 1000 }).collect()
}

fn settings() -> CodeSettings {
    CodeSettings { shard: Shard::WHOLE, jobs: 1, budget: None, build: 1 }
}

fn fresh() -> (tempfile::TempDir, KillStore) {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::new(directory.path()).kills();
    (directory, store)
}

fn run_on(
    lab: &Simulation,
    store: &KillStore,
    settings: &CodeSettings,
    mutants: &[CoveredMutant],
    tests: &[CodeTest],
) -> Result<CodeSummary, CampaignError> {
    CodeCampaign { mutants, tests, lab, store, settings, watch: &Quiet }.run()
}

fn run(lab: &Simulation, store: &KillStore, settings: &CodeSettings) -> Result<CodeSummary, CampaignError> {
    run_on(lab, store, settings, &mutants(), &tests())
}

fn known(store: &KillStore) -> Vec<Verdict> {
    verdicts(&mutants(), &tests(), &store.load().unwrap(), 1, &BTreeMap::new())
}

#[test]
fn every_covering_test_is_run_and_verdicts_say_what_it_did() {
    let (_directory, store) = fresh();
    let lab = Simulation::default();
    let summary = run(&lab, &store, &settings()).unwrap();
    let planned: usize = mutants().iter().map(|mutant| mutant.tests.len()).sum();
    assert_eq!((summary.planned, summary.counts.trials, summary.not_run), (planned, planned, 0));
    for (mutant, verdict) in (0..).zip(known(&store)) {
        let with = |wanted: KillOutcome| -> Vec<u32> {
            verdict.covered_by.iter().copied().filter(|test| outcome(mutant, *test) == wanted).collect()
        };
        assert_eq!(verdict.killed_by, with(KillOutcome::Killed));
        assert_eq!(verdict.same_in, with(KillOutcome::Same));
        assert!(verdict.not_run_in.is_empty() && verdict.carried_over.is_none());
    }
}

#[test]
fn every_mutant_gets_its_first_test_before_any_gets_its_second() {
    let (_directory, store) = fresh();
    let lab = Simulation::default();
    run(&lab, &store, &settings()).unwrap();
    let mutants = mutants();
    let round =
        |(mutant, test): &(u32, u32)| mutants[*mutant as usize].tests.iter().position(|own| own == test).unwrap();
    let rounds: Vec<usize> = lab.ran.into_inner().unwrap().iter().map(round).collect();
    let last = |wanted| rounds.iter().rposition(|round| *round == wanted).unwrap();
    let first = |wanted| rounds.iter().position(|round| *round == wanted).unwrap();
    assert!(last(0) < first(1) && last(1) < first(2), "{rounds:?}");
}

#[test]
fn neither_jobs_nor_shards_nor_interruptions_change_the_results() {
    for decisive in [0, 2, 9] {
        let (settings, mutants) = (settings(), decided_by(decisive));
        let run = |lab: &Simulation, store: &KillStore, settings: &CodeSettings| {
            run_on(lab, store, settings, &mutants, &tests())
        };
        let (_directory, store) = fresh();
        run(&Simulation::default(), &store, &settings).unwrap();
        let reference = known(&store);
        for jobs in [2, 5] {
            let (_directory, store) = fresh();
            run(&Simulation::default(), &store, &CodeSettings { jobs, ..settings.clone() }).unwrap();
            assert_eq!(known(&store), reference, "{jobs} jobs");
        }
        let (_directory, store) = fresh();
        for number in [2, 3, 1] {
            let shard = Shard { number, of: 3 };
            run(&Simulation::default(), &store, &CodeSettings { shard, ..settings.clone() }).unwrap();
        }
        assert_eq!(known(&store), reference, "shards");
        for step in [1, 7] {
            let (_directory, store) = fresh();
            let mut all = BTreeSet::new();
            loop {
                let lab = Simulation { lasts: Some(step), ..Simulation::default() };
                let ended = run(&lab, &store, &settings);
                for one in lab.ran.into_inner().unwrap() {
                    assert!(all.insert(one), "{one:?} ran twice");
                }
                if ended.is_ok() {
                    break;
                }
            }
            assert_eq!(known(&store), reference, "{step} at a time");
        }
    }
}

#[test]
fn after_a_decisive_kill_a_mutant_is_left_alone() {
    for decisive in [1, 2, 9] {
        let (_directory, store) = fresh();
        let run = || run_on(&Simulation::default(), &store, &settings(), &decided_by(decisive), &tests()).unwrap();
        assert_eq!(run().not_run, 0);
        for (mutant, verdict) in mutants().iter().zip(known(&store)) {
            let number = (mutant.id / 1000) as u32;
            let kills = |test: &u32| outcome(number, *test) == KillOutcome::Killed;
            let first = mutant.tests.iter().take(decisive).position(kills);
            let ran = &mutant.tests[..first.map_or(mutant.tests.len(), |first| first + 1)];
            let mut killers: Vec<u32> = ran.iter().copied().filter(kills).collect();
            killers.sort_unstable();
            assert_eq!(verdict.killed_by, killers, "{decisive} decisive tests");
            assert_eq!(verdict.not_run_in.len(), mutant.tests.len() - ran.len());
        }
        assert_eq!(run().counts.trials, 0);
    }
}

#[test]
fn results_are_carried_over_while_neither_code_nor_test_changes() {
    let (_directory, store) = fresh();
    run(&Simulation::default(), &store, &settings()).unwrap();
    let (mut changed, mut other) = (mutants(), tests());
    changed[3].state = 6;
    other[1].state = 9;
    let lab = Simulation::default();
    let later = CodeSettings { build: 2, ..settings() };
    run_on(&lab, &store, &later, &changed, &other).unwrap();
    let ran: BTreeSet<(u32, u32)> = lab.ran.into_inner().unwrap().into_iter().collect();
    let expected = changed.iter().enumerate().flat_map(|(number, mutant)| {
        let tests = mutant.tests.iter().filter(move |test| number == 3 || **test == 1);
        tests.map(move |test| (number as u32, *test))
    });
    assert_eq!(ran, expected.collect());
    let verdicts = verdicts(&changed, &other, &store.load().unwrap(), 2, &BTreeMap::new());
    assert!(verdicts[3].carried_over.is_none() && verdicts[7].carried_over.is_some());
}

#[test]
fn a_test_that_cannot_be_used_is_named_and_counts_only_where_no_other_executes_the_mutant() {
    let (_directory, store) = fresh();
    let mutants: Vec<CoveredMutant> = [vec![4], vec![4, 1]]
        .into_iter()
        .zip([1, 2])
        .map(|(tests, id)| CoveredMutant { id, state: 0, tests, decisive: 0 })
        .collect();
    let summary = run_on(&Simulation::default(), &store, &settings(), &mutants, &tests()).unwrap();
    assert_eq!(summary.refused, BTreeMap::from([(4, "it opens a socket".to_string())]));
    assert_eq!((summary.counts.trials, summary.not_run), (1, 0));
    let verdicts = verdicts(&mutants, &tests(), &store.load().unwrap(), 1, &summary.refused);
    assert_eq!((&verdicts[0].covered_by[..], &verdicts[0].not_run_in[..]), (&[4][..], &[4][..]));
    assert_eq!((&verdicts[1].covered_by[..], verdicts[1].not_run_in.len()), (&[1][..], 0));
}

#[test]
fn a_short_time_runs_first_tests_first_and_no_time_nothing() {
    let (_directory, store) = fresh();
    let none = CodeSettings { budget: Some(Duration::ZERO), ..settings() };
    let summary = run(&Simulation::default(), &store, &none).unwrap();
    assert_eq!((summary.counts.trials, summary.not_run), (0, summary.planned));
    let lab = Simulation { slow: Duration::from_millis(3), ..Simulation::default() };
    let short = CodeSettings { budget: Some(Duration::from_millis(45)), ..settings() };
    let summary = run(&lab, &store, &short).unwrap();
    assert!(summary.not_run > 0 && summary.counts.trials + summary.not_run == summary.planned, "{summary:?}");
    assert_eq!(run(&Simulation::default(), &store, &settings()).unwrap().not_run, 0);
}
