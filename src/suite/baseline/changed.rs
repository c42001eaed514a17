//! What changed on disk between two runs of a test.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::exec::is_copied;
use crate::suite::Test;
use crate::suite::config::ScratchKind;

/// Entries that are looked at, in a fraction of a second.
const MOST_ENTRIES: usize = 50_000;
/// The kernel takes times of changes from a clock that it sets this often, in the worst case.
const TICK: Duration = Duration::from_millis(10);
/// Files that are named.
const MOST_NAMED: usize = 3;

/// Files where the test runs that changed after `from` and not after `until`, relative to there; none where each run has a directory of its own.
pub(super) fn changed(test: &Test, from: SystemTime, until: SystemTime) -> Vec<PathBuf> {
    if test.plan.scratch != ScratchKind::None {
        return Vec::new();
    }
    let from = from - TICK;
    let mut found = Vec::new();
    let mut open = vec![test.dir.clone()];
    let mut left = MOST_ENTRIES;
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            let Some(data) = entry.metadata().ok().filter(|_| is_copied(&entry.file_name())) else { continue };
            left = left.saturating_sub(1);
            if left == 0 {
                break;
            }
            if data.is_dir() {
                open.push(entry.path());
            } else if (from..=until).contains(&time_of_change(&data)) {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    found.truncate(MOST_NAMED);
    let below = |path: PathBuf| path.strip_prefix(&test.dir).map_or(path.clone(), Path::to_owned);
    found.into_iter().map(below).collect()
}

fn time_of_change(data: &fs::Metadata) -> SystemTime {
    UNIX_EPOCH + Duration::new(data.ctime().max(0) as u64, data.ctime_nsec().clamp(0, 999_999_999) as u32)
}
