//! What a ranking needs of a recorded run and of earlier ones, read from the store and the project.

mod causes;
mod chains;
mod coverage;
mod earlier;
mod method_input;
mod observed;
mod search;
mod units;
mod warnings;

pub use causes::{CdflChoice, ParentChoice};
pub use chains::Chains;
pub use coverage::{Coverage, count_tests, coverage, left_out, lines_left_out};
pub use earlier::is_same_program;
pub use method_input::MethodInput;
pub use observed::{Observed, observe, observe_latest};
pub use search::{SearchOptions, search};
pub use units::resolve;
