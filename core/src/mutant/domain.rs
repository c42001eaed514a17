//! The values that a node took, summarised.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Form, ValueRange};

/// Distinct values that are remembered one by one.
pub(super) const MOST_DISTINCT: usize = 64;

/// What is known of the values that a node took: enough to choose others like them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Domain {
    /// Values that are numbers (see [`Form::number`]).
    count: u64,
    /// Their mean.
    mean: f64,
    /// The sum of the squares of their distances from it.
    squares: f64,
    /// All values, by their bits, while they are few; more than [`MOST_DISTINCT`] once they are not.
    distinct: BTreeSet<u64>,
    /// What somebody stated that it may take; no part of what was seen, so not kept with it.
    #[serde(skip)]
    stated: Option<ValueRange>,
}

impl Domain {
    /// The same values, of a node that may take those of a range and no others.
    pub fn within(mut self, range: Option<ValueRange>) -> Domain {
        self.stated = range;
        self
    }

    /// The range that was stated.
    pub fn stated(&self) -> Option<ValueRange> {
        self.stated
    }

    /// Takes note of a value (Welford's method).
    pub fn add(&mut self, form: Form, bits: u64) {
        if self.distinct.len() <= MOST_DISTINCT {
            self.distinct.insert(bits);
        }
        let Some(number) = form.number(bits) else { return };
        self.count += 1;
        let distance = number - self.mean;
        self.mean += distance / self.count as f64;
        self.squares += distance * (number - self.mean);
    }

    /// Takes note of all values of `other` (Chan's method). Rounding depends on the order: merge in a fixed one.
    pub fn merge(&mut self, other: &Domain) {
        for bits in &other.distinct {
            if self.distinct.len() <= MOST_DISTINCT {
                self.distinct.insert(*bits);
            }
        }
        if other.count == 0 {
            return;
        }
        let (ours, theirs) = (self.count as f64, other.count as f64);
        let distance = other.mean - self.mean;
        self.count += other.count;
        self.mean += distance * (theirs / (ours + theirs));
        self.squares += other.squares + distance * distance * (ours * theirs / (ours + theirs));
    }

    /// Mean of the numbers; 0 when there was none, or none that can be told.
    pub fn mean(&self) -> f64 {
        if self.mean.is_finite() { self.mean } else { 0.0 }
    }

    /// Standard deviation of the numbers, at least max(1, |mean| / 2): a node that only ever took one value has mutants too.
    pub fn deviation(&self) -> f64 {
        let deviation = (self.squares / self.count.max(1) as f64).sqrt();
        let floor = (self.mean().abs() / 2.0).max(1.0);
        // A sum of squares beyond all numbers says no more than that the values are far apart.
        if deviation.is_finite() { deviation.max(floor) } else { floor }
    }

    /// The values, if they are at most `most` different ones.
    pub fn few(&self, most: usize) -> Option<&BTreeSet<u64>> {
        Some(&self.distinct).filter(|distinct| distinct.len() <= most.min(MOST_DISTINCT))
    }

    /// The value, if it was always the same.
    pub fn constant(&self) -> Option<u64> {
        self.few(1)?.first().copied()
    }
}
