//! What instructions are made with.

use std::ffi::c_uint;

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::*;

use crate::llvm::ir::{Block, LLVMOpcode, Module, Type, Value, llvm};
use crate::llvm::shim;

/// Builds instructions before a given one.
pub struct Builder(LLVMBuilderRef);

impl Drop for Builder {
    fn drop(&mut self) {
        llvm!(LLVMDisposeBuilder(self.0))
    }
}

impl Builder {
    /// A builder that inserts before `instruction`, with its debug location.
    pub fn before(module: Module, instruction: Value) -> Self {
        let builder = Builder(llvm!(LLVMCreateBuilderInContext(module.context())));
        llvm!(LLVMPositionBuilderBefore(builder.0, instruction.0));
        builder
    }

    /// A builder that inserts at the end of `block`.
    pub fn at_end(module: Module, block: Block) -> Self {
        let builder = Builder(llvm!(LLVMCreateBuilderInContext(module.context())));
        llvm!(LLVMPositionBuilderAtEnd(builder.0, block.0));
        builder
    }

    /// LLVM's own handle.
    pub fn raw(&self) -> LLVMBuilderRef {
        self.0
    }

    /// A call of `function`.
    pub fn call(&self, function: Value, arguments: &[Value]) -> Value {
        let mut arguments: Vec<LLVMValueRef> = arguments.iter().map(|value| value.0).collect();
        llvm!(Value(LLVMBuildCall2(
            self.0,
            function.function_type().0,
            function.0,
            arguments.as_mut_ptr(),
            arguments.len() as c_uint,
            c"".as_ptr(),
        )))
    }

    /// A load of `kind` that sanitizers leave alone.
    pub fn load(&self, kind: Type, address: Value) -> Value {
        let load = Value(llvm!(LLVMBuildLoad2(self.0, kind.0, address.0, c"".as_ptr())));
        llvm!(shim::suspect_no_sanitize_instruction(load.0));
        load
    }

    /// A store that sanitizers leave alone.
    pub fn store(&self, value: Value, address: Value) {
        let store = llvm!(LLVMBuildStore(self.0, value.0, address.0));
        llvm!(shim::suspect_no_sanitize_instruction(store));
    }

    /// Address of an element of the array of type `kind` at `array`.
    pub fn element(&self, kind: Type, array: Value, index: u32) -> Value {
        llvm!({
            let int = LLVMInt64TypeInContext(LLVMGetTypeContext(kind.0));
            let mut path = [LLVMConstInt(int, 0, 0), LLVMConstInt(int, u64::from(index), 0)];
            Value(LLVMBuildInBoundsGEP2(self.0, kind.0, array.0, path.as_mut_ptr(), 2, c"".as_ptr()))
        })
    }

    /// A two-operand instruction.
    pub fn binary(&self, opcode: LLVMOpcode, left: Value, right: Value) -> Value {
        Value(llvm!(LLVMBuildBinOp(self.0, opcode, left.0, right.0, c"".as_ptr())))
    }

    /// One of two values.
    pub fn select(&self, condition: Value, yes: Value, no: Value) -> Value {
        Value(llvm!(LLVMBuildSelect(self.0, condition.0, yes.0, no.0, c"".as_ptr())))
    }

    /// A slot in the function's frame.
    pub fn slot(&self, kind: Type) -> Value {
        Value(llvm!(LLVMBuildAlloca(self.0, kind.0, c"".as_ptr())))
    }

    /// A cast.
    pub fn cast(&self, opcode: LLVMOpcode, value: Value, to: Type) -> Value {
        Value(llvm!(LLVMBuildCast(self.0, opcode, value.0, to.0, c"".as_ptr())))
    }
}

/// Address of word `index` in the array `data` of `words`.
pub fn word_address(module: Module, words: Type, data: Value, index: u32) -> Value {
    let mut path = [module.constant(64, 0).0, module.constant(64, u64::from(index)).0];
    Value(llvm!(LLVMConstInBoundsGEP2(words.0, data.0, path.as_mut_ptr(), 2)))
}
