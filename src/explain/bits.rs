//! Words whose bits are set one by one, such as bit-fields and flags: of all writes to the word the one that mattered.

use suspect_format::body::{Action, Binary, Token};

use super::Case;
use crate::comparison::{Effects, Operands, Place, Semantics, Side, Stop, Value};
use crate::recording::Meaning;

/// Writes to one word, at most, that are passed over: a parser's state changes with each byte of its input.
const MOST_PASSED: usize = 1 << 12;

/// What a point of the failing run reads, with another value in one place.
struct With<'a, 'c> {
    case: &'a Case<'c>,
    reads: std::slice::Iter<'a, u32>,
    place: Place,
    value: Value,
}

impl Operands for With<'_, '_> {
    fn read(&mut self, place: Place) -> Result<Value, Stop> {
        let read = self.reads.next().map(|write| self.case.failing().value(*write)).ok_or(Stop::Desync)?;
        Ok(if place == self.place { self.value } else { read })
    }
}

impl Case<'_> {
    /// Of the writes that made a word what a point reads of it, the last without which that point would do something else: each of them keeps the bits that it
    /// does not change.
    pub(super) fn that_mattered(&self, point: u32, write: u32) -> u32 {
        let mut last = write;
        for _ in 0..MOST_PASSED {
            let Some(before) = self.kept_bits(last) else { return last };
            if self.does_with(point, before) != self.does_with(point, last) {
                return last;
            }
            last = before;
        }
        write
    }

    /// The write of a word that another write of it keeps bits of.
    pub(super) fn kept_bits(&self, write: u32) -> Option<u32> {
        let run = self.failing();
        let (writer, location) = (run.writer(write), run.location(write));
        let step = self.code.step_of(run.site(writer))?;
        let code = &self.code.steps[step as usize];
        let mut tree = self.code.nodes[code.tokens as usize..].iter();
        let root = tree.find(|node| !matches!(node.token, Token::Cast { .. }))?;
        let is_of_bits = matches!(root.token, Token::Binary(Binary::Or | Binary::And | Binary::Xor, _));
        if !matches!(code.action, Action::Store(_)) || !is_of_bits {
            return None;
        }
        run.reads(writer).iter().copied().find(|read| run.location(*read) == location && run.writer(*read) != 0)
    }

    /// What a point does if a word is as a write left it; nothing if that cannot be told.
    fn does_with(&self, point: u32, write: u32) -> Option<Effects> {
        let run = self.failing();
        let place = self.runs.naming.names.place(run.location(write));
        let meaning = Meaning::new(self.code, self.runs, self.pair);
        let mut operands = With { case: self, reads: run.reads(point).iter(), place, value: run.value(write) };
        let mut effects = Effects::default();
        let instance = self.runs.alignment.instance(Side::First, point);
        meaning.execute(run.site(point), instance, Side::First, &mut operands, &mut effects).ok()?;
        Some(effects)
    }
}
