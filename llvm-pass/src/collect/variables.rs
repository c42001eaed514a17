//! Which scalar variables there are, and which of them are in scope where another one is read.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::collect::callees::name_of;
use crate::collect::sites::{Body, Storage, VariableSite};
use crate::llvm::debug_info::{Info, Member, ScalarType};
use crate::llvm::ir::{self, LLVMOpcode, Module, Value, llvm};
use crate::llvm::shim;

/// Variables that could be read in another one's place are at most so many.
const MOST_OTHERS: usize = 8;

/// A variable by what the debug information says of it.
#[derive(Debug)]
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
    /// Those that all functions can name, by type, the last declared first.
    by_type: HashMap<ScalarType, Vec<usize>>,
    /// Those inside functions.
    by_scope: HashMap<Info, Vec<usize>>,
}

impl Globals {
    /// Those of `module`.
    pub fn of(module: Module) -> Globals {
        let mut globals = Globals::default();
        for global in module.globals() {
            let Some(info) = Info::variable_of(global) else { continue };
            let kind = scalar_type(info).filter(|_| !llvm!(shim::suspect_is_thread_local(global.0)));
            let number = globals.known.len();
            let known = Known::of(info, kind, Storage::Global(global));
            match (known.scope.filter(|scope| scope.is_local()), kind) {
                (Some(scope), _) => globals.by_scope.entry(scope).or_default().push(number),
                (None, Some(kind)) => globals.by_type.entry(kind).or_default().push(number),
                (None, None) => {}
            }
            globals.numbers.insert(global, number);
            globals.known.push(known);
        }
        let known = &globals.known;
        globals.by_type.values_mut().for_each(|all| all.sort_by_key(|number| Reverse(known[*number].line)));
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

/// The variables that the code of one function can name: its own by their numbers, then the unit's.
pub struct Scopes<'a> {
    locals: Vec<Known>,
    globals: &'a Globals,
    storages: HashMap<Value, usize>,
    /// Where its own variables are, by their numbers.
    addresses: Vec<Value>,
    by_scope: HashMap<Info, Vec<usize>>,
    /// What can be named in a scope at a line.
    seen: HashMap<(Info, u32), Rc<Visible>>,
    numbers: HashMap<usize, u32>,
    functions: HashMap<Value, u32>,
    members: HashMap<(String, u64, String), u32>,
    texts: HashMap<String, u32>,
    /// The variables, functions and members that operations name.
    pub named: Vec<VariableSite>,
}

/// Variables inside the function from the nearest, and their names.
struct Visible {
    variables: Vec<usize>,
    names: HashSet<String>,
}

impl<'a> Scopes<'a> {
    /// Those of a function.
    pub fn of(body: &Body, globals: &'a Globals) -> Scopes<'a> {
        let mut scopes = Scopes {
            locals: Vec::new(),
            globals,
            storages: HashMap::new(),
            addresses: Vec::new(),
            by_scope: HashMap::new(),
            seen: HashMap::new(),
            numbers: HashMap::new(),
            functions: HashMap::new(),
            members: HashMap::new(),
            texts: HashMap::new(),
            named: Vec::new(),
        };
        for position in body.range(0) {
            let value = body.at(position);
            let info = value.is(LLVMOpcode::LLVMAlloca).then(|| Info::variable_of(value)).flatten();
            let Some(info) = info else { continue };
            let known = Known::of(info, scalar_type(info), Storage::Frame(position));
            let number = scopes.locals.len();
            if let Some(scope) = known.scope {
                scopes.by_scope.entry(scope).or_default().push(number);
            }
            scopes.storages.insert(value, number);
            scopes.addresses.push(value);
            scopes.locals.push(known);
        }
        scopes
    }

    fn known(&self, number: usize) -> &Known {
        self.locals.get(number).unwrap_or_else(|| &self.globals.known[number - self.locals.len()])
    }

    fn number_of(&self, storage: Value) -> Option<usize> {
        let global = || Some(self.globals.numbers.get(&storage)? + self.locals.len());
        self.storages.get(&storage).copied().or_else(global)
    }

    /// The variable that `load` reads and those that could be read instead; `None` when there are none.
    pub fn read(&mut self, load: Value) -> Option<(u32, Vec<u32>)> {
        let own = self.number_of(load.operand(0)?)?;
        let kind = self.known(own).kind?;
        let (line, _, scope) = ir::debug_location(load)?;
        let visible = self.visible(Info::new(scope)?, line);
        let same = |number: &usize| *number != own && self.known(*number).kind == Some(kind);
        let mut others: Vec<usize> = visible.variables.iter().copied().filter(same).collect();
        let file = self.known(own).info.file(true);
        let outside = |number: &usize| {
            let known = self.known(*number);
            let declared = known.line < line || known.info.file(true) != file;
            *number != own && declared && !visible.names.contains(&known.name)
        };
        let globals = self.globals.by_type.get(&kind).map_or(&[][..], Vec::as_slice);
        let globals = globals.iter().map(|number| number + self.locals.len()).filter(outside);
        others.extend(globals.take(MOST_OTHERS));
        others.truncate(MOST_OTHERS);
        if others.is_empty() {
            return None;
        }
        Some((self.number(own), others.into_iter().map(|other| self.number(other)).collect()))
    }

    fn number(&mut self, known: usize) -> u32 {
        if let Some(number) = self.numbers.get(&known) {
            return *number;
        }
        let Known { info, name, storage, .. } = self.known(known);
        let type_name = info.base().map(Info::type_name).unwrap_or_default();
        let step = info.base().map_or(0, Info::step);
        let site = VariableSite { name: name.clone(), type_name, step, storage: *storage };
        let number = self.named.len() as u32;
        self.named.push(site);
        self.numbers.insert(known, number);
        number
    }

    /// The number of a function that operations name.
    pub fn number_of_function(&mut self, function: Value) -> u32 {
        *self.functions.entry(function).or_insert_with(|| {
            let type_name = Info::subprogram_of(function).map(Info::function_type_name).unwrap_or_default();
            self.named.push(VariableSite {
                name: name_of(function),
                type_name,
                step: 0,
                storage: Storage::Code(function),
            });
            self.named.len() as u32 - 1
        })
    }

    /// The number of a member that operations name. Those of two structures are one if they are alike.
    pub fn number_of_member(&mut self, member: &Member) -> u32 {
        let (name, step) = (member.name.clone(), member.offset / 8);
        let type_name = member.kind.map(Info::type_name).unwrap_or_default();
        *self.members.entry((name.clone(), step, type_name.clone())).or_insert_with(|| {
            self.named.push(VariableSite { name, type_name, step, storage: Storage::Inside });
            self.named.len() as u32 - 1
        })
    }

    /// The number of a text that operations name: what a number is compared with.
    pub fn number_of_text(&mut self, text: &str) -> u32 {
        *self.texts.entry(text.to_owned()).or_insert_with(|| {
            let (name, type_name) = (text.to_owned(), String::new());
            self.named.push(VariableSite { name, type_name, step: 0, storage: Storage::Inside });
            self.named.len() as u32 - 1
        })
    }

    /// The variables inside the function that can be named at an instruction, from the nearest, and whether each is a parameter.
    pub fn visible_at(&mut self, instruction: Value) -> Vec<(Value, Info, bool)> {
        let Some((line, _, scope)) = ir::debug_location(instruction) else { return Vec::new() };
        let Some(visible) = Info::new(scope).map(|scope| self.visible(scope, line)) else { return Vec::new() };
        let variable = |number: &usize| {
            let known = self.locals.get(*number).filter(|known| known.kind.is_some())?;
            Some((*self.addresses.get(*number)?, known.info, known.is_parameter))
        };
        visible.variables.iter().filter_map(variable).collect()
    }

    fn visible(&mut self, scope: Info, line: u32) -> Rc<Visible> {
        if let Some(visible) = self.seen.get(&(scope, line)) {
            return Rc::clone(visible);
        }
        let mut visible = Visible { variables: Vec::new(), names: HashSet::new() };
        for scope in std::iter::successors(Some(scope), |scope| scope.parent()) {
            let own = self.by_scope.get(&scope).into_iter().flatten().copied();
            let kept = self.globals.by_scope.get(&scope).into_iter().flatten().map(|number| number + self.locals.len());
            let declared = |number: &usize| self.known(*number).is_parameter || self.known(*number).line < line;
            let mut here: Vec<usize> = own.chain(kept).filter(declared).collect();
            here.sort_by_key(|number| (self.known(*number).is_parameter, Reverse(self.known(*number).line)));
            for number in here {
                if visible.names.insert(self.known(number).name.clone()) {
                    visible.variables.push(number);
                }
            }
        }
        let visible = Rc::new(visible);
        self.seen.insert((scope, line), Rc::clone(&visible));
        visible
    }
}
