//! CDFL: who is to blame, by how much more failing tests' outputs depend on a node than passing tests' do.

use rayon::prelude::*;

use super::effects::{EffectOptions, Effects, Missing, Population};
use super::observations::Observations;
use super::structure::{Candidates, Parents, Structure, StructureOptions};

/// How suspicion is computed.
#[derive(Clone, Copy, Debug)]
pub struct CdflOptions<'a> {
    /// How the parents to adjust for are found.
    pub structure: StructureOptions<'a>,
    /// How the dependence of the output is estimated.
    pub effects: EffectOptions,
}

impl Default for CdflOptions<'_> {
    /// What ranked best on two sets of faults: adjusting for all intervention parents outside cycles, strata without estimate counting 0.
    fn default() -> Self {
        CdflOptions {
            structure: StructureOptions { parents: Parents::Acyclic, ..StructureOptions::default() },
            effects: EffectOptions { population: Population::All, missing: Missing::Zero },
        }
    }
}

impl<'a> CdflOptions<'a> {
    /// The reading of the paper under which its worked examples come out: Markovian parents among all intervention parents, both
    /// directions of cycles dropped, and for each node the observations of mutants of itself and of what influences it, in
    /// strata where it takes both values. Over all observations the first node of its second example could not have CD = 1, as
    /// mutants of other nodes change the output where it does not change.
    pub fn paper() -> Self {
        CdflOptions {
            structure: StructureOptions::paper(),
            effects: EffectOptions { population: Population::Upstream, missing: Missing::Shared },
        }
    }

    /// As the paper's faster variant: Markovian parents among safe ones.
    pub fn safe(candidates: Candidates<'a>) -> Self {
        CdflOptions { structure: StructureOptions { candidates, ..StructureOptions::paper() }, ..CdflOptions::paper() }
    }
}

/// The suspicion of each node: mean CD_t(node, output) over failing tests − that over passing tests; a test that does not cover the
/// node counts 0. `None` for nodes that no mutant was tried of. `order` as for [`Structure::learn`].
pub fn cdfl(observations: &Observations, order: &[u32], options: CdflOptions) -> Vec<Option<f64>> {
    let structure = Structure::learn(observations, order, options.structure);
    let effects = Effects::new(observations, &structure, options.effects);
    let output = observations.output();
    let score =
        |test: usize, node: u32| effects.dependence_in(test, node, output).map(|found| Some(found.difference()));
    suspicions(observations, &effects, score)
}

/// The suspicion of each node without any structure: the mean share of its mutants that change the output of failing tests − that of
/// passing tests. Tests that do not cover the node count 0; tests that cover it but tried none of its mutants do not count.
pub fn direct_suspicion(observations: &Observations) -> Vec<Option<f64>> {
    let structure = Structure::default();
    let effects = Effects::new(observations, &structure, EffectOptions::default());
    let output = observations.output();
    let score =
        |test: usize, node: u32| effects.covers(test, node).then(|| effects.interventional_in(test, node, output));
    suspicions(observations, &effects, score)
}

/// Failing less passing means of `score`: `None` where a test does not cover the node, `Some(None)` where it says nothing.
fn suspicions(
    observations: &Observations,
    effects: &Effects,
    score: impl Fn(usize, u32) -> Option<Option<f64>> + Sync,
) -> Vec<Option<f64>> {
    let mut tried = vec![false; observations.n_nodes()];
    for row in observations.tests().iter().flat_map(|test| test.rows()) {
        tried[row.mutated as usize] = true;
    }
    let suspicion = |node: u32| {
        let mut means = [(0.0, 0u32); 2];
        for test in 0..effects.n_tests() {
            let Some(value) = score(test, node).unwrap_or(Some(0.0)) else { continue };
            let (sum, n_tests) = &mut means[usize::from(effects.failed(test))];
            *sum += value;
            *n_tests += 1;
        }
        let [passing, failing] = means.map(|(sum, n_tests)| if n_tests == 0 { 0.0 } else { sum / f64::from(n_tests) });
        failing - passing
    };
    let nodes = 0..observations.n_nodes() as u32;
    nodes.into_par_iter().map(|node| tried[node as usize].then(|| suspicion(node))).collect()
}
