//! The wrong byte in the memory that a call writes from, and the store that put it there.

use suspect_format::body::Action;
use suspect_format::external::{self, Base, Effect as Does, Extent, Role};

use super::Case;
use super::printed::Printed;
use super::wrong::Wrong;
use crate::comparison::{Place, Run, Side, Value};
use crate::recording::{Kind, Site};
use crate::report::{Point, quoted};

/// Times that a pointer is handed on, at most, or moved along its text.
const MOST_HANDED: usize = 1 << 16;

impl Case<'_> {
    /// Where a call writes what memory holds as it is: the point at which it has returned, the write that it saw of the wrong byte, and which byte of
    /// that it is.
    pub(super) fn wrong_cell(&self, wrong: &Wrong) -> Option<(u32, u32, u32)> {
        let (run, names) = (self.failing(), &self.runs.naming.names);
        let (start, offset) = self.written_from(wrong)?;
        let at = start.offset + offset;
        let returned = wrong.returned?;
        let holds = |write: &&u32| {
            let place = names.place(run.location(**write));
            place.object == start.object && at.wrapping_sub(place.offset) < self.width(**write)
        };
        let cell = *run.reads(returned).iter().find(holds)?;
        let byte = at - names.place(run.location(cell)).offset;
        // What several writes left together is not known.
        self.byte_of(cell, byte).is_none_or(|found| found == wrong.byte.0).then_some((returned, cell, byte))
    }

    /// The memory that the call writes the wrong byte from as it is, and the byte's offset there.
    fn written_from(&self, wrong: &Wrong) -> Option<(Place, u32)> {
        let (run, names) = (self.failing(), &self.runs.naming.names);
        let Site::Step(step) = self.code.what(run.site(wrong.point)) else { return None };
        let model = external::known(self.words.callee(step)?)?;
        let buffer = match model.effects {
            [Does::Reads(Base::Argument(number), Extent::Product(..) | Extent::Count(_) | Extent::Text)] => *number,
            [Does::Prints(..)] => match self.printed(wrong)? {
                Printed::Text(start, offset) => return Some((start, offset)),
                Printed::Number(_) => return None,
            },
            _ => return None,
        };
        let is_buffer = |write: &u32| {
            let place = names.place(run.location(*write));
            self.is_argument(place.object) && place.offset == 8 * u32::from(buffer)
        };
        let passed = run.written(wrong.point).find(is_buffer)?;
        let Value::Address(start) = run.value(passed) else { return None };
        Some((start, u32::try_from(wrong.byte.1).ok()?))
    }

    /// The store that put the wrong byte into memory first, and where the string literal that it is of comes in, if it is of one. Copies of memory are
    /// followed.
    pub(super) fn wrong_byte_facts(&self) -> Vec<Point> {
        let Some((cell, stored)) = self.wrong_byte_fact() else { return Vec::new() };
        let is_new = |point: &Point| (&point.file, point.line) != (&stored.file, stored.line);
        let literal = self.literal_fact(cell).filter(is_new);
        std::iter::once(stored).chain(literal).collect()
    }

    /// Where to go on from the wrong byte: the point from which a way leads back, the write that matters there, and what happens there in words. Copies of
    /// memory are passed. Of what the program was given no byte is wrong: which part of it was copied is.
    pub(super) fn wrong_start(&self, wrong: &Wrong) -> Option<(u32, u32, String)> {
        let (returned, mut cell, mut byte) = self.wrong_cell(wrong)?;
        // The copy that took the least chose the byte; of several the first.
        let (mut copied, mut least) = (None, usize::MAX);
        while let Some((source, at)) = self.copied_from(cell, byte) {
            let copy = self.failing().writer(cell);
            let taken = self.copied_bytes(cell);
            if taken <= least {
                (copied, least) = (Some((copy, source)), taken);
            }
            (cell, byte) = (source, at);
        }
        if let Some((copy, source)) = copied.filter(|_| self.is_given(cell))
            && let Some(length) = self.length_of(copy, source)
        {
            return Some((copy, length, copied_here(wrong)));
        }
        Some((returned, cell, format!("the first wrong byte, {:?}, is written here", char::from(wrong.byte.0))))
    }

    /// Bytes that the copy which left a write took into the same object.
    fn copied_bytes(&self, write: u32) -> usize {
        let (run, names) = (self.failing(), &self.runs.naming.names);
        let object = |one: u32| names.place(run.location(one)).object;
        let all = run.written(run.writer(write)).filter(|one| object(*one) == object(write));
        all.map(|one| self.width(one) as usize).sum()
    }

    /// True for what a call of input left in memory.
    fn is_given(&self, write: u32) -> bool {
        let site = self.failing().site(self.failing().writer(write));
        matches!(self.code.what(site), Site::Returned(_)) && self.code.role(site) == Some(Role::Input)
    }

    /// The length of a copy that took `source`: the write of what says it.
    fn length_of(&self, copy: u32, source: u32) -> Option<u32> {
        let (run, names) = (self.failing(), &self.runs.naming.names);
        let object = |write: u32| names.place(run.location(write)).object;
        let Site::Returned(step) = self.code.what(run.site(copy)) else {
            let is_length = |write: &u32| {
                object(*write) != object(source)
                    && matches!(run.value(*write), Value::Number(_))
                    && run.writer(*write) != 0
            };
            return run.reads(copy).iter().copied().filter(is_length).max_by_key(|write| run.writer(*write));
        };
        let model = external::known(self.words.callee(step)?)?;
        let number = model.effects.iter().find_map(|effect| match effect {
            Does::Copies(_, _, Extent::Count(number)) => Some(*number),
            _ => None,
        })?;
        let call = (1..copy).rev().find(|point| run.site(*point) == self.code.site(Site::Step(step)))?;
        let is_length = |write: &u32| {
            let place = names.place(run.location(*write));
            self.is_argument(place.object) && place.offset == 8 * u32::from(number)
        };
        run.written(call).find(is_length)
    }

    /// The place from which on a string literal was handed to what put a byte of it into memory.
    fn literal_fact(&self, cell: u32) -> Option<Point> {
        let run = self.failing();
        let literal = |write: u32| match run.value(write) {
            Value::Address(place) => match self.runs.naming.kinds.get(place.object as usize) {
                Some(Kind::Symbol(symbol)) if self.code.symbols[*symbol as usize].is_literal() => Some(place.object),
                _ => None,
            },
            _ => None,
        };
        let mut write = run.reads(run.writer(cell)).iter().copied().rfind(|read| literal(*read).is_some())?;
        let object = literal(write);
        for _ in 0..MOST_HANDED {
            let point = run.writer(write);
            let is_same = |read: &u32| literal(*read) == object && run.writer(*read) < point;
            match run.reads(point).iter().copied().rfind(is_same) {
                Some(source) => write = source,
                None => break,
            }
        }
        let point = Some(run.writer(write)).filter(|point| *point != 0)?;
        let (step, text) = (self.code.step_of(run.site(point))?, self.words.left(run, write));
        let name = quoted(&self.words.written(run.location(write), [None, Some(write)]));
        let text = match self.code.steps[step as usize].action {
            Action::Call { .. } => {
                format!("it is of {text}, which is passed here, as {name} of {}", self.called(step, write))
            }
            _ => format!("it is of {text}, which {name} becomes here"),
        };
        Some(Point { text, ..self.place(Side::Second, point) })
    }

    fn wrong_byte_fact(&self) -> Option<(u32, Point)> {
        let wrong = self.wrong?;
        let (_, mut cell, mut byte) = self.wrong_cell(wrong)?;
        let mut copied = None;
        while let Some((source, at)) = self.copied_from(cell, byte) {
            copied = Some(self.failing().writer(cell));
            (cell, byte) = (source, at);
        }
        if let Some(copy) = copied.filter(|_| self.is_given(cell)) {
            let text = copied_here(wrong);
            return Some((cell, Point { text, ..self.place(Side::Second, copy) }));
        }
        let point = self.failing().writer(cell);
        let text = format!("the first wrong byte, {:?}, is put into memory here", char::from(wrong.byte.0));
        (point != 0).then(|| (cell, Point { text, ..self.place(Side::Second, point) }))
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

/// What a copy does with a wrong byte of the program's input, in words.
fn copied_here(wrong: &Wrong) -> String {
    format!("the first wrong byte, {:?}, is copied here from what the program was given", char::from(wrong.byte.0))
}
