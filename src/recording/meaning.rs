//! What recorded code computes in a run that is only thought of: trees are evaluated on canonical names; what cannot be evaluated does
//! what it did in a recorded run with the same operands.

use std::cell::RefCell;

use suspect_format::body::{Action, Callee, Datum, Type};
use suspect_format::record::callee_outcome;

use super::arithmetic::{Trap, mask};
use super::body::{Code, CodeStep, Site};
use super::evaluate::{Machine, Word, evaluate};
use super::fill::Frame;
use super::layout::Cell;
use super::loading::Image;
use super::objects::Kind;
use super::runs::Runs;
use crate::comparison::{Effects, Instance, NONE, Operands, Pair, Place, Semantics, Side, Stop, Value};

impl From<Trap> for Stop {
    fn from(_: Trap) -> Self {
        Stop::Broken
    }
}

/// The meaning of the sites of two recorded runs.
#[derive(Debug)]
pub struct Meaning<'a> {
    code: &'a Code,
    runs: &'a Runs,
    pair: &'a Pair<'a>,
}

impl<'a> Meaning<'a> {
    /// The meaning of `code` as `runs` know it.
    pub fn new(code: &'a Code, runs: &'a Runs, pair: &'a Pair<'a>) -> Self {
        Self { code, runs, pair }
    }

    /// The points of an instance, in each run.
    fn points(&self, instance: Instance) -> [Option<u32>; 2] {
        let (side, point) = instance.point();
        let mut points = [None; 2];
        points[side.index()] = Some(point);
        points[side.other().index()] = self.pair.alignment.partner(side, point);
        points
    }

    /// Does what a recorded run did there that had the same operands.
    fn repeat(&self, points: [Option<u32>; 2], operands: &mut dyn Operands, effects: &mut Effects) -> Result<(), Stop> {
        let names = &self.runs.naming.names;
        let mut candidates: Vec<(Side, u32)> =
            Side::BOTH.into_iter().filter_map(|side| Some((side, points[side.index()]?))).collect();
        let mut position = 0;
        loop {
            let (side, point) = *candidates.first().ok_or(Stop::Unknown)?;
            let run = self.pair.run(side);
            let Some(write) = run.reads(point).get(position).copied() else { break };
            let place = names.place(run.location(write));
            let value = operands.read(place)?;
            candidates.retain(|(side, point)| {
                let run = self.pair.run(*side);
                run.reads(*point)
                    .get(position)
                    .is_some_and(|write| names.place(run.location(*write)) == place && run.value(*write) == value)
            });
            position += 1;
        }
        let (side, point) = *candidates.first().ok_or(Stop::Unknown)?;
        let run = self.pair.run(side);
        let writes = run.written(point).map(|write| (names.place(run.location(write)), run.value(write)));
        effects.writes.extend(writes);
        effects.outcome = Some(run.outcome(point)).filter(|outcome| *outcome != NONE);
        Ok(())
    }

    fn object(&self, kind: Kind) -> Option<u32> {
        self.runs.naming.known(kind, &self.runs.alignment)
    }

    fn cells(&self, object: u32, offset: u64, length: u64) -> Result<Vec<Cell>, Stop> {
        let layout = self.runs.layout(object).ok_or(Stop::Unknown)?;
        let (offset, length) = (u32::try_from(offset), u32::try_from(length));
        let (Ok(offset), Ok(length)) = (offset, length) else { return Err(Stop::Broken) };
        Ok(layout.cells(offset, length).collect())
    }
}

/// Where a step of a patched run is evaluated.
struct Thought<'a, 'o> {
    meaning: &'a Meaning<'a>,
    operands: RefCell<&'o mut dyn Operands>,
    frame: Frame,
    /// The object that is the caller's frame.
    caller: u32,
    side: Side,
    /// The point in the run whose process it is, if it is there.
    point: Option<u32>,
}

fn word(value: Value) -> Result<Word, Stop> {
    match value {
        Value::Number(bits) => Ok(Word::number(bits)),
        Value::Address(place) => Ok(Word::within(place.object, u64::from(place.offset))),
        Value::Undefined => Err(Stop::Unknown),
    }
}

