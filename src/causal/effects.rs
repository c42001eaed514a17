//! How strongly one node depends on another: causal dependence by back-door adjustment, direct dependence as natural direct effect, and
//! what the interventions show by themselves.
//!
//! Lee et al., Causal Program Dependence Analysis; Pearl, Causality, for the adjustment. All probabilities about an effect j are of one
//! distribution: the observations of tests that cover j, those of mutants of j itself left out.

use std::collections::HashMap;

use rayon::prelude::*;

use super::observations::Observations;
use super::panel::{Panel, Strata};
use super::structure::Structure;

/// Which observations say what follows from a cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Population {
    /// All but those of mutants of the effect. Where the cause does not change, other mutants still change the effect, which counts
    /// against the cause: one mutant of one node at a time makes unlike nodes exclude each other.
    #[default]
    All,
    /// Those of mutants of the cause and of nodes that influence it, and unmutated runs: what mutants elsewhere or downstream do is no part
    /// of the comparison.
    Upstream,
}

/// What becomes of strata in which the cause never takes the value asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missing {
    /// Each probability is over the strata that have it.
    #[default]
    Renormalise,
    /// They count as probability 0.
    Zero,
    /// Only strata in which the cause takes both values count, for both probabilities.
    Shared,
}

/// How effects are estimated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EffectOptions {
    /// Which observations count for causal dependence.
    pub population: Population,
    /// What strata without estimate count.
    pub missing: Missing,
}

/// What an intervention on a cause does to an effect.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dependence {
    /// P(effect changes | do(cause changes)).
    pub changed: f64,
    /// P(effect changes | do(cause does not change)).
    pub unchanged: f64,
    /// Probability mass of the strata without estimate, of each.
    pub unidentified: [f64; 2],
    /// Whether both have an estimate at all.
    pub is_identified: bool,
}

impl Dependence {
    /// Causal dependence CD: the difference of the two; 0 if one of them has no estimate.
    pub fn difference(&self) -> f64 {
        if self.is_identified { self.changed - self.unchanged } else { 0.0 }
    }

    /// The causal effect that Oh, Lee & Yoo choose pairs of mutants by: P(effect changes | do(cause changes)) ·
    /// P(effect does not change | do(cause does not change)), in [0, 1].
    pub fn product(&self) -> f64 {
        if self.is_identified { self.changed * (1.0 - self.unchanged) } else { 0.0 }
    }
}

/// A mean over tests.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// The mean; 0 without any test.
    pub value: f64,
    /// Mean probability mass of the strata without estimate.
    pub unidentified: f64,
    /// Number of tests behind it.
    pub n_tests: u32,
}

/// All that is known of how an effect depends on a cause.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pair {
    /// The cause.
    pub cause: u32,
    /// The effect.
    pub effect: u32,
    /// Causal dependence, over the observations of all tests.
    pub causal: Dependence,
    /// Direct dependence DD: the natural direct effect, in the mean over tests that cover both.
    pub direct: Estimate,
    /// Share of the cause's own mutants that change the effect, in the mean over tests that cover both. Needs no structure.
    pub interventional: Estimate,
}

/// Observations ready for estimating effects.
#[derive(Debug)]
pub struct Effects<'a> {
    structure: &'a Structure,
    options: EffectOptions,
    panels: Vec<Panel>,
    output: u32,
}

/// Weights of a stratum by the cause's value, and of what of those changes the effect.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    all: [f64; 2],
    changed: [f64; 2],
}

