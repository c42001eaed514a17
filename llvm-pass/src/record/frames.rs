//! The frame of a `record` version: where its parameters, variables, arguments and temporary values are.

use std::collections::{BTreeMap, HashMap, HashSet};

use inkwell::llvm_sys::core::*;
use suspect_format::body::{Datum, Function, Parameter, Variable};

use crate::llvm::builder::Builder;
use crate::llvm::debug_info::{Info, class_of};
use crate::llvm::ir::{Block, LLVMOpcode, LLVMTypeKind, Module, Type, Value, llvm};
use crate::llvm::shim;
use crate::record::trees::{Slots, Trees, is_wide, type_of};
use crate::record::version::Version;

/// Alignment of a frame's words and of what calls need.
const WORD: u64 = 8;

/// A frame's layout.
pub struct Frame {
    /// Where each slot is, and which of them only the function's own steps see.
    pub slots: Slots,
    /// The slot that is where the frame begins.
    pub start: Value,
    /// The slot of the words of arguments.
    pub arguments: Value,
    /// Bytes from the start that are cleared at entry.
    pub cleared: u64,
    /// The slots in the order in which they were placed, so that the same code is made each time.
    placed: Vec<Value>,
    size: u64,
    align: u64,
    parameters: Vec<(Value, Datum)>,
    variables: Vec<(Value, Info)>,
}

/// Where the source's variables are before anything is moved: each slot with its variable, each parameter that is one.
pub fn variables(original: Value, code: Value) -> Vec<(Value, Info)> {
    let locals = |function: Value| {
        let entry = function.blocks().first().map(|block| block.instructions()).unwrap_or_default();
        let slots = entry.into_iter().filter(|one| one.is(LLVMOpcode::LLVMAlloca));
        slots.chain(function.parameters()).collect::<Vec<_>>()
    };
    let named = locals(original).into_iter().zip(locals(code));
    named.filter_map(|(old, new)| Some((new, Info::variable_of(old)?))).collect()
}

impl Frame {
    /// Lays out the frame of a canonical function. `variables` as [`variables`] found them, `locals` its slots then; at most `n_arguments`
    /// arguments are passed to what has hooks. `known` are variables that only loads and stores see.
    pub fn of(
        version: &Version,
        locals: &[Value],
        variables: Vec<(Value, Info)>,
        n_arguments: u32,
        known: &[Value],
    ) -> Frame {
        let (module, code) = (version.module, version.code);
        let parameters = parameters_of(module, code);
        let entry = code.blocks()[0];
        let builder = Builder::before(module, entry.instructions()[0]);
        let arguments = builder.slot(module.words(n_arguments.max(1)));
        let start = builder.slot(module.words(1));
        let mut plan = Plan { offsets: HashMap::new(), placed: vec![start], end: 0, align: 2 * WORD };
        let is_parameter = |slot: &Value| parameters.iter().any(|parameter| parameter.0 == *slot);
        for slot in locals.iter().filter(|slot| !is_parameter(slot)) {
            plan.place(*slot);
        }
        plan.round(WORD);
        let cleared = plan.end;
        plan.offsets.insert(start, 0);
        for slot in parameters.iter().map(|parameter| parameter.0).chain([arguments]) {
            plan.round(WORD);
            plan.place(slot);
        }
        plan.temporaries(code);
        plan.round(plan.align);
        let slots = Slots { known: known_slots(code, plan.placed.clone(), known), offsets: plan.offsets };
        let in_slot = |storage: Value| if storage.is_argument() { slot_of(storage) } else { Some(storage) };
        let in_frame = |storage: &Value| slots.offsets.contains_key(storage);
        let variables =
            variables.into_iter().filter_map(|(storage, info)| Some((in_slot(storage).filter(in_frame)?, info)));
        let variables = variables.collect();
        let (size, align, placed) = (plan.end.max(WORD), plan.align, plan.placed);
        Frame { slots, start, arguments, cleared, placed, size, align, parameters, variables }
    }

    /// The slots of the parameters, in order.
    pub fn parameters(&self) -> &[(Value, Datum)] {
        &self.parameters
    }

    /// The function's head, and what follows it up to its symbols.
    pub fn encode(&self, version: &Version, trees: &mut Trees, slots: &[u16], n_symbols: u32, n_blocks: u32) {
        let head = Function {
            frame_size: self.size,
            arguments: self.slots.offsets[&self.arguments],
            variadic: version.code.is_variadic(),
            n_parameters: self.parameters.len() as u32,
            n_variables: self.variables.len() as u32,
            n_symbols,
            n_blocks,
        };
        head.encode(&mut trees.out);
        for ((slot, datum), number) in self.parameters.iter().zip(slots) {
            Parameter { offset: self.slots.offsets[slot], datum: *datum, slot: *number }.encode(&mut trees.out);
        }
        for (slot, info) in &self.variables {
            self.encode_variable(*slot, *info, trees);
        }
    }

    fn encode_variable(&self, slot: Value, info: Info, trees: &mut Trees) {
        let (name, kind) = (info.name(), info.base());
        let type_name = kind.map(Info::type_name).unwrap_or_default();
        let mut align = 0;
        let size = llvm!(shim::suspect_record_slot_size(slot.0, &mut align));
        let variable = Variable {
            name: &name,
            type_name: &type_name,
            class: class_of(kind.map(element), element_type(slot)),
            offset: self.slots.offsets[&slot],
            size,
            parameter: info.argument(),
        };
        variable.encode(&mut trees.out);
    }

