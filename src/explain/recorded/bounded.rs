//! Runs of tests end with the time that is given for all of them.

use std::time::{Duration, Instant};

use super::RecordingRoom;
use crate::obstacle::Obstacle;
use crate::suite::Test;

/// Time that runs have at least, so that a budget without any still tells what a short test does.
const LEAST: Duration = Duration::from_secs(2);

impl RecordingRoom<'_> {
    /// From now on no run of a test goes on beyond this time, or two seconds, nor one of the other build.
    pub fn end_runs_at(&self, until: Instant) {
        let until = until.max(Instant::now() + LEAST);
        self.runs_until.set(Some(until));
        if let Some(other) = self.other {
            other.end_runs_at(until);
        }
    }

    /// Time that a run may take; nothing where no end is set.
    pub(super) fn time_for_runs(&self) -> Option<Duration> {
        self.runs_until.get().map(|until| until.saturating_duration_since(Instant::now()))
    }

    /// The same test, with no more time than a run may take.
    pub(super) fn bounded(&self, test: Test) -> Test {
        self.time_for_runs().map_or_else(|| test.clone(), |left| test.limited(left))
    }

    /// Refuses what a run of the test called `name` tells once time is up: it may have been ended for that.
    pub(super) fn check_time_for_runs(&self, name: &str) -> Result<(), Obstacle> {
        match self.time_for_runs() {
            Some(Duration::ZERO) => Err(Obstacle::new(
                Obstacle::Time,
                format!("{name}: a run of it was ended, for time was up; --budget gives it more"),
            )),
            _ => Ok(()),
        }
    }
}
