//! Naming objects: in the `trace` version the runtime is told of what the C library's allocators made.

use inkwell::llvm_sys::core::*;
use suspect_format::abi;
use suspect_format::external::{Made, known};

use crate::collect::calls;
use crate::collect::sites::Body;
use crate::inject::marker::hook;
use crate::llvm::builder::Builder;
use crate::llvm::ir::{LLVMIntPredicate, Module, Value, llvm};
use crate::llvm::shim;

/// Has the runtime told of each object after the call that made it.
pub fn mark(module: Module, body: &Body) {
    for call in body.instructions.iter().filter(|call| calls::is_call(**call) && !call.is_musttail()) {
        // Next to it, for both may be left out together.
        if let Some(next) = call.next() {
            told(module, *call, next);
        }
    }
}

fn told(module: Module, call: Value, next: Value) {
    let Some(callee) = call.called_function().filter(|callee| callee.is_declaration()) else { return };
    let Some(made) = known(&callee.name()).and_then(|known| known.made()) else { return };
    let builder = Builder::before(module, next);
    let left = |argument: u8, done| left_behind(module, &builder, call, u32::from(argument), done);
    let object = match made {
        Made::Returned => Some(call).filter(|call| call.kind().is_pointer()),
        Made::AtZero(argument) => left(argument, LLVMIntPredicate::LLVMIntEQ),
        Made::UnlessNegative(argument) => left(argument, LLVMIntPredicate::LLVMIntSGE),
    };
    if let Some(object) = object {
        let hook = hook(module, abi::HOOK_OBJECT, module.void(), &[module.pointer()]);
        let told = builder.call(hook, &[object]);
        llvm!(shim::suspect_no_sanitize_instruction(told.0));
    }
}

/// The object that `call` left where its argument points; null unless its result compares so with zero.
fn left_behind(
    module: Module,
    builder: &Builder,
    call: Value,
    argument: u32,
    predicate: LLVMIntPredicate,
) -> Option<Value> {
    let place = call.operand(argument).filter(|place| place.kind().is_pointer())?;
    let bits = call.kind().int_bits();
    if bits == 0 {
        return None;
    }
    let zero = module.constant(bits, 0);
    let done = Value(llvm!(LLVMBuildICmp(builder.raw(), predicate, call.0, zero.0, c"".as_ptr())));
    let null = Value(llvm!(LLVMConstNull(module.pointer().0)));
    Some(builder.select(done, builder.load(module.pointer(), place), null))
}
