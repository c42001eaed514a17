//! Causal program dependence: from what value mutants change to what causes what, how strongly, and who is to blame.

mod cdfl;
mod direct;
mod effects;
mod gtest;
mod intern;
mod markov;
mod model;
mod observations;
mod panel;
mod safe;
mod structure;
mod table;
#[cfg(test)]
mod tests;

pub use cdfl::{CdflOptions, cdfl, direct_suspicion};
pub use effects::{Dependence, EffectOptions, Effects, Estimate, Missing, Pair, Population};
pub use model::{BadBands, Bands, Change, Cpdm, Strength, Towards};
pub use observations::{ObservationError, Observations, Row, TestObservations};
pub use safe::SafeRelation;
pub use structure::{Candidates, Cycles, Independence, Parents, Structure, StructureOptions, execution_order};
