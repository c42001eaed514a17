//! Tests that are ready for trials, kept while there is room.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use super::pool::locked;

/// Values of oracles that are held at once, at most: half a gigabyte of them.
const MOST_VALUES: usize = 64 << 20;

/// Prepared tests. One that finds no room is prepared again whenever it is needed.
#[derive(Debug)]
pub struct Shelf<R> {
    places: HashMap<u32, Mutex<Option<Arc<R>>>>,
    n_values: AtomicUsize,
}

impl<R> Shelf<R> {
    /// A shelf for these tests.
    pub fn new(tests: impl IntoIterator<Item = u32>) -> Self {
        let places = tests.into_iter().map(|test| (test, Mutex::new(None))).collect();
        Shelf { places, n_values: AtomicUsize::new(0) }
    }

    /// Keeps a test with so many values, if there is room.
    pub fn keep(&self, test: u32, ready: Arc<R>, n_values: usize) {
        if let Some(place) = self.places.get(&test) {
            self.put(&mut locked(place), ready, n_values);
        }
    }

    fn put(&self, place: &mut Option<Arc<R>>, ready: Arc<R>, n_values: usize) {
        if self.n_values.fetch_add(n_values, Ordering::Relaxed) + n_values <= MOST_VALUES {
            *place = Some(ready);
        } else {
            self.n_values.fetch_sub(n_values, Ordering::Relaxed);
        }
    }

    /// Whether some room is left.
    pub fn has_room(&self) -> bool {
        self.n_values.load(Ordering::Relaxed) < MOST_VALUES
    }

    /// Whether it has the test.
    pub fn has(&self, test: u32) -> bool {
        self.places.get(&test).is_some_and(|place| locked(place).is_some())
    }

    /// The test, prepared by `make` (with its number of values) if it is not here; meanwhile others wait for the same one.
    pub fn get<E>(&self, test: u32, make: impl FnOnce() -> Result<Option<(R, usize)>, E>) -> Result<Option<Arc<R>>, E> {
        let Some(place) = self.places.get(&test) else { return Ok(None) };
        let mut place = locked(place);
        if let Some(ready) = place.as_ref() {
            return Ok(Some(Arc::clone(ready)));
        }
        let Some((ready, n_values)) = make()? else { return Ok(None) };
        let ready = Arc::new(ready);
        self.put(&mut place, Arc::clone(&ready), n_values);
        Ok(Some(ready))
    }
}
