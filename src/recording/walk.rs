//! Goes along a recorded run: the code is evaluated, the recording says what it does not.

mod blocks;
mod calls;
mod events;
mod models;
mod paused;
mod signals;
mod variadic;

pub use paused::{Paused, Stretch};

use std::collections::HashSet;
use std::path::PathBuf;

use suspect_format::body::{Action, Datum, Type};
use suspect_format::external;
use suspect_format::record::{Mirror, RecordHeader, Stream, Unread};

use super::arithmetic::mask;
use super::body::{Code, Site};
use super::bounds::{Bounds, Use};
use super::deadline::Deadline;
use super::evaluate::{Machine, Word, evaluate};
use super::file::Given;
use super::loading::Image;
use super::objects::{Kind, Object, is_near_null};
use super::observer::{Access, Observer, View};
use super::walked::{Disagreement, End, Stop, Stray, Walked};
use crate::comparison::{NONE, Table};

#[derive(Clone, Debug)]
struct Open {
    activation: u32,
    frame: u64,
    step: u32,
    /// Objects that end with it.
    dynamic: Vec<u64>,
    /// The last `setjmp`.
    setjmp: Option<u32>,
    /// The step that called it, if recorded code did.
    called_by: Option<u32>,
    /// How many parameters it has, and what it was passed beyond them.
    n_parameters: usize,
    variadic: Vec<Datum>,
}

#[derive(Clone, Debug)]
struct Outside {
    call: Option<u32>,
    point: u32,
    external: u32,
    /// Of a call through a pointer: the modelled function that it calls, if that is known.
    called: u32,
    arguments: Vec<u64>,
    /// For each argument the block that it points into.
    blocks: Vec<u32>,
    /// Whether nothing has come yet, so that the callee itself may be entered.
    fresh: bool,
    /// What was passed, as long as it may be passed to a recorded callee.
    data: Vec<(Datum, Word)>,
}

#[derive(Clone, Debug)]
enum Level {
    Open(Open),
    Outside(Outside),
}

/// A walk along one recorded run.
pub struct Walk<'a, O, I> {
    code: &'a Code,
    image: &'a mut I,
    observer: &'a mut O,
    stream: Stream<'a>,
    mirror: Box<Mirror>,
    /// Where handlers were entered, the next one last, and whether more were than that.
    interruptions: Vec<(u64, u64)>,
    unknown_interruptions: bool,
    /// Where the environment's array is, until it is known what it holds; 0 if nobody knows.
    environment: u64,
    /// Jumps out of calls so far.
    jumps: u32,
    /// Paths of modules, in the order in which they were loaded.
    modules: Vec<PathBuf>,
    view: View,
    levels: Vec<Level>,
    activations: u32,
    depth: u32,
    points: u32,
    returned: u32,
    /// How many times code outside has returned or called back.
    turns: u32,
    strays: Vec<Stray>,
    disagreements: Vec<Disagreement>,
    corrections: Table<u32, Vec<Stray>>,
    compared: [u64; 2],
    evaluated: u64,
    /// The last step that could fault, by its number in its function.
    may_fault: u32,
    /// What the run was given instead of one of its values.
    replaced: Option<Given>,
    /// Of the step that is evaluated.
    step: u32,
    frame: u64,
    scratch: Vec<u8>,
    /// Modelled functions of the C library by their addresses, as far as they were seen where modules keep them.
    modelled: Table<u64, u32>,
    /// What pointers point into, if that is asked for.
    bounds: Option<Box<Bounds>>,
    /// When it ends though the recording goes on, and steps until the clock is looked at.
    deadline: Deadline,
    unlooked: u32,
}

/// Bytes that one call can copy, fill or read: 4 GiB. A greater length was a negative number, and no call does what such a one asks.
const MOST_BYTES: u64 = 1 << 32;
/// Steps from one look at the clock to the next: they take less than a millisecond unless one of them fills or copies much.
const UNLOOKED: u32 = 1 << 10;
const MOST_STRAYS: usize = 1 << 22;
const MOST_DISAGREEMENTS: usize = 1000;

