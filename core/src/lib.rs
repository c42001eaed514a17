//! What suspect computes: the program model, mutants, evidence and rankings.
//!
//! Nothing here opens a file, starts a process, reads a clock or prints; random seeds are arguments. Modules are declared in the order of the data
//! path; each uses only those above it.

pub mod trace;
pub mod program;
pub mod trial;
pub mod source;
pub mod mutant;
pub mod slice;
pub mod spectra;
pub mod profile;
pub mod causal;
pub mod comparison;
pub mod hom;
pub mod evidence;
pub mod rank;
pub mod history;
