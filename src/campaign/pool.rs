//! Doing many things with a few workers.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Calls `f` for each item with whichever worker is free, the items taken in order. After an error no further item is begun; the
/// first error is returned.
pub fn each<W: Send, I: Sync, E: Send>(
    workers: &mut [W],
    items: &[I],
    f: impl Fn(&mut W, &I) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let next = AtomicUsize::new(0);
    let failure = Mutex::new(None);
    let work = |worker: &mut W| {
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Err(error) = f(worker, item) {
                next.store(items.len(), Ordering::Relaxed);
                locked(&failure).get_or_insert(error);
            }
        }
    };
    std::thread::scope(|scope| {
        for worker in workers.iter_mut() {
            scope.spawn(|| work(worker));
        }
    });
    failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

/// What a mutex guards is whole between any two statements here, so a panic elsewhere has not broken it.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
