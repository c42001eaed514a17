//! Causal program dependence: from what value mutants change to what causes what, how strongly, and who is to blame.

mod gtest;
mod markov;
mod observations;
mod safe;
mod structure;
mod table;
#[cfg(test)]
mod tests;

pub use observations::{ObservationError, Observations, Row, TestObservations};
pub use safe::SafeRelation;
pub use structure::{Candidates, Cycles, Independence, Parents, Structure, StructureOptions, execution_order};
