//! What a method needs from a recorded run, read once.

use std::collections::{BTreeSet, HashSet};

use rayon::prelude::*;

use super::causes::CdflChoice;
use super::exit::{Exit, Failure};
use super::observed::Observed;
use super::rank::left_out;
use super::warnings::warnings_of;
use crate::evidence::{Ground, Trials};
use crate::mutation::load_code;
use crate::profile::{EdgeProfile, FlowGraph, OutcomeProfile, ProgramFlow, Sites};
use crate::program::{Execution, Program};
use crate::rank::{Granularity, Interventions, Method, Need, Observed as Evident, Ranked, RankedUnit, Units, apply};
use crate::report::Evidence;
use crate::slice::{Criterion, Slicer};
use crate::spectra::{CoverageMatrix, Smoothing, Spectrum};
use crate::store::{Recorded, Run, Store};

/// What recorded tests say of each of the program's lines.
#[derive(Debug)]
pub struct Scene {
    tests: Vec<u32>,
    matrix: CoverageMatrix,
    flow: ProgramFlow,
    profile: EdgeProfile,
}

impl Scene {
    /// Reads what these of the run's tests say.
    pub fn read(run: &Run, tests: &[u32]) -> Result<Scene, Failure> {
        let recorded = run.recorded()?;
        let lines = Units::new(&run.program, Granularity::Line);
        let matrix = coverage(run, &recorded, &lines, tests)?;
        let (flow, profile) = edge_profile(run, &recorded, tests)?;
        Ok(Scene { tests: tests.to_vec(), matrix, flow, profile })
    }

    /// It as evidence takes it, with what the compiler warns of.
    pub fn ground<'s>(&'s self, store: &Store, run: &Run) -> Result<Ground<'s>, Failure> {
        let ground = Ground::new(&run.program, &self.matrix, &self.tests);
        let warnings = warnings_of(store, run, &ground);
        let ground = ground.with_edges(&run.program, &self.flow.graph, &self.profile).without(&lines_left_out(run)?);
        Ok(ground.with_warnings(&run.program, warnings))
    }
}

/// The program's lines that no ranking has: those of the system's headers, and of tests that are trusted.
pub fn lines_left_out(run: &Run) -> Result<BTreeSet<u32>, Failure> {
    let lines = Units::new(&run.program, Granularity::Line);
    Ok(left_out(run, &lines)?.into_iter().filter_map(|at| line_of(lines.get(at))).collect())
}

fn line_of(unit: RankedUnit) -> Option<u32> {
    match unit {
        RankedUnit::Line(line) => Some(line),
        _ => None,
    }
}

/// The numbers of a run, as far as a method reads them.
#[derive(Debug)]
pub struct Seen<'r> {
    program: &'r Program,
    units: &'r Units,
    matrix: CoverageMatrix,
    spectra: Vec<Spectrum>,
    flow: Option<(ProgramFlow, EdgeProfile)>,
    predicates: Option<(Sites, OutcomeProfile)>,
    sequences: Option<(Sites, OutcomeProfile)>,
    slices: Option<Vec<Vec<u32>>>,
    /// What value mutants changed, and how CDFL is to judge it.
    mutants: Option<(Observed, CdflChoice)>,
    /// What is known of the program's lines, and what changes of them did.
    trials: Option<(&'r Ground<'r>, &'r Trials)>,
    /// Mean executions of each ranked unit in failing and passing tests, where edges were read.
    means: Option<(Vec<f64>, Vec<f64>)>,
}

