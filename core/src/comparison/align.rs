//! Alignment of two runs by one walk over both (section 2, region-tree lockstep merge): linear time, constant memory.

use std::cmp::Ordering;

use super::alignment::{Alignment, Segment};
use super::regions::Joins;
use super::{NONE, START};

/// What happens next in a run, as far as control goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A point, and which way it goes if it is a conditional ([`NONE`] if not).
    Point {
        /// The static place.
        site: u32,
        /// The way taken.
        outcome: u32,
    },
    /// The last point calls.
    Enter,
    /// The current call returns.
    Leave,
    /// `longjmp` or the like: calls end without returning until so many are open.
    Unwind {
        /// How many calls are open where control goes on.
        depth: u32,
    },
}

/// One run while it is walked over.
struct Cursor<I> {
    steps: I,
    ahead: Option<Step>,
    depth: u32,
    points: u32,
}

impl<I: Iterator<Item = Step>> Cursor<I> {
    fn new(mut steps: I) -> Self {
        let ahead = steps.next();
        Self { steps, ahead, depth: 0, points: 0 }
    }

    fn step(&mut self) {
        match self.ahead {
            Some(Step::Point { .. }) => self.points += 1,
            Some(Step::Enter) => self.depth += 1,
            Some(Step::Leave) => self.depth = self.depth.saturating_sub(1),
            Some(Step::Unwind { depth }) => self.depth = depth,
            None => {}
        }
        self.ahead = self.steps.next();
    }

    /// Goes on alone to the first place with `depth` calls open where the runs may meet, at most so `near`, or to where that call is about
    /// to end. Answers how near the place is.
    fn seek(&mut self, depth: u32, near: u32, meeting: &impl Fn(u32) -> Option<u32>) -> u32 {
        loop {
            let there = match self.ahead {
                None => Some(0),
                Some(Step::Point { site, .. }) if self.depth == depth => meeting(site).filter(|found| *found <= near),
                Some(Step::Leave) => (self.depth == depth).then_some(0),
                Some(Step::Unwind { depth: to }) => (to < depth).then_some(0),
                Some(Step::Enter | Step::Point { .. }) => None,
            };
            if let Some(found) = there {
                return found;
            }
            self.step();
        }
    }

    /// Goes on alone to the next site of the call of this depth that is in both builds, and answers it; [`NONE`] if the call ends before.
    fn seek_common(&mut self, depth: u32, joins: &Joins) -> u32 {
        loop {
            match self.ahead {
                Some(Step::Point { site, .. }) if self.depth == depth && joins.order(site) != NONE => return site,
                Some(Step::Leave) if self.depth == depth => return NONE,
                Some(Step::Unwind { depth: to }) if to < depth => return NONE,
                None => return NONE,
                _ => self.step(),
            }
        }
    }

    /// Goes on alone to the next conditional of the current call, which the walk resumes from after an unwinding.
    fn seek_conditional(&mut self, depth: u32) -> u32 {
        loop {
            match self.ahead {
                Some(Step::Point { site, outcome }) if self.depth == depth && outcome != NONE => return site,
                Some(Step::Leave) if self.depth == depth => return NONE,
                Some(Step::Unwind { depth: to }) if to < depth => return NONE,
                None => return NONE,
                _ => self.step(),
            }
        }
    }
}

/// Where runs that have parted meet again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meeting {
    /// Where the ways of this branch join.
    Branch(u32),
    /// Nowhere but at this site.
    Site(u32),
    /// Behind what is in one of two builds alone.
    Edit,
    /// Not before the call ends.
    Never,
}

struct Merge<'a, A, B> {
    a: Cursor<A>,
    b: Cursor<B>,
    joins: &'a Joins,
    segments: Vec<Segment>,
    open: Segment,
    unexplained: u32,
}

