//! Which memory an address may lie in: unification-based points-to (Steensgaard, POPL 1996), and which locals need none.

use petgraph::unionfind::UnionFind;
use suspect_format::dependence::Operation;
use suspect_format::external::{External, known};

use super::code::{Code, Use};

/// Where every value may point and what every instruction may touch, as classes of memory.
#[derive(Debug)]
pub struct Memory {
    sets: UnionFind<u32>,
    target: Vec<Option<u32>>,
    /// Locals by their instruction: true when only loads and stores use their address.
    pub private: Vec<bool>,
    n_values: u32,
}

impl Memory {
    /// Analyses `code`.
    pub fn of(code: &Code) -> Memory {
        // Cells: one for each value, then one for each symbol's address; objects are added as they appear.
        let cells = code.n_values as usize + code.symbols.len();
        let mut memory = Memory {
            sets: UnionFind::new(cells),
            target: vec![None; cells],
            private: private_locals(code),
            n_values: code.n_values,
        };
        for symbol in 0..code.symbols.len() {
            memory.target_of(code.n_values + symbol as u32);
        }
        for (holder, held) in &code.initial {
            let object = memory.target_of(code.n_values + holder);
            memory.flow(code.n_values + held, object);
        }
        for instruction in 0..code.instructions.len() as u32 {
            memory.constrain(code, instruction);
        }
        while memory.link_indirect_calls(code) {}
        memory
    }

    /// The class of memory that an operand of `function` points into, if it points anywhere.
    pub fn class(&self, code: &Code, function: u32, operand: Use) -> Option<u32> {
        let cell = self.cell(code, function, operand)?;
        self.target[self.sets.find(cell) as usize].map(|target| self.sets.find(target))
    }

    /// The functions that a call may enter, indices into the code's functions.
    pub fn callees(&self, code: &Code, function: u32, callee: Use) -> Vec<u32> {
        if let Use::Symbol(symbol) = callee {
            return code.symbols[symbol as usize].function.into_iter().collect();
        }
        let Some(class) = self.class(code, function, callee) else { return Vec::new() };
        let points = |symbol: &usize| {
            let cell = self.n_values + *symbol as u32;
            self.target[self.sets.find(cell) as usize].map(|target| self.sets.find(target)) == Some(class)
        };
        (0..code.symbols.len()).filter(points).filter_map(|symbol| code.symbols[symbol].function).collect()
    }

    fn cell(&self, code: &Code, function: u32, operand: Use) -> Option<u32> {
        match operand {
            Use::Constant => None,
            Use::Value(value) => Some(code.functions[function as usize].first_value + value),
            Use::Symbol(symbol) => Some(self.n_values + symbol),
        }
    }

    fn target_of(&mut self, cell: u32) -> u32 {
        let root = self.sets.find_mut(cell) as usize;
        if let Some(target) = self.target[root] {
            return target;
        }
        let object = self.sets.new_set();
        self.target.push(None);
        self.target[root] = Some(object);
        object
    }

    /// Makes two cells one, and what they point to, and so on.
    fn join(&mut self, one: u32, other: u32) {
        let mut pending = vec![(one, other)];
        while let Some((one, other)) = pending.pop() {
            let (one, other) = (self.sets.find_mut(one), self.sets.find_mut(other));
            if one == other {
                continue;
            }
            let targets = (self.target[one as usize].take(), self.target[other as usize].take());
            self.sets.union(one, other);
            let root = self.sets.find_mut(one) as usize;
            self.target[root] = targets.0.or(targets.1);
            if let (Some(one), Some(other)) = targets {
                pending.push((one, other));
            }
        }
    }

    /// Lets `to` point wherever `from` points.
    fn flow(&mut self, from: u32, to: u32) {
        let (from, to) = (self.target_of(from), self.target_of(to));
        self.join(from, to);
    }

