//! Everything that was recorded and tried, as long tables in Parquet files: a row for each observation.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::Path;

use crate::campaign::{Results, run_identity};
use crate::obstacle::Obstacle;
use crate::ranking::{effect, end_words};
use crate::report::{Cell, Column, Effect, Report, TableWriter, TestOutcome, node_kind};
use crate::search::effect_of;
use crate::store::{Run, Store};

/// A file that is being written.
type Table = TableWriter<BufWriter<File>>;

/// Writes all tables of the latest run to `directory`, which is made if it is not there; `written` is told of each its file and how many rows it has.
///
/// # Errors
/// When nothing has been recorded, the store is damaged, or a file cannot be written.
pub fn write_tables(
    report: &Report,
    store: &Store,
    directory: &Path,
    written: &mut dyn FnMut(&Path, usize) -> io::Result<()>,
) -> Result<(), Obstacle> {
    let run = store.latest_run()?;
    fs::create_dir_all(directory).map_err(|error| cannot(directory, error))?;
    let mut finish = |name: &str, columns: &[(&str, Column)], fill: &dyn Fn(&mut Table) -> Result<(), Obstacle>| {
        let path = directory.join(format!("{name}.parquet"));
        let file = File::create(&path).map_err(|error| cannot(&path, error))?;
        let mut table = TableWriter::new(BufWriter::new(file), columns).map_err(|error| cannot(&path, error))?;
        fill(&mut table)?;
        let n_rows = table.finish().map_err(|error| cannot(&path, error))?;
        written(&path, n_rows).map_err(Obstacle::of(Obstacle::File))
    };
    finish("tests", &TESTS.map(empty), &|table| tests(report, table).map_err(Obstacle::of(Obstacle::File)))?;
    finish("lines", &LINES.map(empty), &|table| lines(report, table).map_err(Obstacle::of(Obstacle::File)))?;
    finish("nodes", &NODES.map(empty), &|table| nodes(&run, table).map_err(Obstacle::of(Obstacle::File)))?;
    finish("observations", &OBSERVATIONS.map(empty), &|table| observations(&run, table))?;
    finish("trials", &TRIALS.map(empty), &|table| {
        value_trials(store, &run, table)?;
        change_trials(store, &run, table)
    })
}

fn cannot(path: &Path, error: io::Error) -> Obstacle {
    Obstacle::File(format!("cannot write {}: {error}", path.display()))
}

