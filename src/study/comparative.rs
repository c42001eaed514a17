//! Comparative causality beside cause state minimisation and dual slices: explanations against ideal ones, and causes that go astray.

use std::collections::BTreeSet;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::{Cell, StudyRequest, Table};
use crate::comparison::Confounding;
use crate::eval::{
    self, Benchmark, EvalProgram, EvalRequest, EvalVersion, Excluded, Fingerprint, record_correct_build,
    record_version, recording_key,
};
use crate::exec::remove_tree;
use crate::explain::{
    Engine, JudgedStep, Measured, Method, Model, RecordingRoom, Request, Second, measured, most_alike,
};
use crate::obstacle::Obstacle;
use crate::progress::Progress;
use crate::rank::compare::mean;
use crate::rank::find_method;
use crate::report::{Explanation, Place};
use crate::store::Store;
use crate::suite::Suite;

/// The methods, the reference first.
const METHODS: [(Method, &str); 3] = [(Method::Cc, "cc"), (Method::Csm, "csm"), (Method::Dual, "dual")];

/// Time for each explanation, unless the user says otherwise: that of `suspect explain`.
const BUDGET: Duration = Duration::from_secs(60);

/// Steps of a chain, at most: longer than those of the benches, which are of 113 at most.
const STEPS: usize = 200;

/// Goes up when what is kept of a version changes its form.
const LAYOUT: &str = "explained 1";

/// Kinds of confounding.
const KINDS: usize = Confounding::ALL.len();

/// Runs that failing ones are compared with.
const SECONDS: [SecondRun; 2] = [SecondRun::Test, SecondRun::Correct];

/// The run that a failing one is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum SecondRun {
    /// That of the passing test most like it.
    Test,
    /// The correct version's of the same test.
    Correct,
}

impl SecondRun {
    fn name(self) -> &'static str {
        match self {
            SecondRun::Test => "another test",
            SecondRun::Correct => "correct version",
        }
    }
}

/// Figures of one method on one version.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Figures {
    method: String,
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

/// What the steps of comparative causality's chains come to; arrays are by kind of confounding.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Counts {
    steps: usize,
    proved: usize,
    /// Steps on which cause state minimisation could be asked.
    judged: usize,
    causes: usize,
    /// Differences that the effect depends on and that are no causes.
    relevant: usize,
    unproved: [usize; KINDS],
    missing: [usize; KINDS],
    extra: [usize; KINDS],
    failed: [usize; KINDS],
}

/// A version's failing test beside one other run.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Compared {
    second: SecondRun,
    figures: Vec<Figures>,
    counts: Counts,
}

/// What is kept of a version.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Explained {
    key: String,
    version: String,
    compared: Vec<Compared>,
    /// Why it was not compared with a run.
    not_compared: Vec<(SecondRun, String)>,
}

/// What came of the versions.
#[derive(Default)]
pub(super) struct Found {
    pub(super) tables: Vec<Table>,
    pub(super) versions: u32,
    pub(super) excluded: Vec<Excluded>,
    pub(super) not_run: Vec<String>,
}

