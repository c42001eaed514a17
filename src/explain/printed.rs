//! What a byte is of that a call of the `printf` family writes: a text, or a number.

use std::cmp::Reverse;

use suspect_format::body::Action;
use suspect_format::external::{self, Base, Effect as Does, Extent};

use super::Case;
use super::wrong::Wrong;
use crate::comparison::{NONE, Place, Side, Value};
use crate::recording::{Kind, Site};
use crate::suite::complaint;

/// What printed a byte.
pub enum Printed {
    /// A byte of a text in memory: the place of the text, and the offset of the byte in it.
    Text(Place, u32),
    /// A number that was passed, as the argument of this number.
    Number(usize),
}

/// One conversion of a format.
struct Conversion<'f> {
    flags: &'f [u8],
    width: usize,
    precision: Option<usize>,
    /// Bytes of a whole number.
    bytes: u32,
    letter: u8,
}

/// What a format says next.
enum Part<'f> {
    Byte,
    Conversion(Conversion<'f>),
    /// Something whose length is given by an argument, or an argument by its number.
    Other,
}

impl Case<'_> {
    /// What the wrong byte is of, if the call that wrote it formats, and what it writes before that byte can be told. Nothing for a byte of the format.
    pub(super) fn printed(&self, wrong: &Wrong) -> Option<Printed> {
        let run = self.failing();
        let Site::Step(step) = self.code.what(run.site(wrong.point)) else { return None };
        let model = external::known(self.words.callee(step)?)?;
        let [Does::Prints(format, first)] = *model.effects else { return None };
        let passed = |number: usize| self.passed(wrong.point, number);
        let returned = wrong.returned?;
        let Value::Address(format) = passed(usize::from(format))? else { return None };
        let (format, _) = self.text_read(Side::Second, returned, format)?;
        let (mut rest, mut number, mut at) = (format.as_slice(), usize::from(first), 0);
        loop {
            let (length, found) = match next(&mut rest)? {
                Part::Byte => (1, None),
                Part::Other => return None,
                Part::Conversion(conversion) => {
                    let value = passed(number)?;
                    number += 1;
                    match (conversion.letter, value) {
                        (b's', Value::Address(place)) => {
                            let text = self.text_read(Side::Second, returned, place)?.0.len();
                            let length = conversion.precision.map_or(text, |most| text.min(most));
                            let blanks = conversion.width.saturating_sub(length);
                            let before = if conversion.flags.contains(&b'-') { 0 } else { blanks };
                            let offset = wrong.byte.1.checked_sub(at + before).filter(|offset| *offset < length);
                            (length + blanks, offset.map(|offset| Printed::Text(place, offset as u32)))
                        }
                        (_, Value::Number(bits)) => (conversion.length(bits)?, Some(Printed::Number(number - 1))),
                        _ => return None,
                    }
                }
            };
            at += length;
            if wrong.byte.1 < at {
                return found;
            }
        }
    }

    /// Why a call was made that wrote a complaint: where the complaint stands in the text that it was given as it is, the decision that led there; else
    /// the call itself, for what it was given may say why.
    pub(super) fn why_complained(&self, point: u32) -> u32 {
        match self.said(point).as_deref().and_then(complaint) {
            Some(_) => self.decided_by(point),
            None => point,
        }
    }

    /// The decision that led to a point; the point itself, if none did.
    pub(super) fn decided_by(&self, point: u32) -> u32 {
        let run = self.failing();
        let decides = |at: &u32| run.outcome(*at) != NONE && self.code.decides(run.site(*at));
        let above = |at: &u32| Some(run.parent(*at)).filter(|parent| *parent != NONE && *parent != 0);
        std::iter::successors(above(&point), above).find(decides).unwrap_or(point)
    }

    /// The text that a call writes as it stands in the program, or the format.
    fn said(&self, point: u32) -> Option<Vec<u8>> {
        let run = self.failing();
        let Site::Step(step) = self.code.what(run.site(point)) else { return None };
        let number = match *external::known(self.words.callee(step)?)?.effects {
            [Does::Prints(format, _)] | [Does::Reads(Base::Argument(format), Extent::Text)] => usize::from(format),
            _ => return None,
        };
        let end = self.code.site(Site::Returned(step));
        let returned = (point..run.points()).find(|point| run.site(*point) == end)?;
        let Value::Address(place) = self.passed(point, number)? else { return None };
        let is_literal = match self.runs.naming.kinds.get(place.object as usize) {
            Some(Kind::Symbol(symbol)) => self.code.symbols[*symbol as usize].is_literal(),
            _ => false,
        };
        self.text_read(Side::Second, returned, place).filter(|_| is_literal).map(|(text, _)| text)
    }

    /// What a call passes as the argument of this number.
    fn passed(&self, point: u32, number: usize) -> Option<Value> {
        let run = self.failing();
        let place = |write: &u32| self.runs.naming.names.place(run.location(*write));
        let is_it = |write: &u32| self.is_passed(*write) && place(write).offset == 8 * number as u32;
        run.written(point).find(is_it).map(|write| run.value(write))
    }

    /// What a formatting call computes the number from that it prints the wrong byte of: the writes that it reads for that, the last first. Nothing where
    /// the byte is of no number, or reads cannot be told apart, or the call reads nothing else.
    pub(super) fn wrong_number(&self, wrong: &Wrong) -> Option<Vec<u32>> {
        let Printed::Number(argument) = self.printed(wrong)? else { return None };
        let run = self.failing();
        let Site::Step(step) = self.code.what(run.site(wrong.point)) else { return None };
        let step = &self.code.steps[step as usize];
        let Action::Call { n_arguments, .. } = step.action else { return None };
        let (mut at, mut loads, mut own) = (step.tokens as usize, 0, 0..0);
        for number in 0..n_arguments as usize {
            let before = loads;
            self.pass(&mut at, &mut loads);
            if number == argument {
                own = before..loads;
            }
        }
        let reads = run.reads(wrong.point);
        let is_part = |own: &&[u32]| !own.is_empty() && own.len() < loads && reads.len() == loads;
        let mut found = reads.get(own).filter(is_part)?.to_vec();
        found.sort_by_key(|write| Reverse(run.writer(*write)));
        Some(found)
    }
}

