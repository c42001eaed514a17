//! The report of a recorded run: all that the store knows of it in one structure, made when something that it tells of has changed. Runs nothing.

mod gather;
mod kept;
mod methods;
mod missing;
mod profiles;
mod sources;
mod tables;

pub use kept::{current, keep};
pub use tables::write_tables;
