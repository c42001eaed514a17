//! Everything that the store knows of the latest run, as a report.

use std::collections::BTreeSet;
use std::path::Path;

use suspect_format::trace::{HASH_START, hash_bytes};

use super::methods::comparison;
use super::missing::not_looked_at;
use super::profiles::profiles;
use super::sources::files;
use crate::build::BuildReport;
use crate::campaign::run_identity;
use crate::causal_graph::reported_model;
use crate::night::{Night, course, since_last_night};
use crate::obstacle::Obstacle;
use crate::progress::Progress;
use crate::rank::{Granularity, Need, Units};
use crate::rank_inputs::{MethodInput, left_out, observe_latest};
use crate::ranking::known_ranking;
use crate::report::{
    Build, Comparison, Explanation, OutputDifference, REPORT_SCHEMA_VERSION, RankingReport, Recorded, Report,
    ReportCommand, TestInput, TestOutcome, TestResult, change_of, shell_word,
};
use crate::store::{Run, TestRecord};
use crate::suite::{Input, Test};
use crate::suite_run::Session;

/// Entries that commands are given for.
const COMMANDED: usize = 100;
/// Failing tests whose inputs are shown.
const SHOWN_INPUTS: usize = 20;

/// The report of the latest run of the project at `root`, made at `created` (seconds since 1970).
///
/// # Errors
/// When nothing has been recorded, or the store is damaged.
pub fn gather(root: &Path, created: u64, progress: &dyn Progress) -> Result<Report, Obstacle> {
    let session = Session::latest(root)?;
    let Session { store, run, .. } = &session;
    let build: Option<BuildReport> = store.load_build()?.filter(|build| is_of(build, run));
    let (ranking, n_ranked, no_ranking) = match known_ranking(&session, progress) {
        Ok(kept) => (Some(kept.ranking), kept.n_ranked, None),
        Err(Obstacle::Tests(message)) => (None, 0, Some(message)),
        Err(obstacle) => return Err(obstacle),
    };
    let all = Units::new(&run.program, Granularity::Line);
    let lines = all.without(&left_out(run, &all)?);
    let seen = MethodInput::read(run, &lines, &[Need::Coverage, Need::Edges], &run.counted_tests())?;
    let files = files(root, &run.program, &lines, &seen, ranking.as_ref());
    let mut not_looked_at = not_looked_at(run, build.as_ref(), &files, ranking.as_ref());
    if let Some(night) = Night::of(store, run.number)? {
        not_looked_at.statements.extend(night.missing.into_iter().chain(night.unexplained));
    }
    let since = since_last_night(&session, progress).unwrap_or_else(|obstacle| {
        not_looked_at.statements.push(format!("what changed since the night before: {obstacle}"));
        None
    });
    let observed = observe_latest(&session)?;
    let model = observed.as_ref().map(|observed| reported_model(run, observed)).transpose()?;
    Ok(Report {
        schema_version: REPORT_SCHEMA_VERSION,
        suspect_version: env!("CARGO_PKG_VERSION").to_string(),
        project: root.file_name().map_or_else(|| "project".into(), |name| name.to_string_lossy().into_owned()),
        created,
        recorded: Recorded {
            identity: hexadecimal(run_identity(run)),
            began: run.manifest.began,
            mode: run.manifest.mode.clone(),
        },
        build: build_of(run, build.as_ref()),
        tests: test_results(&session),
        commands: commands(run, ranking.as_ref()),
        profiles: profiles(&run.program, &seen, ranking.as_ref()),
        comparison: match &ranking {
            Some(ranking) => comparison(run, &lines, seen, observed, ranking)?,
            None => Comparison::default(),
        },
        model,
        explanations: explanations(&session)?,
        since,
        nights: course(store, run.number, ranking.as_ref().and_then(|ranking| ranking.ranking.first()))?,
        not_looked_at,
        ranking,
        n_ranked,
        no_ranking,
        files,
    })
}

