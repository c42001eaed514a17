//! A fixed number of bits in one array.

/// A set of numbers below a bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// The empty set of numbers below `n`.
    pub fn new(n: usize) -> Self {
        Self { words: vec![0; n.div_ceil(64)] }
    }

    /// Whether `number` is in the set.
    pub fn get(&self, number: u32) -> bool {
        self.words[number as usize / 64] >> (number % 64) & 1 == 1
    }

    /// Adds `number`.
    pub fn set(&mut self, number: u32) {
        self.words[number as usize / 64] |= 1 << (number % 64);
    }

    /// The largest member in `low..high`.
    pub fn last_in(&self, low: u32, high: u32) -> Option<u32> {
        let mut end = high;
        while end > low {
            let base = (end - 1) / 64 * 64;
            let keep = u64::MAX >> (63 - (end - 1 - base));
            let word = self.words[base as usize / 64] & keep;
            if word != 0 {
                return Some(base + 63 - word.leading_zeros()).filter(|found| *found >= low);
            }
            end = base;
        }
        None
    }

    /// The smallest member in `low..high`.
    pub fn first_in(&self, low: u32, high: u32) -> Option<u32> {
        let mut from = low;
        while from < high {
            let base = from / 64 * 64;
            let word = self.words[base as usize / 64] & (u64::MAX << (from - base));
            if word != 0 {
                return Some(base + word.trailing_zeros()).filter(|found| *found < high);
            }
            from = base + 64;
        }
        None
    }

    /// The smallest offset in `from..to` at which one of two sets has a member, each counted from its own base.
    pub fn first_in_either(sets: [&Bits; 2], bases: [u32; 2], from: u32, to: u32) -> Option<u32> {
        let next = |side: usize, to: u32| {
            let base = bases[side];
            sets[side].first_in(base + from, base + to).map(|member| member - base)
        };
        let first = next(0, to);
        next(1, first.unwrap_or(to)).or(first)
    }

    /// The members, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let end = self.words.len() as u32 * 64;
        let mut from = 0;
        std::iter::from_fn(move || {
            let found = self.first_in(from, end)?;
            from = found + 1;
            Some(found)
        })
    }

    /// How many members.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }
}
