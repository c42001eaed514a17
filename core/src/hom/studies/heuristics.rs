//! The four heuristics side by side.

use serde::Serialize;

use super::survival::{SurvivalTable, survival};
use super::{Batch, Spread, spread};
use crate::hom::effect::EffectMatrix;
use crate::hom::kill::KillMatrix;
use crate::hom::plan::{Heuristic, PlanError, PlanOptions, plan};
use crate::hom::pool::{Hom, Pool};

/// How large the study is; by default as in the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeuristicOptions {
    /// Order of the mutants.
    pub order: usize,
    /// Mutants in a repeat.
    pub n: usize,
    /// Repeats of each heuristic.
    pub repeats: usize,
    /// Seed of the first repeat; each later one has the next.
    pub seed: u64,
    /// Whether kill vectors are of interest, and not only which mutants are strongly subsuming and which survive.
    pub vectors: bool,
}

impl Default for HeuristicOptions {
    fn default() -> Self {
        HeuristicOptions { order: 2, n: 1000, repeats: 5, seed: 1, vectors: true }
    }
}

/// What Oh, Lee & Yoo report of a program of theirs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Published {
    /// The program.
    pub program: &'static str,
    /// Mean number of strongly subsuming mutants that mask a test among 1,000 of second order, of each of [`Heuristic::ALL`].
    pub strong: [f64; 4],
}

/// The paper's figures, to be put beside one's own. Programs and first-order mutants are others than here.
pub const PUBLISHED: [Published; 2] = [
    Published { program: "parking fee", strong: [3.0, 10.8, 65.6, 38.2] },
    Published { program: "schedule", strong: [3.2, 4.8, 54.0, 41.8] },
];

/// The study, planned.
#[derive(Clone, Debug, PartialEq)]
pub struct HeuristicStudy {
    options: HeuristicOptions,
    /// Number of sets of nodes of each heuristic, in the first repeat.
    n_sets: Vec<usize>,
    batch: Batch,
}

/// What came of a heuristic, over its repeats.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct HeuristicRow {
    /// Its name.
    pub heuristic: String,
    /// Sets of nodes that mutants were made of, in the first repeat.
    pub n_sets: usize,
    /// Mutants made.
    pub mutants: Spread,
    /// Strongly subsuming ones among them.
    pub strong: Spread,
    /// Those of these that mask a test, as the paper counts.
    pub masking: Spread,
    /// Different ones among the strongly subsuming.
    pub distinct_strong: Spread,
    /// Different kill vectors of these.
    pub strong_vectors: Spread,
    /// Distinct kill vectors for each mutant; `None` where kill vectors are of no interest.
    pub d_score: Option<Spread>,
    /// Share of the mutants that no test kills.
    pub survival: Spread,
    /// Mutants of which tests are unknown.
    pub unknown: Spread,
    /// Strongly subsuming mutants for each one of random choice; `None` where that has none, or is not part of the study.
    pub times_random: Option<f64>,
    /// What the paper reports of its two programs, in the order of [`PUBLISHED`]; it has second order only.
    pub published: Option<[f64; 2]>,
}

/// The heuristics side by side.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct HeuristicTable {
    /// Order of the mutants.
    pub order: usize,
    /// Mutants asked for in a repeat.
    pub n: usize,
    /// Number of repeats.
    pub repeats: usize,
    /// A row for each heuristic.
    pub rows: Vec<HeuristicRow>,
}

impl HeuristicStudy {
    /// Plans the study for the mutants of `pool`.
    ///
    /// # Errors
    /// As [`plan`].
    pub fn plan(pool: &Pool, effects: &EffectMatrix, options: HeuristicOptions) -> Result<HeuristicStudy, PlanError> {
        let HeuristicOptions { order, n, repeats, seed, .. } = options;
        let mut samples = Vec::new();
        let mut n_sets = Vec::new();
        for (row, heuristic) in Heuristic::ALL.into_iter().enumerate() {
            for repeat in 0..repeats {
                let seed = seed.wrapping_add(repeat as u64);
                let planned = plan(pool, effects, PlanOptions { heuristic, order, n, seed })?;
                if repeat == 0 {
                    n_sets.push(planned.sets.len());
                }
                samples.push((row, planned.homs));
            }
        }
        Ok(HeuristicStudy { options, n_sets, batch: Batch::new(samples) })
    }

    /// The mutants to run, each once.
    pub fn homs(&self) -> &[Hom] {
        &self.batch.homs
    }

    /// The table, from the outcomes of first-order mutants and of [`HeuristicStudy::homs`], in their order.
    ///
    /// # Panics
    /// As [`crate::hom::judge`].
    pub fn table(&self, first_order: &KillMatrix, outcomes: &KillMatrix) -> HeuristicTable {
        let judged = self.batch.judge(first_order, outcomes);
        let row = |(at, (heuristic, n_sets)): (usize, (Heuristic, &usize))| {
            let all = judged.summaries(at);
            HeuristicRow {
                heuristic: heuristic.name().to_string(),
                n_sets: *n_sets,
                mutants: spread(&all, |summary| summary.n as f64),
                strong: spread(&all, |summary| summary.strong as f64),
                masking: spread(&all, |summary| summary.masking as f64),
                distinct_strong: spread(&all, |summary| summary.distinct_strong as f64),
                strong_vectors: spread(&all, |summary| summary.strong_vectors as f64),
                d_score: self.options.vectors.then(|| spread(&all, |summary| summary.d_score())),
                survival: spread(&all, |summary| summary.survival()),
                unknown: spread(&all, |summary| summary.unknown as f64),
                times_random: None,
                published: (self.options.order == 2).then(|| PUBLISHED.map(|published| published.strong[at])),
            }
        };
        let mut rows: Vec<HeuristicRow> = Heuristic::ALL.into_iter().zip(&self.n_sets).enumerate().map(row).collect();
        let random = rows.first().map_or(0.0, |row| row.strong.mean);
        for row in rows.iter_mut().filter(|_| random > 0.0) {
            row.times_random = Some(row.strong.mean / random);
        }
        let HeuristicOptions { order, n, repeats, .. } = self.options;
        HeuristicTable { order, n, repeats, rows }
    }

    /// How many mutants survive, of first order and of each heuristic's; arguments as of [`HeuristicStudy::table`]. Of first-order mutants
    /// those of `pool` count.
    ///
    /// # Panics
    /// As [`crate::hom::judge`].
    pub fn survival(&self, pool: &Pool, first_order: &KillMatrix, outcomes: &KillMatrix) -> SurvivalTable {
        survival(&self.batch.judge(first_order, outcomes), pool, &Heuristic::ALL.map(Heuristic::name))
    }
}