fn value(word: Word) -> Result<Value, Stop> {
    if word.object == NONE {
        return Ok(Value::Number(word.bits));
    }
    let offset = u32::try_from(word.bits).map_err(|_| Stop::Broken)?;
    Ok(Value::Address(Place { object: word.object, offset }))
}

/// The bytes of a value that lies in some memory at `from` bytes from its start, as far as they are numbers.
fn bytes(value: Value, length: u32) -> impl Iterator<Item = Option<u8>> {
    let bits = if let Value::Number(bits) = value { Some(bits) } else { None };
    (0..length).map(move |byte| bits.map(|bits| (bits >> (8 * byte)) as u8))
}

/// Some memory by value: what lies at each offset, and the single bytes.
#[derive(Default)]
struct Block {
    whole: Vec<(u32, u32, Value)>,
    bytes: Vec<Option<u8>>,
}

impl Block {
    fn push(&mut self, value: Value, length: u32) {
        self.whole.push((self.bytes.len() as u32, length, value));
        self.bytes.extend(bytes(value, length));
    }

    /// What a cell at this offset holds.
    fn value(&self, offset: u32, length: u32) -> Value {
        let same = self.whole.binary_search_by_key(&offset, |(at, _, _)| *at);
        if let Ok(number) = same
            && self.whole[number].1 == length
        {
            return self.whole[number].2;
        }
        let part = self.bytes.get(offset as usize..(offset + length) as usize).unwrap_or(&[]);
        let bits = part.iter().rev().try_fold(0u64, |bits, byte| byte.map(|byte| bits << 8 | u64::from(byte)));
        if part.is_empty() { Value::Undefined } else { bits.map_or(Value::Undefined, Value::Number) }
    }
}

impl Thought<'_, '_> {
    fn read(&self, place: Place) -> Result<Value, Stop> {
        self.operands.borrow_mut().read(place)
    }

    fn target(&self, address: Word) -> Result<(u32, u64), Stop> {
        match address.object {
            NONE if address.bits < 4096 => Err(Stop::Broken),
            NONE => Err(Stop::Unknown),
            object => Ok((object, address.bits)),
        }
    }

    fn read_block(&self, address: Word, length: u64) -> Result<Block, Stop> {
        let mut block = Block::default();
        if length == 0 {
            return Ok(block);
        }
        let (object, offset) = self.target(address)?;
        for cell in self.meaning.cells(object, offset, length)? {
            block.push(self.read(Place { object, offset: cell.offset })?, cell.length);
        }
        Ok(block)
    }

    fn write_block(&self, address: Word, block: &Block, effects: &mut Effects) -> Result<(), Stop> {
        if block.bytes.is_empty() {
            return Ok(());
        }
        let (object, offset) = self.target(address)?;
        for cell in self.meaning.cells(object, offset, block.bytes.len() as u64)? {
            let value = block.value(cell.offset - offset as u32, cell.length);
            effects.writes.push((Place { object, offset: cell.offset }, value));
        }
        Ok(())
    }

    fn write(&self, address: Word, of: Type, word: Word, effects: &mut Effects) -> Result<(), Stop> {
        let mut block = Block::default();
        let word = if of.bits() < 64 { Word::number(self.concrete(word)? & mask(of.bits())) } else { word };
        block.push(value(word)?, of.bytes());
        self.write_block(address, &block, effects)
    }

