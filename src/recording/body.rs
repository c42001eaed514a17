//! The code of a program's `record` versions, linked over its units: steps and their trees in flat arrays.

use std::collections::HashMap;
use std::ops::Range;

use suspect_format::abi::piece_id;
use suspect_format::body::{self, Action, Argument, Callee, Case, Datum, Step, Token, factor};
use suspect_format::external::{self, Role};
use suspect_format::site::{Bad, Cursor, ValueClass, next_table};

use super::twins::Twins;
use super::types::Types;
use crate::comparison::{Joins, Meetings, NONE, Table};
use crate::program::{Place, Program};

/// Why body tables could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BodyError {
    /// The bytes are wrong.
    #[error("body table {table} of {module} is damaged: {bad:?}; build it again")]
    Damaged {
        /// The module's name.
        module: String,
        /// Which table, from 0.
        table: usize,
        /// What is wrong.
        bad: Bad,
    },
    /// The table contradicts itself or its site table.
    #[error("body table {table} of {module} does not fit its site table ({what}); build it again")]
    Mismatch {
        /// The module's name.
        module: String,
        /// Which table, from 0.
        table: usize,
        /// What does not exist.
        what: &'static str,
    },
}

enum Wrong {
    Bad(Bad),
    Missing(&'static str),
}

impl From<Bad> for Wrong {
    fn from(bad: Bad) -> Self {
        Wrong::Bad(bad)
    }
}

/// A variable or function that code names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// `Symbol::*` of [`suspect_format::body`].
    pub flags: u32,
    /// Bytes, 0 when it is not defined in the unit.
    pub size: u64,
    /// The function that it is, if the unit has its body.
    pub function: Option<u32>,
    /// The number of the function of the C library that is known under its name, or [`external::UNKNOWN`].
    pub external: u32,
}

impl Symbol {
    /// Whether it is a string literal, or another constant without a name in the source.
    pub fn is_literal(&self) -> bool {
        self.flags & body::Symbol::LOCAL != 0 && self.name.starts_with('.')
    }
}

/// What a function gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Where in the frame.
    pub offset: u32,
    /// What it is.
    pub datum: Datum,
    /// Under which number the recording predicts it.
    pub slot: u16,
}

/// A variable of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its C type.
    pub type_name: String,
    /// How to read its value.
    pub class: ValueClass,
    /// Where in the frame.
    pub offset: u32,
    /// Bytes.
    pub size: u32,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// The program's number of it.
    pub program: u32,
    /// The number that recordings name it by.
    pub id: u32,
    /// Bytes of its frame.
    pub frame_size: u32,
    /// Whether it takes more than its parameters.
    pub variadic: bool,
    /// What it gets.
    pub parameters: Vec<Parameter>,
    /// Its variables.
    pub variables: Vec<Variable>,
    /// The symbols that its trees name, in the order of its addresses (numbers of the code).
    pub symbols: Vec<u32>,
    /// Its steps.
    pub steps: Range<u32>,
}

/// A step with all that follows it.
#[derive(Clone, Copy, Debug)]
pub struct CodeStep {
    /// Where in the source, in files of the program.
    pub place: Place,
    /// What it does; blocks are numbers of steps, functions and symbols those of the code.
    pub action: Action,
    /// Its first token.
    pub tokens: u32,
    /// Its first argument or case.
    pub extra: u32,
    /// Its function.
    pub function: u32,
    /// Whether a value in it cannot be computed.
    pub opaque: bool,
}

/// A token, its symbol by the code's number and its factors apart.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// What it is.
    pub token: Token,
    /// For an address: its first factor.
    pub factors: u32,
}

/// All code of a program.
#[derive(Debug, Default)]
pub struct Code {
    /// Functions.
    pub functions: Vec<Function>,
    /// Functions by the number in recordings.
    pub by_id: Table<u32, u32>,
    /// Steps, function by function.
    pub steps: Vec<CodeStep>,
    /// Trees in prefix order.
    pub nodes: Vec<Node>,
    /// Factors of addresses.
    pub factors: Vec<i64>,
    /// Arguments of calls.
    pub arguments: Vec<Datum>,
    /// Cases of switches; blocks are numbers of steps.
    pub cases: Vec<Case>,
    /// Symbols, unit by unit; those visible to all units are shared.
    pub symbols: Vec<Symbol>,
    /// Types of the source.
    pub types: Types,
    /// What corresponds in it, where it is of two builds.
    pub twins: Twins,
}

