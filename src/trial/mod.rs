//! Trials: one mutant of one test, run contained and compared with the oracle.

mod observation;

pub use observation::{Change, End, Executor, Observation, Override};
