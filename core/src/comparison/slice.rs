//! Dual slicing: one backward slice over both runs that keeps only what differs (section 1.2, Alg. 1).

use super::NONE;
use super::bits::Bits;
use super::effect::Effect;
use super::pair::Pair;
use super::run::Side;
use super::stretches::stretches;

/// How to read Alg. 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// As printed: an operand with equal definitions on its side is dropped, whatever the other run reads there.
    Literal,
    /// With repair R1 (section 1.9): operands are compared by position, and if definition or location differ between the runs, the
    /// edges of both are kept, the equal ends as leaves. Without it the full cut is not sufficient (Theorem 2).
    Repaired,
}

/// A data dependence of the slice (section 1.2): point `user` of run `side` read what `write` left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge {
    /// The run.
    pub side: Side,
    /// The reading point.
    pub user: u32,
    /// The write that it read.
    pub write: u32,
    /// Whether the definition is equal in both runs, and so not looked behind (R1).
    pub leaf: bool,
}

/// The dual slice D of an effect.
#[derive(Debug)]
pub struct DualSlice<'a> {
    /// The runs.
    pub pair: &'a Pair<'a>,
    /// What is sliced from.
    pub effect: &'a Effect,
    rules: Rules,
    /// Points whose operands belong to the slice, in each run; the effect point is kept apart.
    expanded: [Bits; 2],
    /// Points that belong to the slice: those, leaves and the effect point.
    members: [Bits; 2],
}

impl<'a> DualSlice<'a> {
    /// Slices backward from `effect`, in one sweep over both runs: every dependence leads to an earlier point, so each point is final
    /// when the sweep comes to it.
    pub fn new(pair: &'a Pair<'a>, effect: &'a Effect, rules: Rules) -> Self {
        let empty = pair.runs.map(|run| Bits::new(run.points() as usize));
        let mut slice = Self { pair, effect, rules, expanded: empty.clone(), members: empty };
        for operand in &effect.operands {
            slice.follow_operand(*operand);
        }
        for side in Side::BOTH {
            slice.members[side.index()].set(effect.points[side.index()]);
            slice.follow_control(side, effect.points[side.index()]);
        }
        slice.sweep();
        slice
    }

    fn sweep(&mut self) {
        let last = self.pair.alignment.segment_of(Side::First, self.effect.points[0]);
        for number in (0..=last).rev() {
            let segment = self.pair.alignment.segments()[number];
            for side in Side::BOTH {
                let from = segment.first[side.index()] + segment.aligned;
                let end = (from + segment.alone[side.index()]).min(self.effect.points[side.index()].max(from));
                self.sweep_alone(side, from, end);
            }
            let aligned = segment.aligned.min(self.effect.points[0].saturating_sub(segment.first[0]));
            self.sweep_aligned(segment.first, aligned);
        }
    }

    fn sweep_alone(&mut self, side: Side, from: u32, mut end: u32) {
        while let Some(point) = self.expanded[side.index()].last_in(from, end) {
            for write in self.pair.run(side).reads(point) {
                if self.pair.differs(side, *write) {
                    self.follow(side, *write);
                }
            }
            self.follow_control(side, point);
            end = point;
        }
    }

    fn sweep_aligned(&mut self, first: [u32; 2], aligned: u32) {
        let mut end = aligned;
        loop {
            let next = |side: Side| {
                let base = first[side.index()];
                self.expanded[side.index()].last_in(base, base + end).map(|point| point - base)
            };
            let Some(offset) = next(Side::First).max(next(Side::Second)) else { return };
            self.expand_aligned([first[0] + offset, first[1] + offset]);
            end = offset;
        }
    }

    /// Reaching a point from one run expands it in both: this is what catches omissions.
    fn expand_aligned(&mut self, points: [u32; 2]) {
        let [mine, theirs] = Side::BOTH.map(|side| self.pair.run(side).reads(points[side.index()]));
        for position in 0..mine.len().max(theirs.len()) {
            self.follow_operand([mine.get(position).copied(), theirs.get(position).copied()]);
        }
        for side in Side::BOTH {
            self.enlist(side, points[side.index()]);
            self.follow_control(side, points[side.index()]);
        }
    }

    fn follow_operand(&mut self, operand: [Option<u32>; 2]) {
        if self.equal(operand) {
            return;
        }
        for side in Side::BOTH {
            let Some(write) = operand[side.index()] else { continue };
            if self.pair.differs(side, write) {
                self.follow(side, write);
            } else if self.rules == Rules::Repaired {
                self.members[side.index()].set(self.pair.run(side).writer(write));
            }
        }
    }

