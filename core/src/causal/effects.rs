//! How strongly one node depends on another: causal dependence by back-door adjustment, direct dependence as natural direct effect, and
//! what the interventions show by themselves.
//!
//! Lee et al., Causal Program Dependence Analysis; Pearl, Causality, for the adjustment. The observations are those of tests that cover both
//! cause and effect; for conditional probabilities of the effect, those of mutants of the effect itself are left out.

use std::collections::HashMap;

use rayon::prelude::*;

use super::direct::{Keys, Odds};
use super::intern::set_bits;
use super::observations::Observations;
use super::panel::{Panel, Strata, Weight};
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

/// A stratum: its weight, and by the cause's value the weight and number of its observations.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    mass: f64,
    all: [f64; 2],
    n: [u32; 2],
}

/// What an effect makes of a stratum: the weight of what changes it, and weight and number of its own mutants, which say nothing
/// about it, by the cause's value.
#[derive(Clone, Copy, Debug, Default)]
struct Delta {
    touched: bool,
    changed: [f64; 2],
    own: [f64; 2],
    n_own: [u32; 2],
}

/// The strata of a cause, before it is known what the effect is.
struct Base {
    cells: Vec<Cell>,
    missing: Missing,
    total: f64,
    /// Weight of the strata that have an estimate, by the cause's value.
    identified: [f64; 2],
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
        panel.column(effect, self.output)?;
        let view = self.view(panel, cause, None)?;
        let n_strata = view.strata.n;
        let mut touched = Vec::new();
        let mut deltas = vec![Delta::default(); n_strata];
        view.add(effect, self.output, &mut deltas, &mut touched);
        Some(Base::new(std::iter::once(&view), n_strata, self.options.missing).back_door(&mut deltas, touched))
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

    /// How each pair of a cause and an effect depends; pairs are best given by cause.
    pub fn pairs(&self, pairs: &[(u32, u32)]) -> Vec<Pair> {
        let direct = self.direct_dependences(pairs);
        let of_cause: Vec<&[(u32, u32)]> = pairs.chunk_by(|one, other| one.0 == other.0).collect();
        let causal: Vec<Vec<Dependence>> = of_cause
            .par_iter()
            .map(|of| self.dependences(of[0].0, &of.iter().map(|(_, effect)| *effect).collect::<Vec<_>>()))
            .collect();
        let pair = |((&(cause, effect), direct), causal): ((&(u32, u32), Estimate), Dependence)| Pair {
            cause,
            effect,
            causal,
            direct,
            interventional: self.interventional(cause, effect),
        };
        pairs.iter().zip(direct).zip(causal.into_iter().flatten()).map(pair).collect()
    }

    /// Causal dependence of each of `effects` on `cause`, over the observations of all tests that cover both.
    pub fn dependences(&self, cause: u32, effects: &[u32]) -> Vec<Dependence> {
        let mut pooled = Pooled::default();
        let views: Vec<View> =
            self.panels.iter().filter_map(|panel| self.view(panel, cause, Some(&mut pooled))).collect();
        // Effects that the same tests cover have the same strata.
        let mut bases: HashMap<Vec<bool>, Base> = HashMap::new();
        let mut deltas = vec![Delta::default(); pooled.ids.len()];
        let of_effect = |effect: &u32| {
            let covers: Vec<bool> =
                views.iter().map(|view| view.panel.column(*effect, self.output).is_some()).collect();
            let covering = || views.iter().zip(&covers).filter(|(_, covers)| **covers).map(|(view, _)| view);
            if !bases.contains_key(&covers) {
                bases.insert(covers.clone(), Base::new(covering(), pooled.ids.len(), self.options.missing));
            }
            let mut touched = Vec::new();
            covering().for_each(|view| view.add(*effect, self.output, &mut deltas, &mut touched));
            bases[&covers].back_door(&mut deltas, touched)
        };
        effects.iter().map(of_effect).collect()
    }

