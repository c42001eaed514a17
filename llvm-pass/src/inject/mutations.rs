//! Code mutants: hooks at the operations of the `trace` version, which does as the source says until the runtime answers otherwise.

use std::collections::{HashMap, HashSet};

use inkwell::llvm_sys::core::*;
use suspect_format::abi;
use suspect_format::site::{OperationKind, way};

use crate::collect::operations::operand_of;
use crate::collect::sites::{Body, Junction, OperationSite, OperationSpot, Storage, VariableSite};
use crate::collect::widening::before_widening;
use crate::inject::copies::{self, Copies};
use crate::inject::fuel;
use crate::inject::marker::hook;
use crate::inject::overrides::{narrowed, replace_after, widened};
use crate::llvm::builder::{Builder, word_address};
use crate::llvm::global::in_section;
use crate::llvm::ir::{Block, LLVMIntPredicate, LLVMLinkage, LLVMOpcode, Module, Type, Value, llvm};
use crate::llvm::shim;

/// Puts the hooks of operations into one function.
pub struct Mutations<'a> {
    /// The module.
    pub module: Module,
    /// The function's code before anything was put into it.
    pub body: &'a Body,
    /// The function's operations.
    pub operations: &'a [OperationSite],
    /// The variables that these name.
    pub variables: &'a [VariableSite],
    /// Copies of statements that stand beside the function's own.
    pub copies: Option<&'a Copies>,
    /// What is called for functions that have versions.
    pub targets: &'a HashMap<Value, Value>,
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
        in_section(global, kind, section, 1);
        llvm!(shim::suspect_keep(module.0, global.0, false));
        Bytes { global, count }
    }

    /// The address of one of them.
    pub fn address(self, module: Module, index: u32) -> Value {
        word_address(module, module.array(module.int(8), self.count), self.global, index)
    }
}

