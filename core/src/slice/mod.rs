//! Static backward slices over the program dependence graph, and what a test leaves of them.
//!
//! Data dependence goes through values, through locals whose address is never taken (flow-sensitive), and through
//! classes of memory that a unification-based points-to analysis (Steensgaard, POPL 1996) tells apart, field- and
//! flow-insensitively. Control dependence is by post-dominators (Ferrante, Ottenstein & Warren, TOPLAS 1987). Calls are
//! followed without matching them to their returns. Every one of these over-approximates: a slice may hold lines that
//! cannot matter, but a line outside it cannot influence the output by a flow that the analysis models. Not modelled:
//! addresses rebuilt from integer arithmetic, inline assembly, and whether a call returns at all.

mod code;
mod control;
mod memory;
mod nodes;
mod walk;

pub use code::{Code, CodeError};
pub use walk::{Criterion, Slicer};
