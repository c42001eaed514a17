//! The `record` version: steps with hooks before and around them, and their description for the body table.
//!
//! A copy of the front end's code is brought into a canonical form (`shim/record.cpp`); then each step's instructions are put right
//! before it in the order in which its trees say them, so that a reader of the recording knows which value comes next.

use std::collections::{HashMap, HashSet};
use std::ffi::c_uint;

use inkwell::llvm_sys::core::*;
use suspect_format::abi;
use suspect_format::body::{
    ADDRESSES_MAGIC, Action, Argument, Binary, Callee, Case, Datum, SECTION_ADDRESSES, Step, Token, Type,
};
use suspect_format::external;
use suspect_format::site::{Place, Sink};

use crate::inject::marker::hook;
use crate::inject::overrides::widened;
use crate::llvm::builder::Builder;
use crate::llvm::ir::{self, Block, LLVMIntPredicate, LLVMOpcode, LLVMTypeKind, Module, Value, llvm};
use crate::llvm::shim;
use crate::record::bodies::Bodies;
use crate::record::frames::{self, Frame};
use crate::record::trees::{Part, Trees, is_wide, n_words, told_operands, type_of, words};
use crate::table::Files;

/// Most bytes that are cleared without a call.
const MOST_STORES: u64 = 16;

/// A function's `record` version.
pub struct Version {
    /// Its module.
    pub module: Module,
    /// Its code.
    pub code: Value,
    /// The code that it is a copy of, with debug information.
    pub original: Value,
    /// The function as others know it.
    pub symbol: Value,
    /// Its number in the site table.
    pub number: u32,
    /// Hash of the unit's site table.
    pub unit_hash: u64,
}

/// Variables that only loads and stores of the unit see; none if some of its functions have no version.
pub fn known_variables(module: Module, all_have_versions: bool) -> Vec<Value> {
    let mut known = vec![std::ptr::null_mut(); if all_have_versions { module.globals().len() } else { 0 }];
    let count = llvm!(shim::suspect_record_known(module.0, known.as_mut_ptr(), known.len()));
    known.into_iter().take(count).map(Value).collect()
}

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

