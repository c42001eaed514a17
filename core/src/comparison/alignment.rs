//! Which point of one run corresponds to which point of the other.

use super::run::Side;

/// A point of either run by one number: corresponding points have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Instance(u32);

const ONLY_SECOND: u32 = 1 << 31;

impl Instance {
    /// The run and point that the instance is named after: the first run's, if it has one.
    pub fn point(self) -> (Side, u32) {
        if self.0 & ONLY_SECOND == 0 { (Side::First, self.0) } else { (Side::Second, self.0 & !ONLY_SECOND) }
    }
}

/// A stretch of corresponding points, then points that one run has alone. The last of the corresponding points is where the runs part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The first point, in each run.
    pub first: [u32; 2],
    /// How many points correspond.
    pub aligned: u32,
    /// How many points follow in each run alone.
    pub alone: [u32; 2],
}

/// An alignment: a partial injective map between the points of two runs that keeps their order (section 1.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alignment {
    segments: Vec<Segment>,
    points: [u32; 2],
    unexplained: u32,
}

impl Alignment {
    pub(super) fn new(segments: Vec<Segment>, points: [u32; 2], unexplained: u32) -> Self {
        Self { segments, points, unexplained }
    }

    /// A run of so many points, with the start, beside itself.
    pub fn of_itself(points: u32) -> Self {
        Self {
            segments: vec![Segment { first: [0; 2], aligned: points, alone: [0; 2] }],
            points: [points; 2],
            unexplained: 0,
        }
    }

    /// The stretches, in order.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// How many points each run has.
    pub fn points(&self) -> [u32; 2] {
        self.points
    }

    /// How often the runs part with no branch, call back, unwinding or end to account for it. More than 0 means that something decided which
    /// the recordings do not have (a branch in code without hooks, another thread), or that they are not of one program.
    pub fn unexplained(&self) -> u32 {
        self.unexplained
    }

    /// The number of the segment that `point` of run `side` is in: of those that start at the same point, the last has points.
    pub(super) fn segment_of(&self, side: Side, point: u32) -> usize {
        self.segments.partition_point(|segment| segment.first[side.index()] <= point).saturating_sub(1)
    }

    /// The point of the other run that corresponds to `point` of run `side`.
    pub fn partner(&self, side: Side, point: u32) -> Option<u32> {
        let segment = self.segments.get(self.segment_of(side, point))?;
        let offset = point - segment.first[side.index()];
        (offset < segment.aligned).then(|| segment.first[side.other().index()] + offset)
    }

    /// The last point of the first run, up to `point` of run `side`, that has a corresponding point.
    pub fn floor(&self, side: Side, point: u32) -> u32 {
        let number = self.segment_of(side, point);
        let segment = &self.segments[number];
        let offset = point - segment.first[side.index()];
        // A segment without corresponding points follows one whose last is the one that is asked for.
        let last = self.segments[..=number].iter().rev().find(|segment| segment.aligned > 0);
        if offset < segment.aligned {
            segment.first[0] + offset
        } else {
            last.map_or(0, |segment| segment.first[0] + segment.aligned - 1)
        }
    }

    /// `point` of run `side` by the name that it shares with the corresponding point.
    pub fn instance(&self, side: Side, point: u32) -> Instance {
        match side {
            Side::First => Instance(point),
            Side::Second => self.partner(side, point).map_or(Instance(point | ONLY_SECOND), Instance),
        }
    }
}