    /// Where an object lies in the process of this side.
    fn concrete(&self, word: Word) -> Result<u64, Stop> {
        if word.object == NONE {
            return Ok(word.bits);
        }
        let details = &self.meaning.runs.details[self.side.index()];
        let address = match self.meaning.runs.naming.kinds[word.object as usize] {
            Kind::Frame { .. } => {
                let point = self.point.ok_or(Stop::MissingObject)?;
                let mut number = details.frame_of(point).ok_or(Stop::MissingObject)?;
                loop {
                    let frame = details.frames.get(number as usize).ok_or(Stop::MissingObject)?;
                    if frame.object == word.object {
                        break frame.address;
                    }
                    if frame.caller == number {
                        return Err(Stop::MissingObject);
                    }
                    number = frame.caller;
                }
            }
            kind => {
                let held = details.held.get(&word.object).map(|held| held.address);
                let loaded = || self.meaning.runs.modules.get(self.side.index())?.address(kind);
                held.or_else(loaded).ok_or(Stop::MissingObject)?
            }
        };
        Ok(address.wrapping_add(word.bits))
    }

    fn tree(&mut self, at: &mut usize) -> Result<Word, Stop> {
        evaluate(self.meaning.code, at, self)
    }

    fn step(&mut self, step: &CodeStep, effects: &mut Effects) -> Result<(), Stop> {
        let mut at = step.tokens as usize;
        match step.action {
            Action::Store(of) => {
                let (value, address) = (self.tree(&mut at)?, self.tree(&mut at)?);
                self.write(address, of, value, effects)
            }
            Action::Copy => {
                let (to, from, length) = (self.tree(&mut at)?, self.tree(&mut at)?, self.tree(&mut at)?);
                let block = self.read_block(from, self.concrete(length)?)?;
                self.write_block(to, &block, effects)
            }
            Action::Fill => {
                let (to, byte, length) = (self.tree(&mut at)?, self.tree(&mut at)?, self.tree(&mut at)?);
                let (byte, length) = (self.concrete(byte)? & 0xff, self.concrete(length)?.min(1 << 32));
                let mut block = Block::default();
                (0..length).for_each(|_| block.push(Value::Number(byte), 1));
                self.write_block(to, &block, effects)
            }
            Action::Branch { .. } => {
                let word = self.tree(&mut at)?;
                effects.outcome = Some(1 - (self.concrete(word)? & 1) as u32);
                Ok(())
            }
            Action::Switch { .. } => {
                let word = self.tree(&mut at)?;
                let value = self.concrete(word)?;
                let cases = self.meaning.code.cases_of(step);
                let case = cases.iter().position(|case| case.value == value);
                effects.outcome = Some(case.map_or(0, |case| case as u32 + 1));
                Ok(())
            }
            Action::Call { callee, .. } => self.call(step, callee, at, effects),
            Action::Return(datum) => self.give_back(datum, at, effects),
            Action::Jump(_) | Action::Unreachable | Action::Dynamic { .. } => Err(Stop::Unknown),
        }
    }

    fn give_back(&mut self, datum: Option<Datum>, mut at: usize, effects: &mut Effects) -> Result<(), Stop> {
        let Some(_) = datum else { return Ok(()) };
        let word = self.tree(&mut at)?;
        let Some(call) = self.frame.call else { return Ok(()) };
        let Action::Call { result: Some((datum, offset)), .. } = self.meaning.code.steps[call as usize].action else {
            return Ok(());
        };
        let to = Word::within(self.caller, offset);
        match datum {
            Datum::Value(of) => self.write(to, of, word, effects),
            Datum::Bytes(bytes) => {
                let block = self.read_block(word, u64::from(bytes))?;
                self.write_block(to, &block, effects)
            }
        }
    }

