//! Walking the dependence graph backwards from what a test's oracle looks at.

use std::collections::{HashMap, HashSet};

use suspect_format::dependence::Operation;
use suspect_format::external::{External, known};

use super::code::{Code, Use};
use super::control::control_parents;
use super::memory::{Memory, writes};
use crate::program::{OUTSIDE, Program};

/// Where a slice begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Criterion<'a> {
    /// Every output and `main`'s result, in whatever piece.
    Output,
    /// Outputs, `main`'s result and the whole pieces `stopped_in`, each only in pieces that `executed` says ran.
    Executed {
        /// For each piece, whether it ran.
        executed: &'a [bool],
        /// Pieces in which a process was stopped.
        stopped_in: &'a [u32],
    },
    /// The code of a line (index into the program's lines).
    Line(u32),
}

/// A program's dependence graph, ready to be walked.
#[derive(Debug)]
pub struct Slicer<'p> {
    pub(super) program: &'p Program,
    pub(super) code: &'p Code,
    pub(super) memory: Memory,
    /// For each piece, the pieces that decide whether it runs.
    parents: Vec<Vec<u32>>,
    /// For each piece, its instructions.
    by_piece: Vec<Vec<u32>>,
    /// For each piece, the pieces control comes from.
    before: Vec<Vec<u32>>,
    /// For each function of the code, the calls that may enter it.
    pub(super) callers: Vec<Vec<u32>>,
    /// For each class of memory, the instructions that may write it.
    pub(super) writers: HashMap<u32, Vec<u32>>,
}

/// A step of the walk: what the slice needs to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Need {
    /// The value of an instruction, or that it happens with what it uses.
    Instruction(u32),
    /// That a call happens, whatever it is given.
    CallSite(u32),
    /// A parameter of a function.
    Parameter(u32, u32),
    /// That a piece runs.
    Piece(u32),
    /// The content of a class of memory.
    Class(u32),
    /// The content of a private local (its instruction) at a piece's start.
    LocalAt(u32, u32),
}

