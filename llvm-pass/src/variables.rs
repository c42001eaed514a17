//! Which scalar variables there are, and which of them are in scope where another one is read.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::debug_info::{Info, ScalarType};
use crate::ir::{self, LLVMOpcode, Module, Value, llvm};
use crate::shim;
use crate::sites::Body;

/// Variables that could be read in another one's place are at most so many.
const MOST_OTHERS: usize = 8;

/// A variable that operations name.
#[derive(Clone, Debug)]
pub struct VariableSite {
    /// Its name.
    pub name: String,
    /// Its C type.
    pub type_name: String,
    /// Where it is.
    pub storage: Storage,
}

/// Where a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// In the frame: the position of its `alloca`.
    Frame(u32),
    /// At an address of its own.
    Global(Value),
}

/// A variable by what the debug information says of it.
#[derive(Clone, Debug)]
struct Known {
    info: Info,
    name: String,
    line: u32,
    is_parameter: bool,
    scope: Option<Info>,
    /// `None` for what can neither be read in another one's place nor have that happen to it.
    kind: Option<ScalarType>,
    storage: Storage,
}

/// The variables of a unit that are outside its functions, or keep their values there.
#[derive(Default)]
pub struct Globals {
    known: Vec<Known>,
    numbers: HashMap<Value, usize>,
}

impl Globals {
    /// Those of `module`.
    pub fn of(module: Module) -> Globals {
        let mut globals = Globals::default();
        for global in module.globals() {
            let Some(info) = Info::variable_of(global) else { continue };
            let kind = scalar_type(info).filter(|_| !llvm!(shim::suspect_is_thread_local(global.0)));
            globals.numbers.insert(global, globals.known.len());
            globals.known.push(Known::of(info, kind, Storage::Global(global)));
        }
        globals
    }
}

impl Known {
    fn of(info: Info, kind: Option<ScalarType>, storage: Storage) -> Known {
        let (name, line, is_parameter, scope) = (info.name(), info.variable_line(), info.argument() > 0, info.scope());
        Known { info, name, line, is_parameter, scope, kind, storage }
    }
}

fn scalar_type(info: Info) -> Option<ScalarType> {
    (!info.is_artificial()).then(|| info.base()?.scalar_type())?
}

/// The variables that the code of one function can name.
pub struct Scopes {
    /// The function's own, then the unit's.
    known: Vec<Known>,
    n_locals: usize,
    storages: HashMap<Value, usize>,
    /// What can be named in a scope at a line: variables from the nearest, and all names of the function's own.
    seen: HashMap<(Info, u32), Rc<Visible>>,
    numbers: HashMap<usize, u32>,
    /// The variables that operations name.
    pub named: Vec<VariableSite>,
}

struct Visible {
    locals: Vec<usize>,
    names: HashSet<String>,
}

impl Scopes {
    /// Those of a function.
    pub fn of(body: &Body, globals: &Globals) -> Scopes {
        let mut known = Vec::new();
        let mut storages = HashMap::new();
        for position in body.range(0) {
            let value = body.at(position);
            let Some(info) = value.is(LLVMOpcode::LLVMAlloca).then(|| Info::variable_of(value)).flatten() else {
                continue;
            };
            storages.insert(value, known.len());
            known.push(Known::of(info, scalar_type(info), Storage::Frame(position)));
        }
        let n_locals = known.len();
        storages.extend(globals.numbers.iter().map(|(global, number)| (*global, n_locals + number)));
        known.extend(globals.known.iter().cloned());
        Scopes { known, n_locals, storages, seen: HashMap::new(), numbers: HashMap::new(), named: Vec::new() }
    }

    /// The variable that `load` reads and those that could be read instead; `None` when there are none.
    pub fn read(&mut self, load: Value) -> Option<(u32, Vec<u32>)> {
        let own = *self.storages.get(&load.operand(0)?)?;
        let kind = self.known[own].kind?;
        let (line, _, scope) = ir::debug_location(load)?;
        let visible = self.visible(Info::new(scope)?, line);
        let same = |number: &usize| *number != own && self.known[*number].kind == Some(kind);
        let mut others: Vec<usize> = visible.locals.iter().copied().filter(same).collect();
        let outside = |number: &usize| {
            let known = &self.known[*number];
            let declared = known.info.file(true) != self.known[own].info.file(true) || known.line < line;
            same(number)
                && declared
                && known.scope.is_none_or(|scope| !scope.is_local())
                && !visible.names.contains(&known.name)
        };
        let mut globals: Vec<usize> = (self.n_locals..self.known.len()).filter(outside).collect();
        globals.sort_by_key(|number| std::cmp::Reverse(self.known[*number].line));
        others.extend(globals);
        others.truncate(MOST_OTHERS);
        if others.is_empty() {
            return None;
        }
        Some((self.number(own), others.into_iter().map(|other| self.number(other)).collect()))
    }

    fn number(&mut self, known: usize) -> u32 {
        *self.numbers.entry(known).or_insert_with(|| {
            let Known { info, name, storage, .. } = &self.known[known];
            let type_name = info.base().map(Info::type_name).unwrap_or_default();
            self.named.push(VariableSite { name: name.clone(), type_name, storage: *storage });
            self.named.len() as u32 - 1
        })
    }

    fn visible(&mut self, scope: Info, line: u32) -> Rc<Visible> {
        if let Some(visible) = self.seen.get(&(scope, line)) {
            return Rc::clone(visible);
        }
        let mut visible = Visible { locals: Vec::new(), names: HashSet::new() };
        for scope in std::iter::successors(Some(scope), |scope| scope.parent()) {
            let here = |known: &Known| known.scope == Some(scope) && (known.is_parameter || known.line < line);
            let mut locals: Vec<usize> = (0..self.known.len()).filter(|number| here(&self.known[*number])).collect();
            locals
                .sort_by_key(|number| (self.known[*number].is_parameter, std::cmp::Reverse(self.known[*number].line)));
            for number in locals {
                if visible.names.insert(self.known[number].name.clone()) {
                    visible.locals.push(number);
                }
            }
        }
        let visible = Rc::new(visible);
        self.seen.insert((scope, line), Rc::clone(&visible));
        visible
    }
}
