//! Which function reads what nothing was assigned to.

use super::TrialError;
use super::encode::Sites;
use super::file::{Expected, TrialFile};
use super::frame::Ask;
use super::job::{self, Task};
use super::prepare::{self, Preparing, Recorded};
use super::worker::Worker;

/// Nanoseconds that a run may take for more of them to be spent on the question.
const QUICK: u64 = 1_000_000_000;

/// The function whose locals alone suffice: as garbage, with those of all others zero, they make the test do what is known of it. Of functions in
/// the order of the gates, the first that completes a sufficient set; `None` if it needs others, or the runs take too long.
pub(super) fn find(
    preparing: &Preparing,
    worker: &mut Worker,
    recorded: &Recorded,
    sites: &Sites,
) -> Result<Option<u32>, TrialError> {
    let path = worker.file("trial");
    worker.loaded = None;
    let _file = TrialFile::create(&path, &recorded.oracle, sites, Expected::default())?;
    let memory = job::memory_for(recorded.ran.peak, worker.setup().memory);
    let mut suffices = |from: u32, to: u32| -> Result<bool, TrialError> {
        let task = Task::Trial(&path, recorded.stand.fill(), (from, to));
        job::set(worker, preparing.test, recorded.stand.room, task, memory)?;
        let ran = job::run(worker, preparing.test, &Ask::Exec(None, preparing.patience()))?;
        let difference = prepare::difference(preparing.suite, preparing.test, preparing.known.verdict, worker, &ran)?;
        Ok(difference.is_none())
    };
    // The functions before `low` do not suffice, those before `high` do.
    let (mut low, mut high) = (0, sites.n_gates());
    if recorded.ran.wall_ns > QUICK || !suffices(low, high)? || suffices(high, high)? {
        return Ok(None);
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        match suffices(0, middle)? {
            true => high = middle,
            false => low = middle,
        }
    }
    Ok(sites.function_of_gate(low).filter(|_| matches!(suffices(low, high), Ok(true))))
}
