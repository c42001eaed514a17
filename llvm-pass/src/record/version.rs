//! A function's `record` version, and what the unit's other functions have to do with it.

use crate::llvm::ir::{Module, Value, llvm};
use crate::llvm::shim;

/// A function's `record` version.
pub struct Version {
    /// Its module.
    pub module: Module,
    /// Its code.
    pub code: Value,
    /// The code that it is a copy of, with debug information.
    pub original: Value,
    /// The function as others know it.
    pub symbol: Value,
    /// Its number in the site table.
    pub number: u32,
    /// Hash of the unit's site table.
    pub unit_hash: u64,
}

/// Variables that only loads and stores of the unit see; none if some of its functions have no version.
pub fn known_variables(module: Module, all_have_versions: bool) -> Vec<Value> {
    let mut known = vec![std::ptr::null_mut(); if all_have_versions { module.globals().len() } else { 0 }];
    let count = llvm!(shim::suspect_record_known(module.0, known.as_mut_ptr(), known.len()));
    known.into_iter().take(count).map(Value).collect()
}