impl<'a, O: Observer, I: Image> Walk<'a, O, I> {
    /// A walk at the start of a recording, in which the value of a store may have been replaced. `strays` are those of an earlier walk: they are
    /// taken for what the code outside wrote.
    pub fn new(
        code: &'a Code,
        image: &'a mut I,
        observer: &'a mut O,
        stream: Stream<'a>,
        header: &RecordHeader,
        replaced: Option<Given>,
        strays: &[Stray],
    ) -> Self {
        let known = (header.n_interruptions as usize).min(header.interruptions.len());
        let mut walk = Walk::at(code, image, observer, stream, strays);
        walk.interruptions = header.interruptions[..known].iter().rev().map(|at| (at.offset, at.bits_used)).collect();
        walk.unknown_interruptions = header.n_interruptions as usize > known;
        (walk.environment, walk.may_fault, walk.replaced) = (header.environment, header.step, replaced);
        walk
    }

    /// A walk that nothing is known of but where it reads on.
    fn at(code: &'a Code, image: &'a mut I, observer: &'a mut O, stream: Stream<'a>, strays: &[Stray]) -> Self {
        let mut corrections: Table<u32, Vec<Stray>> = Table::default();
        let mut seen = HashSet::new();
        for stray in strays.iter().filter(|stray| seen.insert((stray.after, stray.address))) {
            corrections.entry(stray.after).or_default().push(*stray);
        }
        let base = Outside {
            call: None,
            point: 0,
            external: external::UNKNOWN,
            called: external::UNKNOWN,
            arguments: Vec::new(),
            blocks: Vec::new(),
            fresh: false,
            data: Vec::new(),
        };
        Walk {
            code,
            image,
            observer,
            stream,
            mirror: Box::new(Mirror::START),
            interruptions: Vec::new(),
            environment: 0,
            unknown_interruptions: false,
            jumps: 0,
            modules: Vec::new(),
            view: View::default(),
            levels: vec![Level::Outside(base)],
            activations: 0,
            depth: 0,
            points: 1,
            returned: 0,
            turns: 0,
            strays: Vec::new(),
            disagreements: Vec::new(),
            corrections,
            compared: [0; 2],
            evaluated: 0,
            may_fault: 0,
            replaced: None,
            step: 0,
            frame: 0,
            scratch: Vec::new(),
            modelled: Table::default(),
            bounds: None,
            deadline: Deadline::NEVER,
            unlooked: UNLOOKED,
        }
    }

    /// The same walk, that ends at the deadline.
    pub fn until(mut self, deadline: Deadline) -> Self {
        self.deadline = deadline;
        self
    }

    /// The same walk, that also looks at what is done outside of objects.
    pub fn with_bounds(mut self) -> Self {
        self.bounds = Some(Box::default());
        self
    }

    /// Walks to the end.
    pub fn run(self) -> Walked {
        self.run_to(u32::MAX)
    }

    /// Walks to the end, or until there are so many points.
    pub fn run_to(mut self, points: u32) -> Walked {
        let end = loop {
            if self.points >= points {
                break End::Outside(None);
            }
            if let Err(stop) = self.go_on() {
                break self.end(stop);
            }
        };
        self.walked(end)
    }

    /// Whether something was done outside of objects.
    pub fn has_found(&self) -> bool {
        self.bounds.as_ref().is_some_and(|bounds| !bounds.found.is_empty())
    }

    /// What looks on.
    pub fn observer(&self) -> &O {
        self.observer
    }

    /// What is told of a walk that ends.
    pub fn walked(self, end: End) -> Walked {
        Walked {
            end,
            points: self.points,
            strays: self.strays,
            disagreements: self.disagreements,
            compared: self.compared,
            returned: self.returned,
            evaluated: self.evaluated,
            modules: self.modules,
            misuses: self.bounds.map(|bounds| bounds.found).unwrap_or_default(),
        }
    }