impl<'p> Slicer<'p> {
    /// Builds the graph of a program.
    pub fn new(program: &'p Program, code: &'p Code) -> Slicer<'p> {
        let memory = Memory::of(code);
        let mut slicer = Slicer {
            parents: control_parents(program),
            by_piece: vec![Vec::new(); program.pieces.len()],
            before: vec![Vec::new(); program.pieces.len()],
            callers: vec![Vec::new(); code.functions.len()],
            writers: HashMap::new(),
            program,
            code,
            memory,
        };
        for edge in program.edges.iter().filter(|edge| edge.from != OUTSIDE && edge.to != OUTSIDE) {
            slicer.before[edge.to as usize].push(edge.from);
        }
        for instruction in 0..code.instructions.len() as u32 {
            slicer.index(instruction);
        }
        slicer
    }

    /// The lines (indices into the program's lines, ascending) that may influence what `criterion` names.
    pub fn slice(&self, criterion: Criterion) -> Vec<u32> {
        let mut walk = Walk { slicer: self, seen: HashSet::new(), pending: Vec::new(), lines: HashSet::new() };
        for instruction in self.criterion(criterion) {
            walk.need(Need::Instruction(instruction));
        }
        while let Some(need) = walk.pending.pop() {
            walk.follow(need);
        }
        let mut lines: Vec<u32> = walk.lines.into_iter().collect();
        lines.sort_unstable();
        lines
    }

    /// The lines (indices into the program's lines, ascending) that the code of a line may influence, with itself: those whose slices hold it.
    ///
    /// Each line that depends on it in some number of direct steps is sliced, so this takes as long as these together.
    pub fn influenced(&self, line: u32) -> Vec<u32> {
        let mut users: HashMap<u32, Vec<u32>> = HashMap::new();
        for (user, used) in self.line_dependences() {
            users.entry(used).or_default().push(user);
        }
        let mut reached = HashSet::from([line]);
        let mut pending = vec![line];
        while let Some(used) = pending.pop() {
            let new = users.get(&used).into_iter().flatten().filter(|user| reached.insert(**user));
            pending.extend(new);
        }
        let mut lines: Vec<u32> = reached.into_iter().collect();
        lines.sort_unstable();
        lines.retain(|other| *other == line || self.slice(Criterion::Line(*other)).contains(&line));
        lines
    }

    /// The direct dependences between lines (indices into the program's lines): which line uses which, ascending.
    ///
    /// A load of a private local depends on every store to it. Classes of memory that many lines write and read give all their
    /// pairs, so this is for programs of the size of benchmarks.
    pub fn line_dependences(&self) -> Vec<(u32, u32)> {
        let mut pairs = HashSet::new();
        let mut stores: HashMap<u32, Vec<u32>> = HashMap::new();
        for (at, record) in (0..).zip(&self.code.instructions) {
            if record.operation == Operation::Store
                && let Some(local) = self.local(record.function, self.code.uses_of(at)[0])
            {
                stores.entry(local).or_default().push(at);
            }
        }
        let line_of = |at: &u32| self.code.instructions[*at as usize].line;
        for (at, line) in (0..).zip(&self.code.instructions).filter_map(|(at, record)| Some((at, record.line?))) {
            let used = self.direct(at, &stores);
            pairs.extend(used.iter().filter_map(line_of).filter(|used| *used != line).map(|used| (line, used)));
        }
        let mut pairs: Vec<(u32, u32)> = pairs.into_iter().collect();
        pairs.sort_unstable();
        pairs
    }

    /// The instructions that an instruction depends on at once.
    fn direct(&self, instruction: u32, stores: &HashMap<u32, Vec<u32>>) -> Vec<u32> {
        let record = &self.code.instructions[instruction as usize];
        let uses = self.code.uses_of(instruction);
        let mut found = Vec::new();
        for used in uses {
            if let Use::Value(value) = used {
                match self.code.definition(record.function, *value) {
                    Ok(definition) => found.push(definition),
                    Err(_) => found.extend(&self.callers[record.function as usize]),
                }
            }
        }
        let read = match record.operation {
            Operation::Load => uses.first(),
            Operation::Copy => uses.get(1),
            _ => None,
        };
        if let Some(address) = read.copied() {
            match self.local(record.function, address) {
                Some(local) => found.extend(stores.get(&local).into_iter().flatten()),
                None => {
                    let class = self.memory.class(self.code, record.function, address);
                    found.extend(class.and_then(|class| self.writers.get(&class)).into_iter().flatten());
                }
            }
        }
        if let (Operation::Call, Some(callee)) = (record.operation, uses.first().copied()) {
            for target in self.memory.callees(self.code, record.function, callee) {
                let body = self.code.functions[target as usize].instructions.clone();
                found.extend(body.filter(|at| self.code.instructions[*at as usize].operation == Operation::Return));
            }
        }
        for decider in &self.parents[record.piece as usize] {
            let ends = self.by_piece[*decider as usize].iter().copied();
            found.extend(ends.filter(|at| self.code.instructions[*at as usize].operation == Operation::Branch));
        }
        if self.parents[record.piece as usize].is_empty() {
            found.extend(&self.callers[record.function as usize]);
        }
        found
    }

    fn index(&mut self, instruction: u32) {
        let record = &self.code.instructions[instruction as usize];
        self.by_piece[record.piece as usize].push(instruction);
        let uses = self.code.uses_of(instruction);
        match record.operation {
            Operation::Call => {
                let Some(callee) = uses.first().copied() else { return };
                let targets = self.memory.callees(self.code, record.function, callee);
                for target in &targets {
                    self.callers[*target as usize].push(instruction);
                }
                if targets.is_empty() && self.writes(callee) {
                    for used in &uses[1..] {
                        self.add_writer(instruction, record.function, *used);
                    }
                }
            }
            Operation::Store if !self.is_private(record.function, uses[0]) => {
                self.add_writer(instruction, record.function, uses[0]);
            }
            Operation::Copy => self.add_writer(instruction, record.function, uses[0]),
            _ => {}
        }
    }

    fn add_writer(&mut self, instruction: u32, function: u32, address: Use) {
        if let Some(class) = self.memory.class(self.code, function, address) {
            self.writers.entry(class).or_default().push(instruction);
        }
    }

    fn writes(&self, callee: Use) -> bool {
        match callee {
            Use::Symbol(symbol) => writes(&self.code.symbols[symbol as usize].name),
            _ => true,
        }
    }

    fn is_private(&self, function: u32, address: Use) -> bool {
        self.local(function, address).is_some()
    }

    /// The private local that an operand is the address of.
    pub(super) fn local(&self, function: u32, address: Use) -> Option<u32> {
        let Use::Value(value) = address else { return None };
        let definition = self.code.definition(function, value).ok()?;
        self.memory.private[definition as usize].then_some(definition)
    }

    fn criterion(&self, criterion: Criterion) -> Vec<u32> {
        let all = 0..self.code.instructions.len() as u32;
        match criterion {
            Criterion::Output => all.filter(|instruction| self.is_output(*instruction)).collect(),
            Criterion::Executed { executed, stopped_in } => {
                let ran = |instruction: &u32| executed[self.code.instructions[*instruction as usize].piece as usize];
                let outputs = all.filter(ran).filter(|instruction| self.is_output(*instruction));
                let stopped = stopped_in.iter().flat_map(|piece| self.by_piece[*piece as usize].iter().copied());
                outputs.chain(stopped).collect()
            }
            Criterion::Line(line) => {
                all.filter(|instruction| self.code.instructions[*instruction as usize].line == Some(line)).collect()
            }
        }
    }

    fn is_output(&self, instruction: u32) -> bool {
        let record = &self.code.instructions[instruction as usize];
        match (record.operation, self.code.uses_of(instruction).first()) {
            (Operation::Call, Some(Use::Symbol(symbol))) => {
                let symbol = &self.code.symbols[*symbol as usize];
                symbol.function.is_none() && known(&symbol.name).is_some_and(External::is_seen)
            }
            (Operation::Return, _) => {
                let function = self.code.functions[record.function as usize].function;
                self.program.functions[function as usize].name == "main"
            }
            _ => false,
        }
    }
}

