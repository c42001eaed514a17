//! How long somebody waits for runs of tests that only make a suite tell more.

use std::time::{Duration, Instant};

use super::SuiteError;
use crate::exec::interrupt;

/// Until when such runs are begun; those under way are ended then.
#[derive(Clone, Copy, Debug, Default)]
pub enum Deadline {
    /// All are made.
    #[default]
    Never,
    /// Until somebody interrupts.
    Interrupt,
    /// Until then, or until somebody interrupts.
    At(Instant),
}

/// How many times as long as the slowest that ended another run may take: with a fault some hang, and nobody waits for them in full.
const SLOWER: u32 = 50;
/// The least that a run may take.
const LEAST: Duration = Duration::from_secs(10);

/// How long a run is waited for when the slowest of others took this long.
pub(super) fn patience_after(slowest: Duration) -> Duration {
    slowest.saturating_mul(SLOWER).max(LEAST)
}

impl Deadline {
    /// This much time from now on.
    pub fn within(time: Duration) -> Deadline {
        Deadline::At(Instant::now() + time)
    }

    /// The deadline of the first of so many works that get the same time each.
    pub(super) fn shared(self, works: usize) -> Deadline {
        match self {
            Deadline::At(until) => {
                let now = Instant::now();
                Deadline::At(now + until.saturating_duration_since(now) / works.max(1) as u32)
            }
            Deadline::Never | Deadline::Interrupt => self,
        }
    }

    /// What of a run's `limit` is left.
    ///
    /// # Errors
    /// [`SuiteError::Late`] when nothing is.
    pub(super) fn left(self, limit: Duration) -> Result<Duration, SuiteError> {
        if self.is_interruptible() && interrupt::happened() {
            return Err(SuiteError::Late("it was interrupted"));
        }
        let left = match self {
            Deadline::Never | Deadline::Interrupt => limit,
            Deadline::At(until) => limit.min(until.saturating_duration_since(Instant::now())),
        };
        if left.is_zero() { Err(SuiteError::Late("there was no time to try it")) } else { Ok(left) }
    }

    /// Whether an interrupt ends runs that are under way.
    pub(super) fn is_interruptible(self) -> bool {
        !matches!(self, Deadline::Never)
    }

    /// Whether no run is begun any more.
    pub(super) fn is_over(self) -> bool {
        self.left(Duration::MAX).is_err()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn works_that_share_a_deadline_have_the_same_time_each() {
        let within = Instant::now() + Duration::from_secs(6000);
        let mut first = within;
        for (works, least) in [(1, 5900), (3, 1900), (0, 5900)] {
            let Deadline::At(until) = Deadline::At(within).shared(works) else { panic!("a deadline has a time") };
            let left = until.saturating_duration_since(Instant::now());
            assert!(left > Duration::from_secs(least) && until <= within, "{works} works: {left:?}");
            first = first.min(until);
        }
        assert!(first < within - Duration::from_secs(3000));
        assert!(matches!(Deadline::Never.shared(3), Deadline::Never));
        assert!(matches!(Deadline::Interrupt.shared(3), Deadline::Interrupt));
    }
}
