//! The studies of Oh, Lee & Yoo on any program: each first says which mutants to run, then makes tables of their outcomes.

mod deciles;
mod heuristics;
mod plot;
mod survival;
#[cfg(test)]
mod tests;
mod text;

use std::collections::HashMap;

use serde::Serialize;

use super::judge::{Judgement, Summary, judge, share};
use super::kill::KillMatrix;
use super::pool::Hom;

pub use deciles::{Buckets, DecileOptions, DecileRow, DecileStudy, DecileTable};
pub use heuristics::{HeuristicOptions, HeuristicRow, HeuristicStudy, HeuristicTable, PUBLISHED, Published};
pub use plot::{Bar, bar_chart, round_limit};
pub use survival::{SurvivalRow, SurvivalTable};

/// A mean over repeats, and how far they are apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Spread {
    /// The mean; 0 without any repeat.
    pub mean: f64,
    /// The standard deviation of the sample (divided by one less than the number of repeats); 0 with fewer than two.
    pub deviation: f64,
    /// The least.
    pub least: f64,
    /// The most.
    pub most: f64,
}

impl Spread {
    /// Of these repeats.
    pub fn of(values: &[f64]) -> Spread {
        if values.is_empty() {
            return Spread::default();
        }
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let deviation = if values.len() < 2 { 0.0 } else { (squares / (n - 1.0)).sqrt() };
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Spread { mean, deviation, least, most }
    }
}

/// One repeat of one row of a study: positions of mutants, which may occur in other samples as well, and in [`super::Heuristic::Random`]'s
/// more than once.
#[derive(Clone, Debug, Default, PartialEq)]
struct Sample {
    row: usize,
    mutants: Vec<u32>,
}

/// The mutants of a study, each once however many samples have it.
#[derive(Clone, Debug, Default, PartialEq)]
struct Batch {
    homs: Vec<Hom>,
    samples: Vec<Sample>,
}

impl Batch {
    /// Puts together the mutants of samples, each with its row.
    fn new(samples: impl IntoIterator<Item = (usize, Vec<Hom>)>) -> Batch {
        let mut batch = Batch::default();
        let mut known: HashMap<Hom, u32> = HashMap::new();
        for (row, homs) in samples {
            let mut position = |hom: Hom| {
                let next = batch.homs.len() as u32;
                let position = *known.entry(hom.clone()).or_insert(next);
                if position == next {
                    batch.homs.push(hom);
                }
                position
            };
            let mutants = homs.into_iter().map(&mut position).collect();
            batch.samples.push(Sample { row, mutants });
        }
        batch
    }

    fn judge<'a>(&'a self, first_order: &'a KillMatrix, outcomes: &'a KillMatrix) -> Judged<'a> {
        Judged { batch: self, first_order, outcomes, judgements: judge(&self.homs, first_order, outcomes) }
    }
}

/// A batch with its outcomes.
struct Judged<'a> {
    batch: &'a Batch,
    first_order: &'a KillMatrix,
    outcomes: &'a KillMatrix,
    judgements: Vec<Judgement>,
}

impl Judged<'_> {
    fn samples(&self, row: usize) -> impl Iterator<Item = &Sample> {
        self.batch.samples.iter().filter(move |sample| sample.row == row)
    }

    /// A summary of each repeat of a row.
    fn summaries(&self, row: usize) -> Vec<Summary> {
        let mutant = |at: &u32| {
            let at = *at as usize;
            (&self.batch.homs[at], &self.outcomes.rows()[at], self.judgements[at])
        };
        self.samples(row).map(|sample| sample.mutants.iter().map(mutant).collect()).collect()
    }
}

/// The spread of a figure over repeats.
fn spread(summaries: &[Summary], figure: impl Fn(&Summary) -> f64) -> Spread {
    Spread::of(&summaries.iter().map(figure).collect::<Vec<_>>())
}