struct Walk<'s, 'p> {
    slicer: &'s Slicer<'p>,
    seen: HashSet<Need>,
    pending: Vec<Need>,
    lines: HashSet<u32>,
}

impl Walk<'_, '_> {
    fn need(&mut self, need: Need) {
        if self.seen.insert(need) {
            self.pending.push(need);
        }
    }

    fn follow(&mut self, need: Need) {
        match need {
            Need::Instruction(instruction) => self.follow_instruction(instruction),
            Need::CallSite(call) => self.happens(call),
            Need::Parameter(function, parameter) => {
                for call in self.slicer.callers[function as usize].clone() {
                    self.need(Need::CallSite(call));
                    self.operand(call, parameter as usize + 1);
                }
            }
            Need::Piece(piece) => self.follow_piece(piece),
            Need::Class(class) => {
                for writer in self.slicer.writers.get(&class).into_iter().flatten() {
                    self.need(Need::Instruction(*writer));
                }
            }
            Need::LocalAt(local, piece) => {
                for index in 0..self.slicer.before[piece as usize].len() {
                    self.local_before(local, self.slicer.before[piece as usize][index], u32::MAX);
                }
            }
        }
    }

    /// The line is in the slice, and so is whatever decides that it runs; for a call, also which function it calls.
    fn happens(&mut self, instruction: u32) {
        let record = &self.slicer.code.instructions[instruction as usize];
        self.lines.extend(record.line);
        self.need(Need::Piece(record.piece));
        if record.operation == Operation::Call {
            self.operand(instruction, 0);
        }
    }

    fn follow_piece(&mut self, piece: u32) {
        let slicer = self.slicer;
        for decider in &slicer.parents[piece as usize] {
            let branches = slicer.by_piece[*decider as usize].iter().copied();
            for branch in branches.filter(|at| slicer.code.instructions[*at as usize].operation == Operation::Branch) {
                self.need(Need::Instruction(branch));
            }
            self.need(Need::Piece(*decider));
        }
        // Code that runs whenever its function does runs because the function is called.
        let first = slicer.by_piece[piece as usize].first().copied();
        if let Some(first) = first {
            let function = slicer.code.instructions[first as usize].function;
            for call in slicer.callers[function as usize].clone() {
                self.need(Need::CallSite(call));
            }
        }
    }