    /// Share of the mutants of `cause` that change `effect`, in the mean over tests that cover both and tried some.
    pub fn interventional(&self, cause: u32, effect: u32) -> Estimate {
        let mut mean = Mean::default();
        for share in (0..self.panels.len()).filter_map(|test| self.interventional_in(test, cause, effect)) {
            mean.add((share, 1.0), Missing::Zero);
        }
        mean.mean()
    }

    /// Natural direct effects, in the mean over tests that cover cause and effect. One test at a time: what is needed about each effect is
    /// gathered once for all its causes.
    pub fn direct_dependences(&self, pairs: &[(u32, u32)]) -> Vec<Estimate> {
        let is_parent = |&(cause, effect): &(u32, u32)| self.structure.all_parents(effect).contains(&cause);
        // Of an effect, the other causes are the same for all its parents; a cause that is none has others of its own.
        let groups: Vec<(u32, Option<u32>)> =
            pairs.par_iter().map(|pair| (pair.1, (!is_parent(pair)).then_some(pair.0))).collect();
        let mut distinct = groups.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let mut by_cause: Vec<usize> = (0..pairs.len()).collect();
        by_cause.sort_by_key(|at| pairs[*at].0);
        let mut means = vec![Mean::default(); pairs.len()];
        for panel in &self.panels {
            let all = panel.weights(|_| true);
            let keys = |&(effect, extra): &(u32, Option<u32>)| {
                let parents = self.structure.all_parents(effect).into_iter().chain(extra);
                Keys::new(panel, parents, effect, self.output, &all)
            };
            let keys: Vec<Option<Keys>> = distinct.par_iter().map(keys).collect();
            let of_cause = |positions: &[usize]| -> Vec<(usize, (f64, f64))> {
                let Some(odds) = Odds::new(panel, pairs[positions[0]].0, self, &all) else { return Vec::new() };
                let found = |&at: &usize| {
                    let keys = keys[distinct.binary_search(&groups[at]).ok()?].as_ref()?;
                    Some((at, keys.natural_direct_effect(pairs[at].0, &odds)))
                };
                positions.iter().filter_map(found).collect()
            };
            let causes: Vec<&[usize]> = by_cause.chunk_by(|one, other| pairs[*one].0 == pairs[*other].0).collect();
            let found: Vec<_> = causes.into_par_iter().flat_map_iter(of_cause).collect();
            found.into_iter().for_each(|(at, of_test)| means[at].add(of_test, self.options.missing));
        }
        means.iter().map(Mean::mean).collect()
    }

    /// A panel as it bears on a cause, its strata named together with those of other panels if wanted; `None` if its test does not cover
    /// the cause.
    fn view<'p>(&self, panel: &'p Panel, cause: u32, pooled: Option<&mut Pooled>) -> Option<View<'p>> {
        let column = panel.column(cause, self.output)?;
        let parents = self.structure.parents(cause);
        let mut strata = self.strata(panel, parents);
        if let Some(pooled) = pooled {
            strata = pooled.renamed(panel, &strata, parents, self.output);
        }
        let upstream = self.upstream(panel, cause);
        let weights = panel.weights(|mutated| upstream.accepts(mutated));
        Some(View { panel, column, strata, upstream, weights })
    }

    pub(super) fn strata(&self, panel: &Panel, nodes: &[u32]) -> Strata {
        panel.strata(nodes.iter().filter_map(|node| panel.column(*node, self.output)))
    }

    /// The parents of a cause that come before it.
    pub(super) fn parents(&self, cause: u32) -> &[u32] {
        self.structure.parents(cause)
    }

    /// The number that stands for the output.
    pub(super) fn output(&self) -> u32 {
        self.output
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
        self.0.as_ref().is_none_or(|columns| columns.get(column as usize) == Some(&true))
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

/// A panel as it bears on a cause: its strata by the cause's parents, and what counts.
struct View<'p> {
    panel: &'p Panel,
    column: usize,
    strata: Strata,
    upstream: Upstream,
    weights: Vec<Weight>,
}