/// The paper's two tables over all versions. One of which no failing test can be explained is left out. What was found of a version is kept in
/// `results`, and told again as long as nothing that it was made from changes.
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
    // A version is built to be recorded where a method reads mutants of its values.
    let cdfl = find_method("cdfl").map_err(Obstacle::of(Obstacle::Internal))?;
    let evaluation = request.evaluation(vec![cdfl]);
    for program in &benchmark.programs {
        let study = Study { program, results, request, evaluation: &evaluation, progress };
        let mut correct = None;
        for version in &program.versions {
            let name = format!("{}/{}", program.name, version.name);
            let (path, key) =
                (results.join(&program.name).join(format!("{}.explained.json", version.name)), study.key(version)?);
            let kept = if request.fresh { None } else { eval::read(&path, &key)? };
            let explained: Explained = match kept {
                Some(kept) => kept,
                None if deadline.is_some_and(|deadline| Instant::now() >= deadline) => {
                    found.not_run.push(name);
                    continue;
                }
                None => match study.explained(version, &mut correct) {
                    Ok((compared, not_compared)) => {
                        let explained = Explained { key, version: name.clone(), compared, not_compared };
                        let text = serde_json::to_vec(&explained);
                        eval::write(
                            &path,
                            &text.map_err(|error| Obstacle::new(Obstacle::Internal, error.to_string()))?,
                        )?;
                        progress.say(&format!("{name}: explained"));
                        explained
                    }
                    Err(obstacle @ (Obstacle::Compiler(_) | Obstacle::Interrupted(_) | Obstacle::Internal(_))) => {
                        correct.iter().for_each(Correct::remove);
                        return Err(obstacle.reworded(|message| format!("{name}: {message}")));
                    }
                    Err(obstacle) => {
                        found.excluded.push(Excluded { version: name, reason: obstacle.into_message() });
                        continue;
                    }
                },
            };
            match (explained.compared.first(), explained.not_compared.first()) {
                (None, Some((_, why))) => found.excluded.push(Excluded { version: name, reason: why.clone() }),
                _ => all.push(explained),
            }
        }
        correct.iter().for_each(Correct::remove);
    }
    found.versions = all.len() as u32;
    if !all.is_empty() {
        found.tables = vec![explanations(&all), confounding(&all)];
    }
    Ok(found)
}

/// The correct version, built and run; or why it is not.
struct Correct(Result<(Store, Rc<Suite>), String>);

impl Correct {
    fn remove(&self) {
        self.0.iter().for_each(|(store, _)| remove_tree(store.root()));
    }
}

/// A study of one program's versions.
struct Study<'a> {
    program: &'a EvalProgram,
    results: &'a Path,
    request: &'a StudyRequest,
    evaluation: &'a EvalRequest,
    progress: &'a dyn Progress,
}

/// What a version is compared with, and why with nothing else.
type Comparisons = (Vec<Compared>, Vec<(SecondRun, String)>);

impl Study<'_> {
    /// What a version's explanations are made from.
    fn key(&self, version: &EvalVersion) -> Result<String, Obstacle> {
        let made_from = recording_key(self.program, version, self.evaluation, self.progress)?;
        let budget = format!("{:?}", self.budget());
        let key = Fingerprint::new().with(LAYOUT).with(&made_from).with(&format!("{:?}", version.fault));
        Ok(key.with(&budget).text())
    }

    fn budget(&self) -> Duration {
        self.request.search.unwrap_or(BUDGET)
    }

    /// Builds a version and explains its first failing test by each method, against the passing test that is most like it and against the correct
    /// version's run, which is built once.
    fn explained(&self, version: &EvalVersion, correct: &mut Option<Correct>) -> Result<Comparisons, Obstacle> {
        let (program, results, evaluation, progress) = (self.program, self.results, self.evaluation, self.progress);
        let (store, suite) = record_version(program, version, results, evaluation, progress)?;
        let done = || {
            let tests = store.latest_run()?.manifest.tests;
            let failing = tests.into_iter().find(|test| test.passed == Some(false));
            let none = || Obstacle::new(Obstacle::Tests, "no test detects its fault");
            let failing = failing.ok_or_else(none)?.name;
            let correct = correct.get_or_insert_with(|| {
                let built = record_correct_build(program, results, evaluation, progress);
                Correct(built.map(|(store, suite)| (store, Rc::new(suite))).map_err(Obstacle::into_message))
            });
            // It is there as long as what is compared with it.
            let other = match &correct.0 {
                Ok((store, suite)) => Ok(RecordingRoom::with_suite(store, Rc::clone(suite), progress)?),
                Err(why) => Err(why.clone()),
            };
            let mut room = RecordingRoom::with_suite(&store, Rc::new(suite), progress)?;
            let (mut compared, mut not_compared) = (Vec::new(), Vec::new());
            let alike = most_alike(&room, &failing).map(Second::Named);
            let beside = match &other {
                Ok(other) => {
                    room.put_beside(other);
                    Ok(Second::OtherBuild)
                }
                Err(why) => Err(Obstacle::new(Obstacle::Tests, why.clone())),
            };
            for (kind, second) in [(SecondRun::Test, alike), (SecondRun::Correct, beside)] {
                match second.and_then(|second| self.compared(&room, version, (&failing, kind, second))) {
                    Ok(one) => compared.push(one),
                    Err(why) => not_compared.push((kind, unless_fatal(why)?)),
                }
            }
            Ok((compared, not_compared))
        };
        let done = done();
        remove_tree(store.root());
        done
    }

    /// The failing test by each method, beside one run.
    fn compared(
        &self,
        room: &RecordingRoom<'_>,
        version: &EvalVersion,
        (failing, second, against): (&str, SecondRun, Second),
    ) -> Result<Compared, Obstacle> {
        let faults: Vec<Place> =
            version.fault.lines.iter().map(|line| Place { file: line.file.clone(), line: line.line }).collect();
        let elsewhere = room
            .other()
            .filter(|_| second == SecondRun::Correct)
            .map(|other| other.root().to_string_lossy().into_owned());
        let (mut figures, mut counts) = (Vec::new(), Counts::default());
        for (method, name) in METHODS {
            let asked = asked(failing, against.clone(), method, self.budget());
            let began = Instant::now();
            let found = measured(room, failing, &asked, faults.clone())?;
            figures.push(Figures::of(name, &found, (&faults, elsewhere.as_deref()), began.elapsed()));
            if method == Method::Cc {
                counts = Counts::of(&found.steps);
            }
        }
        Ok(Compared { second, figures, counts })
    }
}

