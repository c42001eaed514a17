//! LLVM's module, values, blocks and types as plain copyable handles; all calls into LLVM are here and in [`crate::llvm::shim`].
//!
//! inkwell brings LLVM's C interface; its typed values are not used, because they panic on kinds of values that C
//! programs contain. A handle is valid while the compiler runs a pass over the module it came from, and passes hold
//! handles no longer than that, which is the safety argument of every call here.

mod functions;
mod module;
mod types;
mod value;

use std::ffi::CStr;

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::*;
use inkwell::llvm_sys::prelude::*;
pub use inkwell::llvm_sys::{LLVMIntPredicate, LLVMLinkage, LLVMOpcode, LLVMRealPredicate, LLVMTypeKind};

pub use self::types::{element_type, structure_name, type_text};
use crate::llvm::shim;

/// Calls LLVM.
macro_rules! llvm {
    ($call:expr) => {
        // SAFETY: the handles that go in were given out by LLVM for the module that the running pass was called with,
        // lengths are those of the slices passed, and each caller checks the kind of value first.
        unsafe { $call }
    };
}
pub(crate) use llvm;

/// A value: instruction, constant, global, argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Value(pub LLVMValueRef);

/// A basic block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Block(pub LLVMBasicBlockRef);

/// A type of the IR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Type(pub LLVMTypeRef);

/// The module being compiled.
#[derive(Clone, Copy, Debug)]
pub struct Module(pub LLVMModuleRef);

fn text<'a>(bytes: *const std::ffi::c_char, length: usize) -> &'a [u8] {
    match bytes.is_null() {
        true => &[],
        // SAFETY: LLVM returned this pointer with this length; the string lives as long as its context.
        false => unsafe { std::slice::from_raw_parts(bytes.cast(), length) },
    }
}

/// The string that `call` returns, given a place for its length.
pub fn string_of(call: impl FnOnce(*mut usize) -> *const std::ffi::c_char) -> String {
    String::from_utf8_lossy(bytes_of(call).unwrap_or_default()).into_owned()
}

/// The bytes that `call` returns; `None` when it returns null.
pub fn bytes_of<'a>(call: impl FnOnce(*mut usize) -> *const std::ffi::c_char) -> Option<&'a [u8]> {
    let mut length = 0;
    let bytes = call(&mut length);
    (!bytes.is_null()).then(|| text(bytes, length))
}

fn optional(value: LLVMValueRef) -> Option<Value> {
    (!value.is_null()).then_some(Value(value))
}

impl Block {
    /// Its instructions but those that only carry debug information.
    pub fn instructions(self) -> Vec<Value> {
        let first = llvm!(LLVMGetFirstInstruction(self.0));
        std::iter::successors(optional(first), |value| optional(llvm!(LLVMGetNextInstruction(value.0))))
            .filter(|value| !llvm!(shim::suspect_is_debug(value.0)))
            .collect()
    }

    /// Its last instruction.
    pub fn terminator(self) -> Option<Value> {
        optional(llvm!(LLVMGetBasicBlockTerminator(self.0)))
    }

    /// Its function.
    pub fn function(self) -> Value {
        Value(llvm!(LLVMGetBasicBlockParent(self.0)))
    }

    /// Whether a label's address is taken.
    pub fn has_address_taken(self) -> bool {
        llvm!(shim::suspect_has_address_taken(self.0))
    }
}

/// Debug location of an instruction: line, column, file; zeros and `None` where there is none.
pub fn debug_location(instruction: Value) -> Option<(u32, u32, LLVMMetadataRef)> {
    if !instruction.is_instruction() {
        return None;
    }
    llvm!({
        let location = LLVMInstructionGetDebugLoc(instruction.0);
        (!location.is_null()).then(|| {
            let scope = LLVMDILocationGetScope(location);
            (LLVMDILocationGetLine(location), LLVMDILocationGetColumn(location), scope)
        })
    })
}

/// A block as an operand of a terminator.
pub fn block_value(block: Block) -> Value {
    Value(llvm!(LLVMBasicBlockAsValue(block.0)))
}

/// A simple constant as IR text.
pub fn value_text(value: Value) -> String {
    message(llvm!(LLVMPrintValueToString(value.0)))
}

/// A message that LLVM allocated.
fn message(text: *mut std::ffi::c_char) -> String {
    // SAFETY: LLVM gives a zero-terminated string that is ours to dispose of.
    unsafe {
        let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
        LLVMDisposeMessage(text);
        copy
    }
}
