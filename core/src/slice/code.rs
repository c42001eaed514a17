//! The instructions of a program, linked over its units.

use std::collections::HashMap;
use std::ops::Range;

use suspect_format::dependence::{self, Operand, Operation};
use suspect_format::site::{Bad, Cursor, next_table};

use crate::program::Program;

/// Why dependence tables could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodeError {
    /// The bytes are wrong.
    #[error("dependence table {table} of {module} is damaged: {bad:?}")]
    Damaged {
        /// The module's name.
        module: String,
        /// Which table, from 0.
        table: usize,
        /// What is wrong.
        bad: Bad,
    },
    /// The table does not fit the site table that it names.
    #[error("dependence table {table} of {module} does not fit its site table; rebuild the program")]
    Mismatch {
        /// The module's name.
        module: String,
        /// Which table, from 0.
        table: usize,
    },
}

/// What an operand stands for in the whole program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Nothing to depend on.
    Constant,
    /// Value number of the same function.
    Value(u32),
    /// A symbol, index into [`Code::symbols`].
    Symbol(u32),
}

/// An instruction.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// What it does.
    pub operation: Operation,
    /// Function it is in, index into [`Code::functions`].
    pub function: u32,
    /// Piece it is in, a program id.
    pub piece: u32,
    /// Line, index into the program's lines.
    pub line: Option<u32>,
    /// Its operands in [`Code::uses`].
    pub uses: Range<u32>,
}

/// A function's code.
#[derive(Clone, Debug)]
pub struct FunctionCode {
    /// The program's id of the function.
    pub function: u32,
    /// Number of parameters, its first values.
    pub n_parameters: u32,
    /// Its instructions.
    pub instructions: Range<u32>,
    /// Program-wide number of its value 0.
    pub first_value: u32,
}

/// A variable or function that is named in the code.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// The function it is, index into [`Code::functions`], when the program defines it.
    pub function: Option<u32>,
}

/// All instructions of a program.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// Functions, in the order of their tables.
    pub functions: Vec<FunctionCode>,
    /// Instructions, function by function.
    pub instructions: Vec<Instruction>,
    /// Operands.
    pub uses: Vec<Use>,
    /// Symbols; those visible to all units are shared.
    pub symbols: Vec<Symbol>,
    /// Pairs of symbols: the first one's initialiser holds the address of the second.
    pub initial: Vec<(u32, u32)>,
    /// Number of values of all functions.
    pub n_values: u32,
}

impl Code {
    /// Reads the dependence sections of a program's modules, each with the module's name; units that the program does
    /// not have, or has already, are passed over.
    pub fn load(program: &Program, sections: &[(String, &[u8])]) -> Result<Code, CodeError> {
        let mut loader = Loader { program, code: Code::default(), shared: HashMap::new(), lines: lines_of(program) };
        let units: HashMap<u64, usize> = program.units.iter().enumerate().map(|(at, unit)| (unit.hash, at)).collect();
        let mut done = vec![false; program.units.len()];
        for (module, section) in sections {
            let mut rest = Cursor::new(section);
            for table in 0.. {
                let damaged = |bad| CodeError::Damaged { module: module.clone(), table, bad };
                let Some((_, mut body)) = next_table(&mut rest).map_err(damaged)? else { break };
                let hash = body.unsigned().map_err(damaged)?;
                let Some(unit) = units.get(&hash).copied().filter(|unit| !done[*unit]) else { continue };
                done[unit] = true;
                let fits = loader.unit(unit, &mut body).map_err(damaged)?;
                fits.ok_or_else(|| CodeError::Mismatch { module: module.clone(), table })?;
            }
        }
        Ok(loader.finish())
    }

    /// How many lines have code.
    pub fn lines(&self) -> usize {
        self.instructions
            .iter()
            .filter_map(|instruction| instruction.line)
            .collect::<std::collections::HashSet<u32>>()
            .len()
    }

    /// The operands of an instruction.
    pub fn uses_of(&self, instruction: u32) -> &[Use] {
        let range = &self.instructions[instruction as usize].uses;
        &self.uses[range.start as usize..range.end as usize]
    }

    /// Every call by name: the program's id of the function that it is in, the name, and the program's id of the function called,
    /// where the program defines it.
    pub fn calls(&self) -> impl Iterator<Item = (u32, &str, Option<u32>)> {
        let program_id = |function: u32| self.functions[function as usize].function;
        let calls = (0..).zip(&self.instructions).filter(|(_, one)| one.operation == Operation::Call);
        calls.filter_map(move |(number, one)| {
            let Some(Use::Symbol(symbol)) = self.uses_of(number).first() else { return None };
            let symbol = &self.symbols[*symbol as usize];
            Some((program_id(one.function), symbol.name.as_str(), symbol.function.map(program_id)))
        })
    }