/// What a site of comparison is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Site {
    /// The start of a run.
    Start,
    /// A step.
    Step(u32),
    /// A call of code that is not recorded returns, or `setjmp` does.
    Returned(u32),
    /// Such code calls this function.
    Called(u32),
}

impl Code {
    /// Reads the body sections of a program's modules, each with the module's name; units that the program does not have, or has already,
    /// are passed over.
    pub fn load(program: &Program, sections: &[(String, &[u8])]) -> Result<Code, BodyError> {
        let mut loader = Loader { program, code: Code::default(), shared: HashMap::new() };
        let units: HashMap<u64, usize> = program.units.iter().enumerate().map(|(at, unit)| (unit.hash, at)).collect();
        let mut done = vec![false; program.units.len()];
        for (module, section) in sections {
            let mut rest = Cursor::new(section);
            for table in 0.. {
                let wrong = |wrong| match wrong {
                    Wrong::Bad(bad) => BodyError::Damaged { module: module.clone(), table, bad },
                    Wrong::Missing(what) => BodyError::Mismatch { module: module.clone(), table, what },
                };
                let Some((_, mut body)) = next_table(&mut rest).map_err(|bad| wrong(bad.into()))? else { break };
                let unit = body::Unit::decode(&mut body).map_err(|bad| wrong(bad.into()))?;
                let Some(number) = units.get(&unit.hash).copied().filter(|unit| !done[*unit]) else { continue };
                done[number] = true;
                loader.unit(number, &unit, &mut body).map_err(wrong)?;
            }
        }
        Ok(loader.code)
    }

    /// The number of a site.
    pub fn site(&self, site: Site) -> u32 {
        let steps = self.steps.len() as u32;
        match site {
            Site::Start => 0,
            Site::Step(step) => 1 + step,
            Site::Returned(step) => 1 + steps + step,
            Site::Called(function) => 1 + 2 * steps + function,
        }
    }

    /// What the site of a number is.
    pub fn what(&self, site: u32) -> Site {
        let steps = self.steps.len() as u32;
        match site.checked_sub(1) {
            None => Site::Start,
            Some(step) if step < steps => Site::Step(step),
            Some(number) if number < 2 * steps => Site::Returned(number - steps),
            Some(number) => Site::Called(number - 2 * steps),
        }
    }

    /// The step that a site belongs to; for a callback, the function's first.
    pub fn step_of(&self, site: u32) -> Option<u32> {
        match self.what(site) {
            Site::Start => None,
            Site::Step(step) | Site::Returned(step) => Some(step),
            Site::Called(function) => Some(self.functions[function as usize].steps.start),
        }
    }

    /// The arguments of a call.
    pub fn arguments_of(&self, step: &CodeStep) -> &[Datum] {
        let Action::Call { n_arguments, .. } = step.action else { return &[] };
        &self.arguments[step.extra as usize..][..n_arguments as usize]
    }

    /// The cases of a switch.
    pub fn cases_of(&self, step: &CodeStep) -> &[Case] {
        let Action::Switch { n_cases, .. } = step.action else { return &[] };
        &self.cases[step.extra as usize..][..n_cases as usize]
    }

    /// The first step from `step` on that is a point of runs: jumps are none.
    fn landing(&self, mut step: u32) -> u32 {
        // Empty loops of jumps end here.
        for _ in 0..1000 {
            match self.steps[step as usize].action {
                Action::Jump(to) => step = to,
                _ => return step,
            }
        }
        step
    }

    /// The steps that may come right after a step of the same function; of a branch the one of each outcome, in their order.
    pub fn successors(&self, step: u32) -> Vec<u32> {
        let code = &self.steps[step as usize];
        match code.action {
            Action::Branch { then, otherwise } => vec![then, otherwise],
            Action::Switch { default, .. } => {
                let cases = self.cases_of(code).iter().map(|case| case.block);
                std::iter::once(default).chain(cases).collect()
            }
            Action::Jump(to) => vec![to],
            Action::Return(_) | Action::Unreachable | Action::Call { stops: true, .. } => vec![],
            _ => vec![step + 1],
        }
    }

