//! How places and values of recorded runs are called in the source.

use std::collections::HashMap;

use suspect_format::body::{Action, Callee, Symbol};
use suspect_format::site::ValueClass;

use super::body::{Code, Site, Variable};
use super::expressions::Expressions;
use super::objects::{Kind, is_address};
use super::pointees::Pointees;
use super::runs::Runs;
use super::streams::Streams;
use super::types::Part;
use crate::comparison::{NONE, Place as Cell, Run, Side, Value};
use crate::program::{Place, Program};
use crate::source::SourceTree;

/// Memory that has no name, where its address is not told: it says little, and is another one in each build.
const UNKNOWN: &str = "memory of no known object";
/// An address of such memory.
pub const NOT_NULL: &str = "not NULL";

/// A part of what a store wrote.
struct Stored {
    cell: super::layout::Cell,
    bits: u64,
    write: u32,
}

/// Words for what recorded runs have.
pub struct Words<'a> {
    program: &'a Program,
    code: &'a Code,
    runs: &'a Runs,
    /// For objects of the heap: which allocation at its place, from 1.
    ordinals: HashMap<u32, u32>,
    errno: u64,
    pointees: Pointees,
    streams: Streams,
    expressions: Expressions<'a>,
    /// Whether numbers of addresses are told.
    tells_addresses: bool,
}

impl<'a> Words<'a> {
    /// Words of `runs`; `errno` is where the C library keeps it, `tree` where the sources are.
    pub fn new(program: &'a Program, code: &'a Code, runs: &'a Runs, errno: u64, tree: SourceTree) -> Self {
        let place_of = |site: u32| code.step_of(site).map(|step| code.steps[step as usize].place).unwrap_or_default();
        let mut order: Vec<((u32, u32), u32, u32)> = (0..)
            .zip(&runs.naming.kinds)
            .filter_map(|(object, kind)| match kind {
                Kind::Heap { point, site } => {
                    let place = place_of(*site);
                    Some(((place.file, place.line), *point, object))
                }
                _ => None,
            })
            .collect();
        order.sort_unstable();
        let mut ordinals = HashMap::new();
        let (mut last, mut count) = ((NONE, NONE), 0);
        for (place, _, object) in order {
            count = if place == last { count + 1 } else { 1 };
            last = place;
            ordinals.insert(object, count);
        }
        let pointees = Pointees::of(code, runs, |function, offset| variable(code, function, offset));
        let expressions = Expressions::new(program, tree, code.symbols.iter().map(|symbol| symbol.name.as_str()));
        let streams = Streams::of(code, runs, |site| {
            let place = place_of(site);
            format!("{}:{}", program.files.get(place.file as usize).map_or("", String::as_str), place.line)
        });
        Self { program, code, runs, ordinals, errno, pointees, streams, expressions, tells_addresses: false }
    }

    /// The same words, with the numbers of addresses that have no name if `tells` is true.
    pub fn with_addresses(self, tells: bool) -> Self {
        Self { tells_addresses: tells, ..self }
    }

