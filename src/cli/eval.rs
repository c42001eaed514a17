//! `suspect eval`: how well methods find the known faults of a benchmark's versions.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::args::{EvalArguments, RankFormat};
use super::exit::{Exit, Failure};
use super::progress::Lines;
use super::rank::{granularity, tie_break};
use crate::eval::{
    Benchmark, CLASSIC, EvalReport, EvalRequest, Evaluation, ReportOptions, ValueChoice, VersionOutcome,
    default_against, evaluate, plot, write, write_report,
};
use crate::rank::{Method, Need, find_method, methods};
use crate::spectra::measures;
use crate::store::Store;

/// Evaluates and writes the report to `out` and to the directory of results.
pub fn eval(start: &Path, arguments: &EvalArguments, out: &mut impl Write) -> Result<(), Failure> {
    let methods = chosen(&arguments.methods)?;
    let ids: Vec<&str> = methods.iter().map(|method| method.id).collect();
    let against = match &arguments.against {
        Some(name) => Some(find_method(name).map_err(Failure::of(Exit::Usage))?.id.to_string()),
        None => default_against(&ids),
    };
    if let Some(against) = against.as_ref().filter(|against| !ids.contains(&against.as_str())) {
        return Err(Failure::new(Exit::Usage, format!("--against {against}: it is not among --methods")));
    }
    let directory = start.join(&arguments.common.benchmark);
    let benchmark = Benchmark::load(&directory)?;
    let results = results_directory(start, &directory, arguments.common.output.as_deref())?;
    let _lock = Store::new(&results).lock()?;
    let request = EvalRequest {
        by: granularity(arguments.by),
        jobs: arguments.common.jobs,
        budget: arguments.common.budget,
        repeat: arguments.common.repeat,
        fresh: arguments.common.fresh,
        keep: arguments.keep,
        search: arguments.search_budget,
        most_trials: arguments.search_trials,
        everything: arguments.search_everything,
        values: ValueChoice::default(),
        draw: None,
        features: arguments.features.as_ref().map(|path| start.join(path)),
        methods,
    };
    let evaluation = evaluate(&benchmark, &results, &request, &Lines)?;
    let options = ReportOptions {
        methods: ids.into_iter().map(str::to_string).collect(),
        by: granularity(arguments.by).name().to_string(),
        ties: tie_break(arguments.common.ties),
        against,
        seed: arguments.common.seed,
        resamples: arguments.common.resamples,
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
            "doric127" => measures::all()
                .iter()
                .filter(|measure| measure.classic)
                .map(|measure| find_method(measure.id))
                .collect(),
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

/// Where results of the benchmark in `directory` are kept, which is made.
pub fn results_directory(start: &Path, directory: &Path, output: Option<&Path>) -> Result<PathBuf, Failure> {
    let path = output.map_or_else(|| directory.join("results"), |output| start.join(output));
    let made = std::fs::create_dir_all(&path).and_then(|()| path.canonicalize());
    made.map_err(|error| Failure::new(Exit::File, format!("cannot make the directory {}: {error}", path.display())))
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