    /// The program-wide number of the value that an instruction makes.
    pub fn value_of(&self, instruction: u32) -> u32 {
        let function = &self.functions[self.instructions[instruction as usize].function as usize];
        function.first_value + function.n_parameters + (instruction - function.instructions.start)
    }

    /// The instruction that makes a value of a function, or the number of the parameter that it is.
    pub fn definition(&self, function: u32, value: u32) -> Result<u32, u32> {
        let function = &self.functions[function as usize];
        match value.checked_sub(function.n_parameters) {
            Some(at) => Ok(function.instructions.start + at),
            None => Err(value),
        }
    }
}

fn lines_of(program: &Program) -> HashMap<(u32, u32), u32> {
    program.lines.iter().enumerate().map(|(at, line)| ((line.file, line.line), at as u32)).collect()
}

struct Loader<'p> {
    program: &'p Program,
    code: Code,
    shared: HashMap<String, u32>,
    lines: HashMap<(u32, u32), u32>,
}

impl Loader<'_> {
    /// Reads one unit's body; `None` when it names pieces, values or names that there are not.
    fn unit(&mut self, unit: usize, body: &mut Cursor) -> Result<Option<()>, Bad> {
        let n_names = body.small()?;
        let mut names = Vec::new();
        for _ in 0..n_names {
            names.push(body.text()?);
        }
        let mut local = HashMap::new();
        for _ in 0..body.small()? {
            let pair = (Operand::decode(body)?, Operand::decode(body)?);
            let (holder, held) = (self.used(pair.0, 0, &names, &mut local), self.used(pair.1, 0, &names, &mut local));
            let (Some(Use::Symbol(holder)), Some(Use::Symbol(held))) = (holder, held) else { return Ok(None) };
            self.code.initial.push((holder, held));
        }
        for function in self.program.units[unit].functions.clone() {
            if self.function(function, &names, &mut local, body)?.is_none() {
                return Ok(None);
            }
        }
        Ok(Some(()))
    }

    fn function(
        &mut self,
        function: u32,
        names: &[&str],
        local: &mut HashMap<String, u32>,
        body: &mut Cursor,
    ) -> Result<Option<()>, Bad> {
        let head = dependence::Function::decode(body)?;
        let owner = &self.program.functions[function as usize];
        let own = self.code.functions.len() as u32;
        let symbol = self.symbol(&owner.name, owner.external, local);
        self.code.symbols[symbol as usize].function = Some(own);
        let start = self.code.instructions.len() as u32;
        let n_values = head.n_parameters.saturating_add(head.n_instructions);
        for _ in 0..head.n_instructions {
            let record = dependence::Instruction::decode(body)?;
            let piece = owner.pieces.start.saturating_add(record.piece);
            if !owner.pieces.contains(&piece) {
                return Ok(None);
            }
            let first_use = self.code.uses.len() as u32;
            for _ in 0..record.n_operands {
                let Some(operand) = self.used(Operand::decode(body)?, n_values, names, local) else { return Ok(None) };
                self.code.uses.push(operand);
            }
            self.code.instructions.push(Instruction {
                operation: record.operation,
                function: own,
                piece,
                line: self.line(owner.unit, record.file, record.line),
                uses: first_use..self.code.uses.len() as u32,
            });
        }
        self.code.functions.push(FunctionCode {
            function,
            n_parameters: head.n_parameters,
            instructions: start..self.code.instructions.len() as u32,
            first_value: self.code.n_values,
        });
        self.code.n_values += n_values;
        Ok(Some(()))
    }

    /// What an operand of a function with `n_values` values stands for; `None` when there is no such thing.
    fn used(
        &mut self,
        operand: Operand,
        n_values: u32,
        names: &[&str],
        local: &mut HashMap<String, u32>,
    ) -> Option<Use> {
        Some(match operand {
            Operand::Constant => Use::Constant,
            Operand::Value(value) => Use::Value(Some(value).filter(|value| *value < n_values)?),
            Operand::Symbol(name) => Use::Symbol(self.symbol(names.get(name as usize)?, true, local)),
            Operand::LocalSymbol(name) => Use::Symbol(self.symbol(names.get(name as usize)?, false, local)),
        })
    }

    /// The symbol of this name: the program's one if visible, else the unit's own.
    fn symbol(&mut self, name: &str, visible: bool, local: &mut HashMap<String, u32>) -> u32 {
        let next = self.code.symbols.len() as u32;
        let table = if visible { &mut self.shared } else { local };
        let id = *table.entry(name.to_string()).or_insert(next);
        if id == next {
            self.code.symbols.push(Symbol { name: name.to_string(), function: None });
        }
        id
    }

    fn line(&self, unit: u32, file: u32, line: u32) -> Option<u32> {
        let file = *self.program.units[unit as usize].files.get(file as usize)?;
        self.lines.get(&(file, line)).copied()
    }

    fn finish(self) -> Code {
        self.code
    }
}
