//! Alg. 1 as it is printed: a work list over instances by structural index, with sets for everything.

use std::collections::{BTreeMap, BTreeSet};

use crate::comparison::*;

/// A dependence: run, user, position of the operand and write (nothing for control), definition or parent.
type Dependence = (Side, u32, Option<u32>, u32);

/// What the work list finds. Points are numbers of their own run.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Found {
    pub data: BTreeSet<Edge>,
    pub control: BTreeSet<Dependence>,
}

pub struct Slicer<'a> {
    runs: [&'a Run; 2],
    /// Points of each run by structural index.
    points: [BTreeMap<u32, u32>; 2],
    indices: [&'a [u32]; 2],
}

impl<'a> Slicer<'a> {
    pub fn new(runs: [&'a Run; 2], indices: [&'a [u32]; 2]) -> Self {
        let points = indices.map(|indices| indices.iter().copied().zip(0..).collect());
        Self { runs, points, indices }
    }

    fn left(&self, side: Side, point: u32, location: u32) -> Option<Value> {
        let run = self.runs[side.index()];
        run.written(point).filter(|write| run.location(*write) == location).last().map(|write| run.value(write))
    }

    fn index(&self, side: Side, point: u32) -> u32 {
        self.indices[side.index()][point as usize]
    }

    fn differs(&self, side: Side, write: u32) -> bool {
        let run = self.runs[side.index()];
        let other = self.points[side.other().index()].get(&self.index(side, run.writer(write)));
        let location = run.location(write);
        let Some(other) = other else { return true };
        let mine = self.left(side, run.writer(write), location);
        let theirs = self.left(side.other(), *other, location);
        // What the start wrote in one run alone, it wrote in both.
        mine != theirs && !(run.writer(write) == START && theirs.is_none())
    }

    /// The slice of all operands of the point with structural index `criterion`.
    pub fn slice(&self, criterion: u32) -> Found {
        let mut found = Found::default();
        let mut seen = BTreeSet::new();
        let mut work = vec![criterion];
        while let Some(index) = work.pop() {
            if !seen.insert(index) {
                continue;
            }
            for side in Side::BOTH {
                if let Some(point) = self.points[side.index()].get(&index) {
                    self.data(side, *point, &mut found, &mut work);
                    self.control(side, *point, &mut found, &mut work);
                }
            }
        }
        found
    }

    fn data(&self, side: Side, point: u32, found: &mut Found, work: &mut Vec<u32>) {
        let run = self.runs[side.index()];
        let other = self.points[side.other().index()].get(&self.index(side, point));
        for (position, write) in run.reads(point).iter().enumerate() {
            let definition = self.index(side, run.writer(*write));
            let differs = self.differs(side, *write);
            let key = |side: Side, write: u32| {
                let run = self.runs[side.index()];
                (run.location(write), self.index(side, run.writer(write)))
            };
            let elsewhere = other.is_some_and(|other| {
                let theirs = self.runs[side.other().index()].reads(*other).get(position);
                theirs.map(|theirs| key(side.other(), *theirs)) != Some(key(side, *write))
            });
            if differs || elsewhere {
                found.data.insert(Edge { side, user: point, write: *write, leaf: !differs });
            }
            if differs {
                work.push(definition);
            }
        }
    }

    fn control(&self, side: Side, point: u32, found: &mut Found, work: &mut Vec<u32>) {
        let run = self.runs[side.index()];
        let parent = run.parent(point);
        if parent == NONE {
            return;
        }
        let index = self.index(side, parent);
        let other = self.points[side.other().index()].get(&index);
        if other.is_none_or(|other| self.runs[side.other().index()].outcome(*other) != run.outcome(parent)) {
            found.control.insert((side, point, None, parent));
            work.push(index);
        }
    }
}
