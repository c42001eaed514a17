//! What a ranking needs of a recorded run and of earlier ones, read from the store and the project.

pub(crate) mod earlier;

pub use earlier::is_same_program;
