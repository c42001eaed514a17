//! `suspect study`: a paper's experiment on a benchmark.

use std::io::Write;
use std::path::Path;

use super::args::{ExperimentArgument, OutputFormat, StudyArguments};
use super::eval::results_directory;
use super::exit::{Exit, Failure};
use super::progress::Lines;
use super::rank::{granularity, tie_break};
use crate::eval::{Benchmark, write};
use crate::store::Store;
use crate::study::{Experiment, StudyReport, StudyRequest, study as run, write_study};

/// Does the experiment, writes its tables to `out` and its plots where they are wanted.
pub fn study(start: &Path, arguments: &StudyArguments, out: &mut impl Write) -> Result<(), Failure> {
    let directory = start.join(&arguments.benchmark);
    let benchmark = Benchmark::load(&directory)?;
    let results = results_directory(start, &directory, arguments.output.as_deref())?;
    let _lock = Store::new(&results).lock()?;
    let report = run(&benchmark, &results, &StudyRequest::from(arguments), &Lines)?;
    if report.versions == 0 && report.not_run.is_empty() {
        let first = report.excluded.first().map_or(String::new(), |one| format!(": {}: {}", one.version, one.reason));
        let message = format!("none of the {} versions can be ranked{first}", report.excluded.len());
        return Err(Failure::new(Exit::Baseline, message));
    }
    if let Some(plots) = &arguments.plots {
        for figure in &report.figures {
            write(&start.join(plots).join(format!("{}.svg", figure.name)), figure.svg.as_bytes())?;
        }
    }
    publish(&report, arguments.format, out).map_err(Failure::of(Exit::File))
}

fn publish(report: &StudyReport, format: OutputFormat, out: &mut impl Write) -> std::io::Result<()> {
    match format {
        OutputFormat::Text => write_study(report, out),
        OutputFormat::Json => {
            serde_json::to_writer_pretty(&mut *out, report)?;
            writeln!(out)
        }
    }
}

impl From<&StudyArguments> for StudyRequest {
    fn from(arguments: &StudyArguments) -> StudyRequest {
        StudyRequest {
            experiment: arguments.experiment.into(),
            by: arguments.by.map(granularity),
            ties: tie_break(arguments.ties),
            max_failing: arguments.max_failing,
            jobs: arguments.jobs,
            budget: arguments.budget,
            repeat: arguments.repeat,
            fresh: arguments.fresh,
            seed: arguments.seed,
            resamples: arguments.resamples,
        }
    }
}

impl From<ExperimentArgument> for Experiment {
    fn from(experiment: ExperimentArgument) -> Experiment {
        match experiment {
            ExperimentArgument::Doric => Experiment::Doric,
            ExperimentArgument::Blockrank => Experiment::Blockrank,
        }
    }
}
