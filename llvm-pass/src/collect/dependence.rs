//! The dependence table of a unit: what every instruction of the front end's IR uses, for slicing.

use std::collections::{HashMap, HashSet};

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::LLVMValueRef;
use suspect_format::dependence::{Function, Instruction, Operand, Operation};
use suspect_format::site::Sink;

use crate::collect::sites::{Body, FunctionSites, PieceSite};
use crate::collect::unit::Unit;
use crate::llvm::ir::{Block, LLVMOpcode, Module, Value, llvm};
use crate::table::Bytes;

/// What is known of a unit's dependences, function by function.
#[derive(Default)]
pub struct Dependences {
    names: Vec<String>,
    numbers: HashMap<Value, u32>,
    functions: Bytes,
}

impl Dependences {
    /// Adds a function; to be called for the functions of the site table in its order.
    pub fn add(&mut self, unit: &mut Unit, function: Value, sites: &FunctionSites) {
        let body = Body::of(function);
        let parameters = function.parameters();
        let values = parameters.iter().chain(&body.instructions).copied().zip(0..).collect();
        let pieces = pieces_of_blocks(&sites.pieces);
        let head = Function { n_parameters: parameters.len() as u32, n_instructions: body.instructions.len() as u32 };
        head.encode(&mut self.functions);
        for (block, pieces) in pieces.iter().enumerate() {
            for position in body.range(block) {
                let instruction = body.at(position);
                let (operation, uses) = self.describe(instruction, &values);
                let place = unit.place_of(instruction).unwrap_or_default();
                let record = Instruction {
                    operation,
                    piece: piece_at(pieces, position),
                    file: place.file,
                    line: place.line,
                    n_operands: uses.len() as u32,
                };
                record.encode(&mut self.functions);
                uses.iter().for_each(|operand| operand.encode(&mut self.functions));
            }
        }
    }

    /// The body of the table for the unit of this hash.
    pub fn encode(mut self, module: Module, unit_hash: u64) -> Vec<u8> {
        let initial = self.initial(module);
        let mut body = Bytes::default();
        body.unsigned(unit_hash);
        body.unsigned(self.names.len() as u64);
        self.names.iter().for_each(|name| body.text(name));
        body.unsigned(initial.len() as u64);
        for (holder, held) in initial {
            holder.encode(&mut body);
            held.encode(&mut body);
        }
        body.put(&self.functions.0);
        body.0
    }

    /// Which variables' initialisers hold which addresses.
    fn initial(&mut self, module: Module) -> Vec<(Operand, Operand)> {
        let mut pairs = Vec::new();
        for global in module.globals() {
            let Some(initial) = global.initializer() else { continue };
            let mut held = Vec::new();
            symbols_in(initial, &mut HashSet::new(), &mut held);
            let holder = self.symbol(global);
            pairs.extend(held.into_iter().map(|symbol| (holder, self.symbol(symbol))));
        }
        pairs
    }

    fn describe(&mut self, instruction: Value, values: &HashMap<Value, u32>) -> (Operation, Vec<Operand>) {
        use LLVMOpcode::*;
        let operands = instruction.operands();
        let mut some =
            |chosen: &[Value]| -> Vec<Operand> { chosen.iter().map(|value| self.operand(*value, values)).collect() };
        match instruction.opcode() {
            Some(LLVMAlloca) => (Operation::Local, Vec::new()),
            Some(LLVMLoad | LLVMVAArg) => (Operation::Load, some(&operands[..1])),
            Some(LLVMStore) => (Operation::Store, some(&[operands[1], operands[0]])),
            // Reads and writes one place.
            Some(LLVMAtomicRMW | LLVMAtomicCmpXchg) => {
                let mut uses = some(&[operands[0], operands[0]]);
                uses.extend(some(&operands[1..]));
                (Operation::Copy, uses)
            }
            Some(LLVMGetElementPtr | LLVMBitCast | LLVMAddrSpaceCast | LLVMIntToPtr | LLVMPtrToInt | LLVMFreeze) => {
                (Operation::Address, some(&operands))
            }
            Some(LLVMPHI) => {
                // Which value a phi is depends on how its block was reached.
                let arrivals = instruction.incoming();
                let ends = arrivals.iter().filter_map(|(_, block)| Block::terminator(*block));
                let chosen: Vec<Value> = arrivals.iter().map(|(value, _)| *value).chain(ends).collect();
                (Operation::Choose, some(&chosen))
            }
            Some(LLVMSelect) => (Operation::Choose, some(&operands)),
            Some(LLVMCall) => self.describe_call(&operands, values),
            Some(LLVMRet) => (Operation::Return, some(&operands)),
            Some(LLVMBr | LLVMSwitch | LLVMIndirectBr) => {
                let deciding = if instruction.is_conditional() { &operands[..1] } else { &[] };
                (Operation::Branch, some(deciding))
            }
            Some(LLVMUnreachable) => (Operation::Branch, Vec::new()),
            _ => (Operation::Compute, some(&operands)),
        }
    }

