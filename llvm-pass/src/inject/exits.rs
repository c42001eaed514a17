//! Guards behind pointers and integers, and where control goes if one holds: out of the function, or to what another `if` guards.

use inkwell::llvm_sys::core::*;
use suspect_format::site::guard;

use crate::collect::sites::OperationSpot;
use crate::inject::fuel;
use crate::inject::mutations::Mutations;
use crate::llvm::builder::Builder;
use crate::llvm::ir::{Block, LLVMIntPredicate, LLVMOpcode, Value, llvm};
use crate::llvm::shim;

/// Bits of a choice before the number in it: the answer of a guard stands so that its last bit is the choice's.
const CHOICE_BITS: u32 = u32::BITS - guard::BITS + guard::FLAGS;

/// Where the guards of a function lead that has consequences.
#[derive(Clone, Copy)]
pub(super) struct Exits {
    /// A word of the frame with what a guard answered.
    slot: Value,
    /// Where that is read.
    block: Block,
}

impl Mutations<'_> {
    /// The exits of a function that has more than its end.
    pub(super) fn exits(&self) -> Option<Exits> {
        let target = |spot: &OperationSpot| match spot {
            OperationSpot::Consequence(block) => Some(self.body.blocks[*block].0),
            _ => None,
        };
        let mut targets: Vec<_> = self.numbered().filter_map(|(_, operation)| target(&operation.spot)).collect();
        if targets.is_empty() {
            return None;
        }
        let slot = Builder::before(self.module, self.body.at(0)).slot(self.module.int(64));
        llvm!(shim::suspect_no_sanitize_instruction(slot.0));
        let block = Block(llvm!(shim::suspect_exits(slot.0, targets.as_mut_ptr(), targets.len(), CHOICE_BITS)));
        // A loop may go round here that does not otherwise.
        block.terminator().into_iter().for_each(|end| fuel::tick(self.module, end));
        Some(Exits { slot, block })
    }

    /// Behind where a pointer is read control can go elsewhere if that is null.
    pub(super) fn pointer(&self, number: u32, load: Value, exits: Option<Exits>) {
        let Some(next) = load.next() else { return };
        let builder = Builder::before(self.module, next);
        let null = Value(llvm!(LLVMBuildIsNull(builder.raw(), load.0, c"".as_ptr())));
        let mask = self.mask(&builder, null, guard::ZERO);
        self.leaves(&builder, number, &[mask], next, exits);
    }

    /// Behind an integer control can go elsewhere if a guard holds of it.
    pub(super) fn guarded(&self, number: u32, integer: Value, exits: Option<Exits>) {
        let Some(next) = integer.next() else { return };
        let builder = Builder::before(self.module, next);
        let none = Value(llvm!(LLVMConstNull(integer.kind().0)));
        let holds = |condition: u32| {
            let predicate = match condition {
                guard::ZERO => LLVMIntPredicate::LLVMIntEQ,
                guard::NEGATIVE => LLVMIntPredicate::LLVMIntSLT,
                _ => LLVMIntPredicate::LLVMIntNE,
            };
            let is = Value(llvm!(LLVMBuildICmp(builder.raw(), predicate, integer.0, none.0, c"".as_ptr())));
            self.mask(&builder, is, condition)
        };
        self.leaves(&builder, number, &guard::ALL.map(holds), next, exits);
    }

    /// Control can go elsewhere before `next` by one of the guards of which all bits are in `masks`, if they hold.
    pub(super) fn leaves(&self, builder: &Builder, number: u32, masks: &[Value], next: Value, exits: Option<Exits>) {
        let zero = self.module.constant(64, 0);
        let or = |left, right| builder.binary(LLVMOpcode::LLVMOr, left, right);
        let all = masks.iter().copied().reduce(or).unwrap_or(zero);
        let answer = self.ask(builder, number, zero, all, zero);
        // The answer of one guard alone is left.
        let shifted = |times: u32| {
            builder.binary(LLVMOpcode::LLVMLShr, answer, self.module.constant(64, u64::from(times * guard::BITS)))
        };
        let one = (0..masks.len() as u32).map(shifted).reduce(or).unwrap_or(zero);
        let by = |opcode, value, bits: u32| builder.binary(opcode, value, self.module.constant(64, u64::from(bits)));
        let alone = by(LLVMOpcode::LLVMShl, one, u64::BITS - guard::BITS);
        let choice = by(LLVMOpcode::LLVMLShr, alone, u32::BITS);
        let (slot, block) =
            exits.map_or((std::ptr::null_mut(), std::ptr::null_mut()), |exits| (exits.slot.0, exits.block.0));
        llvm!(shim::suspect_leave(choice.0, next.0, CHOICE_BITS, slot, block));
    }

    /// All bits of the `condition`-th guard where `is` holds.
    pub(super) fn mask(&self, builder: &Builder, is: Value, condition: u32) -> Value {
        let all = builder.cast(LLVMOpcode::LLVMSExt, is, self.module.int(64));
        builder.binary(LLVMOpcode::LLVMAnd, all, self.module.constant(64, guard::MASK << (condition * guard::BITS)))
    }
}