    fn call(&mut self, step: &CodeStep, callee: Callee, mut at: usize, effects: &mut Effects) -> Result<(), Stop> {
        let code = self.meaning.code;
        let mut function = match callee {
            Callee::Version(function) => Some(function),
            Callee::Symbol(symbol) => code.symbols[symbol as usize].function,
            _ => None,
        };
        if callee == Callee::Indirect {
            let target = self.tree(&mut at)?;
            let address = self.concrete(target)?;
            effects.outcome = Some(callee_outcome(address));
            function = self.meaning.runs.modules[self.side.index()].function_at(address);
        }
        let mut data = Vec::new();
        for datum in code.arguments_of(step) {
            data.push((*datum, self.tree(&mut at)?));
        }
        let depth = self.frame.depth + 1;
        let Some(function) = function else { return self.pass_outside(&data, 0, depth, effects) };
        let object =
            self.meaning.object(Kind::Frame { function: code.twins.frame(function), depth }).ok_or(Stop::Unknown)?;
        let parameters = &code.functions[function as usize].parameters;
        self.pass_outside(data.get(parameters.len()..).unwrap_or(&[]), parameters.len() as u64, depth, effects)?;
        for (parameter, (_, word)) in parameters.iter().zip(data) {
            let to = Word::within(object, u64::from(parameter.offset));
            match parameter.datum {
                Datum::Value(of) => self.write(to, of, word, effects)?,
                Datum::Bytes(bytes) => {
                    let block = self.read_block(word, u64::from(bytes))?;
                    self.write_block(to, &block, effects)?;
                }
            }
        }
        Ok(())
    }
}

impl Thought<'_, '_> {
    /// Arguments of a call, from that of number `first` on, that are found beside the frame.
    fn pass_outside(&self, data: &[(Datum, Word)], first: u64, depth: u32, effects: &mut Effects) -> Result<(), Stop> {
        let object = self.meaning.object(Kind::Arguments { depth });
        for (number, (datum, word)) in (first..).zip(data) {
            let object = object.ok_or(Stop::Unknown)?;
            let of = match datum {
                Datum::Value(of) if of.bits() < 64 => *of,
                _ => Type::Pointer,
            };
            let word = if of.bits() < 64 { Word::number(self.concrete(*word)? & mask(of.bits())) } else { *word };
            self.write(Word::within(object, 8 * number), Type::Pointer, word, effects)?;
        }
        Ok(())
    }
}

impl Machine for Thought<'_, '_> {
    type Stop = Stop;

    fn symbol(&mut self, symbol: u32) -> Result<Word, Stop> {
        let modules = &self.meaning.runs.modules[self.side.index()];
        let (holder, offset) = modules.holder(symbol);
        Ok(match self.meaning.object(Kind::Symbol(self.meaning.code.twins.symbol(holder))) {
            Some(object) => Word::within(object, offset),
            None => Word::number(modules.symbol(symbol)),
        })
    }

    fn frame(&mut self) -> Word {
        Word::within(self.frame.object, 0)
    }

    fn load(&mut self, of: Type, _: Option<u16>, address: Word) -> Result<Word, Stop> {
        let block = self.read_block(address, u64::from(of.bytes()))?;
        let found = word(block.value(0, of.bytes()))?;
        Ok(if of.bits() < 64 { Word::number(self.concrete(found)? & mask(of.bits())) } else { found })
    }

    fn opaque(&mut self, _: Type, _: u16) -> Result<Word, Stop> {
        Err(Stop::Unknown)
    }

    fn bits(&mut self, word: Word) -> Result<u64, Stop> {
        self.concrete(word)
    }
}

impl Semantics for Meaning<'_> {
    fn execute(
        &self,
        site: u32,
        instance: Instance,
        side: Side,
        operands: &mut dyn Operands,
        effects: &mut Effects,
    ) -> Result<(), Stop> {
        let points = self.points(instance);
        let Site::Step(number) = self.code.what(site) else { return self.repeat(points, operands, effects) };
        // In the run of the other build its own step is done.
        let number = if side == Side::First { self.code.twins.native(number) } else { number };
        let step = &self.code.steps[number as usize];
        let setjmp = matches!(step.action, Action::Call { callee: Callee::Setjmp(_), .. });
        if step.opaque || setjmp || matches!(step.action, Action::Dynamic { .. }) {
            return self.repeat(points, operands, effects);
        }
        let (named, point) = instance.point();
        let details = &self.runs.details[named.index()];
        let frame = *details.frame_at(point).ok_or(Stop::Desync)?;
        let caller = details.frames.get(frame.caller as usize).map_or(NONE, |caller| caller.object);
        let point = points[side.index()];
        let operands = RefCell::new(operands);
        Thought { meaning: self, operands, frame, caller, side, point }.step(step, effects)
    }
}
