//! Objects of the heap that are too small: what a use beyond the end of one depends on, beside where it uses it. A decision led past what puts a larger object
//! in its place, or its size was computed too small.

use std::collections::HashSet;

use suspect_format::body::{Action, Callee};

use super::Case;
use super::alone::MOST_TOLD;
use super::before::MOST_FOLLOWED;
use super::question::Question;
use crate::comparison::{NONE, Place, Side, Tie, Value};
use crate::obstacle::Obstacle;
use crate::recording::{Block, Kind, Owner, Site, Use, address_at};
use crate::report::{self, Explanation, Point};

/// Decisions before the use, at most, that are asked whether they led past a larger object: the last ones.
const MOST_ASKED: usize = 1000;
/// Calls, one in another, at most, that an object was allocated by: an allocator of the program's own takes one or two.
const MOST_CALLS: usize = 3;
/// Values without a name, one computed from another, by which an address comes to where it is used, at most.
const DEEPEST: usize = 6;
/// Places that are told of where an object's size comes from, at most.
const MOST_SIZED: usize = 4;

/// The way to such a decision in words.
const OUTGROWN: &str = "the failing run alone was followed, from the write beyond the end of an object to the decision that led past a larger one; there is no \
     second run to compare it with, so nothing here is proved";

impl Question<'_> {
    /// The way back from a write beyond the end of an object to the decision that led past putting a larger one in its place; nothing where none did, or the last
    /// ranking is sure of a line.
    pub(super) fn along_to_an_outgrown(&self) -> Result<Option<Explanation>, Obstacle> {
        let is_sure = self.room.ranked_lines().first().is_some_and(|(file, line)| self.room.is_sure_of(file, *line));
        if is_sure || self.misuse.is_none() {
            return Ok(None);
        }
        self.followed_alone(|case| case.outgrown().is_some(), |case, files| case.along_to_an_outgrown(files))
    }
}

