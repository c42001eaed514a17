//! Calls as steps: what is called, with which arguments, and the hooks around it.

use inkwell::llvm_sys::core::*;
use suspect_format::abi;
use suspect_format::body::{Action, Argument, Callee, Datum, Token};
use suspect_format::external;

use super::Writer;
use super::memory::Words;
use crate::inject::marker::hook;
use crate::inject::overrides::widened;
use crate::llvm::builder::Builder;
use crate::llvm::ir::{LLVMTypeKind, Value, llvm};
use crate::llvm::shim;
use crate::record::trees::{is_wide, told_operands};

/// What `va_start` fills.
const VA_LIST_BYTES: u32 = 24;

/// Functions that return again when `longjmp` is called.
const SETJMP: &[&str] = &["setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp"];

/// What a call is to its caller.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hooks {
    None,
    Around,
    Setjmp,
}

impl Writer<'_> {
    pub(super) fn call_or_intrinsic(&mut self, call: Value) {
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
}
