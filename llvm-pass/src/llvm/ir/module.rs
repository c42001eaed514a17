//! The module: its functions and variables, its types and constants, what passes leave in it.

use std::ffi::{CStr, CString, c_uint};

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::*;

use super::{Module, Type, Value, llvm, optional, string_of};
use crate::llvm::shim;

impl Module {
    /// The context that owns the module.
    pub fn context(self) -> LLVMContextRef {
        llvm!(LLVMGetModuleContext(self.0))
    }

    /// All functions, declared and defined.
    pub fn functions(self) -> Vec<Value> {
        let first = llvm!(LLVMGetFirstFunction(self.0));
        std::iter::successors(optional(first), |function| optional(llvm!(LLVMGetNextFunction(function.0)))).collect()
    }

    /// All indirect functions.
    pub fn ifuncs(self) -> Vec<Value> {
        let first = llvm!(LLVMGetFirstGlobalIFunc(self.0));
        std::iter::successors(optional(first), |ifunc| optional(llvm!(LLVMGetNextGlobalIFunc(ifunc.0)))).collect()
    }

    /// The function called `name`.
    pub fn function(self, name: &str) -> Option<Value> {
        let name = CString::new(name).ok()?;
        optional(llvm!(LLVMGetNamedFunction(self.0, name.as_ptr())))
    }

    /// The variable called `name`.
    pub fn global(self, name: &str) -> Option<Value> {
        let name = CString::new(name).ok()?;
        optional(llvm!(LLVMGetNamedGlobal(self.0, name.as_ptr())))
    }

    /// Declares a function.
    pub fn declare(self, name: &str, returns: Type, parameters: &[Type], variadic: bool) -> Value {
        let mut parameters: Vec<LLVMTypeRef> = parameters.iter().map(|kind| kind.0).collect();
        let name = CString::new(name).unwrap_or_default();
        llvm!({
            let kind =
                LLVMFunctionType(returns.0, parameters.as_mut_ptr(), parameters.len() as c_uint, variadic as i32);
            Value(LLVMAddFunction(self.0, name.as_ptr(), kind))
        })
    }

    /// Adds a variable without initialiser.
    pub fn add_global(self, name: &str, kind: Type) -> Value {
        let name = CString::new(name).unwrap_or_default();
        Value(llvm!(LLVMAddGlobal(self.0, kind.0, name.as_ptr())))
    }

    /// Integer type of `bits` bits.
    pub fn int(self, bits: u32) -> Type {
        Type(llvm!(LLVMIntTypeInContext(self.context(), bits)))
    }

    /// No type.
    pub fn void(self) -> Type {
        Type(llvm!(LLVMVoidTypeInContext(self.context())))
    }

    /// Type of addresses.
    pub fn pointer(self) -> Type {
        Type(llvm!(LLVMPointerTypeInContext(self.context(), 0)))
    }

    /// Array of 64-bit words.
    pub fn words(self, count: u32) -> Type {
        self.array(self.int(64), count)
    }

    /// Array type.
    pub fn array(self, element: Type, count: u32) -> Type {
        // LLVM 16 has only the old function, LLVM 19 has both.
        #[cfg_attr(feature = "llvm19", expect(deprecated, reason = "the new one is not in LLVM 16"))]
        Type(llvm!(LLVMArrayType(element.0, count)))
    }

    /// The constant `number` of an integer type of `bits` bits.
    pub fn constant(self, bits: u32, number: u64) -> Value {
        Value(llvm!(LLVMConstInt(self.int(bits).0, number, 0)))
    }

    /// Appends assembly to the module's own.
    pub fn append_assembly(self, assembly: &str) {
        llvm!(LLVMAppendModuleInlineAsm(self.0, assembly.as_ptr().cast(), assembly.len()))
    }

    /// The source file's name as given to the compiler.
    pub fn source(self) -> String {
        string_of(|length| llvm!(LLVMGetSourceFileName(self.0, length)))
    }

    /// Reports an error as the compiler's own, which fails the compilation.
    pub fn error(self, message: &str) {
        llvm!(shim::suspect_error(self.0, message.as_ptr().cast(), message.len()))
    }

    /// Leaves numbers in the module under `name` for a later pass.
    pub fn leave(self, name: &CStr, numbers: &[u64]) {
        llvm!({
            let context = self.context();
            let mut values: Vec<LLVMMetadataRef> =
                numbers.iter().map(|number| LLVMValueAsMetadata(self.constant(64, *number).0)).collect();
            let node = LLVMMDNodeInContext2(context, values.as_mut_ptr(), values.len());
            LLVMAddNamedMetadataOperand(self.0, name.as_ptr(), LLVMMetadataAsValue(context, node));
        })
    }

    /// Takes the numbers that an earlier pass left.
    pub fn take(self, name: &CStr) -> Option<Vec<u64>> {
        llvm!({
            if LLVMGetNamedMetadataNumOperands(self.0, name.as_ptr()) == 0 {
                return None;
            }
            let mut node = std::ptr::null_mut();
            LLVMGetNamedMetadataOperands(self.0, name.as_ptr(), &mut node);
            let mut values = vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(node) as usize];
            LLVMGetMDNodeOperands(node, values.as_mut_ptr());
            shim::suspect_drop_named_metadata(self.0, name.as_ptr());
            Some(values.into_iter().map(|value| LLVMConstIntGetZExtValue(value)).collect())
        })
    }
}
