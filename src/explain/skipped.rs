//! Changes that make a test pass because it does not come to its check any more: they silence the failure, and say nothing about it.

use std::time::Instant;

use super::recorded::RecordingRoom;
use super::recorded_test::RecordedTest;
use crate::comparison::Run;
use crate::obstacle::Obstacle;

/// Reading the changed run takes this share of the time that is left, at most: else it is not looked at.
const READING: u32 = 8;

/// True if the changed run of the test called `name` makes the check, whose failure the failing one tells of, less often than that: until `until`, and as far
/// as the check is known and both runs are read as a whole.
pub fn skips_check(
    room: &RecordingRoom<'_>,
    name: &str,
    (failing, changed): (&RecordedTest, &RecordedTest),
    until: Instant,
) -> Result<bool, Obstacle> {
    let left = until.saturating_duration_since(Instant::now());
    if room.reading(changed.recording.stream().end()) > left / READING {
        return Ok(false);
    }
    let (loaded, runs) = room.read(name, failing)?;
    let (_, code) = &*loaded;
    let is_check = |site: &u32| code.decides(*site);
    let sites: Vec<u32> = room.sites_complained_of(failing, &loaded).into_iter().filter(is_check).collect();
    let run = &runs.runs[0];
    let Some(site) = (1..run.points()).rev().map(|point| run.site(point)).find(|site| sites.contains(site)) else {
        return Ok(false);
    };
    let (_, others) = room.read(name, changed)?;
    if runs.passed.is_some() || others.passed.is_some() {
        return Ok(false);
    }
    let times = |run: &Run| (1..run.points()).filter(|point| run.site(*point) == site).count();
    Ok(times(&others.runs[0]) < times(run))
}
