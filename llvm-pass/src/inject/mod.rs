//! Versions of functions, the hooks in them, and what these become.

pub mod base;
mod bounds;
pub mod case_names;
pub mod cases;
pub mod copies;
mod exits;
pub mod fuel;
pub mod gates;
pub mod hooks;
pub mod lower;
pub mod marker;
pub mod mutations;
pub mod objects;
pub mod overrides;
pub mod pieces;
pub mod versions;
