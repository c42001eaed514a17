//! The one way in which trials are run: tests are got ready once, outcomes are kept as trials end, nothing begins after the deadline.
//!
//! Value mutants, code mutants and the changes of a search are its jobs.
//!
//! ```text
//! Job ──> batches (a test, its trials) ──> Runner::run ──(worker, ready test)──> Job::record ──> Job::keep ──> store
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::pool::{each, locked, prepare_each};
use super::shelf::Shelf;
use super::{CampaignError, Prepare, Refusal};

/// Milliseconds that finished trials wait for others, to be written together.
const UNWRITTEN: Duration = Duration::from_millis(10);
/// Finished trials that are written together, at most.
const MOST_UNWRITTEN: usize = 64;

/// What runs one test of a job at a time.
pub type WorkerOf<J> = <<J as Job>::Lab as Prepare>::Worker;
/// A test of a job that is ready for trials.
pub type ReadyOf<J> = <<J as Job>::Lab as Prepare>::Ready;

/// What is tried, and what becomes of the outcomes. Tests are known by places, numbers of the job's own choice.
pub trait Job: Sync {
    /// Who gets tests ready.
    type Lab: Prepare;
    /// One trial of a test.
    type Trial: Sync;
    /// What a trial showed.
    type Shown;
    /// What is kept of that.
    type Record;

    /// Who gets tests ready.
    fn lab(&self) -> &Self::Lab;

    /// The test of a place, as index in the run's manifest.
    fn test(&self, place: u32) -> u32;

    /// Whether a test is got ready before the trials of a round, together with others: they wait together for what they have to wait for.
    fn is_quick(&self, _place: u32) -> bool {
        false
    }

    /// Why a test is not got ready in the time that is left.
    fn lacks_time(&self, _place: u32, _left: Option<Duration>) -> Option<String> {
        None
    }

    /// Looks at a test that is ready now: the number of values that are held for it; `Ok(Err(reason))` when it cannot be used.
    fn admit(&self, place: u32, ready: &ReadyOf<Self>) -> Result<Result<usize, String>, CampaignError>;

    /// Runs trials and tells what each showed, by its index in the batch, in any order, each once unless told to break off.
    fn run(
        &self,
        worker: &mut WorkerOf<Self>,
        ready: &ReadyOf<Self>,
        batch: &Batch<Self::Trial>,
        shown: &mut dyn FnMut(usize, Self::Shown) -> ControlFlow<()>,
    ) -> Result<(), CampaignError>;

    /// What is kept of a trial of the batch.
    fn record(&self, batch: &Batch<Self::Trial>, index: usize, shown: Self::Shown) -> Self::Record;

    /// Appends what is kept of some trials of the batch, one at least. When this returns it outlasts the process.
    fn keep(&self, batch: &Batch<Self::Trial>, records: Vec<Self::Record>) -> Result<(), CampaignError>;
}

/// One piece of work: trials of one test, which one run of it may serve.
pub struct Batch<T> {
    /// The test's place.
    pub place: u32,
    /// The trials.
    pub trials: Vec<T>,
}

/// How trials are cut into batches.
pub struct Sizes {
    /// Batches for each worker.
    pub per_worker: usize,
    /// Trials of a batch.
    pub trials: Range<usize>,
}

impl Sizes {
    /// Sizes of batches of mutants, whose trials take about the same time: a fork of the test's run serves all of a batch.
    pub const MUTANTS: Sizes = Sizes { per_worker: 4, trials: 64..4096 };

    /// Batches of trials that are given by places.
    pub fn batches<T: Clone>(&self, trials: Vec<(u32, Vec<T>)>, n_workers: usize) -> Vec<Batch<T>> {
        let n_trials: usize = trials.iter().map(|(_, trials)| trials.len()).sum();
        let size = (n_trials / (self.per_worker * n_workers.max(1))).clamp(self.trials.start, self.trials.end);
        let mut batches = Vec::new();
        for (place, trials) in &trials {
            batches.extend(trials.chunks(size).map(|trials| Batch { place: *place, trials: trials.to_vec() }));
        }
        batches
    }
}

/// Starts so many workers, one at least.
pub fn workers<L: Prepare>(lab: &L, jobs: usize) -> Result<Vec<L::Worker>, CampaignError> {
    (0..jobs.max(1)).map(|_| lab.worker()).collect()
}

/// Runs trials. What it holds is shared by the threads that run them.
pub struct Runner<'a, R> {
    shelf: Shelf<R>,
    refused: Mutex<BTreeMap<u32, String>>,
    late: Mutex<BTreeSet<u32>>,
    n_kept: AtomicUsize,
    deadline: Option<Instant>,
    stop: Option<&'a AtomicBool>,
    broken: AtomicBool,
}

