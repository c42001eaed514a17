//! Sources as they lie in a project; what their text means is computed by [`suspect_core::source`], whose names stand here too.

mod callbacks;
mod patched;
mod tree;

pub use callbacks::Callbacks;
pub use patched::Patched;
pub use suspect_core::source::*;
pub use tree::{SourceTree, read_source};
