//! Running a campaign: planning, rounds, budget, storing.

use std::collections::{BTreeMap, HashMap};
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::pool::{each, locked, prepare_each};
use super::record::record;
use super::shelf::Shelf;
use super::{CampaignError, Counts, Lab, OracleFacts, Plan, PlannedTest, Schedule, Summary, Trial};
use crate::mutant::Domain;
use crate::program::Program;
use crate::store::{CampaignStore, Shard, TrialKey, TrialRecord, TrialWriter};
use crate::trial::{self, Mutant, Observation};

/// Trials of one test that a worker is given at once: a fork of the test's run serves all of them.
const BATCH: Range<usize> = 64..4096;
/// Finished trials are written together only as long as this.
pub(crate) const UNWRITTEN: Duration = Duration::from_millis(10);
/// Finished trials that are written together.
pub(crate) const MOST_UNWRITTEN: usize = 64;

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

/// One piece of work: trials of one test.
struct Batch<'a> {
    test: &'a PlannedTest,
    trials: Vec<Trial>,
}

/// What the threads of a running campaign share.
struct Shared<'a, L: Lab> {
    shelf: &'a Shelf<L::Ready>,
    writer: Mutex<TrialWriter>,
    counts: Mutex<Counts>,
    to_do: usize,
    deadline: Option<Instant>,
    longest: u64,
    /// Tests that turned out not to be those that were planned.
    refused: Mutex<BTreeMap<u32, String>>,
    /// The store refused: no trial is worth running any more.
    broken: AtomicBool,
}

impl<L: Lab> Campaign<'_, L> {
    /// Does what is not done yet, as far as the budget goes.
    ///
    /// # Errors
    /// When the store or the system refuses; everything done until then is kept.
    pub fn run(&self) -> Result<(Plan, Summary), CampaignError> {
        let deadline = self.settings.budget.map(|budget| Instant::now() + budget);
        let mut workers = Vec::new();
        for _ in 0..self.settings.jobs.max(1) {
            workers.push(self.lab.worker()?);
        }
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
        let summary = self.try_all(&plan, &mut workers, &shelf, deadline)?;
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
                    Err(why) => (PlannedTest::refused(test, failed, why), Vec::new()),
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
        shelf: &Shelf<L::Ready>,
        deadline: Option<Instant>,
    ) -> Result<Summary, CampaignError> {
        let Settings { seed, samples, instances, shard, tests, nodes, .. } = self.settings;
        let schedule = Schedule::new(self.program, plan, tests, nodes.as_deref(), *seed, *samples)
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
        let shared = Shared::<L> {
            shelf,
            writer: Mutex::new(self.store.begin_trials(*shard)?),
            counts: Mutex::default(),
            to_do,
            deadline,
            longest: plan.longest(),
            refused: Mutex::default(),
            broken: AtomicBool::new(false),
        };
        let left: Vec<usize> = rounds.iter().map(|(_, left)| *left).collect();
        self.rounds(&schedule, &left, &done, workers, &shared)?;
        locked(&shared.writer).sync()?;
        let done: Vec<TrialKey> = self.store.trials()?.keys().collect();
        let mut summary = Summary::of(plan, &schedule, tests, &done);
        summary.planned = planned;
        summary.done_before = planned - to_do;
        summary.counts = *locked(&shared.counts);
        summary.refused.append(&mut locked(&shared.refused));
        Ok(summary)
    }

    /// Goes through the rounds, as many at once as came before, because one run of a test then serves more of its mutants; fewer
    /// where time is short. `left` has the trials of each round that are to be done.
    fn rounds(
        &self,
        schedule: &Schedule,
        left: &[usize],
        done: &[TrialKey],
        workers: &mut [L::Worker],
        shared: &Shared<L>,
    ) -> Result<(), CampaignError> {
        let began = Instant::now();
        let mut round = 0;
        while round < left.len() && !shared.is_over() {
            let tried = locked(&shared.counts).trials;
            let rate = tried as f64 / began.elapsed().as_secs_f64();
            let n_rounds = at_once(&left[round..], round, rate, shared.time_left());
            let n_trials: usize = left[round..round + n_rounds].iter().sum();
            let batches = self.batches(schedule, round..round + n_rounds, n_trials, done, workers.len());
            each(workers, &batches, |worker, batch| self.run_batch(worker, batch, shared))?;
            round += n_rounds;
        }
        Ok(())
    }

    /// The trials of some rounds that are not done, test by test.
    fn batches<'s>(
        &self,
        schedule: &Schedule<'s>,
        rounds: Range<usize>,
        n_trials: usize,
        done: &[TrialKey],
        n_workers: usize,
    ) -> Vec<Batch<'s>> {
        let size = (n_trials / (4 * n_workers.max(1))).clamp(BATCH.start, BATCH.end);
        let mut batches = Vec::new();
        for test in schedule.tests() {
            let due = schedule.trials(test, rounds.clone());
            let due: Vec<Trial> = due.filter(|trial| done.binary_search(&trial.key).is_err()).collect();
            batches.extend(due.chunks(size).map(|trials| Batch { test, trials: trials.to_vec() }));
        }
        batches
    }

    fn run_batch(&self, worker: &mut L::Worker, batch: &Batch, shared: &Shared<L>) -> Result<(), CampaignError> {
        let test = batch.test;
        if shared.is_over() || locked(&shared.refused).contains_key(&test.test) {
            return Ok(());
        }
        let ready = shared.shelf.get(test.test, || self.ready_again(worker, test, shared))?;
        let Some(ready) = ready else { return Ok(()) };
        let mutants: Vec<Mutant> = batch.trials.iter().map(|trial| trial.change.clone().into()).collect();
        let budget = trial::budget(shared.longest, test.failed);
        let mut unwritten = Unwritten { test, records: Vec::new(), since: Instant::now() };
        let mut failure = None;
        let mut observed = |index: usize, seen: Observation| {
            unwritten.records.push(record(batch.trials[index].key, seen));
            if unwritten.is_due()
                && let Err(error) = self.write(&mut unwritten, shared)
            {
                failure = Some(error);
                shared.broken.store(true, Ordering::Relaxed);
            }
            if shared.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let ran = self.lab.run(worker, &ready, &mutants, budget, &mut observed);
        let written = self.write(&mut unwritten, shared);
        failure.map_or(Ok(()), Err).and(written).and(ran)
    }

    /// Prepares a test that an earlier session has planned, or that found no room.
    fn ready_again(
        &self,
        worker: &mut L::Worker,
        test: &PlannedTest,
        shared: &Shared<L>,
    ) -> Result<Option<(L::Ready, usize)>, CampaignError> {
        let refusal = match self.lab.prepare(worker, test.test)? {
            Ok(ready) if ready.nodes() == test.covered && super::plan::print(&ready) == test.print => {
                return Ok(Some((ready, test.n_values)));
            }
            Ok(_) => "it does not behave as when the campaign began".to_string(),
            Err(why) => why,
        };
        locked(&shared.refused).insert(test.test, refusal);
        Ok(None)
    }

    fn write(&self, unwritten: &mut Unwritten, shared: &Shared<L>) -> Result<(), CampaignError> {
        let records = std::mem::take(&mut unwritten.records);
        unwritten.since = Instant::now();
        if records.is_empty() {
            return Ok(());
        }
        locked(&shared.writer).append(unwritten.test.test, unwritten.test.covered.len() as u32, &records)?;
        let counts = {
            let mut counts = locked(&shared.counts);
            records.iter().for_each(|record| counts.add(record));
            *counts
        };
        self.watch.tried(&counts, shared.to_do);
        Ok(())
    }
}