    /// Where the ways of each site join again.
    pub fn joins(&self) -> Joins {
        let sites = 1 + 2 * self.steps.len();
        let mut joins = vec![NONE; sites];
        let mut meetings = Meetings::new(sites);
        for function in &self.functions {
            let blocks = self.blocks(function);
            self.join_function(&blocks, &mut joins);
            self.meet_function(&blocks, &mut meetings);
        }
        match self.twins.order(self) {
            Some(order) => {
                let joins =
                    joins.into_iter().map(|join| if join == NONE { NONE } else { self.common_site(self.what(join)) });
                Joins::with_meetings(joins.collect(), meetings).with_edit(self.site_order(&order))
            }
            None => Joins::with_meetings(joins, meetings),
        }
    }

    fn join_function(&self, blocks: &[(u32, u32)], joins: &mut [u32]) {
        let only_jumps =
            |(head, last): &(u32, u32)| head == last && matches!(self.steps[*last as usize].action, Action::Jump(_));
        let heads: Vec<(u32, u32)> = blocks.iter().copied().filter(|block| !only_jumps(block)).collect();
        let (flow, returns) = self.flow(&heads, |to| self.landing(to));
        let joined = Joins::from_flow(&flow, &returns);
        for (block, (head, last)) in (0..).zip(&heads) {
            let join = heads.get(joined.of(block) as usize).map_or(NONE, |(head, _)| self.site(Site::Step(*head)));
            joins[self.site(Site::Step(*last)) as usize] = join;
            for step in self.calls(*head, *last) {
                let next = if step == *last { join } else { self.site(Site::Step(self.landing(step + 1))) };
                joins[self.site(Site::Step(step)) as usize] = next;
                joins[self.site(Site::Returned(step)) as usize] = next;
            }
        }
    }

    fn meet_function(&self, blocks: &[(u32, u32)], meetings: &mut Meetings) {
        let (flow, returns) = self.flow(blocks, |to| to);
        let sites = |(head, last): &(u32, u32)| {
            let calls = self.calls(*head, *last).flat_map(|step| [Site::Step(step), Site::Returned(step)]);
            let deciding = calls.chain([Site::Step(*last)]).map(|site| self.site(site)).collect();
            (self.site(Site::Step(*head)), deciding)
        };
        meetings.add(&flow, &returns, &blocks.iter().map(sites).collect::<Vec<_>>());
    }

    fn calls(&self, head: u32, last: u32) -> impl Iterator<Item = u32> + '_ {
        (head..=last).filter(|step| matches!(self.steps[*step as usize].action, Action::Call { .. }))
    }

    /// The successors of each of a function's blocks, by number, and the blocks that return.
    fn flow(&self, blocks: &[(u32, u32)], landing: impl Fn(u32) -> u32) -> (Vec<Vec<u32>>, Vec<u32>) {
        let number: HashMap<u32, u32> = (0..).zip(blocks).map(|(number, (head, _))| (*head, number)).collect();
        let returns = |(_, last): &(u32, u32)| matches!(self.steps[*last as usize].action, Action::Return(_));
        let flow = blocks.iter().map(|(_, last)| {
            self.successors(*last).iter().filter_map(|next| number.get(&landing(*next)).copied()).collect()
        });
        (flow.collect(), (0..).zip(blocks).filter(|(_, block)| returns(block)).map(|(number, _)| number).collect())
    }

    /// The first and the last step of each block, in the order of the source.
    fn blocks(&self, function: &Function) -> Vec<(u32, u32)> {
        let mut blocks = Vec::new();
        let mut head = function.steps.start;
        for step in function.steps.clone() {
            let ends = matches!(
                self.steps[step as usize].action,
                Action::Branch { .. }
                    | Action::Switch { .. }
                    | Action::Jump(_)
                    | Action::Return(_)
                    | Action::Unreachable
                    | Action::Call { stops: true, .. }
            );
            if ends {
                blocks.push((head, step));
                head = step + 1;
            }
        }
        blocks
    }
}

