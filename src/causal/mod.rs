//! Causal program dependence: from what value mutants change to what causes what, how strongly, and who is to blame.

mod observations;

pub use observations::{ObservationError, Observations, Row, TestObservations};