    /// Names of the program's source files.
    pub fn files(&self) -> &'a [String] {
        &self.program.files
    }

    /// The condition that a branch decides by, as it is written.
    pub fn condition(&self, site: u32) -> Option<String> {
        let step = self.code.step_of(site)?;
        let mut steps = self.code.functions[self.code.steps[step as usize].function as usize].steps.clone();
        let branches: Vec<u32> = steps.by_ref().filter(|step| self.code.is_branch(*step)).collect();
        let places: Vec<Place> = branches.iter().map(|step| self.code.steps[*step as usize].place).collect();
        self.expressions.condition(&places, branches.iter().position(|branch| *branch == step)?)
    }

    /// The left side of the assignment that a site is, as it is written.
    pub fn assigned(&self, site: u32) -> Option<String> {
        let step = &self.code.steps[self.code.step_of(site)? as usize];
        self.expressions.assigned(step.place).filter(|_| matches!(step.action, Action::Store(_)))
    }

    /// A value as the process has it, if it is a number or lies in no known object.
    fn bits(&self, value: Value) -> Option<u64> {
        match value {
            Value::Number(bits) => Some(bits),
            Value::Address(place) => match self.runs.naming.kinds.get(place.object as usize) {
                Some(Kind::Region(base)) => Some(base + u64::from(place.offset)),
                _ => None,
            },
            Value::Undefined => None,
        }
    }

    /// Where a site stands in the source; line 0 if the compiler gave none.
    pub fn place(&self, site: u32) -> Option<Place> {
        let step = self.code.step_of(site)?;
        Some(self.code.steps[step as usize].place)
    }

    /// The file of a place.
    pub fn file(&self, place: Place) -> &'a str {
        self.program.files.get(place.file as usize).map_or("", String::as_str)
    }

    /// The function that a site is in.
    pub fn function(&self, site: u32) -> &'a str {
        let step = self.code.step_of(site);
        step.map_or("", |step| self.function_name(self.code.steps[step as usize].function))
    }

    /// The file in which `main` is, if that is recorded: what tells a line without a file is in it, as a rule.
    pub fn file_of_main(&self) -> Option<&'a str> {
        file_of_main(self.program, self.code)
    }

    /// The name of a function.
    pub fn function_name(&self, function: u32) -> &'a str {
        &self.program.functions[self.code.functions[function as usize].program as usize].name
    }

    /// What the function is called that a step calls, if it calls by name.
    pub fn callee(&self, step: u32) -> Option<&'a str> {
        let Action::Call { callee, .. } = self.code.steps[step as usize].action else { return None };
        match callee {
            Callee::Version(function) => Some(self.function_name(function)),
            Callee::Symbol(symbol) | Callee::Setjmp(symbol) => Some(&self.code.symbols[symbol as usize].name),
            _ => None,
        }
    }

    /// The variable of `function` that has the byte at `offset` of its frame: the smallest, should several have it.
    pub fn variable(&self, function: u32, offset: u32) -> Option<&'a Variable> {
        variable(self.code, function, offset)
    }

    /// What a location is called.
    pub fn location(&self, location: u32) -> String {
        self.cell(self.runs.naming.names.place(location))
    }

    /// The bytes of a string literal, by the number of its symbol.
    fn literal(&self, symbol: u32) -> Option<&[u8]> {
        self.runs.modules.iter().find_map(|modules| modules.literal(symbol))
    }

    fn cell(&self, cell: Cell) -> String {
        match self.runs.naming.kinds.get(cell.object as usize) {
            Some(Kind::Symbol(at)) => {
                let symbol = &self.code.symbols[*at as usize];
                if symbol.is_literal() {
                    let told = self.literal(*at).and_then(told_literal);
                    return told
                        .map_or_else(|| within("a string", cell.offset), |told| format!("{told}[{}]", cell.offset));
                }
                match self.code.types.global(&symbol.name, u64::from(cell.offset)) {
                    Some(part) => format!("{}{}", symbol.name, part.path),
                    None => within(&symbol.name, cell.offset),
                }
            }
            Some(Kind::Frame { function, .. }) => match self.variable(*function, cell.offset) {
                Some(variable) => self.part(variable, cell.offset - variable.offset),
                None => self.unnamed(*function, cell.offset),
            },
            Some(Kind::Arguments { .. }) => format!("argument {}", cell.offset / 8 + 1),
            Some(Kind::Heap { .. }) => match self.pointees.called(self.code, cell.object, cell.offset) {
                Some(part) => part.path,
                None => self.allocated(cell),
            },
            Some(Kind::Argv) => format!("argv[{}]", cell.offset / 8),
            Some(Kind::Environ) => format!("environ[{}]", cell.offset / 8),
            Some(Kind::Library(name)) => {
                if !self.tells_addresses {
                    return "memory of a library".to_owned();
                }
                let library = self.runs.modules.iter().find_map(|modules| modules.library(*name));
                format!("{}+{:#x}", library.unwrap_or("a library"), cell.offset)
            }
            Some(Kind::Region(base)) if base + u64::from(cell.offset) == self.errno => "errno".to_owned(),
            Some(Kind::Region(base)) => {
                let address = base + u64::from(cell.offset);
                match self.pointees.called_at(self.code, address) {
                    Some(part) => part.path,
                    None if self.tells_addresses => format!("memory at {address:#x}"),
                    None => UNKNOWN.to_owned(),
                }
            }
            Some(Kind::Argument(number)) => format!("argv[{number}][{}]", cell.offset),
            None => "an object".to_owned(),
        }
    }

    /// An object of the heap, after the call that allocated it.
    fn allocated(&self, cell: Cell) -> String {
        let Some(Kind::Heap { site, .. }) = self.runs.naming.kinds.get(cell.object as usize) else {
            return String::new();
        };
        let place = self.place(*site).unwrap_or_default();
        let maker = self.code.step_of(*site).and_then(|step| self.callee(step)).unwrap_or("object");
        let ordinal = self.ordinals.get(&cell.object).copied().unwrap_or(1);
        let name = format!("{maker}@{}:{}#{ordinal}", self.file(place), place.line);
        within(&name, cell.offset)
    }

    /// What a part of a variable is called.
    fn part(&self, variable: &Variable, offset: u32) -> String {
        match self.code.types.part(&variable.type_name, u64::from(offset)) {
            Some(part) => format!("{}{}", variable.name, part.path),
            None => element(variable, offset),
        }
    }

    /// The part of a variable, or of an object, that a cell is, as far as its type is known.
    fn part_of(&self, cell: Cell) -> Option<Part> {
        match self.runs.naming.kinds.get(cell.object as usize)? {
            Kind::Frame { function, .. } => {
                let variable = self.variable(*function, cell.offset)?;
                self.code.types.part(&variable.type_name, u64::from(cell.offset - variable.offset))
            }
            Kind::Symbol(symbol) => {
                let name = &self.code.symbols[*symbol as usize].name;
                self.code.types.global(name, u64::from(cell.offset))
            }
            Kind::Heap { .. } => self.pointees.called(self.code, cell.object, cell.offset),
            Kind::Region(base) => self.pointees.called_at(self.code, base + u64::from(cell.offset)),
            _ => None,
        }
    }

    /// What a location is called that was last written by `writes`, one of each run: what has no name in the source is called after where
    /// it came from.
    pub fn written(&self, location: u32, writes: [Option<u32>; 2]) -> String {
        let cell = self.runs.naming.names.place(location);
        let Some(Kind::Frame { function, .. }) = self.runs.naming.kinds.get(cell.object as usize) else {
            return self.cell(cell);
        };
        if self.variable(*function, cell.offset).is_some() || self.is_result(*function, cell.offset) {
            return self.cell(cell);
        }
        let from = (0..).zip(writes).filter_map(|(side, write): (usize, _)| {
            let run = self.runs.runs.get(side)?;
            Some(run.site(run.writer(write?)))
        });
        let told = from.last().and_then(|site| self.came_from(site));
        told.unwrap_or_else(|| self.cell(cell))
    }

    /// What a value without a name is that `site` wrote.
    fn came_from(&self, site: u32) -> Option<String> {
        let step = self.code.step_of(site)?;
        let code = &self.code.steps[step as usize];
        match (self.code.what(site), code.action) {
            (Site::Returned(_), _) => Some(format!("what {} returned", self.callee(step).unwrap_or("the call"))),
            (_, Action::Return(_)) => Some(format!("what {} returned", self.function_name(code.function))),
            _ if code.place.line != 0 => Some(match self.expressions.computed(code.place) {
                Some(text) => format!("the value of `{text}`"),
                None => format!("a value computed in line {}", code.place.line),
            }),
            _ => None,
        }
    }

    /// Whether a function returns what is there.
    fn is_result(&self, function: u32, offset: u32) -> bool {
        let mut steps = self.code.functions[function as usize].steps.clone();
        steps.any(|step| {
            matches!(self.code.steps[step as usize].action, Action::Return(Some(_)))
                && self.code.reads_frame(step, offset)
        })
    }

    /// A value that has no name in the source.
    fn unnamed(&self, function: u32, offset: u32) -> String {
        let name = self.function_name(function);
        if self.is_result(function, offset) { format!("what {name} returns") } else { format!("a value in {name}") }
    }

    /// Whether a location is a variable of the source, or part of one, or on the heap.
    pub fn is_named(&self, location: u32) -> bool {
        let cell = self.runs.naming.names.place(location);
        match self.runs.naming.kinds.get(cell.object as usize) {
            Some(Kind::Frame { function, .. }) => self.variable(*function, cell.offset).is_some(),
            Some(Kind::Arguments { .. }) | None => false,
            Some(_) => true,
        }
    }

    fn class(&self, location: u32) -> Option<(ValueClass, u32)> {
        let cell = self.runs.naming.names.place(location);
        let Some(Kind::Frame { function, .. }) = self.runs.naming.kinds.get(cell.object as usize) else { return None };
        self.variable(*function, cell.offset).map(|variable| (variable.class, variable.size))
    }

    /// Whether a location's type in the source is one of numbers, so that it is no pointer.
    pub fn is_number(&self, location: u32) -> bool {
        use ValueClass::{Bool, Float, Signed, Unsigned};
        match self.class(location) {
            Some((class, size)) if size <= 8 => matches!(class, Bool | Float | Signed | Unsigned),
            _ => self
                .part_of(self.runs.naming.names.place(location))
                .is_some_and(|part| part.size > 0 && part.pointee.is_none() && (part.is_unsigned || part.is_float)),
        }
    }

    /// Whether a location is a whole number of the source of so many bytes, without a sign.
    pub fn is_unsigned(&self, location: u32, bytes: u32) -> bool {
        match self.class(location) {
            Some((ValueClass::Unsigned, size)) if size == bytes => true,
            _ => self
                .part_of(self.runs.naming.names.place(location))
                .is_some_and(|part| part.is_unsigned && part.size == u64::from(bytes)),
        }
    }

    /// The value that a write left, as it is written in C: all of what its store wrote, where other accesses use parts of that.
    pub fn left(&self, run: &Run, write: u32) -> String {
        let Some(parts) = self.parts(run, write) else { return self.value(run.location(write), run.value(write)) };
        let from = parts[0].cell.offset;
        let bits = parts.iter().fold(0, |bits, part| bits | part.bits << (8 * (part.cell.offset - from)));
        let length = parts.iter().map(|part| part.cell.length).sum();
        self.value_of(run.location(parts[0].write), length, Value::Number(bits))
    }

    /// The write of the first part of what the store of a write wrote.
    pub fn first_part(&self, run: &Run, write: u32) -> u32 {
        self.parts(run, write).map_or(write, |parts| parts[0].write)
    }

    /// The parts of what the store of a write wrote, in their order in memory, where that is one number in several parts.
    fn parts(&self, run: &Run, write: u32) -> Option<Vec<Stored>> {
        let point = run.writer(write);
        let step = self.code.step_of(run.site(point))?;
        if !matches!(self.code.steps[step as usize].action, Action::Store(_)) {
            return None;
        }
        let object = |write: u32| self.runs.naming.names.place(run.location(write)).object;
        let stored = |write: u32| {
            let cell = self.used(self.runs.naming.names.place(run.location(write)))?;
            let Value::Number(bits) = run.value(write) else { return None };
            Some(Stored { cell, bits, write })
        };
        let writes = run.written(point).filter(|other| object(*other) == object(write));
        let mut parts = writes.map(stored).collect::<Option<Vec<Stored>>>()?;
        parts.sort_unstable_by_key(|part| part.cell.offset);
        let goes_on = |pair: &[Stored]| pair[0].cell.offset + pair[0].cell.length == pair[1].cell.offset;
        let length: u32 = parts.iter().map(|part| part.cell.length).sum();
        (parts.len() > 1 && length <= 8 && parts.windows(2).all(goes_on)).then_some(parts)
    }

    /// A value as it is written in C, as far as the location's type is known.
    pub fn value(&self, location: u32, value: Value) -> String {
        self.value_of(location, self.length(self.runs.naming.names.place(location)), value)
    }

    /// The same of so many bytes.
    fn value_of(&self, location: u32, length: u32, value: Value) -> String {
        let bits = match value {
            Value::Undefined => return "not known".to_owned(),
            Value::Address(place) => return self.address(place),
            Value::Number(bits) => bits,
        };
        let cell = self.runs.naming.names.place(location);
        // What calls return shares a place, which some use less of.
        let length = [length, 4].into_iter().find(|length| bits >> (8 * length - 1) >> 1 == 0).unwrap_or(8);
        let signed = super::arithmetic::signed(8 * length, bits);
        let part = self.part_of(cell);
        let constant = part.iter().flat_map(|part| &part.constants).find(|(of, _)| *of == signed);
        if let Some((_, name)) = constant.filter(|_| length <= 4) {
            return format!("{name} ({signed})");
        }
        if part.as_ref().is_some_and(|part| part.is_float && part.size == u64::from(length) && is_likely(bits, length))
        {
            return float(bits, length);
        }
        // The bytes of an address may be letters, too; several characters are no number.
        let is_text = !self.is_pointer(cell, bits) && self.class(location).is_none_or(|(_, size)| size > length);
        let is_argument = matches!(self.runs.naming.kinds.get(cell.object as usize), Some(Kind::Argument(_)));
        let points = part.as_ref().is_some_and(|part| part.pointee.is_some()) && length == 8;
        let is_unsigned =
            part.as_ref().is_some_and(|part| part.is_unsigned && part.size == u64::from(length) && length > 1);
        let is_of_letters = is_argument || part.is_some_and(|part| part.size == 1);
        let least = if length > 1 && is_of_letters { 1 } else { LEAST_TEXT };
        if let Some(text) = text(bits, length, least).filter(|_| is_text) {
            return text;
        }
        match self.class(location) {
            Some((ValueClass::Float, size)) if size == length => float(bits, length),
            Some((ValueClass::Bool, _)) => (bits != 0).to_string(),
            Some((ValueClass::Unsigned, size)) if size == length => bits.to_string(),
            Some((ValueClass::Pointer | ValueClass::String | ValueClass::FunctionPointer, _)) => self.pointer(bits),
            None if is_unsigned => bits.to_string(),
            None if points || self.is_pointer(cell, bits) => self.pointer(bits),
            _ if length == 1 && (0x20..0x7f).contains(&bits) => format!("{signed} '{}'", bits as u8 as char),
            _ => signed.to_string(),
        }
    }

    fn used(&self, cell: Cell) -> Option<super::layout::Cell> {
        self.runs.layout(cell.object).and_then(|layout| layout.cells(cell.offset, 8).next())
    }

    fn length(&self, cell: Cell) -> u32 {
        self.used(cell).map_or(8, |cell| cell.length)
    }

    fn is_pointer(&self, cell: Cell, bits: u64) -> bool {
        // Arguments of all calls share their places, so that another one's is an address says little. Addresses of what has no name lie above 4 GiB.
        let shared = matches!(self.runs.naming.kinds.get(cell.object as usize), Some(Kind::Arguments { .. }));
        self.used(cell).is_some_and(|cell| cell.address) && (!shared || bits > u64::from(u32::MAX))
    }

    /// An address that no known object has.
    fn pointer(&self, address: u64) -> String {
        if let Some(stream) = self.streams.called(Value::Number(address)) {
            return stream.to_owned();
        }
        match address {
            0 => "NULL".to_owned(),
            address if is_address(address) && !self.tells_addresses => NOT_NULL.to_owned(),
            address => format!("{address:#x}"),
        }
    }

    fn address(&self, place: Cell) -> String {
        if let Some(stream) = self.streams.called(Value::Address(place)) {
            return stream.to_owned();
        }
        if let Some(address) = self.bits(Value::Address(place)) {
            return self.pointer(address);
        }
        if let Some(Kind::Symbol(at)) = self.runs.naming.kinds.get(place.object as usize) {
            let symbol = &self.code.symbols[*at as usize];
            if symbol.flags & Symbol::FUNCTION != 0 && place.offset == 0 {
                return symbol.name.clone();
            }
            if let Some(text) = self.literal(*at).and_then(|text| told_literal(text.get(place.offset as usize..)?)) {
                return text;
            }
        }
        if let Some(Kind::Argument(number)) = self.runs.naming.kinds.get(place.object as usize) {
            return within(&format!("argv[{number}]"), place.offset);
        }
        // What a pointer holds is not told by the pointer's own name.
        let is_heap = matches!(self.runs.naming.kinds.get(place.object as usize), Some(Kind::Heap { .. }));
        let text = if is_heap && place.offset == 0 { self.allocated(place) } else { self.cell(place) };
        if text.starts_with("a ") { text } else { format!("&{text}") }
    }

    /// Points of run `side` whose place is `line` of the file that ends in `file`, without returns of calls.
    pub fn points_on(&self, side: Side, file: &str, line: u32) -> Vec<u32> {
        let run: &Run = &self.runs.runs[side.index()];
        let fits = |step: u32| {
            let place = self.code.steps[step as usize].place;
            place.line == line && is_same_file(self.file(place), file)
        };
        let sites: Vec<bool> = (0..self.code.steps.len() as u32).map(fits).collect();
        (run.skipped().points + 1..run.points())
            .filter(|point| matches!(self.code.what(run.site(*point)), Site::Step(step) if sites[step as usize]))
            .collect()
    }
}

