//! The executor of plans: each mutant is run where it would first change something, and everything is put back.

pub mod checkpoint;
pub mod files;
pub mod filter;
pub mod fork;
pub mod in_process;
pub mod mask;
pub mod scratch_mapping;
pub mod shared_vm;
pub mod snapshot;
pub mod syscall_dispatch;