impl<'a> Effects<'a> {
    /// Prepares `observations`; `structure` is theirs, or that of a larger campaign of the same program.
    pub fn new(observations: &Observations, structure: &'a Structure, options: EffectOptions) -> Effects<'a> {
        let panel = |test| Panel::new(test, observations.samples());
        let panels = observations.tests().par_iter().map(panel).collect();
        Effects { structure, options, panels, output: observations.output() }
    }

    /// Number of tests.
    pub fn n_tests(&self) -> usize {
        self.panels.len()
    }

    /// Whether a test fails.
    pub fn failed(&self, test: usize) -> bool {
        self.panels[test].failed
    }

    /// Causal dependence of `effect` on `cause` in one test; `None` if it does not cover both.
    pub fn dependence_in(&self, test: usize, cause: u32, effect: u32) -> Option<Dependence> {
        let panel = &self.panels[test];
        let (cause_column, effect_column) = (panel.column(cause, self.output)?, panel.column(effect, self.output)?);
        let strata = self.strata(panel, self.structure.parents(cause));
        let upstream = self.upstream(panel, cause);
        let weights = panel.weights(|mutated| mutated as usize != effect_column && upstream.accepts(mutated));
        let mut cells = vec![Cell::default(); strata.n];
        fill(panel, &strata, cause_column, effect_column, &weights, &mut cells);
        Some(back_door(&cells, self.options.missing))
    }

    /// Share of the mutants of `cause` that change `effect` in one test; `None` if it covers not both, or none was tried.
    pub fn interventional_in(&self, test: usize, cause: u32, effect: u32) -> Option<f64> {
        let panel = &self.panels[test];
        own_share(panel, panel.column(cause, self.output)?, panel.column(effect, self.output)?)
    }

    /// Whether a test covers a node.
    pub fn covers(&self, test: usize, node: u32) -> bool {
        self.panels[test].column(node, self.output).is_some()
    }

    /// How each of `effects` depends on `cause`.
    pub fn pairs(&self, cause: u32, effects: &[u32]) -> Vec<Pair> {
        let mut sums: Vec<Sums> = effects.iter().map(|_| Sums::default()).collect();
        let mut strata = Pooled::default();
        for panel in &self.panels {
            let Some(cause_column) = panel.column(cause, self.output) else { continue };
            self.add_panel(panel, (cause, cause_column), effects, &mut strata, &mut sums);
        }
        let pair = |(&effect, sums): (&u32, Sums)| Pair {
            cause,
            effect,
            causal: back_door(&sums.cells, self.options.missing),
            direct: sums.direct.mean(),
            interventional: sums.interventional.mean(),
        };
        effects.iter().zip(sums).map(pair).collect()
    }

    fn add_panel(
        &self,
        panel: &Panel,
        (cause, cause_column): (u32, usize),
        effects: &[u32],
        pooled: &mut Pooled,
        sums: &mut [Sums],
    ) {
        let strata = self.strata(panel, self.structure.parents(cause));
        let shared = pooled.renamed(panel, &strata, self.structure.parents(cause), self.output);
        let upstream = self.upstream(panel, cause);
        let mut all = panel.weights(|_| true);
        let mut restricted = panel.weights(|mutated| upstream.accepts(mutated));
        for (effect, sums) in effects.iter().zip(sums) {
            let Some(column) = panel.column(*effect, self.output) else { continue };
            let elsewhere = |mutated: u32| mutated as usize != column;
            for &(pattern, _) in panel.own(column) {
                let pattern = pattern as usize;
                all[pattern] = panel.weight(pattern, elsewhere);
                restricted[pattern] = panel.weight(pattern, |mutated| elsewhere(mutated) && upstream.accepts(mutated));
            }
            sums.cells.resize(pooled.ids.len(), Cell::default());
            fill(panel, &shared, cause_column, column, &restricted, &mut sums.cells);
            let direct = self.natural_direct_effect(panel, &strata, (cause, cause_column), (*effect, column), &all);
            sums.direct.add(direct, self.options.missing);
            if let Some(share) = own_share(panel, cause_column, column) {
                sums.interventional.add((share, 1.0), Missing::Zero);
            }
            for &(pattern, _) in panel.own(column) {
                let pattern = pattern as usize;
                all[pattern] = panel.weight(pattern, |_| true);
                restricted[pattern] = panel.weight(pattern, |mutated| upstream.accepts(mutated));
            }
        }
    }

    /// The natural direct effect in one test, and the probability mass of the strata that it has an estimate for.
    ///
    /// With Z the other parents of the effect: the sum over z of (P(effect | cause = 1, z) − P(effect | cause = 0, z)) · P(z | do(cause =
    /// 0)). The last factor is the sum over the values p of the cause's parents of P(z | cause = 0, p) · P(p): each observation
    /// without the cause, weighted by 1 / P(cause = 0 | p).
    fn natural_direct_effect(
        &self,
        panel: &Panel,
        by_parents: &Strata,
        (cause, cause_column): (u32, usize),
        (effect, effect_column): (u32, usize),
        weights: &[f64],
    ) -> (f64, f64) {
        let others = self.structure.all_parents(effect).into_iter().filter(|parent| *parent != cause);
        let by_others = self.strata(panel, &others.collect::<Vec<u32>>());
        let mut of_parents = vec![[0.0; 2]; by_parents.n];
        let changed = panel.changed(cause_column);
        let is_changed = |pattern: usize| (changed[pattern / 64] >> (pattern % 64) & 1) as usize;
        for (pattern, weight) in weights.iter().enumerate() {
            of_parents[by_parents.of[pattern] as usize][is_changed(pattern)] += weight;
        }
        let mut cells = vec![Cell::default(); by_others.n];
        fill(panel, &by_others, cause_column, effect_column, weights, &mut cells);
        let mut mass = vec![0.0; by_others.n];
        for (pattern, weight) in
            weights.iter().enumerate().filter(|(pattern, weight)| **weight > 0.0 && is_changed(*pattern) == 0)
        {
            let [without, with] = of_parents[by_parents.of[pattern] as usize];
            mass[by_others.of[pattern] as usize] += weight * (without + with) / without;
        }
        let total: f64 = weights.iter().sum();
        let identified =
            || cells.iter().zip(&mass).filter(|(cell, mass)| **mass > 0.0 && cell.all[0] > 0.0 && cell.all[1] > 0.0);
        let difference = |cell: &Cell| cell.changed[1] / cell.all[1] - cell.changed[0] / cell.all[0];
        let sum: f64 = identified().map(|(cell, mass)| difference(cell) * mass).sum();
        (sum / total, identified().map(|(_, mass)| mass).sum::<f64>() / total)
    }

    fn strata(&self, panel: &Panel, nodes: &[u32]) -> Strata {
        panel.strata(nodes.iter().filter_map(|node| panel.column(*node, self.output)))
    }

    fn upstream(&self, panel: &Panel, cause: u32) -> Upstream {
        if self.options.population == Population::All {
            return Upstream(None);
        }
        let influences = |node: &u32| *node == cause || self.structure.is_influenced(cause, *node);
        Upstream(Some(panel.covered().iter().map(influences).collect()))
    }
}

/// For each column of a panel, whether its mutants count; `None` if all do.
struct Upstream(Option<Vec<bool>>);

impl Upstream {
    fn accepts(&self, column: u32) -> bool {
        self.0.as_ref().is_none_or(|columns| columns[column as usize])
    }
}

/// Strata of all tests together, by their values of the same nodes.
#[derive(Default)]
struct Pooled {
    ids: HashMap<Vec<u64>, u32>,
}

impl Pooled {
    /// A panel's strata under the numbers of all tests together.
    fn renamed(&mut self, panel: &Panel, strata: &Strata, nodes: &[u32], output: u32) -> Strata {
        let columns: Vec<_> = nodes.iter().map(|node| panel.column(*node, output)).collect();
        let mut names: Vec<Option<u32>> = vec![None; strata.n];
        let mut name = |pattern: usize, stratum: u32| {
            *names[stratum as usize].get_or_insert_with(|| {
                let mut key = vec![0u64; nodes.len().div_ceil(64)];
                for (at, column) in columns.iter().enumerate() {
                    let bit = column.map_or(0, |column| panel.changed(column)[pattern / 64] >> (pattern % 64) & 1);
                    key[at / 64] |= bit << (at % 64);
                }
                let next = self.ids.len() as u32;
                *self.ids.entry(key).or_insert(next)
            })
        };
        let of = strata.of.iter().enumerate().map(|(pattern, &stratum)| name(pattern, stratum)).collect();
        Strata { of, n: self.ids.len() }
    }
}

/// What is summed over tests for one pair.
#[derive(Default)]
struct Sums {
    cells: Vec<Cell>,
    direct: Mean,
    interventional: Mean,
}

#[derive(Clone, Copy, Default)]
struct Mean {
    sum: f64,
    identified: f64,
    n_tests: u32,
    n_estimates: u32,
}

impl Mean {
    /// Adds a test's sum over its identified strata, and their mass.
    fn add(&mut self, (sum, identified): (f64, f64), missing: Missing) {
        self.n_tests += 1;
        self.identified += identified;
        if missing == Missing::Zero {
            self.n_estimates += 1;
            self.sum += sum;
        } else if identified > 0.0 {
            self.n_estimates += 1;
            self.sum += sum / identified;
        }
    }

