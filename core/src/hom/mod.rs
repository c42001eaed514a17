//! Higher-order mutants: several code mutants at once, chosen by how causally related the places are that they change.
//!
//! Oh, Lee & Yoo, Effectively Sampling Higher Order Mutants Using Causal Effect; Jia & Harman, Higher Order Mutation Testing, for
//! subsumption. Nothing here makes or runs mutants: a first-order mutant is its position in somebody's list, and [`plan`] says which of
//! them to combine, [`judge`] what the outcomes mean.

mod drawing;
mod effect;
mod judge;
mod kill;
mod matching;
mod plan;
mod pool;
pub(crate) mod random;
mod sets;
pub mod studies;
#[cfg(test)]
pub(crate) mod tests;

pub use drawing::draw_sets;
pub use effect::EffectMatrix;
pub use judge::{Class, Judgement, Summary, judge};
pub use kill::{KillMatrix, KillVector, Kills};
pub use plan::{Heuristic, Plan, PlanError, PlanOptions, plan};
pub use pool::{FirstOrder, Hom, Location, Pool};
pub use sets::NodeSet;
