//! Running a search: rounds, storing, the end of the budget.

mod facts;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::SearchTest;
use super::earlier::{EarlierRun, holding};
use super::known::{identity, is_second, look_up, record};
use super::lead::Lead;
use super::policy::{Pair, Policy};
use super::tests_chosen::{choose, choose_further};
use crate::campaign::pool::{each, locked, prepare_each};
use crate::campaign::shelf::Shelf;
use crate::campaign::{CampaignError, Lab, MOST_UNWRITTEN, OracleFacts, UNWRITTEN};
use crate::evidence::{Outcome, Strings, Trials};
use crate::mutant::CodeMutant;
use crate::program::{Line, Program};
use crate::store::{Ages, EvidenceStore, EvidenceWriter, TriedRecord, TriedRecords};
use crate::trial::{Garbage, Mutant, Observation, budget, patient_budget};

/// What a search is to do.
#[derive(Clone, Debug)]
pub struct SearchSettings {
    /// Trials at the same time.
    pub jobs: usize,
    /// No trial is begun after this time.
    pub budget: Option<Duration>,
    /// Failing tests that changes are tried on, at most.
    pub most_failing: usize,
    /// Passing tests that changes are tried on, at most.
    pub most_passing: usize,
    /// Further failing and passing tests, at most, on which what repairs all others is tried.
    pub most_further: (usize, usize),
    /// Trials after which the search is over, whatever could still be tried.
    pub most_trials: usize,
    /// Whether every change is tried in the end on every test that executes its place: what the choice of trials is measured against.
    pub everything: bool,
    /// From so many trials on the search ends as soon as one line is far ahead; without it that is no end.
    pub settled_at: Option<usize>,
    /// Seed of values that are drawn.
    pub seed: u64,
}

/// Looks at a search while it runs; called from several threads.
pub trait SearchWatch: Sync {
    /// So many trials are done, of those that are looked up or run.
    fn tried(&self, n_trials: usize);

    /// A round has ended with these probabilities of the program's lines.
    fn ranked(&self, trials: &Trials, probabilities: &[f64]);
}

/// What a search came to.
#[derive(Debug)]
pub struct Searched {
    /// Everything that is known.
    pub trials: Trials,
    /// Tests, by index in the run's manifest, on which nothing can be tried, and why.
    pub refused: BTreeMap<u32, String>,
    /// Tests, by index in the run's manifest, that fail only if locals begin as garbage, as they do in all trials on them.
    pub garbage: BTreeMap<u32, Garbage>,
    /// Trials that were run now.
    pub n_run: usize,
    /// Those that were known before.
    pub n_known: usize,
    /// Whether nothing was left that is worth a trial, or as many were run as a search may; otherwise time was up, or the search was stopped.
    pub is_finished: bool,
    /// Whether it ended because one line was far ahead, though not everything had been tried.
    pub is_settled: bool,
    /// Stretches of the store's files that could not be read: their trials were run again.
    pub n_damaged: usize,
}

/// A search.
pub struct Search<'a, L: Lab> {
    /// The program.
    pub program: &'a Program,
    /// All tests that count.
    pub tests: &'a [SearchTest],
    /// The program's code mutants.
    pub mutants: &'a [CodeMutant],
    /// Its lines that are not ranked: nothing is tried there.
    pub left_out: &'a BTreeSet<u32>,
    /// The strings of its sources.
    pub strings: &'a Strings,
    /// Who runs trials, of which only the output is looked at.
    pub lab: &'a L,
    /// Who tells which values nodes take.
    pub values: &'a L,
    /// Where outcomes are kept.
    pub store: &'a EvidenceStore,
    /// What earlier runs found out, the latest first.
    pub earlier: &'a [EarlierRun],
    /// What to do.
    pub settings: &'a SearchSettings,
    /// The probability of each of the program's lines to hold the fault, as far as trials tell.
    pub posterior: &'a (dyn Fn(&Trials) -> Vec<f64> + Sync),
    /// Set when the search is to end.
    pub stop: &'a AtomicBool,
    /// Who looks on.
    pub watch: &'a dyn SearchWatch,
}

