//! Types.

use std::ffi::CStr;

use inkwell::llvm_sys::LLVMTypeKind;
use inkwell::llvm_sys::core::*;

use super::{Type, llvm, message};

impl Type {
    /// What kind of type it is.
    pub fn kind(self) -> LLVMTypeKind {
        llvm!(LLVMGetTypeKind(self.0))
    }

    /// Bits of an integer type; 0 for other types.
    pub fn int_bits(self) -> u32 {
        match self.kind() {
            LLVMTypeKind::LLVMIntegerTypeKind => llvm!(LLVMGetIntTypeWidth(self.0)),
            _ => 0,
        }
    }

    /// Bits of a scalar that fits a value word, possibly folded; `None` for aggregates, vectors and void.
    pub fn scalar_bits(self) -> Option<u32> {
        use LLVMTypeKind::*;
        match self.kind() {
            LLVMIntegerTypeKind => Some(self.int_bits()).filter(|bits| *bits <= 128),
            LLVMHalfTypeKind | LLVMBFloatTypeKind => Some(16),
            LLVMFloatTypeKind => Some(32),
            LLVMDoubleTypeKind | LLVMPointerTypeKind => Some(64),
            LLVMX86_FP80TypeKind => Some(80),
            LLVMFP128TypeKind => Some(128),
            _ => None,
        }
    }

    /// Whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        use LLVMTypeKind::*;
        matches!(
            self.kind(),
            LLVMHalfTypeKind
                | LLVMBFloatTypeKind
                | LLVMFloatTypeKind
                | LLVMDoubleTypeKind
                | LLVMX86_FP80TypeKind
                | LLVMFP128TypeKind
        )
    }

    /// Whether it is a pointer.
    pub fn is_pointer(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMPointerTypeKind
    }

    /// Whether it is a pointer to ordinary memory.
    pub fn is_ordinary_pointer(self) -> bool {
        self.is_pointer() && llvm!(LLVMGetPointerAddressSpace(self.0)) == 0
    }
}

/// The name of a named structure type.
pub fn structure_name(kind: Type) -> Option<String> {
    if kind.kind() != LLVMTypeKind::LLVMStructTypeKind {
        return None;
    }
    // SAFETY: LLVM gives null or a zero-terminated string that lives as long as the context.
    unsafe {
        let name = LLVMGetStructName(kind.0);
        (!name.is_null()).then(|| CStr::from_ptr(name).to_string_lossy().into_owned())
    }
}

/// The type of an array's elements.
pub fn element_type(array: Type) -> Type {
    Type(llvm!(LLVMGetElementType(array.0)))
}

/// A type as IR text.
pub fn type_text(kind: Type) -> String {
    match kind.int_bits() {
        0 if kind.is_pointer() => "ptr".to_owned(),
        0 => message(llvm!(LLVMPrintTypeToString(kind.0))),
        bits => format!("i{bits}"),
    }
}
