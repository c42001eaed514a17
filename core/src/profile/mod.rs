//! Profiles of edges and predicates over the runs of a suite, and the localisers that read them.
//!
//! Pure: no IO, no clock, no printing.

pub mod blockrank;
pub mod cbi;
pub mod cp;
mod edges;
mod flow;
pub mod likeness;
mod outcomes;
mod propagate;
pub mod sober;

pub use edges::{EdgeProfile, FlowEdge, FlowGraph, OUTSIDE};
pub use flow::ProgramFlow;
pub use outcomes::{OutcomeProfile, Sites};
