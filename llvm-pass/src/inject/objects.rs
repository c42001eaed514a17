//! Naming objects: in the `trace` version the runtime is told of what the C library's allocators made.

use inkwell::llvm_sys::core::*;
use suspect_format::abi;

use crate::collect::calls;
use crate::collect::sites::Body;
use crate::inject::marker::hook;
use crate::llvm::builder::Builder;
use crate::llvm::ir::{LLVMIntPredicate, Module, Value, llvm};
use crate::llvm::shim;

/// Functions that return what they made.
const RETURNED: &[&str] = &[
    "__strdup",
    "__strndup",
    "aligned_alloc",
    "calloc",
    "malloc",
    "memalign",
    "pvalloc",
    "realloc",
    "reallocarray",
    "strdup",
    "strndup",
    "valloc",
];

/// Functions that leave what they made where an argument points, and what they return when they did.
const LEFT: &[(&str, u32, Success)] = &[
    ("posix_memalign", 0, Success::Zero),
    ("asprintf", 0, Success::NotNegative),
    ("vasprintf", 0, Success::NotNegative),
    ("__asprintf_chk", 0, Success::NotNegative),
    ("__vasprintf_chk", 0, Success::NotNegative),
    ("getline", 0, Success::NotNegative),
    ("getdelim", 0, Success::NotNegative),
    ("__getdelim", 0, Success::NotNegative),
];

#[derive(Clone, Copy)]
enum Success {
    Zero,
    NotNegative,
}

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
    let name = callee.name();
    let builder = Builder::before(module, next);
    let object = if RETURNED.contains(&name.as_str()) && call.kind().is_pointer() {
        Some(call)
    } else {
        let left = LEFT.iter().find(|(known, ..)| *known == name);
        left.and_then(|(_, argument, success)| left_behind(module, &builder, call, *argument, *success))
    };
    if let Some(object) = object {
        let hook = hook(module, abi::HOOK_OBJECT, module.void(), &[module.pointer()]);
        let told = builder.call(hook, &[object]);
        llvm!(shim::suspect_no_sanitize_instruction(told.0));
    }
}

/// The object that `call` left where its argument points; null if it failed.
fn left_behind(module: Module, builder: &Builder, call: Value, argument: u32, success: Success) -> Option<Value> {
    let place = call.operand(argument).filter(|place| place.kind().is_pointer())?;
    let bits = call.kind().int_bits();
    if bits == 0 {
        return None;
    }
    let predicate = match success {
        Success::Zero => LLVMIntPredicate::LLVMIntEQ,
        Success::NotNegative => LLVMIntPredicate::LLVMIntSGE,
    };
    let zero = module.constant(bits, 0);
    let done = Value(llvm!(LLVMBuildICmp(builder.raw(), predicate, call.0, zero.0, c"".as_ptr())));
    let null = Value(llvm!(LLVMConstNull(module.pointer().0)));
    Some(builder.select(done, builder.load(module.pointer(), place), null))
}
