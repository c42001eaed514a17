//! What a study found: tables, which are also its JSON form (`docs/study.schema.json`), and figures.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::StudyRequest;
use crate::eval::{CONFIDENCE, Excluded};

/// Version of the JSON form; goes up when a field changes its meaning or goes away.
pub const STUDY_VERSION: u32 = 1;

/// The tables and figures of a paper's experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StudyReport {
    /// Version of this form.
    pub schema_version: u32,
    /// The experiment.
    pub study: String,
    /// What is ranked: line, block, function or node; nothing where nothing is.
    pub by: Option<String>,
    /// The tie-breaker of rankings.
    pub tie_breaker: Option<String>,
    /// Seed of all that is drawn.
    pub seed: u64,
    /// Samples of the bootstrap, where there are intervals.
    pub resamples: Option<u32>,
    /// Confidence of the intervals.
    pub confidence: Option<f64>,
    /// The tables.
    pub tables: Vec<Table>,
    /// Faulty versions that count.
    pub versions: u32,
    /// Versions that do not count, or programs.
    pub excluded: Vec<Excluded>,
    /// Versions that were not run because the budget was spent.
    pub not_run: Vec<String>,
    /// The plots.
    #[serde(skip)]
    pub figures: Vec<Figure>,
}

/// A table: each row has a cell for each column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Table {
    /// A name for programs.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// What the columns hold.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Cell>>,
    /// What a reader must know.
    pub notes: Vec<String>,
}

/// A cell of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Cell {
    /// A number.
    Number(f64),
    /// A word.
    Word(String),
    /// Nothing: there is no such number.
    None(()),
}

impl Cell {
    /// A word.
    pub fn word(word: &str) -> Cell {
        Cell::Word(word.to_string())
    }

    /// A number, or nothing.
    pub fn maybe(number: Option<f64>) -> Cell {
        number.map_or(Cell::None(()), Cell::Number)
    }
}

/// A plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Name of its file, without what it ends in.
    pub name: String,
    /// Its SVG.
    pub svg: String,
}

impl StudyReport {
    /// True if there is nothing to tell, now or with more time.
    pub fn is_empty(&self) -> bool {
        match self.by {
            Some(_) => self.versions == 0 && self.not_run.is_empty(),
            None => self.tables.is_empty() && self.not_run.is_empty(),
        }
    }

    /// Of tables and figures, before versions are counted.
    pub(super) fn new(request: &StudyRequest, tables: Vec<Table>, figures: Vec<Figure>) -> StudyReport {
        let ranks = request.experiment.ranks();
        StudyReport {
            schema_version: STUDY_VERSION,
            study: request.experiment.name().into(),
            by: ranks.then(|| request.granularity().name().into()),
            tie_breaker: ranks.then(|| request.ties.name().into()),
            seed: request.seed,
            resamples: ranks.then_some(request.resamples as u32),
            confidence: ranks.then_some(CONFIDENCE),
            tables,
            versions: 0,
            excluded: Vec::new(),
            not_run: Vec::new(),
            figures,
        }
    }
}
