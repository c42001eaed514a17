//! Value mutants: which changes of a node's value are worth a trial, from the values that it took.
//!
//! Algorithm: Lee, Binkley, Feldt, Gold and Yoo, "Causal Program Dependence Analysis", section on value mutation. A
//! node's mutants depend on its own values, its identity and the seed alone: not on other nodes, nor on how many mutants
//! are asked for, so those for few are the first of those for many.

mod choice;
mod domain;
mod form;
#[cfg(test)]
mod tests;

pub use choice::{Mutant, Slot, change_of, identity_hash, mutants};
pub use domain::Domain;
pub use form::Form;
