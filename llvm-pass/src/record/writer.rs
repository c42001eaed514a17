//! What a `record` version tells: steps with hooks before and around them, and their description for the body table.
//!
//! A copy of the front end's code is brought into a canonical form (`shim/record/canonical.cpp`); then each step's instructions are put right
//! before it in the order in which its trees say them, so that a reader of the recording knows which value comes next.

mod calls;
mod jumps;
mod memory;

use std::collections::{HashMap, HashSet};

use inkwell::llvm_sys::core::*;
use suspect_format::abi;
use suspect_format::body::{ADDRESSES_MAGIC, Action, Datum, SECTION_ADDRESSES, Step};
use suspect_format::site::{Place, Sink};

use crate::inject::marker::hook;
use crate::inject::overrides::widened;
use crate::llvm::builder::Builder;
use crate::llvm::ir::{self, Block, LLVMIntPredicate, LLVMOpcode, Module, Value, llvm};
use crate::llvm::shim;
use crate::record::bodies::Bodies;
use crate::record::frames::{self, Frame};
use crate::record::trees::{Part, Trees, is_wide, type_of};
use crate::record::version::Version;
use crate::table::Files;

/// Most bytes that are cleared without a call.
const MOST_STORES: u64 = 16;

/// Puts the hooks into a version and writes its record. `versions` are the numbers of the unit's `record` versions.
pub fn record(version: &Version, bodies: &mut Bodies, versions: &HashMap<Value, u32>, files: &mut Files) {
    let (module, code) = (version.module, version.code);
    llvm!(shim::suspect_record_copy_locations(version.original.0, code.0));
    let variables = frames::variables(version.original, code);
    let locals = frames::slots_of(code);
    let mut known: Vec<_> = bodies.known.iter().map(|global| global.0).collect();
    llvm!(shim::suspect_record_canonicalise(code.0, known.as_mut_ptr(), known.len()));
    let blocks: Vec<(Block, Vec<Value>)> =
        code.blocks().into_iter().map(|block| (block, block.instructions())).collect();
    let calls = blocks.iter().flat_map(|(_, code)| code).filter(|one| one.is(LLVMOpcode::LLVMCall));
    let n_arguments = calls.map(|call| llvm!(shim::suspect_record_n_arguments(call.0))).max().unwrap_or(0);
    let frame = Frame::of(version, &locals, variables, n_arguments, &bodies.known.clone());
    let entry = blocks[0].1.iter().copied().find(|one| !is_entry(*one));
    let numbers = blocks.iter().map(|(block, _)| *block).zip(0..).collect();
    let hash = abi::piece_id(version.unit_hash, version.number).wrapping_mul(0x9e37_79b1);
    let mut trees = Trees::new(module, bodies, &frame.slots, hash);
    let slots: Vec<u16> = frame.parameters().iter().map(|_| trees.recorded()).collect();
    let mut writer = Writer {
        version,
        frame: &frame,
        trees,
        versions,
        files,
        blocks: numbers,
        place: Place::default(),
        n_steps: 0,
        placed: HashSet::new(),
    };
    let entered = entry.map(|first| writer.enter(first, &slots));
    for (_, instructions) in &blocks {
        writer.block(instructions);
    }
    let steps = std::mem::take(&mut writer.trees.out);
    let symbols = std::mem::take(&mut writer.trees.symbols);
    let mut trees = writer.trees;
    frame.encode(version, &mut trees, &slots, symbols.len() as u32, blocks.len() as u32);
    symbols.iter().for_each(|symbol| trees.out.unsigned(u64::from(*symbol)));
    trees.out.put(&steps.0);
    let record = std::mem::take(&mut trees.out);
    bodies.add(&record);
    if let Some(call) = entered {
        call.set_operand(3, addresses(version, bodies, &symbols));
    }
    frame.merge(code);
    llvm!(shim::suspect_record_drop_locations(code.0));
}

/// The addresses of the symbols that a version names.
fn addresses(version: &Version, bodies: &Bodies, symbols: &[u32]) -> Value {
    let words = [ADDRESSES_MAGIC, version.unit_hash, u64::from(version.number), symbols.len() as u64];
    let mut symbols: Vec<_> = symbols.iter().map(|symbol| bodies.symbol_of(*symbol).0).collect();
    let section = SECTION_ADDRESSES;
    Value(llvm!(shim::suspect_record_addresses(
        version.code.0,
        words.as_ptr(),
        words.len(),
        symbols.as_mut_ptr(),
        symbols.len(),
        section.as_ptr().cast(),
        section.len(),
    )))
}

