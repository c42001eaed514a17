//! Values: what they are, their operands and uses, and what is asked of each kind of instruction.

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::{LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate};

use super::{Block, Type, Value, bytes_of, llvm, optional, string_of};
use crate::llvm::shim;

impl Value {
    /// Its name.
    pub fn name(self) -> String {
        string_of(|length| llvm!(LLVMGetValueName2(self.0, length)))
    }

    /// Its type.
    pub fn kind(self) -> Type {
        Type(llvm!(LLVMTypeOf(self.0)))
    }

    /// Its uses: each user, with the value itself as operand.
    pub fn users(self) -> Vec<Value> {
        let first = llvm!(LLVMGetFirstUse(self.0));
        std::iter::successors((!first.is_null()).then_some(first), |one| {
            let next = llvm!(LLVMGetNextUse(*one));
            (!next.is_null()).then_some(next)
        })
        .map(|one| Value(llvm!(LLVMGetUser(one))))
        .collect()
    }

    /// Whether it is an instruction.
    pub fn is_instruction(self) -> bool {
        !llvm!(LLVMIsAInstruction(self.0)).is_null()
    }

    /// Whether it is a constant (a global's address included).
    pub fn is_constant(self) -> bool {
        llvm!(LLVMIsConstant(self.0)) != 0
    }

    /// Whether it is a parameter of its function.
    pub fn is_argument(self) -> bool {
        !llvm!(LLVMIsAArgument(self.0)).is_null()
    }

    /// Whether it is a function.
    pub fn is_function(self) -> bool {
        !llvm!(LLVMIsAFunction(self.0)).is_null()
    }

    /// Whether it is a global variable.
    pub fn is_global_variable(self) -> bool {
        !llvm!(LLVMIsAGlobalVariable(self.0)).is_null()
    }

    /// Whether it is the null pointer.
    pub fn is_null_pointer(self) -> bool {
        !llvm!(LLVMIsAConstantPointerNull(self.0)).is_null()
    }

    /// The opcode of an instruction.
    pub fn opcode(self) -> Option<LLVMOpcode> {
        self.is_instruction().then(|| llvm!(LLVMGetInstructionOpcode(self.0)))
    }

    /// Whether it is an instruction with this opcode.
    pub fn is(self, opcode: LLVMOpcode) -> bool {
        self.opcode() == Some(opcode)
    }

    /// The opcode of a constant expression.
    pub fn constant_opcode(self) -> Option<LLVMOpcode> {
        (!llvm!(LLVMIsAConstantExpr(self.0)).is_null()).then(|| llvm!(LLVMGetConstOpcode(self.0)))
    }

    /// Number of operands.
    pub fn n_operands(self) -> u32 {
        llvm!(LLVMGetNumOperands(self.0)).max(0) as u32
    }

    /// One operand.
    pub fn operand(self, index: u32) -> Option<Value> {
        match index < self.n_operands() {
            true => optional(llvm!(LLVMGetOperand(self.0, index))),
            false => None,
        }
    }

    /// All operands.
    pub fn operands(self) -> Vec<Value> {
        (0..self.n_operands()).filter_map(|index| self.operand(index)).collect()
    }

    /// The value of an integer constant of up to 64 bits, sign-extended.
    pub fn integer(self) -> Option<i64> {
        let mut number = 0;
        (self.is_constant() && llvm!(shim::suspect_int_bits(self.0, &mut number))).then_some(number)
    }

    /// The block an instruction is in.
    pub fn block(self) -> Block {
        Block(llvm!(LLVMGetInstructionParent(self.0)))
    }

    /// The successors of a terminator.
    pub fn successors(self) -> Vec<Block> {
        (0..llvm!(LLVMGetNumSuccessors(self.0))).map(|index| Block(llvm!(LLVMGetSuccessor(self.0, index)))).collect()
    }

    /// The comparison of an `icmp`.
    pub fn int_predicate(self) -> LLVMIntPredicate {
        llvm!(LLVMGetICmpPredicate(self.0))
    }

    /// The comparison of an `fcmp`.
    pub fn real_predicate(self) -> LLVMRealPredicate {
        llvm!(LLVMGetFCmpPredicate(self.0))
    }

    /// The incoming values and blocks of a phi.
    pub fn incoming(self) -> Vec<(Value, Block)> {
        (0..llvm!(LLVMCountIncoming(self.0)))
            .map(|index| {
                llvm!((Value(LLVMGetIncomingValue(self.0, index)), Block(LLVMGetIncomingBlock(self.0, index))))
            })
            .collect()
    }

    /// The type a `getelementptr` steps through.
    pub fn element_source(self) -> Type {
        Type(llvm!(LLVMGetGEPSourceElementType(self.0)))
    }

    /// The function called directly.
    pub fn called_function(self) -> Option<Value> {
        optional(llvm!(shim::suspect_called_function(self.0)))
    }

    /// The function that an instruction calls directly, if it is a call.
    pub fn callee(self) -> Option<Value> {
        self.is(LLVMOpcode::LLVMCall).then(|| self.called_function())?
    }

    /// Whether a load is neither volatile nor atomic.
    pub fn is_simple_access(self) -> bool {
        let atomic = inkwell::llvm_sys::LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic;
        llvm!(LLVMGetVolatile(self.0) == 0 && LLVMGetOrdering(self.0) == atomic)
    }

    /// The code of an inline assembly call.
    pub fn inline_assembly(self) -> Option<String> {
        bytes_of(|length| llvm!(shim::suspect_inline_asm(self.0, length)))
            .map(|code| String::from_utf8_lossy(code).into_owned())
    }

    /// Whether it is a call that must be a tail call.
    pub fn is_musttail(self) -> bool {
        llvm!(shim::suspect_is_musttail(self.0))
    }

    /// How many parameters the function that is called has, without variable arguments.
    pub fn n_parameters(self) -> u32 {
        llvm!(LLVMCountParamTypes(LLVMGetCalledFunctionType(self.0)))
    }

    /// Replaces an operand.
    pub fn set_operand(self, index: u32, value: Value) {
        llvm!(LLVMSetOperand(self.0, index, value.0))
    }

    /// Replaces what a phi takes when control comes from `block`.
    pub fn set_incoming_from(self, block: Block, value: Value) {
        for (index, (_, from)) in self.incoming().into_iter().enumerate() {
            if from == block {
                self.set_operand(index as u32, value);
            }
        }
    }

    /// Puts `value` in the place of this one in all operands of `user`.
    pub fn replace_in(self, user: Value, value: Value) {
        for index in 0..user.n_operands() {
            if user.operand(index) == Some(self) {
                user.set_operand(index, value);
            }
        }
    }

    /// The instruction after this one, which is no terminator.
    pub fn next(self) -> Option<Value> {
        optional(llvm!(LLVMGetNextInstruction(self.0)))
    }

    /// Puts `value` in the place of all uses.
    pub fn replace_by(self, value: Value) {
        llvm!(LLVMReplaceAllUsesWith(self.0, value.0))
    }

    /// Takes an instruction out of its block.
    pub fn erase(self) {
        llvm!(LLVMInstructionEraseFromParent(self.0))
    }
}
