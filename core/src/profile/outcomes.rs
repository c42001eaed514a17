//! What predicates did in the runs of a suite: how often each evaluation had which outcome.

use crate::program::{Execution, NodeKind, Program};
use crate::spectra::CoverageMatrix;

/// The predicates that are profiled together, each with its possible outcomes.
///
/// A condition has two: true and false. A compound condition taken whole has its short-circuit evaluation sequences.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sites {
    /// For each site, the nodes its score belongs to: the condition itself, or all conditions of a compound one.
    pub nodes: Vec<Vec<u32>>,
    /// For each site, where its outcomes start; ends with their number.
    starts: Vec<u32>,
    /// For each site, the compound condition it is, if it is one.
    compounds: Vec<Option<u32>>,
}

impl Sites {
    /// Sites with these numbers of outcomes; site i belongs to node i.
    pub fn new(n_outcomes: &[u32]) -> Self {
        let mut sites = Sites { starts: vec![0], ..Sites::default() };
        for (node, n) in n_outcomes.iter().enumerate() {
            sites.push(vec![node as u32], *n, None);
        }
        sites
    }

    /// Every condition of `program` by itself, with outcomes true and false.
    pub fn of_predicates(program: &Program) -> Self {
        let mut sites = Sites { starts: vec![0], ..Sites::default() };
        for node in predicates(program) {
            sites.push(vec![node], 2, None);
        }
        sites
    }

    /// Every compound condition of `program` with its evaluation sequences, and every other condition with true and false.
    pub fn of_sequences(program: &Program) -> Self {
        let mut sites = Sites { starts: vec![0], ..Sites::default() };
        let mut in_compound = vec![false; program.nodes.len()];
        for (id, compound) in (0..).zip(&program.compounds) {
            compound.conditions.iter().for_each(|&node| in_compound[node as usize] = true);
            sites.push(compound.conditions.clone(), compound.sequences.len() as u32, Some(id));
        }
        for node in predicates(program).filter(|node| !in_compound[*node as usize]) {
            sites.push(vec![node], 2, None);
        }
        sites
    }

    fn push(&mut self, nodes: Vec<u32>, n_outcomes: u32, compound: Option<u32>) {
        self.nodes.push(nodes);
        self.starts.push(self.n_outcomes() as u32 + n_outcomes);
        self.compounds.push(compound);
    }

    /// Number of sites.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no site.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Number of outcomes of all sites.
    pub fn n_outcomes(&self) -> usize {
        self.starts.last().map_or(0, |end| *end as usize)
    }

    /// Outcomes of a site.
    pub fn outcomes(&self, site: usize) -> std::ops::Range<usize> {
        self.starts[site] as usize..self.starts[site + 1] as usize
    }

    /// Counts of all outcomes in one execution of the program that the sites are of; 0 for what it does not tell.
    pub fn counts(&self, execution: &Execution) -> Vec<u64> {
        let mut counts = vec![0; self.n_outcomes()];
        for (site, (nodes, compound)) in self.nodes.iter().zip(&self.compounds).enumerate() {
            let counts = &mut counts[self.outcomes(site)];
            match compound {
                Some(compound) => {
                    let followed = execution.sequences.get(*compound as usize).into_iter().flatten();
                    counts.iter_mut().zip(followed).for_each(|(count, followed)| *count = *followed);
                }
                None => {
                    let (all, trues) = (execution.nodes[nodes[0] as usize], execution.trues[nodes[0] as usize]);
                    counts.copy_from_slice(&[trues, all.saturating_sub(trues)]);
                }
            }
        }
        counts
    }

    /// Scores of all nodes of a program of `n_nodes` from scores of outcomes: the maximum over a site's outcomes, and over the sites
    /// that a node belongs to. Negative infinity for nodes that belong to none.
    pub fn to_nodes(&self, scores: &[f64], n_nodes: usize) -> Vec<f64> {
        let mut of_nodes = vec![f64::NEG_INFINITY; n_nodes];
        for (site, nodes) in self.nodes.iter().enumerate() {
            let best = scores[self.outcomes(site)].iter().copied().fold(f64::NEG_INFINITY, f64::max);
            for &node in nodes {
                of_nodes[node as usize] = of_nodes[node as usize].max(best);
            }
        }
        of_nodes
    }
}

fn predicates(program: &Program) -> impl Iterator<Item = u32> + '_ {
    (0..).zip(&program.nodes).filter(|(_, node)| node.kind == NodeKind::Predicate).map(|(id, _)| id)
}

/// Mean and spread of some numbers, taken one by one (Welford).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    n: u32,
    mean: f64,
    squares: f64,
}

impl Moments {
    fn add(&mut self, x: f64) {
        self.n += 1;
        let apart = x - self.mean;
        self.mean += apart / f64::from(self.n);
        self.squares += apart * (x - self.mean);
    }

    /// How many.
    pub fn n(&self) -> u32 {
        self.n
    }

    /// Their mean; 0 if there are none.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Their standard deviation with n - 1 below; 0 if there are fewer than two.
    pub fn deviation(&self) -> f64 {
        if self.n < 2 { 0.0 } else { (self.squares / f64::from(self.n - 1)).sqrt() }
    }
}

/// What the outcomes of all [`Sites`] did in passing and failing runs, without the runs' counts: two bits and two sums for each.
#[derive(Clone, Debug)]
pub struct OutcomeProfile {
    /// Which run had which outcome at least once; its units are outcomes.
    pub followed: CoverageMatrix,
    /// Which run evaluated which site at all; its units are sites.
    pub reached: CoverageMatrix,
    /// For each outcome, its share of its site's evaluations in each passing run, one half where there were none.
    pub passed: Vec<Moments>,
    /// Likewise in failing runs.
    pub failed: Vec<Moments>,
}

impl OutcomeProfile {
    /// No run yet.
    pub fn new(sites: &Sites) -> Self {
        let n_outcomes = sites.n_outcomes();
        OutcomeProfile {
            followed: CoverageMatrix::new(n_outcomes),
            reached: CoverageMatrix::new(sites.len()),
            passed: vec![Moments::default(); n_outcomes],
            failed: vec![Moments::default(); n_outcomes],
        }
    }

    /// The profile of runs, each with the counts of all outcomes ([`Sites::counts`]) and whether it failed.
    pub fn of_runs<C: AsRef<[u64]>>(sites: &Sites, runs: impl IntoIterator<Item = (C, bool)>) -> Self {
        let mut profile = OutcomeProfile::new(sites);
        runs.into_iter().for_each(|(counts, failed)| profile.push(sites, counts.as_ref(), failed));
        profile
    }

    /// Adds a run.
    pub fn push(&mut self, sites: &Sites, counts: &[u64], failed: bool) {
        let moments = if failed { &mut self.failed } else { &mut self.passed };
        let mut reached = Vec::new();
        for site in 0..sites.len() {
            let outcomes = sites.outcomes(site);
            let all: f64 = counts[outcomes.clone()].iter().map(|count| *count as f64).sum();
            if all > 0.0 {
                reached.push(site as u32);
            }
            for outcome in outcomes {
                moments[outcome].add(if all > 0.0 { counts[outcome] as f64 / all } else { 0.5 });
            }
        }
        self.reached.push(reached, failed);
        let followed = (0..).zip(counts).filter(|(_, count)| **count > 0).map(|(outcome, _)| outcome);
        self.followed.push(followed, failed);
    }
}
