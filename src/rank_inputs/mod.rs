//! What a ranking needs of a recorded run and of earlier ones, read from the store and the project.

mod code;
mod code_state;
pub(crate) mod earlier;
mod endless;

pub use code::{line_dependences, load_code};
pub use code_state::{CodeState, build_identity, mix, test_code, text};
pub use earlier::is_same_program;
pub use endless::{Endless, does_not_end, most_passing_edges, n_edges};