/// A column's kind by a letter: whole number, number, truth, text.
fn empty((name, kind): (&'static str, char)) -> (&'static str, Column) {
    let column = match kind {
        'i' => Column::Int(Vec::new()),
        'n' => Column::Number(Vec::new()),
        'b' => Column::Truth(Vec::new()),
        _ => Column::Text(Vec::new()),
    };
    (name, column)
}

/// Tests by their position in the suite, which the other tables name them by.
const TESTS: [(&str, char); 7] = [
    ("test", 'i'),
    ("name", 't'),
    ("command", 't'),
    ("outcome", 't'),
    ("verdict", 't'),
    ("milliseconds", 'i'),
    ("processes", 'i'),
];

fn tests(report: &Report, table: &mut Table) -> io::Result<()> {
    for (number, test) in (0u32..).zip(&report.tests) {
        let outcome = match test.outcome {
            TestOutcome::Passed => "passed",
            TestOutcome::Failed => "failed",
            TestOutcome::Excluded => "excluded",
        };
        table.push([
            number.into(),
            test.name.as_str().into(),
            test.command.as_str().into(),
            outcome.into(),
            test.verdict.as_str().into(),
            test.milliseconds.into(),
            test.processes.into(),
        ])?;
    }
    Ok(())
}

/// Lines that carry code; rank and probability of those among the first thousand.
const LINES: [(&str, char); 7] = [
    ("file", 't'),
    ("line", 'i'),
    ("failing", 'i'),
    ("passing", 'i'),
    ("rank", 'n'),
    ("score", 'n'),
    ("probability", 'n'),
];

fn lines(report: &Report, table: &mut Table) -> io::Result<()> {
    let places = report.top(usize::MAX).iter().map(|entry| ((entry.file.as_str(), entry.line), entry));
    let entries: std::collections::HashMap<_, _> = places.collect();
    for file in &report.files {
        for (line, failing, passing) in file.executed() {
            let entry = entries.get(&(file.path.as_str(), line));
            table.push([
                file.path.as_str().into(),
                line.into(),
                failing.into(),
                passing.into(),
                Cell::Number(entry.map(|entry| entry.rank)),
                Cell::Number(entry.map(|entry| entry.score.0).filter(|score| !score.is_nan())),
                Cell::Number(entry.and_then(|entry| entry.probability)),
            ])?;
        }
    }
    Ok(())
}

/// Nodes by their number within the build.
const NODES: [(&str, char); 9] = [
    ("node", 'i'),
    ("file", 't'),
    ("line", 'i'),
    ("column", 'i'),
    ("function", 't'),
    ("kind", 't'),
    ("variable", 't'),
    ("expression", 't'),
    ("type", 't'),
];

fn nodes(run: &Run, table: &mut Table) -> io::Result<()> {
    let program = &run.program;
    for (number, node) in (0u32..).zip(&program.nodes) {
        table.push([
            number.into(),
            program.files.get(node.place.file as usize).map_or("", String::as_str).into(),
            node.place.line.into(),
            node.place.column.into(),
            program.functions[node.function as usize].name.as_str().into(),
            node_kind(node.kind).into(),
            node.variable.as_str().into(),
            node.expression.as_str().into(),
            node.type_name.as_str().into(),
        ])?;
    }
    Ok(())
}

/// What each node did in each test that counts: how often it took a value, how often it was true, and a hash of its values in order.
const OBSERVATIONS: [(&str, char); 5] =
    [("test", 'i'), ("node", 'i'), ("count", 'i'), ("trues", 'i'), ("trajectory", 'i')];

fn observations(run: &Run, table: &mut Table) -> Result<(), Obstacle> {
    let recorded = run.recorded()?;
    for test in run.counted_tests() {
        let execution = recorded.execution(test)?;
        for (number, count) in (0u32..).zip(&execution.nodes).filter(|(_, count)| **count > 0) {
            let at = number as usize;
            let row = [
                test.into(),
                number.into(),
                (*count).into(),
                execution.trues[at].into(),
                execution.trajectories[at].into(),
            ];
            table.push(row).map_err(Obstacle::of(Obstacle::File))?;
        }
    }
    Ok(())
}

/// Trials of value mutants (`values`) and of changes tried for the ranking (`changes`). A value mutant is known by its node, slot and
/// instance (0: all executions), a change by the id that `suspect replay` takes.
const TRIALS: [(&str, char); 11] = [
    ("kind", 't'),
    ("test", 'i'),
    ("node", 'i'),
    ("slot", 'i'),
    ("instance", 'i'),
    ("change", 't'),
    ("end", 't'),
    ("effect", 't'),
    ("passes", 'b'),
    ("output_changed", 'b'),
    ("nodes_changed", 'i'),
];

fn value_trials(store: &Store, run: &Run, table: &mut Table) -> Result<(), Obstacle> {
    let Some(results) = Results::latest(store, run)? else { return Ok(()) };
    for trial in results.trials.iter() {
        let changed: u32 = trial.changed.iter().map(|word| word.count_ones()).sum();
        let row = [
            "values".into(),
            trial.key.test.into(),
            trial.key.node.into(),
            trial.key.slot.into(),
            trial.key.instance.into(),
            Cell::Text(None),
            end_words(trial.end).as_str().into(),
            Cell::Text(None),
            Cell::Truth(trial.passes),
            trial.output_changed.into(),
            changed.into(),
        ];
        table.push(row).map_err(Obstacle::of(Obstacle::File))?;
    }
    Ok(())
}

fn change_trials(store: &Store, run: &Run, table: &mut Table) -> Result<(), Obstacle> {
    let (records, _) = store.evidence(run_identity(run)).load()?;
    let mut records: Vec<_> = records.into_values().collect();
    records.sort_by_key(|record| (record.test, record.candidate));
    for record in records {
        let failed = run.manifest.tests.get(record.test as usize).is_some_and(|test| test.passed == Some(false));
        let effect = effect(effect_of(&record), failed);
        let (words, passes, changed) = match effect {
            Effect::Same => ("same", Some(!failed), Some(false)),
            Effect::Unchanged => ("unchanged", Some(!failed), Some(false)),
            Effect::Changed => ("changed", Some(!failed), Some(true)),
            Effect::Passes => ("passes", Some(true), Some(true)),
            Effect::Fails => ("fails", Some(false), Some(true)),
            Effect::Unknown => ("unknown", None, None),
        };
        let row = [
            "changes".into(),
            record.test.into(),
            Cell::Int(None),
            Cell::Int(None),
            Cell::Int(None),
            format!("{:016x}", record.candidate).as_str().into(),
            end_words(record.end).as_str().into(),
            words.into(),
            Cell::Truth(passes),
            Cell::Truth(changed),
            Cell::Int(None),
        ];
        table.push(row).map_err(Obstacle::of(Obstacle::File))?;
    }
    Ok(())
}