/// Takes the next part off a format; nothing at its end.
fn next<'f>(rest: &mut &'f [u8]) -> Option<Part<'f>> {
    let (first, tail) = rest.split_first()?;
    *rest = tail;
    if *first != b'%' {
        return Some(Part::Byte);
    }
    let flags = taken(rest, |byte| b"-+ #0'".contains(&byte));
    let width = number(taken(rest, |byte| byte.is_ascii_digit()));
    let precision = rest.strip_prefix(b".").map(|tail| {
        *rest = tail;
        number(taken(rest, |byte| byte.is_ascii_digit()))
    });
    let bytes = match taken(rest, |byte| b"hlqjztL".contains(&byte)) {
        b"" => 4,
        b"h" => 2,
        b"hh" => 1,
        _ => 8,
    };
    let (letter, tail) = rest.split_first()?;
    *rest = tail;
    Some(match letter {
        b'%' => Part::Byte,
        b'*' | b'$' => Part::Other,
        letter => Part::Conversion(Conversion { flags, width, precision, bytes, letter: *letter }),
    })
}

fn taken<'f>(rest: &mut &'f [u8], is_of: impl Fn(u8) -> bool) -> &'f [u8] {
    let length = rest.iter().take_while(|byte| is_of(**byte)).count();
    let (all, tail) = rest.split_at(length);
    *rest = tail;
    all
}

fn number(digits: &[u8]) -> usize {
    digits.iter().fold(0usize, |all, digit| all.saturating_mul(10).saturating_add(usize::from(digit - b'0')))
}

impl Conversion<'_> {
    /// How many bytes it makes of a number; nothing where that is not known.
    fn length(&self, bits: u64) -> Option<usize> {
        let unused = 64 - 8 * self.bytes;
        let (signed, unsigned) = (((bits << unused) as i64) >> unused, (bits << unused) >> unused);
        let has = |flag: u8| self.flags.contains(&flag);
        let sign = |is_negative: bool| usize::from(is_negative || has(b'+') || has(b' '));
        let whole = |digits: String, prefix: usize| match (self.precision, digits.as_str()) {
            (Some(0), "0") => prefix,
            (least, _) => digits.len().max(least.unwrap_or(0)) + prefix,
        };
        if has(b'\'') {
            return None;
        }
        let prefix = if has(b'#') && unsigned != 0 { 2 } else { 0 };
        let length = match self.letter {
            b'c' => 1,
            b'd' | b'i' => whole(signed.unsigned_abs().to_string(), sign(signed < 0)),
            b'u' => whole(unsigned.to_string(), 0),
            b'x' | b'X' => whole(format!("{unsigned:x}"), prefix),
            b'o' if !has(b'#') => whole(format!("{unsigned:o}"), 0),
            b'f' | b'F' if self.bytes != 8 || !has(b'#') => {
                let value = f64::from_bits(bits);
                let digits = self.precision.unwrap_or(6);
                value.is_finite().then(|| format!("{:.digits$}", value.abs()).len() + sign(value.is_sign_negative()))?
            }
            _ => return None,
        };
        Some(length.max(self.width))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The length of a number by this format.
    fn length(format: &[u8], bits: u64) -> Option<usize> {
        match next(&mut &*format)? {
            Part::Conversion(conversion) => conversion.length(bits),
            _ => None,
        }
    }

    #[test]
    fn numbers_are_as_long_as_the_c_library_prints_them() {
        let all: [(&[u8], u64, usize); 12] = [
            (b"%d", (-17i32) as u32 as u64, 3),
            (b"%5d|", 17, 5),
            (b"%ld", (-17i64) as u64, 3),
            (b"%hhu", 300, 2),
            (b"%+.4d", 17, 5),
            (b"%#x", 255, 4),
            (b"%.0d", 0, 0),
            (b"%c", 65, 1),
            (b"%f", 1.5f64.to_bits(), 8),
            (b"%.2f", (-0.125f64).to_bits(), 5),
            (b"%-8o", 8, 8),
            (b"%zu", 1 << 40, 13),
        ];
        for (format, bits, expected) in all {
            assert_eq!(length(format, bits), Some(expected), "{}", String::from_utf8_lossy(format));
        }
        assert_eq!([length(b"%g", 1), length(b"%'d", 1000), length(b"%*d", 1)], [None; 3]);
    }

    #[test]
    fn a_format_is_taken_apart() {
        let mut rest: &[u8] = b"a%%%-3s%2$d";
        let mut told = String::new();
        while let Some(part) = next(&mut rest) {
            told.push(match part {
                Part::Byte => '.',
                Part::Conversion(conversion) => char::from(conversion.letter),
                Part::Other => '?',
            });
        }
        assert_eq!(told, "..s?.");
    }
}
