//! Mutants: of values and of code.
//!
//! Value mutants: which changes of a node's value are worth a trial, from the values that it took.
//!
//! Algorithm: Lee, Binkley, Feldt, Gold and Yoo, "Causal Program Dependence Analysis", section on value mutation. A
//! node's mutants depend on its own values, its identity and the seed alone: not on other nodes, nor on how many mutants
//! are asked for, so those for few are the first of those for many.
//!
//! Code mutants ([`code_mutants`]): what the operators of mutation can change in the program's code, from the operations that the compiler
//! found ([`crate::program::Operation`]) and the source text at their places. What has no text of its own there (macros, what the
//! compiler made up) is junk; what computes the same as the program or as another mutant of the same expression is found by
//! compiling the expressions ([`Comparison`]).

mod anchor;
mod argument;
mod beside;
mod bound_guard;
mod callee;
mod candidate;
mod choice;
mod code;
#[cfg(test)]
mod argument_tests;
#[cfg(test)]
mod code_tests;
#[cfg(test)]
mod passed_tests;
mod comparison;
mod disjunct;
mod domain;
mod donor;
mod exit;
mod expression;
mod form;
mod insertion;
mod junk;
mod member;
mod null_guard;
#[cfg(test)]
mod enumerator_tests;
mod operator;
mod range;
mod removal;
#[cfg(test)]
mod removal_tests;
mod selection;
mod sign;
mod value_guard;
#[cfg(test)]
mod tests;

pub use choice::{Mutant, Slot, change_of, identity_hash, mutants};
pub use code::{CodeMutant, Status, code_mutants, edits};
pub use comparison::{Comparison, Forms};
pub use disjunct::Widened;
pub use domain::Domain;
pub use form::Form;
pub use junk::Junk;
pub use operator::{Class, alternatives, constants};
pub use range::ValueRange;
pub use selection::Selection;
