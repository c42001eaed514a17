//! Steps that end blocks: branches, switches, returns.

use std::ffi::c_uint;

use inkwell::llvm_sys::core::*;
use suspect_format::abi;
use suspect_format::body::{Action, Case};

use super::Writer;
use crate::inject::overrides::widened;
use crate::llvm::builder::Builder;
use crate::llvm::ir::{Block, LLVMIntPredicate, LLVMOpcode, Value, llvm};
use crate::llvm::shim;
use crate::record::trees::{is_wide, type_of};

impl Writer<'_> {
    pub(super) fn branch(&mut self, step: Value) {
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
    pub(super) fn switch(&mut self, step: Value) {
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

    pub(super) fn leave(&mut self, step: Value) {
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
}
