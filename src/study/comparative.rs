//! Comparative causality beside cause state minimisation and dual slices: explanations against ideal ones, and causes that go astray.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use super::{Cell, StudyRequest, Table};
use crate::comparison::Confounding;
use crate::eval::{Benchmark, EvalProgram, EvalVersion, Excluded, record_version};
use crate::exec::remove_tree;
use crate::explain::{
    Engine, JudgedStep, Measured, Method, Model, RecordingRoom, Request, Second, measured, most_alike,
};
use crate::obstacle::Obstacle;
use crate::progress::Progress;
use crate::rank::compare::mean;
use crate::rank::find_method;
use crate::report::{Explanation, Place};

/// The methods, the reference first.
const METHODS: [(Method, &str); 3] = [(Method::Cc, "cc"), (Method::Csm, "csm"), (Method::Dual, "dual")];

/// Time for each explanation, unless the user says otherwise: that of `suspect explain`.
const BUDGET: Duration = Duration::from_secs(60);

/// Steps of a chain, at most: longer than those of the benches, which are of 113 at most.
const STEPS: usize = 200;

/// Figures of one method on one version.
struct Figures {
    method: &'static str,
    steps: usize,
    proved: usize,
    tests: u32,
    seconds: f64,
    /// Lines that are named.
    statements: usize,
    /// Lines of the ideal explanation; nothing where the faulty lines do not influence the effect.
    ideal: Option<usize>,
    precision: Option<f64>,
    recall: Option<f64>,
    names_fault: bool,
}

/// One version's figures.
struct Explained {
    version: String,
    figures: Vec<Figures>,
    /// Steps of comparative causality's chain.
    steps: Vec<JudgedStep>,
}

/// What came of the versions.
#[derive(Default)]
pub(super) struct Found {
    pub(super) tables: Vec<Table>,
    pub(super) versions: u32,
    pub(super) excluded: Vec<Excluded>,
    pub(super) not_run: Vec<String>,
}

/// The paper's two tables over all versions. One of which no failing test can be explained is left out.
///
/// # Errors
/// When there is no compiler, a file cannot be read or written, or the user did not wait.
pub(super) fn report(
    benchmark: &Benchmark,
    results: &Path,
    request: &StudyRequest,
    progress: &dyn Progress,
) -> Result<Found, Obstacle> {
    let deadline = request.budget.map(|budget| Instant::now() + budget);
    let (mut found, mut all) = (Found::default(), Vec::new());
    let versions = benchmark.programs.iter().flat_map(|program| program.versions.iter().map(move |one| (program, one)));
    for (program, version) in versions {
        let name = format!("{}/{}", program.name, version.name);
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            found.not_run.push(name);
            continue;
        }
        match explained(program, version, results, request, progress) {
            Ok((figures, steps)) => {
                progress.say(&format!("{name}: explained"));
                all.push(Explained { version: name, figures, steps });
            }
            Err(obstacle @ (Obstacle::Compiler(_) | Obstacle::Interrupted(_) | Obstacle::Internal(_))) => {
                return Err(obstacle.reworded(|message| format!("{name}: {message}")));
            }
            Err(obstacle) => found.excluded.push(Excluded { version: name, reason: obstacle.into_message() }),
        }
    }
    found.versions = all.len() as u32;
    if !all.is_empty() {
        found.tables = vec![explanations(&all), confounding(&all)];
    }
    Ok(found)
}

