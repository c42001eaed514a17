//! suspect: which lines of a C program are probably to blame for a failing test, and why.
//!
//! Modules are declared in the order of the data path; each uses only those above it, and what
//! [`suspect_core`] computes, whose modules stand here under their own names.

pub use suspect_core::{causal, comparison, evidence, history, hom, mutant, profile, program, rank, slice, spectra};

pub mod build;
pub mod exec;
pub mod suite;
pub mod trace;
pub mod source;
pub mod store;
pub mod trial;
pub mod campaign;
pub mod recording;
pub mod search;
pub mod obstacle;
pub mod progress;
pub mod report;
pub mod suite_run;
pub mod mutation;
pub mod rank_inputs;
pub mod causal_graph;
pub mod higher_order;
pub mod ranking;
pub mod explain;
pub mod run_slice;
pub mod night;
pub mod run_report;
pub mod bisection;
pub mod eval;
pub mod study;
pub mod cli;

/// Name of the store's directory in a project's root; whoever walks over a project passes it over.
pub(crate) const STORE_DIRECTORY: &str = ".suspect";