impl View<'_> {
    /// Adds what the panel says about `effect`, if its test covers that. `touched` lists the strata it says something of.
    fn add(&self, effect: u32, output: u32, deltas: &mut [Delta], touched: &mut Vec<u32>) {
        let Some(column) = self.panel.column(effect, output) else { return };
        let mut touch = |pattern: usize, change: &dyn Fn(&mut Delta, usize)| {
            let stratum = self.strata.of[pattern];
            let delta = &mut deltas[stratum as usize];
            if !std::mem::replace(&mut delta.touched, true) {
                touched.push(stratum);
            }
            change(delta, self.panel.has(pattern, self.column));
        };
        set_bits(self.panel.changed(column), |pattern| {
            touch(pattern, &|delta, value| delta.changed[value] += self.weights[pattern].weight);
        });
        for &(pattern, weight) in self.panel.own(column).iter().filter(|_| self.upstream.accepts(column as u32)) {
            let is_changed = self.panel.has(pattern as usize, column) == 1;
            touch(pattern as usize, &|delta, value| {
                delta.own[value] += weight;
                delta.n_own[value] += 1;
                delta.changed[value] -= if is_changed { weight } else { 0.0 };
            });
        }
    }
}

impl Base {
    /// The strata of these panels together.
    fn new<'v, 'p: 'v>(views: impl Iterator<Item = &'v View<'p>>, n_strata: usize, missing: Missing) -> Base {
        let mut cells = vec![Cell::default(); n_strata];
        for view in views {
            for (pattern, weight) in view.weights.iter().enumerate() {
                let value = view.panel.has(pattern, view.column);
                let cell = &mut cells[view.strata.of[pattern] as usize];
                cell.mass += weight.weight;
                cell.all[value] += weight.weight;
                cell.n[value] += weight.n;
            }
        }
        let sum = |value| cells.iter().filter(|cell| has_estimate(cell.n, value, missing)).map(|cell| cell.mass).sum();
        let (total, identified) = (cells.iter().map(|cell| cell.mass).sum(), [0, 1].map(sum));
        Base { cells, missing, total, identified }
    }

    /// The back-door adjustment for an effect; strata that it does not touch have probability 0. Leaves `deltas` as new.
    fn back_door(&self, deltas: &mut [Delta], touched: Vec<u32>) -> Dependence {
        let mut sums = [0.0; 2];
        let mut identified = self.identified;
        let mut n_identified = [false; 2];
        for stratum in touched {
            let cell = self.cells[stratum as usize];
            let delta = std::mem::take(&mut deltas[stratum as usize]);
            let left = [0, 1].map(|value| cell.n[value] - delta.n_own[value]);
            for value in [0, 1] {
                if has_estimate(left, value, self.missing) {
                    n_identified[value] = true;
                    sums[value] += share(delta.changed[value], cell.all[value] - delta.own[value]) * cell.mass;
                } else if has_estimate(cell.n, value, self.missing) {
                    identified[value] -= cell.mass;
                }
            }
        }
        let result = |value: usize| {
            // What is left after subtracting everything is rounding.
            let identified = if identified[value] > 1e-9 * self.total { identified[value] } else { 0.0 };
            let scale = if self.missing == Missing::Zero { self.total } else { identified };
            let probability = if scale > 0.0 { sums[value] / scale } else { 0.0 };
            let unidentified = if self.total > 0.0 { (1.0 - identified / self.total).max(0.0) } else { 1.0 };
            (probability, unidentified, identified > 0.0 || n_identified[value])
        };
        let ((unchanged, low, is_low), (changed, high, is_high)) = (result(0), result(1));
        let is_identified = self.missing == Missing::Zero || is_low && is_high;
        Dependence { changed, unchanged, unidentified: [high, low], is_identified }
    }
}

/// Whether a stratum with these numbers of observations has an estimate for a value of the cause.
fn has_estimate(n: [u32; 2], value: usize, missing: Missing) -> bool {
    n[value] > 0 && (missing != Missing::Shared || n[1 - value] > 0)
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

/// A share of a whole; both may be off by rounding.
pub(super) fn share(part: f64, whole: f64) -> f64 {
    (part / whole).clamp(0.0, 1.0)
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
