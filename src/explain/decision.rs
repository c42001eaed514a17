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
        let mut operands = self.operands_of(points[1]);
        // Where a structure lies says nothing beside a member of it.
        let is_pointer = |write: &u32| {
            let value = self.words.left(self.failing(), *write);
            value.starts_with('&')
        };
        if !operands.iter().all(is_pointer) {
            operands.retain(|write| !is_pointer(write));
        }
        let operands: Vec<String> = operands.into_iter().map(|write| self.told_operand(points[1], write)).collect();
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
        for write in run.reads(point).iter().map(|write| self.words.first_part(run, *write)) {
            let (location, writer) = (run.location(write), run.writer(write));
            let is_computed = matches!(self.code.what(run.site(writer)), Site::Step(_)) && line(writer) == line(point);
            if !self.words.is_named(location) && writer != 0 && is_computed && depth > 0 {
                self.gather(writer, depth - 1, found);
                continue;
            }
            let name = self.words.written(location, [None, Some(write)]);
            if !found.iter().any(|(other, _)| *other == name) {
                found.push((name, write));
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
        let value = self.words.left(run, write);
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
        let value = self.words.left(run, write);
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
        let value = self.words.left(run, write);
        Some(if value.starts_with('&') || value == NOT_NULL { "an address".to_owned() } else { value })
    }
}

/// What an allocation without a name in the source is called, as `malloc@a.c:7#2+3`, in words; any other name quoted.
pub(super) fn allocated(name: &str) -> String {
    match block(name) {
        Some((block, 0)) => format!("the start of {block}"),
        Some((block, offset)) => format!("byte {offset} of {block}"),
        None => quoted(name),
    }
}

/// A value as it is told: an address within such an allocation in words.
pub(super) fn addressed(value: &str) -> String {
    match value.strip_prefix('&').and_then(block) {
        Some((block, 0)) => format!("the address of {block}"),
        Some((block, offset)) => format!("the address of byte {offset} of {block}"),
        None => value.to_owned(),
    }
}

/// The allocation that a name is of, in words, and the byte in it; nothing if it is of none, or goes on with a member.
fn block(name: &str) -> Option<(String, u32)> {
    let (function, rest) = name.split_once('@')?;
    let (place, number) = rest.split_once('#')?;
    let (number, offset) = number.split_once('+').unwrap_or((number, "0"));
    let is_plain = number.bytes().all(|byte| byte.is_ascii_digit());
    let offset = offset.parse().ok().filter(|_| is_plain)?;
    Some((format!("what {function}() returned at {place}"), offset))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocations_are_told_in_words() {
        assert_eq!(allocated("malloc@src/a.c:7#2+3"), "byte 3 of what malloc() returned at src/a.c:7");
        assert_eq!(allocated("malloc@src/a.c:7#2"), "the start of what malloc() returned at src/a.c:7");
        assert_eq!(addressed("&malloc@a.c:7#2"), "the address of what malloc() returned at a.c:7");
        assert_eq!(allocated("malloc@a.c:7#2.next"), "`malloc@a.c:7#2.next`");
        assert_eq!((allocated("list->size"), addressed("&list")), ("`list->size`".to_owned(), "&list".to_owned()));
    }
}