/// What a call is to its caller.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hooks {
    None,
    Around,
    Setjmp,
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

    fn store(&mut self, step: Value) {
        let (Some(value), Some(address)) = (step.operand(0), step.operand(1)) else { return };
        if !is_wide(value.kind()) {
            self.begin(step, Action::Store(type_of(value.kind())));
            self.trees.value(value);
            self.trees.value(address);
            return self.settle(step);
        }
        if value.is(LLVMOpcode::LLVMLoad) {
            self.begin(step, Action::Copy);
            self.trees.value(address);
            self.trees.wide(value);
            let size = llvm!(shim::suspect_record_size(self.module().0, value.kind().0, true));
            self.trees.word(size);
            return self.settle(step);
        }
        let operands = told_operands(value);
        let n_operands = operands.iter().map(|one| n_words(self.module(), one.kind())).sum();
        let after = step.next().unwrap_or(step);
        let words = Words { located: step, before: step, after, address, kind: value.kind() };
        self.recorded_words(&words, |trees, slot, of| {
            trees.token(Token::Opaque { of, slot, n_operands });
            operands.iter().for_each(|operand| trees.words_or_value(*operand));
            trees.order.push((value, None));
        });
    }

    /// Steps that store the words of a wide value, each as it is recorded. `first` writes the tree of the first one; the others are
    /// said to be made from that.
    fn recorded_words(&mut self, wide: &Words, first: impl FnOnce(&mut Trees, u16, Type)) {
        let mut first = Some(first);
        let mut recorded = Vec::new();
        for (at, bytes) in words(self.module(), wide.kind) {
            let of = Type::Integer(8 * bytes as u8);
            self.begin_before(wide.located, wide.before, Action::Store(of));
            let slot = self.trees.recorded();
            match first.take() {
                Some(first) => first(&mut self.trees, slot, of),
                None => {
                    self.trees.token(Token::Opaque { of, slot, n_operands: 1 });
                    self.trees.token(Token::Load(Type::Integer(64), None));
                    self.trees.value(wide.address);
                }
            }
            self.trees.token(Token::Address { offset: at as i64, n_terms: 0 });
            self.trees.value(wide.address);
            recorded.push((at, bytes, slot));
        }
        self.settle(wide.before);
        let builder = self.before(wide.after);
        for (at, bytes, slot) in recorded {
            let word = builder.load(self.module().int(8 * bytes as u32), self.at(&builder, wide.address, at));
            self.recorded(&builder, slot, word);
        }
    }

    /// The address so many bytes after another one.
    fn at(&self, builder: &Builder, address: Value, bytes: u64) -> Value {
        let (byte, mut path) = (self.module().int(8), [self.module().constant(64, bytes).0]);
        Value(llvm!(LLVMBuildGEP2(builder.raw(), byte.0, address.0, path.as_mut_ptr(), 1, c"".as_ptr())))
    }

    fn call_or_intrinsic(&mut self, call: Value) {
        let name = call.called_function().filter(|callee| callee.is_intrinsic()).map(Value::name).unwrap_or_default();
        let arguments: Vec<Value> = (0..4).filter_map(|index| call.operand(index)).collect();
        if name.starts_with("llvm.memcpy") || name.starts_with("llvm.memmove") {
            self.begin(call, Action::Copy);
            self.trees.value(arguments[0]);
            self.trees.value(arguments[1]);
            self.trees.extended(arguments[2], false);
            self.settle(call);
        } else if name.starts_with("llvm.memset") {
            self.begin(call, Action::Fill);
            self.trees.value(arguments[0]);
            self.trees.value(arguments[1]);
            self.trees.extended(arguments[2], false);
            self.settle(call);
        } else if name.starts_with("llvm.va_copy") {
            self.begin(call, Action::Copy);
            self.trees.value(arguments[0]);
            self.trees.value(arguments[1]);
            self.trees.word(VA_LIST_BYTES.into());
            self.settle(call);
        } else if name.starts_with("llvm.va_start") {
            let list = self.module().array(self.module().int(8), VA_LIST_BYTES);
            let after = call.next().unwrap_or(call);
            let words = Words { located: call, before: call, after, address: arguments[0], kind: list };
            self.recorded_words(&words, |trees, slot, of| trees.token(Token::Opaque { of, slot, n_operands: 0 }));
        } else {
            self.call(call);
        }
    }

    fn call(&mut self, call: Value) {
        let (callee, hooks) = self.callee(call);
        let result = self.result(call);
        let arguments: Vec<Value> = told_operands(call);
        let stops = call.call_has("noreturn");
        let stored = result.map(|(slot, datum)| (datum, self.frame.slots.offsets[&slot]));
        self.begin(call, Action::Call { callee, n_arguments: arguments.len() as u32, result: stored, stops });
        let called = Value(llvm!(shim::suspect_record_callee(call.0)));
        if callee == Callee::Indirect {
            self.trees.value(called);
        }
        for (argument, number) in arguments.iter().zip(0..) {
            self.argument(call, *argument, number);
        }
        self.settle(call);
        let words = self.frame.arguments;
        if hooks == Hooks::Around {
            let builder = self.before(call);
            self.pass(&builder, &arguments);
            let null = Value(llvm!(LLVMConstNull(self.module().pointer().0)));
            let known = if matches!(callee, Callee::Assembly) { null } else { called };
            let external = self.number(self.external(call, callee));
            self.hook(&builder, abi::HOOK_CALL, &[external, known, words, self.number(arguments.len() as u32)]);
        }
        self.return_from(call, hooks, result);
        self.ask_held_clock(call);
    }

    /// Has a call that asks the C library for the time ask the runtime, whose clock may be held.
    fn ask_held_clock(&self, call: Value) {
        let Some(callee) = call.called_function().filter(|callee| callee.is_declaration()) else { return };
        let (pointer, int, long) = (self.module().pointer(), self.module().int(32), self.module().int(64));
        let (clock, returns, parameters) = match callee.name().as_str() {
            "time" => (abi::CLOCK_TIME, long, vec![pointer]),
            "clock" => (abi::CLOCK_CLOCK, long, vec![]),
            "gettimeofday" => (abi::CLOCK_GETTIMEOFDAY, int, vec![pointer, pointer]),
            "clock_gettime" => (abi::CLOCK_GETTIME, int, vec![int, pointer]),
            "timespec_get" => (abi::CLOCK_TIMESPEC_GET, int, vec![pointer, int]),
            _ => return,
        };
        let clock = hook(self.module(), clock, returns, &parameters);
        // A function of the project's own may have the name.
        let called = llvm!(LLVMGetCalledFunctionType(call.0));
        if llvm!(LLVMGlobalGetValueType(clock.0)) == called {
            llvm!(shim::suspect_set_called(call.0, clock.0));
        }
    }

    /// Hooks after a call and the store of its result.
    fn return_from(&mut self, call: Value, hooks: Hooks, result: Option<(Value, Datum)>) {
        let Some(next) = call.next().filter(|_| hooks != Hooks::None && !call.call_has("noreturn")) else { return };
        let next = if result.is_some() { next.next().unwrap_or(next) } else { next };
        let builder = self.before(next);
        let is_value = call.kind().kind() != LLVMTypeKind::LLVMVoidTypeKind && !is_wide(call.kind());
        let bits = if is_value { widened(self.module(), &builder, call) } else { self.module().constant(64, 0) };
        match hooks {
            Hooks::Setjmp => self.hook(&builder, abi::HOOK_SETJMP, &[self.frame.start, bits]),
            _ => self.hook(&builder, abi::HOOK_CALLED, &[self.frame.arguments, bits]),
        };
        if let Some((slot, Datum::Bytes(_))) = result {
            let words = Words { located: call, before: next, after: next, address: slot, kind: call.kind() };
            self.recorded_words(&words, |trees, number, of| {
                trees.token(Token::Opaque { of, slot: number, n_operands: 1 });
                trees.token(Token::Load(of, None));
                trees.value(slot);
            });
        }
    }

    /// What is called, and which hooks are around it.
    fn callee(&mut self, call: Value) -> (Callee, Hooks) {
        if call.inline_assembly().is_some() {
            return (Callee::Assembly, Hooks::Around);
        }
        let Some(callee) = call.called_function() else { return (Callee::Indirect, Hooks::Around) };
        if let Some(number) = self.versions.get(&callee) {
            return (Callee::Version(*number), Hooks::None);
        }
        if callee.is_intrinsic() {
            return (Callee::Assembly, Hooks::Around);
        }
        let symbol = self.trees.symbol(callee);
        match SETJMP.contains(&callee.name().as_str()) {
            true => (Callee::Setjmp(symbol), Hooks::Setjmp),
            false => (Callee::Symbol(symbol), Hooks::Around),
        }
    }

    /// The number by which the runtime knows what is called.
    fn external(&self, call: Value, callee: Callee) -> u32 {
        let declared = call.called_function().filter(|callee| callee.is_declaration());
        match (callee, declared) {
            (Callee::Indirect, _) => external::INDIRECT,
            (Callee::Symbol(_), Some(callee)) => external::number(&callee.name()).unwrap_or(external::UNKNOWN),
            _ => external::UNKNOWN,
        }
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

    fn argument(&mut self, call: Value, argument: Value, number: u32) {
        let copied = llvm!(shim::suspect_record_copied(call.0, number));
        let datum = match copied.is_null() {
            true => self.datum(argument.kind()),
            false => Datum::Bytes(llvm!(shim::suspect_record_size(self.module().0, copied, false)) as u32),
        };
        Argument(datum).encode(&mut self.trees.out);
        match is_wide(argument.kind()) {
            true => self.trees.wide(argument),
            false => self.trees.value(argument),
        }
    }

    /// Stores the arguments' words for the runtime: of a wide one its address.
    fn pass(&self, builder: &Builder, arguments: &[Value]) {
        let kind = self.module().words(1);
        for (argument, number) in arguments.iter().zip(0..) {
            let told = match is_wide(argument.kind()) {
                true => argument.operand(0).unwrap_or(*argument),
                false => *argument,
            };
            let word = widened(self.module(), builder, told);
            builder.store(word, builder.element(kind, self.frame.arguments, number));
        }
    }

    /// `atomicrmw`: what was there is loaded, then what is there is stored.
    fn update(&mut self, step: Value) {
        let (Some(address), Some(operand)) = (step.operand(0), step.operand(1)) else { return };
        let (of, slot) = (type_of(step.kind()), self.trees.recorded());
        let result = self.result(step);
        let next = step.next().unwrap_or(step);
        if let Some((kept, _)) = result {
            self.begin(step, Action::Store(of));
            self.trees.token(Token::Load(of, Some(slot)));
            self.trees.value(address);
            self.trees.value(kept);
        }
        self.begin(step, Action::Store(of));
        let operator = match llvm!(shim::suspect_rmw_operation(step.0)) {
            1 => Some(Binary::Add),
            2 => Some(Binary::Subtract),
            3 => Some(Binary::And),
            5 => Some(Binary::Or),
            6 => Some(Binary::Xor),
            _ => None,
        };
        let left = (operator.is_none()).then(|| self.trees.recorded());
        self.trees.token(match (operator, left) {
            (Some(operator), _) => Token::Binary(operator, of),
            (None, left) => Token::Opaque { of, slot: left.unwrap_or_default(), n_operands: 2 },
        });
        match result {
            Some((kept, _)) => {
                self.trees.token(Token::Load(of, None));
                self.trees.value(kept);
            }
            None => {
                self.trees.token(Token::Load(of, Some(slot)));
                self.trees.value(address);
            }
        }
        self.trees.value(operand);
        self.trees.value(address);
        self.settle(step);
        let builder = self.before(next);
        self.recorded(&builder, slot, step);
        if let Some(left) = left {
            let now = builder.load(step.kind(), address);
            self.recorded(&builder, left, now);
        }
    }

    /// `cmpxchg`: the words of the result, then what is there, as both are recorded.
    fn exchange(&mut self, step: Value) {
        let (Some(address), Some(expected), Some(new)) = (step.operand(0), step.operand(1), step.operand(2)) else {
            return;
        };
        let of = type_of(new.kind());
        let after = self.result(step).and_then(|_| step.next()?.next()).or_else(|| step.next()).unwrap_or(step);
        let slot = self.trees.recorded();
        if let Some((kept, _)) = self.result(step) {
            let words = Words { located: step, before: step, after, address: kept, kind: step.kind() };
            self.recorded_words(&words, |trees, number, word| {
                trees.token(Token::Opaque { of: word, slot: number, n_operands: 2 });
                trees.token(Token::Load(of, None));
                trees.value(address);
                trees.value(expected);
            });
        }
        self.begin(step, Action::Store(of));
        self.trees.token(Token::Opaque { of, slot, n_operands: 2 });
        self.trees.value(expected);
        self.trees.value(new);
        self.trees.value(address);
        self.settle(step);
        let builder = self.before(after);
        let now = builder.load(new.kind(), address);
        self.recorded(&builder, slot, now);
    }

    /// An object on the stack whose size is computed: cleared, for nobody else is sure to fill it.
    fn dynamic(&mut self, step: Value) {
        let Some((kept, _)) = self.result(step) else { return };
        let mut count = std::ptr::null_mut();
        let bytes = llvm!(shim::suspect_record_dynamic(step.0, &mut count));
        let (count, slot) = (Value(count), self.trees.recorded());
        self.begin(step, Action::Dynamic { offset: self.frame.slots.offsets[&kept], slot });
        self.trees.token(Token::Binary(Binary::Multiply, Type::Integer(64)));
        self.trees.extended(count, false);
        self.trees.word(bytes);
        self.settle(step);
        let Some(next) = step.next() else { return };
        let builder = self.before(next);
        self.recorded(&builder, slot, step);
        let size = builder.binary(
            LLVMOpcode::LLVMMul,
            widened(self.module(), &builder, count),
            self.module().constant(64, bytes),
        );
        self.clear(&builder, step, size);
    }

    fn clear(&self, builder: &Builder, address: Value, size: Value) {
        let zero = self.module().constant(8, 0);
        llvm!(LLVMBuildMemSet(builder.raw(), address.0, zero.0, size.0, 1));
    }

    fn branch(&mut self, step: Value) {
        let blocks: Vec<u32> = step.successors().iter().map(|block| self.blocks[block]).collect();
        let [then, otherwise] = blocks[..] else {
            return self.begin(step, Action::Jump(blocks.first().copied().unwrap_or(0)));
        };
        let Some(condition) = step.operand(0) else { return };
        self.begin(step, Action::Branch { then, otherwise });
        self.trees.value(condition);
        self.settle(step);
        let builder = self.before(step);
        let outcome = builder.binary(LLVMOpcode::LLVMXor, condition, self.module().constant(1, 1));
        let outcome = widened(self.module(), &builder, outcome);
        let way = self.hook(&builder, abi::HOOK_BRANCH, &[outcome, self.number(2)]);
        let zero = self.module().constant(64, 0);
        let is_then = llvm!(LLVMBuildICmp(builder.raw(), LLVMIntPredicate::LLVMIntEQ, way.0, zero.0, c"".as_ptr()));
        llvm!(LLVMSetCondition(step.0, is_then));
    }

    /// Each way of the switch leads to one place where the hook is asked, from where another switch goes on.
    fn switch(&mut self, step: Value) {
        let Some(value) = step.operand(0) else { return };
        let successors = step.successors();
        let n_cases = successors.len() as u32 - 1;
        let default = self.blocks[&successors[0]];
        let of = type_of(value.kind());
        self.begin(step, Action::Switch { of, default, n_cases });
        self.trees.value(value);
        for (index, successor) in successors.iter().enumerate().skip(1) {
            let mut bits = 0;
            if let Some(case) = step.operand(2 * index as u32) {
                llvm!(shim::suspect_record_constant(case.0, &mut bits));
            }
            Case { value: bits, block: self.blocks[successor] }.encode(&mut self.trees.out);
        }
        self.settle(step);
        let block = || {
            let context = self.module().context();
            Block(llvm!(LLVMAppendBasicBlockInContext(context, self.version.code.0, c"".as_ptr())))
        };
        let (asked, word) = (block(), self.module().int(64));
        let builder = Builder::at_end(self.module(), asked);
        let outcome = Value(llvm!(LLVMBuildPhi(builder.raw(), word.0, c"".as_ptr())));
        let way = self.hook(&builder, abi::HOOK_BRANCH, &[outcome, self.number(successors.len() as u32)]);
        let choice = llvm!(LLVMBuildSwitch(builder.raw(), way.0, successors[0].0, n_cases));
        for (index, successor) in successors.iter().enumerate() {
            let (from, number) = (block(), self.module().constant(64, index as u64));
            llvm!({
                LLVMBuildBr(Builder::at_end(self.module(), from).raw(), asked.0);
                LLVMAddIncoming(outcome.0, &mut { number.0 }, &mut { from.0 }, 1);
                if index > 0 {
                    LLVMAddCase(choice, number.0, successor.0);
                }
                LLVMSetSuccessor(step.0, index as c_uint, from.0);
            });
        }
    }

    fn leave(&mut self, step: Value) {
        let value = step.operand(0);
        let datum = value.map(|value| self.datum(value.kind()));
        self.begin(step, Action::Return(datum));
        match value {
            Some(value) if is_wide(value.kind()) => self.trees.wide(value),
            Some(value) => self.trees.value(value),
            None => {}
        }
        self.settle(step);
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

/// A wide value in memory.
struct Words {
    /// The instruction whose place in the source its steps have.
    located: Value,
    /// Where its steps begin: before this.
    before: Value,
    /// Where its words are there: before this.
    after: Value,
    address: Value,
    kind: ir::Type,
}

/// What `va_start` fills.
const VA_LIST_BYTES: u32 = 24;

/// Functions that return again when `longjmp` is called.
const SETJMP: &[&str] = &["setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp"];
