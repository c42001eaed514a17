//! The report of an evaluation, which is also its JSON form (`docs/eval.schema.json`).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::summary::{CONFIDENCE, Ranked};
use super::{Evaluated, FaultKind, RunTimes, SuiteResult, Summary, VersionOutcome, VersionResult};
use crate::rank::{Located, TieBreak};
use crate::report::TestCounts;

/// Version of the JSON form; goes up when a field changes its meaning or goes away.
pub const REPORT_VERSION: u32 = 1;

/// How to summarise.
#[derive(Clone, Debug, PartialEq)]
pub struct ReportOptions {
    /// Ids of the methods.
    pub methods: Vec<String>,
    /// What is ranked.
    pub by: String,
    /// The tie-breaker of intervals, and of what text shows.
    pub ties: TieBreak,
    /// The method that the others are compared with; `None` compares all pairs.
    pub against: Option<String>,
    /// Seed of the bootstrap.
    pub seed: u64,
    /// Samples of the bootstrap.
    pub resamples: usize,
}

/// Most methods of which all pairs are compared unless asked otherwise: 120 pairs.
const ALL_PAIRS_UP_TO: usize = 16;

/// The method that many others are compared with: ochiai, or the first; `None` for few, of which all pairs are.
pub fn default_against(methods: &[&str]) -> Option<String> {
    let first = || methods.iter().find(|method| **method == "ochiai").or(methods.first());
    (methods.len() > ALL_PAIRS_UP_TO).then(first).flatten().map(|method| method.to_string())
}

/// What methods achieve on a benchmark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EvalReport {
    /// Version of this form.
    pub schema_version: u32,
    /// What is ranked: line, block, function, node or predicate.
    pub by: String,
    /// The tie-breaker of the intervals.
    pub tie_breaker: String,
    /// Seed of the bootstrap.
    pub seed: u64,
    /// Samples of the bootstrap.
    pub resamples: u32,
    /// Confidence of the intervals.
    pub confidence: f64,
    /// Over all programs.
    pub total: Summary,
    /// Each program by itself.
    pub programs: Vec<ProgramReport>,
    /// Versions that were ranked.
    pub versions: Vec<VersionReport>,
    /// Versions that cannot be ranked.
    pub excluded: Vec<Excluded>,
    /// Versions that were not run because the budget was spent.
    pub not_run: Vec<String>,
    /// What a reader must know.
    pub notes: Vec<String>,
    /// Time spent on the versions of this report, also by earlier evaluations.
    pub times: RunTimes,
    /// Share of the tests' time that all else but building took; nothing before any test has run.
    pub overhead: Option<f64>,
}

/// What methods achieve on a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProgramReport {
    /// Its name.
    pub program: String,
    /// Over its versions.
    pub summary: Summary,
}

/// A version that cannot be ranked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Excluded {
    /// `PROGRAM/VERSION`.
    pub version: String,
    /// Why.
    pub reason: String,
}

/// Where methods put the fault of a version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VersionReport {
    /// `PROGRAM/VERSION`.
    pub version: String,
    /// Kinds of its faulty lines.
    pub kinds: Vec<FaultKind>,
    /// The pool's tests.
    pub tests: TestCounts,
    /// Ranked units.
    pub units: u32,
    /// Ranked units that hold a faulty line.
    pub faulty_units: u32,
    /// By method, then by suite: where the fault is; null where no ranked unit holds it.
    pub located: BTreeMap<String, Vec<Option<SuitePosition>>>,
}

/// Where a ranking puts a fault, from 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SuitePosition {
    /// The suite; empty for the whole pool.
    pub suite: String,
    /// Its failing tests.
    pub failing: u32,
    /// Its passing tests.
    pub passing: u32,
    /// Units inspected until it is met, ties at their average.
    pub average: f64,
    /// In the order of lines.
    pub line: f64,
    /// First of its equals.
    pub best: f64,
    /// Last of its equals.
    pub worst: f64,
    /// Units inspected, ties whole.
    pub inspected: u32,
}