impl<L: Lab> Shared<'_, L> {
    fn is_over(&self) -> bool {
        self.broken.load(Ordering::Relaxed) || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}

/// Finished trials of one test that are not in the store yet.
struct Unwritten<'a> {
    test: &'a PlannedTest,
    records: Vec<TrialRecord>,
    since: Instant,
}

impl Unwritten<'_> {
    fn is_due(&self) -> bool {
        self.records.len() >= MOST_UNWRITTEN || self.since.elapsed() >= UNWRITTEN
    }
}

/// Rounds to do together of those still to do, with `left` trials each, after `before` others: at least one, at most as many again, and
/// not more than takes a quarter of the time at that `rate` (trials a second).
pub(super) fn at_once(left: &[usize], before: usize, rate: f64, time: Option<Duration>) -> usize {
    let most = left.len().min(before.max(1));
    let Some(time) = time else { return most };
    let affordable = rate * time.as_secs_f64() / 4.0;
    let mut sum = 0.0;
    let fits = left[..most].iter().take_while(|trials| {
        sum += **trials as f64;
        sum <= affordable
    });
    fits.count().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_done_together_where_time_suffices() {
        let (ten, left) = (Some(Duration::from_secs(10)), [100; 20]);
        assert_eq!([0, 1, 2, 4, 8].map(|before| at_once(&left, before, 0.0, None)), [1, 1, 2, 4, 8]);
        assert_eq!(at_once(&left[..3], 16, 0.0, None), 3);
        assert_eq!([0, 1, 4].map(|before| at_once(&left, before, 1e9, ten)), [1, 1, 4]);
        assert_eq!(at_once(&left, 8, 80.0, ten), 2);
        assert_eq!(at_once(&left, 8, 1.0, ten), 1);
    }
}
