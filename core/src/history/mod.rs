//! Two nights compared: which lines of the source are the same, and what became of the tests.
//!
//! A line is the same where a difference of the texts says so, where its function has one of the same text, or where the nodes on it are
//! the same; what is the same code is told by hashes of functions, not by text.

mod line_map;
mod matched;
mod outcome;
#[cfg(test)]
mod tests;
mod version;

pub use line_map::LineMap;
pub use matched::{Change, Matched, Spot, match_nodes};
pub use outcome::{Failed, Fate, Known, fate};
pub use version::{FunctionKnown, NodeKnown, Version};
