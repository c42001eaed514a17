//! The report of the latest run, made when something that it tells of has changed.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use super::gather::gather;
use crate::obstacle::Obstacle;
use crate::progress::Progress;
use crate::report::Report;
use crate::store::{ReportState, Store, stamps};

/// The report of the latest run: the one that is kept, if it would be the same now, otherwise another one, which is kept where that can be done.
///
/// # Errors
/// When nothing has been recorded, or the store is damaged.
pub fn current(store: &Store, progress: &dyn Progress) -> Result<Report, Obstacle> {
    let run = store.runs().ok().and_then(|mut runs| runs.pop());
    if let Some(report) = run.and_then(|run| kept(store, run)) {
        return Ok(report);
    }
    let before = store.state().ok();
    let report = gather(store.root(), now(), progress)?;
    // What was made while somebody wrote is of no one state.
    if let Some((run, state)) = run.zip(before.filter(|before| store.state().ok() == Some(*before))) {
        // Whoever may only read the store gets his report all the same.
        let _ = store.save_report(run, report.to_json().as_bytes(), state_of(store, state, &report));
    }
    Ok(report)
}

/// Makes the report of a run, the latest, and keeps it.
///
/// # Errors
/// As [`current`], and when it cannot be written.
pub fn keep(store: &Store, run: u64, progress: &dyn Progress) -> Result<(), Obstacle> {
    let before = store.state()?;
    let report = gather(store.root(), now(), progress)?;
    Ok(store.save_report(run, report.to_json().as_bytes(), state_of(store, before, &report))?)
}

fn kept(store: &Store, run: u64) -> Option<Report> {
    let (bytes, of) = store.load_report(run)?;
    let state = store.state().ok()?;
    // First what is cheap: the sources are named by the report.
    if of.store != state || of.tool != tool() {
        return None;
    }
    let report = Report::parse(&bytes).ok()?;
    (state_of(store, state, &report) == of).then_some(report)
}

fn state_of(store: &Store, state: u64, report: &Report) -> ReportState {
    let sources: Vec<PathBuf> = report.files.iter().map(|file| store.root().join(&file.path)).collect();
    ReportState { tool: tool(), store: state, sources: stamps(sources) }
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// This executable: another one may tell more.
fn tool() -> u64 {
    stamps(std::env::current_exe().ok())
}