    /// Puts the slots into one object. Last, because it changes what addresses are.
    pub fn merge(self, code: Value) {
        let at = |slot: &Value| (slot.0, self.slots.offsets[slot]);
        let (mut slots, offsets): (Vec<_>, Vec<_>) = self.placed.iter().map(at).unzip();
        let (slots, offsets, count) = (slots.as_mut_ptr(), offsets.as_ptr(), offsets.len());
        llvm!(shim::suspect_record_frame(code.0, slots, offsets, count, self.size, self.align));
    }
}

/// Slots that one block alone uses, by the block's position.
type OfBlocks = BTreeMap<u32, Vec<Value>>;

/// Lays slots out one after another.
struct Plan {
    offsets: HashMap<Value, u64>,
    placed: Vec<Value>,
    end: u64,
    align: u64,
}

impl Plan {
    fn round(&mut self, align: u64) {
        self.end = self.end.next_multiple_of(align);
    }

    fn place(&mut self, slot: Value) {
        let mut align = 1;
        let size = llvm!(shim::suspect_record_slot_size(slot.0, &mut align));
        self.align = self.align.max(align);
        self.round(align);
        self.offsets.insert(slot, self.end);
        self.placed.push(slot);
        self.end += size;
    }

    /// All slots that are left. Those that one block alone uses share their places with those of other blocks that hold the same type, unless
    /// control may come back into the middle of a block. Of the same type: a frame is told apart into parts as its accesses are, and an address
    /// that a number lies in the place of would be in two parts, which are none.
    fn temporaries(&mut self, code: Value) {
        let again = code.blocks().into_iter().flat_map(Block::instructions).any(is_left_twice);
        let positions: HashMap<Block, u32> = code.blocks().into_iter().zip(0..).collect();
        let left = slots_of(code).into_iter().filter(|slot| !self.offsets.contains_key(slot));
        let (mut shared, mut own): (Vec<(Type, OfBlocks)>, Vec<Value>) = Default::default();
        for slot in left {
            let blocks: HashSet<Block> = slot.users().into_iter().map(Value::block).collect();
            match blocks.into_iter().collect::<Vec<_>>()[..] {
                [block] if !again => {
                    let kind = Type(llvm!(LLVMGetAllocatedType(slot.0)));
                    let place = shared.iter().position(|(of, _)| *of == kind).unwrap_or_else(|| {
                        shared.push((kind, OfBlocks::new()));
                        shared.len() - 1
                    });
                    shared[place].1.entry(positions[&block]).or_default().push(slot);
                }
                _ => own.push(slot),
            }
        }
        for slot in own {
            self.round(WORD);
            self.place(slot);
        }
        for (_, of_blocks) in shared {
            self.round(WORD);
            let (start, mut end) = (self.end, self.end);
            for slots in of_blocks.into_values() {
                self.end = start;
                for slot in slots {
                    self.round(WORD);
                    self.place(slot);
                }
                end = end.max(self.end);
            }
            self.end = end;
        }
    }
}

fn is_left_twice(instruction: Value) -> bool {
    instruction.is(LLVMOpcode::LLVMCall) && instruction.call_has("returns_twice")
}

/// The slots of a function: what it allocates once when it is entered.
pub fn slots_of(code: Value) -> Vec<Value> {
    let entry = code.blocks().first().map(|block| block.instructions()).unwrap_or_default();
    entry
        .into_iter()
        .filter(|one| one.is(LLVMOpcode::LLVMAlloca) && llvm!(shim::suspect_record_part(one.0)) == 0)
        .collect()
}

fn known_slots(code: Value, slots: Vec<Value>, known: &[Value]) -> HashSet<Value> {
    let mut globals: Vec<_> = known.iter().map(|global| global.0).collect();
    let mut handles: Vec<_> = slots.iter().map(|slot| slot.0).collect();
    let mut answers = vec![false; slots.len()];
    let (globals, n_globals) = (globals.as_mut_ptr(), globals.len());
    let (handles, answer, count) = (handles.as_mut_ptr(), answers.as_mut_ptr(), answers.len());
    llvm!(shim::suspect_record_known_slots(code.0, globals, n_globals, handles, answer, count));
    slots.into_iter().zip(answers).filter(|(_, known)| *known).map(|(slot, _)| slot).collect()
}

fn parameters_of(module: Module, code: Value) -> Vec<(Value, Datum)> {
    let datum = |parameter: Value| {
        let copied = llvm!(shim::suspect_record_copied_parameter(parameter.0));
        match (copied.is_null(), is_wide(parameter.kind())) {
            (false, _) => Datum::Bytes(llvm!(shim::suspect_record_size(module.0, copied, false)) as u32),
            (_, true) => Datum::Bytes(llvm!(shim::suspect_record_size(module.0, parameter.kind().0, true)) as u32),
            _ => Datum::Value(type_of(parameter.kind())),
        }
    };
    code.parameters().into_iter().filter_map(|parameter| Some((slot_of(parameter)?, datum(parameter)))).collect()
}

/// The slot that a parameter is stored or copied to at entry.
fn slot_of(parameter: Value) -> Option<Value> {
    let user = parameter.users().into_iter().next()?;
    user.operand(if user.is(LLVMOpcode::LLVMStore) { 1 } else { 0 })
}

/// What an array consists of; other types themselves.
fn element(info: Info) -> Info {
    match info.is_array() {
        true => info.stripped().base().map_or(info, element),
        false => info,
    }
}

fn element_type(slot: Value) -> Type {
    let mut kind = Type(llvm!(LLVMGetAllocatedType(slot.0)));
    while kind.kind() == LLVMTypeKind::LLVMArrayTypeKind {
        kind = Type(llvm!(LLVMGetElementType(kind.0)));
    }
    kind
}