impl<'r> Seen<'r> {
    /// Reads `needs` about `units` from these of the run's tests.
    pub fn read(run: &'r Run, units: &'r Units, needs: &[Need], tests: &[u32]) -> Result<Seen<'r>, Failure> {
        let recorded = run.recorded()?;
        let matrix = coverage(run, &recorded, units, tests)?;
        let spectra = matrix.spectra();
        let program = &run.program;
        let mut seen = Seen {
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
            seen.means = Some(unit_means(program, units, &flow, &profile));
            seen.flow = Some((flow, profile));
        }
        if needs.contains(&Need::Predicates) {
            seen.predicates = Some(outcome_profile(run, &recorded, tests, Sites::of_predicates(program))?);
        }
        if needs.contains(&Need::Sequences) {
            seen.sequences = Some(outcome_profile(run, &recorded, tests, Sites::of_sequences(program))?);
        }
        if needs.contains(&Need::Slices) {
            seen.slices = Some(dynamic_slices(run, &recorded, tests)?);
        }
        Ok(seen)
    }

    /// Adds what value mutants changed.
    pub fn with_mutants(self, observed: Observed, choice: CdflChoice) -> Seen<'r> {
        Seen { mutants: Some((observed, choice)), ..self }
    }

    /// Adds what changes of the program did.
    pub fn with_trials(self, ground: &'r Ground<'r>, trials: &'r Trials) -> Seen<'r> {
        Seen { trials: Some((ground, trials)), ..self }
    }

    /// How often tests took each edge, if that was read.
    pub fn edges(&self) -> Option<(&ProgramFlow, &EdgeProfile)> {
        self.flow.as_ref().map(|(flow, profile)| (flow, profile))
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

    /// Ranks the units by `method`.
    pub fn rank(&self, method: &Method) -> Result<Ranked, Failure> {
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
        apply(method, &observed).map_err(Failure::of(Exit::Usage))
    }
}

fn failed(run: &Run, test: u32) -> bool {
    run.manifest.tests[test as usize].passed == Some(false)
}

/// Which of these tests executed which ranked unit.
pub fn coverage(run: &Run, recorded: &Recorded, units: &Units, tests: &[u32]) -> Result<CoverageMatrix, Failure> {
    let failed = tests.iter().map(|test| failed(run, *test)).collect();
    CoverageMatrix::read(units.len(), failed, |test, row| {
        row.extend(units.executed(&run.program, &covered(run, recorded, tests[test])?));
        Ok(())
    })
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

/// Tests whose counts are held at once.
const BATCH: usize = 32;

/// How often tests took each edge, on average in failing and in passing ones.
pub fn edge_profile(run: &Run, recorded: &Recorded, tests: &[u32]) -> Result<(ProgramFlow, EdgeProfile), Failure> {
    let flow = ProgramFlow::new(&run.program);
    let counts = |test: &u32| {
        let mut counts = vec![0; run.program.edges.len()];
        for (edge, count) in recorded.edges(*test)? {
            if let Some(slot) = counts.get_mut(edge as usize) {
                *slot = count;
            }
        }
        Ok((flow.counts(&counts), failed(run, *test)))
    };
    // A batch at a time: the counts of all tests together may be larger than memory.
    let mut failure = None;
    let runs = tests.chunks(BATCH).map_while(|batch| {
        let runs: Result<Vec<(Vec<u64>, bool)>, Failure> = batch.par_iter().map(counts).collect();
        runs.map_err(|error| failure = Some(error)).ok()
    });
    let profile = EdgeProfile::of_runs(flow.edges.len(), runs.flatten());
    failure.map_or(Ok((flow, profile)), Err)
}

fn outcome_profile(
    run: &Run,
    recorded: &Recorded,
    tests: &[u32],
    sites: Sites,
) -> Result<(Sites, OutcomeProfile), Failure> {
    let mut profile = OutcomeProfile::new(&sites);
    for &test in tests {
        profile.push(&sites, &sites.counts(&recorded.execution(test)?), failed(run, test));
    }
    Ok((sites, profile))
}

/// For each test, the lines that it executed and that what it put out may depend on.
fn dynamic_slices(run: &Run, recorded: &Recorded, tests: &[u32]) -> Result<Vec<Vec<u32>>, Failure> {
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
