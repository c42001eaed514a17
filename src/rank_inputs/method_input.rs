//! The input of a ranking method: numbers of a recorded run, read once.

use std::collections::HashSet;

use rayon::prelude::*;

use super::causes::CdflChoice;
use super::coverage::{coverage, edge_profile, failed};
use super::observed::Observed;
use crate::evidence::{LineFacts, Trials};
use crate::mutation::load_code;
use crate::obstacle::Obstacle;
use crate::profile::{EdgeProfile, FlowGraph, OutcomeProfile, ProgramFlow, Sites};
use crate::program::Program;
use crate::rank::{Interventions, Method, Need, Observed as Evident, Ranked, Units, apply};
use crate::report::Evidence;
use crate::slice::{Criterion, Slicer};
use crate::spectra::{CoverageMatrix, Smoothing, Spectrum};
use crate::store::{Recorded, Run};

/// The numbers of a run, as far as a method reads them.
#[derive(Debug)]
pub struct MethodInput<'r> {
    program: &'r Program,
    units: &'r Units,
    matrix: CoverageMatrix,
    spectra: Vec<Spectrum>,
    flow: Option<(ProgramFlow, EdgeProfile)>,
    predicates: Option<(Sites, OutcomeProfile)>,
    sequences: Option<(Sites, OutcomeProfile)>,
    slices: Option<Vec<Vec<u32>>>,
    /// Observations of value mutants, and how CDFL judges them.
    mutants: Option<(Observed, CdflChoice)>,
    /// Facts of the program's lines, and trials of changes there.
    trials: Option<(&'r LineFacts<'r>, &'r Trials)>,
    /// Mean executions of each ranked unit in failing and passing tests, where edges were read.
    means: Option<(Vec<f64>, Vec<f64>)>,
}

impl<'r> MethodInput<'r> {
    /// Reads `needs` about `units` from these of the run's tests.
    pub fn read(run: &'r Run, units: &'r Units, needs: &[Need], tests: &[u32]) -> Result<MethodInput<'r>, Obstacle> {
        let recorded = run.recorded()?;
        let matrix = coverage(run, &recorded, units, tests)?;
        let spectra = matrix.spectra();
        let program = &run.program;
        let mut input = MethodInput {
            program,
            units,
            matrix,
            spectra,
            flow: None,
            predicates: None,
            sequences: None,
            slices: None,
            mutants: None,
            trials: None,
            means: None,
        };
        if needs.contains(&Need::Edges) {
            let (flow, profile) = edge_profile(run, &recorded, tests)?;
            input.means = Some(unit_means(program, units, &flow, &profile));
            input.flow = Some((flow, profile));
        }
        if needs.contains(&Need::Predicates) {
            input.predicates = Some(outcome_profile(run, &recorded, tests, Sites::of_predicates(program))?);
        }
        if needs.contains(&Need::Sequences) {
            input.sequences = Some(outcome_profile(run, &recorded, tests, Sites::of_sequences(program))?);
        }
        if needs.contains(&Need::Slices) {
            input.slices = Some(dynamic_slices(run, &recorded, tests)?);
        }
        Ok(input)
    }

    /// Adds what value mutants changed.
    pub fn with_mutants(self, observed: Observed, choice: CdflChoice) -> MethodInput<'r> {
        MethodInput { mutants: Some((observed, choice)), ..self }
    }

    /// Adds what changes of the program did.
    pub fn with_trials(self, facts: &'r LineFacts<'r>, trials: &'r Trials) -> MethodInput<'r> {
        MethodInput { trials: Some((facts, trials)), ..self }
    }

    /// Counts of the edges, if they were read.
    pub fn edges(&self) -> Option<(&ProgramFlow, &EdgeProfile)> {
        self.flow.as_ref().map(|(flow, profile)| (flow, profile))
    }

    /// The evidence about one ranked unit.
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

    /// Ranks the units by `method`.
    pub fn rank(&self, method: &Method) -> Result<Ranked, Obstacle> {
        let observed = Evident {
            matrix: &self.matrix,
            smoothing: Smoothing::Half,
            innocents: &[],
            code: Some((self.program, self.units)),
            edges: self.flow.as_ref().map(|(flow, profile)| (&flow.graph, profile)),
            predicates: self.predicates.as_ref().map(|(sites, profile)| (sites, profile)),
            sequences: self.sequences.as_ref().map(|(sites, profile)| (sites, profile)),
            slices: self.slices.as_deref(),
            trials: self.trials,
            interventions: self.mutants.as_ref().map(|(observed, choice)| Interventions {
                observations: &observed.observations,
                order: &observed.order,
                cdfl: choice.options(),
            }),
        };
        apply(method, &observed).map_err(Obstacle::of(Obstacle::Request))
    }
}

fn outcome_profile(
    run: &Run,
    recorded: &Recorded,
    tests: &[u32],
    sites: Sites,
) -> Result<(Sites, OutcomeProfile), Obstacle> {
    let mut profile = OutcomeProfile::new(&sites);
    for &test in tests {
        profile.push(&sites, &sites.counts(&recorded.execution(test)?), failed(run, test));
    }
    Ok((sites, profile))
}

/// For each test, the lines that it executed and that what it put out may depend on.
fn dynamic_slices(run: &Run, recorded: &Recorded, tests: &[u32]) -> Result<Vec<Vec<u32>>, Obstacle> {
    let code = load_code(run)?;
    let slicer = Slicer::new(&run.program, &code);
    let slice = |test: &u32| {
        let execution = recorded.execution(*test)?;
        let executed: Vec<bool> = execution.pieces.iter().map(|count| *count > 0).collect();
        let mut lines = slicer.slice(Criterion::Executed { executed: &executed, stopped_in: &execution.stopped_in });
        let ran: HashSet<u32> = (0..)
            .zip(&run.program.pieces)
            .filter(|(piece, _)| executed[*piece as usize])
            .flat_map(|(_, piece): (u32, _)| piece.lines.iter().copied())
            .collect();
        lines.retain(|line| ran.contains(line));
        Ok(lines)
    };
    tests.par_iter().map(slice).collect()
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
