//! Decisions of a run in the words of the source: the condition, and the values that it is made of.

use super::Case;
use crate::comparison::{NONE, Side, Value};
use crate::recording::{Kind, NOT_NULL, Site};
use crate::report::quoted;

/// Values of a condition that are told, at most.
const MOST_OPERANDS: usize = 3;
/// Values without a name that are followed to what they were computed from, one in another, at most.
const DEEPEST: usize = 6;

impl Case<'_> {
    /// A decision that goes another way in the failing run, the second of `points`, than in the other one.
    pub(super) fn told_turn(&self, points: [u32; 2]) -> String {
        let Some(condition) = self.condition(points[1]) else {
            return "it goes another way here than there".to_owned();
        };
        let [passing, failing] = Side::BOTH.map(|side| self.runs.runs[side.index()].outcome(points[side.index()]));
        if passing == NONE || failing == NONE {
            return "it goes another way here than there".to_owned();
        }
        let operands: Vec<String> =
            self.operands_of(points[1]).into_iter().map(|write| self.told_operand(points[1], write)).collect();
        let operands = if operands.is_empty() { String::new() } else { format!(", for {}", operands.join(" and ")) };
        format!("`{condition}` is {} here, {} there{operands}", failing == 0, passing == 0)
    }

    /// The condition that the failing run decides by at a point, as it is written.
    pub(super) fn condition(&self, point: u32) -> Option<String> {
        let site = self.failing().site(point);
        let is_branch = matches!(self.code.what(site), Site::Step(step) if self.code.is_branch(step));
        is_branch.then(|| self.words.condition(site)).flatten()
    }

    /// The values with names that a point of the failing run reads, or that what it reads without a name was computed from on the same line; numbers
    /// before addresses, each name once.
    pub(super) fn operands_of(&self, point: u32) -> Vec<u32> {
        let mut found: Vec<(String, u32)> = Vec::new();
        self.gather(point, DEEPEST, &mut found);
        found.sort_by_key(|(_, write)| matches!(self.failing().value(*write), Value::Address(_)));
        found.truncate(MOST_OPERANDS);
        found.into_iter().map(|(_, write)| write).collect()
    }

    fn gather(&self, point: u32, depth: usize, found: &mut Vec<(String, u32)>) {
        let run = self.failing();
        let line = |point: u32| self.words.place(run.site(point)).map(|place| (place.file, place.line));
        for write in run.reads(point) {
            let (location, writer) = (run.location(*write), run.writer(*write));
            let is_computed = matches!(self.code.what(run.site(writer)), Site::Step(_)) && line(writer) == line(point);
            if !self.words.is_named(location) && writer != 0 && is_computed && depth > 0 {
                self.gather(writer, depth - 1, found);
                continue;
            }
            let name = self.words.written(location, [None, Some(*write)]);
            if !found.iter().any(|(other, _)| *other == name) {
                found.push((name, *write));
            }
        }
    }

    /// A value that a point reads, and where it comes from, if that is elsewhere.
    fn told_operand(&self, point: u32, write: u32) -> String {
        let (run, location) = (self.failing(), self.failing().location(write));
        if let Some(call) = self.told_call(write) {
            return call;
        }
        let name = quoted(&self.words.written(location, [None, Some(write)]));
        let value = self.words.value(location, run.value(write));
        let (here, from) = (self.at(Side::Second, point), self.at(Side::Second, run.writer(write)));
        match run.writer(write) {
            0 => format!("{name} is {value}"),
            // What a function was called with has no statement of its own.
            _ if from.ends_with(":0") || here == from => format!("{name} is {value}"),
            _ => format!("{name} is {value} since {from}"),
        }
    }

    /// A call of a library that returned a value: what it was given, and what it returned. Nothing of another value, or of a call without arguments.
    fn told_call(&self, write: u32) -> Option<String> {
        let (run, writer) = (self.failing(), self.failing().writer(write));
        let Site::Returned(step) = self.code.what(run.site(writer)) else { return None };
        if self.words.is_named(run.location(write)) {
            return None;
        }
        let call = self.code.site(Site::Step(step));
        let called = (1..writer).rev().find(|point| run.site(*point) == call)?;
        let given: Vec<String> = run.written(called).filter_map(|passed| self.told_argument(passed)).collect();
        let value = self.words.value(run.location(write), run.value(write));
        let callee = self.words.callee(step)?;
        (!given.is_empty()).then(|| format!("{callee}({}) returned {value}", given.join(", ")))
    }

    /// What a call passes, if a write is that: a number, a text, or that it is an address.
    fn told_argument(&self, write: u32) -> Option<String> {
        let (run, location) = (self.failing(), self.failing().location(write));
        let place = self.runs.naming.names.place(location);
        if !matches!(self.runs.naming.kinds.get(place.object as usize), Some(Kind::Arguments { .. })) {
            return None;
        }
        let value = self.words.value(location, run.value(write));
        Some(if value.starts_with('&') || value == NOT_NULL { "an address".to_owned() } else { value })
    }
}