/// The variable of `function` that has the byte at `offset` of its frame: the smallest, should several have it.
fn variable(code: &Code, function: u32, offset: u32) -> Option<&Variable> {
    let variables = code.functions[function as usize].variables.iter();
    let holds = |variable: &&Variable| offset.wrapping_sub(variable.offset) < variable.size;
    variables.filter(holds).min_by_key(|variable| variable.size)
}

/// A place so far behind the beginning of what has a name.
fn within(name: &str, offset: u32) -> String {
    if offset == 0 { name.to_owned() } else { format!("{name}+{offset}") }
}

/// Whether bits are those of a floating-point number that programs compute with: in a union they may be of another member, such as a small integer.
fn is_likely(bits: u64, length: u32) -> bool {
    bits == 0 || if length == 4 { f32::from_bits(bits as u32).is_normal() } else { f64::from_bits(bits).is_normal() }
}

/// Characters of a floating-point number that is written without an exponent, at most: as many as all digits of a `double` and a sign take.
const MOST_DIGITS: usize = 20;

/// A floating-point number of 4 or 8 bytes as C prints it, shortest.
fn float(bits: u64, length: u32) -> String {
    let number = if length == 4 { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits) };
    let text = if length == 4 { f32::from_bits(bits as u32).to_string() } else { number.to_string() };
    if text.len() > MOST_DIGITS { format!("{number:e}") } else { text }
}

