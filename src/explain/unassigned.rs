//! Local variables that are used though nothing was assigned to them. They begin as zero where a test is recorded, so it may pass there: what it read tells more
//! than that.

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use suspect_format::body::{Action, Callee};
use suspect_format::external::{self, Role};

use super::question::Question;
use super::recorded::RecordingRoom;
use super::recorded_test::RecordedTest;
use super::request::{Request, Second};
use super::trail::Passed;
use super::{Case, Marks};
use crate::comparison::{NONE, Side, Value};
use crate::obstacle::Obstacle;
use crate::recording::{Kind, Site, address_at};
use crate::report::{Explanation, Origin, Point, quoted};
use crate::suite::{Test, Verdict};

/// Decisions before such a use, at most, that are asked whether they led past what would have set the variable: the last ones.
const MOST_ASKED: usize = 1000;

/// Places that are told of what led to such a decision, at most, and with it.
const MOST_LEADING: usize = 3;

/// Why such a use is told, in words.
const UNASSIGNED: &str = "the test fails, but passes where it is recorded, for locals begin as zero there; the first local variable is told that decides \
     something, or is written, though nothing was assigned to it; nothing here is proved";

/// A use of a value that nothing was assigned to.
#[derive(Clone, Copy)]
struct Unassigned {
    /// The point that decides by it, or writes it.
    used: u32,
    /// The point that read the variable, and the write of the start that it read.
    read: (u32, u32),
}

/// What a test that passes where it is recorded decides by, or writes, though nothing was assigned to it; nothing if it fails there, or nothing like that is seen.
pub fn decided_by(
    room: &RecordingRoom<'_>,
    test: &Test,
    failing: &RecordedTest,
    request: &Request,
    until: Instant,
    told: &dyn Fn(&Explanation),
) -> Result<Option<Explanation>, Obstacle> {
    if failing.verdict != Verdict::Pass || request.second != Second::Alike || request.effect.is_some() {
        return Ok(None);
    }
    let asked = Question {
        room,
        test,
        failing,
        wrong: None,
        misuse: None,
        right: None,
        is_steady: false,
        request,
        until,
        told,
        marks: Marks::default(),
        measure: None,
    };
    asked.followed_alone(|_| true, |case, _| case.along_to_unassigned())
}

