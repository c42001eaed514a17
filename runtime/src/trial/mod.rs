//! A process of a trial: its file, its mutants, and what hooks change.

pub mod change;
pub mod file;
pub mod fuel;
pub mod gates;
pub mod member;
pub mod mutants;
pub mod scratch;
pub mod sites;
pub mod stack;
pub mod trampoline;
