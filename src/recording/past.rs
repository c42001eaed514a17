//! What an address of the code was at a point of a recorded run that did not come to use it: its tree is evaluated on what memory held there.

use suspect_format::body::Type;

use super::body::Code;
use super::evaluate::{Machine, Word, evaluate};
use super::objects::Kind;
use super::runs::Runs;
use crate::comparison::{Place, Run, Side, Stop, Value};

/// The memory of a run at one of its points, in the activation of that point.
struct Past<'a> {
    runs: &'a Runs,
    run: &'a Run,
    point: u32,
    /// The object that is the frame.
    frame: u32,
}

/// The place that the address is whose tree begins at a token, in the activation of a point of the second run and at that time; nothing if that is not known.
pub fn address_at(code: &Code, runs: &Runs, point: u32, token: u32) -> Option<Place> {
    let side = Side::Second.index();
    let frame = runs.details[side].frame_at(point)?.object;
    let mut past = Past { runs, run: &runs.runs[side], point, frame };
    let word = evaluate(code, &mut (token as usize), &mut past).ok()?;
    let is_known = (word.object as usize) < runs.naming.kinds.len();
    Some(Place { object: word.object, offset: u32::try_from(word.bits).ok()? }).filter(|_| is_known)
}

impl Machine for Past<'_> {
    type Stop = Stop;

    fn symbol(&mut self, symbol: u32) -> Result<Word, Stop> {
        let known = self.runs.naming.known(Kind::Symbol(symbol), &self.runs.alignment);
        known.map(|object| Word::within(object, 0)).ok_or(Stop::MissingObject)
    }

    fn frame(&mut self) -> Word {
        Word::within(self.frame, 0)
    }

    fn load(&mut self, _: Type, _: Option<u16>, address: Word) -> Result<Word, Stop> {
        let place = Place { object: address.object, offset: u32::try_from(address.bits).map_err(|_| Stop::Broken)? };
        let location = self.runs.naming.names.known_location(place).ok_or(Stop::Unknown)?;
        let write = self.run.last_write(location, self.point).ok_or(Stop::Unknown)?;
        match self.run.value(write) {
            Value::Number(bits) => Ok(Word::number(bits)),
            Value::Address(place) => Ok(Word::within(place.object, u64::from(place.offset))),
            Value::Undefined => Err(Stop::Unknown),
        }
    }

    fn opaque(&mut self, _: Type, _: u16) -> Result<Word, Stop> {
        Err(Stop::Unknown)
    }

    fn bits(&mut self, word: Word) -> Result<u64, Stop> {
        if word == Word::number(word.bits) { Ok(word.bits) } else { Err(Stop::Unknown) }
    }
}
