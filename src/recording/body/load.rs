//! Reading the `body` sections of a program's modules: units are checked against their site tables and linked.

use std::collections::HashMap;

use suspect_format::abi::piece_id;
use suspect_format::body::{self, Action, Argument, Callee, Case, Step, Token, factor};
use suspect_format::external;
use suspect_format::site::{Bad, Cursor, next_table};

use super::{Code, CodeStep, Function, Node, Parameter, Symbol, Variable};
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