    fn mean(&self) -> Estimate {
        let share = |sum: f64, of: u32| if of == 0 { 0.0 } else { sum / f64::from(of) };
        let unidentified = (1.0 - share(self.identified, self.n_tests)).clamp(0.0, 1.0);
        Estimate { value: share(self.sum, self.n_estimates), unidentified, n_tests: self.n_estimates }
    }
}

/// Adds the weights of a panel's patterns to the cells of their strata.
fn fill(panel: &Panel, strata: &Strata, cause: usize, effect: usize, weights: &[f64], cells: &mut [Cell]) {
    let (cause, effect) = (panel.changed(cause), panel.changed(effect));
    for (pattern, &weight) in weights.iter().enumerate() {
        let of = |column: &[u64]| column[pattern / 64] >> (pattern % 64) & 1;
        let cell = &mut cells[strata.of[pattern] as usize];
        let value = of(cause) as usize;
        cell.all[value] += weight;
        cell.changed[value] += weight * of(effect) as f64;
    }
}

/// The back-door adjustment over strata of the cause's parents.
fn back_door(cells: &[Cell], missing: Missing) -> Dependence {
    let total: f64 = cells.iter().map(|cell| cell.all[0] + cell.all[1]).sum();
    let probability = |value: usize| {
        let counts = |cell: &&Cell| cell.all[value] > 0.0 && (missing != Missing::Shared || cell.all[1 - value] > 0.0);
        let (mut sum, mut identified) = (0.0, 0.0);
        for cell in cells.iter().filter(counts) {
            let mass = cell.all[0] + cell.all[1];
            sum += cell.changed[value] / cell.all[value] * mass;
            identified += mass;
        }
        let scale = if missing == Missing::Zero { total } else { identified };
        let share = if scale > 0.0 { sum / scale } else { 0.0 };
        (share, if total > 0.0 { (1.0 - identified / total).max(0.0) } else { 1.0 }, identified > 0.0)
    };
    let ((unchanged, low, is_low), (changed, high, is_high)) = (probability(0), probability(1));
    let is_identified = missing == Missing::Zero || is_low && is_high;
    Dependence { changed, unchanged, unidentified: [high, low], is_identified }
}

/// The share of a column's own mutants that change another.
fn own_share(panel: &Panel, cause: usize, effect: usize) -> Option<f64> {
    let own = panel.own(cause);
    let changed = panel.changed(effect);
    let is_changed = |pattern: &u32| changed[*pattern as usize / 64] >> (pattern % 64) & 1 == 1;
    let all: f64 = own.iter().map(|(_, weight)| weight).sum();
    let changing: f64 = own.iter().filter(|(pattern, _)| is_changed(pattern)).map(|(_, weight)| weight).sum();
    (all > 0.0).then(|| changing / all)
}
