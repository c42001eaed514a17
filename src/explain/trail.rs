//! Where a value of the failing run comes from: followed from copy to copy, without another run.

use suspect_format::body::{Action, Binary, Callee, Token};
use suspect_format::external::{self, Base, Effect as Does};

use super::Case;
use crate::comparison::{Side, Value};
use crate::recording::{End, Kind, Site, operands};
use crate::report::{Point, quoted};

/// Addresses below this one are those of nothing: null, and members of what null points to.
const NOTHING: u64 = 1 << 12;
/// Places on the way of a value that are told, at most.
const MOST: usize = 6;

/// What is said of what a null pointer has where a run dies by it.
pub const NULL: &str = " is NULL";
/// What is said of a divisor where a run dies by it.
pub const ZERO: &str = " is 0, by which it divides";

/// What a call passes as one of its arguments.
pub enum Passed {
    /// A number that stands in the code.
    Constant,
    /// A value as it was read: the write of it.
    Read(u32),
    /// What it computes, or no argument.
    Computed,
}

impl Case<'_> {
    /// What a point, a call, passes as the parameter or argument that a write is: another one may have the same value.
    pub(super) fn argument_of(&self, point: u32, write: u32) -> Passed {
        let run = self.failing();
        let place = self.runs.naming.names.place(run.location(write));
        let Site::Step(step) = self.code.what(run.site(point)) else { return Passed::Computed };
        let step = &self.code.steps[step as usize];
        let number = match self.runs.naming.kinds.get(place.object as usize) {
            Some(Kind::Frame { function, .. }) => {
                let mut parameters = self.code.functions[*function as usize].parameters.iter();
                parameters.position(|parameter| parameter.offset == place.offset)
            }
            Some(Kind::Arguments { .. }) => Some(place.offset as usize / 8),
            _ => None,
        };
        let (Action::Call { callee, .. }, Some(number)) = (step.action, number) else { return Passed::Computed };
        let (mut at, mut loads) = (step.tokens as usize, 0);
        let before = number + usize::from(callee == Callee::Indirect);
        (0..before).for_each(|_| self.pass(&mut at, &mut loads));
        while let Token::Cast { .. } = self.code.nodes[at].token {
            at += 1;
        }
        match self.code.nodes[at].token {
            Token::Constant(..) => Passed::Constant,
            Token::Load(..) => {
                self.pass(&mut at, &mut loads);
                let read = run.reads(point).get(loads - 1).copied();
                read.filter(|read| run.value(*read) == run.value(write)).map_or(Passed::Computed, Passed::Read)
            }
            _ => Passed::Computed,
        }
    }

    /// If the failing run died by a null pointer, or by a division by zero: where, and from where that came, the crash first.
    pub(super) fn null_trail(&self) -> Vec<Point> {
        let last = self.failing().points() - 1;
        let divides = self.recorded[1].reason.as_ref().is_some_and(|reason| reason.contains("SIGFPE"));
        let (found, is, name) = match divides {
            true => (self.zero_divisor(last), ZERO, "0"),
            false => (self.null_used(last), NULL, "NULL"),
        };
        let Some(bad) = found else { return Vec::new() };
        let mut told = vec![self.fact(last, format!("{}{is}", self.named(bad)))];
        let mut ways = self.way_of(bad);
        // What the crashing step itself passes is told already.
        ways.retain(|(point, _)| *point != last);
        // A function that returns null stores that first where it is returned.
        let line = |point: u32| {
            let place = self.place(Side::Second, point);
            (place.file, place.line)
        };
        if let [.., (one, _), (other, _)] = ways[..]
            && self.returns(one)
            && line(one) == line(other)
        {
            ways.pop();
        }
        if ways.len() > MOST {
            ways.drain(MOST - 1..ways.len() - 1);
        }
        for (number, (point, write)) in ways.iter().enumerate() {
            let is_first = number + 1 == ways.len();
            told.push(self.fact(*point, self.handed(*point, *write, is_first.then_some(name))));
        }
        told
    }

    /// The write of the number 0 that the step which the failing run died in divides by.
    fn zero_divisor(&self, last: u32) -> Option<u32> {
        let End::Within(step) = self.runs.walked[1].end else { return None };
        let first = |step: usize| self.code.steps.get(step).map(|step| step.tokens as usize);
        let end = first(step as usize + 1).unwrap_or(self.code.nodes.len());
        let (mut at, mut loads) = (first(step as usize)?, 0);
        while at < end {
            let divisor = self.divisor(&mut at, &mut loads, self.failing().reads(last));
            if divisor.is_some() {
                return divisor;
            }
        }
        None
    }

    /// Goes past a tree and counts its loads; the write of the 0 that one of its divisions takes for its divisor.
    fn divisor(&self, at: &mut usize, loads: &mut usize, reads: &[u32]) -> Option<u32> {
        let token = self.code.nodes.get(*at)?.token;
        *at += 1;
        let divides = matches!(
            token,
            Token::Binary(
                Binary::UnsignedDivide | Binary::SignedDivide | Binary::UnsignedRemainder | Binary::SignedRemainder,
                _
            )
        );
        let (mut found, mut right) = (None, *at);
        for _ in 0..operands(token) {
            right = *at;
            found = found.or(self.divisor(at, loads, reads));
        }
        *loads += usize::from(matches!(token, Token::Load(..)));
        while divides && matches!(self.code.nodes[right].token, Token::Cast { .. }) {
            right += 1;
        }
        let is_read = divides && matches!(self.code.nodes[right].token, Token::Load(..));
        let read = reads.get(loads.wrapping_sub(1)).copied().filter(|_| is_read);
        found.or(read.filter(|read| self.failing().value(*read) == Value::Number(0)))
    }

    /// The write of the null that a point takes for an address.
    fn null_used(&self, last: u32) -> Option<u32> {
        let run = self.failing();
        let is_null = |write: &u32| {
            let is_wide = self.width(*write) == 8;
            let is_nothing = matches!(run.value(*write), Value::Number(bits) if bits < NOTHING);
            is_nothing && is_wide && !self.words.is_number(run.location(*write))
        };
        match self.runs.walked[1].end {
            End::Within(step) => self.bases_in(step, last).into_iter().rfind(is_null),
            End::Outside(Some(step)) if self.is_by_pointer(step) => {
                let (mut at, mut loads) = (self.code.steps[step as usize].tokens as usize, 0);
                self.pass(&mut at, &mut loads);
                let called = run.reads(last).get(loads.wrapping_sub(1)).copied().filter(is_null);
                called.or_else(|| self.read_as_passed(last, run.written(last).find(is_null)?))
            }
            End::Outside(Some(step)) => {
                let callee = self.words.callee(step)?;
                let model = external::known(callee)?;
                let used = |number: u32| {
                    let is_base = |base: Base| matches!(base, Base::Argument(at) if u32::from(at) == number);
                    model.effects.iter().any(|effect| match effect {
                        Does::Reads(base, _) | Does::Writes(base, _) => is_base(*base),
                        Does::Copies(to, from, _) => is_base(*to) || is_base(*from),
                        _ => false,
                    })
                };
                let number = |write: u32| self.runs.naming.names.place(run.location(write)).offset / 8;
                let passed = run.written(last).find(|write| is_null(write) && used(number(*write)))?;
                self.read_as_passed(last, passed)
            }
            _ => None,
        }
    }

    /// The reads of the step that a run ended in, at `last`, which are where an address begins that it loads or stores by.
    fn bases_in(&self, step: u32, last: u32) -> Vec<u32> {
        let first = |step: usize| self.code.steps.get(step).map(|step| step.tokens as usize);
        let Some(mut at) = first(step as usize) else { return Vec::new() };
        let end = first(step as usize + 1).unwrap_or(self.code.nodes.len());
        let (mut loads, mut bases, mut number) = (0, Vec::new(), 0);
        while at < end {
            let is_base = match self.code.steps[step as usize].action {
                Action::Store(_) => number == 1,
                Action::Copy => number < 2,
                Action::Fill => number == 0,
                _ => false,
            };
            self.bases(&mut at, &mut loads, is_base, &mut bases);
            number += 1;
        }
        let reads = self.failing().reads(last);
        bases.into_iter().filter_map(|load| reads.get(load).copied()).collect()
    }

    /// Goes past a tree and counts its loads; adds those that load where an address begins, as the tree's value does if it `is_base`.
    fn bases(&self, at: &mut usize, loads: &mut usize, is_base: bool, found: &mut Vec<usize>) {
        let Some(node) = self.code.nodes.get(*at) else { return };
        *at += 1;
        for operand in 0..operands(node.token) {
            let is_base = match node.token {
                Token::Load(..) => true,
                Token::Cast { .. } => is_base,
                Token::Address { .. } => is_base && operand == 0,
                Token::Select(_) => is_base && operand > 0,
                _ => false,
            };
            self.bases(at, loads, is_base, found);
        }
        if matches!(node.token, Token::Load(..)) {
            found.extend(is_base.then_some(*loads));
            *loads += 1;
        }
    }

    /// What a call passes has a name where it was read.
    fn read_as_passed(&self, call: u32, passed: u32) -> Option<u32> {
        let run = self.failing();
        let same = |read: &u32| run.value(*read) == run.value(passed) && self.width(*read) == 8;
        run.reads(call).iter().copied().rfind(same).or(Some(passed))
    }

    /// Whether a step calls what a pointer points to.
    fn is_by_pointer(&self, step: u32) -> bool {
        matches!(self.code.steps[step as usize].action, Action::Call { callee: Callee::Indirect, .. })
    }

    /// Points that handed a value on, from its last write back, with what each wrote.
    pub(super) fn way_of(&self, write: u32) -> Vec<(u32, u32)> {
        let run = self.failing();
        let mut way = Vec::new();
        let mut write = write;
        loop {
            let point = run.writer(write);
            if point == 0 {
                return way;
            }
            way.push((point, write));
            let same = |read: &u32| {
                run.value(*read) == run.value(write)
                    && self.width(*read) == self.width(write)
                    && run.writer(*read) < point
            };
            let source = run.reads(point).iter().copied().rfind(same).filter(|_| !self.stores_constant(point));
            match source {
                Some(source) => write = source,
                None => return way,
            }
        }
    }

    fn stores_constant(&self, point: u32) -> bool {
        let Site::Step(step) = self.code.what(self.failing().site(point)) else { return false };
        let step = &self.code.steps[step as usize];
        let first = self.code.nodes.get(step.tokens as usize);
        matches!(step.action, Action::Store(_)) && first.is_some_and(|node| matches!(node.token, Token::Constant(..)))
    }

    pub(super) fn width(&self, write: u32) -> u32 {
        let place = self.runs.naming.names.place(self.failing().location(write));
        let cell = self.runs.layout(place.object).and_then(|layout| layout.cells(place.offset, 8).next());
        cell.map_or(8, |cell| cell.length)
    }

    fn named(&self, write: u32) -> String {
        quoted(&self.words.written(self.failing().location(write), [None, Some(write)]))
    }

    /// What a point does with a null, or a zero, that it hands on; by its `name` if it is the first to have it.
    fn handed(&self, point: u32, write: u32, name: Option<&str>) -> String {
        let site = self.failing().site(point);
        let named = self.named(write);
        let step = self.code.step_of(site).map(|step| (step, self.code.steps[step as usize].action));
        match (self.code.what(site), step) {
            (Site::Returned(_), Some((step, _))) => {
                let callee = self.words.callee(step).unwrap_or("the function called");
                format!("{callee}() returned {}", name.unwrap_or("it"))
            }
            (_, Some((step, Action::Call { .. }))) if self.is_parameter(write) => {
                let value = name.map_or_else(|| "it on".to_owned(), |name| format!("{name} itself"));
                format!("passes {value}, as {named} of {}", self.called(step, write))
            }
            (_, Some((_, Action::Return(_)))) => {
                format!("{}() returns {}", self.words.function(site), name.unwrap_or("it"))
            }
            _ => name.map_or_else(|| format!("{named} gets it"), |name| format!("{named} becomes {name}")),
        }
    }

    fn returns(&self, point: u32) -> bool {
        let step = self.code.step_of(self.failing().site(point));
        step.is_some_and(|step| matches!(self.code.steps[step as usize].action, Action::Return(_)))
    }

    /// The function that a step calls which passes what a write has: by a pointer, the one whose parameter that is.
    pub(super) fn called(&self, step: u32, write: u32) -> String {
        let place = self.runs.naming.names.place(self.failing().location(write));
        let entered = match self.runs.naming.kinds.get(place.object as usize) {
            Some(Kind::Frame { function, .. }) => Some(self.words.function_name(*function)),
            _ => None,
        };
        let callee = self.words.callee(step).or(entered);
        callee.map_or_else(|| "the function called".to_owned(), |callee| format!("{callee}()"))
    }

    fn is_parameter(&self, write: u32) -> bool {
        let place = self.runs.naming.names.place(self.failing().location(write));
        matches!(self.runs.naming.kinds.get(place.object as usize), Some(Kind::Frame { .. }))
    }

    fn fact(&self, point: u32, text: String) -> Point {
        Point { text, ..self.place(Side::Second, point) }
    }
}
