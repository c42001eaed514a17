//! Which tests may run at the same time.

use std::collections::BTreeSet;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// What a test has to have for itself while it runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Needs {
    /// Names that no other running test may have.
    pub(super) names: BTreeSet<String>,
    /// Whether no other test may run at all.
    pub(super) alone: bool,
}

/// Lets tests wait for each other.
#[derive(Debug, Default)]
pub(super) struct Locks {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    held: BTreeSet<String>,
    running: usize,
    /// Whether the running test runs alone.
    alone: bool,
    /// Tests that wait to run alone: others let them go first, or they would wait for ever.
    waiting_alone: usize,
}

impl Locks {
    /// Waits until `needs` can be had, all at once, so that two tests cannot wait for each other.
    pub(super) fn acquire<'a>(&'a self, needs: &'a Needs) -> Held<'a> {
        let mut state = self.state();
        state.waiting_alone += usize::from(needs.alone);
        while !state.grants(needs) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.waiting_alone -= usize::from(needs.alone);
        state.running += 1;
        state.alone = needs.alone;
        state.held.extend(needs.names.iter().cloned());
        Held { locks: self, needs }
    }

    /// The state is whole between any two statements, so a panic elsewhere has not broken it.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn grants(&self, needs: &Needs) -> bool {
        match needs.alone {
            true => self.running == 0,
            false => !self.alone && self.waiting_alone == 0 && self.held.is_disjoint(&needs.names),
        }
    }
}

/// What a running test has; given back when dropped.
#[derive(Debug)]
pub struct Held<'a> {
    locks: &'a Locks,
    needs: &'a Needs,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let mut state = self.locks.state();
        state.running -= 1;
        state.alone = false;
        for name in &self.needs.names {
            state.held.remove(name);
        }
        self.locks.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn tests_with_a_common_name_or_alone_never_overlap() {
        let locks = Locks::default();
        let (db, all) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for worker in 0..4 {
                let (locks, db, all) = (&locks, &db, &all);
                scope.spawn(move || {
                    for i in 0..200 {
                        let names = if i % 2 == 0 { BTreeSet::from(["db".to_owned()]) } else { BTreeSet::new() };
                        let needs = Needs { names, alone: (i + worker) % 7 == 0 };
                        let _held = locks.acquire(&needs);
                        let others = all.fetch_add(1, Ordering::SeqCst);
                        assert!(!needs.alone || others == 0);
                        if i % 2 == 0 {
                            assert_eq!(db.fetch_add(1, Ordering::SeqCst), 0);
                            std::thread::yield_now();
                            db.fetch_sub(1, Ordering::SeqCst);
                        }
                        all.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
    }
}
