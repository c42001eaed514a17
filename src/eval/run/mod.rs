//! Running a benchmark: each version is built, run, tried and ranked, and what came of it is kept.

mod correct;
mod draw;
mod features;
mod judge;
mod mutable;
mod ranking;
mod trials;
mod values;
mod version;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{Benchmark, EvalVersion, RunTimes, VersionResult};
use crate::obstacle::Obstacle;
use crate::progress::Progress;
use crate::rank::{Granularity, Method};
use version::{Options, Place};

pub use draw::SuiteDraw;
pub use mutable::{record_correct, record_correct_build, record_version, recording_key};
pub use values::ValueChoice;

/// How a benchmark is evaluated.
#[derive(Debug)]
pub struct EvalRequest {
    /// The methods.
    pub methods: Vec<&'static Method>,
    /// What is ranked.
    pub by: Granularity,
    /// Versions and tests at the same time; one for each processor, unless said otherwise.
    pub jobs: Option<usize>,
    /// Time after which no version is begun.
    pub budget: Option<Duration>,
    /// Runs of each test.
    pub repeat: u32,
    /// True if earlier results do not count.
    pub fresh: bool,
    /// True if built trees stay.
    pub keep: bool,
    /// Time for trying changes of a version.
    pub search: Option<Duration>,
    /// Trials of a version, at most.
    pub most_trials: Option<usize>,
    /// True if every change of a version is tried on every test chosen.
    pub everything: bool,
    /// The values that methods which mutate them give to nodes.
    pub values: ValueChoice,
    /// Suites to draw from the pool instead of those that eval.toml names.
    pub draw: Option<SuiteDraw>,
    /// The file that features of lines are written to.
    pub features: Option<PathBuf>,
}

/// What there is to report.
pub struct Evaluation {
    /// In the benchmark's order.
    pub results: Vec<VersionResult>,
    /// `PROGRAM/VERSION`.
    pub not_run: Vec<String>,
    /// Time spent on correct versions.
    pub extra: RunTimes,
}

/// Goes through all versions, several at once, until the budget is spent.
pub fn evaluate(
    benchmark: &Benchmark,
    results: &Path,
    request: &EvalRequest,
    progress: &dyn Progress,
) -> Result<Evaluation, Obstacle> {
    let deadline = request.budget.map(|budget| Instant::now() + budget);
    let n_versions: usize = benchmark.programs.iter().map(|program| program.versions.len()).sum();
    let jobs = in_parallel_jobs(request.jobs);
    let at_once = jobs.min(n_versions).max(1);
    let options = Options::new(request, (jobs / at_once).max(1), progress);
    let places: Vec<Place> =
        benchmark.programs.iter().map(|program| Place::new(program, &results.join(&program.name), &options)).collect();
    let due: Vec<(&Place, &EvalVersion)> = places
        .iter()
        .zip(&benchmark.programs)
        .flat_map(|(place, program)| program.versions.iter().map(move |version| (place, version)))
        .collect();
    let found = in_parallel(&due, at_once, |(place, version)| {
        let spent = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        place.result(version, &spent)
    })?;
    if let Some(path) = &request.features {
        features::gather(path, due.iter().copied())?;
    }
    let extra = places.iter().fold(RunTimes::default(), |sum, place| sum.plus(place.reference_times()));
    let not_run = due.iter().zip(&found).filter(|(_, result)| result.is_none());
    let not_run = not_run.map(|((place, version), _)| place.name_of(version)).collect();
    Ok(Evaluation { results: found.into_iter().flatten().collect(), not_run, extra })
}

/// How many things are under way at once.
fn in_parallel_jobs(jobs: Option<usize>) -> usize {
    jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).max(1)
}

/// Calls `f` for each item from `jobs` threads, in order; the results are in order too. The first failure ends it.
fn in_parallel<T: Sync, R: Send>(
    items: &[T],
    jobs: usize,
    f: impl Fn(&T) -> Result<R, Obstacle> + Sync,
) -> Result<Vec<R>, Obstacle> {
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let done = Mutex::new(Vec::new());
    let work = || {
        while !failed.load(Ordering::Relaxed) {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { return };
            let result = f(item);
            failed.fetch_or(result.is_err(), Ordering::Relaxed);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(work);
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}