    fn end(&self, stop: Stop) -> End {
        match (stop, self.levels.last()) {
            (Stop::Unread(Unread::End) | Stop::Trap, Some(Level::Open(_))) => End::Within(self.step),
            (Stop::Unread(Unread::End), Some(Level::Outside(outside))) => End::Outside(outside.call),
            (Stop::Wrong(what), _) => End::Damaged(what),
            (Stop::Interrupted, _) => End::Interrupted(self.step),
            (Stop::Late, _) => End::Late,
            _ => End::Damaged(format!("byte {} does not fit the code", self.stream.offset())),
        }
    }

    fn open(&mut self) -> Option<&mut Open> {
        match self.levels.last_mut() {
            Some(Level::Open(open)) => Some(open),
            _ => None,
        }
    }

    fn point(&mut self, site: Site) -> u32 {
        let activation = self.levels.iter().rev().find_map(|level| match level {
            Level::Open(open) => Some(open.activation),
            Level::Outside(_) => None,
        });
        let site = self.code.common_site(site);
        self.observer.point(site, activation.unwrap_or_default());
        self.points += 1;
        self.points - 1
    }

    fn access(&mut self, address: u64, length: u32, pointer: bool) -> Access {
        Access { address, spot: self.view.objects.find(address), length, pointer }
    }

    /// A length as it can be: one beyond all memory ends with the object that the address is in.
    fn possible(&mut self, address: u64, length: u64) -> u64 {
        if length <= MOST_BYTES {
            return length;
        }
        let object = self.view.objects.known(address).map(|number| self.view.objects.all()[number as usize]);
        object.map_or(1, |object| object.address.saturating_add(object.size).saturating_sub(address))
    }

    fn reads(&mut self, address: u64, length: u64, pointer: bool) {
        let length = u32::try_from(self.possible(address, length)).unwrap_or(u32::MAX);
        if length > 0 {
            let access = self.access(address, length, pointer);
            self.observer.read(access, &mut self.view);
        }
    }

    fn wrote(&mut self, address: u64, length: u64, pointer: bool) {
        let length = u32::try_from(self.possible(address, length)).unwrap_or(u32::MAX);
        if length > 0 {
            let access = self.access(address, length, pointer);
            self.observer.write(access, &mut self.view);
        }
    }

    /// Puts a value into memory as the last point's effect.
    fn put(&mut self, address: u64, of: Type, bits: u64) {
        self.view.memory.store(address, of.bytes(), bits);
        self.wrote(address, u64::from(of.bytes()), of == Type::Pointer);
    }

    /// Puts a value into memory as the last point's effect, with what it points into.
    fn put_word(&mut self, address: u64, of: Type, word: Word) {
        self.put(address, of, word.bits & mask(of.bits()));
        self.keep(address, word);
    }

    /// Copies memory; what is not known stays unknown.
    fn copy(&mut self, to: u64, from: u64, length: u64) {
        if length > MOST_BYTES {
            let lost = self.possible(to, length);
            return self.view.memory.forget(to, lost);
        }
        if let Some(bounds) = &mut self.bounds {
            bounds.copy(to, from, length);
        }
        let mut bytes = std::mem::take(&mut self.scratch);
        bytes.clear();
        let mut unknown = Vec::new();
        for offset in 0..length {
            match self.view.memory.byte(from.wrapping_add(offset)) {
                Some(byte) => bytes.push(byte),
                None => {
                    unknown.push(offset);
                    bytes.push(0);
                }
            }
        }
        self.view.memory.write(to, &bytes);
        for offset in unknown {
            self.view.memory.forget(to.wrapping_add(offset), 1);
        }
        self.scratch = bytes;
    }

    fn tree(&mut self, at: &mut usize) -> Result<u64, Stop> {
        self.word(at).map(|word| word.bits)
    }

    fn word(&mut self, at: &mut usize) -> Result<Word, Stop> {
        let from = *at;
        let code = self.code;
        let word = evaluate(code, at, self)?;
        self.evaluated += (*at - from) as u64;
        Ok(word)
    }

