//! Answers without going through causal models: tests are independent, so units that a query does not mention only count.

use std::collections::BTreeMap;

use super::number::Number;
use super::{Query, Statement};
use crate::spectra::CoverageMatrix;

/// Tests that are alike as far as a query goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Kind {
    failed: bool,
    /// Units executed.
    size: u32,
    /// Mentioned units executed, a bit for each.
    executed: u64,
    /// The mentioned test it is.
    mentioned: Option<u32>,
}

/// A query prepared for a matrix.
pub(super) struct Closed<'a> {
    query: &'a Query,
    /// Mentioned units.
    units: Vec<u32>,
    /// Those of them that causal models decide about (in `h`, `H` or `f`), as bits.
    decided: u64,
    /// Those in `f`, as bits.
    faults: u64,
    /// The kinds of test and how many there are of each.
    kinds: Vec<(Kind, u32)>,
}

/// What a model says about one test: which of the mentioned units were causes, and whether others were too.
#[derive(Clone, Copy)]
struct Local {
    causes: u64,
    others: bool,
}

impl<'a> Closed<'a> {
    /// Sorts the tests of `matrix` by kind; `sizes` are the units each executed. Queries that mention more than 64 units are only good
    /// for [`Self::n_states`].
    pub(super) fn new(query: &'a Query, matrix: &CoverageMatrix, sizes: &[u32]) -> Self {
        let (mut units, mut tests) = (Vec::new(), Vec::new());
        let each_atom = |each: &mut dyn FnMut(&Statement)| {
            [Some(&query.statement), query.given.as_ref()]
                .into_iter()
                .flatten()
                .for_each(|part| part.atoms(&mut |atom| each(atom)));
        };
        each_atom(&mut |atom| match atom {
            Statement::Executed(unit)
            | Statement::Cause(unit)
            | Statement::OnlyCause(unit)
            | Statement::Fault(unit) => {
                units.push(*unit);
            }
            Statement::Test(test) => tests.push(*test),
            _ => {}
        });
        units.sort_unstable();
        units.dedup();
        let (mut decided, mut faults) = (0, 0);
        each_atom(&mut |atom| match atom {
            Statement::Cause(unit) | Statement::OnlyCause(unit) => decided |= bit(&units, *unit),
            Statement::Fault(unit) => faults |= bit(&units, *unit),
            _ => {}
        });
        let mut kinds = BTreeMap::new();
        for (test, (&failed, &size)) in matrix.failed().iter().zip(sizes).enumerate() {
            let executed = units.iter().filter(|unit| matrix.covers(test, **unit as usize));
            let kind = Kind {
                failed,
                size: if failed { size } else { 0 },
                executed: executed.fold(0, |mask, unit| mask | bit(&units, *unit)),
                mentioned: Some(test as u32).filter(|test| tests.contains(test)),
            };
            *kinds.entry(kind).or_insert(0) += 1;
        }
        Closed { query, units, decided: decided | faults, faults, kinds: kinds.into_iter().collect() }
    }

    /// Units mentioned.
    pub(super) fn n_units(&self) -> usize {
        self.units.len()
    }

    /// How many states [`Self::answer`] looks at.
    pub(super) fn n_states(&self) -> u64 {
        let bits = 1 + self.decided.count_ones() + self.faults.count_ones();
        if bits > 40 || self.units.len() > 64 { u64::MAX } else { (self.kinds.len() as u64) << bits }
    }

    /// The answer, or `None` if what is given never holds.
    pub(super) fn answer<N: Number>(&self) -> Option<N> {
        let elsewhere = self.causes_elsewhere::<N>();
        let (mut both, mut given) = (N::zero(), N::zero());
        for ((kind, n), elsewhere) in self.kinds.iter().zip(&elsewhere) {
            for (local, weight) in self.locals::<N>(kind) {
                for (faults, share) in elsewhere.iter().filter(|(_, share)| !share.is_zero()) {
                    let atom = |atom: &Statement| self.holds(atom, kind, local, *faults);
                    if self.query.given.as_ref().is_none_or(|given| given.holds(&atom)) {
                        let weight = weight.times(share).times(&count::<N>(*n));
                        given = given.plus(&weight);
                        if self.query.statement.holds(&atom) {
                            both = both.plus(&weight);
                        }
                    }
                }
            }
        }
        (!given.is_zero()).then(|| both.over(&given))
    }

