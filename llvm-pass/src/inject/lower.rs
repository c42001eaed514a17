//! Lowering: at the end of the pipeline markers become code, and the unit gets its words and their descriptor.

use std::ffi::CStr;

use inkwell::llvm_sys::core::*;
use suspect_format::abi::{self, HASH_FACTOR, STATE_LAST, STATE_WORDS};

use crate::inject::base::Words;
use crate::inject::marker::{Marker, hook};
use crate::inject::overrides::widened;
use crate::inject::pieces;
use crate::llvm::builder::{Builder, word_address};
use crate::llvm::global::in_section;
use crate::llvm::global::set_section;
use crate::llvm::global::weak_global;
use crate::llvm::ir::{Block, LLVMLinkage, LLVMOpcode, Module, Type, Value, llvm};
use crate::llvm::shim;

/// Where the first pass leaves the unit's numbers for the last.
pub const NUMBERS: &CStr = c"suspect.unit";

/// Name of the function that calls the runtime for fuel.
const REFUEL: &str = "suspect.refuel";
/// LLVM's number of the convention by which a function leaves all registers as they were.
const PRESERVE_ALL: u32 = 15;
/// Name of the bytes of operations.
pub const OPERATIONS: &str = "suspect.operation.bytes";
/// Name of the bytes of gates.
pub const GATES: &str = "suspect.gate.bytes";

/// What the first pass leaves: the unit's hash, its counters, values, gates and operations.
#[derive(Clone, Copy, Debug)]
pub struct UnitNumbers {
    /// The unit's identity.
    pub unit_hash: u64,
    /// Counters.
    pub n_counters: u32,
    /// Values.
    pub n_values: u32,
    /// Functions that have a gate.
    pub n_gates: u32,
    /// Operations.
    pub n_operations: u32,
}

impl UnitNumbers {
    /// Leaves the numbers in the module.
    pub fn leave(self, module: Module) {
        let numbers = [self.n_counters, self.n_values, self.n_gates, self.n_operations].map(u64::from);
        module.leave(NUMBERS, &[&[self.unit_hash][..], &numbers].concat());
    }

    /// Takes them out of it again; `None` when the first pass did nothing.
    pub fn take(module: Module) -> Option<UnitNumbers> {
        let numbers = module.take(NUMBERS)?;
        let [unit_hash, rest @ ..] = &numbers[..] else { return None };
        let rest: Vec<u32> = rest.iter().map(|number| *number as u32).collect();
        let [n_counters, n_values, n_gates, n_operations] = rest[..] else { return None };
        Some(UnitNumbers { unit_hash: *unit_hash, n_counters, n_values, n_gates, n_operations })
    }
}

/// Lowers all markers of `module`.
pub fn lower(module: Module, unit: UnitNumbers) {
    let words = module.words(unit.n_counters + unit.n_values);
    let words = Words::new(module, words, data(module, words));
    let lowering = Lowering { module, unit, words, state: state(module) };
    lowering.descriptor();
    for function in module.functions() {
        pieces::drop_passed(function);
    }
    for marker in Marker::ALL {
        let Some(function) = module.function(marker.name()) else { continue };
        for call in function.users() {
            lowering.marker(marker, call);
            call.erase();
        }
        llvm!(LLVMDeleteFunction(function.0));
    }
}

/// The state page: weak and small here, strong and whole in the runtime.
fn state(module: Module) -> Value {
    weak_global(module, abi::SYMBOL_STATE, module.words(STATE_WORDS as u32), 16)
}

fn data(module: Module, words: Type) -> Value {
    let data = module.add_global("suspect.words", words);
    in_section(data, words, abi::SECTION_DATA, 16);
    data
}

struct Lowering {
    module: Module,
    unit: UnitNumbers,
    words: Words,
    state: Value,
}

/// Where a marker is replaced.
struct Place {
    builder: Builder,
    function: Value,
}

