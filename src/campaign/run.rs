//! Running a campaign: planning, rounds, budget, storing.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::pool::{locked, prepare_each};
use super::record::record;
use super::runner::{Batch, Job, Runner, Sizes, workers};
use super::shelf::Shelf;
use super::{CampaignError, Counts, Lab, OracleFacts, Plan, PlannedTest, Schedule, Summary, Trial};
use crate::mutant::{Domain, ValueRange};
use crate::program::Program;
use crate::store::{CampaignStore, LogWriter, Shard, TrialFrame, TrialKey, TrialRecord};
use crate::trial::{self, Mutant, Observation};

/// A test that may be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownTest {
    /// Index in the run's manifest.
    pub test: u32,
    /// Its name.
    pub name: String,
    /// Whether it fails.
    pub failed: bool,
}

/// What a campaign is to do.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Samples of each node.
    pub samples: usize,
    /// So many first executions of a node are overridden one by one too.
    pub instances: u64,
    /// Seed of the samples.
    pub seed: u64,
    /// The tests that mutants run on, by index in the run's manifest, those first that are tried first.
    pub tests: Vec<u32>,
    /// The nodes that are mutated, ascending; all without it.
    pub nodes: Option<Vec<u32>>,
    /// What nodes may take, where that is stated.
    pub ranges: BTreeMap<u32, ValueRange>,
    /// Which part of the trials is done here.
    pub shard: Shard,
    /// Trials at the same time.
    pub jobs: usize,
    /// No trial is begun after this time.
    pub budget: Option<Duration>,
}

/// Looks at a campaign while it runs; called from several threads.
pub trait Watch: Sync {
    /// So many of the tests' runs without mutants have been recorded.
    fn recorded(&self, done: usize, of: usize);
    /// These trials have ended since the campaign began or was resumed, of so many that were still to do.
    fn tried(&self, counts: &Counts, of: usize);
}

/// A campaign.
pub struct Campaign<'a, L: Lab> {
    /// The program.
    pub program: &'a Program,
    /// All tests that count, in the suite's order.
    pub tests: &'a [KnownTest],
    /// Who runs them.
    pub lab: &'a L,
    /// Where results are kept.
    pub store: &'a CampaignStore,
    /// What to do.
    pub settings: &'a Settings,
    /// Who looks on.
    pub watch: &'a dyn Watch,
}

impl<L: Lab> Campaign<'_, L> {
    /// Does what is not done yet, as far as the budget goes.
    ///
    /// # Errors
    /// When the store or the system refuses; everything done until then is kept.
    pub fn run(&self) -> Result<(Plan, Summary), CampaignError> {
        let deadline = self.settings.budget.map(|budget| Instant::now() + budget);
        let mut workers = workers(self.lab, self.settings.jobs)?;
        let empty = || Shelf::new(self.tests.iter().map(|test| test.test));
        let mut shelf = empty();
        let plan = match self.store.load_plan()? {
            Some(plan) => plan,
            None => {
                // Parts that begin meanwhile wait, so that one of them records the tests for all.
                let _planning = self.store.lock_plan()?;
                match self.store.load_plan()? {
                    Some(plan) => plan,
                    None => {
                        let made = self.make_plan(&mut workers, &shelf)?;
                        let kept = self.store.save_plan(made.clone())?;
                        if kept != made {
                            // A file system without locks: another part was quicker, and what is ready here is not what it has seen.
                            shelf = empty();
                        }
                        kept
                    }
                }
            }
        };
        let summary = self.try_all(&plan, &mut workers, Runner::new(shelf, deadline, None))?;
        Ok((plan, summary))
    }

    /// Records every test.
    fn make_plan(&self, workers: &mut [L::Worker], shelf: &Shelf<L::Ready>) -> Result<Plan, CampaignError> {
        let planned: Mutex<BTreeMap<u32, (PlannedTest, Vec<Domain>)>> = Mutex::default();
        let failed: HashMap<u32, bool> = self.tests.iter().map(|test| (test.test, test.failed)).collect();
        let tests: Vec<u32> = self.tests.iter().map(|test| test.test).collect();
        prepare_each(
            self.lab,
            workers,
            &tests,
            |_| true,
            |test, ready| {
                let failed = failed[&test];
                let known = match ready {
                    Err(refusal) => (PlannedTest::refused(test, failed, refusal.why), Vec::new()),
                    Ok(ready) => {
                        let known = PlannedTest::of(test, failed, &ready, self.program);
                        shelf.keep(test, Arc::new(ready), known.0.n_values);
                        known
                    }
                };
                let done = {
                    let mut planned = locked(&planned);
                    planned.insert(test, known);
                    planned.len()
                };
                self.watch.recorded(done, self.tests.len());
                Ok(())
            },
        )?;
        let plan = Plan::of(std::mem::take(&mut *locked(&planned)).into_values());
        match plan.tests.iter().find(|test| test.refused.is_none()) {
            Some(_) => Ok(plan),
            None => Err(self.no_test(&plan)),
        }
    }

    /// That all tests are refused, with the first one's reason.
    fn no_test(&self, plan: &Plan) -> CampaignError {
        let first = self.tests.first().map_or(String::new(), |test| test.name.clone());
        let why = plan.tests.first().and_then(|test| test.refused.clone());
        CampaignError::NoTest { test: first, why: why.unwrap_or_else(|| "there is none".into()) }
    }

    /// Tries everything that the store does not have, round by round.
    fn try_all(
        &self,
        plan: &Plan,
        workers: &mut [L::Worker],
        runner: Runner<L::Ready>,
    ) -> Result<Summary, CampaignError> {
        let Settings { seed, samples, instances, shard, tests, nodes, ranges, .. } = self.settings;
        let schedule = Schedule::new(self.program, plan, tests, (nodes.as_deref(), ranges), *seed, *samples)
            .with_instances(*instances)
            .of_shard(*shard);
        let done: Vec<TrialKey> = self.store.trials()?.keys().collect();
        let of_round = |round: usize| -> (usize, usize) {
            let all = schedule.tests().iter().flat_map(|test| schedule.trials(test, round..round + 1));
            all.fold((0, 0), |(all, left), trial| {
                (all + 1, left + usize::from(done.binary_search(&trial.key).is_err()))
            })
        };
        let rounds: Vec<(usize, usize)> = (0..schedule.n_rounds()).map(of_round).collect();
        let planned: usize = rounds.iter().map(|(all, _)| all).sum();
        let to_do: usize = rounds.iter().map(|(_, left)| left).sum();
        let trials = ValueTrials {
            lab: self.lab,
            plan,
            writer: Mutex::new(self.store.begin_trials(*shard)?),
            counts: Mutex::default(),
            to_do,
            watch: self.watch,
        };
        let left: Vec<usize> = rounds.iter().map(|(_, left)| *left).collect();
        runner.run_rounds(&trials, workers, (&left, 0), |rounds, n_workers| {
            let of_test = |test: &&PlannedTest| {
                let due = schedule.trials(test, rounds.clone());
                let due = due.filter(|trial| done.binary_search(&trial.key).is_err());
                (test.test, due.collect::<Vec<Trial>>())
            };
            Sizes::MUTANTS.batches(schedule.tests().iter().map(of_test).collect(), n_workers)
        })?;
        locked(&trials.writer).sync()?;
        let done: Vec<TrialKey> = self.store.trials()?.keys().collect();
        let mut summary = Summary::of(plan, &schedule, tests, &done);
        summary.planned = planned;
        summary.done_before = planned - to_do;
        summary.counts = *locked(&trials.counts);
        summary.refused.append(&mut runner.refused());
        Ok(summary)
    }
}