    fn follow_instruction(&mut self, instruction: u32) {
        self.happens(instruction);
        let slicer = self.slicer;
        let record = &slicer.code.instructions[instruction as usize];
        let uses = slicer.code.uses_of(instruction);
        match record.operation {
            Operation::Call => self.follow_call(instruction),
            Operation::Load => {
                self.operand(instruction, 0);
                match slicer.local(record.function, uses[0]) {
                    Some(local) => self.local_before(local, record.piece, instruction),
                    None => self.content(record.function, uses[0]),
                }
            }
            Operation::Copy => {
                for position in 0..uses.len() {
                    self.operand(instruction, position);
                }
                self.content(record.function, uses[1]);
            }
            _ => {
                for position in 0..uses.len() {
                    self.operand(instruction, position);
                }
            }
        }
    }

    fn follow_call(&mut self, instruction: u32) {
        let slicer = self.slicer;
        let record = &slicer.code.instructions[instruction as usize];
        let uses = slicer.code.uses_of(instruction);
        let Some(callee) = uses.first().copied() else { return };
        let targets = slicer.memory.callees(slicer.code, record.function, callee);
        for target in &targets {
            let body = slicer.code.functions[*target as usize].instructions.clone();
            for at in body.filter(|at| slicer.code.instructions[*at as usize].operation == Operation::Return) {
                self.need(Need::Instruction(at));
            }
        }
        if targets.is_empty() {
            for (position, used) in uses.iter().enumerate().skip(1) {
                self.operand(instruction, position);
                self.content(record.function, *used);
            }
        }
    }

    /// What defines an operand.
    fn operand(&mut self, instruction: u32, position: usize) {
        let slicer = self.slicer;
        let function = slicer.code.instructions[instruction as usize].function;
        if let Some(Use::Value(value)) = slicer.code.uses_of(instruction).get(position).copied() {
            match slicer.code.definition(function, value) {
                Ok(definition) => self.need(Need::Instruction(definition)),
                Err(parameter) => self.need(Need::Parameter(function, parameter)),
            }
        }
    }

    /// What an address points to.
    fn content(&mut self, function: u32, address: Use) {
        if let Some(class) = self.slicer.memory.class(self.slicer.code, function, address) {
            self.need(Need::Class(class));
        }
    }

