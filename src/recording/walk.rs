//! Goes along a recorded run: the code is evaluated, the recording says what it does not.

use std::collections::{HashMap, HashSet};

use suspect_format::body::{Action, Callee, Datum, Type};
use suspect_format::external;
use suspect_format::record::{Entry, Event, Mirror, RecordHeader, Stream, Unread, callee_outcome};

use super::arithmetic::Trap;
use super::body::{Code, CodeStep, Site};
use super::evaluate::{Machine, Word, evaluate};
use super::memory::Memory;
use super::objects::{ARGUMENTS, ARGUMENTS_STRIDE, Kind, Object, Objects, Spot};

/// Memory and objects of the process, as they are now.
#[derive(Default)]
pub struct View {
    /// Bytes.
    pub memory: Memory,
    /// Objects.
    pub objects: Objects,
}

/// A use of memory.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// Where in the process.
    pub address: u64,
    /// In which object.
    pub spot: Spot,
    /// How many bytes.
    pub length: u32,
    /// Whether they are used as an address.
    pub pointer: bool,
}

/// What is told of a run while it is walked along, in order. Each point is told of first, then what it reads, writes and decides.
pub trait Observer {
    /// A point executes `site`, in the frame that is `object`.
    fn point(&mut self, site: u32, activation: u32);
    /// The last point reads; memory holds what it sees.
    fn read(&mut self, access: Access, view: &mut View);
    /// The last point has written; memory holds what.
    fn write(&mut self, access: Access, view: &mut View);
    /// The last point decides.
    fn outcome(&mut self, outcome: u32);
    /// Points from now on belong to a callee; `opener` is the calling point. What the last point writes from now on are arguments.
    fn enter(&mut self, activation: Activation, opener: u32, view: &mut View);
    /// The callee returns.
    fn leave(&mut self);
    /// Calls end without returning until `depth` are open.
    fn unwind(&mut self, depth: u32);
    /// The last point has made an object.
    fn allocate(&mut self, object: u32, view: &mut View);
}

/// One execution of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Activation {
    /// The function.
    pub function: u32,
    /// The object that is its frame.
    pub object: u32,
    /// The activation that called it, or its own number for the outermost.
    pub caller: u32,
    /// How many calls are open around it.
    pub depth: u32,
    /// The step that called it, if it was called by recorded code.
    pub call: Option<u32>,
    /// Where its frame is.
    pub address: u64,
    /// The first point that belongs to it.
    pub from: u32,
}

/// How the walk ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// Code that is not recorded was at work when the process ended: it exited, or a signal ended it there. The step that had called it.
    Outside(Option<u32>),
    /// The recording ends in the middle of this step: the process crashed there, was killed, or was not recorded further.
    Within(u32),
    /// A handler of a signal was entered, which is not followed.
    Interrupted(u32),
    /// The recording cannot be of this code.
    Damaged(String),
}

/// A load that found what nothing explains but the code outside that ran last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stray {
    /// How many calls of code outside had returned.
    pub after: u32,
    /// Where.
    pub address: u64,
    /// How many bytes.
    pub length: u32,
    /// What they were.
    pub bits: u64,
    /// The step that found it.
    pub step: u32,
    /// What was expected.
    pub expected: u64,
}

/// A branch that went another way than the code says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// The point.
    pub point: u32,
    /// The step.
    pub step: u32,
    /// What the code says.
    pub computed: u64,
    /// What was recorded.
    pub recorded: u64,
}

/// Where modules lie and what symbols' addresses are.
pub trait Image {
    /// The address of a symbol; one that nothing has if it is not known.
    fn symbol(&self, symbol: u32) -> u64;
    /// Whether a loaded module has the symbol.
    fn is_known(&self, symbol: u32) -> bool;
    /// Where a module keeps the address of a symbol that another module has.
    fn kept(&self, name: &str) -> Option<u64>;
    /// The address of a symbol has been found out.
    fn set(&mut self, symbol: u32, address: u64);
    /// The function whose symbol has this address.
    fn function_at(&self, address: u64) -> Option<u32>;
    /// A module was loaded: its ELF header is at `base`. Answers memory that nobody writes, and objects.
    fn load(&mut self, code: &Code, path: &[u8], base: u64) -> Loaded;
}

/// What a module brings.
#[derive(Debug, Default)]
pub struct Loaded {
    /// Ranges of memory, in order.
    pub memory: Vec<(u64, Vec<u8>)>,
    /// Objects.
    pub objects: Vec<Object>,
}