struct Loader<'p> {
    program: &'p Program,
    code: Code,
    shared: HashMap<String, u32>,
}

/// The numbers at which a unit's records begin.
struct Start {
    unit: usize,
    function: u32,
    n_functions: u32,
    symbols: Vec<u32>,
}

impl Start {
    fn function(&self, number: u32) -> Result<u32, Wrong> {
        if number < self.n_functions { Ok(self.function + number) } else { Err(Wrong::Missing("a function")) }
    }

    fn symbol(&self, number: u32) -> Result<u32, Wrong> {
        self.symbols.get(number as usize).copied().ok_or(Wrong::Missing("a symbol"))
    }
}

fn short(number: u64) -> Result<u32, Wrong> {
    u32::try_from(number).map_err(|_| Wrong::Bad(Bad::Number))
}

impl Loader<'_> {
    fn unit(&mut self, unit: usize, head: &body::Unit, body: &mut Cursor) -> Result<(), Wrong> {
        let owned = self.program.units[unit].functions.clone();
        if head.n_functions != 0 && head.n_functions != owned.len() as u32 {
            return Err(Wrong::Missing("the number of functions"));
        }
        let function = self.code.functions.len() as u32;
        let mut start = Start { unit, function, n_functions: head.n_functions, symbols: Vec::new() };
        for _ in 0..head.n_symbols {
            let symbol = body::Symbol::decode(body)?;
            let number = self.symbol(&symbol, &start)?;
            start.symbols.push(number);
        }
        for (number, program) in (0..head.n_functions).zip(owned) {
            self.function(number, program, &start, body)?;
        }
        Ok(())
    }

    fn symbol(&mut self, symbol: &body::Symbol, start: &Start) -> Result<u32, Wrong> {
        let function = symbol.function.map(|number| start.function(number)).transpose()?;
        let next = self.code.symbols.len() as u32;
        let external = external::number(symbol.name).unwrap_or(external::UNKNOWN);
        let fresh = Symbol { name: symbol.name.to_owned(), flags: symbol.flags, size: symbol.size, function, external };
        if symbol.flags & body::Symbol::LOCAL != 0 {
            self.code.symbols.push(fresh);
            return Ok(next);
        }
        let known = *self.shared.entry(symbol.name.to_owned()).or_insert(next);
        match self.code.symbols.get_mut(known as usize) {
            None => self.code.symbols.push(fresh),
            Some(known) if fresh.flags & body::Symbol::DEFINED != 0 => *known = fresh,
            Some(_) => {}
        }
        Ok(known)
    }

    fn function(&mut self, number: u32, program: u32, start: &Start, body: &mut Cursor) -> Result<(), Wrong> {
        let head = body::Function::decode(body)?;
        let id = piece_id(self.program.units[start.unit].hash, number);
        let first = self.code.steps.len() as u32;
        let mut function = Function {
            program,
            id,
            frame_size: short(head.frame_size)?,
            variadic: head.variadic,
            parameters: Vec::new(),
            variables: Vec::new(),
            symbols: Vec::new(),
            steps: first..first,
        };
        for _ in 0..head.n_parameters {
            let body::Parameter { offset, datum, slot } = body::Parameter::decode(body)?;
            function.parameters.push(Parameter { offset: short(offset)?, datum, slot });
        }
        for _ in 0..head.n_variables {
            let body::Variable { name, type_name, class, offset, size, .. } = body::Variable::decode(body)?;
            let (offset, size) = (short(offset)?, short(size)?);
            function.variables.push(Variable {
                name: name.to_owned(),
                type_name: type_name.to_owned(),
                class,
                offset,
                size,
            });
        }
        for _ in 0..head.n_symbols {
            function.symbols.push(start.symbol(body.small()?)?);
        }
        let mut blocks = Vec::new();
        for _ in 0..head.n_blocks {
            blocks.push(self.code.steps.len() as u32);
            for _ in 0..body.small()? {
                self.step(start, body)?;
            }
        }
        function.steps.end = self.code.steps.len() as u32;
        self.link(&function, &blocks)?;
        self.code.by_id.insert(id, self.code.functions.len() as u32);
        self.code.functions.push(function);
        Ok(())
    }

    /// Makes numbers of blocks those of steps.
    fn link(&mut self, function: &Function, blocks: &[u32]) -> Result<(), Wrong> {
        let of = |block: u32| {
            let step = blocks.get(block as usize).copied().filter(|step| *step < function.steps.end);
            step.ok_or(Wrong::Missing("a block"))
        };
        for step in function.steps.clone() {
            let code = &mut self.code.steps[step as usize];
            match &mut code.action {
                Action::Branch { then, otherwise } => (*then, *otherwise) = (of(*then)?, of(*otherwise)?),
                Action::Jump(to) => *to = of(*to)?,
                Action::Switch { default, n_cases, .. } => {
                    *default = of(*default)?;
                    let from = code.extra as usize;
                    for case in &mut self.code.cases[from..from + *n_cases as usize] {
                        case.block = of(case.block)?;
                    }
                }
                _ => {}
            }
        }
        let leaves = |step: &CodeStep| {
            matches!(
                step.action,
                Action::Branch { .. }
                    | Action::Switch { .. }
                    | Action::Jump(_)
                    | Action::Return(_)
                    | Action::Unreachable
            )
        };
        let last = function.steps.clone().last().map(|step| &self.code.steps[step as usize]);
        if last.is_some_and(|last| !leaves(last)) { Err(Wrong::Missing("the end of a block")) } else { Ok(()) }
    }

    fn step(&mut self, start: &Start, body: &mut Cursor) -> Result<(), Wrong> {
        let Step { place, action } = Step::decode(body)?;
        let unit = &self.program.units[start.unit];
        let file = unit.files.get(place.file as usize).copied().unwrap_or_default();
        let place = Place { file, line: place.line, column: place.column };
        let (tokens, function) = (self.code.nodes.len() as u32, self.code.functions.len() as u32);
        let mut extra = 0;
        let mut action = action;
        match &mut action {
            Action::Store(_) => self.trees(2, start, body)?,
            Action::Copy | Action::Fill => self.trees(3, start, body)?,
            Action::Branch { .. } | Action::Dynamic { .. } | Action::Return(Some(_)) => self.trees(1, start, body)?,
            Action::Jump(_) | Action::Unreachable | Action::Return(None) => {}
            Action::Switch { n_cases, .. } => {
                self.trees(1, start, body)?;
                extra = self.code.cases.len() as u32;
                for _ in 0..*n_cases {
                    self.code.cases.push(Case::decode(body)?);
                }
            }
            Action::Call { callee, n_arguments, .. } => {
                match callee {
                    Callee::Version(function) => *function = start.function(*function)?,
                    Callee::Symbol(symbol) | Callee::Setjmp(symbol) => *symbol = start.symbol(*symbol)?,
                    Callee::Indirect => self.trees(1, start, body)?,
                    Callee::Assembly => {}
                }
                let mut data = Vec::new();
                for _ in 0..*n_arguments {
                    data.push(Argument::decode(body)?.0);
                    self.trees(1, start, body)?;
                }
                extra = self.code.arguments.len() as u32;
                self.code.arguments.extend(data);
            }
        }
        let opaque = self.code.nodes[tokens as usize..].iter().any(|node| matches!(node.token, Token::Opaque { .. }));
        self.code.steps.push(CodeStep { place, action, tokens, extra, function, opaque });
        Ok(())
    }

    fn trees(&mut self, count: u32, start: &Start, body: &mut Cursor) -> Result<(), Wrong> {
        /// What is still to be read.
        enum Left {
            Trees(u32),
            Terms { count: u32, factor: u32 },
        }
        let mut left = vec![Left::Trees(count)];
        while let Some(top) = left.last_mut() {
            match top {
                Left::Trees(0) | Left::Terms { count: 0, .. } => {
                    left.pop();
                    continue;
                }
                Left::Trees(count) => *count -= 1,
                Left::Terms { count, factor: at } => {
                    self.code.factors[*at as usize] = factor(body)?;
                    (*count, *at) = (*count - 1, *at + 1);
                }
            }
            let mut token = Token::decode(body)?;
            let mut factors = 0;
            match &mut token {
                Token::Symbol(symbol, _) => *symbol = start.symbol(*symbol)?,
                Token::Address { n_terms, .. } => {
                    factors = self.code.factors.len() as u32;
                    // Each factor takes a byte at least.
                    if body.rest().len() < *n_terms as usize {
                        return Err(Bad::Truncated.into());
                    }
                    self.code.factors.resize(self.code.factors.len() + *n_terms as usize, 0);
                    left.push(Left::Terms { count: *n_terms, factor: factors });
                    left.push(Left::Trees(1));
                }
                _ => left.push(Left::Trees(token.arity())),
            }
            self.code.nodes.push(Node { token, factors });
        }
        Ok(())
    }
}

