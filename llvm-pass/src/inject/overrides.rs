//! Overriding: in the `trace` version a node takes what its hook answers.
//!
//! The answer replaces the operand that is the node's value, and the value itself where it is used after the node has
//! taken it: in C the value of an assignment is what the variable then holds. Numbers of more than 64 bits are shown to the
//! hook but stay what they are.

use inkwell::llvm_sys::LLVMAtomicOrdering;
use inkwell::llvm_sys::core::*;
use suspect_format::site::ValueClass;

use crate::collect::sites::{Body, Logged, NodeSite};
use crate::inject::marker::Marker;
use crate::llvm::builder::Builder;
use crate::llvm::ir::{LLVMOpcode, Module, Type, Value, llvm};
use crate::llvm::shim;

/// Puts hooks that may override into one function.
pub struct Overrides<'a> {
    /// The module.
    pub module: Module,
    /// The function's code before anything was put into it.
    pub body: &'a Body,
}

impl Overrides<'_> {
    /// The hook of `node`, which is number `number` of the unit.
    pub fn node(&self, node: &NodeSite, number: u32) {
        match node.logged {
            Logged::Operand(position, operand) => self.operand(node, number, self.body.at(position), operand),
            Logged::Bits(position, operand, shift, bits) => {
                self.bits(number, self.body.at(position), operand, shift, bits);
            }
            Logged::Updated(position) => self.updated(number, self.body.at(position), node),
        }
    }

    fn operand(&self, node: &NodeSite, number: u32, user: Value, operand: u32) {
        let is_phi = user.is(LLVMOpcode::LLVMPHI);
        // What a store writes has to be asked for before it.
        let position = if is_phi { self.body.at(node.before) } else { user };
        let Some(value) = user.operand(operand) else { return };
        let builder = Builder::before(self.module, position);
        let Some(new) = self.ask(&builder, number, node.class, value) else { return };
        if is_phi {
            user.set_incoming_from(position.block(), new);
            return;
        }
        user.set_operand(operand, new);
        if user.is(LLVMOpcode::LLVMStore) {
            replace_after(&builder, user, value, new);
        }
    }

    /// A bit-field: the bits are put back into what is stored.
    fn bits(&self, number: u32, store: Value, operand: u32, shift: u32, bits: u32) {
        use LLVMOpcode::*;
        let Some(unit) = store.operand(operand) else { return };
        let width = unit.kind().int_bits();
        if width > 64 {
            return;
        }
        let builder = Builder::before(self.module, store);
        let constant = |number| self.module.constant(width, number);
        let mask = u64::MAX >> (64 - bits.clamp(1, 64));
        let shifted = builder.binary(LLVMLShr, unit, constant(u64::from(shift)));
        let field = builder.binary(LLVMAnd, shifted, constant(mask));
        let Some(answer) = self.ask(&builder, number, ValueClass::Other, field) else { return };
        let new = builder.binary(LLVMAnd, answer, constant(mask));
        let others = constant(!(mask << shift));
        let kept = builder.binary(LLVMAnd, unit, others);
        let placed = builder.binary(LLVMShl, new, constant(u64::from(shift)));
        store.set_operand(operand, builder.binary(LLVMOr, kept, placed));
        if let Some(source) = field_source(unit, others) {
            replace_uses(source, new, store);
        }
    }

    /// An atomic update: another value is put in the place of what it left, unless somebody else has written since.
    fn updated(&self, number: u32, update: Value, node: &NodeSite) {
        let (Some(pointer), Some(operand)) = (update.operand(0), update.operand(1)) else { return };
        // Next to it, for both may be left out together.
        let Some(after) = update.next() else { return };
        let builder = Builder::before(self.module, after);
        let (left, exact) = left_by(&builder, update, operand);
        let Some(new) = self.ask(&builder, number, node.class, left) else { return };
        if !exact || !matches!(left.kind().int_bits(), 8 | 16 | 32 | 64) {
            return;
        }
        let order = LLVMAtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent;
        llvm!(LLVMBuildAtomicCmpXchg(builder.raw(), pointer.0, left.0, new.0, order, order, 0));
        // The front end works the result out a second time where the program uses it.
        let again =
            |user: &Value| *user != left && user.opcode() == left.opcode() && user.operands() == left.operands();
        for user in update.users().into_iter().filter(again) {
            user.replace_by(new);
        }
    }

    /// Shows `value` to the hook; what it answers, `None` when that does not matter.
    fn ask(&self, builder: &Builder, number: u32, class: ValueClass, value: Value) -> Option<Value> {
        let kind = value.kind();
        let number = self.module.constant(32, u64::from(number));
        let call = |marker: Marker, value| builder.call(marker.function(self.module), &[number, value]);
        if kind.is_ordinary_pointer() {
            let is_text = class == ValueClass::String;
            return Some(call(if is_text { Marker::Text } else { Marker::Pointer }, value));
        }
        let answer = call(Marker::Log, widened(self.module, builder, value));
        let bits = kind.scalar_bits().filter(|bits| *bits <= 64 && !kind.is_pointer())?;
        Some(narrowed(self.module, builder, answer, bits, kind))
    }
}