/// The chains of causes that have been found for this run.
fn explanations(Session { store, run, .. }: &Session) -> Result<Vec<Explanation>, Obstacle> {
    Ok(store.load_explanations(run_identity(run))?.unwrap_or_default())
}

fn hexadecimal(number: u64) -> String {
    format!("{number:016x}")
}

/// Whether the latest build made what the run recorded.
fn is_of(build: &BuildReport, run: &Run) -> bool {
    let made: BTreeSet<u64> = build.units.iter().map(|unit| unit.hash).collect();
    run.program.units.iter().all(|unit| made.contains(&unit.hash))
}

fn build_of(run: &Run, build: Option<&BuildReport>) -> Build {
    let program = &run.program;
    let identity = program.units.iter().fold(HASH_START, |hash, unit| hash_bytes(hash, &unit.hash.to_le_bytes()));
    Build {
        identity: hexadecimal(identity),
        units: program.units.len() as u32,
        functions: program.functions.len() as u32,
        lines: (0..program.lines.len() as u32).filter(|line| !program.is_label_line(*line)).count() as u32,
        nodes: program.nodes.len() as u32,
        command: build.map(|build| build.command.join(" ")),
        compiler: build.map(|build| format!("clang {}", build.toolchain.version)),
        modes: build.map(|build| build.modes.clone()),
    }
}

/// The tests, the first failing ones with their inputs.
fn test_results(session: &Session) -> Vec<TestResult> {
    let records = &session.run.manifest.tests;
    let mut results: Vec<TestResult> = records.iter().map(test_result).collect();
    // A suite that cannot be read any more has no inputs to show.
    let Ok(suite) = session.suite() else { return results };
    let failing = results.iter_mut().zip(records).filter(|(result, _)| result.outcome == TestOutcome::Failed);
    for (result, record) in failing.take(SHOWN_INPUTS) {
        let test = suite.tests().iter().find(|test| test.name == record.name);
        // An input that has changed since is not what failed.
        let test = test.filter(|test| test.print() == record.state);
        result.inputs = test.map_or_else(Vec::new, Test::inputs).into_iter().map(test_input).collect();
    }
    results
}

fn test_input(input: Input) -> TestInput {
    TestInput { path: input.path.to_string_lossy().into_owned(), text: input.text, is_whole: input.is_whole }
}

fn test_result(test: &TestRecord) -> TestResult {
    TestResult {
        name: test.name.clone(),
        command: test.command.clone(),
        outcome: match test.passed {
            Some(true) => TestOutcome::Passed,
            Some(false) => TestOutcome::Failed,
            None => TestOutcome::Excluded,
        },
        verdict: test.verdict.clone(),
        milliseconds: test.milliseconds,
        processes: test.processes,
        difference: test.mismatch.as_ref().map(OutputDifference::of),
        inputs: Vec::new(),
    }
}

/// What to type about the run and about the first lines.
fn commands(run: &Run, ranking: Option<&RankingReport>) -> Vec<ReportCommand> {
    let command = |about: &str, what: String, command: String| ReportCommand { about: about.into(), what, command };
    let mut all = Vec::new();
    let Some(ranking) = ranking else { return all };
    if ranking.trials.is_none_or(|trials| !trials.finished) {
        all.push(command(
            "report",
            "try changes of the program and rank by what they do".into(),
            "suspect rank".into(),
        ));
    }
    if run.manifest.tests.iter().any(|test| test.passed.is_none()) {
        all.push(command(
            "report",
            "run the tests again, and name those that do not count".into(),
            "suspect test".into(),
        ));
    }
    for entry in ranking.ranking.iter().take(COMMANDED) {
        let why = format!("suspect rank --why {}", shell_word(&entry.unit));
        all.push(command(&entry.unit, "tell everything that is known about the line".into(), why));
        for claim in entry.reasons.iter().filter_map(|reason| reason.claim.as_ref()) {
            all.push(command(
                &entry.unit,
                format!("repeat: {}", change_of(claim)),
                format!("suspect replay {}", claim.id),
            ));
        }
    }
    all
}
