//! Higher-order mutants of each program's correct version: causal effect, heuristics, survival.

use std::path::Path;

use serde_json::Value;

use super::{Cell, Figure, StudyRequest, Table};
use crate::campaign::TestGroup;
use crate::eval::{Benchmark, EvalProgram, Excluded, record_correct};
use crate::exec::remove_tree;
use crate::higher_order::{HomAnswer, HomRequest, Made, Study, higher_order};
use crate::hom::Heuristic;
use crate::hom::studies::Buckets;
use crate::mutation::{CatalogueRequest, KillRequest, ValuesRequest, mutate_values};
use crate::obstacle::Obstacle;
use crate::progress::Progress;
use crate::rank::find_method;
use crate::suite_run::Session;
use crate::trial::Executors;

/// How large the studies are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HomSize {
    /// Mutants of each heuristic in a repeat.
    pub mutants: usize,
    /// Repeats; the paper's without it.
    pub repeats: Option<u32>,
    /// True if mutants run only until it is known if they are strongly subsuming.
    pub quick: bool,
}

/// Mutants of each heuristic in the paper.
pub const PUBLISHED_MUTANTS: usize = 1000;

/// A column: the field of a row, what stands above it, and what its value is.
type Column = (&'static str, &'static str, Shape);

#[derive(Clone, Copy)]
enum Shape {
    /// A number or a word.
    One,
    /// A share, shown in per cent.
    Share,
    /// A mean and its deviation over repeats.
    Spread,
    /// A share's mean and deviation, in per cent.
    ShareSpread,
    /// Two numbers, each with a word above it.
    Two(&'static str),
}

const DECILES: [Column; 9] = [
    ("bucket", "bucket", Shape::One),
    ("n_pairs", "pairs", Shape::One),
    ("range", "CE from", Shape::Two("to")),
    ("mutants", "mutants", Shape::Spread),
    ("strong", "SSHOMs", Shape::Spread),
    ("share_of_strong", "of all %", Shape::Share),
    ("masking", "masking", Shape::Spread),
    ("share_of_masking", "of all %", Shape::Share),
    ("rate", "SSHOMs of mutants %", Shape::Share),
];

const HEURISTICS: [Column; 10] = [
    ("heuristic", "heuristic", Shape::One),
    ("mutants", "mutants", Shape::Spread),
    ("strong", "SSHOMs", Shape::Spread),
    ("masking", "masking", Shape::Spread),
    ("published", "published: parking", Shape::Two("schedule")),
    ("distinct_strong", "distinct", Shape::Spread),
    ("strong_vectors", "kill vectors", Shape::Spread),
    ("d_score", "dScore", Shape::Spread),
    ("survival", "survive %", Shape::ShareSpread),
    ("times_random", "x random", Shape::One),
];

const SURVIVAL: [Column; 5] = [
    ("name", "mutants", Shape::One),
    ("mutants", "number", Shape::One),
    ("survived", "survived", Shape::One),
    ("rate", "survived %", Shape::Share),
    ("hidden", "hide another", Shape::One),
];

/// What came of the programs.
#[derive(Default)]
pub(super) struct Found {
    pub(super) tables: Vec<Table>,
    pub(super) figures: Vec<Figure>,
    /// Programs that cannot be studied.
    pub(super) excluded: Vec<Excluded>,
}

/// The paper's tables and plots, for each program. One that does not build, has no tests, or shows no effects is left out.
///
/// # Errors
/// When there is no compiler, a file cannot be read or written, or the user did not wait.
pub(super) fn report(
    benchmark: &Benchmark,
    results: &Path,
    request: &StudyRequest,
    progress: &dyn Progress,
) -> Result<Found, Obstacle> {
    let mut found = Found::default();
    for program in &benchmark.programs {
        match studied(program, results, request, progress) {
            Ok((tables, figures)) => {
                found.tables.extend(tables);
                found.figures.extend(figures);
            }
            Err(Obstacle::Tests(reason) | Obstacle::NotInstrumented(reason) | Obstacle::Store(reason)) => {
                found.excluded.push(Excluded { version: program.name.clone(), reason });
            }
            Err(obstacle) => return Err(obstacle.reworded(|message| format!("{}: {message}", program.name))),
        }
    }
    Ok(found)
}

fn studied(
    program: &EvalProgram,
    results: &Path,
    request: &StudyRequest,
    progress: &dyn Progress,
) -> Result<(Vec<Table>, Vec<Figure>), Obstacle> {
    // A version is built for mutants where a method reads them.
    let cdfl = find_method("cdfl").map_err(Obstacle::of(Obstacle::Internal))?;
    let session = record_correct(program, results, &request.evaluation(vec![cdfl]), progress)?;
    let found = mutate(&session, request, progress).and_then(|()| studies(&session, program, request, progress));
    remove_tree(session.store.root());
    found
}

/// Mutates the values of all nodes in all tests.
fn mutate(session: &Session, request: &StudyRequest, progress: &dyn Progress) -> Result<(), Obstacle> {
    let values = ValuesRequest {
        samples: request.values.samples.last().map_or(0, |samples| *samples as usize),
        instances: 0,
        tests: TestGroup::All,
        among: None,
        budget: request.search,
        nodes: Vec::new(),
        jobs: request.jobs,
        shard: None,
        executors: Executors::Auto,
        seed: request.seed,
        log_bytes: 1 << 30,
        fresh: false,
        allow_unsafe: false,
    };
    let done = mutate_values(session, &values, progress, &mut |said| progress.say(&said))?;
    let n_done = done.done_before + done.counts.trials;
    match values.budget {
        Some(budget) if n_done == 0 && done.planned > 0 => {
            let planned = done.planned;
            let message =
                format!("none of {planned} trials of values was done in {budget:?}; --search-budget gives it more");
            Err(Obstacle::new(Obstacle::Tests, message))
        }
        _ => Ok(()),
    }
}

fn studies(
    session: &Session,
    program: &EvalProgram,
    request: &StudyRequest,
    progress: &dyn Progress,
) -> Result<(Vec<Table>, Vec<Figure>), Obstacle> {
    let kinds: [(&str, Study, Buckets, &[Column]); 4] = [
        ("widths", Study::Deciles, Buckets::Widths, &DECILES),
        ("ranks", Study::Deciles, Buckets::Ranks, &DECILES),
        ("heuristics", Study::Heuristics, Buckets::Widths, &HEURISTICS),
        ("survival", Study::Survival, Buckets::Widths, &SURVIVAL),
    ];
    let (mut tables, mut figures) = (Vec::new(), Vec::new());
    for (name, study, buckets, columns) in kinds {
        let request = asked(request, study, buckets);
        let answer = higher_order(session, &request, progress, &|said| progress.say(&said))?;
        let HomAnswer::Study { text, json, svg, not_run } = answer else { continue };
        let title = text.lines().next().unwrap_or_default();
        // The paper's figures are of so many mutants.
        let columns: Vec<Column> = columns
            .iter()
            .copied()
            .filter(|column| column.0 != "published" || request.n == PUBLISHED_MUTANTS)
            .collect();
        let (name_of, title) = (format!("{}-{name}", program.name), format!("{}: {title}", program.name));
        let mut table = table(&name_of, &title, &json, &columns);
        table.notes.extend(unfinished(not_run));
        tables.push(table);
        figures.push(Figure { name: format!("hom-{}-{name}", program.name), svg });
    }
    if !request.hom.quick {
        let request =
            HomRequest { made: Made::By(Heuristic::Mwm), ..asked(request, Study::Heuristics, Buckets::Widths) };
        if let HomAnswer::Report { svg, .. } = higher_order(session, &request, progress, &|said| progress.say(&said))? {
            figures.push(Figure { name: format!("hom-{}-mwm", program.name), svg });
        }
    }
    Ok((tables, figures))
}

fn asked(request: &StudyRequest, study: Study, buckets: Buckets) -> HomRequest {
    HomRequest {
        made: Made::For(study),
        order: 2,
        n: request.hom.mutants,
        repeats: request.hom.repeats.map(|repeats| repeats as usize),
        vectors: !request.hom.quick,
        buckets,
        seed: request.seed,
        part: None,
        catalogue: CatalogueRequest {
            operators: Vec::new(),
            files: Vec::new(),
            functions: Vec::new(),
            lines: Vec::new(),
            since: None,
            sample: None,
            seed: request.seed,
        },
        kill: KillRequest {
            tests: vec!["all".into()],
            budget: request.search,
            jobs: request.jobs,
            executors: Executors::Auto,
            fresh: false,
            allow_unsafe: false,
        },
    }
}

/// What a reader must know of a table for which some trials were not run.
fn unfinished([not_run, planned]: [usize; 2]) -> Option<String> {
    (not_run > 0).then(|| {
        format!(
            "{not_run} of {planned} trials were not run for want of time (--search-budget): what they would kill counts as not killed, and too few \
             mutants as strongly subsuming"
        )
    })
}

/// The rows of a study as a table.
fn table(name: &str, title: &str, study: &Value, columns: &[Column]) -> Table {
    let mut heads = Vec::new();
    for (_, head, shape) in columns {
        heads.push((*head).to_string());
        match shape {
            Shape::One | Shape::Share => {}
            Shape::Spread | Shape::ShareSpread => heads.push("±".into()),
            Shape::Two(other) => heads.push((*other).to_string()),
        }
    }
    let rows = study["rows"].as_array().into_iter().flatten();
    Table {
        name: name.into(),
        title: title.into(),
        columns: heads,
        rows: rows.map(|row| columns.iter().flat_map(|column| cells(row, column)).collect()).collect(),
        notes: Vec::new(),
    }
}

fn cells(row: &Value, (field, _, shape): &Column) -> Vec<Cell> {
    let value = &row[*field];
    let number = |value: &Value, scale: f64| Cell::maybe(value.as_f64().map(|number| number * scale));
    match shape {
        Shape::One => vec![value.as_str().map_or_else(|| number(value, 1.0), Cell::word)],
        Shape::Share => vec![number(value, 100.0)],
        Shape::Spread => vec![number(&value["mean"], 1.0), number(&value["deviation"], 1.0)],
        Shape::ShareSpread => vec![number(&value["mean"], 100.0), number(&value["deviation"], 100.0)],
        Shape::Two(_) => vec![number(&value[0], 1.0), number(&value[1], 1.0)],
    }
}

#[cfg(test)]
mod tests {
    use super::unfinished;

    #[test]
    fn a_table_says_what_there_was_no_time_for() {
        assert_eq!(unfinished([0, 10]), None);
        assert!(unfinished([3, 10]).is_some_and(|note| note.starts_with("3 of 10 trials were not run")));
    }
}