impl EvalReport {
    /// Of all results there are, in the benchmark's order.
    pub fn new(
        results: &[VersionResult],
        not_run: Vec<String>,
        extra: RunTimes,
        options: &ReportOptions,
    ) -> EvalReport {
        let mut programs: Vec<&str> = results.iter().map(|result| result.program.as_str()).collect();
        programs.dedup();
        let of = |program: &str| -> Vec<&VersionResult> {
            results.iter().filter(|result| result.program == program).collect()
        };
        let evaluated = || results.iter().filter_map(|result| Some((result, evaluated(result)?)));
        let times = results.iter().fold(extra, |sum, result| sum.plus(result.times));
        EvalReport {
            schema_version: REPORT_VERSION,
            by: options.by.clone(),
            tie_breaker: options.ties.name().into(),
            seed: options.seed,
            resamples: options.resamples as u32,
            confidence: CONFIDENCE,
            total: summary(&results.iter().collect::<Vec<_>>(), options),
            programs: programs
                .into_iter()
                .map(|program| ProgramReport { program: program.into(), summary: summary(&of(program), options) })
                .collect(),
            versions: evaluated().map(|(result, found)| version_report(result, found, options)).collect(),
            excluded: results.iter().filter_map(Excluded::of).collect(),
            not_run,
            notes: notes(results, options),
            overhead: (times.tests > 0.0).then(|| times.rest / times.tests),
            times,
        }
    }
}

impl Excluded {
    /// The version, if it cannot be ranked.
    pub fn of(result: &VersionResult) -> Option<Excluded> {
        match &result.outcome {
            VersionOutcome::Evaluated(_) => None,
            VersionOutcome::Excluded(reason) => Some(Excluded { version: name(result), reason: reason.clone() }),
        }
    }
}

fn evaluated(result: &VersionResult) -> Option<&Evaluated> {
    match &result.outcome {
        VersionOutcome::Evaluated(evaluated) => Some(evaluated),
        VersionOutcome::Excluded(_) => None,
    }
}

fn name(result: &VersionResult) -> String {
    format!("{}/{}", result.program, result.version)
}

fn summary(results: &[&VersionResult], options: &ReportOptions) -> Summary {
    let versions: Vec<&Evaluated> = results.iter().filter_map(|result| evaluated(result)).collect();
    let n_excluded = results.len() - versions.len();
    let methods: Vec<(&str, Vec<Ranked>)> = options
        .methods
        .iter()
        .map(|method| {
            let ranked = versions.iter().map(|version| Ranked {
                located: version.located.get(method).map_or(&[][..], Vec::as_slice),
                t_scores: version.t_scores.get(method).map_or(&[][..], Vec::as_slice),
            });
            (method.as_str(), ranked.collect())
        })
        .collect();
    Summary::new(&methods, n_excluded as u32, options)
}

fn version_report(result: &VersionResult, found: &Evaluated, options: &ReportOptions) -> VersionReport {
    let positions = |method: &String| {
        let of_suites = found.suites.iter().zip(found.located.get(method).into_iter().flatten());
        of_suites.map(|(suite, located)| located.map(|located| position(suite, &located))).collect()
    };
    VersionReport {
        version: name(result),
        kinds: result.kinds.clone(),
        tests: found.tests,
        units: found.n_units,
        faulty_units: found.n_faulty,
        located: options.methods.iter().map(|method| (method.clone(), positions(method))).collect(),
    }
}

fn position(suite: &SuiteResult, located: &Located) -> SuitePosition {
    SuitePosition {
        suite: suite.name.clone(),
        failing: suite.failing,
        passing: suite.passing,
        average: located.position(TieBreak::Average),
        line: located.position(TieBreak::LineOrder),
        best: located.position(TieBreak::Best),
        worst: located.position(TieBreak::Worst),
        inspected: located.inspected,
    }
}

fn notes(results: &[VersionResult], options: &ReportOptions) -> Vec<String> {
    let mut notes = Vec::new();
    let mut t_scored = false;
    for (result, found) in results.iter().filter_map(|result| Some((result, evaluated(result)?))) {
        let name = name(result);
        t_scored |= found.t_scores.keys().any(|method| options.methods.contains(method));
        match (found.n_faulty, found.unranked.as_slice()) {
            (_, []) => {}
            (0, lines) => notes.push(format!(
                "{name}: no ranked {} holds its fault ({}): every method is charged with all code",
                options.by,
                lines.join(", ")
            )),
            (_, lines) => notes.push(format!("{name}: no ranked {} holds {}", options.by, lines.join(", "))),
        }
        if found.tests.excluded > 0 {
            notes.push(format!("{name}: {} tests do not count", found.tests.excluded));
        }
        notes.extend(
            found.excluded_suites.iter().map(|(suite, reason)| format!("{name}: suite {suite} left out: {reason}")),
        );
    }
    if t_scored {
        notes.push(
            "T-score is over direct dependences between lines (static, over-approximated), from the 5 highest predicates"
                .into(),
        );
    }
    notes
}
