//! Places where hooks leave values that the program reads as soon as they have returned.

use core::sync::atomic::{AtomicU64, Ordering};

use crate::os::sys;

/// Threads that have a place of their own.
const PLACES: usize = 64;

/// A thread's place.
struct Place {
    /// The thread; 0 for none yet. Threads that have ended leave their places to later ones of the same stack.
    owner: AtomicU64,
    value: AtomicU64,
}

static OF_THREADS: [Place; PLACES] = [const { Place { owner: AtomicU64::new(0), value: AtomicU64::new(0) } }; PLACES];
/// Places of threads that come when all others are taken, by turns.
static OTHERS: [AtomicU64; PLACES] = [const { AtomicU64::new(0) }; PLACES];
static NEXT: AtomicU64 = AtomicU64::new(0);

/// The address of `value` in a place of this thread, good until its next call.
pub fn keep(value: u64) -> usize {
    let me = sys::thread_pointer();
    let is_mine = |place: &&Place| {
        let owner = place.owner.load(Ordering::Relaxed);
        let takes = || place.owner.compare_exchange(0, me, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        owner == me || owner == 0 && takes()
    };
    let next = || OTHERS.get(NEXT.fetch_add(1, Ordering::Relaxed) as usize % PLACES);
    let Some(place) = OF_THREADS.iter().find(is_mine).map(|place| &place.value).or_else(next) else { return 0 };
    place.store(value, Ordering::Relaxed);
    place.as_ptr() as usize
}