/// Why two runs are not compared, unless nothing more can be done.
fn unless_fatal(obstacle: Obstacle) -> Result<String, Obstacle> {
    match obstacle {
        fatal @ (Obstacle::Compiler(_) | Obstacle::Interrupted(_) | Obstacle::Internal(_)) => Err(fatal),
        other => Ok(other.into_message()),
    }
}

impl Counts {
    fn of(steps: &[JudgedStep]) -> Counts {
        let mut counts = Counts { steps: steps.len(), ..Counts::default() };
        let at = |kind: Confounding| Confounding::ALL.iter().position(|one| *one == kind).unwrap_or_default();
        for step in steps {
            match step.unproved {
                Some(why) => counts.unproved[at(why)] += 1,
                None => {
                    counts.proved += 1;
                    counts.causes += step.causes;
                    counts.relevant += step.in_flight - step.causes;
                }
            }
            let Some(csm) = &step.csm else { continue };
            counts.judged += 1;
            csm.missing.iter().for_each(|(n, why)| counts.missing[at(*why)] += n);
            csm.extra.iter().for_each(|(n, why)| counts.extra[at(*why)] += n);
            csm.failed.iter().for_each(|why| counts.failed[at(*why)] += 1);
        }
        counts
    }

    fn add(&mut self, other: &Counts) {
        self.steps += other.steps;
        self.proved += other.proved;
        self.judged += other.judged;
        self.causes += other.causes;
        self.relevant += other.relevant;
        for kind in 0..KINDS {
            self.unproved[kind] += other.unproved[kind];
            self.missing[kind] += other.missing[kind];
            self.extra[kind] += other.extra[kind];
            self.failed[kind] += other.failed[kind];
        }
    }
}