impl Code {
    /// How many instructions of the front end's a step is: itself and what its trees compute or load.
    pub fn instructions(&self, step: u32) -> u32 {
        let code = &self.steps[step as usize];
        let end = self.steps.get(step as usize + 1).map_or(self.nodes.len(), |next| next.tokens as usize);
        let is_leaf = |node: &&Node| matches!(node.token, Token::Constant(..) | Token::Frame(_) | Token::Symbol(..));
        let inner = self.nodes[code.tokens as usize..end].iter().filter(|node| !is_leaf(node)).count();
        1 + inner as u32
    }

    /// Whether the first tree of a step is what the frame holds at `offset`.
    pub fn reads_frame(&self, step: u32, offset: u32) -> bool {
        let at = self.steps[step as usize].tokens as usize;
        let tokens = self.nodes.get(at..at + 2).unwrap_or(&[]);
        matches!(tokens, [Node { token: Token::Load(..), .. }, Node { token: Token::Frame(from), .. }] if *from == i64::from(offset))
    }

    /// Whether a site is a decision of patched runs: a branch of two ways or more, or an indirect call.
    pub fn decides(&self, site: u32) -> bool {
        let Site::Step(step) = self.what(site) else { return false };
        match self.steps[step as usize].action {
            Action::Branch { .. } | Action::Call { callee: Callee::Indirect, .. } => true,
            Action::Switch { n_cases, .. } => n_cases > 0,
            _ => false,
        }
    }

