//! Doing many things with a few workers.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Begun, CampaignError, Prepare, Refusal};

/// Calls `f` for each item with whichever worker is free, the items taken in order. After an error no further item is begun; the
/// first error is returned.
pub fn each<W: Send, I: Sync, E: Send>(
    workers: &mut [W],
    items: &[I],
    f: impl Fn(&mut W, &I) -> Result<(), E> + Sync,
) -> Result<(), E> {
    share(workers, items, |worker, next| {
        while let Some(item) = next() {
            f(worker, item)?;
        }
        Ok(())
    })
}

/// Has each worker do `work`, which takes items as long as there are any. After an error there are none; the first error is returned.
fn share<'i, W: Send, I: Sync, E: Send>(
    workers: &mut [W],
    items: &'i [I],
    work: impl Fn(&mut W, &dyn Fn() -> Option<&'i I>) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let next = AtomicUsize::new(0);
    let failure = Mutex::new(None);
    let take = || items.get(next.fetch_add(1, Ordering::Relaxed));
    std::thread::scope(|scope| {
        for worker in workers.iter_mut() {
            scope.spawn(|| {
                if let Err(error) = work(worker, &take) {
                    next.store(items.len(), Ordering::Relaxed);
                    locked(&failure).get_or_insert(error);
                }
            });
        }
    });
    failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

/// Values that a worker holds of tests that it has begun, at most, before it waits for the first of them: a quarter of a gigabyte of them.
const MOST_VALUES: usize = 32 << 20;

/// Prepares tests: as long as one that was begun has to wait, the worker begins others. `wanted` is asked before a test is begun; `done` gets it when
/// it is ready, or why it cannot be used. After an error no further test is begun; the first error is returned.
pub fn prepare_each<L: Prepare>(
    lab: &L,
    workers: &mut [L::Worker],
    tests: &[u32],
    wanted: impl Fn(u32) -> bool + Sync,
    done: impl Fn(u32, Result<L::Ready, Refusal>) -> Result<(), CampaignError> + Sync,
) -> Result<(), CampaignError> {
    share(workers, tests, |worker, next| {
        let mut begun: VecDeque<(u32, L::Begun)> = VecDeque::new();
        loop {
            let test = next().copied();
            if let Some(test) = test.filter(|test| wanted(*test)) {
                match lab.begin(worker, test)? {
                    Ok(one) => begun.push_back((test, one)),
                    Err(refusal) => done(test, Err(refusal))?,
                }
            }
            let is_full = begun.iter().map(|(_, one)| one.n_values()).sum::<usize>() > MOST_VALUES;
            let is_due = |one: &L::Begun| test.is_none() || is_full || one.wait().is_zero();
            while begun.front().is_some_and(|(_, one)| is_due(one))
                && let Some((test, one)) = begun.pop_front()
            {
                done(test, lab.ready(worker, one)?)?;
            }
            if test.is_none() {
                return Ok(());
            }
        }
    })
}

/// What a mutex guards is whole between any two statements here, so a panic elsewhere has not broken it.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;

    /// Tests below 10 wait until so many are begun by the same worker; 20 is refused at first, 21 at last, 22 breaks the lab.
    struct Slow {
        others: usize,
        n_values: usize,
        most: Mutex<usize>,
    }

    /// The tests that a worker has begun and not prepared, and how many it has begun in all.
    type Book = Arc<Mutex<(BTreeSet<u32>, usize)>>;

    #[derive(Default)]
    struct Books(Book);

    struct Waiting {
        test: u32,
        until: usize,
        n_values: usize,
        book: Book,
    }

    impl Begun for Waiting {
        fn wait(&self) -> Duration {
            Duration::from_secs(u64::from(self.test < 10 && locked(&self.book).1 < self.until))
        }

        fn n_values(&self) -> usize {
            self.n_values
        }
    }

    impl Prepare for Slow {
        type Worker = Books;
        type Begun = Waiting;
        type Ready = ();

        fn worker(&self) -> Result<Books, CampaignError> {
            Ok(Books::default())
        }

        fn begin(&self, worker: &mut Books, test: u32) -> Result<Result<Waiting, Refusal>, CampaignError> {
            if test == 20 {
                return Ok(Err("at first".into()));
            }
            let mut book = locked(&worker.0);
            book.0.insert(test);
            book.1 += 1;
            let mut most = locked(&self.most);
            *most = book.0.len().max(*most);
            Ok(Ok(Waiting { test, until: book.1 + self.others, n_values: self.n_values, book: Arc::clone(&worker.0) }))
        }

        fn ready(&self, worker: &mut Books, begun: Waiting) -> Result<Result<(), Refusal>, CampaignError> {
            assert!(locked(&worker.0).0.remove(&begun.test), "begun by this worker");
            match begun.test {
                21 => Ok(Err("at last".into())),
                22 => Err(CampaignError::Trial(crate::trial::TrialError::Worker { problem: "broken".into() })),
                _ => Ok(Ok(())),
            }
        }
    }

    /// The tests that were prepared, those that were refused, and the most that a worker had begun at a time.
    fn prepared(lab: &Slow, tests: &[u32], n_workers: usize) -> Result<(Vec<u32>, Vec<u32>, usize), CampaignError> {
        let mut workers: Vec<Books> = (0..n_workers).map(|_| Books::default()).collect();
        let (good, bad) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
        prepare_each(
            lab,
            &mut workers,
            tests,
            |test| test != 7,
            |test, ready| {
                locked(if ready.is_ok() { &good } else { &bad }).push(test);
                Ok(())
            },
        )?;
        let sorted = |tests: Mutex<Vec<u32>>| {
            let mut tests = tests.into_inner().unwrap();
            tests.sort_unstable();
            tests
        };
        Ok((sorted(good), sorted(bad), *locked(&lab.most)))
    }

    fn slow(others: usize, n_values: usize) -> Slow {
        Slow { others, n_values, most: Mutex::default() }
    }

    #[test]
    fn other_tests_are_begun_while_one_waits() {
        let tests: Vec<u32> = (0..10).chain([20, 21]).collect();
        let good: Vec<u32> = (0..10).filter(|test| *test != 7).collect();
        for n_workers in [1, 3] {
            let (prepared, refused, _) = prepared(&slow(3, 0), &tests, n_workers).unwrap();
            assert_eq!((prepared, refused), (good.clone(), vec![20, 21]));
        }
        assert_eq!(prepared(&slow(3, 0), &tests, 1).unwrap().2, 4);
        assert_eq!(prepared(&slow(100, 0), &tests, 1).unwrap().2, 10, "what is left waits at last");
        assert_eq!(prepared(&slow(100, MOST_VALUES / 3), &tests, 1).unwrap().2, 4, "no more than is held");
        assert_eq!(prepared(&slow(0, 0), &tests, 1).unwrap().2, 1);
    }

    #[test]
    fn after_an_error_nothing_is_begun() {
        let (lab, asked) = (slow(0, 0), Mutex::new(Vec::new()));
        let wanted = |test| {
            locked(&asked).push(test);
            true
        };
        assert!(prepare_each(&lab, &mut [Books::default()], &[11, 22, 12], wanted, |_, _| Ok(())).is_err());
        assert_eq!(*locked(&asked), [11, 22]);
    }
}