fn asked(failing: &str, second: Second, method: Method, budget: Duration) -> Request {
    Request {
        test: Some(failing.to_string()),
        second,
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
    /// Of an explanation; lines of files `elsewhere` are not the version's.
    fn of(method: &str, found: &Measured, (faults, elsewhere): (&[Place], Option<&str>), took: Duration) -> Figures {
        let (mut told, ideal) = (named(&found.explanation), &found.ideal);
        told.retain(|line| elsewhere.is_none_or(|root| !line.file.starts_with(root)));
        let right = ideal.iter().filter(|line| told.contains(line)).count();
        let steps = &found.explanation.steps;
        let is_measured = !ideal.is_empty();
        Figures {
            method: method.to_owned(),
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

/// The comparisons with one kind of second run, each with its version.
fn beside(all: &[Explained], second: SecondRun) -> impl Iterator<Item = (&str, &Compared)> {
    all.iter().flat_map(move |explained| {
        let of = explained.compared.iter().filter(move |one| one.second == second);
        of.map(|one| (explained.version.as_str(), one))
    })
}

fn explanations(all: &[Explained]) -> Table {
    let columns = [
        "method",
        "version",
        "second run",
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
        for one in &explained.compared {
            for figures in &one.figures {
                let word = if figures.names_fault { "yes" } else { "no" };
                let words = [figures.method.as_str(), &explained.version, one.second.name()];
                let mut row: Vec<Cell> = words.map(Cell::word).into();
                row.extend(figures.numbers().map(Cell::maybe));
                row.push(Cell::word(word));
                rows.push(row);
            }
        }
    }
    for second in SECONDS {
        for (_, method) in METHODS {
            let of: Vec<&Figures> = beside(all, second)
                .flat_map(|(_, one)| &one.figures)
                .filter(|figures| figures.method == method)
                .collect();
            if of.is_empty() {
                continue;
            }
            let numbers: Vec<[Option<f64>; 8]> = of.iter().map(|figures| figures.numbers()).collect();
            let column = |at: usize| {
                let known: Vec<f64> = numbers.iter().filter_map(|row| row[at]).collect();
                Cell::maybe((!known.is_empty()).then(|| mean(&known)))
            };
            let named = of.iter().filter(|figures| figures.names_fault).count();
            let mut row: Vec<Cell> = [method, "mean", second.name()].map(Cell::word).into();
            row.extend((0..8).map(column));
            row.push(Cell::word(&format!("{named} of {}", of.len())));
            rows.push(row);
        }
    }
    let mut notes = vec![
        "another test: the passing test most like it; correct version: its run of the same test, points of both matched through the edit".to_owned(),
        "ideal: lines by way of which the faulty lines influence the effect in the failing run; the paper's were chosen by hand".to_owned(),
        "where the faulty lines do not influence it, as with code that is left out, there is no ideal; seconds are of this machine".to_owned(),
    ];
    let not_compared = all.iter().flat_map(|one| one.not_compared.iter().map(move |why| (&one.version, why)));
    notes.extend(
        not_compared.map(|(version, (second, why))| format!("{version} has no row with {}: {why}", second.name())),
    );
    Table {
        name: "explanations".into(),
        title: "Table I: explanations against ideal ones, each version's first failing test".into(),
        columns: columns.map(str::to_string).to_vec(),
        rows,
        notes,
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
    let (mut rows, mut notes) = (Vec::new(), Vec::new());
    for second in SECONDS {
        let mut counts = Counts::default();
        let mut n_compared = 0;
        for (_, one) in beside(all, second) {
            counts.add(&one.counts);
            n_compared += 1;
        }
        if n_compared == 0 {
            continue;
        }
        let row = |method: &str, of: Confounding, counts: [usize; 3]| {
            let mut row: Vec<Cell> = [method, second.name(), kind(of)].map(Cell::word).into();
            row.extend(counts.map(|count| Cell::Number(count as f64)));
            row
        };
        for (at, of) in Confounding::ALL.into_iter().enumerate() {
            rows.push(row("cc", of, [0, 0, counts.unproved[at]]));
        }
        for (at, of) in Confounding::ALL.into_iter().enumerate() {
            rows.push(row("csm", of, [counts.missing[at], counts.extra[at], counts.failed[at]]));
        }
        rows.push(row("dual", Confounding::Other, [0, counts.relevant, 0]));
        let Counts { steps, proved, judged, causes, .. } = counts;
        notes.push(format!(
            "{}: cc proved {causes} causes on {proved} of {steps} steps, which are the reference; csm could be asked on {judged} of these",
            second.name()
        ));
    }
    notes.push("control flow: guard rails put it right; data flow: the exact model alone does; omission: it suffices in one direction".into());
    Table {
        name: "confounding".into(),
        title: "Table II: causes missing and too many on the steps of cc, and steps without any, by the kind of confounding".into(),
        columns: ["method", "second run", "kind", "missing", "extra", "failed"].map(str::to_string).to_vec(),
        rows,
        notes,
    }
}
