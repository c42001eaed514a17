//! One recorded run: points in order, what each read and wrote, and which branch it stands under.

use std::ops::Range;

use super::value::Value;

/// One of the two runs that are compared; by convention the first is the correct one (section 1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// e1, the correct run.
    First,
    /// e2, the failing run.
    Second,
}

impl Side {
    /// Both sides in order.
    pub const BOTH: [Side; 2] = [Side::First, Side::Second];

    /// The other run.
    pub fn other(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }

    /// 0 or 1, for arrays with an element for each run.
    pub fn index(self) -> usize {
        self as usize
    }
}

/// What a run did before the part of it that is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Points behind the start that are not kept.
    pub points: u32,
    /// Decisions among them.
    pub decisions: u64,
    /// Steps among them that were begun since the last decision.
    pub steps: u64,
}

/// A run as flat arrays (section 3.1). A *point* is one execution of a site, numbered in order; point 0 is the start, which wrote what
/// memory held at first. Of a long run the last points alone are kept; those before have their numbers and are told as the start is. A *write* is one value put into one location, numbered in order; a read is the number of the write whose value it saw.
#[derive(Debug, Default)]
pub struct Run {
    pub(super) skipped: Skipped,
    pub(super) sites: Vec<u32>,
    pub(super) parents: Vec<u32>,
    pub(super) outcomes: Vec<u32>,
    /// One longer than `sites`: where each point's reads start in `reads`.
    pub(super) reads_from: Vec<u32>,
    pub(super) reads: Vec<u32>,
    /// One longer than `sites`: where each point's writes start. Among them may be writes of the start that were found late.
    pub(super) writes_from: Vec<u32>,
    pub(super) writers: Vec<u32>,
    pub(super) locations: Vec<u32>,
    pub(super) bits: Vec<u64>,
    pub(super) kinds: Vec<u8>,
    /// Writes of the start, in order.
    pub(super) initial: Vec<u32>,
}

impl Run {
    /// How many points, with the start.
    pub fn points(&self) -> u32 {
        self.skipped.points + self.sites.len() as u32
    }

    /// What is not kept of it.
    pub fn skipped(&self) -> Skipped {
        self.skipped
    }

    /// Where a point is in the arrays; one that is not kept, where the start is.
    pub(super) fn index(&self, point: u32) -> usize {
        point.saturating_sub(self.skipped.points) as usize
    }

    /// How many writes.
    pub fn writes(&self) -> u32 {
        self.writers.len() as u32
    }

    /// The site that `point` executed.
    pub fn site(&self, point: u32) -> u32 {
        self.sites[self.index(point)]
    }

    /// The dynamic control parent: the branch or call instance that `point` stands under, or [`NONE`](super::NONE).
    pub fn parent(&self, point: u32) -> u32 {
        self.parents[self.index(point)]
    }

    /// Which way a conditional went, or [`NONE`](super::NONE) if `point` is none.
    pub fn outcome(&self, point: u32) -> u32 {
        self.outcomes[self.index(point)]
    }

    /// What `point` read, by operand position: the writes it saw.
    pub fn reads(&self, point: u32) -> &[u32] {
        let point = self.index(point);
        &self.reads[self.reads_from[point] as usize..self.reads_from[point + 1] as usize]
    }

    /// What `point` wrote, in order.
    pub fn written(&self, point: u32) -> impl Iterator<Item = u32> + '_ {
        self.write_range(point).filter(move |write| self.writers[*write as usize] == point)
    }

    /// What memory held at the start, as far as the run says: the start's writes, also those that were found late.
    pub fn initial(&self) -> &[u32] {
        &self.initial
    }

    /// The writes that were recorded while `point` executed: its own, and those of the start that were found at its reads.
    pub(super) fn write_range(&self, point: u32) -> Range<u32> {
        let point = self.index(point);
        self.writes_from[point]..self.writes_from[point + 1]
    }

    /// The write that a location was last changed by before `point`; what it held at first is one, too, if that was ever read.
    pub fn last_write(&self, location: u32, point: u32) -> Option<u32> {
        (0..self.write_range(point).start).rev().find(|write| self.locations[*write as usize] == location)
    }

    /// The point that made `write`.
    pub fn writer(&self, write: u32) -> u32 {
        self.writers[write as usize]
    }

    /// The location that `write` changed.
    pub fn location(&self, write: u32) -> u32 {
        self.locations[write as usize]
    }

    /// The value that `write` left.
    pub fn value(&self, write: u32) -> Value {
        Value::unpack(self.bits[write as usize], self.kinds[write as usize])
    }

    /// Bytes that the arrays take.
    pub fn bytes(&self) -> usize {
        4 * (3 * self.sites.len() + self.reads_from.len() + self.reads.len() + self.writes_from.len())
            + 17 * self.writers.len()
            + 4 * self.initial.len()
    }
}