    fn execute(&mut self) -> Result<(), Stop> {
        let Some(open) = self.open() else { return Ok(()) };
        let (number, frame) = (open.step, open.frame);
        (self.step, self.frame) = (number, frame);
        let step = self.code.steps[number as usize];
        let mut at = step.tokens as usize;
        let mut next = number + 1;
        self.evaluated += 1;
        if let Action::Jump(to) = step.action {
            next = to;
        } else if step.action == Action::Unreachable {
            return Err(Stop::Wrong("it goes on where the code cannot be".to_owned()));
        } else {
            self.point(Site::Step(number));
        }
        match step.action {
            Action::Store(of) => {
                let (value, to) = (self.word(&mut at)?, self.word(&mut at)?);
                let address = to.bits;
                self.check(Use::Write, to, u64::from(of.bytes()));
                self.reaches(address, u64::from(of.bytes()))?;
                self.put_word(address, of, self.given(address, value));
                if self.starts_arguments(&step) {
                    self.start_arguments(address.wrapping_sub(16));
                }
            }
            Action::Copy => {
                let (to, from, length) = (self.word(&mut at)?, self.word(&mut at)?, self.tree(&mut at)?);
                self.check(Use::Read, from, length);
                self.check(Use::Write, to, length);
                let (to, from) = (to.bits, from.bits);
                self.reaches(from, length)?;
                self.reaches(to, length)?;
                self.survives(number, length)?;
                self.reads(from, length, false);
                self.copy(to, from, length);
                self.wrote(to, length, false);
            }
            Action::Fill => {
                let (to, byte, length) = (self.word(&mut at)?, self.tree(&mut at)?, self.tree(&mut at)?);
                self.check(Use::Write, to, length);
                let to = to.bits;
                self.reaches(to, length)?;
                self.survives(number, length)?;
                self.fill(to, byte as u8, length);
                self.wrote(to, length, false);
            }
            Action::Branch { then, otherwise } => {
                let truth = self.tree(&mut at)? & 1;
                let outcome = self.decide(1 - truth, 2)?;
                next = if outcome == 0 { then } else { otherwise };
            }
            Action::Switch { default, n_cases, .. } => {
                let value = self.tree(&mut at)?;
                let cases = self.code.cases_of(&self.code.steps[number as usize]);
                let computed = cases.iter().position(|case| case.value == value).map_or(0, |case| case as u64 + 1);
                let outcome = self.decide(computed, n_cases + 1)?;
                next = match outcome.checked_sub(1) {
                    None => default,
                    Some(case) => match cases.get(case as usize) {
                        Some(case) => case.block,
                        None => return Err(Unread::Damaged.into()),
                    },
                };
            }
            Action::Call { .. } => {
                if let Some(open) = self.open() {
                    open.step = next;
                }
                return self.call(number, step, at);
            }
            Action::Return(datum) => return self.leave(datum, at),
            Action::Dynamic { offset, slot } => {
                let size = self.tree(&mut at)?;
                let address = self.mirror.take_loaded(&mut self.stream, u32::from(slot))?;
                self.allocate(address, size);
                self.fill(address, 0, size);
                self.wrote(address, size, false);
                if let Some(open) = self.open() {
                    open.dynamic.push(address);
                }
                let block = self.bounds.as_ref().map_or(NONE, |bounds| bounds.heap_at(address));
                self.put_word(frame.wrapping_add(offset), Type::Pointer, Word { block, ..Word::number(address) });
            }
            Action::Jump(_) | Action::Unreachable => {}
        }
        if let Some(open) = self.open() {
            open.step = next;
        }
        Ok(())
    }

    /// Stops at a step that the process died in while it went over so many bytes, which may be more than there are.
    fn survives(&mut self, number: u32, length: u64) -> Result<(), Stop> {
        const SURE: u64 = 1 << 16;
        let first = self.code.functions[self.code.steps[number as usize].function as usize].steps.start;
        let told_last = || self.mirror.position(&self.stream).offset >= self.stream.end();
        if length > SURE && self.may_fault == number - first && told_last() { Err(Stop::Trap) } else { Ok(()) }
    }

    /// Stops at an access that no process survives: what follows in the recording was not done by this step, for who handles the trap need not be recorded.
    fn reaches(&self, address: u64, length: u64) -> Result<(), Stop> {
        if is_near_null(address, length) && !self.is_interrupted() { Err(Stop::Trap) } else { Ok(()) }
    }