    /// Whether a step is a call around which the runtime is told of.
    pub fn is_hooked_call(&self, step: u32) -> bool {
        matches!(
            self.steps[step as usize].action,
            Action::Call { callee: Callee::Symbol(_) | Callee::Indirect | Callee::Assembly, .. }
        )
    }

    /// Whether a step does nothing but to store one value.
    pub fn is_store(&self, step: u32) -> bool {
        matches!(self.steps[step as usize].action, Action::Store(_))
    }

    /// Whether a step goes one of two ways.
    pub fn is_branch(&self, step: u32) -> bool {
        matches!(self.steps[step as usize].action, Action::Branch { .. })
    }

    /// Whether a step is a call that `longjmp` can return from again.
    pub fn is_jumped_to(&self, step: u32) -> bool {
        matches!(self.steps[step as usize].action, Action::Call { callee: Callee::Setjmp(_), .. })
    }

    /// The ways that a decision can be sent, by the numbers that outcomes have; none for one that cannot be turned.
    pub fn ways(&self, site: u32) -> std::ops::Range<u32> {
        let Site::Step(step) = self.what(site) else { return 0..0 };
        match self.steps[step as usize].action {
            Action::Branch { .. } => 0..2,
            Action::Switch { n_cases, .. } => 0..n_cases + 1,
            _ => 0..0,
        }
    }

    /// What the function that a site calls, or returns from, does to the outside, if it is one that is known.
    pub fn role(&self, site: u32) -> Option<Role> {
        let (Site::Step(step) | Site::Returned(step)) = self.what(site) else { return None };
        self.role_of(step)
    }

    /// The same of the function that a step calls.
    pub fn role_of(&self, step: u32) -> Option<Role> {
        external::known(self.called_symbol(step)?).map(|model| model.role)
    }

    /// The name of the symbol that a step calls, if it calls one that code without a body may be.
    pub fn called_symbol(&self, step: u32) -> Option<&str> {
        match self.steps[step as usize].action {
            Action::Call { callee: Callee::Symbol(symbol), .. } => Some(&self.symbols[symbol as usize].name),
            _ => None,
        }
    }
}
