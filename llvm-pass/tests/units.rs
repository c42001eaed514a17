//! The unit tests of the modules that do without LLVM: cargo cannot run them in place, since only clang has the symbols
//! that the rest of the library needs.

#[path = "../src/inject/case_names.rs"]
mod case_names;
#[path = "../src/collect/flow.rs"]
mod flow;
#[path = "../src/collect/positions.rs"]
mod positions;
#[path = "../src/options.rs"]
#[expect(dead_code, reason = "only its tests are wanted here")]
mod options;
#[path = "../src/collect/sequences.rs"]
#[expect(dead_code, reason = "only its tests are wanted here")]
mod sequences;
