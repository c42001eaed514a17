//! `suspect study`: a paper's experiment on a benchmark.

use std::io::Write;
use std::path::Path;

use super::args::{ExperimentArgument, OutputFormat, StudyArguments};
use super::eval::results_directory;
use super::exit::{Exit, Failure};
use super::progress::Lines;
use super::rank::{granularity, tie_break};
use crate::eval::{Benchmark, ValueChoice, write};
use crate::store::Store;
use crate::study::{Experiment, HomSize, PUBLISHED_MUTANTS, StudyReport, StudyRequest, study as run, write_study};

/// Does the experiment, writes its tables to `out` and its plots where they are wanted.
pub fn study(start: &Path, arguments: &StudyArguments, out: &mut impl Write) -> Result<(), Failure> {
    let request = StudyRequest::try_from(arguments)?;
    let directory = start.join(&arguments.common.benchmark);
    let benchmark = Benchmark::load(&directory)?;
    let results = results_directory(start, &directory, arguments.common.output.as_deref())?;
    let _lock = Store::new(&results).lock()?;
    let report = run(&benchmark, &results, &request, &Lines)?;
    if report.is_empty() {
        let first = report.excluded.first().map_or(String::new(), |one| format!(": {}: {}", one.version, one.reason));
        let n = report.excluded.len();
        let message = match report.by {
            Some(_) => format!("none of the {n} versions can be ranked{first}"),
            None if request.experiment == Experiment::Comparative => {
                format!("none of the {n} versions can be explained{first}")
            }
            None => format!("no program can be studied{first}"),
        };
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

/// Values of each node, as in the paper.
const SAMPLES: u32 = 20;
/// Seeds, as in the paper.
const SEEDS: u64 = 10;

/// Options of some studies mean nothing to others.
fn check_options(arguments: &StudyArguments) -> Result<(), Failure> {
    use ExperimentArgument::{Blockrank, Cdfl, Comparative, Doric, Hom};
    let given = [
        ("--samples", !arguments.samples.is_empty(), &[Cdfl, Hom][..]),
        ("--seeds", arguments.seeds.is_some(), &[Cdfl]),
        ("--search-budget", arguments.search_budget.is_some(), &[Cdfl, Hom, Comparative]),
        ("-n", arguments.n.is_some(), &[Hom]),
        ("--repeats", arguments.repeats.is_some(), &[Hom]),
        ("--quick", arguments.quick, &[Hom]),
        ("--max-failing", arguments.max_failing.is_some(), &[Cdfl, Doric, Blockrank]),
        ("--suites", arguments.suites.is_some(), &[Cdfl, Doric, Blockrank]),
        ("--by", arguments.by.is_some(), &[Cdfl, Doric, Blockrank]),
        ("--budget", arguments.common.budget.is_some(), &[Cdfl, Doric, Blockrank, Comparative]),
        ("--plots", arguments.plots.is_some(), &[Cdfl, Doric, Hom, Blockrank]),
    ];
    let wrong = given.iter().find(|(_, given, studies)| *given && !studies.contains(&arguments.experiment));
    let Some((option, _, studies)) = wrong else { return Ok(()) };
    let names: Vec<&str> = studies.iter().map(|study| Experiment::from(*study).name()).collect();
    Err(Failure::new(Exit::Usage, format!("{option} is for {} alone", names.join(", "))))
}

impl TryFrom<&StudyArguments> for StudyRequest {
    type Error = Failure;

    fn try_from(arguments: &StudyArguments) -> Result<StudyRequest, Failure> {
        check_options(arguments)?;
        let mut samples = arguments.samples.clone();
        samples.sort_unstable();
        samples.dedup();
        if samples.is_empty() {
            samples.push(SAMPLES);
        }
        let seeds = match arguments.experiment {
            ExperimentArgument::Cdfl => (1..=arguments.seeds.unwrap_or(SEEDS)).collect(),
            _ => vec![1],
        };
        let values = match arguments.experiment {
            ExperimentArgument::Cdfl | ExperimentArgument::Hom => ValueChoice { samples, seeds },
            _ => ValueChoice::default(),
        };
        let hom = HomSize {
            mutants: arguments.n.map_or(PUBLISHED_MUTANTS, |n| n as usize),
            repeats: arguments.repeats,
            quick: arguments.quick,
        };
        Ok(StudyRequest {
            experiment: arguments.experiment.into(),
            by: arguments.by.map(granularity),
            ties: tie_break(arguments.common.ties),
            max_failing: arguments.max_failing,
            jobs: arguments.common.jobs,
            budget: arguments.common.budget,
            repeat: arguments.common.repeat,
            fresh: arguments.common.fresh,
            seed: arguments.common.seed,
            resamples: arguments.common.resamples,
            values,
            search: arguments.search_budget,
            hom,
            suites: arguments.suites,
        })
    }
}

impl From<ExperimentArgument> for Experiment {
    fn from(experiment: ExperimentArgument) -> Experiment {
        match experiment {
            ExperimentArgument::Cdfl => Experiment::Cdfl,
            ExperimentArgument::Doric => Experiment::Doric,
            ExperimentArgument::Hom => Experiment::Hom,
            ExperimentArgument::Blockrank => Experiment::Blockrank,
            ExperimentArgument::Comparative => Experiment::Comparative,
        }
    }
}
