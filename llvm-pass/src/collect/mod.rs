//! Collecting: what a unit's functions have that is counted, logged or changed. Nothing here changes the IR.

pub mod bit_fields;
pub mod bounds;
pub mod callees;
pub mod calls;
pub mod compounds;
pub mod consequences;
pub mod content;
pub mod dependence;
pub mod expression;
pub mod flow;
pub mod guards;
pub mod limits;
pub mod logic;
pub mod members;
pub mod nodes;
pub mod operations;
pub mod positions;
pub mod repeats;
pub mod sequences;
pub mod signedness;
pub mod sites;
pub mod statements;
pub mod survey;
pub mod unit;
pub mod variables;
pub mod widening;