impl Lowering {
    fn marker(&self, marker: Marker, call: Value) {
        // The number is a constant as long as nothing merges two markers, which `nomerge` forbids; a wrong number would
        // make the program write elsewhere, so it is not taken on trust.
        let Some(number) = call.operand(0).and_then(Value::integer).and_then(|number| u32::try_from(number).ok())
        else {
            self.module.error("suspect: internal error: the optimizer merged two hooks");
            return;
        };
        let function = Value(llvm!(LLVMGetBasicBlockParent(call.block().0)));
        let place = Place { builder: Builder::before(self.module, call), function };
        let builder = &place.builder;
        match (marker, call.operand(1)) {
            (Marker::Count, _) => self.add(builder, self.word(&place, number), self.module.constant(64, 1)),
            (Marker::CountIf, Some(condition)) => {
                let one = builder.cast(LLVMOpcode::LLVMZExt, condition, self.module.int(64));
                self.add(builder, self.word(&place, number), one);
            }
            (Marker::CountAt, Some(offset)) => self.count_at(&place, number, offset),
            (Marker::Piece, _) => self.piece(builder, number),
            (Marker::Burn, _) => self.burn(call),
            (Marker::State, _) => builder.store(self.module.constant(64, 1), self.state_word(number)),
            (Marker::Value, Some(value)) => self.value(&place, number, value),
            (Marker::Turn, Some(counter)) => self.turn(&place, number, counter),
            (Marker::Log | Marker::Pointer | Marker::Text, Some(value)) => {
                let slot = self.word(&place, self.unit.n_counters + number);
                self.ask(builder, marker, call, slot, value);
            }
            _ => {}
        }
    }

    /// Counts the module's fuel down; the runtime is called when it has just gone below zero.
    fn burn(&self, before: Value) {
        let fuel = weak_global(self.module, abi::SYMBOL_FUEL, self.module.int(64), 8);
        llvm!(shim::suspect_burn(before.0, fuel.0, self.refuel().0));
    }

    /// A function that calls the runtime for fuel and keeps all registers, so that loops need not make room for a call that is hardly
    /// ever made.
    fn refuel(&self) -> Value {
        if let Some(function) = self.module.function(REFUEL) {
            return function;
        }
        let module = self.module;
        let function = module.declare(REFUEL, module.void(), &[], false);
        llvm!({
            LLVMSetLinkage(function.0, LLVMLinkage::LLVMInternalLinkage);
            LLVMSetFunctionCallConv(function.0, PRESERVE_ALL);
            let block = Block(LLVMAppendBasicBlockInContext(module.context(), function.0, c"".as_ptr()));
            let builder = Builder::at_end(module, block);
            builder.call(hook(module, abi::HOOK_REFUEL, module.void(), &[]), &[]);
            LLVMBuildRetVoid(builder.raw());
        });
        for attribute in ["noinline", "cold", "nounwind"] {
            function.add_attribute(module.context(), attribute, 0);
        }
        function
    }

    fn word(&self, place: &Place, index: u32) -> Value {
        self.words.address(&place.builder, place.function, index)
    }

    fn state_word(&self, index: u32) -> Value {
        word_address(self.module, self.module.words(STATE_WORDS as u32), self.state, index)
    }

    fn add(&self, builder: &Builder, address: Value, amount: Value) {
        let before = builder.load(self.module.int(64), address);
        builder.store(builder.binary(LLVMOpcode::LLVMAdd, before, amount), address);
    }

    fn count_at(&self, place: &Place, number: u32, offset: Value) {
        let builder = &place.builder;
        let wide = builder.cast(LLVMOpcode::LLVMZExt, offset, self.module.int(64));
        let mut path = [wide.0];
        let int = self.module.int(64);
        let first = self.word(place, number);
        let address =
            Value(llvm!(LLVMBuildInBoundsGEP2(builder.raw(), int.0, first.0, path.as_mut_ptr(), 1, c"".as_ptr())));
        self.add(builder, address, self.module.constant(64, 1));
    }

    fn piece(&self, builder: &Builder, number: u32) {
        let id = self.module.constant(32, u64::from(abi::piece_id(self.unit.unit_hash, number)));
        builder.store(id, self.state_word(STATE_LAST as u32));
    }

