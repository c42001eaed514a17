//! How much memory the machine has.

use std::fs;

/// Bytes that the machine could give away, 0 when it does not say.
pub(super) fn available_memory() -> u64 {
    said("MemAvailable:").unwrap_or(0)
}

/// Bytes that the machine has, or those that this process and others of its container may have if these are fewer; all there can be when neither is
/// said.
pub fn memory() -> u64 {
    let allowed = fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse().ok());
    said("MemTotal:").unwrap_or(u64::MAX).min(allowed.unwrap_or(u64::MAX))
}

fn said(what: &str) -> Option<u64> {
    let known = fs::read_to_string("/proc/meminfo").ok()?;
    let line = known.lines().find_map(|line| line.strip_prefix(what))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()?.saturating_mul(1024))
}
