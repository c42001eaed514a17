//! The budget of a night, and its shares.

use std::time::{Duration, Instant};

use crate::suite::Until;

/// Shares of the budget in which runs of tests are begun: first ones, and further ones.
const FOR_TESTS: (f64, f64) = (0.9, 0.5);
/// Least time from the first runs of tests to the second ones, and the part of the budget that this may be. A difference that a clock's second
/// makes is not to look like a change since the night before.
const APART: (Duration, u32) = (Duration::from_secs(1), 8);
/// The share of the budget that is left for explanations, and the most that this is.
const FOR_EXPLANATIONS: (f64, Duration) = (0.15, Duration::from_secs(120));
/// The share of the budget that is left for the report, and the most that this is.
const FOR_REPORT: (f64, Duration) = (0.05, Duration::from_secs(10));

/// The time that a night may take.
#[derive(Clone, Copy)]
pub struct Clock {
    /// When the night began.
    pub began: Instant,
    /// Its budget; none without a limit.
    pub budget: Option<Duration>,
}

impl Clock {
    /// Until when runs of tests are begun.
    pub fn until(self) -> Option<Until> {
        let budget = self.budget?;
        let at = |share| self.began + budget.mul_f64(share);
        Some(Until { first: at(FOR_TESTS.0), further: at(FOR_TESTS.1) })
    }

    /// Time for trials.
    pub fn for_trials(self, is_explained: bool) -> Option<Duration> {
        let reserve = self.budget?.mul_f64(FOR_EXPLANATIONS.0).min(FOR_EXPLANATIONS.1);
        let reserve = if is_explained { reserve } else { Duration::ZERO };
        Some(self.before_report()?.saturating_sub(reserve))
    }

    /// Least time between two runs of a test.
    pub fn apart(self) -> Duration {
        self.budget.map_or(APART.0, |budget| APART.0.min(budget / APART.1))
    }

    /// Time until the report has to be made.
    pub fn before_report(self) -> Option<Duration> {
        let budget = self.budget?;
        let reserve = budget.mul_f64(FOR_REPORT.0).min(FOR_REPORT.1);
        Some(budget.saturating_sub(reserve).saturating_sub(self.began.elapsed()))
    }
}
