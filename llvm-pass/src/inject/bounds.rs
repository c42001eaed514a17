//! Guards in front of where a number is used: it is compared with others, and the runtime is asked which of what holds leads elsewhere.

use inkwell::llvm_sys::core::*;
use suspect_format::site::Use;

use crate::collect::sites::{Base, Bound, Other};
use crate::collect::widening::before_widening;
use crate::inject::exits::Exits;
use crate::inject::mutations::Mutations;
use crate::llvm::builder::Builder;
use crate::llvm::ir::{LLVMIntPredicate, LLVMOpcode, Value, llvm};
use crate::llvm::shim;

/// Bits of `int`.
const INT_BITS: u32 = 32;

/// A number with its sign.
#[derive(Clone, Copy)]
struct Number {
    value: Value,
    bits: u32,
    signed: bool,
}

impl Mutations<'_> {
    /// Before `user` control can go elsewhere if one of the guards holds.
    pub(super) fn bounded(&self, number: u32, user: Value, bound: &Bound, exits: Option<Exits>) {
        let builder = Builder::before(self.module, user);
        let Some(left) = left_of(user, bound.used) else { return };
        let left = Number { value: left, bits: left.kind().int_bits(), signed: bound.signed };
        let masks: Vec<Value> = match bound.used {
            Use::Difference | Use::Sum => {
                let Some(right) = user.operand(1) else { return };
                let (compared, with) = match bound.used {
                    Use::Difference => (left.value, right),
                    _ => (builder.binary(LLVMOpcode::LLVMAdd, left.value, right), left.value),
                };
                let is = compare(&builder, LLVMIntPredicate::LLVMIntULT, compared, with);
                vec![self.mask(&builder, is, 0)]
            }
            used => {
                let holds = |(at, other): (usize, &Other)| {
                    let is = self.exceeds(&builder, left, self.read(&builder, other), used == Use::Element);
                    self.mask(&builder, is, at as u32)
                };
                bound.others.iter().enumerate().map(holds).collect()
            }
        };
        self.leaves(&builder, number, &masks, user, exits);
    }

    fn read(&self, builder: &Builder, other: &Other) -> Number {
        match *other {
            Other::Constant(constant) => {
                Number { value: self.module.constant(INT_BITS, constant), bits: INT_BITS, signed: true }
            }
            Other::Memory { base, offset, bits, signed } => {
                let base = match base {
                    Base::At(position) => self.body.at(position),
                    Base::Global(global) => global,
                };
                let mut path = [self.module.constant(64, offset).0];
                let byte = self.module.int(8).0;
                let address = llvm!(LLVMBuildGEP2(builder.raw(), byte, base.0, path.as_mut_ptr(), 1, c"".as_ptr()));
                let value = builder.load(self.module.int(bits), Value(address));
                llvm!({
                    // Members of packed structures lie anywhere.
                    LLVMSetAlignment(value.0, 1);
                    shim::suspect_no_sanitize_instruction(value.0);
                });
                Number { value, bits, signed }
            }
        }
    }

    /// Whether `left` is greater than `right`, or `or_equal`, after C's conversions.
    fn exceeds(&self, builder: &Builder, left: Number, right: Number, or_equal: bool) -> Value {
        use LLVMIntPredicate::*;
        let bits = left.bits.max(right.bits).max(INT_BITS);
        let keeps_sign = |one: Number| one.bits < bits || one.signed;
        let predicate = match (keeps_sign(left) && keeps_sign(right), or_equal) {
            (true, true) => LLVMIntSGE,
            (true, false) => LLVMIntSGT,
            (false, true) => LLVMIntUGE,
            (false, false) => LLVMIntUGT,
        };
        let wide = |one: Number| match one.signed {
            _ if one.bits == bits => one.value,
            true => builder.cast(LLVMOpcode::LLVMSExt, one.value, self.module.int(bits)),
            false => builder.cast(LLVMOpcode::LLVMZExt, one.value, self.module.int(bits)),
        };
        compare(builder, predicate, wide(left), wide(right))
    }
}

fn compare(builder: &Builder, predicate: LLVMIntPredicate, left: Value, right: Value) -> Value {
    Value(llvm!(LLVMBuildICmp(builder.raw(), predicate, left.0, right.0, c"".as_ptr())))
}

/// The number that is used.
fn left_of(user: Value, used: Use) -> Option<Value> {
    let operand = match used {
        Use::Element | Use::Step => user.operand(user.n_operands() - 1)?,
        Use::Passed { position, .. } => user.operand(position)?,
        Use::Difference | Use::Sum => return user.operand(0),
    };
    Some(before_widening(operand))
}
