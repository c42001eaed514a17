//! Running a campaign of code mutants: rounds, budget, storing.

use std::collections::{BTreeMap, HashSet};
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::part::Part;
use super::{CodeTest, CoveredMutant, MutantLab, Shown};
use crate::campaign::CampaignError;
use crate::campaign::pool::{each, locked, prepare_each};
use crate::campaign::run::{MOST_UNWRITTEN, UNWRITTEN, at_once};
use crate::campaign::shelf::Shelf;
use crate::store::{KillKey, KillOutcome, KillStore, KillWriter, Kills, Shard};
use crate::trial::End;

/// Trials of one test that a worker is given at once.
const BATCH: Range<usize> = 64..4096;
/// Tests that take no more edges, a second's at most, are prepared before the trials of a round: what they have to wait for they wait for together.
const QUICK: u64 = 200_000_000;

/// What a campaign of code mutants is to do.
#[derive(Clone, Debug)]
pub struct CodeSettings {
    /// Which part of the trials is run here.
    pub shard: Shard,
    /// Trials at the same time.
    pub jobs: usize,
    /// No trial is begun after this time.
    pub budget: Option<Duration>,
    /// The program's build.
    pub build: u64,
}

/// Looks at a campaign while it runs; called from several threads.
pub trait CodeWatch: Sync {
    /// These trials have ended since the campaign began or was resumed, of so many that were still to do.
    fn tried(&self, counts: &KillCounts, of: usize);
}

/// How trials came out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KillCounts {
    /// All of them.
    pub trials: usize,
    /// The test fails.
    pub killed: usize,
    /// No value was changed.
    pub same: usize,
    /// The clock stopped them.
    pub unknown: usize,
}

/// What a session came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeSummary {
    /// Trials that there are: each mutant on each test that executes it, as far as they are the shard's.
    pub planned: usize,
    /// Those of which the outcome was known before, or that need not be run because another test decided about the mutant.
    pub done_before: usize,
    /// Those done now.
    pub counts: KillCounts,
    /// Those that are still to do.
    pub not_run: usize,
    /// Tests that cannot be used, by position, and why.
    pub refused: BTreeMap<u32, String>,
}

/// A campaign of code mutants.
pub struct CodeCampaign<'a, L: MutantLab> {
    /// The mutants.
    pub mutants: &'a [CoveredMutant],
    /// The tests.
    pub tests: &'a [CodeTest],
    /// Who runs them.
    pub lab: &'a L,
    /// Where results are kept.
    pub store: &'a KillStore,
    /// What to do.
    pub settings: &'a CodeSettings,
    /// Who looks on.
    pub watch: &'a dyn CodeWatch,
}

/// One piece of work: mutants on one test.
struct Batch {
    test: u32,
    mutants: Vec<u32>,
}

/// What the threads of a running campaign share.
struct Shared<'a, L: MutantLab> {
    part: Part<'a>,
    shelf: Shelf<L::Ready>,
    writer: Mutex<KillWriter>,
    counts: Mutex<KillCounts>,
    to_do: usize,
    deadline: Option<Instant>,
    refused: Mutex<BTreeMap<u32, String>>,
    /// Mutants that a decisive test is known to kill.
    decided: Mutex<HashSet<u32>>,
    /// The store refused: no trial is worth running any more.
    broken: AtomicBool,
}

