//! Functions and variables, and the attributes of functions and calls.

use std::ffi::c_uint;

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::*;

use super::{Block, LLVMLinkage, Type, Value, llvm};
use crate::llvm::shim;

impl Value {
    /// A function's blocks.
    pub fn blocks(self) -> Vec<Block> {
        let first = llvm!(LLVMGetFirstBasicBlock(self.0));
        std::iter::successors((!first.is_null()).then_some(Block(first)), |block| {
            let next = llvm!(LLVMGetNextBasicBlock(block.0));
            (!next.is_null()).then_some(Block(next))
        })
        .collect()
    }

    /// Whether a function or variable is defined elsewhere.
    pub fn is_declaration(self) -> bool {
        llvm!(LLVMIsDeclaration(self.0)) != 0
    }

    /// A global's linkage.
    pub fn linkage(self) -> LLVMLinkage {
        llvm!(LLVMGetLinkage(self.0))
    }

    /// Whether a global is seen in its own unit alone.
    pub fn is_local(self) -> bool {
        matches!(self.linkage(), LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage)
    }

    /// Whether the linker or loader may put another definition in a global's place.
    pub fn is_interposable(self) -> bool {
        llvm!(shim::suspect_is_interposable(self.0))
    }

    /// Whether a function is one of LLVM's own.
    pub fn is_intrinsic(self) -> bool {
        llvm!(shim::suspect_is_intrinsic(self.0))
    }

    /// A function's parameters.
    pub fn parameters(self) -> Vec<Value> {
        (0..llvm!(LLVMCountParams(self.0))).map(|index| Value(llvm!(LLVMGetParam(self.0, index)))).collect()
    }

    /// A function's own type.
    pub fn function_type(self) -> Type {
        Type(llvm!(LLVMGlobalGetValueType(self.0)))
    }

    /// Whether a function takes variable arguments.
    pub fn is_variadic(self) -> bool {
        llvm!(LLVMIsFunctionVarArg(self.function_type().0)) != 0
    }

    /// Whether a function has an enum attribute.
    pub fn has_attribute(self, name: &str) -> bool {
        let kind = attribute_kind(name);
        !llvm!(LLVMGetEnumAttributeAtIndex(self.0, inkwell::llvm_sys::LLVMAttributeFunctionIndex, kind)).is_null()
    }

    /// Gives a function an enum attribute.
    pub fn add_attribute(self, context: LLVMContextRef, name: &str, number: u64) {
        llvm!({
            let attribute = LLVMCreateEnumAttribute(context, attribute_kind(name), number);
            LLVMAddAttributeAtIndex(self.0, inkwell::llvm_sys::LLVMAttributeFunctionIndex, attribute);
        })
    }

    /// Gives a function a string attribute.
    pub fn add_text_attribute(self, context: LLVMContextRef, key: &str, value: &str) {
        let attribute = text_attribute(context, key, value);
        llvm!(LLVMAddAttributeAtIndex(self.0, inkwell::llvm_sys::LLVMAttributeFunctionIndex, attribute));
    }

    /// Takes an enum attribute from a function.
    pub fn remove_attribute(self, name: &str) {
        let kind = attribute_kind(name);
        llvm!(LLVMRemoveEnumAttributeAtIndex(self.0, inkwell::llvm_sys::LLVMAttributeFunctionIndex, kind))
    }

    /// Gives a call a string attribute.
    pub fn add_call_text_attribute(self, context: LLVMContextRef, key: &str, value: &str) {
        let attribute = text_attribute(context, key, value);
        llvm!(LLVMAddCallSiteAttribute(self.0, inkwell::llvm_sys::LLVMAttributeFunctionIndex, attribute));
    }

    /// Whether a call or its callee has the enum attribute `name`.
    pub fn call_has(self, name: &str) -> bool {
        llvm!(shim::suspect_call_has(self.0, attribute_kind(name)))
    }
}

fn text_attribute(context: LLVMContextRef, key: &str, value: &str) -> LLVMAttributeRef {
    let (key_len, value_len) = (key.len() as c_uint, value.len() as c_uint);
    llvm!(LLVMCreateStringAttribute(context, key.as_ptr().cast(), key_len, value.as_ptr().cast(), value_len))
}

/// The number of the enum attribute `name`.
fn attribute_kind(name: &str) -> c_uint {
    llvm!(LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()))
}
