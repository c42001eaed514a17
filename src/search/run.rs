//! Running a search: rounds, storing, the end of the budget.

mod facts;
mod round;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::SearchTest;
use super::earlier::{EarlierRun, holding};
use super::known::{identity, is_second, look_up};
use super::lead::Lead;
use super::policy::{Pair, Policy};
use super::tests_chosen::{affordable, choose, choose_further};
use crate::campaign::pool::locked;
use crate::campaign::runner::{Runner, Sizes, workers};
use crate::campaign::shelf::Shelf;
use crate::campaign::{CampaignError, Lab, OracleFacts};
use crate::evidence::{Strings, Trials};
use crate::mutant::CodeMutant;
use crate::program::{Line, Program};
use crate::store::{Ages, EvidenceStore, LogWriter, TriedRecord, TriedRecords};
use crate::trial::Garbage;
use round::Round;

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
struct Shared<'a, R> {
    /// Runs trials; a test's place is its position among those that were chosen.
    runner: Runner<'a, R>,
    /// Nothing where nothing is run.
    writer: Option<Mutex<LogWriter<Vec<TriedRecord>>>>,
    garbage: Mutex<BTreeMap<u32, Garbage>>,
    n_done: AtomicUsize,
    /// Whether there was no time to find out what some test does by itself.
    hurried: AtomicBool,
}

/// Of the budget, the part in which the values that nodes take are looked at: one in so many. Trials tell more, and changes of code need no values.
pub const SHARE_OF_VALUES: u32 = 2;
/// Of the budget, the part in which those of passing tests are looked at: one in so many. One that takes long holds up all trials.
pub const SHARE_OF_PASSING: u32 = 4;

/// Sizes of batches: a change after which the program does not end costs a thousand times one after which it stops at once, and the last batch is
/// waited for.
const SIZES: Sizes = Sizes { per_worker: 16, trials: 24..usize::MAX };

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
            let (left, mut dear) = affordable(left.collect());
            let mut searched = self.run_on(&left, deadline)?;
            let dead = dead_ends(&searched);
            let has_others = !dear.is_empty() || left.iter().any(|test| test.failed && !dead.contains_key(&test.test));
            // Also when time is up: what is known of the others is looked up.
            if dead.is_empty() || !has_others || self.stop.load(Ordering::Relaxed) {
                searched.refused.append(&mut given_up);
                searched.refused.append(&mut dear);
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
            runner: Runner::new(Shelf::new(0..chosen.len() as u32), deadline, Some(self.stop)),
            writer: if self.only_looks_up() { None } else { Some(Mutex::new(self.store.begin()?)) },
            garbage: Mutex::new(self.known_garbage()?),
            n_done: AtomicUsize::new(0),
            hurried: AtomicBool::new(false),
        };
        let mut workers = if self.only_looks_up() { Vec::new() } else { workers(self.lab, self.settings.jobs)? };
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
        let round = Round::new(self, &chosen, &searched.trials, &shared);
        round.try_refused(&mut workers, &refused)?;
        let mut ages = self.store.load_ages()?;
        let mut usable = vec![true; chosen.len()];
        self.note_refused(&chosen, &shared.runner, &mut refused, &mut usable, &mut searched.trials)?;
        let mut policy = Policy::new(self.program, &chosen, n_first, &facts, self.settings.everything);
        let mut lead = Lead::default();
        // What is known is looked up even if there is no time for more.
        while !shared.runner.is_halted() && searched.trials.len() < self.settings.most_trials {
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
            self.note_refused(&chosen, &shared.runner, &mut refused, &mut usable, &mut searched.trials)?;
            if !is_whole {
                break;
            }
        }
        if !searched.is_finished {
            self.look_up_rest((&known, &ages), &chosen, &mut searched);
        }
        searched.refused =
            shared.runner.refused().into_iter().map(|(test, why)| (chosen[test as usize].test, why)).collect();
        searched.garbage = locked(&shared.garbage).clone();
        // Not before: what is tried next is to depend on outcomes alone.
        let n_failing =
            chosen[..n_first].iter().filter(|test| test.failed && !searched.refused.contains_key(&test.test)).count();
        self.set_readers(&mut searched, n_failing);
        searched.is_finished |= searched.trials.len() >= self.settings.most_trials;
        searched.is_finished &= !shared.hurried.load(Ordering::Relaxed) && shared.runner.late().is_empty();
        Ok(searched)
    }

    /// Whether there is no time to run anything: then nothing is started, and nothing written.
    fn only_looks_up(&self) -> bool {
        self.settings.budget.is_some_and(|budget| budget.is_zero())
    }

    /// Looks up what is known beyond the round in which the search ended: the order in which it was found out may have been another one.
    fn look_up_rest(&self, (known, ages): (&TriedRecords, &Ages), chosen: &[&SearchTest], searched: &mut Searched) {
        let tried: BTreeSet<u32> = known.keys().map(|(_, test)| *test).collect();
        let chosen: Vec<_> = (0..).zip(chosen).filter(|(_, test)| tried.contains(&test.test)).collect();
        for candidate in 0..searched.trials.candidates().len() as u32 {
            for (at, test) in chosen.iter().copied() {
                if searched.trials.len() < self.settings.most_trials && searched.trials.outcome(candidate, at).is_none()
                {
                    look_up((candidate, at), test.test, (known, ages), searched);
                }
            }
        }
    }

    fn is_stopped(&self, deadline: Option<Instant>) -> bool {
        self.stop.load(Ordering::Relaxed) || deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Brings up to date, and keeps, on which tests nothing can be tried, by index in the run's manifest; what there was no time for can be.
    fn note_refused<R: Send + Sync>(
        &self,
        chosen: &[&SearchTest],
        runner: &Runner<R>,
        refused: &mut BTreeMap<u32, String>,
        usable: &mut [bool],
        trials: &mut Trials,
    ) -> Result<(), CampaignError> {
        let before = refused.clone();
        let late = runner.late();
        for (at, why) in runner.refused() {
            usable[at as usize] = false;
            if !late.contains(&at) {
                refused.insert(chosen[at as usize].test, why);
            }
        }
        for (_, test) in (0..).zip(chosen).filter(|(at, _)| runner.has(*at)) {
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
        let due: Vec<(u32, Vec<u32>)> = due.into_iter().map(|((test, _), candidates)| (test, candidates)).collect();
        let outcomes = {
            let round = Round::new(self, chosen, &searched.trials, shared);
            shared.runner.run(&round, workers, &SIZES.batches(due.clone(), workers.len()))?;
            round.outcomes()
        };
        let refused = shared.runner.refused();
        let usable = due.iter().filter(|(test, _)| !refused.contains_key(test));
        // Who runs trials has its own clock.
        let is_whole = outcomes.len() == usable.map(|(_, candidates)| candidates.len()).sum::<usize>();
        searched.n_run += outcomes.len();
        for ((candidate, test), outcome) in outcomes {
            searched.trials.set(candidate, test, outcome);
        }
        Ok(is_whole && !shared.runner.is_over())
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
