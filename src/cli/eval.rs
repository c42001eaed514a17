//! `suspect eval`: how well methods find the known faults of a benchmark's versions.

mod correct;
mod features;
mod judge;
mod ranking;
mod trials;
mod values;
mod version;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::args::{EvalArguments, RankFormat};
use super::exit::{Exit, Failure};
use super::rank::{granularity, tie_break};
use crate::eval::{
    Benchmark, CLASSIC, EvalError, EvalReport, EvalVersion, ReportOptions, RunTimes, VersionOutcome, VersionResult,
    default_against, plot, write, write_report,
};
use crate::rank::{Method, Need, find_method, methods};
use crate::store::Store;
use version::{Options, Place};

impl From<EvalError> for Failure {
    fn from(error: EvalError) -> Failure {
        match error {
            EvalError::Config(error) => error.into(),
            EvalError::NoPrograms { .. } | EvalError::Layout { .. } => Failure::new(Exit::Usage, error.to_string()),
            EvalError::Io { .. } | EvalError::Exec(_) | EvalError::Damaged { .. } => {
                Failure::new(Exit::File, error.to_string())
            }
        }
    }
}

/// Evaluates and writes the report to `out` and to the directory of results.
pub fn eval(start: &Path, arguments: &EvalArguments, out: &mut impl Write) -> Result<(), Failure> {
    let methods = chosen(&arguments.methods)?;
    let ids: Vec<&str> = methods.iter().map(|method| method.id).collect();
    if ids.contains(&"cdfl_paper") {
        let message = "--methods cdfl_paper: versions' values are mutated as `cdfl` wants it, neighbouring values among them; give cdfl";
        return Err(Failure::new(Exit::Usage, message));
    }
    let against = match &arguments.against {
        Some(name) => Some(find_method(name).map_err(Failure::of(Exit::Usage))?.id.to_string()),
        None => default_against(&ids),
    };
    if let Some(against) = against.as_ref().filter(|against| !ids.contains(&against.as_str())) {
        return Err(Failure::new(Exit::Usage, format!("--against {against}: it is not among --methods")));
    }
    let directory = start.join(&arguments.benchmark);
    let benchmark = Benchmark::load(&directory)?;
    let results = results_directory(start, &directory, arguments)?;
    let _lock = Store::new(&results).lock()?;
    let evaluation = evaluate(start, &benchmark, &results, &methods, arguments)?;
    let options = ReportOptions {
        methods: ids.into_iter().map(str::to_string).collect(),
        by: granularity(arguments.by).name().to_string(),
        ties: tie_break(arguments.ties),
        against,
        seed: arguments.seed,
        resamples: arguments.resamples,
    };
    let Evaluation { results: found, not_run, extra } = evaluation;
    let report = EvalReport::new(&found, not_run, extra, &options);
    publish(&results, &report, arguments.format, out)?;
    let ranked = found.iter().any(|result| matches!(result.outcome, VersionOutcome::Evaluated(_)));
    match ranked || !report.not_run.is_empty() {
        true => Ok(()),
        false => Err(Failure::new(Exit::Baseline, format!("none of the {} versions can be ranked", found.len()))),
    }
}

/// The methods that `--methods` names, each once.
fn chosen(names: &[String]) -> Result<Vec<&'static Method>, Failure> {
    let mut chosen: Vec<&'static Method> = Vec::new();
    for name in names {
        let found: Result<Vec<_>, _> = match name.as_str() {
            // What takes mutants takes far longer, and is asked for by name.
            "all" => Ok(methods().iter().filter(|method| !method.needs.iter().any(is_of_mutants)).collect()),
            "classic" => CLASSIC.iter().map(|id| find_method(id)).collect(),
            name => find_method(name).map(|method| vec![method]),
        };
        for method in found.map_err(Failure::of(Exit::Usage))? {
            if !chosen.iter().any(|known| known.id == method.id) {
                chosen.push(method);
            }
        }
    }
    Ok(chosen)
}

fn is_of_mutants(need: &Need) -> bool {
    matches!(need, Need::Observations | Need::Trials)
}

fn results_directory(start: &Path, directory: &Path, arguments: &EvalArguments) -> Result<PathBuf, Failure> {
    let path = arguments.output.as_ref().map_or_else(|| directory.join("results"), |output| start.join(output));
    let made = std::fs::create_dir_all(&path).and_then(|()| path.canonicalize());
    made.map_err(|error| Failure::new(Exit::File, format!("cannot make the directory {}: {error}", path.display())))
}

/// What there is to report.
struct Evaluation {
    /// In the benchmark's order.
    results: Vec<VersionResult>,
    /// `PROGRAM/VERSION`.
    not_run: Vec<String>,
    /// Time spent on correct versions.
    extra: RunTimes,
}

/// Goes through all versions, several at once, until the budget is spent.
fn evaluate(
    start: &Path,
    benchmark: &Benchmark,
    results: &Path,
    methods: &[&'static Method],
    arguments: &EvalArguments,
) -> Result<Evaluation, Failure> {
    let deadline = arguments.budget.map(|budget| Instant::now() + budget);
    let n_versions: usize = benchmark.programs.iter().map(|program| program.versions.len()).sum();
    let jobs = arguments.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).max(1);
    let at_once = jobs.min(n_versions).max(1);
    let options = Options {
        methods,
        granularity: granularity(arguments.by),
        jobs: (jobs / at_once).max(1),
        repeat: arguments.repeat.max(1) as usize,
        fresh: arguments.fresh,
        keep: arguments.keep,
        search: arguments.search_budget,
        most_trials: arguments.search_trials,
        everything: arguments.search_everything,
        features: arguments.features.is_some(),
    };
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
    if let Some(path) = &arguments.features {
        features::gather(&start.join(path), due.iter().copied())?;
    }
    let extra = places.iter().fold(RunTimes::default(), |sum, place| sum.plus(place.reference_times()));
    let not_run = due.iter().zip(&found).filter(|(_, result)| result.is_none());
    let not_run = not_run.map(|((place, version), _)| place.name_of(version)).collect();
    Ok(Evaluation { results: found.into_iter().flatten().collect(), not_run, extra })
}

/// Calls `f` for each item from `jobs` threads, in order; the results are in order too. The first failure ends it.
fn in_parallel<T: Sync, R: Send>(
    items: &[T],
    jobs: usize,
    f: impl Fn(&T) -> Result<R, Failure> + Sync,
) -> Result<Vec<R>, Failure> {
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

/// Writes the report in all its forms.
fn publish(results: &Path, report: &EvalReport, format: RankFormat, out: &mut impl Write) -> Result<(), Failure> {
    let json = serde_json::to_string_pretty(report).map_err(Failure::of(Exit::Internal))? + "\n";
    let mut text = Vec::new();
    write_report(report, &mut text).map_err(Failure::of(Exit::File))?;
    write(&results.join("report.json"), json.as_bytes())?;
    write(&results.join("report.txt"), &text)?;
    write(&results.join("located.svg"), plot("all programs", &report.total).as_bytes())?;
    for program in &report.programs {
        let svg = plot(&program.program, &program.summary);
        write(&results.join(&program.program).join("located.svg"), svg.as_bytes())?;
    }
    match format {
        RankFormat::Text => out.write_all(&text),
        RankFormat::Json => out.write_all(json.as_bytes()),
    }
    .map_err(Failure::of(Exit::File))
}
