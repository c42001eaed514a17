//! Random choices that come to the same on every machine.

use std::collections::HashMap;

use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A generator for one purpose: other purposes have streams of their own under the same seed.
pub(crate) fn generator(seed: u64, purpose: &[u64]) -> ChaCha12Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    for (to, from) in key[8..].chunks_exact_mut(8).zip(purpose) {
        to.copy_from_slice(&from.to_le_bytes());
    }
    ChaCha12Rng::from_seed(key)
}

/// A number below `bound`, all equally likely but for one part in 2^64 / `bound`.
pub(crate) fn below(bound: u64, generator: &mut ChaCha12Rng) -> u64 {
    ((u128::from(generator.next_u64()) * u128::from(bound)) >> 64) as u64
}

/// One of some things.
pub(crate) fn pick<'a, T>(of: &'a [T], generator: &mut ChaCha12Rng) -> &'a T {
    &of[below(of.len() as u64, generator) as usize]
}

/// A number in [0, 1).
pub(crate) fn fraction(generator: &mut ChaCha12Rng) -> f64 {
    (generator.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// Fisher and Yates's shuffle.
pub(crate) fn shuffle<T>(values: &mut [T], generator: &mut ChaCha12Rng) {
    for last in (1..values.len()).rev() {
        values.swap(last, below(last as u64 + 1, generator) as usize);
    }
}

/// `n` different ones of some things, in random order; all of them if there are not so many.
pub(crate) fn choose<T: Copy>(of: &[T], n: usize, generator: &mut ChaCha12Rng) -> Vec<T> {
    let mut draw = Draw::new(of.len() as u64);
    std::iter::from_fn(|| draw.next(generator)).take(n).map(|at| of[at as usize]).collect()
}

/// The numbers below a bound in random order, each once: Fisher and Yates's shuffle that keeps only what was moved.
#[derive(Clone, Debug)]
pub(crate) struct Draw {
    left: u64,
    moved: HashMap<u64, u64>,
}

impl Draw {
    pub(crate) fn new(bound: u64) -> Self {
        Draw { left: bound, moved: HashMap::new() }
    }

    /// The next number; `None` when all were drawn.
    pub(crate) fn next(&mut self, generator: &mut ChaCha12Rng) -> Option<u64> {
        let last = self.left.checked_sub(1)?;
        let at = below(self.left, generator);
        self.left = last;
        let from_last = self.moved.remove(&last).unwrap_or(last);
        Some(if at == last { from_last } else { self.moved.insert(at, from_last).unwrap_or(at) })
    }
}