impl Case<'_> {
    fn along_to_an_outgrown(&self, files: &[String]) -> Option<Explanation> {
        let (misuse, decision) = (self.misuse?, self.outgrown()?);
        let mut way = vec![(misuse.point, Tie::Start), (decision, Tie::Missed)];
        way.extend(self.followed((decision, None), MOST_FOLLOWED).into_iter().skip(1));
        let place = self.place(Side::Second, decision);
        let told = format!("no larger object is put in its place, for {}", self.told_decision(decision, " here"));
        let mut explanation = self.told_alone(self.shown(files).words, &[], OUTGROWN.to_owned());
        explanation.summary.push(format!("That comes from {}:{}: {told}.", place.file, place.line));
        explanation.facts = self.told_way(&way, MOST_TOLD);
        let is_there = |fact: &&mut Point| (&fact.file, fact.line) == (&place.file, place.line);
        if let Some(fact) = explanation.facts.iter_mut().find(is_there) {
            fact.text.clone_from(&told);
        }
        explanation.origins = vec![report::Origin { point: place, what: vec![told] }];
        Some(explanation)
    }

    /// The object of the heap, and the point that allocated it, which the failing run uses beyond its end while it is alive.
    fn used_beyond(&self) -> Option<(&Block, u32)> {
        let misuse = self.misuse?;
        let block = &misuse.block;
        let offset = misuse.address.wrapping_sub(block.address);
        let is_beyond = offset.cast_signed() >= 0 && offset.saturating_add(misuse.length) > block.size;
        match block.what {
            Owner::Heap(point) if misuse.what != Use::Free && block.ended.is_none() && is_beyond => {
                Some((block, point))
            }
            _ => None,
        }
    }

    /// The last decision before a write beyond the end of an object that led past a call and a store of what it returned where the used pointer is kept, or past a
    /// call of the function that allocated the object.
    fn outgrown(&self) -> Option<u32> {
        let (run, (_, allocated)) = (self.failing(), self.used_beyond()?);
        let used = self.misuse.filter(|misuse| misuse.what == Use::Write)?.point;
        let mut kept = HashSet::new();
        self.gather_kept(used, allocated, DEEPEST, &mut kept);
        let allocators = self.allocators(allocated);
        let mut ways: HashSet<(u32, u32)> = HashSet::new();
        let is_decision = |point: &u32| run.outcome(*point) != NONE && self.code.decides(run.site(*point));
        let mut decisions = (allocated + 1..used).rev().filter(is_decision).take(MOST_ASKED);
        decisions.find(|point| {
            let way = (run.site(*point), run.outcome(*point));
            ways.insert(way) && self.leads_past_a_larger(*point, way, &kept, &allocators)
        })
    }

    /// Gathers the places from which the address of an object came to a point, directly or by values without a name.
    fn gather_kept(&self, point: u32, allocated: u32, depth: usize, kept: &mut HashSet<Place>) {
        let run = self.failing();
        for read in run.reads(point).iter().copied() {
            let (location, is_start) = (run.location(read), self.is_start_of(read, allocated));
            if is_start {
                kept.insert(self.runs.naming.names.place(location));
            }
            if depth > 0 && run.writer(read) > allocated && (is_start || !self.words.is_named(location)) {
                self.gather_kept(run.writer(read), allocated, depth - 1, kept);
            }
        }
    }

    /// Whether a write keeps the address of the object that a point allocated.
    fn is_start_of(&self, write: u32, allocated: u32) -> bool {
        let Value::Address(Place { object, offset: 0 }) = self.failing().value(write) else { return false };
        let kind = self.runs.naming.kinds.get(object as usize);
        matches!(kind, Some(Kind::Heap { point, .. }) if *point == allocated)
    }

    /// The functions of the program in which an object was allocated, the innermost first.
    fn allocators(&self, allocated: u32) -> Vec<u32> {
        let details = &self.runs.details[1];
        let around = |frame: &u32| Some(details.frames.get(*frame as usize)?.caller).filter(|caller| caller != frame);
        let frames = std::iter::successors(details.frame_of(allocated), around);
        let used = self.misuse.and_then(|misuse| details.frame_of(misuse.point));
        // What uses the object is no allocator.
        let outer: Vec<u32> = std::iter::successors(used, around).collect();
        let own = frames.take_while(|frame| !outer.contains(frame)).take(MOST_CALLS);
        own.filter_map(|frame| Some(details.frames.get(frame as usize)?.function)).collect()
    }

    /// Whether a decision led past one of these calls, or past a call and a store to where one of these pointers is kept.
    fn leads_past_a_larger(&self, decision: u32, way: (u32, u32), kept: &HashSet<Place>, allocators: &[u32]) -> bool {
        let steps = self.steps_left_out(way);
        let calls = |step: &u32| matches!(self.code.steps[*step as usize].action, Action::Call { .. });
        let allocates = |step: &u32| match self.code.steps[*step as usize].action {
            Action::Call { callee: Callee::Version(function), .. } => allocators.contains(&function),
            _ => false,
        };
        if steps.iter().any(allocates) {
            return true;
        }
        let keeps = |step: &u32| {
            let token = self.stored_to(*step);
            let place = token.and_then(|token| address_at(self.code, self.runs, decision, token));
            place.is_some_and(|place| kept.contains(&place))
        };
        steps.iter().any(calls) && steps.iter().any(keeps)
    }

    /// The first token of the address that a store writes to.
    pub(super) fn stored_to(&self, step: u32) -> Option<u32> {
        let (mut at, mut loads) = (self.code.steps[step as usize].tokens as usize, 0);
        self.code.is_store(step).then(|| self.pass(&mut at, &mut loads))?;
        u32::try_from(at).ok()
    }

    /// Tells where the object that the failing run uses beyond its end got its size, and what that comes from: lines that are not told yet.
    pub(super) fn tell_size(&self, facts: &mut Vec<Point>) {
        let Some((block, allocated)) = self.used_beyond() else { return };
        let run = self.failing();
        let call = self.code.step_of(run.site(allocated)).map(|step| self.code.site(Site::Step(step)));
        let Some(called) = (1..=allocated).rev().find(|point| Some(run.site(*point)) == call) else { return };
        let mut told = self.told_way(&self.followed((called, None), MOST_SIZED), (MOST_SIZED, 0));
        if let Some(first) = told.first_mut() {
            first.text = format!("the object of {} bytes is allocated here", block.size);
        }
        told.retain(|point| !facts.iter().any(|fact| (&fact.file, fact.line) == (&point.file, point.line)));
        facts.extend(told);
    }
}
