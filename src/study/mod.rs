//! The experiments of the five papers on any benchmark: tables and plots, made of what evaluations find.

mod blockrank;
mod cdfl;
mod comparative;
mod doric;
mod failing;
mod hom;
mod report;
mod text;

use std::path::Path;
use std::time::Duration;

use crate::eval::{
    Benchmark, EvalReport, EvalRequest, Evaluation, Excluded, ReportOptions, RunTimes, SuiteDraw, Summary, ValueChoice,
    VersionResult, evaluate,
};
use crate::obstacle::Obstacle;
use crate::progress::Progress;
use crate::rank::{Granularity, Method, TieBreak, find_method};
use failing::within;

pub use hom::{HomSize, PUBLISHED_MUTANTS};
pub use report::{Cell, Figure, STUDY_VERSION, StudyReport, Table};
pub use text::write_study;

/// A paper's experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Experiment {
    /// Causal dependence beside its peers, over seeds and numbers of values.
    Cdfl,
    /// Causal likelihood beside 127 measures, by number of faults.
    Doric,
    /// Higher-order mutants of the correct versions, by causal effect and by heuristic.
    Hom,
    /// Propagation along edges beside its peers, by share of the code.
    Blockrank,
    /// Explanations beside ideal ones, and causes that go astray, by method.
    Comparative,
}

impl Experiment {
    /// What it is called.
    pub const fn name(self) -> &'static str {
        match self {
            Experiment::Cdfl => "cdfl",
            Experiment::Doric => "doric",
            Experiment::Hom => "hom",
            Experiment::Blockrank => "blockrank",
            Experiment::Comparative => "comparative",
        }
    }

    /// What its paper ranks.
    pub const fn granularity(self) -> Granularity {
        match self {
            Experiment::Cdfl | Experiment::Doric | Experiment::Hom | Experiment::Comparative => Granularity::Line,
            Experiment::Blockrank => Granularity::Block,
        }
    }

    /// True if it ranks.
    pub const fn ranks(self) -> bool {
        !matches!(self, Experiment::Hom | Experiment::Comparative)
    }

    fn methods(self) -> Result<Vec<&'static Method>, Obstacle> {
        let ids = match self {
            Experiment::Cdfl => cdfl::methods(),
            Experiment::Doric => doric::methods(),
            Experiment::Hom | Experiment::Comparative => Vec::new(),
            Experiment::Blockrank => blockrank::METHODS.to_vec(),
        };
        ids.into_iter().map(|id| find_method(id).map_err(Obstacle::of(Obstacle::Internal))).collect()
    }
}

/// How an experiment is done.
#[derive(Clone, Debug)]
pub struct StudyRequest {
    /// Which one.
    pub experiment: Experiment,
    /// What is ranked; `None` for what the paper ranks.
    pub by: Option<Granularity>,
    /// How ties are broken.
    pub ties: TieBreak,
    /// Greatest share of failing tests of a suite that counts, from 0 to 1; all suites count without it.
    pub max_failing: Option<f64>,
    /// Versions at the same time; one for each processor, unless said otherwise.
    pub jobs: Option<usize>,
    /// Time after which no version is begun.
    pub budget: Option<Duration>,
    /// Runs of each test of a faulty version.
    pub repeat: u32,
    /// True if earlier results do not count.
    pub fresh: bool,
    /// Values of nodes, for methods that mutate them.
    pub values: ValueChoice,
    /// Time for mutating the values of a version with one seed.
    pub search: Option<Duration>,
    /// How large the studies of higher-order mutants are.
    pub hom: HomSize,
    /// Suites to draw from each version's tests, instead of those that eval.toml names.
    pub suites: Option<u32>,
    /// Seed of the bootstrap and of drawn suites.
    pub seed: u64,
    /// Samples of the bootstrap.
    pub resamples: usize,
}

impl StudyRequest {
    fn granularity(&self) -> Granularity {
        self.by.unwrap_or(self.experiment.granularity())
    }

    fn evaluation(&self, methods: Vec<&'static Method>) -> EvalRequest {
        EvalRequest {
            methods,
            by: self.granularity(),
            jobs: self.jobs,
            budget: self.budget,
            repeat: self.repeat,
            fresh: self.fresh,
            keep: false,
            search: self.search,
            most_trials: None,
            everything: false,
            values: self.values.clone(),
            draw: self.suites.map(|suites| SuiteDraw { suites, seed: self.seed }),
            features: None,
        }
    }

    /// What `methods` achieve over the versions of `results`.
    fn summary(&self, results: &[VersionResult], methods: &[&str]) -> Summary {
        let options = ReportOptions {
            methods: methods.iter().map(|id| id.to_string()).collect(),
            by: self.granularity().name().to_string(),
            ties: self.ties,
            // Pairs are not compared.
            against: methods.first().map(|id| id.to_string()),
            seed: self.seed,
            resamples: self.resamples,
        };
        EvalReport::new(results, Vec::new(), RunTimes::default(), &options).total
    }
}

/// Does an experiment on a benchmark; results of versions are read from and kept in the directory `results`, as evaluations keep them.
///
/// # Errors
/// As [`evaluate`].
pub fn study(
    benchmark: &Benchmark,
    results: &Path,
    request: &StudyRequest,
    progress: &dyn Progress,
) -> Result<StudyReport, Obstacle> {
    match request.experiment {
        Experiment::Hom => {
            let hom::Found { tables, figures, excluded } = hom::report(benchmark, results, request, progress)?;
            Ok(StudyReport { excluded, ..StudyReport::new(request, tables, figures) })
        }
        Experiment::Comparative => {
            let comparative::Found { tables, versions, excluded, not_run } =
                comparative::report(benchmark, results, request, progress)?;
            Ok(StudyReport { versions, excluded, not_run, ..StudyReport::new(request, tables, Vec::new()) })
        }
        Experiment::Cdfl => ranked(benchmark, results, request, progress, |found| cdfl::report(found, request)),
        Experiment::Doric => {
            ranked(benchmark, results, request, progress, |found| doric::report(benchmark, found, request))
        }
        Experiment::Blockrank => {
            ranked(benchmark, results, request, progress, |found| blockrank::report(found, request))
        }
    }
}

/// A study of rankings: versions are evaluated, and what was found is told by `report`.
fn ranked(
    benchmark: &Benchmark,
    results: &Path,
    request: &StudyRequest,
    progress: &dyn Progress,
    report: impl Fn(&[VersionResult]) -> (Vec<Table>, Vec<Figure>),
) -> Result<StudyReport, Obstacle> {
    let methods = request.experiment.methods()?;
    let Evaluation { results: found, not_run, .. } =
        evaluate(benchmark, results, &request.evaluation(methods), progress)?;
    let found: Vec<VersionResult> = found.into_iter().map(|result| within(result, request.max_failing)).collect();
    let excluded: Vec<Excluded> = found.iter().filter_map(Excluded::of).collect();
    let (tables, figures) = report(&found);
    let versions = (found.len() - excluded.len()) as u32;
    Ok(StudyReport { versions, excluded, not_run, ..StudyReport::new(request, tables, figures) })
}