/// Trials of value mutants. A test's place is its index in the run's manifest.
struct ValueTrials<'a, L> {
    lab: &'a L,
    plan: &'a Plan,
    writer: Mutex<LogWriter<TrialFrame>>,
    counts: Mutex<Counts>,
    to_do: usize,
    watch: &'a dyn Watch,
}

impl<L> ValueTrials<'_, L> {
    fn planned(&self, place: u32) -> Result<&PlannedTest, String> {
        self.plan.test(place).ok_or_else(|| "it was not planned".to_string())
    }
}

impl<L: Lab> Job for ValueTrials<'_, L> {
    type Lab = L;
    type Trial = Trial;
    type Shown = Observation;
    type Record = TrialRecord;

    fn lab(&self) -> &L {
        self.lab
    }

    fn test(&self, place: u32) -> u32 {
        place
    }

    /// An earlier session has planned the test, or it found no room.
    fn admit(&self, place: u32, ready: &L::Ready) -> Result<Result<usize, String>, CampaignError> {
        Ok(self.planned(place).and_then(|test| {
            match ready.nodes() == test.covered && super::plan::print(ready) == test.print {
                true => Ok(test.n_values),
                false => Err("it does not behave as when the campaign began".to_string()),
            }
        }))
    }

    fn run(
        &self,
        worker: &mut L::Worker,
        ready: &L::Ready,
        batch: &Batch<Trial>,
        shown: &mut dyn FnMut(usize, Observation) -> ControlFlow<()>,
    ) -> Result<(), CampaignError> {
        let mutants: Vec<Mutant> = batch.trials.iter().map(|trial| trial.change.clone().into()).collect();
        let failed = self.plan.test(batch.place).is_some_and(|test| test.failed);
        self.lab.run(worker, ready, &mutants, trial::budget(self.plan.longest(), failed), shown)
    }

    fn record(&self, batch: &Batch<Trial>, index: usize, shown: Observation) -> TrialRecord {
        record(batch.trials[index].key, shown)
    }

    fn keep(&self, batch: &Batch<Trial>, records: Vec<TrialRecord>) -> Result<(), CampaignError> {
        let n_nodes = self.plan.test(batch.place).map_or(0, |test| test.covered.len());
        let frame = TrialFrame { test: batch.place, n_nodes: n_nodes as u32, records };
        locked(&self.writer).append(&frame)?;
        let counts = {
            let mut counts = locked(&self.counts);
            frame.records.iter().for_each(|record| counts.add(record));
            *counts
        };
        self.watch.tried(&counts, self.to_do);
        Ok(())
    }
}
