//! The way in which rooms tell how far they are. They print nothing themselves: the command line listens.

use std::time::Duration;

/// Somebody who is told how work goes, from any thread.
pub trait Progress: Sync {
    /// Something went on: `text` describes the state, given the time since the first trial, and is asked for where it is shown.
    fn show(&self, is_trial: bool, text: &dyn Fn(Duration) -> String);

    /// Something begins that may take long.
    fn begin(&self, what: &str);

    /// The state is not to be shown any longer.
    fn clear(&self);

    /// Something that the user should know, as one line.
    fn say(&self, line: &str);
}

/// Nobody listens.
pub struct Silent;

impl Progress for Silent {
    fn show(&self, _: bool, _: &dyn Fn(Duration) -> String) {}

    fn begin(&self, _: &str) {}

    fn clear(&self) {}

    fn say(&self, _: &str) {}
}