/// Printable letters, at least, that bytes of an unknown type begin with if they are taken for a string.
const LEAST_TEXT: usize = 3;

/// Characters of a string literal that are told, at most: enough to find it.
const MOST_OF_LITERAL: usize = 40;

/// A string literal as it is written, its beginning if it is long; nothing if it is no text.
fn told_literal(bytes: &[u8]) -> Option<String> {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let text = std::str::from_utf8(&bytes[..end]).ok()?;
    let is_text = text.chars().all(|letter| !letter.is_control() || matches!(letter, '\n' | '\t'));
    let told: String = text.chars().take(MOST_OF_LITERAL).collect();
    let rest = if told.len() < text.len() { "..." } else { "" };
    is_text.then(|| format!("{told:?}{rest}"))
}

/// Several bytes as a string, if they look like one: `least` printable letters, and ends of lines and tabs.
fn text(bits: u64, length: u32, least: usize) -> Option<String> {
    let bytes = &bits.to_le_bytes()[..length as usize];
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let (letters, rest) = bytes.split_at(end);
    let is_printable = |byte: &&u8| (0x20..0x7f).contains(*byte);
    let is_text = letters.iter().all(|byte| is_printable(&byte) || b"\n\t\r".contains(byte))
        && letters.iter().filter(is_printable).count() >= least;
    (is_text && rest.iter().all(|byte| *byte == 0)).then(|| format!("{:?}", String::from_utf8_lossy(letters)))
}

