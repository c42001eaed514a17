//! Rows of words, each kept once.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Rows of a fixed number of words, numbered in the order in which they were first seen.
#[derive(Clone, Debug, Default)]
pub(super) struct Interner {
    n_words: usize,
    words: Vec<u64>,
    /// The last row of each hash.
    index: HashMap<u64, u32, BuildHasherDefault<Plain>>,
    /// The row before it with the same hash, or itself.
    previous: Vec<u32>,
}

impl Interner {
    /// No row of `n_words` words yet.
    pub fn new(n_words: usize) -> Self {
        Interner { n_words, ..Interner::default() }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.previous.len()
    }

    /// Words of a row.
    pub fn n_words(&self) -> usize {
        self.n_words
    }

    /// A row.
    pub fn row(&self, row: usize) -> &[u64] {
        &self.words[row * self.n_words..][..self.n_words]
    }

    /// The number of the row that `fill` writes into zeroed words.
    pub fn intern(&mut self, fill: impl FnOnce(&mut [u64])) -> u32 {
        let start = self.words.len();
        self.words.resize(start + self.n_words, 0);
        fill(&mut self.words[start..]);
        let (known, row) = self.words.split_at(start);
        let hash = hash(row);
        if let Some(number) = self.find(hash, known, row) {
            self.words.truncate(start);
            return number;
        }
        let next = self.previous.len() as u32;
        let newest = self.index.insert(hash, next);
        self.previous.push(newest.unwrap_or(next));
        next
    }

    /// The number of a row, if it is known.
    pub fn get(&self, row: &[u64]) -> Option<u32> {
        self.find(hash(row), &self.words, row)
    }

    fn find(&self, hash: u64, known: &[u64], row: &[u64]) -> Option<u32> {
        let mut candidate = self.index.get(&hash).copied();
        while let Some(number) = candidate {
            if known[number as usize * self.n_words..][..self.n_words] == *row {
                return Some(number);
            }
            candidate = Some(self.previous[number as usize]).filter(|previous| *previous != number);
        }
        None
    }
}

/// A hash of words (the product of 64 by 64 bits, folded).
fn hash(words: &[u64]) -> u64 {
    let fold = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        product as u64 ^ (product >> 64) as u64
    };
    words.iter().fold(0x9e37_79b9_7f4a_7c15, |state, word| {
        fold(state ^ word, 0xd6e8_feb8_6659_fd93).wrapping_add(word.rotate_left(23))
    })
}

/// Takes what is a hash already.
#[derive(Clone, Copy, Debug, Default)]
struct Plain(u64);

impl Hasher for Plain {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |state, byte| state.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

/// Calls `each` with the position of every set bit of these words, ascending from the lowest bit of the first.
#[inline]
pub(super) fn set_bits(words: &[u64], mut each: impl FnMut(usize)) {
    for (at, &word) in words.iter().enumerate() {
        let mut rest = word;
        while rest != 0 {
            each(at * 64 + rest.trailing_zeros() as usize);
            rest &= rest - 1;
        }
    }
}
