//! What the kernel, the loader and the C library give: system calls, memory, settings, symbols.

pub mod children;
pub mod clock;
pub mod mapping;
pub mod memory;
pub mod module;
pub mod settings;
pub mod symbols;
pub mod sys;