    /// The store that a load of a private local at the end of `piece`, or before `until` in it, sees.
    fn local_before(&mut self, local: u32, piece: u32, until: u32) {
        let slicer = self.slicer;
        let writes = |at: &&u32| {
            let record = &slicer.code.instructions[**at as usize];
            record.operation == Operation::Store
                && slicer.local(record.function, slicer.code.uses_of(**at)[0]) == Some(local)
        };
        let store = slicer.by_piece[piece as usize].iter().rev().filter(|at| **at < until).find(writes);
        match store {
            Some(store) => self.need(Need::Instruction(*store)),
            None => self.need(Need::LocalAt(local, piece)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::code::{FunctionCode, Instruction, Symbol};
    use super::*;
    use crate::program::{Edge, EdgeKind, Function, Piece, PieceEnd, Place};

    const PRINTF: Use = Use::Symbol(1);

    /// `main` of pieces with these edges.
    fn program(n_pieces: u32, edges: &[(u32, u32)]) -> Program {
        let edge = |from, to| Edge {
            function: 0,
            from,
            to,
            kind: EdgeKind::Always,
            edges_counter: None,
            values_counter: None,
        };
        let edges: Vec<Edge> = edges.iter().map(|(from, to)| edge(*from, *to)).collect();
        let piece = Piece { block: 0, end: PieceEnd::Branch, lines: Vec::new() };
        let main = Function {
            name: "main".into(),
            unit: 0,
            place: Place::default(),
            last_line: 0,
            external: true,
            content_hash: 0,
            blocks: 0..0,
            pieces: 0..n_pieces,
            edges: 0..edges.len() as u32,
            nodes: 0..0,
            compounds: 0..0,
            operations: 0..0,
            variables: Vec::new(),
        };
        Program { functions: vec![main], pieces: vec![piece; n_pieces as usize], edges, ..Program::default() }
    }

    /// `main` without parameters: instructions with their pieces, each on the line of its number.
    fn code(instructions: &[(u32, Operation, &[Use])]) -> Code {
        let symbol = |name: &str, function| Symbol { name: name.into(), function };
        let n_values = instructions.len() as u32;
        let main = FunctionCode { function: 0, n_parameters: 0, instructions: 0..n_values, first_value: 0 };
        let symbols = vec![symbol("main", Some(0)), symbol("printf", None)];
        let mut code = Code { functions: vec![main], symbols, n_values, ..Code::default() };
        for (line, (piece, operation, uses)) in (0..).zip(instructions) {
            let first = code.uses.len() as u32;
            code.uses.extend_from_slice(uses);
            let uses = first..code.uses.len() as u32;
            let (operation, piece) = (*operation, *piece);
            code.instructions.push(Instruction { operation, function: 0, piece, line: Some(line), uses });
        }
        code
    }

    fn output_slice(program: &Program, instructions: &[(u32, Operation, &[Use])]) -> Vec<u32> {
        Slicer::new(program, &code(instructions)).slice(Criterion::Output)
    }

    /// `x = ..; x = ..; if (..) { x = .. } else { y = .. } printf(x)`: the first value is overwritten.
    fn diamond() -> (Program, Code) {
        use Operation::{Branch, Call, Compute, Load, Local, Store};
        let instructions: [(u32, Operation, &[Use]); 10] = [
            (0, Local, &[]),
            (0, Local, &[]),
            (0, Store, &[Use::Value(0), Use::Constant]),
            (0, Store, &[Use::Value(0), Use::Constant]),
            (0, Compute, &[]),
            (0, Branch, &[Use::Value(4)]),
            (1, Store, &[Use::Value(0), Use::Constant]),
            (2, Store, &[Use::Value(1), Use::Constant]),
            (3, Load, &[Use::Value(0)]),
            (3, Call, &[PRINTF, Use::Value(8)]),
        ];
        (program(4, &[(OUTSIDE, 0), (0, 1), (0, 2), (1, 3), (2, 3), (3, OUTSIDE)]), code(&instructions))
    }

    #[test]
    fn a_load_sees_the_last_stores_on_each_way_to_it() {
        let (program, code) = diamond();
        assert_eq!(Slicer::new(&program, &code).slice(Criterion::Output), [0, 3, 4, 5, 6, 8, 9]);
    }

    #[test]
    fn a_line_influences_those_whose_slices_hold_it() {
        let (program, code) = diamond();
        // Lines by their numbers are those of the instructions.
        let slicer = Slicer::new(&program, &code);
        assert_eq!(slicer.influenced(2), [2]);
        assert_eq!(slicer.influenced(3), [3, 8, 9]);
        assert_eq!(slicer.influenced(4), [4, 5, 6, 7, 8, 9]);
        for line in 0..10 {
            let holds = |other: &u32| slicer.slice(Criterion::Line(*other)).contains(&line);
            assert_eq!(slicer.influenced(line), (0..10).filter(holds).collect::<Vec<u32>>(), "line {line}");
        }
    }

    #[test]
    fn a_load_sees_stores_of_the_round_before() {
        use Operation::{Branch, Call, Compute, Load, Local, Store};
        let [x, y] = [0, 1].map(Use::Value);
        // x = ..; while (..) { printf(x); x = ..; y = .. }
        let instructions: [(u32, Operation, &[Use]); 9] = [
            (0, Local, &[]),
            (0, Local, &[]),
            (0, Store, &[x, Use::Constant]),
            (1, Compute, &[]),
            (1, Branch, &[Use::Value(3)]),
            (2, Load, &[x]),
            (2, Call, &[PRINTF, Use::Value(5)]),
            (2, Store, &[x, Use::Constant]),
            (2, Store, &[y, Use::Constant]),
        ];
        let rounds = program(4, &[(OUTSIDE, 0), (0, 1), (1, 2), (1, 3), (2, 1), (3, OUTSIDE)]);
        assert_eq!(output_slice(&rounds, &instructions), [0, 2, 3, 4, 5, 6, 7]);
    }
}