/// Builds a version and explains its first failing test by each method, against the passing test that is most like it.
fn explained(
    program: &EvalProgram,
    version: &EvalVersion,
    results: &Path,
    request: &StudyRequest,
    progress: &dyn Progress,
) -> Result<(Vec<Figures>, Vec<JudgedStep>), Obstacle> {
    // A version is built to be recorded where a method reads mutants of its values.
    let cdfl = find_method("cdfl").map_err(Obstacle::of(Obstacle::Internal))?;
    let (store, suite) = record_version(program, version, results, &request.evaluation(vec![cdfl]), progress)?;
    let done = || {
        let tests = store.latest_run()?.manifest.tests;
        let failing = tests.into_iter().find(|test| test.passed == Some(false));
        let none = || Obstacle::new(Obstacle::Tests, "no test detects its fault");
        let failing = failing.ok_or_else(none)?.name;
        let room = RecordingRoom::with_suite(&store, suite, progress)?;
        let against = most_alike(&room, &failing)?;
        let faults: Vec<Place> =
            version.fault.lines.iter().map(|line| Place { file: line.file.clone(), line: line.line }).collect();
        let (mut figures, mut steps) = (Vec::new(), Vec::new());
        for (method, name) in METHODS {
            let asked = asked(&failing, &against, method, request.search.unwrap_or(BUDGET));
            let began = Instant::now();
            let found = measured(&room, &failing, &asked, faults.clone())?;
            figures.push(Figures::of(name, &found, &faults, began.elapsed()));
            if method == Method::Cc {
                steps = found.steps;
            }
        }
        Ok((figures, steps))
    };
    let done = done();
    remove_tree(store.root());
    done
}

fn asked(failing: &str, against: &str, method: Method, budget: Duration) -> Request {
    Request {
        test: Some(failing.to_string()),
        second: Second::Named(against.to_string()),
        budget,
        clock: None,
        cause: None,
        effect: None,
        method,
        engine: Engine::Process,
        model: Model::Ladder,
        steps: STEPS,
        addresses: false,
    }
}

impl Figures {
    fn of(method: &'static str, found: &Measured, faults: &[Place], took: Duration) -> Figures {
        let (told, ideal) = (named(&found.explanation), &found.ideal);
        let right = ideal.iter().filter(|line| told.contains(line)).count();
        let steps = &found.explanation.steps;
        let is_measured = !ideal.is_empty();
        Figures {
            method,
            steps: steps.len(),
            proved: steps.iter().filter(|step| step.model != "none").count(),
            tests: steps.iter().map(|step| step.re_executions).sum(),
            seconds: took.as_secs_f64(),
            statements: told.len(),
            ideal: is_measured.then_some(ideal.len()),
            precision: (is_measured && !told.is_empty()).then(|| right as f64 / told.len() as f64),
            recall: is_measured.then(|| right as f64 / ideal.len() as f64),
            names_fault: faults.iter().any(|fault| told.contains(fault)),
        }
    }
}

/// All lines that an explanation names: the slices between causes and effects, these, and where differences come in.
fn named(explanation: &Explanation) -> BTreeSet<Place> {
    let steps = explanation.steps.iter();
    let slices = steps.clone().flat_map(|step| step.slice.iter().cloned());
    let points = steps
        .flat_map(|step| [&step.cause_point, &step.effect_point])
        .chain(explanation.origins.iter().map(|origin| &origin.point))
        .filter(|point| point.line > 0)
        .map(|point| Place { file: point.file.clone(), line: point.line });
    slices.chain(points).collect()
}