/// What is told about a walk.
#[derive(Clone, Debug)]
pub struct Walked {
    /// How it ended.
    pub end: End,
    /// Points, with the start.
    pub points: u32,
    /// Loads that nothing explains.
    pub strays: Vec<Stray>,
    /// Branches that went another way.
    pub disagreements: Vec<Disagreement>,
    /// How many were compared: branches, and loads of what was known.
    pub compared: [u64; 2],
    /// How many calls of code outside returned.
    pub returned: u32,
    /// Tokens and steps evaluated: about the number of instructions.
    pub evaluated: u64,
}

/// Why a step cannot be gone along.
#[derive(Debug)]
pub enum Stop {
    /// The recording says nothing, or nonsense.
    Unread(Unread),
    /// The processor would stop the program.
    Trap,
    /// Code and recording contradict each other.
    Wrong(String),
}

impl From<Unread> for Stop {
    fn from(unread: Unread) -> Self {
        Stop::Unread(unread)
    }
}

impl From<Trap> for Stop {
    fn from(_: Trap) -> Self {
        Stop::Trap
    }
}

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
}

#[derive(Clone, Debug)]
struct Outside {
    call: Option<u32>,
    point: u32,
    external: u32,
    arguments: Vec<u64>,
    /// Whether nothing has come yet, so that the callee itself may be entered.
    fresh: bool,
    /// What was passed, as long as it may be passed to a recorded callee.
    data: Vec<(Datum, u64)>,
}

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
    interruptions: Vec<(u64, u64)>,
    view: View,
    levels: Vec<Level>,
    activations: u32,
    depth: u32,
    points: u32,
    returned: u32,
    strays: Vec<Stray>,
    disagreements: Vec<Disagreement>,
    corrections: HashMap<u32, Vec<Stray>>,
    compared: [u64; 2],
    evaluated: u64,
    /// The last step that could fault, by its number in its function.
    may_fault: u32,
    /// What a store, by its point, was given instead of its value.
    replaced: Option<(u32, u64)>,
    /// Of the step that is evaluated.
    step: u32,
    frame: u64,
    scratch: Vec<u8>,
}

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
        replaced: Option<(u32, u64)>,
        strays: &[Stray],
    ) -> Self {
        let mut corrections: HashMap<u32, Vec<Stray>> = HashMap::new();
        let mut seen = HashSet::new();
        for stray in strays.iter().filter(|stray| seen.insert((stray.after, stray.address))) {
            corrections.entry(stray.after).or_default().push(*stray);
        }
        let known = (header.n_interruptions as usize).min(header.interruptions.len());
        let interruptions = header.interruptions[..known].iter().rev().map(|at| (at.offset, at.bits_used)).collect();
        let base = Outside {
            call: None,
            point: 0,
            external: external::UNKNOWN,
            arguments: Vec::new(),
            fresh: false,
            data: Vec::new(),
        };
        Walk {
            code,
            image,
            observer,
            stream,
            mirror: Box::new(Mirror::START),
            interruptions,
            view: View::default(),
            levels: vec![Level::Outside(base)],
            activations: 0,
            depth: 0,
            points: 1,
            returned: 0,
            strays: Vec::new(),
            disagreements: Vec::new(),
            corrections,
            compared: [0; 2],
            evaluated: 0,
            may_fault: header.step,
            replaced,
            step: 0,
            frame: 0,
            scratch: Vec::new(),
        }
    }

    /// Walks to the end.
    pub fn run(mut self) -> Walked {
        let end = loop {
            if self.interrupted() {
                break End::Interrupted(self.step);
            }
            let done = match self.levels.last() {
                Some(Level::Open(_)) => self.execute(),
                _ => self.outside(),
            };
            if let Err(stop) = done {
                break self.end(stop);
            }
        };
        Walked {
            end,
            points: self.points,
            strays: self.strays,
            disagreements: self.disagreements,
            compared: self.compared,
            returned: self.returned,
            evaluated: self.evaluated,
        }
    }

    fn interrupted(&mut self) -> bool {
        let Some((offset, bits)) = self.interruptions.last().copied() else { return false };
        let position = self.mirror.position(&self.stream);
        (position.offset, position.bits_used) >= (offset, bits)
    }

    fn end(&self, stop: Stop) -> End {
        match (stop, self.levels.last()) {
            (Stop::Unread(Unread::End) | Stop::Trap, Some(Level::Open(_))) => End::Within(self.step),
            (Stop::Unread(Unread::End), Some(Level::Outside(outside))) => End::Outside(outside.call),
            (Stop::Wrong(what), _) => End::Damaged(what),
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
        let site = self.code.site(site);
        self.observer.point(site, activation.unwrap_or_default());
        self.points += 1;
        self.points - 1
    }

    fn access(&mut self, address: u64, length: u32, pointer: bool) -> Access {
        Access { address, spot: self.view.objects.find(address), length, pointer }
    }

    fn reads(&mut self, address: u64, length: u64, pointer: bool) {
        let length = u32::try_from(length).unwrap_or(u32::MAX);
        if length > 0 {
            let access = self.access(address, length, pointer);
            self.observer.read(access, &mut self.view);
        }
    }

    fn wrote(&mut self, address: u64, length: u64, pointer: bool) {
        let length = u32::try_from(length).unwrap_or(u32::MAX);
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

    /// Copies memory; what is not known stays unknown.
    fn copy(&mut self, to: u64, from: u64, length: u64) {
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
        let from = *at;
        let code = self.code;
        let word = evaluate(code, at, self)?;
        self.evaluated += (*at - from) as u64;
        Ok(word.bits)
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
                let (value, address) = (self.tree(&mut at)?, self.tree(&mut at)?);
                let replaced = self.replaced.filter(|(point, _)| *point + 1 == self.points);
                self.put(address, of, replaced.map_or(value, |(_, bits)| bits));
            }
            Action::Copy => {
                let (to, from, length) = (self.tree(&mut at)?, self.tree(&mut at)?, self.tree(&mut at)?);
                self.survives(number, length)?;
                self.reads(from, length, false);
                self.copy(to, from, length);
                self.wrote(to, length, false);
            }
            Action::Fill => {
                let (to, byte, length) = (self.tree(&mut at)?, self.tree(&mut at)?, self.tree(&mut at)?);
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
                self.put(frame.wrapping_add(offset), Type::Pointer, address);
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

    fn fill(&mut self, address: u64, byte: u8, length: u64) {
        const MOST: u64 = 1 << 32;
        let bytes = vec![byte; length.min(MOST) as usize];
        self.view.memory.write(address, &bytes);
    }

    fn allocate(&mut self, address: u64, size: u64) {
        if address == 0 {
            return;
        }
        let (point, site) = (self.points - 1, self.code.site(Site::Step(self.step)));
        let object = self.view.objects.allocate(Object { kind: Kind::Heap { point, site }, address, size });
        self.observer.allocate(object, &mut self.view);
    }

    fn decide(&mut self, computed: u64, ways: u32) -> Result<u64, Stop> {
        let recorded = self.mirror.take_branch(&mut self.stream, ways)?;
        self.compared[0] += 1;
        if recorded != computed && self.disagreements.len() < MOST_DISAGREEMENTS {
            let (point, step) = (self.points - 1, self.step);
            self.disagreements.push(Disagreement { point, step, computed, recorded });
        }
        self.observer.outcome(recorded as u32);
        Ok(recorded)
    }

    fn call(&mut self, number: u32, step: CodeStep, mut at: usize) -> Result<(), Stop> {
        let Action::Call { callee, n_arguments, .. } = step.action else { return Ok(()) };
        let indirect = if callee == Callee::Indirect { Some(self.tree(&mut at)?) } else { None };
        let mut data = Vec::with_capacity(n_arguments as usize);
        for argument in 0..n_arguments as usize {
            let datum = self.code.arguments[step.extra as usize + argument];
            data.push((datum, self.tree(&mut at)?));
        }
        let point = self.points - 1;
        if let Some(address) = indirect {
            self.observer.outcome(callee_outcome(address));
        }
        match callee {
            Callee::Version(_) => {
                let Event::Entered(entry) = self.mirror.take_event(&mut self.stream, external::UNKNOWN)? else {
                    return Err(Unread::Damaged.into());
                };
                return self.enter(entry, Some(number), point, &data);
            }
            Callee::Setjmp(_) => {
                if let Some(open) = self.open() {
                    open.setjmp = Some(number);
                }
                return self.set_result(number, 0);
            }
            _ => {}
        }
        let external = match callee {
            Callee::Symbol(symbol) => {
                external::number(&self.code.symbols[symbol as usize].name).unwrap_or(external::UNKNOWN)
            }
            Callee::Indirect => external::INDIRECT,
            _ => external::UNKNOWN,
        };
        let arguments = data.iter().map(|(_, word)| *word).collect();
        self.levels.push(Level::Outside(Outside { call: Some(number), point, external, arguments, fresh: true, data }));
        Ok(())
    }

    /// Where the argument `number` of the call that is made now is found.
    fn argument_address(&self, number: usize) -> u64 {
        ARGUMENTS + u64::from(self.depth) * ARGUMENTS_STRIDE + 8 * number as u64
    }

    /// The arguments of a call of code outside become what it reads.
    fn pass_outside(&mut self, data: &[(Datum, u64)]) {
        for (number, (datum, word)) in data.iter().enumerate().take(ARGUMENTS_STRIDE as usize / 8) {
            let address = self.argument_address(number);
            self.view.memory.store(address, 8, *word);
            self.wrote(address, 8, matches!(datum, Datum::Value(Type::Pointer) | Datum::Bytes(_)));
        }
    }

    /// A function begins: called by a step, which is the last point, or by code outside.
    fn enter(&mut self, entry: Entry, call: Option<u32>, opener: u32, data: &[(Datum, u64)]) -> Result<(), Stop> {
        let Some(function) = self.code.by_id.get(&entry.id).copied() else {
            return Err(Stop::Wrong(format!("function {:08x} has no body", entry.id)));
        };
        let code = self.code;
        let body = &code.functions[function as usize];
        self.view.memory.write(entry.frame, &vec![0; body.frame_size as usize]);
        let object = self.view.objects.enter(function, entry.frame, u64::from(body.frame_size));
        let caller = self.levels.iter().rev().find_map(|level| match level {
            Level::Open(open) => Some(open.activation),
            Level::Outside(_) => None,
        });
        let number = self.activations;
        self.activations += 1;
        let activation = Activation {
            function,
            object,
            caller: caller.unwrap_or(number),
            depth: self.depth,
            call,
            address: entry.frame,
            from: self.points,
        };
        self.levels.push(Level::Open(Open {
            activation: number,
            frame: entry.frame,
            step: body.steps.start,
            dynamic: Vec::new(),
            setjmp: None,
            called_by: call,
        }));
        if call.is_some() {
            // Arguments are written by the calling point.
            self.observer.enter(activation, opener, &mut self.view);
            self.pass(entry.frame, &body.parameters, data);
            self.depth += 1;
            return Ok(());
        }
        self.observer.enter(activation, opener, &mut self.view);
        self.depth += 1;
        self.point(Site::Called(function));
        self.read_arguments();
        for parameter in &body.parameters {
            let address = entry.frame.wrapping_add(u64::from(parameter.offset));
            match parameter.datum {
                Datum::Value(of) => {
                    let bits = self.mirror.take_loaded(&mut self.stream, u32::from(parameter.slot))?;
                    self.put(address, of, bits);
                }
                Datum::Bytes(bytes) => {
                    for word in 0..bytes.div_ceil(8) {
                        let bits = self.mirror.take_loaded(&mut self.stream, u32::from(parameter.slot))?;
                        let length = (bytes - 8 * word).min(8);
                        self.view.memory.store(address.wrapping_add(u64::from(8 * word)), length, bits);
                    }
                    self.wrote(address, u64::from(bytes), false);
                }
            }
        }
        Ok(())
    }

    fn pass(&mut self, frame: u64, parameters: &[super::body::Parameter], data: &[(Datum, u64)]) {
        for (parameter, (_, word)) in parameters.iter().zip(data) {
            let address = frame.wrapping_add(u64::from(parameter.offset));
            match parameter.datum {
                Datum::Value(of) => self.put(address, of, *word & super::arithmetic::mask(of.bits())),
                Datum::Bytes(bytes) => {
                    self.reads(*word, u64::from(bytes), false);
                    self.copy(address, *word, u64::from(bytes));
                    self.wrote(address, u64::from(bytes), false);
                }
            }
        }
    }

    /// What code outside was called with is what its callback depends on.
    fn read_arguments(&mut self) {
        let outside = self.levels.iter().rev().find_map(|level| match level {
            Level::Outside(outside) => Some(outside.arguments.len()),
            Level::Open(_) => None,
        });
        let depth = u64::from(self.depth - 1);
        for number in 0..outside.unwrap_or(0).min(ARGUMENTS_STRIDE as usize / 8) {
            self.reads(ARGUMENTS + depth * ARGUMENTS_STRIDE + 8 * number as u64, 8, false);
        }
    }

    fn leave(&mut self, datum: Option<Datum>, mut at: usize) -> Result<(), Stop> {
        let value = match datum {
            Some(_) => Some(self.tree(&mut at)?),
            None => None,
        };
        let Some(Level::Open(open)) = self.levels.pop() else { return Ok(()) };
        if let (Some(value), Some(call)) = (value, open.called_by)
            && let Action::Call { result: Some((datum, offset)), .. } = self.code.steps[call as usize].action
            && let Some(Level::Open(caller)) = self.levels.last()
        {
            let address = caller.frame.wrapping_add(offset);
            match datum {
                Datum::Value(of) => self.put(address, of, value & super::arithmetic::mask(of.bits())),
                Datum::Bytes(bytes) => {
                    self.reads(value, u64::from(bytes), false);
                    self.copy(address, value, u64::from(bytes));
                    self.wrote(address, u64::from(bytes), false);
                }
            }
        }
        self.close(&open);
        self.observer.leave();
        Ok(())
    }

    fn close(&mut self, open: &Open) {
        for address in &open.dynamic {
            self.view.objects.free(*address);
        }
        self.view.objects.leave();
        self.depth -= 1;
    }

    /// Code outside is at work: the next thing that the recording says of it.
    fn outside(&mut self) -> Result<(), Stop> {
        let Some(Level::Outside(outside)) = self.levels.last_mut() else { return Ok(()) };
        let (external, fresh) = (outside.external, std::mem::replace(&mut outside.fresh, false));
        let event = match self.mirror.take_event(&mut self.stream, external) {
            Ok(event) => event,
            Err(unread) => {
                self.pass_fresh(fresh);
                return Err(unread.into());
            }
        };
        if let (Event::Entered(entry), true) = (event, fresh) {
            let Some(Level::Outside(outside)) = self.levels.pop() else { return Ok(()) };
            return self.enter(entry, outside.call, outside.point, &outside.data);
        }
        self.pass_fresh(fresh);
        match event {
            Event::Entered(_) => Err(Unread::Damaged.into()),
            Event::Callback => {
                let Event::Entered(entry) = self.mirror.take_event(&mut self.stream, external)? else {
                    return Err(Unread::Damaged.into());
                };
                let opener = match self.levels.last() {
                    Some(Level::Outside(outside)) => outside.point,
                    _ => 0,
                };
                self.enter(entry, None, opener, &[])
            }
            Event::Done(result) => self.done(result, 0),
            Event::Changed(result, ranges) => self.done(result, ranges),
            Event::Jumped(frame, result) => self.jumped(frame, result),
            Event::Module(_, base, path, ranges) => {
                let loaded = self.image.load(self.code, path, base);
                for object in loaded.objects {
                    self.view.objects.allocate(object);
                }
                loaded.memory.iter().for_each(|(address, bytes)| self.view.memory.write(*address, bytes));
                self.take_memory(ranges)
            }
            Event::Memory(ranges) => self.take_memory(ranges),
        }
    }

    /// What code outside is called with, once it is clear that it is code outside.
    fn pass_fresh(&mut self, fresh: bool) {
        if let (true, Some(Level::Outside(outside))) = (fresh, self.levels.last_mut()) {
            let data = std::mem::take(&mut outside.data);
            self.pass_outside(&data);
        }
    }

    fn take_memory(&mut self, ranges: u64) -> Result<(), Stop> {
        for _ in 0..ranges {
            let (address, bytes) = self.mirror.take_range(&mut self.stream)?;
            self.view.memory.write(address, bytes);
        }
        Ok(())
    }

    fn done(&mut self, result: u64, ranges: u64) -> Result<(), Stop> {
        let Some(Level::Outside(outside)) = self.levels.pop() else { return Ok(()) };
        let Some(call) = outside.call else { return Err(Unread::Damaged.into()) };
        self.step = call;
        self.point(Site::Returned(call));
        for number in 0..outside.arguments.len().min(ARGUMENTS_STRIDE as usize / 8) {
            self.reads(self.argument_address(number), 8, false);
        }
        let model = external::external(outside.external);
        if let Some(model) = model {
            self.read_outside(model, &outside.arguments, result);
        }
        let mut written = Vec::new();
        for _ in 0..ranges {
            let (address, bytes) = self.mirror.take_range(&mut self.stream)?;
            written.push((address, bytes));
        }
        if let Some(model) = model {
            self.objects_outside(model, &outside.arguments, result, &written);
        }
        for (address, bytes) in written {
            self.view.memory.write(address, bytes);
            self.wrote(address, bytes.len() as u64, false);
        }
        if let Some(model) = model {
            self.copies_outside(model, &outside.arguments, result);
        }
        self.correct();
        self.returned += 1;
        self.set_value(call, result);
        Ok(())
    }

    /// What an earlier walk found that code outside must have written.
    fn correct(&mut self) {
        let Some(corrections) = self.corrections.remove(&(self.returned + 1)) else { return };
        for stray in corrections {
            self.view.memory.store(stray.address, stray.length, stray.bits);
            self.wrote(stray.address, u64::from(stray.length), false);
        }
    }

    fn set_value(&mut self, call: u32, result: u64) {
        let Action::Call { result: Some((Datum::Value(of), offset)), .. } = self.code.steps[call as usize].action
        else {
            return;
        };
        let Some(frame) = self.open().map(|open| open.frame) else { return };
        self.put(frame.wrapping_add(offset), of, result & super::arithmetic::mask(of.bits()));
    }

    fn set_result(&mut self, call: u32, result: u64) -> Result<(), Stop> {
        self.step = call;
        self.point(Site::Returned(call));
        self.set_value(call, result);
        self.observer.outcome(callee_outcome(result));
        Ok(())
    }

    fn jumped(&mut self, frame: u64, result: u64) -> Result<(), Stop> {
        let target = self.levels.iter().position(|level| matches!(level, Level::Open(open) if open.frame == frame));
        let Some(target) = target else { return Err(Unread::Damaged.into()) };
        while self.levels.len() > target + 1 {
            if let Some(Level::Open(open)) = self.levels.pop() {
                self.close(&open);
            }
        }
        self.observer.unwind(self.depth);
        let Some(call) = self.open().and_then(|open| open.setjmp) else { return Err(Unread::Damaged.into()) };
        if let Some(open) = self.open() {
            open.step = call + 1;
        }
        self.set_result(call, result)
    }

    /// How many units of `unit` bytes come before a zero one, at most `most`.
    pub(super) fn length(&mut self, base: u64, unit: u64, most: u64) -> u64 {
        (0..most)
            .find(|index| {
                self.view.memory.load(base.wrapping_add(index * unit), unit as u32).is_none_or(|value| value == 0)
            })
            .unwrap_or(most)
    }

    pub(super) fn see(&mut self, address: u64, length: u64) {
        self.reads(address, length, false);
    }

    pub(super) fn view(&mut self) -> &mut View {
        &mut self.view
    }

    pub(super) fn make(&mut self, address: u64, size: u64) {
        self.allocate(address, size);
    }

    pub(super) fn fill_outside(&mut self, address: u64, byte: u8, length: u64) {
        self.fill(address, byte, length);
        self.wrote(address, length, false);
    }

    pub(super) fn copy_outside(&mut self, to: u64, from: u64, length: u64) {
        self.copy(to, from, length);
        self.wrote(to, length, false);
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
        Ok(Word::number(self.image.symbol(symbol)))
    }

    fn frame(&mut self) -> Word {
        Word::number(self.frame)
    }

    fn load(&mut self, of: Type, slot: Option<u16>, address: Word) -> Result<Word, Stop> {
        let (address, length) = (address.bits, of.bytes());
        let known = self.view.memory.load(address, length).map(|bits| bits & super::arithmetic::mask(of.bits()));
        let bits = match slot {
            None => known.ok_or_else(|| {
                Stop::Wrong(format!("what lies at {address:#x} is not recorded (step {})", self.step))
            })?,
            Some(slot) => {
                let bits = self.mirror.take_loaded(&mut self.stream, u32::from(slot))?;
                if let Some(expected) = known {
                    self.compared[1] += 1;
                    if expected != bits && self.strays.len() < MOST_STRAYS {
                        let (after, step) = (self.returned, self.step);
                        self.strays.push(Stray { after, address, length, bits, step, expected });
                    }
                }
                if known != Some(bits) {
                    self.view.memory.store(address, length, bits);
                }
                bits
            }
        };
        let access = self.access(address, length, of == Type::Pointer);
        self.observer.read(access, &mut self.view);
        Ok(Word::number(bits))
    }

    fn opaque(&mut self, of: Type, slot: u16) -> Result<Word, Stop> {
        let bits = self.mirror.take_loaded(&mut self.stream, u32::from(slot))?;
        Ok(Word::number(bits & super::arithmetic::mask(of.bits())))
    }

    fn bits(&mut self, word: Word) -> Result<u64, Stop> {
        Ok(word.bits)
    }
}