    /// Whether an operand has the same definition in both runs.
    pub(super) fn equal(&self, operand: [Option<u32>; 2]) -> bool {
        matches!(operand, [Some(first), Some(second)] if self.pair.twins(first, second))
    }

    fn follow(&mut self, side: Side, write: u32) {
        self.enlist(side, self.pair.run(side).writer(write));
    }

    fn follow_control(&mut self, side: Side, point: u32) {
        let parent = self.pair.run(side).parent(point);
        if parent != NONE && self.pair.parted(side, parent) {
            self.enlist(side, parent);
        }
    }

    fn enlist(&mut self, side: Side, point: u32) {
        self.expanded[side.index()].set(point);
        self.members[side.index()].set(point);
    }

    /// Whether `point` of run `side` belongs to the slice. A corresponding point may belong to it by a leaf of the other run alone.
    pub fn contains(&self, side: Side, point: u32) -> bool {
        self.members[side.index()].get(point)
    }

    /// The points of run `side` that belong to the slice.
    pub fn members(&self, side: Side) -> &Bits {
        &self.members[side.index()]
    }

    /// The conditionals that `point`'s execution depends on and that are part of the slice: its control parent, or nothing.
    pub fn control(&self, side: Side, point: u32) -> Option<u32> {
        let parent = self.pair.run(side).parent(point);
        (parent != NONE && self.expands(side, point) && self.pair.parted(side, parent)).then_some(parent)
    }

    fn expands(&self, side: Side, point: u32) -> bool {
        self.expanded[side.index()].get(point) || self.effect.points[side.index()] == point
    }

    /// Whether operands of a point may occur in data dependences of the slice.
    pub(super) fn expands_either(&self, points: [Option<u32>; 2]) -> bool {
        Side::BOTH.into_iter().any(|side| points[side.index()].is_some_and(|point| self.expands(side, point)))
    }

    /// Whether an operand of such a point occurs in a data dependence of the slice (rule 4 of section 1.7).
    pub(super) fn holds(&self, points: [Option<u32>; 2], operand: [Option<u32>; 2]) -> bool {
        let aligned = points.iter().all(Option::is_some);
        let differs =
            Side::BOTH.iter().any(|side| operand[side.index()].is_some_and(|write| self.pair.differs(*side, write)));
        differs || (aligned && self.rules == Rules::Repaired && !self.equal(operand))
    }

    /// Calls `visit` with every data dependence of the slice whose user is at or after the corresponding points `from`, in order.
    pub fn edges(&self, from: [u32; 2], mut visit: impl FnMut(Edge)) {
        for stretch in stretches(self.pair, from, self.effect.points) {
            let count = stretch.together + u32::from(stretch.fork.as_ref().is_some_and(|fork| fork.at.is_some()));
            let mut next = 0;
            while let Some(offset) = Bits::first_in_either(self.expanded.each_ref(), stretch.points(0), next, count) {
                self.visit_point(stretch.points(offset).map(Some), &mut visit);
                next = offset + 1;
            }
            let Some(fork) = stretch.fork else { continue };
            for side in Side::BOTH {
                let arm = &fork.arms[side.index()];
                let mut next = arm.start;
                while let Some(user) = self.expanded[side.index()].first_in(next, arm.end) {
                    self.visit_point(alone(side, user), &mut visit);
                    next = user + 1;
                }
            }
        }
        for operand in &self.effect.operands {
            self.visit_operand(self.effect.points.map(Some), *operand, &mut visit);
        }
    }

    fn visit_point(&self, points: [Option<u32>; 2], visit: &mut impl FnMut(Edge)) {
        let count = |side: Side| points[side.index()].map_or(0, |point| self.pair.run(side).reads(point).len());
        for position in 0..count(Side::First).max(count(Side::Second)) {
            self.visit_operand(points, self.pair.operand(points, position), visit);
        }
    }

    fn visit_operand(&self, points: [Option<u32>; 2], operand: [Option<u32>; 2], visit: &mut impl FnMut(Edge)) {
        let aligned = points.iter().all(Option::is_some);
        let kept = self.rules == Rules::Repaired && aligned && !self.equal(operand);
        for side in Side::BOTH {
            let (Some(user), Some(write)) = (points[side.index()], operand[side.index()]) else { continue };
            let leaf = !self.pair.differs(side, write);
            if !leaf || kept {
                visit(Edge { side, user, write, leaf });
            }
        }
    }
}

/// A point that run `side` has alone.
pub(super) fn alone(side: Side, point: u32) -> [Option<u32>; 2] {
    let mut points = [None; 2];
    points[side.index()] = Some(point);
    points
}
