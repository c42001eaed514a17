//! suspect: which lines of a C program are probably to blame for a failing test, and why.
//!
//! Modules are declared in the order of the data path; each uses only those above it.

pub mod exec;
pub mod program;
pub mod suite;
