//! What a method needs from a recorded run, read once, and the scores it makes of it.

use rayon::prelude::*;

use super::exit::Failure;
use crate::profile::blockrank::{Reading, block_rank};
use crate::profile::{EdgeProfile, FlowGraph, ProgramFlow};
use crate::program::{Execution, Program};
use crate::rank::{Algorithm, Method, Need, Ranking, Units};
use crate::report::Evidence;
use crate::spectra::doric::{UPDATE_BOUND, causal_likelihood, clear_and_update, fault_likelihood};
use crate::spectra::{CoverageMatrix, DistinctSpectra, Smoothing, Spectrum};
use crate::store::{Recorded, Run};

/// The numbers of a run, as far as a method reads them.
#[derive(Debug)]
pub struct Observed {
    matrix: CoverageMatrix,
    spectra: Vec<Spectrum>,
    flow: Option<(ProgramFlow, EdgeProfile)>,
    /// Mean executions of each ranked unit in failing and passing tests, where edges were read.
    means: Option<(Vec<f64>, Vec<f64>)>,
}

/// A ranking, and what is to be said about it.
#[derive(Debug)]
pub struct Scored {
    /// The order.
    pub ranking: Ranking,
    /// Statements for the user.
    pub notes: Vec<String>,
}

impl Observed {
    /// Reads what `method` needs about `units`.
    pub fn read(run: &Run, units: &Units, method: &Method) -> Result<Observed, Failure> {
        let recorded = run.recorded()?;
        let tests = run.counted_tests();
        let failed = |test: u32| run.manifest.tests[test as usize].passed == Some(false);
        let rows: Result<Vec<(Vec<u32>, bool)>, Failure> = tests
            .par_iter()
            .map(|test| Ok((units.executed(&run.program, &covered(run, &recorded, *test)?), failed(*test))))
            .collect();
        let matrix = CoverageMatrix::from_units(units.len(), &rows?);
        let spectra = matrix.spectra();
        let mut observed = Observed { matrix, spectra, flow: None, means: None };
        if method.needs.contains(&Need::Edges) {
            let flow = ProgramFlow::new(&run.program);
            let counts = |test: &u32| Ok((flow.counts(&edge_counts(run, &recorded, *test)?), failed(*test)));
            let runs: Result<Vec<(Vec<u64>, bool)>, Failure> = tests.par_iter().map(counts).collect();
            let profile = EdgeProfile::of_runs(flow.edges.len(), runs?);
            observed.means = Some(unit_means(&run.program, units, &flow, &profile));
            observed.flow = Some((flow, profile));
        }
        Ok(observed)
    }

    /// What was seen of one ranked unit.
    pub fn evidence(&self, unit: u32) -> Evidence {
        let Spectrum { ef, nf, ep, np } = self.spectra[unit as usize];
        let mean = |of: &Vec<f64>| Some(of[unit as usize]).filter(|mean| mean.is_finite());
        Evidence {
            failing_executed: ef,
            failing_total: ef + nf,
            passing_executed: ep,
            passing_total: ep + np,
            failing_mean: self.means.as_ref().and_then(|(failing, _)| mean(failing)),
            passing_mean: self.means.as_ref().and_then(|(_, passing)| mean(passing)),
        }
    }

    /// Ranks `units` by `method`.
    pub fn score(&self, method: &Method, program: &Program, units: &Units) -> Scored {
        let plain = |ranking| Scored { ranking, notes: Vec::new() };
        match method.algorithm {
            Algorithm::Measure(measure) => {
                let distinct = DistinctSpectra::of(&self.spectra);
                plain(Ranking::of_spectra(&distinct, &measure.scores(&distinct.spectra, Smoothing::Half)))
            }
            Algorithm::CausalLikelihood => plain(Ranking::new(causal_likelihood(&self.matrix))),
            Algorithm::FaultLikelihood => {
                let likelihoods = fault_likelihood(&self.matrix);
                let keys: Vec<[f64; 2]> = likelihoods.iter().map(|likelihood| likelihood.keys()).collect();
                let key = |at: usize| keys.iter().map(|key| key[at]).collect::<Vec<f64>>();
                let shown = likelihoods.iter().map(|likelihood| likelihood.probability()).collect();
                plain(Ranking::by_keys(&[&key(0), &key(1)], shown))
            }
            Algorithm::UpdatedCausalLikelihood => self.updated(),
            Algorithm::BlockRank(reading) => self.block_rank(reading, program, units),
            _ => unreachable!("methods without an arm here are not in the catalogue"),
        }
    }

    fn updated(&self) -> Scored {
        let updated = clear_and_update(&self.matrix, &[], UPDATE_BOUND);
        // Inspected units stand in the order of their inspection; the rest follow by what remains.
        let mut inspection = vec![f64::NEG_INFINITY; self.matrix.n_units()];
        for (at, unit) in updated.inspected.iter().enumerate() {
            inspection[*unit as usize] = -(at as f64);
        }
        let ranking = Ranking::by_keys(&[&inspection, &updated.log2_likelihood], updated.log2_likelihood.clone());
        Scored { ranking, notes: Vec::new() }
    }

    fn block_rank(&self, reading: Reading, program: &Program, units: &Units) -> Scored {
        let (flow, profile) = self.flow.as_ref().expect("BlockRank says that it needs edges");
        let result = block_rank(&flow.graph, profile, reading);
        let notes = match result.unsettled.len() {
            0 => Vec::new(),
            n => vec![format!("the scores of {n} blocks in loops had not settled when iteration stopped")],
        };
        Scored { ranking: Ranking::new(units.from_blocks(program, &result.scores)), notes }
    }
}

/// An execution that says of each piece and node only whether it was reached.
fn covered(run: &Run, recorded: &Recorded, test: u32) -> Result<Execution, Failure> {
    let mut pieces = vec![0; run.program.pieces.len()];
    for piece in recorded.pieces(test)? {
        if let Some(count) = pieces.get_mut(piece as usize) {
            *count = 1;
        }
    }
    let nodes = run.program.nodes.iter().map(|node| pieces[node.piece as usize]).collect();
    Ok(Execution { pieces, nodes, ..Execution::default() })
}

fn edge_counts(run: &Run, recorded: &Recorded, test: u32) -> Result<Vec<u64>, Failure> {
    let mut counts = vec![0; run.program.edges.len()];
    for (edge, count) in recorded.edges(test)? {
        if let Some(slot) = counts.get_mut(edge as usize) {
            *slot = count;
        }
    }
    Ok(counts)
}

/// Mean executions of ranked units in failing and in passing tests, from their blocks'.
fn unit_means(program: &Program, units: &Units, flow: &ProgramFlow, profile: &EdgeProfile) -> (Vec<f64>, Vec<f64>) {
    let blocks = |of: &[f64]| -> Vec<f64> {
        let entered = |block: usize| FlowGraph::into(&flow.graph, block).iter().map(|edge| of[*edge as usize]).sum();
        (0..flow.graph.n_blocks).map(entered).collect()
    };
    let means = |of: &[f64]| units.from_blocks(program, &blocks(of));
    (means(&profile.failed), means(&profile.passed))
}