/// Whether an instruction belongs to the entry: makes a slot or takes a parameter there.
fn is_entry(instruction: Value) -> bool {
    let takes = |value: Value| {
        value.operands().first().is_some_and(|operand| operand.is_argument())
            || value.operand(1).is_some_and(Value::is_argument)
    };
    Part::of(instruction) == Part::Nothing && (instruction.is(LLVMOpcode::LLVMAlloca) || takes(instruction))
}

struct Writer<'a> {
    version: &'a Version,
    frame: &'a Frame,
    trees: Trees<'a>,
    versions: &'a HashMap<Value, u32>,
    files: &'a mut Files,
    blocks: HashMap<Block, u32>,
    /// Of the step before.
    place: Place,
    n_steps: u32,
    /// Instructions that a step has already put in their place.
    placed: HashSet<Value>,
}

impl Writer<'_> {
    fn block(&mut self, instructions: &[Value]) {
        let steps: Vec<Value> = instructions.iter().copied().filter(|one| Part::of(*one) == Part::Step).collect();
        let before = std::mem::take(&mut self.trees.out);
        let first = self.n_steps;
        steps.into_iter().for_each(|step| self.step(step));
        let written = std::mem::replace(&mut self.trees.out, before);
        self.trees.out.unsigned(u64::from(self.n_steps - first));
        self.trees.out.put(&written.0);
    }

    fn module(&self) -> Module {
        self.version.module
    }

    fn before(&self, instruction: Value) -> Builder {
        Builder::before(self.module(), instruction)
    }

    fn hook(&self, builder: &Builder, name: &str, arguments: &[Value]) -> Value {
        let (module, word, pointer, number) =
            (self.module(), self.module().int(64), self.module().pointer(), self.module().int(32));
        let (returns, parameters) = match name {
            abi::HOOK_ENTER => (number, vec![number, pointer, pointer, pointer]),
            abi::HOOK_STEP => (module.void(), vec![number]),
            abi::HOOK_LOADED => (module.void(), vec![number, word]),
            abi::HOOK_BRANCH => (word, vec![word, number]),
            abi::HOOK_CALL => (module.void(), vec![number, pointer, pointer, number]),
            _ => (module.void(), vec![pointer, word]),
        };
        builder.call(hook(module, name, returns, &parameters), arguments)
    }

    fn number(&self, number: u32) -> Value {
        self.module().constant(32, u64::from(number))
    }

    /// Writes a step's head, and has the process say before `step` that it is about to begin.
    fn begin(&mut self, step: Value, action: Action) {
        self.begin_before(step, step, action);
    }

    /// As [`Self::begin`], of a step that begins before `instruction` and is where `located` is.
    fn begin_before(&mut self, located: Value, instruction: Value, action: Action) {
        if let Some((line, column, scope)) = ir::debug_location(located)
            && line > 0
        {
            self.place = Place { file: self.files.of_scope(scope), line, column };
        }
        Step { place: self.place, action }.encode(&mut self.trees.out);
        let number = self.n_steps;
        self.n_steps += 1;
        if matches!(action, Action::Jump(_) | Action::Unreachable) {
            return;
        }
        // A call rather than a store and a look at whether somebody waits for it: half as many instructions and blocks to compile.
        self.hook(&self.before(instruction), abi::HOOK_STEP, &[self.number(number)]);
    }

    /// Puts code before `instruction` that runs if the condition holds, which it seldom does.
    fn aside(
        &self,
        condition: inkwell::llvm_sys::prelude::LLVMValueRef,
        instruction: Value,
        code: impl FnOnce(&Self, &Builder),
    ) {
        let block = Block(llvm!(shim::suspect_divert(condition, instruction.0)));
        let builder = Builder::at_end(self.module(), block);
        code(self, &builder);
        llvm!(LLVMBuildBr(builder.raw(), LLVMGetInstructionParent(instruction.0)));
    }

    /// Puts the instructions of the step's trees before it, with a hook after each value that is recorded.
    fn settle(&mut self, step: Value) {
        for (instruction, slot) in std::mem::take(&mut self.trees.order) {
            if self.placed.insert(instruction) {
                llvm!(shim::suspect_record_move_before(instruction.0, step.0));
                if let Some(slot) = slot {
                    self.recorded(&self.before(step), slot, instruction);
                }
            }
        }
    }

    fn recorded(&self, builder: &Builder, slot: u16, value: Value) {
        let bits = widened(self.module(), builder, value);
        self.hook(builder, abi::HOOK_LOADED, &[self.number(u32::from(slot)), bits]);
    }

    fn step(&mut self, step: Value) {
        use LLVMOpcode::*;
        match step.opcode() {
            Some(LLVMStore) => self.store(step),
            Some(LLVMCall) => self.call_or_intrinsic(step),
            Some(LLVMAtomicRMW) => self.update(step),
            Some(LLVMAtomicCmpXchg) => self.exchange(step),
            Some(LLVMAlloca) => self.dynamic(step),
            Some(LLVMBr) => self.branch(step),
            Some(LLVMSwitch) => self.switch(step),
            Some(LLVMRet) => self.leave(step),
            _ => self.begin(step, Action::Unreachable),
        }
    }

    /// The address so many bytes after another one.
    fn at(&self, builder: &Builder, address: Value, bytes: u64) -> Value {
        let (byte, mut path) = (self.module().int(8), [self.module().constant(64, bytes).0]);
        Value(llvm!(LLVMBuildGEP2(builder.raw(), byte.0, address.0, path.as_mut_ptr(), 1, c"".as_ptr())))
    }

    fn clear(&self, builder: &Builder, address: Value, size: Value) {
        let zero = self.module().constant(8, 0);
        llvm!(LLVMBuildMemSet(builder.raw(), address.0, zero.0, size.0, 1));
    }

    /// The slot that a step's result is stored to right after it.
    fn result(&self, step: Value) -> Option<(Value, Datum)> {
        let store = step.next().filter(|next| next.is(LLVMOpcode::LLVMStore) && next.operand(0) == Some(step))?;
        let slot = store.operand(1).filter(|_| Part::of(store) == Part::Nothing)?;
        Some((slot, self.datum(step.kind())))
    }

    fn datum(&self, kind: ir::Type) -> Datum {
        match is_wide(kind) {
            true => Datum::Bytes(llvm!(shim::suspect_record_size(self.module().0, kind.0, true)) as u32),
            false => Datum::Value(type_of(kind)),
        }
    }

    /// Hooks at the entry, before `first`. The call that is yet to be given the addresses of the function's symbols.
    fn enter(&self, first: Value, slots: &[u16]) -> Value {
        let (module, version) = (self.module(), self.version);
        let builder = self.before(first);
        if self.frame.cleared > 8 * MOST_STORES {
            self.clear(&builder, self.frame.start, module.constant(64, self.frame.cleared));
        } else {
            for at in (0..self.frame.cleared).step_by(8) {
                builder.store(module.constant(64, 0), self.at(&builder, self.frame.start, at));
            }
        }
        let id = self.number(abi::piece_id(version.unit_hash, version.number));
        let null = Value(llvm!(LLVMConstNull(module.pointer().0)));
        let call = self.hook(&builder, abi::HOOK_ENTER, &[id, self.frame.start, version.symbol, null]);
        let zero = self.number(0);
        let asked = llvm!(LLVMBuildICmp(builder.raw(), LLVMIntPredicate::LLVMIntNE, call.0, zero.0, c"".as_ptr()));
        if slots.is_empty() {
            return call;
        }
        self.aside(asked, first, |writer, builder| {
            for ((parameter, datum), slot) in writer.frame.parameters().iter().zip(slots) {
                writer.tell_parameter(builder, *parameter, *datum, *slot);
            }
        });
        call
    }

    fn tell_parameter(&self, builder: &Builder, parameter: Value, datum: Datum, slot: u16) {
        let size = u64::from(datum.bytes());
        for at in (0..size).step_by(8) {
            let bits = match datum {
                Datum::Value(of) => of.bits(),
                Datum::Bytes(_) => 8 * (size - at).min(8) as u32,
            };
            let word = builder.load(self.module().int(bits), self.at(builder, parameter, at));
            self.recorded(builder, slot, word);
        }
    }
}