    /// [`abi::trajectory_hash`], inline.
    fn value(&self, place: &Place, number: u32, value: Value) {
        let builder = &place.builder;
        use LLVMOpcode::*;
        let address = self.word(place, self.unit.n_counters + number);
        let before = builder.load(self.module.int(64), address);
        let scaled = builder.binary(LLVMMul, before, self.module.constant(64, HASH_FACTOR));
        builder.store(builder.binary(LLVMAdd, scaled, widened(self.module, builder, value)), address);
    }

    /// [`abi::predicate_hash`], inline.
    fn turn(&self, place: &Place, number: u32, counter: Value) {
        let builder = &place.builder;
        let Some(counter) = counter.integer().and_then(|counter| u32::try_from(counter).ok()) else { return };
        let address = self.word(place, self.unit.n_counters + number);
        let before = builder.load(self.module.int(64), address);
        let scaled = builder.binary(LLVMOpcode::LLVMMul, before, self.module.constant(64, HASH_FACTOR));
        let taken = builder.load(self.module.int(64), self.word(place, counter));
        let sum = builder.binary(LLVMOpcode::LLVMAdd, scaled, taken);
        builder.store(builder.binary(LLVMOpcode::LLVMAdd, sum, self.module.constant(64, 1)), address);
    }

    /// Calls the runtime for `value`, which goes on with the trajectory's hash; its answer takes the place of the marker's.
    fn ask(&self, builder: &Builder, marker: Marker, call: Value, slot: Value, value: Value) {
        let (pointer, word) = (self.module.pointer(), self.module.int(64));
        let (name, returns, takes) = match marker {
            Marker::Text => (abi::HOOK_TEXT, pointer, pointer),
            Marker::Pointer => (abi::HOOK_POINTER, pointer, pointer),
            _ => (abi::HOOK_NODE, word, word),
        };
        let answer = builder.call(hook(self.module, name, returns, &[pointer, takes]), &[slot, value]);
        llvm!(shim::suspect_no_sanitize_instruction(answer.0));
        call.replace_by(answer);
    }

    /// The unit's [`suspect_format::trace::UnitDescriptor`].
    fn descriptor(&self) {
        let module = self.module;
        llvm!({
            let (long, int) = (module.int(64).0, module.int(32).0);
            let mut fields = [long, long, long, long, int, int, int, int];
            let kind = LLVMStructTypeInContext(module.context(), fields.as_mut_ptr(), 8, 0);
            let descriptor = module.add_global("suspect.descriptor", Type(kind));
            let relative = |number: u64, target: Option<Value>| {
                let Some(target) = target else { return module.constant(64, 0).0 };
                let mut path = [module.constant(64, 0).0, module.constant(32, number).0];
                let field = LLVMConstInBoundsGEP2(kind, descriptor.0, path.as_mut_ptr(), 2);
                LLVMConstSub(LLVMConstPtrToInt(target.0, long), LLVMConstPtrToInt(field, long))
            };
            let number = |number: u32| module.constant(32, u64::from(number)).0;
            let mut values = [
                module.constant(64, self.unit.unit_hash).0,
                relative(1, Some(self.words.data)),
                relative(2, module.global(GATES)),
                relative(3, module.global(OPERATIONS)),
                number(self.unit.n_counters),
                number(self.unit.n_values),
                number(self.unit.n_gates),
                number(self.unit.n_operations),
            ];
            LLVMSetInitializer(descriptor.0, LLVMConstStructInContext(module.context(), values.as_mut_ptr(), 8, 0));
            LLVMSetLinkage(descriptor.0, LLVMLinkage::LLVMInternalLinkage);
            LLVMSetGlobalConstant(descriptor.0, 1);
            LLVMSetAlignment(descriptor.0, 8);
            set_section(descriptor, abi::SECTION_UNITS);
            shim::suspect_set_no_sanitize(descriptor.0);
            shim::suspect_keep(module.0, descriptor.0, true);
        })
    }
}
