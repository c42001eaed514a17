//! Code mutants: hooks at the operations of the `trace` version, which does as the source says until the runtime answers otherwise.

use inkwell::llvm_sys::core::*;
use suspect_format::abi;
use suspect_format::site::OperationKind;

use crate::ir::{Builder, LLVMIntPredicate, LLVMOpcode, Module, Value, llvm, word_address};
use crate::lower;
use crate::operations::{OperationSite, Spot};
use crate::overrides::{narrowed, widened};
use crate::shim;
use crate::sites::Body;

/// Puts the hooks of operations into one function.
pub struct Mutations<'a> {
    /// The module.
    pub module: Module,
    /// The function's code before anything was put into it.
    pub body: &'a Body,
    /// The function's operations.
    pub operations: &'a [OperationSite],
    /// The unit's bytes of operations.
    pub bytes: Bytes,
    /// The unit's number of the function's first operation.
    pub first: u32,
}

/// The bytes that say whether the runtime has something in mind, one for each operation (or function) of the unit.
#[derive(Clone, Copy, Debug)]
pub struct Bytes {
    global: Value,
    count: u32,
}

impl Bytes {
    /// Makes `count` bytes in `section`, which the optimizer knows nothing of.
    pub fn make(module: Module, name: &str, section: &str, count: u32) -> Bytes {
        let kind = module.array(module.int(8), count);
        let global = module.add_global(name, kind);
        lower::in_section(global, kind, section, 1);
        llvm!(shim::suspect_keep(module.0, global.0, false));
        Bytes { global, count }
    }

    /// The address of one of them.
    pub fn address(self, module: Module, index: u32) -> Value {
        word_address(module, module.array(module.int(8), self.count), self.global, index)
    }
}

impl Mutations<'_> {
    /// Statements that can be left out. Before all other hooks, for those of what a statement does are left out with it.
    pub fn statements(&self) {
        for (number, operation) in self.numbered() {
            if let Spot::Around(first, end) = operation.spot {
                let (first, end) = (self.body.at(first), self.body.at(end));
                let choice = self.choice(&Builder::before(self.module, first), number);
                llvm!(shim::suspect_skip(choice.0, first.0, end.0));
            }
        }
    }

    /// What operators, steps and arguments come to. After all hooks that stand next to them.
    pub fn values(&self) {
        for (number, operation) in self.numbered() {
            match operation.spot {
                Spot::Result(position) => self.result(number, operation, self.body.at(position)),
                Spot::Index(position) => self.index(number, self.body.at(position)),
                Spot::Argument(position, operand) => self.argument(number, self.body.at(position), operand),
                Spot::Node | Spot::Around(..) => {}
            }
        }
    }

    fn numbered(&self) -> impl Iterator<Item = (u32, &OperationSite)> {
        (self.first..).zip(self.operations)
    }

    fn byte(&self, number: u32) -> Value {
        self.bytes.address(self.module, number)
    }

    /// A number of 64 bits that is 0 unless something else is to be done.
    fn choice(&self, builder: &Builder, number: u32) -> Value {
        let hook = lower::hook(self.module, abi::HOOK_CHOICE, self.module.int(64), &[self.module.pointer()]);
        self.call(builder, hook, &[self.byte(number)])
    }

    fn ask(&self, builder: &Builder, number: u32, left: Value, right: Value, result: Value) -> Value {
        let (word, pointer) = (self.module.int(64), self.module.pointer());
        let hook = lower::hook(self.module, abi::HOOK_OPERATION, word, &[pointer, word, word, word]);
        self.call(builder, hook, &[self.byte(number), left, right, result])
    }

    fn call(&self, builder: &Builder, hook: Value, arguments: &[Value]) -> Value {
        let call = builder.call(hook, arguments);
        llvm!(shim::suspect_no_sanitize_instruction(call.0));
        call
    }

    fn result(&self, number: u32, operation: &OperationSite, operator: Value) {
        let (Some(left), Some(right)) = (operator.operand(0), operator.operand(1)) else { return };
        let Some(next) = operator.next() else { return };
        let users = operator.users();
        if let OperationKind::Binary { right: None, .. } = operation.kind {
            self.harmless(number, operator, right);
        }
        let builder = Builder::before(self.module, next);
        let wide = |value: Value| widened(self.module, &builder, value);
        let (left, right, result) = (wide(left), wide(right), wide(operator));
        let answer = self.ask(&builder, number, left, right, result);
        let kind = operator.kind();
        let new = narrowed(self.module, &builder, answer, kind.scalar_bits().unwrap_or(64), kind);
        users.into_iter().for_each(|user| operator.replace_in(user, new));
    }

    /// While something else may be computed in its place, a division must not trap: the runtime does that if it shall.
    fn harmless(&self, number: u32, division: Value, divisor: Value) {
        use LLVMOpcode::*;
        if !matches!(division.opcode(), Some(LLVMSDiv | LLVMUDiv | LLVMSRem | LLVMURem)) {
            return;
        }
        let builder = Builder::before(self.module, division);
        let byte = builder.load(self.module.int(8), self.byte(number));
        let zero = self.module.constant(8, 0);
        let idle =
            Value(llvm!(LLVMBuildICmp(builder.raw(), LLVMIntPredicate::LLVMIntEQ, byte.0, zero.0, c"".as_ptr())));
        let one = self.module.constant(divisor.kind().int_bits(), 1);
        division.set_operand(1, builder.select(idle, divisor, one));
    }

    fn index(&self, number: u32, step: Value) {
        let Some(index) = step.operand(1) else { return };
        let builder = Builder::before(self.module, step);
        let word = self.module.int(64);
        let wide = match index.kind().int_bits() {
            64 => index,
            _ => builder.cast(LLVMOpcode::LLVMSExt, index, word),
        };
        step.set_operand(1, self.ask(&builder, number, wide, self.module.constant(64, 0), wide));
    }

    fn argument(&self, number: u32, call: Value, operand: u32) {
        let Some(constant) = call.operand(operand) else { return };
        let builder = Builder::before(self.module, call);
        let kind = constant.kind();
        let wide = widened(self.module, &builder, constant);
        let answer = self.ask(&builder, number, wide, self.module.constant(64, 0), wide);
        call.set_operand(operand, narrowed(self.module, &builder, answer, kind.scalar_bits().unwrap_or(64), kind));
    }
}