impl Mutations<'_> {
    /// Statements: what is there instead of them, before or behind them. Before all other hooks, for those of what a statement does are left out with it.
    pub fn statements(&self) {
        let none = Value(std::ptr::null_mut());
        let table = self.copies.and_then(|copies| Some((copies.code, copies::table(self.module, self.body, copies)?)));
        let (code, table) = table.unwrap_or((none, none));
        for (number, operation) in self.numbered() {
            if let OperationSpot::Around(first, end) = operation.spot {
                let (first, end) = (self.body.at(first), self.body.at(end));
                let choice = self.choice(&Builder::before(self.module, first), number);
                llvm!(shim::suspect_choose(choice.0, first.0, end.0, code.0, table.0, way::ALL.as_ptr(), way::BITS));
            }
        }
    }

    /// Conditions that can be asked again.
    pub fn repeats(&self) {
        for (number, operation) in self.numbered() {
            if let OperationSpot::Repeat(first, jump) = operation.spot {
                let (first, jump) = (self.body.at(first), self.body.at(jump));
                let choice = self.choice(&Builder::before(self.module, jump), number);
                let again = Block(llvm!(shim::suspect_repeat(choice.0, first.0, jump.0)));
                again.terminator().into_iter().for_each(|back| fuel::tick(self.module, back));
            }
        }
    }

    /// What is assigned. Before the hooks of nodes, which take what comes out.
    pub fn assignments(&self) {
        for (number, operation) in self.numbered() {
            if let OperationSpot::Store(position) = operation.spot {
                self.assignment(number, self.body.at(position));
            }
        }
    }

    fn assignment(&self, number: u32, store: Value) {
        let (Some(value), Some(target)) = (store.operand(0), store.operand(1)) else { return };
        let builder = Builder::before(self.module, store);
        let kind = value.kind();
        let before = builder.load(kind, target);
        llvm!(LLVMSetAlignment(before.0, LLVMGetAlignment(store.0)));
        let (left, right) = (widened(self.module, &builder, before), widened(self.module, &builder, value));
        let answer = self.ask(&builder, number, left, right, right);
        let new = narrowed(self.module, &builder, answer, kind.scalar_bits().unwrap_or(64), kind);
        store.set_operand(0, new);
        replace_after(&builder, store, value, new);
    }

    /// `&&` and `||`: on each way out of the left side the runtime is asked whether the other operator is meant. Inner ones first, so
    /// that the ways which they add are asked about, too. Before new blocks stand on the edges.
    pub fn logic(&self) {
        let mut found: Vec<(u32, &Junction)> = Vec::new();
        for (number, operation) in self.numbered() {
            if let OperationSpot::Junction(junction) = &operation.spot {
                found.push((number, junction));
            }
        }
        found.sort_by_key(|(_, junction)| junction.left.len());
        let mut added: Vec<(usize, Value)> = Vec::new();
        for (number, junction) in found {
            self.junction(number, junction, &mut added);
        }
    }

    /// One of them. `added` are the branches put in so far, each with the last block of the left side that it is for.
    fn junction(&self, number: u32, junction: &Junction, added: &mut Vec<(usize, Value)>) {
        let [next, short, other] = [junction.next, junction.short, junction.other].map(|block| self.body.blocks[block]);
        let Some(last) = junction.left.last().copied() else { return };
        let function = self.body.blocks[last].function();
        let block = || Block(llvm!(LLVMAppendBasicBlockInContext(self.module.context(), function.0, c"".as_ptr())));
        // Where the left side does not decide, where it does, and where it does with the other operator.
        let (open, decided, turned) = (block(), block(), block());
        let ends: Vec<Value> = junction
            .left
            .iter()
            .map(|block| self.body.at(self.body.terminator(*block)))
            .chain(added.iter().filter(|(of, _)| junction.left.contains(of)).map(|(_, end)| *end))
            .collect();
        for end in ends {
            for (index, target) in (0..).zip(end.successors()) {
                let new = if target == next { open } else { decided };
                if target == next || target == short {
                    llvm!(shim::suspect_redirect(end.0, index, new.0));
                }
            }
        }
        let to_turned = Builder::at_end(self.module, turned);
        let jump = Value(llvm!(LLVMBuildBr(to_turned.raw(), other.0)));
        // A loop may go round here that does not otherwise.
        fuel::tick(self.module, jump);
        self.arrives(turned, other, junction.outcomes[1]);
        for (from, yes, no) in [(open, turned, next), (decided, next, short)] {
            let builder = Builder::at_end(self.module, from);
            let choice = self.choice(&builder, number);
            let constant = |number| self.module.constant(64, number);
            // With 1 both ways are turned, with 2 the first, with 3 the second.
            let (value, predicate, other) = match from == open {
                true => {
                    let less = builder.binary(LLVMOpcode::LLVMSub, choice, constant(1));
                    (less, LLVMIntPredicate::LLVMIntULT, constant(2))
                }
                false => {
                    let odd = builder.binary(LLVMOpcode::LLVMAnd, choice, constant(1));
                    (odd, LLVMIntPredicate::LLVMIntNE, constant(0))
                }
            };
            let turn = llvm!(LLVMBuildICmp(builder.raw(), predicate, value.0, other.0, c"".as_ptr()));
            added.push((last, Value(llvm!(LLVMBuildCondBr(builder.raw(), turn, yes.0, no.0)))));
        }
        added.push((last, jump));
        self.arrives(decided, short, junction.outcomes[0]);
    }

    /// Tells the `phi` of `to` what flows into it from `from`.
    fn arrives(&self, from: Block, to: Block, outcome: Option<bool>) {
        let phi = to.instructions().first().copied().filter(|first| first.is(LLVMOpcode::LLVMPHI));
        if let (Some(phi), Some(outcome)) = (phi, outcome) {
            let (mut value, mut block) = (self.module.constant(1, u64::from(outcome)).0, from.0);
            llvm!(LLVMAddIncoming(phi.0, &mut value, &mut block, 1));
        }
    }

    /// What operators, steps and arguments come to. After all hooks that stand next to them.
    pub fn values(&self) {
        let (table, exits) = (self.table(), self.exits());
        for (number, operation) in self.numbered() {
            match operation.spot {
                OperationSpot::Result(position) => self.result(number, operation, self.body.at(position)),
                OperationSpot::Index(position) => self.index(number, self.body.at(position)),
                OperationSpot::Subscript(position) => self.subscript(number, self.body.at(position)),
                OperationSpot::Argument(position, operand) => self.argument(number, self.body.at(position), operand),
                OperationSpot::Variable(position) => self.variable(number, self.body.at(position), table),
                OperationSpot::Pointer(position) => self.pointer(number, self.body.at(position), exits),
                OperationSpot::Number(position) => self.guarded(number, self.body.at(position), exits),
                OperationSpot::Bound(position, ref bound) => {
                    self.bounded(number, self.body.at(position), bound, exits);
                }
                OperationSpot::Member(position) => self.member(number, self.body.at(position)),
                OperationSpot::Callee(position) => self.callee(number, self.body.at(position), table),
                OperationSpot::Node
                | OperationSpot::Consequence(_)
                | OperationSpot::Donor(_)
                | OperationSpot::Store(_)
                | OperationSpot::Around(..)
                | OperationSpot::Repeat(..)
                | OperationSpot::Junction(_) => {}
            }
        }
    }

    pub(super) fn numbered(&self) -> impl Iterator<Item = (u32, &OperationSite)> {
        (self.first..).zip(self.operations)
    }

    fn byte(&self, number: u32) -> Value {
        self.bytes.address(self.module, number)
    }

    /// A number of 64 bits that is 0 unless something else is to be done.
    fn choice(&self, builder: &Builder, number: u32) -> Value {
        let hook = hook(self.module, abi::HOOK_CHOICE, self.module.int(64), &[self.module.pointer()]);
        self.call(builder, hook, &[self.byte(number)])
    }

    pub(super) fn ask(&self, builder: &Builder, number: u32, left: Value, right: Value, result: Value) -> Value {
        let (word, pointer) = (self.module.int(64), self.module.pointer());
        let hook = hook(self.module, abi::HOOK_OPERATION, word, &[pointer, word, word, word]);
        self.call(builder, hook, &[self.byte(number), left, right, result])
    }

    fn call(&self, builder: &Builder, hook: Value, arguments: &[Value]) -> Value {
        let call = builder.call(hook, arguments);
        llvm!(shim::suspect_no_sanitize_instruction(call.0));
        call
    }

    fn result(&self, number: u32, operation: &OperationSite, operator: Value) {
        let operands = match operation.kind {
            OperationKind::Unary { .. } => operand_of(operator).map(|operand| (operand, operand)),
            _ => operator.operand(0).zip(operator.operand(1)),
        };
        let Some((left, right)) = operands else { return };
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

    fn subscript(&self, number: u32, step: Value) {
        let at = step.n_operands() - 1;
        let Some(index) = step.operand(at) else { return };
        self.integer(number, step, at, index);
    }

    /// Asks about the integer that is an operand of `user`, in the type that it is computed in.
    fn integer(&self, number: u32, user: Value, at: u32, integer: Value) {
        let value = before_widening(integer);
        let (user, at) = if value == integer { (user, at) } else { (integer, 0) };
        let builder = Builder::before(self.module, user);
        let wide = widened(self.module, &builder, value);
        let answer = self.ask(&builder, number, wide, self.module.constant(64, 0), wide);
        user.set_operand(at, narrowed(self.module, &builder, answer, value.kind().int_bits(), value.kind()));
    }

    /// The addresses of the variables that could be read in another one's place.
    fn table(&self) -> Option<Value> {
        let others: HashSet<u32> = self.operations.iter().flat_map(|site| site.others.iter().copied()).collect();
        let first = self.body.blocks[0].instructions().into_iter().find(|one| !one.is(LLVMOpcode::LLVMAlloca))?;
        let kind = self.module.array(self.module.pointer(), self.variables.len() as u32);
        let address = |number: usize| match self.variables[number].storage {
            _ if !others.contains(&(number as u32)) => None,
            Storage::Frame(position) => Some(self.body.at(position)),
            Storage::Global(global) => Some(global),
            Storage::Inside => None,
            Storage::Code(function) => Some(self.targets.get(&function).copied().unwrap_or(function)),
        };
        let addresses: Vec<Option<Value>> = (0..self.variables.len()).map(address).collect();
        if addresses.iter().all(Option::is_none) {
            return None;
        }
        if addresses.iter().flatten().all(|one| one.is_constant()) {
            return Some(self.constant_table(kind, &addresses));
        }
        let table = Builder::before(self.module, self.body.at(0)).slot(kind);
        llvm!(shim::suspect_no_sanitize_instruction(table.0));
        let builder = Builder::before(self.module, first);
        for (number, address) in addresses.into_iter().enumerate() {
            if let Some(address) = address {
                builder.store(address, builder.element(kind, table, number as u32));
            }
        }
        Some(table)
    }

    fn constant_table(&self, kind: Type, addresses: &[Option<Value>]) -> Value {
        let null = llvm!(LLVMConstNull(self.module.pointer().0));
        let mut values: Vec<_> = addresses.iter().map(|one| one.map_or(null, |address| address.0)).collect();
        let table = self.module.add_global("suspect.variables", kind);
        llvm!({
            LLVMSetLinkage(table.0, LLVMLinkage::LLVMPrivateLinkage);
            LLVMSetGlobalConstant(table.0, 1);
            #[cfg_attr(feature = "llvm19", expect(deprecated, reason = "the new one is not in LLVM 16"))]
            let array = LLVMConstArray(self.module.pointer().0, values.as_mut_ptr(), values.len() as u32);
            LLVMSetInitializer(table.0, array);
            shim::suspect_set_no_sanitize(table.0);
        });
        table
    }

    fn variable(&self, number: u32, load: Value, table: Option<Value>) {
        let (Some(variable), Some(table)) = (load.operand(0), table) else { return };
        let pointer = self.module.pointer();
        let hook = hook(self.module, abi::HOOK_VARIABLE, pointer, &[pointer; 3]);
        let builder = Builder::before(self.module, load);
        load.set_operand(0, self.call(&builder, hook, &[self.byte(number), variable, table]));
    }

    /// Behind where a member's address is computed the runtime is asked how far away another one is.
    fn member(&self, number: u32, step: Value) {
        let Some(next) = step.next() else { return };
        let users = step.users();
        let builder = Builder::before(self.module, next);
        let zero = self.module.constant(64, 0);
        let mut path = [self.ask(&builder, number, zero, zero, zero).0];
        let byte = self.module.int(8);
        let new = Value(llvm!(LLVMBuildGEP2(builder.raw(), byte.0, step.0, path.as_mut_ptr(), 1, c"".as_ptr())));
        users.into_iter().for_each(|user| step.replace_in(user, new));
    }

    /// What is called comes from the table of variables, as what is read does.
    fn callee(&self, number: u32, call: Value, table: Option<Value>) {
        let (Some(callee), Some(table)) = (call.callee(), table) else { return };
        let pointer = self.module.pointer();
        let hook = hook(self.module, abi::HOOK_VARIABLE, pointer, &[pointer; 3]);
        let builder = Builder::before(self.module, call);
        let target = self.call(&builder, hook, &[self.byte(number), callee, table]);
        llvm!({
            shim::suspect_set_called(call.0, target.0);
            shim::suspect_forget_memory(call.0);
        });
    }

    fn argument(&self, number: u32, call: Value, operand: u32) {
        let Some(argument) = call.operand(operand) else { return };
        let kind = argument.kind();
        if !argument.is_constant() {
            return self.integer(number, call, operand, argument);
        }
        let builder = Builder::before(self.module, call);
        let wide = widened(self.module, &builder, argument);
        let answer = self.ask(&builder, number, wide, self.module.constant(64, 0), wide);
        call.set_operand(operand, narrowed(self.module, &builder, answer, kind.scalar_bits().unwrap_or(64), kind));
    }
}
