//! Global variables of the pass's own.

use std::ffi::CString;

use inkwell::llvm_sys::core::*;

use crate::llvm::ir::{LLVMLinkage, Module, Type, Value, llvm};
use crate::llvm::shim;

/// A variable that the runtime's own of the same name takes the place of.
pub fn weak_global(module: Module, name: &str, kind: Type, align: u32) -> Value {
    if let Some(global) = module.global(name) {
        return global;
    }
    let global = module.add_global(name, kind);
    llvm!({
        LLVMSetLinkage(global.0, LLVMLinkage::LLVMWeakAnyLinkage);
        LLVMSetVisibility(global.0, inkwell::llvm_sys::LLVMVisibility::LLVMHiddenVisibility);
        LLVMSetInitializer(global.0, LLVMConstNull(kind.0));
        LLVMSetAlignment(global.0, align);
        shim::suspect_set_no_sanitize(global.0);
    });
    global
}

/// Makes a new variable the unit's own, zero, in `section`.
pub fn in_section(global: Value, kind: Type, section: &str, align: u32) {
    llvm!({
        LLVMSetLinkage(global.0, LLVMLinkage::LLVMInternalLinkage);
        LLVMSetInitializer(global.0, LLVMConstNull(kind.0));
        LLVMSetAlignment(global.0, align);
        set_section(global, section);
        shim::suspect_set_no_sanitize(global.0);
    });
}

pub fn set_section(global: Value, section: &str) {
    let section = CString::new(section).unwrap_or_default();
    llvm!(LLVMSetSection(global.0, section.as_ptr()))
}