    fn describe_call(&mut self, operands: &[Value], values: &HashMap<Value, u32>) -> (Operation, Vec<Operand>) {
        let Some((callee, arguments)) = operands.split_last() else { return (Operation::Compute, Vec::new()) };
        let mut some =
            |chosen: &[Value]| -> Vec<Operand> { chosen.iter().map(|value| self.operand(*value, values)).collect() };
        let name = callee.name();
        if !callee.is_function() || !callee.is_intrinsic() {
            let mut uses = some(&[*callee]);
            uses.extend(some(arguments));
            return (Operation::Call, uses);
        }
        let copies = ["llvm.memcpy", "llvm.memmove", "llvm.va_copy"].iter().any(|kind| name.starts_with(kind));
        let writes = ["llvm.memset", "llvm.va_start"].iter().any(|kind| name.starts_with(kind));
        match (copies, writes) {
            (true, _) => (Operation::Copy, some(arguments)),
            (_, true) => {
                let mut uses = some(&arguments[..1]);
                uses.push(arguments.get(1).map_or(Operand::Constant, |value| self.operand(*value, values)));
                (Operation::Store, uses)
            }
            // Marks where a variable lives: uses nothing.
            _ if name.starts_with("llvm.lifetime") => (Operation::Compute, Vec::new()),
            _ => (Operation::Compute, some(arguments)),
        }
    }

    fn operand(&mut self, value: Value, values: &HashMap<Value, u32>) -> Operand {
        if let Some(number) = values.get(&value) {
            return Operand::Value(*number);
        }
        if value.is_function() || value.is_global_variable() {
            return self.symbol(value);
        }
        let mut symbols = Vec::new();
        if value.is_constant() {
            symbols_in(value, &mut HashSet::new(), &mut symbols);
        }
        symbols.first().map_or(Operand::Constant, |symbol| self.symbol(*symbol))
    }

    fn symbol(&mut self, global: Value) -> Operand {
        let next = self.names.len() as u32;
        let number = *self.numbers.entry(global).or_insert(next);
        if number == next {
            self.names.push(global.name());
        }
        if global.is_local() { Operand::LocalSymbol(number) } else { Operand::Symbol(number) }
    }
}

/// For each block, its pieces: number and first position.
fn pieces_of_blocks(pieces: &[PieceSite]) -> Vec<Vec<(u32, u32)>> {
    let mut blocks: Vec<Vec<(u32, u32)>> = Vec::new();
    for (number, piece) in (0..).zip(pieces) {
        if blocks.len() <= piece.block as usize {
            blocks.push(Vec::new());
        }
        blocks[piece.block as usize].push((number, piece.start));
    }
    blocks
}

/// The piece of a block that the instruction at a position is in; what stands before the first hook belongs to the first.
fn piece_at(pieces: &[(u32, u32)], position: u32) -> u32 {
    let after = pieces.partition_point(|(_, start)| *start <= position);
    pieces[after.saturating_sub(1)].0
}

/// The variables and functions whose addresses a constant is made of.
fn symbols_in(constant: Value, seen: &mut HashSet<Value>, found: &mut Vec<Value>) {
    if !seen.insert(constant) {
        return;
    }
    if constant.is_function() || constant.is_global_variable() {
        found.push(constant);
        return;
    }
    for operand in constant.operands().into_iter().filter(|operand| operand.is_constant()) {
        symbols_in(operand, seen, found);
    }
}

impl Module {
    /// The module's variables.
    pub fn globals(self) -> Vec<Value> {
        let next = |raw: LLVMValueRef| (!raw.is_null()).then_some(Value(raw));
        std::iter::successors(next(llvm!(LLVMGetFirstGlobal(self.0))), |global| {
            next(llvm!(LLVMGetNextGlobal(global.0)))
        })
        .collect()
    }
}

impl Value {
    /// A variable's initialiser.
    fn initializer(self) -> Option<Value> {
        let raw = llvm!(LLVMGetInitializer(self.0));
        (!raw.is_null()).then_some(Value(raw))
    }

    /// Whether a terminator has a choice.
    fn is_conditional(self) -> bool {
        self.successors().len() > 1
    }
}
