//! Writes that are missing: a value is still what it was, because a decision led past what writes it.

use std::collections::HashSet;

use suspect_format::body::{Action, Token};

use super::Case;
use crate::comparison::{NONE, Side, Tie, Value};
use crate::recording::Site;
use crate::report::Point;

/// Decisions, at most, that are asked whether they led past a write: the last ones.
const MOST_ASKED: usize = 1000;
/// Steps of a function, at most, that one way of a decision is followed for.
const MOST_STEPS: usize = 2000;

impl Case<'_> {
    /// The last decision between a write and the point that reads it which led past another write there: of a count, where what counts was not done once more;
    /// of a constant in a local variable, where no other value was given to it. Nothing for what is computed from other values: these say more.
    pub(super) fn led_past(&self, write: u32, reader: u32) -> Option<u32> {
        let run = self.failing();
        let (writer, location) = (run.writer(write), run.location(write));
        let is_data = |read: &&u32| !matches!(run.value(**read), Value::Address(_));
        let is_store = |point: u32| {
            self.code
                .step_of(run.site(point))
                .is_some_and(|step| matches!(self.code.steps[step as usize].action, Action::Store(_)))
        };
        if writer == 0 || !is_store(writer) {
            return None;
        }
        let mut data = run.reads(writer).iter().filter(is_data).peekable();
        if data.peek().is_none() {
            return self.led_past_other(writer, reader);
        }
        if !data.all(|read| run.location(*read) == location) {
            return None;
        }
        // What counts stands under decisions of its function that went another way since.
        let mut parent = run.parent(writer);
        while parent != NONE && parent != 0 && self.code.decides(run.site(parent)) {
            let differs =
                |point: &u32| run.site(*point) == run.site(parent) && run.outcome(*point) != run.outcome(parent);
            if let Some(past) = (writer + 1..reader).rev().find(differs) {
                return Some(past);
            }
            parent = run.parent(parent);
        }
        None
    }

    /// Of a call that hands on what its function was given as it is, the last decision that the function made before: the value could have become another one
    /// there. Nothing of the tests' own code.
    pub(super) fn passed_by(&self, call: u32, tie: Tie) -> Option<Point> {
        let (run, details) = (self.failing(), &self.runs.details[1]);
        let (Tie::Value(write), Site::Step(step)) = (tie, self.code.what(run.site(call))) else { return None };
        let frame = details.frame_of(call)?;
        let is_call = matches!(self.code.steps[step as usize].action, Action::Call { .. });
        let is_given = |read: &u32| {
            let writer = run.writer(*read);
            run.value(*read) == run.value(write) && writer != 0 && details.frame_of(writer) != Some(frame)
        };
        let is_number = matches!(run.value(write), Value::Number(_));
        if !is_call || !is_number || !run.reads(call).iter().any(is_given) {
            return None;
        }
        let decides = |point: &u32| details.frame_of(*point) == Some(frame) && run.outcome(*point) != NONE;
        let entered = run.reads(call).iter().filter(|read| is_given(read)).map(|read| run.writer(*read)).max()?;
        let decision = (entered + 1..call).rev().filter(decides).find(|point| self.condition(*point).is_some())?;
        let place = self.place(Side::Second, decision);
        let is_tested = self.room.trusted_files().is_ok_and(|trusted| !trusted.contains(&place.file));
        let text = format!("{}() hands it on as it is: {}", place.function, self.told_decision(decision, ""));
        is_tested.then_some(Point { text, ..place })
    }

    /// Where a line is missing in the output: of a store that made what is written in its place, the last decision that its function made before and that led past a
    /// call. Nothing of the tests' own code.
    pub(super) fn called_past(&self, store: u32, tie: Tie) -> Option<Point> {
        let (run, details) = (self.failing(), &self.runs.details[1]);
        let (Tie::Value(_), Site::Step(step)) = (tie, self.code.what(run.site(store))) else { return None };
        if !self.wrong.is_some_and(|wrong| wrong.lacks_line) || !self.code.is_store(step) {
            return None;
        }
        let frame = details.frame_of(store)?;
        let calls = |step: &u32| matches!(self.code.steps[*step as usize].action, Action::Call { .. });
        let led_past = |point: &u32| {
            let left_out = || self.steps_left_out((run.site(*point), run.outcome(*point)));
            details.frame_of(*point) == Some(frame) && run.outcome(*point) != NONE && left_out().iter().any(calls)
        };
        // Activations are numbered in order, so what lies before this one has lower numbers.
        let decision = (1..store).rev().take_while(|point| details.frame_of(*point) >= Some(frame)).find(led_past)?;
        let place = self.place(Side::Second, decision);
        let is_tested = self.room.trusted_files().is_ok_and(|trusted| !trusted.contains(&place.file));
        let text =
            format!("before that, {}() leaves something out: {}", place.function, self.told_decision(decision, ""));
        is_tested.then_some(Point { text, ..place })
    }

    /// True for a store of a constant that no decision of its function led to: why it has that value is said.
    pub(super) fn is_plain_constant(&self, point: u32) -> bool {
        let run = self.failing();
        let is_store = self
            .code
            .step_of(run.site(point))
            .is_some_and(|step| matches!(self.code.steps[step as usize].action, Action::Store(_)));
        let is_led_to = run.parent(point) != NONE && self.code.decides(run.site(run.parent(point)));
        is_store && !is_led_to && run.reads(point).iter().all(|read| matches!(run.value(*read), Value::Address(_)))
    }

    /// True for a store or a return of a constant.
    pub(super) fn is_constant(&self, point: u32) -> bool {
        let run = self.failing();
        let sets = |step: u32| matches!(self.code.steps[step as usize].action, Action::Store(_) | Action::Return(_));
        let is_number = |read: &u32| !matches!(run.value(*read), Value::Address(_));
        self.code.step_of(run.site(point)).is_some_and(sets) && !run.reads(point).iter().any(is_number)
    }

    /// The same of a constant in a local variable, which another step of its function writes.
    fn led_past_other(&self, writer: u32, reader: u32) -> Option<u32> {
        let (run, details) = (self.failing(), &self.runs.details[1]);
        let step = self.code.step_of(run.site(writer))?;
        let variable = self.local(step)?;
        let function = &self.code.functions[self.code.steps[step as usize].function as usize];
        let others: HashSet<u32> =
            function.steps.clone().filter(|other| *other != step && self.local(*other) == Some(variable)).collect();
        let frame = details.frame_of(writer);
        let is_asked = |point: &u32| details.frame_of(*point) == frame && run.outcome(*point) != NONE;
        (writer + 1..reader).rev().filter(is_asked).take(MOST_ASKED).find(|point| {
            let Some(branch) = self.code.step_of(run.site(*point)).filter(|branch| self.code.is_branch(*branch)) else {
                return false;
            };
            let ways = self.code.successors(branch);
            let taken = run.outcome(*point) as usize;
            let (Some(taken), Some(other)) = (ways.get(taken), ways.get(1 - taken.min(1))) else { return false };
            self.comes_to(*other, branch, &others) && !self.comes_to(*taken, branch, &others)
        })
    }

    /// The place in its frame that a step stores to; nothing for what is written through an address.
    pub(super) fn local(&self, step: u32) -> Option<i64> {
        let code = &self.code.steps[step as usize];
        let Action::Store(_) = code.action else { return None };
        let (mut at, mut loads) = (code.tokens as usize, 0);
        self.pass(&mut at, &mut loads);
        match self.code.nodes.get(at)?.token {
            Token::Frame(offset) => Some(offset),
            _ => None,
        }
    }

    /// Whether some step is come to from a step without passing `but`.
    pub(super) fn comes_to(&self, from: u32, but: u32, wanted: &HashSet<u32>) -> bool {
        let (mut open, mut seen) = (vec![from], HashSet::from([but]));
        while let Some(step) = open.pop().filter(|_| seen.len() < MOST_STEPS) {
            if wanted.contains(&step) {
                return true;
            }
            if seen.insert(step) {
                open.extend(self.code.successors(step));
            }
        }
        false
    }
}