/// Replaces uses of a stored value, and of the truth value that it repeats, after the store.
pub fn replace_after(builder: &Builder, store: Value, value: Value, new: Value) {
    // Not the assignment's alone: after `p = &x` the variable still lies where it did.
    if value.is_constant() || value.is_argument() || value.is(LLVMOpcode::LLVMAlloca) {
        return;
    }
    replace_uses(value, new, store);
    let truth = value.is(LLVMOpcode::LLVMZExt).then(|| value.operand(0)).flatten();
    if let Some(truth) = truth.filter(|truth| truth.kind().int_bits() == 1 && truth.users().len() > 1) {
        replace_uses(truth, builder.cast(LLVMOpcode::LLVMTrunc, new, truth.kind()), store);
    }
}

/// The low `bits` bits of a word as a number of type `kind`.
pub fn narrowed(module: Module, builder: &Builder, word: Value, bits: u32, kind: Type) -> Value {
    let number = if bits == 64 { word } else { builder.cast(LLVMOpcode::LLVMTrunc, word, module.int(bits)) };
    if kind.is_float() { builder.cast(LLVMOpcode::LLVMBitCast, number, kind) } else { number }
}

/// A value as 64 bits: zero-extended; of wider ones the halves folded.
pub fn widened(module: Module, builder: &Builder, value: Value) -> Value {
    let (kind, word) = (value.kind(), module.int(64));
    if kind.is_pointer() {
        return builder.cast(LLVMOpcode::LLVMPtrToInt, value, word);
    }
    let bits = kind.scalar_bits().unwrap_or(64);
    let value = if kind.is_float() { builder.cast(LLVMOpcode::LLVMBitCast, value, module.int(bits)) } else { value };
    match bits {
        64 => value,
        0..64 => builder.cast(LLVMOpcode::LLVMZExt, value, word),
        _ => {
            let high = builder.binary(LLVMOpcode::LLVMLShr, value, module.constant(bits, 64));
            let folded = builder.binary(LLVMOpcode::LLVMXor, value, high);
            builder.cast(LLVMOpcode::LLVMTrunc, folded, word)
        }
    }
}

/// What an atomic update leaves behind, and whether it is exactly that.
pub fn left_by(builder: &Builder, update: Value, operand: Value) -> (Value, bool) {
    let opcode = match llvm!(shim::suspect_rmw_operation(update.0)) {
        0 => return (operand, true),
        1 => LLVMOpcode::LLVMAdd,
        2 => LLVMOpcode::LLVMSub,
        3 => LLVMOpcode::LLVMAnd,
        5 => LLVMOpcode::LLVMOr,
        6 => LLVMOpcode::LLVMXor,
        _ => return (update, false),
    };
    (builder.binary(opcode, update, operand), true)
}

fn replace_uses(value: Value, new: Value, after: Value) {
    llvm!(shim::suspect_replace_after(value.0, new.0, after.0));
}

/// What was masked to become a field of `unit`, the word that the front end puts together for a bit-field whose
/// neighbours are the bits of `others`.
fn field_source(unit: Value, others: Value) -> Option<Value> {
    let is_mask = |value: &Value| value.is(LLVMOpcode::LLVMAnd);
    let kept = |side: &Value| is_mask(side) && side.operand(1) == Some(others);
    let field = unit.operands().into_iter().find(|side| !kept(side))?;
    match field.is(LLVMOpcode::LLVMShl) {
        true => field.operand(0).filter(is_mask),
        false => Some(field).filter(is_mask),
    }
}
