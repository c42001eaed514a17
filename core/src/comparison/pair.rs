//! Two aligned runs, and where they differ: at which writes and at which conditionals.

use std::collections::HashMap;

use super::NONE;
use super::alignment::Alignment;
use super::bits::Bits;
use super::memory::Stop;
use super::run::{Run, Side};

/// Two runs of a program and what follows from their alignment in one pass over both.
#[derive(Debug)]
pub struct Pair<'a> {
    /// The runs, e1 and e2.
    pub runs: [&'a Run; 2],
    /// Which points correspond.
    pub alignment: &'a Alignment,
    /// Writes whose corresponding write left the same value.
    same: [Bits; 2],
    /// For each write of the first run that is `same`, the corresponding one; else [`NONE`].
    twins: Vec<u32>,
    /// Points that the other run has not, and conditionals that went another way in it.
    parted: [Bits; 2],
}

impl<'a> Pair<'a> {
    /// Compares two runs. Linear in their lengths.
    ///
    /// What the start wrote in one run alone counts as the same in the other: nothing says that memory held anything else there.
    /// A reader who knows that it did (arguments, environment) has the start write it in both.
    pub fn new(first: &'a Run, second: &'a Run, alignment: &'a Alignment) -> Self {
        let runs = [first, second];
        let mut pair = Self {
            runs,
            alignment,
            same: runs.map(|run| Bits::new(run.writes() as usize)),
            twins: vec![NONE; first.writes() as usize],
            parted: runs.map(|run| Bits::new(run.points() as usize)),
        };
        pair.compare_starts();
        for segment in alignment.segments() {
            for offset in 0..segment.aligned {
                pair.compare_points(segment.first[0] + offset, segment.first[1] + offset);
            }
            for side in Side::BOTH {
                let from = segment.first[side.index()] + segment.aligned;
                (from..from + segment.alone[side.index()]).for_each(|point| pair.parted[side.index()].set(point));
            }
        }
        pair
    }

    fn compare_starts(&mut self) {
        let [first, second] = self.runs;
        let mut unmatched: HashMap<u32, u32> =
            second.initial.iter().map(|write| (second.location(*write), *write)).collect();
        for write in &first.initial {
            match unmatched.remove(&first.location(*write)) {
                Some(other) => self.compare_writes(*write, other),
                None => self.same[0].set(*write),
            }
        }
        unmatched.values().for_each(|write| self.same[1].set(*write));
    }

    fn compare_points(&mut self, one: u32, other: u32) {
        let [first, second] = self.runs;
        if first.outcome(one) != second.outcome(other) {
            self.parted[0].set(one);
            self.parted[1].set(other);
        }
        let (mine, theirs) = (first.write_range(one), second.write_range(other));
        if one == 0 || (mine.is_empty() && theirs.is_empty()) {
            return;
        }
        let in_step = mine.len() == theirs.len()
            && mine.clone().zip(theirs.clone()).all(|(a, b)| self.comparable(one, other, a, b));
        if in_step {
            mine.zip(theirs).for_each(|(a, b)| self.compare_writes(a, b));
        } else {
            self.compare_by_location(one, other);
        }
    }

    fn comparable(&self, one: u32, other: u32, a: u32, b: u32) -> bool {
        let [first, second] = self.runs;
        first.writer(a) == one && second.writer(b) == other && first.location(a) == second.location(b)
    }

    fn compare_by_location(&mut self, one: u32, other: u32) {
        let [first, second] = self.runs;
        let theirs: HashMap<u32, u32> = second.written(other).map(|write| (second.location(write), write)).collect();
        let mine: HashMap<u32, u32> = first.written(one).map(|write| (first.location(write), write)).collect();
        for (location, write) in mine {
            if let Some(twin) = theirs.get(&location) {
                self.compare_writes(write, *twin);
            }
        }
    }

    fn compare_writes(&mut self, one: u32, other: u32) {
        let [first, second] = self.runs;
        let (a, b) = (one as usize, other as usize);
        if first.bits[a] == second.bits[b] && first.kinds[a] == second.kinds[b] {
            self.same[0].set(one);
            self.same[1].set(other);
            self.twins[a] = other;
        }
    }

    /// The recorded run of a side.
    pub fn run(&self, side: Side) -> &'a Run {
        self.runs[side.index()]
    }

    /// Differs(d,x) of section 1.2: `write` is in one run only, or the corresponding one left another value.
    pub fn differs(&self, side: Side, write: u32) -> bool {
        !self.same[side.index()].get(write)
    }

    /// Whether a write of the first run and one of the second are the same definition: made at corresponding points, of the same location
    /// and value.
    pub fn twins(&self, first: u32, second: u32) -> bool {
        self.twins[first as usize] == second
    }

    /// Whether `point` is in one run only, or a conditional with different outcomes (section 1.2).
    pub fn parted(&self, side: Side, point: u32) -> bool {
        self.parted[side.index()].get(point)
    }

    /// The run that goes the way `outcome` at a conditional where they part.
    pub(super) fn follow(&self, points: [u32; 2], outcome: Option<u32>) -> Result<Side, Stop> {
        let taken = Side::BOTH.into_iter().find(|side| outcome == Some(self.run(*side).outcome(points[side.index()])));
        taken.ok_or(Stop::ControlConfounded)
    }

    /// The definitions that the operand in `position` of a point had, in each run that has the point and the operand.
    pub(super) fn operand(&self, points: [Option<u32>; 2], position: usize) -> [Option<u32>; 2] {
        Side::BOTH.map(|side| {
            let point = points[side.index()]?;
            self.run(side).reads(point).get(position).copied()
        })
    }
}
