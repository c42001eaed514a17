//! Inputs of rankings, read from the store and the project: coverage, observations, warnings, trials.

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
pub use observed::{Observed, Wanted, observe, observe_latest};
pub use search::{SearchOptions, search};
pub use units::resolve;