    fn holds(&self, atom: &Statement, kind: &Kind, local: Local, faults: u64) -> bool {
        match atom {
            Statement::Executed(unit) => kind.executed & bit(&self.units, *unit) != 0,
            Statement::Cause(unit) => local.causes & bit(&self.units, *unit) != 0,
            Statement::OnlyCause(unit) => local.causes == bit(&self.units, *unit) && !local.others,
            Statement::Fault(unit) => (local.causes | faults) & bit(&self.units, *unit) != 0,
            Statement::Failed => kind.failed,
            Statement::Test(test) => kind.mentioned == Some(*test),
            Statement::Not(_) | Statement::And(..) | Statement::Or(..) => false,
        }
    }

    /// What can be said about a test of this kind, with its probability.
    fn locals<N: Number>(&self, kind: &Kind) -> Vec<(Local, N)> {
        if !kind.failed {
            return vec![(Local { causes: 0, others: false }, N::one())];
        }
        let deciding = kind.executed & self.decided;
        let all = N::subsets(kind.size);
        let with_others = N::subsets(kind.size - deciding.count_ones()).over(&all);
        let alone = N::one().over(&all);
        let mut locals = Vec::new();
        for causes in subsets(deciding) {
            locals.push((Local { causes, others: true }, with_others.clone()));
            if causes != 0 {
                locals.push((Local { causes, others: false }, alone.clone()));
            }
        }
        locals
    }

    /// For each kind, the probabilities of each set of units in `f` being the causes of failures of all tests but one of the kind.
    fn causes_elsewhere<N: Number>(&self) -> Vec<Vec<(u64, N)>> {
        let mut innocent: Vec<BTreeMap<u64, N>> = vec![BTreeMap::new(); self.kinds.len()];
        for set in subsets(self.faults) {
            let others = self.products_without_one(|kind| innocence::<N>(kind, set));
            innocent.iter_mut().zip(others).for_each(|(map, probability)| {
                map.insert(set, probability);
            });
        }
        innocent.into_iter().map(|map| self.exact_sets(map)).collect()
    }

    /// For each kind, the product of `factor` over all failing tests but one of the kind.
    fn products_without_one<N: Number>(&self, factor: impl Fn(&Kind) -> N) -> Vec<N> {
        let factors: Vec<N> =
            self.kinds.iter().map(|(kind, _)| if kind.failed { factor(kind) } else { N::one() }).collect();
        let powers: Vec<N> = factors.iter().zip(&self.kinds).map(|(factor, (_, n))| factor.to_the(*n)).collect();
        let mut before = vec![N::one()];
        for power in &powers {
            before.push(before[before.len() - 1].times(power));
        }
        let mut after = N::one();
        let mut products = Vec::with_capacity(powers.len());
        for at in (0..powers.len()).rev() {
            products.push(before[at].times(&after).times(&factors[at].to_the(self.kinds[at].1 - 1)));
            after = after.times(&powers[at]);
        }
        products.reverse();
        products
    }

    /// From the probabilities that no unit of a set is a cause, those that exactly the units outside it are (Moebius inversion).
    fn exact_sets<N: Number>(&self, mut innocent: BTreeMap<u64, N>) -> Vec<(u64, N)> {
        for at in (0..64).map(|at| 1 << at).filter(|bit| self.faults & bit != 0) {
            for set in subsets(self.faults & !at) {
                let exact = innocent[&set].minus(&innocent[&(set | at)]);
                innocent.insert(set, exact);
            }
        }
        innocent.into_iter().map(|(set, probability)| (self.faults & !set, probability)).collect()
    }
}

/// The probability that no unit of `set` is a cause of the failure of a test of this kind.
fn innocence<N: Number>(kind: &Kind, set: u64) -> N {
    match (kind.executed & set).count_ones() {
        0 => N::one(),
        n => N::subsets(kind.size - n).over(&N::subsets(kind.size)),
    }
}

fn count<N: Number>(n: u32) -> N {
    let bits = (0..32).filter(|at| n >> at & 1 == 1);
    bits.fold(N::zero(), |sum, at| sum.plus(&N::power(at)))
}

/// The bit of `unit` in masks over the mentioned `units`.
fn bit(units: &[u32], unit: u32) -> u64 {
    units.binary_search(&unit).map_or(0, |at| 1u64.checked_shl(at as u32).unwrap_or(0))
}

/// All subsets of `set`, the empty one first.
fn subsets(set: u64) -> impl Iterator<Item = u64> {
    let mut next = Some(0u64);
    std::iter::from_fn(move || {
        let current = next?;
        next = (current != set).then(|| (current.wrapping_sub(set)) & set);
        Some(current)
    })
}