impl<L: MutantLab> CodeCampaign<'_, L> {
    /// Does what is not done yet, as far as the budget goes.
    ///
    /// # Errors
    /// When the store or the system refuses; everything done until then is kept.
    pub fn run(&self) -> Result<CodeSummary, CampaignError> {
        let deadline = self.settings.budget.map(|budget| Instant::now() + budget);
        let known = self.store.load()?;
        let part = Part::new(self.mutants, self.tests, self.settings.shard);
        let decided: HashSet<u32> = self.all().filter(|mutant| self.is_decided(&part, *mutant, &known)).collect();
        let rounds: Vec<usize> =
            (0..part.n_rounds()).map(|round| self.due(&part, round, &known, &decided).count()).collect();
        let planned = part.n_trials();
        let to_do: usize = rounds.iter().sum();
        let mut summary = CodeSummary { planned, done_before: planned - to_do, ..CodeSummary::default() };
        if to_do == 0 {
            return Ok(summary);
        }
        let shared = Shared::<L> {
            part,
            shelf: Shelf::new(self.tests.iter().map(|test| test.test)),
            writer: Mutex::new(self.store.begin(self.settings.shard)?),
            counts: Mutex::default(),
            to_do,
            deadline,
            refused: Mutex::default(),
            decided: Mutex::new(decided),
            broken: AtomicBool::new(false),
        };
        let mut workers = Vec::new();
        for _ in 0..self.settings.jobs.max(1) {
            workers.push(self.lab.worker()?);
        }
        self.rounds(&rounds, &known, &mut workers, &shared)?;
        locked(&shared.writer).sync()?;
        summary.counts = *locked(&shared.counts);
        summary.refused = std::mem::take(&mut locked(&shared.refused));
        summary.not_run = self.left(&shared.part, &locked(&shared.decided), &summary.refused)?;
        Ok(summary)
    }

    fn all(&self) -> std::ops::Range<u32> {
        0..self.mutants.len() as u32
    }

    fn key(&self, mutant: u32, test: u32) -> KillKey {
        self.mutants[mutant as usize].key(&self.tests[test as usize])
    }

    fn is_decided(&self, part: &Part, mutant: u32, known: &Kills) -> bool {
        let kills =
            |test: &u32| known.get(&self.key(mutant, *test)).map(|record| record.outcome) == Some(KillOutcome::Killed);
        part.decisive(mutant).iter().any(kills)
    }

    /// The mutants and tests of a round that are to be run. In each round every mutant that has another test runs on it.
    fn due<'s>(
        &'s self,
        part: &'s Part,
        round: usize,
        known: &'s Kills,
        decided: &'s HashSet<u32>,
    ) -> impl Iterator<Item = (u32, u32)> + 's {
        let wanted = move |mutant: &u32| !decided.contains(mutant);
        let of_round = move |mutant: u32| Some((mutant, *part.tests(mutant).get(round)?));
        // What only the clock stopped may end on a quieter machine, but not in this build without end.
        let is_new = move |(mutant, test): &(u32, u32)| {
            let record = known.get(&self.key(*mutant, *test));
            record.is_none_or(|record| record.outcome == KillOutcome::Unknown && record.build != self.settings.build)
        };
        self.all().filter(wanted).filter_map(of_round).filter(is_new)
    }

    /// Trials that are still to do.
    fn left(
        &self,
        part: &Part,
        decided: &HashSet<u32>,
        refused: &BTreeMap<u32, String>,
    ) -> Result<usize, CampaignError> {
        let known = self.store.load()?;
        let due = (0..part.n_rounds()).flat_map(|round| self.due(part, round, &known, decided));
        Ok(due.filter(|(_, test)| !refused.contains_key(test)).count())
    }

    /// Goes through the rounds; where nothing is decisive any more, as many at once as came before, because one run of a test then serves
    /// more mutants. `left` has the trials of each round that are to be done.
    fn rounds(
        &self,
        left: &[usize],
        known: &Kills,
        workers: &mut [L::Worker],
        shared: &Shared<'_, L>,
    ) -> Result<(), CampaignError> {
        let began = Instant::now();
        let n_decisive = self.all().map(|mutant| shared.part.decisive(mutant).len()).max().unwrap_or(0);
        let mut round = 0;
        while round < left.len() && !shared.is_over() {
            let rate = locked(&shared.counts).trials as f64 / began.elapsed().as_secs_f64();
            let n_rounds = match round < n_decisive {
                true => 1,
                false => at_once(&left[round..], round, rate, shared.time_left()),
            };
            let batches = self.batches(round..round + n_rounds, known, shared, workers.len());
            self.prepare_quick(&batches, workers, shared)?;
            each(workers, &batches, |worker, batch| self.run_batch(worker, batch, shared))?;
            round += n_rounds;
        }
        Ok(())
    }

    fn batches(&self, rounds: Range<usize>, known: &Kills, shared: &Shared<'_, L>, n_workers: usize) -> Vec<Batch> {
        let mut by_test: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let decided = locked(&shared.decided).clone();
        for (mutant, test) in rounds.flat_map(|round| self.due(&shared.part, round, known, &decided)) {
            by_test.entry(test).or_default().push(mutant);
        }
        let n_trials: usize = by_test.values().map(Vec::len).sum();
        let size = (n_trials / (4 * n_workers.max(1))).clamp(BATCH.start, BATCH.end);
        let batches = |(test, mutants): (u32, Vec<u32>)| {
            let chunks: Vec<Batch> =
                mutants.chunks(size).map(|chunk| Batch { test, mutants: chunk.to_vec() }).collect();
            chunks
        };
        by_test.into_iter().flat_map(batches).collect()
    }

    /// Prepares those tests of a round that are quickly prepared, all together, as long as there is room; others when their trials begin.
    fn prepare_quick(
        &self,
        batches: &[Batch],
        workers: &mut [L::Worker],
        shared: &Shared<'_, L>,
    ) -> Result<(), CampaignError> {
        let mut places: BTreeMap<u32, u32> = BTreeMap::new();
        for batch in batches {
            let test = &self.tests[batch.test as usize];
            if test.cost <= QUICK && !shared.shelf.has(test.test) && !locked(&shared.refused).contains_key(&batch.test)
            {
                places.insert(test.test, batch.test);
            }
        }
        let numbers: Vec<u32> = places.keys().copied().collect();
        let has_room = |_| !shared.is_over() && shared.shelf.has_room();
        prepare_each(self.lab, workers, &numbers, has_room, |test, ready| {
            match ready {
                Ok(ready) => {
                    let n_values = self.lab.n_values(&ready);
                    shared.shelf.keep(test, Arc::new(ready), n_values);
                }
                Err(why) => drop(locked(&shared.refused).insert(places[&test], why)),
            }
            Ok(())
        })
    }

    fn run_batch(&self, worker: &mut L::Worker, batch: &Batch, shared: &Shared<'_, L>) -> Result<(), CampaignError> {
        if shared.is_over() || locked(&shared.refused).contains_key(&batch.test) {
            return Ok(());
        }
        let Some(ready) = self.ready(worker, batch.test, shared)? else { return Ok(()) };
        let mut unwritten = Unwritten { records: Vec::new(), since: Instant::now() };
        let mut failure = None;
        let mut shown = |index: usize, shown: Shown| {
            unwritten.records.push((self.key(batch.mutants[index], batch.test), shown.outcome, shown.end));
            let mutant = batch.mutants[index];
            if shown.outcome == KillOutcome::Killed && shared.part.decisive(mutant).contains(&batch.test) {
                locked(&shared.decided).insert(mutant);
            }
            if unwritten.is_due()
                && let Err(error) = self.write(&mut unwritten, shared)
            {
                failure = Some(error);
                shared.broken.store(true, Ordering::Relaxed);
            }
            if shared.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let ran = self.lab.run(worker, &ready, &batch.mutants, &mut shown);
        let written = self.write(&mut unwritten, shared);
        failure.map_or(Ok(()), Err).and(written).and(ran)
    }

    /// The test, prepared if it is not yet; `None` when it cannot be used.
    fn ready(
        &self,
        worker: &mut L::Worker,
        test: u32,
        shared: &Shared<'_, L>,
    ) -> Result<Option<Arc<L::Ready>>, CampaignError> {
        let number = self.tests[test as usize].test;
        shared.shelf.get(number, || match self.lab.prepare(worker, number)? {
            Ok(ready) => {
                let n_values = self.lab.n_values(&ready);
                Ok(Some((ready, n_values)))
            }
            Err(why) => {
                locked(&shared.refused).insert(test, why);
                Ok(None)
            }
        })
    }

    fn write(&self, unwritten: &mut Unwritten, shared: &Shared<'_, L>) -> Result<(), CampaignError> {
        let records = std::mem::take(&mut unwritten.records);
        unwritten.since = Instant::now();
        if records.is_empty() {
            return Ok(());
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        locked(&shared.writer).append(self.settings.build, now, &records)?;
        let counts = {
            let mut counts = locked(&shared.counts);
            records.iter().for_each(|(_, outcome, _)| counts.add(*outcome));
            *counts
        };
        self.watch.tried(&counts, shared.to_do);
        Ok(())
    }
}

impl KillCounts {
    fn add(&mut self, outcome: KillOutcome) {
        self.trials += 1;
        self.killed += usize::from(outcome == KillOutcome::Killed);
        self.same += usize::from(outcome == KillOutcome::Same);
        self.unknown += usize::from(outcome == KillOutcome::Unknown);
    }
}

impl<L: MutantLab> Shared<'_, L> {
    fn is_over(&self) -> bool {
        self.broken.load(Ordering::Relaxed) || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}

/// Outcomes that are not in the store yet.
struct Unwritten {
    records: Vec<(KillKey, KillOutcome, End)>,
    since: Instant,
}

impl Unwritten {
    fn is_due(&self) -> bool {
        self.records.len() >= MOST_UNWRITTEN || self.since.elapsed() >= UNWRITTEN
    }
}
