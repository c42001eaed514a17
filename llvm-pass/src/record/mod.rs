//! The `record` version and its description, the body table.

pub mod bodies;
pub mod frames;
pub mod trees;
pub mod version;
pub mod writer;
