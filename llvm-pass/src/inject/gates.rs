//! Gates: the `mutants` version of a function goes on in the `trace` version while the function's byte is not 0.

use inkwell::llvm_sys::core::*;

use crate::inject::versions;
use crate::llvm::builder::Builder;
use crate::llvm::ir::{Block, LLVMIntPredicate, LLVMOpcode, Module, Value, llvm};
use crate::llvm::shim;

/// Has `function` look at its `byte` first, and leave all to `trace` unless it is 0.
pub fn mark(module: Module, function: Value, trace: Value, byte: Value) {
    let Some(entry) = function.blocks().first().copied() else { return };
    let Some(first) = entry.instructions().into_iter().find(|one| !one.is(LLVMOpcode::LLVMAlloca)) else { return };
    let builder = Builder::before(module, first);
    let gate = builder.load(module.int(8), byte);
    let zero = module.constant(8, 0);
    let open = llvm!(LLVMBuildICmp(builder.raw(), LLVMIntPredicate::LLVMIntNE, gate.0, zero.0, c"".as_ptr()));
    let block = Block(llvm!(shim::suspect_divert(open, first.0)));
    let call = versions::forward_call(module, function, block, trace);
    // Only variable arguments cannot be passed on otherwise: the optimizer puts code behind calls that must be tail calls when it makes
    // a loop of a recursion.
    if function.is_variadic() {
        llvm!(shim::suspect_set_musttail(call.0));
    }
    // Nearly free to the inliner, or it would inline less than in the plain version.
    call.add_call_text_attribute(module.context(), "call-inline-cost", "0");
}
