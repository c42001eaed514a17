//! Steps that change memory: stores, atomic updates, objects whose size is computed.

use suspect_format::body::{Action, Binary, Token, Type};

use super::Writer;
use crate::inject::overrides::widened;
use crate::llvm::ir::{self, LLVMOpcode, Value, llvm};
use crate::llvm::shim;
use crate::record::trees::{Trees, is_wide, n_words, told_operands, type_of, words};

/// A wide value in memory.
pub(super) struct Words {
    /// The instruction whose place in the source its steps have.
    pub(super) located: Value,
    /// Where its steps begin: before this.
    pub(super) before: Value,
    /// Where its words are there: before this.
    pub(super) after: Value,
    pub(super) address: Value,
    pub(super) kind: ir::Type,
}

impl Writer<'_> {
    pub(super) fn store(&mut self, step: Value) {
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
    pub(super) fn recorded_words(&mut self, wide: &Words, first: impl FnOnce(&mut Trees, u16, Type)) {
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

    /// `atomicrmw`: what was there is loaded, then what is there is stored.
    pub(super) fn update(&mut self, step: Value) {
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
    pub(super) fn exchange(&mut self, step: Value) {
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
    pub(super) fn dynamic(&mut self, step: Value) {
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
}
