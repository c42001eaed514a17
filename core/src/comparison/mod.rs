//! Comparative causality: why two runs of one program differ, from recorded runs alone.
//!
//! Sumner & Zhang, "Comparative Causality: Explaining the Differences between Executions" (ICSE 2013), with two repairs that its
//! theorems need (see [`Rules`]). Two [`Run`]s are aligned ([`align`]), compared ([`Pair`]) and sliced together ([`DualSlice`]); what
//! is in flight at an earlier point ([`DualSlice::cut`]) holds the causes, of which [`infer`] keeps a minimal sufficient set, proved
//! by patched runs under the approximate or the exact model ([`Offline`]).
//!
//! Everything here works on flat arrays with `u32` numbers, so that a reader of traces can fill them for runs of 100 million points.

mod align;
mod alignment;
mod approximate;
mod bits;
mod chain;
mod confounding;
mod cut;
mod ddmin;
mod dynamic;
mod effect;
mod exact;
mod infer;
mod meetings;
mod memory;
mod names;
mod pair;
mod plan;
mod recorder;
mod regions;
mod run;
mod slice;
mod state;
mod stretches;
mod switching;
mod value;
mod way;
#[cfg(test)]
mod tests;

pub use align::{Step, align};
pub use alignment::{Alignment, Instance, Segment};
pub use bits::Bits;
pub use chain::{Chain, Link, Origin, chain};
pub use confounding::{Confounding, Deviation, deviation};
pub use ddmin::{Minimal, ddmin};
pub use dynamic::{chop, dynamic_slice, forward_slice};
pub use effect::{Effect, Watch};
pub use infer::{Inference, Proof, Verdict, csm, explain_step, infer};
pub use meetings::Meetings;
pub use memory::{Effects, Offline, Operands, Semantics, Stop};
pub use names::{Names, Table};
pub use pair::Pair;
pub use plan::{Divergence, Guide, Plan};
pub use recorder::{Recorder, RunTooLong};
pub use regions::{Joins, RegionStack};
pub use run::{Run, Side, Skipped};
pub use slice::{DualSlice, Edge, Rules};
pub use state::{Difference, State, States, differences};
pub use switching::{Replacement, Turn, by_distance, decisions, switching_order};
pub use value::{Place, Value};
pub use way::{Tie, way, way_by, weightiest_way};

/// No point, write, site or outcome: the end of what a `u32` can number.
pub const NONE: u32 = u32::MAX;

/// The site of the first point of every run, which writes what memory holds before the program does anything.
pub const START: u32 = 0;