impl<A: Iterator<Item = Step>, B: Iterator<Item = Step>> Merge<'_, A, B> {
    /// Goes on in lockstep until the runs part. Answers where they meet again, or nothing at the end of both.
    fn lockstep(&mut self) -> Option<Meeting> {
        loop {
            match (self.a.ahead, self.b.ahead) {
                (None, None) => return None,
                (Some(Step::Point { site, outcome }), Some(Step::Point { site: other, outcome: another }))
                    if site == other =>
                {
                    self.a.step();
                    self.b.step();
                    if outcome != another {
                        return Some(Meeting::Branch(site));
                    }
                }
                (Some(one), Some(another)) if one == another && !matches!(one, Step::Point { .. }) => {
                    self.a.step();
                    self.b.step();
                }
                (Some(Step::Point { site, .. }), _) | (_, Some(Step::Point { site, .. })) if self.is_edited(site) => {
                    return Some(Meeting::Edit);
                }
                // One run is called back, from a library that is not recorded, more often than the other: until it is done.
                (Some(Step::Enter), _) => return Some(self.here(&self.b.ahead)),
                (_, Some(Step::Enter)) => return Some(self.here(&self.a.ahead)),
                (Some(Step::Unwind { .. }), _) | (_, Some(Step::Unwind { .. }) | None) | (None, _) => {
                    return Some(Meeting::Never);
                }
                _ => {
                    self.unexplained += 1;
                    return Some(Meeting::Never);
                }
            }
        }
    }

    /// True if this site, or what is ahead in either run, is in one of two builds alone.
    fn is_edited(&self, site: u32) -> bool {
        let is_alone =
            |ahead: Option<Step>| matches!(ahead, Some(Step::Point { site, .. }) if self.joins.order(site) == NONE);
        self.joins.order(site) == NONE || is_alone(self.a.ahead) || is_alone(self.b.ahead)
    }

    /// Advances each run alone past what is in its build alone. The run that is less far in the code follows the other one, until both are at the same
    /// site; where one leaves the call before, it ends for both.
    fn pass_edit(&mut self, depth: u32) {
        loop {
            let sites = [self.a.seek_common(depth, self.joins), self.b.seek_common(depth, self.joins)];
            if sites.contains(&NONE) {
                return self.rejoin(depth, Meeting::Never);
            }
            let [one, other] = sites.map(|site| self.joins.order(site));
            match one.cmp(&other) {
                Ordering::Equal => return,
                Ordering::Less => self.a.step(),
                Ordering::Greater => self.b.step(),
            }
        }
    }

    fn here(&self, ahead: &Option<Step>) -> Meeting {
        match ahead {
            Some(Step::Point { site, .. }) => Meeting::Site(*site),
            _ => Meeting::Never,
        }
    }

    /// Advances each run alone until both are at the same place again: where they meet, or where the call of depth `depth` ends. A run that
    /// went past the nearest place has the other one follow to the next.
    fn rejoin(&mut self, mut depth: u32, mut place: Meeting) {
        let joins = self.joins;
        let mut near = u32::MAX;
        loop {
            let meeting = |site: u32| match place {
                Meeting::Branch(branch) => joins.nearness(branch, site),
                Meeting::Site(only) => (site == only).then_some(u32::MAX),
                Meeting::Edit | Meeting::Never => None,
            };
            let found = [self.a.seek(depth, near, &meeting), self.b.seek(depth, near, &meeting)];
            match (self.a.ahead, self.b.ahead) {
                (Some(Step::Point { .. }), Some(Step::Point { .. })) if found[0] != found[1] => {
                    near = found[0].min(found[1]);
                }
                (None, _) | (_, None) => return self.exhaust(),
                (Some(Step::Unwind { depth: to }), other) if other != self.a.ahead => {
                    self.a.step();
                    depth = to;
                    place = Meeting::Branch(self.a.seek_conditional(to));
                    near = u32::MAX;
                }
                (other, Some(Step::Unwind { depth: to })) if other != self.b.ahead => {
                    self.b.step();
                    depth = to;
                    place = Meeting::Branch(self.b.seek_conditional(to));
                    near = u32::MAX;
                }
                (Some(Step::Leave), Some(Step::Point { .. })) | (Some(Step::Point { .. }), Some(Step::Leave)) => {
                    place = Meeting::Never;
                }
                _ => return,
            }
        }
    }

    /// One run has ended where the other goes on: what is left has no counterpart.
    fn exhaust(&mut self) {
        while self.a.ahead.is_some() {
            self.a.step();
        }
        while self.b.ahead.is_some() {
            self.b.step();
        }
    }

    fn run(mut self) -> Alignment {
        loop {
            let meeting = self.lockstep();
            self.open.aligned = self.a.points - self.open.first[0];
            if let Some(meeting) = meeting {
                let depth = self.a.depth.min(self.b.depth);
                match meeting {
                    Meeting::Edit => self.pass_edit(depth),
                    other => self.rejoin(depth, other),
                }
            }
            let ends = [self.a.points, self.b.points];
            for (side, end) in ends.into_iter().enumerate() {
                self.open.alone[side] = end - self.open.first[side] - self.open.aligned;
            }
            self.segments.push(self.open);
            self.open = Segment { first: ends, aligned: 0, alone: [0, 0] };
            if meeting.is_none() {
                return Alignment::new(self.segments, ends, self.unexplained);
            }
        }
    }
}

/// Aligns two runs. Points correspond if their structural indices are equal: the nested regions of branches and calls that they stand in.
/// The points of both start with the start ([`START`]), which need not be among the steps.
pub fn align(
    first: impl IntoIterator<Item = Step>,
    second: impl IntoIterator<Item = Step>,
    joins: &Joins,
) -> Alignment {
    let start = Step::Point { site: START, outcome: NONE };
    Merge {
        a: Cursor::new(std::iter::once(start).chain(first)),
        b: Cursor::new(std::iter::once(start).chain(second)),
        joins,
        segments: Vec::new(),
        open: Segment { first: [0, 0], aligned: 0, alone: [0, 0] },
        unexplained: 0,
    }
    .run()
}