fn explanations(all: &[Explained]) -> Table {
    let columns = [
        "method",
        "version",
        "precision",
        "recall",
        "steps",
        "proved",
        "tests",
        "seconds",
        "statements",
        "ideal",
        "names the fault",
    ];
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for explained in all {
        for figures in &explained.figures {
            let word = if figures.names_fault { "yes" } else { "no" };
            let mut row = vec![Cell::word(figures.method), Cell::word(&explained.version)];
            row.extend(figures.numbers().map(Cell::maybe));
            row.push(Cell::word(word));
            rows.push(row);
        }
    }
    for (_, method) in METHODS {
        let of: Vec<&Figures> =
            all.iter().flat_map(|explained| &explained.figures).filter(|figures| figures.method == method).collect();
        let numbers: Vec<[Option<f64>; 8]> = of.iter().map(|figures| figures.numbers()).collect();
        let column = |at: usize| {
            let known: Vec<f64> = numbers.iter().filter_map(|row| row[at]).collect();
            Cell::maybe((!known.is_empty()).then(|| mean(&known)))
        };
        let named = of.iter().filter(|figures| figures.names_fault).count();
        let mut row = vec![Cell::word(method), Cell::word("mean")];
        row.extend((0..8).map(column));
        row.push(Cell::word(&format!("{named} of {}", of.len())));
        rows.push(row);
    }
    Table {
        name: "explanations".into(),
        title: "Table I: explanations against ideal ones, each version's first failing test beside the passing test most like it"
            .into(),
        columns: columns.map(str::to_string).to_vec(),
        rows,
        notes: vec![
            "ideal: lines by way of which the faulty lines influence the effect in the failing run; the paper's were chosen by hand".into(),
            "where the faulty lines do not influence it, as with code that is left out, there is no ideal; seconds are of this machine".into(),
        ],
    }
}

impl Figures {
    /// Precision, recall, steps, proved steps, tests, seconds, statements, lines of the ideal.
    fn numbers(&self) -> [Option<f64>; 8] {
        [
            self.precision,
            self.recall,
            Some(self.steps as f64),
            Some(self.proved as f64),
            Some(f64::from(self.tests)),
            Some(self.seconds),
            Some(self.statements as f64),
            self.ideal.map(|lines| lines as f64),
        ]
    }
}

/// The name of a kind.
fn kind(confounding: Confounding) -> &'static str {
    match confounding {
        Confounding::Control => "control flow",
        Confounding::Data => "data flow",
        Confounding::Omission => "omission",
        Confounding::Other => "none of these",
    }
}

fn confounding(all: &[Explained]) -> Table {
    let steps: Vec<&JudgedStep> = all.iter().flat_map(|explained| &explained.steps).collect();
    let proved = steps.iter().filter(|step| step.unproved.is_none());
    let judged: Vec<_> = steps.iter().filter_map(|step| step.csm.as_ref()).collect();
    let mut rows = Vec::new();
    for of in Confounding::ALL {
        let failed = steps.iter().filter(|step| step.unproved == Some(of)).count();
        rows.push(row("cc", of, [0, 0, failed]));
    }
    for of in Confounding::ALL {
        let sum = |part: Option<(usize, Confounding)>| part.filter(|(_, why)| *why == of).map_or(0, |(n, _)| n);
        let missing = judged.iter().map(|one| sum(one.missing)).sum();
        let extra = judged.iter().map(|one| sum(one.extra)).sum();
        let failed = judged.iter().filter(|one| one.failed == Some(of)).count();
        rows.push(row("csm", of, [missing, extra, failed]));
    }
    let relevant: usize = proved.clone().map(|step| step.in_flight - step.causes).sum();
    rows.push(row("dual", Confounding::Other, [0, relevant, 0]));
    let causes: usize = proved.clone().map(|step| step.causes).sum();
    let (n_proved, n_steps, n_judged) = (proved.count(), steps.len(), judged.len());
    Table {
        name: "confounding".into(),
        title: "Table II: causes missing and too many on the steps of cc, and steps without any, by the kind of confounding".into(),
        columns: ["method", "kind", "missing", "extra", "failed"].map(str::to_string).to_vec(),
        rows,
        notes: vec![
            format!(
                "cc proved {causes} causes on {n_proved} of {n_steps} steps, which are the reference; csm could be asked on {n_judged} of these"
            ),
            "control flow: guard rails put it right; data flow: the exact model alone does; omission: it suffices in one direction".into(),
        ],
    }
}

fn row(method: &str, of: Confounding, counts: [usize; 3]) -> Vec<Cell> {
    let mut row = vec![Cell::word(method), Cell::word(kind(of))];
    row.extend(counts.map(|count| Cell::Number(count as f64)));
    row
}