/// The file in which `main` is, if that is recorded: what tells a line without a file is in it, as a rule.
pub fn file_of_main<'p>(program: &'p Program, code: &Code) -> Option<&'p str> {
    let mains = code.functions.iter().map(|function| &program.functions[function.program as usize]);
    let main = mains.into_iter().find(|function| function.name == "main")?;
    program.files.get(main.place.file as usize).map(String::as_str)
}

/// Whether `given`, as a user writes it, means the file `path`: the whole path, or the end of it from a directory on.
pub fn is_same_file(path: &str, given: &str) -> bool {
    let given = given.trim_start_matches("./");
    path.strip_suffix(given).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

fn element(variable: &Variable, offset: u32) -> String {
    let name = &variable.name;
    // The size of an array's elements is in its type alone: `char[16]`.
    let array = variable.type_name.contains('[');
    let byte =
        variable.type_name.trim_start_matches("const ").trim_start_matches("unsigned ").trim_start_matches("signed ");
    match offset {
        0 if !array => name.clone(),
        offset if array && byte.starts_with("char") => format!("{name}[{offset}]"),
        offset if array && byte.starts_with("int") && offset % 4 == 0 => format!("{name}[{}]", offset / 4),
        offset => format!("{name}+{offset}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_look_like_a_string_are_told_as_one() {
        let told = |bytes: &[u8; 8], length| text(u64::from_le_bytes(*bytes), length, LEAST_TEXT);
        assert_eq!(told(b"E html>\n", 8).as_deref(), Some("\"E html>\\n\""));
        assert_eq!(told(b"ab\t\0\0\0\0\0", 8), None);
        assert_eq!(told(b"a b\0\0\0\0\0", 4).as_deref(), Some("\"a b\""));
        assert_eq!(told(b"abc\0d\0\0\0", 8), None);
        assert_eq!(told(b"abc\x01\0\0\0\0", 8), None);
    }
}
