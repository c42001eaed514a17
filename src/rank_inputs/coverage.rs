//! Coverage of a recorded run: which tests executed which ranked units, how often they took each edge, and the lines that no ranking has.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::warnings::warnings_of;
use crate::evidence::LineFacts;
use crate::obstacle::Obstacle;
use crate::profile::{EdgeProfile, ProgramFlow};
use crate::program::{Execution, is_of_system};
use crate::rank::{Granularity, RankedUnit, Units};
use crate::report::TestCounts;
use crate::source::{Callbacks, SourceTree};
use crate::spectra::CoverageMatrix;
use crate::store::{Recorded, Run};
use crate::suite_run::Session;

/// Lines that recorded tests executed, and how often they took each edge.
#[derive(Debug)]
pub struct Coverage {
    tests: Vec<u32>,
    matrix: CoverageMatrix,
    flow: ProgramFlow,
    profile: EdgeProfile,
}

impl Coverage {
    /// The coverage of these of the run's tests.
    pub fn read(run: &Run, tests: &[u32]) -> Result<Coverage, Obstacle> {
        let recorded = run.recorded()?;
        let lines = Units::new(&run.program, Granularity::Line);
        let matrix = coverage(run, &recorded, &lines, tests)?;
        let (flow, profile) = edge_profile(run, &recorded, tests)?;
        Ok(Coverage { tests: tests.to_vec(), matrix, flow, profile })
    }

    /// The facts of the program's lines, with the compiler's warnings.
    pub fn line_facts<'s>(&'s self, session: &Session) -> Result<LineFacts<'s>, Obstacle> {
        let run = &session.run;
        let facts = LineFacts::new(&run.program, &self.matrix, &self.tests);
        let warnings = warnings_of(session, &facts);
        let facts = facts.with_edges(&run.program, &self.flow.graph, &self.profile).without(&lines_left_out(run)?);
        let callbacks = Callbacks::of(SourceTree::of(session.store.root(), &run.program), &run.program);
        Ok(facts.with_warnings(&run.program, warnings, |function| callbacks.has(function)))
    }
}

/// The program's lines that no ranking has: those of the system's headers, and of tests that are trusted.
pub fn lines_left_out(run: &Run) -> Result<BTreeSet<u32>, Obstacle> {
    let lines = Units::new(&run.program, Granularity::Line);
    Ok(left_out(run, &lines)?.into_iter().filter_map(|at| line_of(lines.get(at))).collect())
}

fn line_of(unit: RankedUnit) -> Option<u32> {
    match unit {
        RankedUnit::Line(line) => Some(line),
        _ => None,
    }
}

/// The matrix of tests and the ranked units that they executed.
pub fn coverage(run: &Run, recorded: &Recorded, units: &Units, tests: &[u32]) -> Result<CoverageMatrix, Obstacle> {
    let failed = tests.iter().map(|test| failed(run, *test)).collect();
    CoverageMatrix::read(units.len(), failed, |test, row| {
        row.extend(units.executed(&run.program, &covered(run, recorded, tests[test])?));
        Ok(())
    })
}

/// An execution that says of each piece and node only whether it was reached.
fn covered(run: &Run, recorded: &Recorded, test: u32) -> Result<Execution, Obstacle> {
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

/// Mean counts of each edge in failing and in passing tests.
pub fn edge_profile(run: &Run, recorded: &Recorded, tests: &[u32]) -> Result<(ProgramFlow, EdgeProfile), Obstacle> {
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
        let runs: Result<Vec<(Vec<u64>, bool)>, Obstacle> = batch.par_iter().map(counts).collect();
        runs.map_err(|error| failure = Some(error)).ok()
    });
    let profile = EdgeProfile::of_runs(flow.edges.len(), runs.flatten());
    failure.map_or(Ok((flow, profile)), Err)
}

/// True if a test failed.
pub fn failed(run: &Run, test: u32) -> bool {
    run.manifest.tests[test as usize].passed == Some(false)
}

/// Positions of ranked units that are left out of every ranking: those in the system's headers, which the user did not write and cannot mend, and
/// those of tests that are trusted.
pub fn left_out(run: &Run, units: &Units) -> Result<Vec<u32>, Obstacle> {
    let program = &run.program;
    let trusted = run.trusted_files()?;
    let is_left_out = |unit: RankedUnit| {
        let file = unit.place(program).file;
        trusted.contains(&file) || program.files.get(file as usize).is_some_and(|file| is_of_system(file))
    };
    Ok((0..).zip(units.iter()).filter(|(_, unit)| is_left_out(*unit)).map(|(position, _)| position).collect())
}

/// The tests of a run by what they count as.
pub fn count_tests(run: &Run) -> TestCounts {
    let of = |wanted: Option<bool>| run.manifest.tests.iter().filter(|test| test.passed == wanted).count() as u32;
    TestCounts { failing: of(Some(false)), passing: of(Some(true)), excluded: of(None) }
}