impl<'a, R: Send + Sync> Runner<'a, R> {
    /// A runner that has these tests ready and begins nothing after the deadline, or when `stop` is set.
    pub fn new(shelf: Shelf<R>, deadline: Option<Instant>, stop: Option<&'a AtomicBool>) -> Self {
        Runner {
            shelf,
            refused: Mutex::default(),
            late: Mutex::default(),
            n_kept: AtomicUsize::new(0),
            deadline,
            stop,
            broken: AtomicBool::new(false),
        }
    }

    /// Whether nothing is begun any more.
    pub fn is_over(&self) -> bool {
        self.is_halted() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Whether it was told to stop, or the store refused: no trial is worth running any more.
    pub fn is_halted(&self) -> bool {
        self.broken.load(Ordering::Relaxed) || self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// No trial is begun after this time.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Whether the test of this place is held ready.
    pub fn has(&self, place: u32) -> bool {
        self.shelf.has(place)
    }

    /// Notes that nothing is tried on a test.
    pub fn refuse(&self, place: u32, why: String) {
        locked(&self.refused).insert(place, why);
    }

    /// Places of the tests that cannot be used, and why.
    pub fn refused(&self) -> BTreeMap<u32, String> {
        locked(&self.refused).clone()
    }

    /// Of these, those that there was no time for.
    pub fn late(&self) -> BTreeSet<u32> {
        locked(&self.late).clone()
    }

    fn is_refused(&self, place: u32) -> bool {
        locked(&self.refused).contains_key(&place)
    }

    /// Goes through rounds of which `left` has the numbers of trials: the first `alone` one by one, then as many at once as came before, because one
    /// run of a test then serves more of its trials; fewer where time is short. `batches` makes those of some rounds.
    pub fn run_rounds<J: Job<Lab: Prepare<Ready = R>>>(
        &self,
        job: &J,
        workers: &mut [WorkerOf<J>],
        (left, alone): (&[usize], usize),
        batches: impl Fn(Range<usize>, usize) -> Vec<Batch<J::Trial>>,
    ) -> Result<(), CampaignError> {
        let began = Instant::now();
        let mut round = 0;
        while round < left.len() && !self.is_over() {
            let rate = self.n_kept.load(Ordering::Relaxed) as f64 / began.elapsed().as_secs_f64();
            let n_rounds = if round < alone { 1 } else { at_once(&left[round..], round, rate, self.time_left()) };
            let batches = batches(round..round + n_rounds, workers.len());
            self.run(job, workers, &batches)?;
            round += n_rounds;
        }
        Ok(())
    }

    /// Runs batches, in their order, with whichever worker is free.
    pub fn run<J: Job<Lab: Prepare<Ready = R>>>(
        &self,
        job: &J,
        workers: &mut [WorkerOf<J>],
        batches: &[Batch<J::Trial>],
    ) -> Result<(), CampaignError> {
        self.prepare_quick(job, workers, batches.iter().map(|batch| batch.place).collect())?;
        each(workers, batches, |worker, batch| self.run_batch(job, worker, batch))
    }

    /// Gets those tests ready that are quickly so, all together, as long as there is room; others when their trials begin.
    pub fn prepare_quick<J: Job<Lab: Prepare<Ready = R>>>(
        &self,
        job: &J,
        workers: &mut [WorkerOf<J>],
        places: BTreeSet<u32>,
    ) -> Result<(), CampaignError> {
        let is_due = |place: &u32| job.is_quick(*place) && !self.shelf.has(*place) && !self.is_refused(*place);
        let places: BTreeMap<u32, u32> =
            places.into_iter().filter(is_due).map(|place| (job.test(place), place)).collect();
        if places.is_empty() {
            return Ok(());
        }
        let tests: Vec<u32> = places.keys().copied().collect();
        let has_time = |test: u32| job.lacks_time(places[&test], self.time_left()).is_none();
        let is_wanted = |test: u32| !self.is_over() && self.shelf.has_room() && has_time(test);
        prepare_each(job.lab(), workers, &tests, is_wanted, |test, ready| {
            let place = places[&test];
            if let Some((ready, n_values)) = self.admitted(job, place, ready)? {
                self.shelf.keep(place, Arc::new(ready), n_values);
            }
            Ok(())
        })
    }

    /// The test with its number of values, if the job can use it; otherwise it is noted why not.
    fn admitted<J: Job<Lab: Prepare<Ready = R>>>(
        &self,
        job: &J,
        place: u32,
        ready: Result<R, Refusal>,
    ) -> Result<Option<(R, usize)>, CampaignError> {
        let why = match ready {
            Ok(ready) => match job.admit(place, &ready)? {
                Ok(n_values) => return Ok(Some((ready, n_values))),
                Err(why) => why,
            },
            Err(refusal) => {
                if refusal.is_late {
                    locked(&self.late).insert(place);
                }
                refusal.why
            }
        };
        self.refuse(place, why);
        Ok(None)
    }

    fn ready<J: Job<Lab: Prepare<Ready = R>>>(
        &self,
        job: &J,
        worker: &mut WorkerOf<J>,
        place: u32,
    ) -> Result<Option<Arc<R>>, CampaignError> {
        self.shelf.get(place, || {
            if let Some(why) = job.lacks_time(place, self.time_left()) {
                locked(&self.late).insert(place);
                self.refuse(place, why);
                return Ok(None);
            }
            let ready = job.lab().prepare(worker, job.test(place))?;
            self.admitted(job, place, ready)
        })
    }

    fn run_batch<J: Job<Lab: Prepare<Ready = R>>>(
        &self,
        job: &J,
        worker: &mut WorkerOf<J>,
        batch: &Batch<J::Trial>,
    ) -> Result<(), CampaignError> {
        if self.is_over() || self.is_refused(batch.place) {
            return Ok(());
        }
        let Some(ready) = self.ready(job, worker, batch.place)? else { return Ok(()) };
        let (mut unwritten, mut since) = (Vec::new(), Instant::now());
        let mut kept = Ok(());
        let mut shown = |index: usize, shown: J::Shown| {
            unwritten.push(job.record(batch, index, shown));
            if unwritten.len() >= MOST_UNWRITTEN || since.elapsed() >= UNWRITTEN {
                since = Instant::now();
                let records = std::mem::take(&mut unwritten);
                if kept.is_ok() {
                    kept = self.keep(job, batch, records);
                }
            }
            if self.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let ran = job.run(worker, &ready, batch, &mut shown);
        kept.and_then(|()| self.keep(job, batch, unwritten)).and(ran)
    }

    fn keep<J: Job>(&self, job: &J, batch: &Batch<J::Trial>, records: Vec<J::Record>) -> Result<(), CampaignError> {
        if records.is_empty() {
            return Ok(());
        }
        let n_records = records.len();
        job.keep(batch, records).inspect_err(|_| self.broken.store(true, Ordering::Relaxed))?;
        self.n_kept.fetch_add(n_records, Ordering::Relaxed);
        Ok(())
    }
}

/// Rounds to do together of those still to do, with `left` trials each, after `before` others: at least one, at most as many again, and
/// not more than takes a quarter of the time at that `rate` (trials a second).
fn at_once(left: &[usize], before: usize, rate: f64, time: Option<Duration>) -> usize {
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
    use crate::campaign::AtOnce;
    use crate::trial::TrialError;

    /// A lab of which test 9 cannot be used, and that has no time for test 10.
    struct Tests;

    impl Prepare for Tests {
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
            Ok(match test {
                9 => Err("it needs a screen".into()),
                10 => Err(Refusal { is_late: true, ..Refusal::from("the time was over") }),
                _ => Ok(test),
            })
        }
    }

    /// Keeps what was shown, as long as the disk has room for so many.
    struct Kept {
        room: usize,
        kept: Mutex<Vec<(u32, u32)>>,
        n_run: AtomicUsize,
    }

    impl Job for Kept {
        type Lab = Tests;
        type Trial = u32;
        type Shown = u32;
        type Record = u32;

        fn lab(&self) -> &Tests {
            &Tests
        }

        fn test(&self, place: u32) -> u32 {
            place + 1
        }

        fn is_quick(&self, place: u32) -> bool {
            place < 4
        }

        fn lacks_time(&self, place: u32, left: Option<Duration>) -> Option<String> {
            (place == 7 && left.is_some()).then(|| "it takes too long".to_string())
        }

        fn admit(&self, place: u32, ready: &u32) -> Result<Result<usize, String>, CampaignError> {
            assert_eq!(*ready, place + 1);
            Ok(if place == 6 { Err("it is another one".into()) } else { Ok(1) })
        }

        fn run(
            &self,
            (): &mut (),
            _: &u32,
            batch: &Batch<u32>,
            shown: &mut dyn FnMut(usize, u32) -> ControlFlow<()>,
        ) -> Result<(), CampaignError> {
            for (index, trial) in batch.trials.iter().enumerate().rev() {
                self.n_run.fetch_add(1, Ordering::Relaxed);
                if shown(index, trial * 10).is_break() {
                    break;
                }
            }
            Ok(())
        }

        fn record(&self, batch: &Batch<u32>, index: usize, shown: u32) -> u32 {
            assert_eq!(batch.trials[index] * 10, shown);
            shown
        }

        fn keep(&self, batch: &Batch<u32>, records: Vec<u32>) -> Result<(), CampaignError> {
            let mut kept = locked(&self.kept);
            if kept.len() + records.len() > self.room {
                return Err(CampaignError::Trial(TrialError::Worker { problem: "no room".into() }));
            }
            kept.extend(records.into_iter().map(|record| (batch.place, record)));
            Ok(())
        }
    }

    fn job(room: usize) -> Kept {
        Kept { room, kept: Mutex::default(), n_run: AtomicUsize::new(0) }
    }

    fn batches(places: &[u32], n_trials: u32) -> Vec<Batch<u32>> {
        places.iter().map(|place| Batch { place: *place, trials: (0..n_trials).collect() }).collect()
    }

    #[test]
    fn trials_are_kept_once_and_refused_tests_have_none() {
        let later = Instant::now() + Duration::from_secs(3600);
        for deadline in [None, Some(later)] {
            let (job, runner) = (job(usize::MAX), Runner::new(Shelf::new(0..10), deadline, None));
            runner.run(&job, &mut [(), ()], &batches(&[1, 5, 6, 7, 8, 9], 100)).unwrap();
            let mut kept = job.kept.into_inner().unwrap();
            kept.sort_unstable();
            // The job has no time for it; the lab had none for 9.
            let late = deadline.map(|_| 7);
            let places = [1, 5, 7].into_iter().filter(|place| Some(*place) != late);
            let all: Vec<(u32, u32)> =
                places.flat_map(|place| (0..100).map(move |trial| (place, trial * 10))).collect();
            assert_eq!(kept, all);
            let refused = runner.refused();
            assert_eq!((&refused[&6][..], &refused[&8][..]), ("it is another one", "it needs a screen"));
            assert_eq!((refused.contains_key(&7), refused.contains_key(&9)), (late.is_some(), true));
            assert_eq!(runner.late(), late.into_iter().chain([9]).collect());
            assert!(runner.has(1) && runner.has(5) && !runner.has(6) && !runner.has(8) && !runner.has(0));
        }
    }

    #[test]
    fn nothing_is_run_after_the_store_refused_or_the_time_was_up() {
        let (full, runner) = (job(100), Runner::new(Shelf::new(0..10), None, None));
        assert!(runner.run(&full, &mut [()], &batches(&[1, 2, 3], 64)).is_err());
        assert_eq!(
            (full.n_run.load(Ordering::Relaxed), locked(&full.kept).len()),
            (128, 64),
            "the third test has none"
        );
        assert!(runner.is_over() && runner.is_halted());
        let (late, runner) = (job(100), Runner::new(Shelf::new(0..10), Some(Instant::now()), None));
        runner.run(&late, &mut [()], &batches(&[1, 5], 4)).unwrap();
        assert_eq!(late.n_run.load(Ordering::Relaxed), 0);
        assert!(runner.is_over() && !runner.is_halted() && !runner.has(1));
        let stop = AtomicBool::new(true);
        let runner = Runner::new(Shelf::new(0..10), None, Some(&stop));
        runner.run(&late, &mut [()], &batches(&[1, 5], 4)).unwrap();
        assert_eq!(late.n_run.load(Ordering::Relaxed), 0);
        assert!(runner.is_halted());
    }

    #[test]
    fn batches_are_of_one_test_and_as_large_as_serves_all_workers() {
        let sizes = Sizes { per_worker: 4, trials: 10..100 };
        let lengths = |trials: &[(u32, usize)], n_workers| {
            let trials = trials.iter().map(|(place, n)| (*place, vec![0u8; *n])).collect();
            let batches = sizes.batches(trials, n_workers);
            batches.iter().map(|batch| (batch.place, batch.trials.len())).collect::<Vec<_>>()
        };
        assert_eq!(lengths(&[(3, 100), (1, 60)], 2), [(3, 20); 5].into_iter().chain([(1, 20); 3]).collect::<Vec<_>>());
        assert_eq!(lengths(&[(0, 25), (2, 0)], 2), [(0, 10), (0, 10), (0, 5)]);
        assert_eq!(lengths(&[(0, 5000)], 1)[0], (0, 100));
        assert_eq!(lengths(&[(0, 40)], 0), [(0, 10); 4]);
    }

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
