//! What a failed check compares, in words: the value that was expected, and the one that was.

use suspect_format::body::{Action, Compare, Token, Type};
use suspect_format::external::Role;

use super::Case;
use crate::comparison::{Side, Value};
use crate::recording::{End, Kind, NOT_NULL, Site, operands};
use crate::report::quoted;
use crate::suite::Verdict;

/// One side of a comparison.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operand {
    /// A number that stands in the code.
    Constant(i64),
    /// A value that was read: the write of it.
    Read(u32),
}

/// A value by its name, if it has one.
struct Told {
    name: Option<String>,
    value: String,
}

/// A check that failed.
struct Check {
    /// The function that makes it.
    function: String,
    /// Both values that it compares, in a sentence.
    words: String,
    /// These values.
    values: Vec<String>,
}

/// What stands around a value in a complaint.
const MARKS: [char; 12] = ['.', ',', ';', ':', '(', ')', '[', ']', '`', '<', '>', '\''];

impl Case<'_> {
    /// The sentence of a failure with both values that the failed check compares, and the function that makes it, if that is known and not told yet.
    pub(super) fn with_values(&self, happens: String) -> String {
        // The numbers before are those of a status and of a place.
        let said = happens.rsplit_once(": ").map_or(happens.as_str(), |(_, said)| said);
        let is_told = |value: &String| said.split(' ').any(|word| word.trim_matches(&MARKS[..]) == value);
        let is_decision = self.asserted().is_none() && self.aborted().is_some();
        if is_decision && [" is true: ", " is false: "].iter().any(|with_values| happens.contains(with_values)) {
            return happens;
        }
        match self.told_check() {
            Some(check) if !check.values.iter().all(is_told) => {
                let Check { function, words, .. } = check;
                let within = if happens.contains(&function) { String::new() } else { format!("in {function}(), ") };
                format!("{}: {within}{words}", happens.trim_end_matches('.'))
            }
            _ => happens,
        }
    }

    /// The check that failed; nothing if what fails is no check, or compares no two values.
    fn told_check(&self) -> Option<Check> {
        if self.misuse.is_some() || self.wrong.is_some() || !self.ends_by_check() {
            return None;
        }
        let complaint = self.recorded[1].reason.clone()?;
        let named = self.failed_check(&complaint, self.words.files()).and_then(|checks| checks.first().copied());
        let at = named.or_else(|| self.aborted())?;
        let operands = self.texts_compared(at).or_else(|| self.equated(at)).or_else(|| self.compared_in_call(at))?;
        let function = self.own_place(Side::Second, at)?.1.to_owned();
        let words = self.told_values(at, operands)?;
        let values =
            operands.into_iter().filter_map(|operand| Some(self.told_operand_of_check(operand)?.value)).collect();
        Some(Check { function, words, values })
    }

    /// The text of the assertion of the C library that ends the failing run, if one does.
    pub(super) fn asserted(&self) -> Option<String> {
        let run = self.failing();
        let last = run.points() - 1;
        let Site::Step(step) = self.code.what(run.site(last)) else { return None };
        let text = |write: u32| self.words.left(run, write);
        let is_assertion = self.words.callee(step) == Some("__assert_fail");
        let told = run.written(last).find(|write| self.is_passed(*write)).filter(|_| is_assertion).map(text)?;
        let (text, rest) = told.strip_suffix("...").map_or((told.as_str(), ""), |text| (text, "..."));
        let text = text.strip_prefix('"')?.strip_suffix('"')?.replace("\\\"", "\"");
        Some(format!("{text}{rest}"))
    }

    /// The decision that led the failing run to end itself by `abort`, if one did.
    pub(super) fn aborted(&self) -> Option<u32> {
        let last = self.failing().points() - 1;
        let aborts = matches!(self.runs.walked[1].end, End::Outside(Some(step)) if self.code.role_of(step) == Some(Role::Aborts));
        Some(self.decided_by(last)).filter(|check| aborts && *check != last)
    }

    /// Whether the failing run ends by itself, or by `abort`.
    fn ends_by_check(&self) -> bool {
        match self.runs.walked[1].end {
            End::Outside(Some(step)) if matches!(self.code.role_of(step), Some(Role::Aborts)) => true,
            _ => self.recorded[1].verdict == Verdict::Fail && self.told_end().is_none(),
        }
    }

    /// What a decision compares for being equal.
    fn equated(&self, point: u32) -> Option<[Operand; 2]> {
        let run = self.failing();
        let Site::Step(number) = self.code.what(run.site(point)) else { return None };
        let step = &self.code.steps[number as usize];
        let mut at = step.tokens as usize;
        let Action::Branch { .. } = step.action else { return None };
        let Token::Compare(Compare::Equal | Compare::NotEqual | Compare::FloatEqual | Compare::FloatOrNotEqual, of) =
            self.code.nodes[at].token
        else {
            return None;
        };
        at += 1;
        let mut loads = 0;
        let found = [(); 2].map(|()| {
            let first = at;
            self.pass(&mut at, &mut loads);
            self.operand(first, of).map(|constant| (constant, loads))
        });
        let reads = run.reads(point);
        let of_token = |(constant, loads): (Option<i64>, usize)| match constant {
            Some(number) => Some(Operand::Constant(number)),
            None => reads.get(loads.checked_sub(1)?).copied().map(Operand::Read),
        };
        let [one, other] = found;
        let both = [of_token(one?)?, of_token(other?)?];
        // Where one load takes several writes they cannot be told apart.
        (reads.len() == loads && both[0] != both[1]).then_some(both)
    }

    /// A tree that is a number, or a load: the number, or nothing.
    fn operand(&self, first: usize, of: Type) -> Option<Option<i64>> {
        let mut at = first;
        while let Token::Cast { .. } = self.code.nodes[at].token {
            at += 1;
        }
        match self.code.nodes[at].token {
            Token::Constant(_, bits) if matches!(of, Type::Integer(_)) => {
                let unused = 64 - of.bits();
                Some(Some(((bits << unused) as i64) >> unused))
            }
            Token::Load(..) => Some(None),
            _ => None,
        }
    }

    /// Goes past a tree, and counts its loads.
    pub(super) fn pass(&self, at: &mut usize, loads: &mut usize) {
        let token = self.code.nodes[*at].token;
        *at += 1;
        *loads += usize::from(matches!(token, Token::Load(..)));
        let n_operands = operands(token);
        (0..n_operands).for_each(|_| self.pass(at, loads));
    }

    /// The two texts that a function of the C library compared, if a decision is whether it returned 0.
    fn texts_compared(&self, point: u32) -> Option<[Operand; 2]> {
        let run = self.failing();
        let [Operand::Read(read), Operand::Constant(0)] = self.equated(point)? else { return None };
        let writer = run.writer(read);
        let Site::Returned(step) = self.code.what(run.site(writer)) else { return None };
        let is_text = matches!(self.words.callee(step)?, "strcmp" | "strncmp" | "strcasecmp" | "strncasecmp");
        let call = self.code.site(Site::Step(step));
        let called = (1..writer).rev().find(|point| is_text && run.site(*point) == call)?;
        let is_argument = |write: &u32| {
            let place = self.runs.naming.names.place(run.location(*write));
            matches!(self.runs.naming.kinds.get(place.object as usize), Some(Kind::Arguments { .. }))
        };
        let mut texts = run.written(called).filter(is_argument);
        Some([Operand::Read(texts.next()?), Operand::Read(texts.next()?)])
    }

    /// Where a function of the C library that compares texts or memory returned: the writes of the first byte that differs, one of each side, and that byte.
    pub(super) fn first_difference(&self, returned: u32) -> Option<[(u32, u8); 2]> {
        let run = self.failing();
        let Site::Returned(step) = self.code.what(run.site(returned)) else { return None };
        if !matches!(self.words.callee(step)?, "strcmp" | "strncmp" | "memcmp") {
            return None;
        }
        let call = self.code.site(Site::Step(step));
        let called = (1..returned).rev().find(|point| run.site(*point) == call)?;
        let is_address = |write: &u32| self.is_passed(*write) && matches!(run.value(*write), Value::Address(_));
        let mut given = run.written(called).filter(is_address);
        let both = [given.next()?, given.next()?].map(|write| self.bytes_read(returned, run.value(write)));
        let [one, other] = both;
        let (one, other) = one.iter().zip(&other).find(|((byte, _), (another, _))| byte != another)?;
        Some([(one.1, one.0), (other.1, other.0)])
    }

    /// The bytes that a point reads from an address on, without a gap, each with its write.
    fn bytes_read(&self, point: u32, from: Value) -> Vec<(u8, u32)> {
        let Value::Address(from) = from else { return Vec::new() };
        let (run, names) = (self.failing(), &self.runs.naming.names);
        let Some(layout) = self.runs.layout(from.object) else { return Vec::new() };
        let mut cells: Vec<(u32, u32, u64)> = Vec::new();
        for write in run.reads(point) {
            let at = names.place(run.location(*write));
            if let (true, Value::Number(bits)) =
                (at.object == from.object && at.offset >= from.offset, run.value(*write))
            {
                cells.push((at.offset, *write, bits));
            }
        }
        cells.sort_unstable();
        let mut bytes: Vec<(u8, u32)> = Vec::new();
        for (offset, write, bits) in cells {
            let Some(cell) = layout.cells(offset, 8).next() else { break };
            if offset != from.offset + bytes.len() as u32 {
                break;
            }
            let length = (cell.length as usize).min(8);
            bytes.extend(bits.to_le_bytes()[..length].iter().map(|byte| (*byte, write)));
        }
        bytes
    }

    /// What the function that a call leads to, a check of the tests' own, compares first for being equal so that it differs.
    fn compared_in_call(&self, at: u32) -> Option<[Operand; 2]> {
        let run = self.failing();
        let Site::Step(step) = self.code.what(run.site(at)) else { return None };
        let Action::Call { .. } = self.code.steps[step as usize].action else { return None };
        let details = &self.runs.details[1];
        let is_within = |point: &u32| {
            let frame = details.frame_of(*point).and_then(|frame| details.frames.get(frame as usize));
            frame.is_some_and(|frame| frame.call == Some(step))
        };
        let mut within = (at + 1..run.points()).skip_while(|point| !is_within(point)).filter(is_within);
        within.find_map(|point| self.texts_compared(point).or_else(|| self.equated(point)))
    }

    /// Two values that should be equal, which the decision at a point compares.
    fn told_values(&self, at: u32, operands: [Operand; 2]) -> Option<String> {
        let [one, other] = operands.map(|operand| self.told_operand_of_check(operand));
        let (one, other) = (one?, other?);
        if one.value == other.value {
            return None;
        }
        let written = |side: usize, number: &str| match self.named_in_condition(at, side) {
            Some(name) => format!("{name} ({number})"),
            None => number.to_owned(),
        };
        Some(match (operands, &one.name, &other.name) {
            ([Operand::Read(_), Operand::Constant(_)], ..) => {
                format!("expected {}, was {}", written(1, &other.value), one.value)
            }
            ([Operand::Constant(_), Operand::Read(_)], ..) => {
                format!("expected {}, was {}", written(0, &one.value), other.value)
            }
            (_, Some(name), Some(another)) => {
                format!("{} is {}, {} is {}", quoted(name), one.value, quoted(another), other.value)
            }
            _ => format!("{} is not {}", one.value, other.value),
        })
    }

    /// The name that stands on one side of a comparison in the source.
    fn named_in_condition(&self, at: u32, side: usize) -> Option<String> {
        let text = self.condition(at)?;
        let (one, other) = text.split_once("!=").or_else(|| text.split_once("=="))?;
        let name = [one, other].get(side)?.trim();
        let is_name = name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
        (is_name && name.starts_with(|first: char| !first.is_ascii_digit())).then(|| name.to_owned())
    }

    fn told_operand_of_check(&self, operand: Operand) -> Option<Told> {
        let run = self.failing();
        let write = match operand {
            Operand::Constant(number) => return Some(Told { name: None, value: number.to_string() }),
            Operand::Read(write) => write,
        };
        let location = run.location(write);
        let value = self.words.left(run, write);
        let is_told = !value.starts_with('&') && value != NOT_NULL && value != "not known";
        let name = self.words.is_named(location).then(|| self.words.written(location, [None, Some(write)]));
        is_told.then_some(Told { name, value })
    }
}