impl Case<'_> {
    fn along_to_unassigned(&self) -> Option<Explanation> {
        let unassigned = self.first_unassigned()?;
        let run = self.failing();
        let (reader, read) = unassigned.read;
        let name = quoted(&self.words.written(run.location(read), [None, Some(read)]));
        let words = format!("{} uses {name}, which nothing was assigned to", self.at(Side::Second, reader));
        let mut facts = vec![Point {
            text: format!("uses {name}, which nothing was assigned to"),
            ..self.place(Side::Second, reader)
        }];
        if unassigned.used != reader {
            facts.insert(0, self.told_use(unassigned.used));
        }
        let mut explanation = self.told_alone(words, &[], UNASSIGNED.to_owned());
        if let Some(decision) = self.led_past_assigning(reader, read) {
            let place = self.place(Side::Second, decision);
            let told = format!("nothing is assigned to it, for {}", self.told_decision(decision, " here"));
            explanation.summary.push(format!("That comes from {}:{}: {told}.", place.file, place.line));
            facts.extend(self.told_way(&self.followed((decision, None), MOST_LEADING), (MOST_LEADING, 0)));
            let is_there = |fact: &&mut Point| (&fact.file, fact.line) == (&place.file, place.line);
            if let Some(fact) = facts.iter_mut().find(is_there) {
                fact.text.clone_from(&told);
            }
            explanation.origins = vec![Origin { point: place, what: vec![told] }];
        }
        explanation.facts = facts;
        Some(explanation)
    }

    /// What is done with a value that comes of one that nothing was assigned to.
    fn told_use(&self, used: u32) -> Point {
        let site = self.failing().site(used);
        let callee = self.code.step_of(site).and_then(|step| self.words.callee(step));
        let text = match (self.code.decides(site), callee) {
            (true, _) => self.told_decision(used, " here"),
            (false, Some(callee)) => format!("it is given to {callee}()"),
            (false, None) => "it is written here".to_owned(),
        };
        Point { text, ..self.place(Side::Second, used) }
    }

    /// The first decision, output or call of code that is not recorded that depends by values on a local variable which nothing was assigned to; nothing if not all of the run is known.
    fn first_unassigned(&self) -> Option<Unassigned> {
        let run = self.failing();
        if run.skipped().points > 0 {
            return None;
        }
        let known = self.lent_variables();
        // By write: where a value that nothing was assigned to was read, as far as it was handed on.
        let mut handed: HashMap<u32, (u32, u32)> = HashMap::new();
        for used in 1..run.points() {
            let unassigned = |read: &u32| {
                let is_own = || self.is_unassigned(*read, &known).then_some((used, *read));
                handed.get(read).copied().or_else(is_own)
            };
            let reads: Vec<(u32, (u32, u32))> =
                run.reads(used).iter().filter_map(|read| Some((*read, unassigned(read)?))).collect();
            let Some((_, read)) = reads.first().copied() else { continue };
            if self.is_seen(used) || self.is_given_outside(used, &reads) {
                return Some(Unassigned { used, read });
            }
            handed.extend(self.handed_on(used, &reads));
        }
        None
    }

    /// Whether a point decides, or writes what it reads where others see it.
    fn is_seen(&self, point: u32) -> bool {
        let site = self.failing().site(point);
        self.code.decides(site) || matches!(self.code.role(site), Some(Role::Output | Role::Ends))
    }

    /// Whether a point calls code that is not recorded with one of these values as it is.
    fn is_given_outside(&self, point: u32, reads: &[(u32, (u32, u32))]) -> bool {
        let given = |write: u32| match self.argument_of(point, write) {
            Passed::Read(read) => reads.iter().any(|(one, _)| *one == read),
            _ => false,
        };
        self.failing().written(point).any(|write| self.is_passed(write) && given(write))
    }

    /// Of values that a point reads and that nothing was assigned to: the writes by which it hands them on.
    fn handed_on(&self, point: u32, reads: &[(u32, (u32, u32))]) -> Vec<(u32, (u32, u32))> {
        let run = self.failing();
        let Site::Step(step) = self.code.what(run.site(point)) else { return Vec::new() };
        let of = |read: u32| reads.iter().find(|(one, _)| *one == read).map(|(_, unassigned)| *unassigned);
        let written = run.written(point);
        match self.code.steps[step as usize].action {
            Action::Copy => {
                let pairs = run.reads(point).iter().copied().zip(written);
                pairs.filter_map(|(read, write)| Some((write, of(read)?))).collect()
            }
            Action::Call { .. } => {
                let passed = |write: u32| match self.argument_of(point, write) {
                    Passed::Read(read) => of(read).map(|unassigned| (write, unassigned)),
                    _ => None,
                };
                written.filter_map(passed).collect()
            }
            Action::Store(_) | Action::Return(_) => {
                // Some bits of a word are set: the others need never be looked at.
                let is_kept = |write: &u32| reads.iter().any(|(read, _)| run.location(*read) == run.location(*write));
                let unassigned = reads.first().map(|(_, unassigned)| *unassigned);
                written.filter(|write| !is_kept(write)).filter_map(|write| Some((write, unassigned?))).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether what is read is what a local variable began with: none that was passed, nor one whose address code that is not known was given.
    fn is_unassigned(&self, read: u32, lent: &HashSet<(u32, u32)>) -> bool {
        let run = self.failing();
        let place = self.runs.naming.names.place(run.location(read));
        let Some(Kind::Frame { function, .. }) = self.runs.naming.kinds.get(place.object as usize) else {
            return false;
        };
        let Some(variable) = self.words.variable(*function, place.offset) else { return false };
        let is_parameter =
            || self.code.functions[*function as usize].parameters.iter().any(|one| one.offset == variable.offset);
        run.writer(read) == 0 && !lent.contains(&(place.object, variable.offset)) && !is_parameter()
    }

    /// Variables, by the object that their frame is and their offset there, whose address code that is neither recorded nor known was given.
    fn lent_variables(&self) -> HashSet<(u32, u32)> {
        let (run, names, kinds) = (self.failing(), &self.runs.naming.names, &self.runs.naming.kinds);
        let is_known = |point: u32| {
            let step = self.code.step_of(run.site(point))?;
            let Action::Call { callee, .. } = self.code.steps[step as usize].action else { return None };
            matches!(callee, Callee::Symbol(_)).then(|| self.words.callee(step).and_then(external::known))?
        };
        let lent = |write: u32| {
            let Value::Address(place) = run.value(write) else { return None };
            let Some(Kind::Frame { function, .. }) = kinds.get(place.object as usize) else { return None };
            let variable = self.words.variable(*function, place.offset)?;
            Some((place.object, variable.offset)).filter(|_| is_known(run.writer(write)).is_none())
        };
        let is_argument = |write: &u32| {
            matches!(kinds.get(names.place(run.location(*write)).object as usize), Some(Kind::Arguments { .. }))
        };
        (0..run.writes()).filter(is_argument).filter_map(lent).collect()
    }

    /// The last decision before a point that led past a store to what it read and nothing was assigned to.
    fn led_past_assigning(&self, reader: u32, read: u32) -> Option<u32> {
        let run = self.failing();
        let place = self.runs.naming.names.place(run.location(read));
        let sets = |decision: u32, step: &u32| {
            let token = self.stored_to(*step);
            token.and_then(|token| address_at(self.code, self.runs, decision, token)) == Some(place)
        };
        let is_decision = |point: &u32| run.outcome(*point) != NONE && self.code.decides(run.site(*point));
        let mut decisions = (1..reader).rev().filter(is_decision).take(MOST_ASKED);
        decisions.find(|point| {
            let left_out = self.steps_left_out((run.site(*point), run.outcome(*point)));
            left_out.iter().any(|step| sets(*point, step))
        })
    }
}