/// What the threads of a running search share.
struct Shared<R> {
    shelf: Shelf<R>,
    /// Nothing where nothing is run.
    writer: Option<Mutex<EvidenceWriter>>,
    refused: Mutex<BTreeMap<u32, String>>,
    /// Of these, those that there was no time for.
    late: Mutex<BTreeSet<u32>>,
    garbage: Mutex<BTreeMap<u32, Garbage>>,
    n_done: AtomicUsize,
    deadline: Option<Instant>,
    broken: AtomicBool,
    /// Whether there was no time to get some test ready.
    hurried: AtomicBool,
}

/// One piece of work: candidates on one test.
struct Batch {
    test: u32,
    /// Whether these are second trials.
    second: bool,
    candidates: Vec<u32>,
}

/// Of the budget, the part in which it is found out what passing tests do by themselves: one in so many. Trials on failing tests tell more.
const SHARE_OF_PASSING: u32 = 4;

/// Batches of a round for each worker: a change after which the program does not end costs a thousand times one after which it stops at once, and the last
/// batch is waited for.
const BATCHES: usize = 16;
/// Tests that are prepared within this time are prepared before the trials of a round: what they have to wait for they wait for together.
const QUICK: Duration = Duration::from_secs(5);
/// Trials of one test that a worker is given at once, at least.
const LEAST_BATCH: usize = 24;

