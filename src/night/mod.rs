//! Nights: what `suspect run` keeps of each, the time that one may take, and the difference of two.

mod begin;
mod clock;
mod course;
mod difference;
mod record;
mod side;

pub use begin::{Begun, begin, lost, unended};
pub use clock::Clock;
pub use course::course;
pub use difference::{compare, night_before, since_last_night};
pub use record::Night;
pub use side::{Side, SideTest};