    fn constrain(&mut self, code: &Code, instruction: u32) {
        let function = code.instructions[instruction as usize].function;
        let result = code.value_of(instruction);
        let uses = code.uses_of(instruction);
        let cell = |memory: &Memory, at: usize| uses.get(at).and_then(|used| memory.cell(code, function, *used));
        match code.instructions[instruction as usize].operation {
            Operation::Local => {
                self.target_of(result);
            }
            Operation::Address => {
                if let Some(base) = cell(self, 0) {
                    self.flow(base, result);
                }
            }
            Operation::Choose => {
                for at in 0..uses.len() {
                    if let Some(from) = cell(self, at) {
                        self.flow(from, result);
                    }
                }
            }
            Operation::Load => {
                if let Some(address) = cell(self, 0) {
                    let object = self.target_of(address);
                    self.flow(object, result);
                }
            }
            Operation::Store => {
                if let (Some(address), Some(value)) = (cell(self, 0), cell(self, 1)) {
                    let object = self.target_of(address);
                    self.flow(value, object);
                }
            }
            Operation::Copy => {
                if let (Some(to), Some(from)) = (cell(self, 0), cell(self, 1)) {
                    let (to, from) = (self.target_of(to), self.target_of(from));
                    self.flow(from, to);
                }
            }
            Operation::Call => self.call(code, instruction),
            Operation::Compute | Operation::Branch | Operation::Return => {}
        }
    }

    fn call(&mut self, code: &Code, instruction: u32) {
        let function = code.instructions[instruction as usize].function;
        let uses = code.uses_of(instruction);
        let Some(Use::Symbol(symbol)) = uses.first().copied() else { return };
        if let Some(callee) = code.symbols[symbol as usize].function {
            self.enter(code, instruction, callee);
        } else if known(&code.symbols[symbol as usize].name).is_some_and(External::makes) {
            self.target_of(code.value_of(instruction));
        } else {
            // What an unknown function returns may be any of its arguments.
            for used in &uses[1..] {
                if let Some(from) = self.cell(code, function, *used) {
                    self.flow(from, code.value_of(instruction));
                }
            }
        }
    }

    /// Passes arguments and results between a call and a function; true when that joined anything.
    fn enter(&mut self, code: &Code, instruction: u32, callee: u32) -> bool {
        let function = code.instructions[instruction as usize].function;
        let target = &code.functions[callee as usize];
        let mut changed = false;
        for (parameter, used) in (0..target.n_parameters).zip(&code.uses_of(instruction)[1..]) {
            if let Some(from) = self.cell(code, function, *used) {
                changed |= self.pass(from, target.first_value + parameter);
            }
        }
        let result = code.value_of(instruction);
        for at in target.instructions.clone() {
            if code.instructions[at as usize].operation != Operation::Return {
                continue;
            }
            if let Some(from) = code.uses_of(at).first().and_then(|used| self.cell(code, callee, *used)) {
                changed |= self.pass(from, result);
            }
        }
        changed
    }

    fn pass(&mut self, from: u32, to: u32) -> bool {
        let (one, other) = (self.target_of(from), self.target_of(to));
        let changed = !self.sets.equiv(one, other);
        self.join(one, other);
        changed
    }

    /// Enters whatever indirect calls may reach by now; true when that joined anything.
    fn link_indirect_calls(&mut self, code: &Code) -> bool {
        let mut changed = false;
        for instruction in 0..code.instructions.len() as u32 {
            let call = &code.instructions[instruction as usize];
            let callee = code.uses_of(instruction).first().copied();
            if let (Operation::Call, Some(callee @ Use::Value(_))) = (call.operation, callee) {
                for target in self.callees(code, call.function, callee) {
                    changed |= self.enter(code, instruction, target);
                }
            }
        }
        changed
    }
}

/// Whether a function that the program does not define may write what its arguments point to.
pub fn writes(name: &str) -> bool {
    known(name).is_none_or(External::writes)
}

/// Locals whose address is only ever what a load or store goes to.
fn private_locals(code: &Code) -> Vec<bool> {
    let mut private: Vec<bool> =
        code.instructions.iter().map(|instruction| instruction.operation == Operation::Local).collect();
    for (at, instruction) in code.instructions.iter().enumerate() {
        for (position, used) in code.uses_of(at as u32).iter().enumerate() {
            let direct = position == 0 && matches!(instruction.operation, Operation::Load | Operation::Store);
            if let (Use::Value(value), false) = (*used, direct)
                && let Ok(definition) = code.definition(instruction.function, value)
            {
                private[definition as usize] = false;
            }
        }
    }
    private
}
