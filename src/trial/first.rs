//! The first of a test's recorded runs.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::prepare::{Found, Preparing};
use super::{Known, TestTrials, TrialError, Watched, Worker};
use crate::program::Program;
use crate::suite::{Suite, Test, Verdict};

/// A test that was recorded once by a worker, which is to get it ready, too: where another one works some paths are others.
#[derive(Debug)]
pub struct FirstRun {
    test: Test,
    known: Known,
    watched: Watched,
    found: Found,
    /// Until then a second run might see the time of day that this one saw.
    until: Option<SystemTime>,
}

impl FirstRun {
    /// Finds out where the test's trials run, and records it there. `known` is what is known of it.
    ///
    /// # Errors
    /// [`TrialError::Unsupported`], [`TrialError::NotReproducible`], [`TrialError::NoValues`], [`TrialError::TooLong`] and
    /// [`TrialError::OtherBuild`] are of this test alone; others may go on. Anything else is of the worker or the system.
    pub fn record(
        worker: &mut Worker,
        suite: &Suite,
        test: &Test,
        known: Known,
        program: &Program,
        watched: Watched,
    ) -> Result<FirstRun, TrialError> {
        worker.loaded = None;
        let unsupported = |why: &str| TrialError::Unsupported { test: test.name.clone(), why: why.into() };
        let test = test.alone().map_err(unsupported)?;
        let found = Preparing { suite, test: &test, known, program, watched }.record(worker)?;
        let (_, (recording, _)) = &found;
        let until = recording.reads_clock.then(next_second);
        Ok(FirstRun { test, known, watched, found, until })
    }

    /// The test.
    pub fn test(&self) -> &Test {
        &self.test
    }

    /// How it ended where it was recorded.
    pub fn verdict(&self) -> Verdict {
        self.known.verdict
    }

    /// How long [`FirstRun::ready`] would wait: until the time of day is another one in seconds, if the program may ask for it.
    pub fn wait(&self) -> Duration {
        self.until.and_then(|until| until.duration_since(SystemTime::now()).ok()).unwrap_or_default().min(MOST_WAIT)
    }

    /// Values that it holds.
    pub fn n_values(&self) -> usize {
        let (_, (recording, _)) = &self.found;
        recording.n_values()
    }

    /// Records the test again and tries it with no mutant.
    ///
    /// # Errors
    /// As [`FirstRun::record`].
    pub fn ready(self, worker: &mut Worker, suite: &Suite, program: &Program) -> Result<TestTrials, TrialError> {
        std::thread::sleep(self.wait());
        worker.loaded = None;
        let FirstRun { test, known, watched, found, .. } = self;
        TestTrials::of(worker, &Preparing { suite, test: &test, known, program, watched }, found)
    }
}

/// Longer than until the next second nobody waits, whatever a clock that is set back says.
const MOST_WAIT: Duration = Duration::from_millis(1100);

/// When the time of day is another one, in seconds.
fn next_second() -> SystemTime {
    /// `time` reads a clock that is set once in a tick of the kernel, up to 10 ms after the second.
    const TICK: Duration = Duration::from_millis(20);
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UNIX_EPOCH + Duration::from_secs(since.as_secs() + 1) + TICK
}
