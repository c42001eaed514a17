//! The time at which the reading of a recording ends, done or not.

use std::time::Instant;

use crate::exec::interrupt;

/// When reading is to end. It also ends once the user does not want to wait any longer.
#[derive(Clone, Copy, Debug)]
pub struct Deadline(Option<Instant>);

impl Deadline {
    /// No end but the recording's own.
    pub const NEVER: Deadline = Deadline(None);

    /// An end at this time.
    pub fn at(until: Instant) -> Self {
        Deadline(Some(until))
    }

    /// True once that time has come.
    pub fn is_over(self) -> bool {
        self.0.is_some_and(|until| Instant::now() >= until || interrupt::happened())
    }
}
