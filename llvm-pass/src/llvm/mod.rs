//! LLVM: its values as handles, what instructions are made with, what its C interface cannot say.

pub mod builder;
pub mod debug_info;
pub mod global;
pub mod ir;
pub mod shim;
