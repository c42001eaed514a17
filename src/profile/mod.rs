//! Profiles of edges and predicates over the runs of a suite, and the localisers that read them.
//!
//! Pure: no IO, no clock, no printing.

pub mod blockrank;
mod edges;
mod flow;

pub use edges::{EdgeProfile, FlowEdge, FlowGraph, OUTSIDE};
pub use flow::ProgramFlow;