impl<L: Lab> Search<'_, L> {
    /// Searches until nothing is left that is worth a trial, or the budget is spent. Where nothing can be tried on any of the failing tests that were
    /// chosen, others are chosen.
    ///
    /// # Errors
    /// When the store or the system refuses; everything done until then is kept.
    pub fn run(&self) -> Result<Searched, CampaignError> {
        let deadline = self.settings.budget.map(|budget| Instant::now() + budget);
        let mut given_up: BTreeMap<u32, String> = BTreeMap::new();
        loop {
            let left = self.tests.iter().filter(|test| !given_up.contains_key(&test.test)).cloned();
            let left: Vec<SearchTest> = left.collect();
            let mut searched = self.run_on(&left, deadline)?;
            let dead = dead_ends(&searched);
            let has_others = left.iter().any(|test| test.failed && !dead.contains_key(&test.test));
            // Also when time is up: what is known of the others is looked up.
            if dead.is_empty() || !has_others || self.stop.load(Ordering::Relaxed) {
                searched.refused.append(&mut given_up);
                return Ok(searched);
            }
            given_up.extend(dead);
        }
    }

    /// Searches with tests chosen out of these.
    fn run_on(&self, tests: &[SearchTest], deadline: Option<Instant>) -> Result<Searched, CampaignError> {
        let mut chosen = choose(tests, self.settings.most_failing, self.settings.most_passing);
        let n_first = chosen.len();
        let (failing, passing) = self.settings.most_further;
        chosen.extend(choose_further(tests, &chosen, failing, passing));
        let (mut known, n_damaged) = self.store.load()?;
        let shared = Shared {
            shelf: Shelf::new(0..chosen.len() as u32),
            writer: if self.only_looks_up() { None } else { Some(Mutex::new(self.store.begin()?)) },
            refused: Mutex::default(),
            late: Mutex::default(),
            garbage: Mutex::new(self.known_garbage()?),
            n_done: AtomicUsize::new(0),
            deadline,
            broken: AtomicBool::new(false),
            hurried: AtomicBool::new(false),
        };
        let mut workers = Vec::new();
        let n_workers = if self.only_looks_up() { 0 } else { self.settings.jobs.max(1) };
        for _ in 0..n_workers {
            workers.push(self.lab.worker()?);
        }
        let facts = self.facts(&chosen[..n_first], &mut workers, &shared)?;
        let complete: Vec<SearchTest> = chosen.iter().map(|test| facts.complete(test)).collect();
        let chosen: Vec<&SearchTest> = complete.iter().collect();
        let mut searched = Searched {
            trials: self.candidates(&chosen, n_first, &facts),
            refused: BTreeMap::new(),
            garbage: BTreeMap::new(),
            n_run: 0,
            n_known: 0,
            is_finished: false,
            is_settled: false,
            n_damaged,
        };
        let mut refused = self.store.load_refused()?;
        self.try_refused(&chosen, &mut workers, &shared, &refused)?;
        let mut ages = self.store.load_ages()?;
        let mut usable = vec![true; chosen.len()];
        self.note_refused(&chosen, &shared, &mut refused, &mut usable, &mut searched.trials)?;
        let mut policy = Policy::new(self.program, &chosen, n_first, &facts, self.settings.everything);
        let mut lead = Lead::default();
        // What is known is looked up even if there is no time for more.
        while !self.is_halted(&shared) && searched.trials.len() < self.settings.most_trials {
            let probabilities = (self.posterior)(&searched.trials);
            self.watch.ranked(&searched.trials, &probabilities);
            lead.note(searched.trials.len(), &probabilities);
            let room = self.settings.most_trials - searched.trials.len();
            let round = policy.next(&mut searched.trials, &probabilities, &usable, room);
            tracing::debug!(trials = round.len(), after = searched.trials.len(), "a round of the search");
            if round.is_empty() {
                searched.is_finished = true;
                break;
            }
            self.carry_over(&searched.trials, &round, &mut known, &mut ages)?;
            let is_known =
                |pair: &Pair| known.contains_key(&(identity(*pair, &searched.trials), chosen[pair.1 as usize].test));
            let is_long = self.settings.settled_at.is_some_and(|at| searched.trials.len() >= at);
            if is_long && lead.is_clear() && !round.iter().all(is_known) {
                searched.is_settled = true;
                break;
            }
            let is_whole = self.round(&round, (&known, &ages), &chosen, &mut workers, &shared, &mut searched)?;
            self.note_refused(&chosen, &shared, &mut refused, &mut usable, &mut searched.trials)?;
            if !is_whole {
                break;
            }
        }
        if !searched.is_finished {
            self.look_up_rest((&known, &ages), &chosen, &mut searched);
        }
        let refused = std::mem::take(&mut *locked(&shared.refused));
        searched.refused = refused.into_iter().map(|(test, why)| (chosen[test as usize].test, why)).collect();
        searched.garbage = locked(&shared.garbage).clone();
        // Not before: what is tried next is to depend on outcomes alone.
        let n_failing =
            chosen[..n_first].iter().filter(|test| test.failed && !searched.refused.contains_key(&test.test)).count();
        self.set_readers(&mut searched, n_failing);
        searched.is_finished |= searched.trials.len() >= self.settings.most_trials;
        searched.is_finished &= !shared.hurried.load(Ordering::Relaxed);
        Ok(searched)
    }

    /// Whether there is no time to run anything: then nothing is started, and nothing written.
    fn only_looks_up(&self) -> bool {
        self.settings.budget.is_some_and(|budget| budget.is_zero())
    }

    /// Looks up what is known beyond the round in which the search ended: the order in which it was found out may have been another one.
    fn look_up_rest(&self, (known, ages): (&TriedRecords, &Ages), chosen: &[&SearchTest], searched: &mut Searched) {
        for candidate in 0..searched.trials.candidates().len() as u32 {
            for (at, test) in (0..).zip(chosen) {
                if searched.trials.len() < self.settings.most_trials && searched.trials.outcome(candidate, at).is_none()
                {
                    look_up((candidate, at), test.test, (known, ages), searched);
                }
            }
        }
    }

    fn is_over<R>(&self, shared: &Shared<R>) -> bool {
        self.is_stopped(shared.deadline) || shared.broken.load(Ordering::Relaxed)
    }

    fn is_halted<R>(&self, shared: &Shared<R>) -> bool {
        self.stop.load(Ordering::Relaxed) || shared.broken.load(Ordering::Relaxed)
    }

    fn is_stopped(&self, deadline: Option<Instant>) -> bool {
        self.stop.load(Ordering::Relaxed) || deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Tries again, as far as there is time, to get tests ready that were refused before; what it comes to is known before the first round.
    fn try_refused(
        &self,
        chosen: &[&SearchTest],
        workers: &mut [L::Worker],
        shared: &Shared<L::Ready>,
        refused: &BTreeMap<u32, String>,
    ) -> Result<(), CampaignError> {
        let before = positions(chosen, refused);
        if !workers.is_empty() {
            self.prepare_quick(before.clone(), chosen, workers, shared)?;
        }
        for at in before.into_iter().filter(|at| !shared.shelf.has(*at)) {
            let why = refused[&chosen[at as usize].test].clone();
            locked(&shared.refused).entry(at).or_insert(why);
        }
        Ok(())
    }

    /// Brings up to date, and keeps, on which tests nothing can be tried, by index in the run's manifest; what there was no time for can be.
    fn note_refused<R>(
        &self,
        chosen: &[&SearchTest],
        shared: &Shared<R>,
        refused: &mut BTreeMap<u32, String>,
        usable: &mut [bool],
        trials: &mut Trials,
    ) -> Result<(), CampaignError> {
        let before = refused.clone();
        let late = locked(&shared.late).clone();
        for (at, why) in &*locked(&shared.refused) {
            usable[*at as usize] = false;
            if !late.contains(at) {
                refused.insert(chosen[*at as usize].test, why.clone());
            }
        }
        for (_, test) in (0..).zip(chosen).filter(|(at, _)| shared.shelf.has(*at)) {
            refused.remove(&test.test);
        }
        if *refused != before {
            self.store.save_refused(refused)?;
        }
        trials.set_unusable(positions(chosen, refused));
        Ok(())
    }

    /// Adds to what is known what holds still of earlier runs among the trials of a round, and keeps it.
    fn carry_over(
        &self,
        trials: &Trials,
        round: &[Pair],
        known: &mut TriedRecords,
        ages: &mut Ages,
    ) -> Result<(), CampaignError> {
        let mut by_age: BTreeMap<u64, Vec<TriedRecord>> = BTreeMap::new();
        for (record, at) in holding(self.program, self.earlier, trials, round) {
            let key = (record.candidate, record.test);
            if let Entry::Vacant(place) = known.entry(key) {
                place.insert(record);
                ages.insert(key, at);
                by_age.entry(at).or_default().push(record);
            }
        }
        for (at, records) in by_age.iter().filter(|_| !self.only_looks_up()) {
            self.store.carry_over(*at, records)?;
        }
        Ok(())
    }

    /// What is known of locals that begin as garbage: in this run, or else in an earlier one of this very program.
    fn known_garbage(&self) -> Result<BTreeMap<u32, Garbage>, CampaignError> {
        if let Some(garbage) = self.store.load_garbage()? {
            return Ok(garbage);
        }
        // What a later run knew counts.
        let earlier = self.earlier.iter().rev().filter_map(|run| run.unchanged.as_ref());
        let garbage: BTreeMap<u32, Garbage> = earlier.flat_map(|unchanged| unchanged.garbage.clone()).collect();
        if !garbage.is_empty() && !self.only_looks_up() {
            self.store.save_garbage(&garbage)?;
        }
        Ok(garbage)
    }

    /// Does a round: looks up what is known, runs the rest. Whether it was done as a whole.
    fn round(
        &self,
        round: &[Pair],
        (known, ages): (&TriedRecords, &Ages),
        chosen: &[&SearchTest],
        workers: &mut [L::Worker],
        shared: &Shared<L::Ready>,
        searched: &mut Searched,
    ) -> Result<bool, CampaignError> {
        let mut due: BTreeMap<(u32, bool), Vec<u32>> = BTreeMap::new();
        for &pair in round {
            let (candidate, test) = pair;
            let key = (test, is_second(pair, &searched.trials));
            if look_up(pair, chosen[test as usize].test, (known, ages), searched) {
                shared.n_done.fetch_add(1, Ordering::Relaxed);
            } else {
                due.entry(key).or_default().push(candidate);
            }
        }
        if due.is_empty() || workers.is_empty() {
            return Ok(due.is_empty());
        }
        let n_due: usize = due.values().map(Vec::len).sum();
        let size = (n_due / (BATCHES * workers.len().max(1))).max(LEAST_BATCH);
        let batches: Vec<Batch> = due
            .into_iter()
            .flat_map(|((test, second), candidates)| {
                let chunks = candidates.chunks(size).map(|chunk| Batch { test, second, candidates: chunk.to_vec() });
                chunks.collect::<Vec<_>>()
            })
            .collect();
        let tests: BTreeSet<u32> = batches.iter().map(|batch| batch.test).collect();
        self.prepare_quick(tests, chosen, workers, shared)?;
        let outcomes: Mutex<Vec<(Pair, Outcome)>> = Mutex::default();
        each(workers, &batches, |worker, batch| {
            self.run_batch(worker, batch, chosen, &searched.trials, shared, &outcomes)
        })?;
        let outcomes = std::mem::take(&mut *locked(&outcomes));
        searched.n_run += outcomes.len();
        for ((candidate, test), outcome) in outcomes {
            searched.trials.set(candidate, test, outcome);
        }
        Ok(!self.is_over(shared))
    }

    /// Prepares those of these tests that are quickly prepared, all together; others when their trials begin.
    fn prepare_quick(
        &self,
        tests: BTreeSet<u32>,
        chosen: &[&SearchTest],
        workers: &mut [L::Worker],
        shared: &Shared<L::Ready>,
    ) -> Result<(), CampaignError> {
        let refused = locked(&shared.refused).clone();
        let is_new = |at: &u32| !shared.shelf.has(*at) && !refused.contains_key(at);
        let places: HashMap<u32, u32> = tests
            .into_iter()
            .filter(|at| is_new(at) && chosen[*at as usize].ready_in() <= QUICK)
            .map(|at| (chosen[at as usize].test, at))
            .collect();
        let mut numbers: Vec<u32> = places.keys().copied().collect();
        numbers.sort_unstable();
        let has_time = |test: u32| !self.is_over(shared) && has_time(shared.deadline, chosen[places[&test] as usize]);
        prepare_each(self.lab, workers, &numbers, has_time, |test, ready| {
            match ready {
                Ok(ready) => {
                    self.note_garbage(shared, test, &ready)?;
                    shared.shelf.keep(places[&test], Arc::new(ready), 0);
                }
                Err(why) => drop(locked(&shared.refused).insert(places[&test], why)),
            }
            Ok(())
        })
    }

    fn run_batch(
        &self,
        worker: &mut L::Worker,
        batch: &Batch,
        chosen: &[&SearchTest],
        trials: &Trials,
        shared: &Shared<L::Ready>,
        outcomes: &Mutex<Vec<(Pair, Outcome)>>,
    ) -> Result<(), CampaignError> {
        if self.is_over(shared) || locked(&shared.refused).contains_key(&batch.test) {
            return Ok(());
        }
        let test = chosen[batch.test as usize];
        let ready = shared.shelf.get(batch.test, || {
            if !has_time(shared.deadline, test) {
                let needed = test.ready_in();
                let why = format!("getting it ready takes about {needed:.0?}, more than is left of the budget");
                locked(&shared.refused).insert(batch.test, why);
                locked(&shared.late).insert(batch.test);
                shared.hurried.store(true, Ordering::Relaxed);
                return Ok(None);
            }
            match self.lab.prepare(worker, test.test)? {
                Ok(ready) => {
                    self.note_garbage(shared, test.test, &ready)?;
                    Ok(Some((ready, 0)))
                }
                Err(why) => {
                    locked(&shared.refused).insert(batch.test, why);
                    Ok::<_, CampaignError>(None)
                }
            }
        })?;
        let Some(ready) = ready else { return Ok(()) };
        let of = |candidate: &u32| trials.candidates()[*candidate as usize].mutant.clone();
        let mutants: Vec<Mutant> = batch.candidates.iter().map(of).collect();
        let budget = match batch.second {
            true => patient_budget(ready.longest()),
            false => budget(ready.longest(), test.failed),
        };
        let mut unwritten = Unwritten { records: Vec::new(), found: Vec::new(), since: Instant::now() };
        let mut failure = None;
        let mut observed = |index: usize, seen: Observation| {
            let pair = (batch.candidates[index], batch.test);
            let outcome = Outcome::of(&seen, test.failed);
            unwritten.records.push(record(identity(pair, trials), test.test, outcome));
            unwritten.found.push((pair, outcome));
            if unwritten.is_due()
                && let Err(error) = self.write(&mut unwritten, shared, outcomes)
            {
                failure = Some(error);
                shared.broken.store(true, Ordering::Relaxed);
            }
            if self.is_over(shared) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let ran = self.lab.run(worker, &ready, &mutants, budget, &mut observed);
        let written = self.write(&mut unwritten, shared, outcomes);
        failure.map_or(Ok(()), Err).and(written).and(ran)
    }

    /// Notes the lines of functions that read what nothing was assigned to.
    fn set_readers(&self, searched: &mut Searched, n_failing: usize) {
        let functions: Vec<u32> = searched.garbage.values().filter_map(|garbage| garbage.function).collect();
        let is_in = |line: &Line| {
            functions.iter().filter_map(|function| self.program.functions.get(*function as usize)).any(|function| {
                let place = function.place;
                line.file == place.file && (place.line..=function.last_line).contains(&line.line)
            })
        };
        let lines = (0..).zip(&self.program.lines).filter(|(_, line)| is_in(line)).map(|(number, _)| number).collect();
        let share = functions.len() as f64 / n_failing.max(functions.len()).max(1) as f64;
        searched.trials.set_readers(lines, share);
    }

    /// Keeps what locals of a test begin as, for who only looks up what was tried.
    fn note_garbage(&self, shared: &Shared<L::Ready>, test: u32, ready: &L::Ready) -> Result<(), CampaignError> {
        if let Some(garbage) = ready.garbage() {
            let mut all = locked(&shared.garbage);
            let before = all.get(&test).copied();
            // Where values are looked at the function is not looked for.
            let function = garbage.function.or(before.and_then(|before| before.function));
            let garbage = Garbage { function, ..garbage };
            if before != Some(garbage) {
                all.insert(test, garbage);
                self.store.save_garbage(&*all)?;
            }
        }
        Ok(())
    }

    fn write(
        &self,
        unwritten: &mut Unwritten,
        shared: &Shared<L::Ready>,
        outcomes: &Mutex<Vec<(Pair, Outcome)>>,
    ) -> Result<(), CampaignError> {
        let records = std::mem::take(&mut unwritten.records);
        unwritten.since = Instant::now();
        if records.is_empty() {
            return Ok(());
        }
        if let Some(writer) = &shared.writer {
            locked(writer).append(&records)?;
        }
        locked(outcomes).append(&mut unwritten.found);
        let n_done = shared.n_done.fetch_add(records.len(), Ordering::Relaxed) + records.len();
        self.watch.tried(n_done);
        Ok(())
    }
}

/// The positions of tests that were refused.
fn positions(chosen: &[&SearchTest], refused: &BTreeMap<u32, String>) -> BTreeSet<u32> {
    (0..).zip(chosen).filter(|(_, test)| refused.contains_key(&test.test)).map(|(at, _)| at).collect()
}

/// The failing tests that were chosen to try everything on, and why nothing can be tried on them; none if something can be tried on one.
fn dead_ends(searched: &Searched) -> BTreeMap<u32, String> {
    let (trials, refused) = (&searched.trials, &searched.refused);
    let first = || (0..).zip(trials.tests()).filter(|(_, test)| test.failed && !test.further);
    if first().any(|(at, _)| !trials.unusable().contains(&at)) {
        return BTreeMap::new();
    }
    first().filter_map(|(_, test)| Some((test.test, refused.get(&test.test)?.clone()))).collect()
}

/// Whether the test can be got ready before the deadline.
fn has_time(deadline: Option<Instant>, test: &SearchTest) -> bool {
    deadline.is_none_or(|deadline| deadline.saturating_duration_since(Instant::now()) >= test.ready_in())
}

/// Outcomes that are not in the store yet.
struct Unwritten {
    records: Vec<TriedRecord>,
    found: Vec<(Pair, Outcome)>,
    since: Instant,
}

impl Unwritten {
    fn is_due(&self) -> bool {
        self.records.len() >= MOST_UNWRITTEN || self.since.elapsed() >= UNWRITTEN
    }
}
