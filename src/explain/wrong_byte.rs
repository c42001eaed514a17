//! The wrong byte in the memory that a call writes from, and the store that put it there.

use suspect_format::body::Action;
use suspect_format::external::{self, Base, Effect as Does, Extent};

use super::Case;
use super::wrong::Wrong;
use crate::comparison::{Run, Side, Value};
use crate::recording::{Kind, Site};
use crate::report::Point;

impl Case<'_> {
    /// Where a call writes what memory holds as it is: the point at which it has returned, the write that it saw of the wrong byte, and which byte of
    /// that it is.
    pub(super) fn wrong_cell(&self, wrong: &Wrong) -> Option<(u32, u32, u32)> {
        let (run, names) = (self.failing(), &self.runs.naming.names);
        let Site::Step(step) = self.code.what(run.site(wrong.point)) else { return None };
        let model = external::known(self.words.callee(step)?)?;
        let buffer = match model.effects {
            [Does::Reads(Base::Argument(number), Extent::Product(..) | Extent::Count(_) | Extent::Text)] => *number,
            _ => return None,
        };
        let is_buffer = |write: &u32| {
            let place = names.place(run.location(*write));
            let of = self.runs.naming.kinds.get(place.object as usize);
            matches!(of, Some(Kind::Arguments { .. })) && place.offset == 8 * u32::from(buffer)
        };
        let passed = run.written(wrong.point).find(is_buffer)?;
        let Value::Address(start) = run.value(passed) else { return None };
        let at = start.offset + u32::try_from(wrong.byte.1).ok()?;
        let returned = wrong.returned?;
        let holds = |write: &&u32| {
            let place = names.place(run.location(**write));
            place.object == start.object && at.wrapping_sub(place.offset) < self.width(**write)
        };
        let cell = *run.reads(returned).iter().find(holds)?;
        let byte = at - names.place(run.location(cell)).offset;
        (self.byte_of(cell, byte) == Some(wrong.byte.0)).then_some((returned, cell, byte))
    }

    /// The store that put the wrong byte into memory first: copies of memory are followed.
    pub(super) fn wrong_byte_fact(&self) -> Option<Point> {
        let wrong = self.wrong?;
        let (_, mut cell, mut byte) = self.wrong_cell(wrong)?;
        while let Some((source, at)) = self.copied_from(cell, byte) {
            (cell, byte) = (source, at);
        }
        let point = self.failing().writer(cell);
        let text = format!("the first wrong byte, {:?}, is put into memory here", char::from(wrong.byte.0));
        (point != 0).then(|| Point { text, ..self.place(Side::Second, point) })
    }

    /// One byte of what a write left.
    fn byte_of(&self, write: u32, byte: u32) -> Option<u8> {
        match self.failing().value(write) {
            Value::Number(bits) => Some((bits >> (8 * byte)) as u8),
            _ => None,
        }
    }

    /// The write that a copy took a byte from, and which byte of it; nothing if the byte was not copied from memory that something had written.
    fn copied_from(&self, write: u32, byte: u32) -> Option<(u32, u32)> {
        let (run, names) = (self.failing(), &self.runs.naming.names);
        let point = run.writer(write);
        let is_copy = match self.code.what(run.site(point)) {
            Site::Step(step) => self.code.steps[step as usize].action == Action::Copy,
            Site::Returned(step) => {
                let model = self.words.callee(step).and_then(external::known);
                let copies = |effect: &Does| matches!(effect, Does::Copies(..) | Does::Moves(..));
                model.is_some_and(|model| model.effects.iter().any(copies))
            }
            _ => false,
        };
        let place = names.place(run.location(write));
        if point == 0 || !is_copy {
            return None;
        }
        let to = run.written(point).filter(|one| names.place(run.location(*one)).object == place.object);
        let start = to.map(|one| names.place(run.location(one)).offset).min()?;
        let at = place.offset + byte - start;
        // What is read of one object, from its first byte on.
        let of = |object: u32| {
            let cells = run.reads(point).iter().copied();
            cells.filter(move |one| names.place(run.location(*one)).object == object)
        };
        let objects = run.reads(point).iter().map(|one| names.place(run.location(*one)).object);
        objects.filter(|object| *object != place.object && !self.is_argument(*object)).find_map(|object| {
            let from = of(object).map(|one| names.place(run.location(one)).offset).min()? + at;
            let holds = |one: &u32| from.wrapping_sub(names.place(run.location(*one)).offset) < self.width(*one);
            let source = of(object).find(holds)?;
            let source_byte = from - names.place(run.location(source)).offset;
            let same = self.byte_of(source, source_byte)? == self.byte_of(write, byte)?;
            (same && run.writer(source) != 0 && run.writer(source) < point).then_some((source, source_byte))
        })
    }

    /// True for what a call passes.
    pub(super) fn is_passed(&self, write: u32) -> bool {
        self.is_argument(self.runs.naming.names.place(self.failing().location(write)).object)
    }

    fn is_argument(&self, object: u32) -> bool {
        matches!(self.runs.naming.kinds.get(object as usize), Some(Kind::Arguments { .. }))
    }

    pub(super) fn failing(&self) -> &Run {
        &self.runs.runs[Side::Second.index()]
    }
}