    fn fill(&mut self, address: u64, byte: u8, length: u64) {
        if length > MOST_BYTES {
            let lost = self.possible(address, length);
            return self.view.memory.forget(address, lost);
        }
        self.view.memory.write(address, &vec![byte; length as usize]);
    }

    fn allocate(&mut self, address: u64, size: u64) {
        if address == 0 {
            return;
        }
        let (point, site) = (self.points - 1, self.code.common_site(Site::Step(self.step)));
        let object = self.view.objects.allocate(Object { kind: Kind::Heap { point, site }, address, size });
        self.observer.allocate(object, &mut self.view);
        if let Some(bounds) = &mut self.bounds {
            bounds.allocate(point, address, size);
        }
    }

    fn decide(&mut self, computed: u64, ways: u32) -> Result<u64, Stop> {
        self.attend()?;
        let recorded = self.mirror.take_branch(&mut self.stream, ways)?;
        self.compared[0] += 1;
        if recorded != computed && self.disagreements.len() < MOST_DISAGREEMENTS {
            let (point, step) = (self.points - 1, self.step);
            self.disagreements.push(Disagreement { point, step, computed, recorded });
        }
        self.observer.outcome(recorded as u32);
        Ok(recorded)
    }
}

impl<O: Observer, I: Image> Machine for Walk<'_, O, I> {
    type Stop = Stop;

    fn symbol(&mut self, symbol: u32) -> Result<Word, Stop> {
        if !self.image.is_known(symbol)
            && let Some(kept) = self.image.kept(&self.code.symbols[symbol as usize].name)
            && let Some(address) = self.view.memory.load(kept, 8).filter(|address| *address != 0)
        {
            self.image.set(symbol, address);
        }
        let address = self.image.symbol(symbol);
        let block = self.block_of_symbol(symbol, address);
        Ok(Word { block, ..Word::number(address) })
    }

    fn frame(&mut self) -> Word {
        Word::number(self.frame)
    }

    fn at_frame(&mut self, offset: i64) -> Word {
        let address = self.frame.wrapping_add(offset as u64);
        let block = self.block_of_variable(offset as u64);
        Word { block, ..Word::number(address) }
    }

    fn load(&mut self, of: Type, slot: Option<u16>, address: Word) -> Result<Word, Stop> {
        self.check(Use::Read, address, u64::from(of.bytes()));
        let (address, length) = (address.bits, of.bytes());
        self.reaches(address, u64::from(length))?;
        let known = self.view.memory.load(address, length).map(|bits| bits & mask(of.bits()));
        let bits = match slot {
            None => known.ok_or_else(|| {
                Stop::Wrong(format!("what lies at {address:#x} is not recorded (step {})", self.step))
            })?,
            Some(slot) => {
                self.attend()?;
                let bits = self.mirror.take_loaded(&mut self.stream, u32::from(slot))?;
                if let Some(expected) = known {
                    self.compared[1] += 1;
                    if expected != bits && self.strays.len() < MOST_STRAYS {
                        let (after, step) = (self.turns, self.step);
                        self.strays.push(Stray { after, address, length, bits, step, expected });
                    }
                }
                if known != Some(bits) {
                    self.view.memory.store(address, length, bits);
                }
                bits
            }
        };
        if of == Type::Pointer
            && let Some(model) = self.image.modelled_at(address)
        {
            self.modelled.insert(bits, model);
        }
        let access = self.access(address, length, of == Type::Pointer);
        self.observer.read(access, &mut self.view);
        let block = self.bounds.as_ref().map_or(NONE, |bounds| bounds.of_pointer(address, bits));
        Ok(Word { block, ..Word::number(bits) })
    }

    fn opaque(&mut self, of: Type, slot: u16) -> Result<Word, Stop> {
        self.attend()?;
        let bits = self.mirror.take_loaded(&mut self.stream, u32::from(slot))?;
        Ok(Word::number(bits & mask(of.bits())))
    }

    fn bits(&mut self, word: Word) -> Result<u64, Stop> {
        Ok(word.bits)
    }
}
