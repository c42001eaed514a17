//! Answers without going through causal models: tests are independent, so units that a query does not mention only count.

use std::collections::BTreeMap;

use num_rational::BigRational;

use super::number::Number;
use super::weights::Weights;
use super::{Query, Statement};
use crate::spectra::CoverageMatrix;

/// Tests that are alike as far as a query goes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Kind {
    failed: bool,
    /// How many units of each level it executed that the query says nothing of and that may be causes; empty if it passed.
    rest: Vec<u32>,
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
    /// For each mentioned unit, the probability that it is no cause.
    innocence: Vec<BigRational>,
    /// For each level of units, the same.
    levels: Vec<BigRational>,
    /// The kinds of test.
    kinds: Vec<Group>,
    /// The kinds that hold one test each, of which the query says what holds there whatever the test spoken of.
    places: Vec<usize>,
}

/// The tests of a kind.
struct Group {
    kind: Kind,
    /// How many there are, 1 at least.
    n: u32,
    /// The sum of their weights.
    weight: BigRational,
}

/// What a model says about one test: which of the mentioned units were causes, and whether others were too.
#[derive(Clone, Copy)]
struct Local {
    causes: u64,
    others: bool,
}

impl<'a> Closed<'a> {
    /// Sorts the tests of `matrix` by kind. Queries that mention more than 64 units are only good for [`Self::n_states`].
    pub(super) fn new(query: &'a Query, matrix: &CoverageMatrix, weights: &Weights) -> Self {
        let Mentioned { units, tests, placed, decided, faults } = Mentioned::new(query);
        let (levels, level_of) = weights.levels(matrix.n_units());
        let mut kinds = BTreeMap::new();
        for (test, &failed) in matrix.failed().iter().enumerate() {
            let executed = units.iter().filter(|unit| matrix.covers(test, **unit as usize));
            let mut rest = vec![0; if failed { levels.len() } else { 0 }];
            for unit in matrix.units_of(test).filter(|unit| failed && decided & bit(&units, *unit) == 0) {
                if let Some(level) = level_of[unit as usize] {
                    rest[level as usize] += 1;
                }
            }
            let kind = Kind {
                failed,
                rest,
                executed: executed.fold(0, |mask, unit| mask | bit(&units, *unit)),
                mentioned: Some(test as u32).filter(|test| tests.contains(test)),
            };
            let (n, weight) = kinds.entry(kind).or_insert_with(|| (0, Number::zero()));
            *n += 1;
            *weight += weights.test(test as u32);
        }
        let kinds: Vec<Group> = kinds.into_iter().map(|(kind, (n, weight))| Group { kind, n, weight }).collect();
        let is_place = |group: &Group| group.kind.mentioned.is_some_and(|test| placed.contains(&test));
        let places = (0..kinds.len()).filter(|at| is_place(&kinds[*at])).collect();
        let innocence = units.iter().map(|unit| weights.innocence(*unit)).collect();
        Closed { query, units, decided, faults, innocence, levels, kinds, places }
    }

    /// Units mentioned.
    pub(super) fn n_units(&self) -> usize {
        self.units.len()
    }

    /// How many states [`Self::answer`] looks at.
    pub(super) fn n_states(&self) -> u64 {
        if self.units.len() > 64 {
            return u64::MAX;
        }
        let failing = |at: usize| Some(&self.kinds[at].kind).filter(|kind| kind.failed);
        let local_bits = |at| failing(at).map_or(0, |kind| 1 + (kind.executed & self.decided).count_ones());
        let n_states = |bits: u32| 1u64.checked_shl(bits).unwrap_or(u64::MAX);
        let shared_bits: u32 = self.faults.count_ones() + self.places.iter().map(|at| local_bits(*at)).sum::<u32>();
        let elsewhere = (0..self.kinds.len()).filter(|at| !self.places.contains(at));
        let n_spoken_of = elsewhere.fold(self.places.len() as u64, |n, at| n.saturating_add(n_states(local_bits(at))));
        n_states(shared_bits).saturating_mul(n_spoken_of)
    }

    /// The answer, or `None` if what is given never holds.
    pub(super) fn answer<N: Number>(&self) -> Option<N> {
        let rests: Vec<N> = self.kinds.iter().map(|group| self.rest(&group.kind)).collect();
        let elsewhere = self.causes_elsewhere(&rests);
        let locals: Vec<_> =
            self.kinds.iter().zip(&rests).map(|(group, rest)| self.locals(&group.kind, rest)).collect();
        let mut sums = Sums { both: N::zero(), given: N::zero() };
        self.each_state_of_places(&locals, &mut Vec::new(), &N::one(), &mut |states: &[Local], weight: &N| {
            for (at, group) in self.kinds.iter().enumerate() {
                let weight = weight.times(&N::of(&group.weight));
                match self.places.iter().position(|place| *place == at) {
                    Some(place) => self.add(at, states[place], states, &elsewhere[at], &weight, &mut sums),
                    None => {
                        for (local, share) in &locals[at] {
                            self.add(at, *local, states, &elsewhere[at], &weight.times(share), &mut sums);
                        }
                    }
                }
            }
        });
        (!sums.given.is_zero()).then(|| sums.both.over(&sums.given))
    }

    /// Calls `each` with every combination of what can be said about the places, and its probability.
    fn each_state_of_places<N: Number>(
        &self,
        locals: &[Vec<(Local, N)>],
        states: &mut Vec<Local>,
        weight: &N,
        each: &mut impl FnMut(&[Local], &N),
    ) {
        let Some(place) = self.places.get(states.len()) else { return each(states, weight) };
        for (local, share) in &locals[*place] {
            states.push(*local);
            self.each_state_of_places(locals, states, &weight.times(share), each);
            states.pop();
        }
    }

    /// Adds what holds of a test of kind `at` to the sums, for each set of causes of the other tests' failures.
    fn add<N: Number>(
        &self,
        at: usize,
        local: Local,
        states: &[Local],
        elsewhere: &[(u64, N)],
        weight: &N,
        sums: &mut Sums<N>,
    ) {
        let in_places = states.iter().fold(local.causes, |causes, state| causes | state.causes);
        for (faults, share) in elsewhere.iter().filter(|(_, share)| !share.is_zero()) {
            let atom = |test: Option<u32>, atom: &Statement| {
                let place =
                    self.places.iter().position(|place| test.is_some() && self.kinds[*place].kind.mentioned == test);
                let (kind, local) = place.map_or((at, local), |place| (self.places[place], states[place]));
                self.holds(atom, &self.kinds[kind].kind, local, faults | in_places)
            };
            if self.query.given.as_ref().is_none_or(|given| given.holds(None, &atom)) {
                let weight = weight.times(share);
                sums.given = sums.given.plus(&weight);
                if self.query.statement.holds(None, &atom) {
                    sums.both = sums.both.plus(&weight);
                }
            }
        }
    }

    fn holds(&self, atom: &Statement, kind: &Kind, local: Local, faults: u64) -> bool {
        match atom {
            Statement::Executed(unit) => kind.executed & bit(&self.units, *unit) != 0,
            Statement::Cause(unit) => local.causes & bit(&self.units, *unit) != 0,
            Statement::OnlyCause(unit) => local.causes == bit(&self.units, *unit) && !local.others,
            Statement::Fault(unit) => faults & bit(&self.units, *unit) != 0,
            Statement::Failed => kind.failed,
            Statement::Test(test) => kind.mentioned == Some(*test),
            Statement::In(..) | Statement::Not(_) | Statement::And(..) | Statement::Or(..) => false,
        }
    }

    /// The probability that none of the units that only count are causes in a test of this kind, before some unit must be one.
    fn rest<N: Number>(&self, kind: &Kind) -> N {
        let powers = kind.rest.iter().zip(&self.levels).filter(|(n, _)| **n > 0);
        powers.fold(N::one(), |product, (n, level)| product.times(&N::of(level).to_the(*n)))
    }

    /// The probability that no unit of `set` is a cause, before some unit must be one.
    fn none_of<N: Number>(&self, set: u64) -> N {
        let members = self.innocence.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1);
        members.fold(N::one(), |product, (_, innocence)| product.times(&N::of(innocence)))
    }

    /// The probability that all units of `set` are causes, likewise.
    fn all_of<N: Number>(&self, set: u64) -> N {
        let members = self.innocence.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1);
        members.fold(N::one(), |product, (_, innocence)| product.times(&N::one().minus(&N::of(innocence))))
    }

    /// What can be said about a test of this kind, with its probability.
    fn locals<N: Number>(&self, kind: &Kind, rest: &N) -> Vec<(Local, N)> {
        if !kind.failed {
            return vec![(Local { causes: 0, others: false }, N::one())];
        }
        let deciding = kind.executed & self.decided;
        let some = N::one().minus(&rest.times(&self.none_of(deciding)));
        let mut locals = Vec::new();
        for causes in subsets(deciding) {
            let share = self.all_of::<N>(causes).times(&self.none_of(deciding & !causes)).over(&some);
            locals.push((Local { causes, others: true }, share.times(&N::one().minus(rest))));
            if causes != 0 {
                locals.push((Local { causes, others: false }, share.times(rest)));
            }
        }
        locals.retain(|(_, share)| !share.is_zero());
        locals
    }

    /// For each kind, the probabilities of each set of units in `f` being the causes of failures of all tests but places and one of
    /// the kind.
    fn causes_elsewhere<N: Number>(&self, rests: &[N]) -> Vec<Vec<(u64, N)>> {
        let mut innocent: Vec<BTreeMap<u64, N>> = vec![BTreeMap::new(); self.kinds.len()];
        for set in subsets(self.faults) {
            let others = self.products_without_one(|at| self.innocence_of(&self.kinds[at].kind, &rests[at], set));
            innocent.iter_mut().zip(others).for_each(|(map, probability)| {
                map.insert(set, probability);
            });
        }
        innocent.into_iter().map(|map| self.exact_sets(map)).collect()
    }

    /// For each kind, the product of `factor` over all failing tests but places and one of the kind.
    fn products_without_one<N: Number>(&self, factor: impl Fn(usize) -> N) -> Vec<N> {
        let counts = |at: &usize| self.kinds[*at].kind.failed && !self.places.contains(at);
        let kinds = 0..self.kinds.len();
        let factors: Vec<N> = kinds.map(|at| if counts(&at) { factor(at) } else { N::one() }).collect();
        let powers: Vec<N> = factors.iter().zip(&self.kinds).map(|(factor, group)| factor.to_the(group.n)).collect();
        let mut before = vec![N::one()];
        for power in &powers {
            before.push(before[before.len() - 1].times(power));
        }
        let mut after = N::one();
        let mut products = Vec::with_capacity(powers.len());
        for at in (0..powers.len()).rev() {
            products.push(before[at].times(&after).times(&factors[at].to_the(self.kinds[at].n - 1)));
            after = after.times(&powers[at]);
        }
        products.reverse();
        products
    }

    /// The probability that no unit of `set` is a cause of the failure of a test of this kind.
    fn innocence_of<N: Number>(&self, kind: &Kind, rest: &N, set: u64) -> N {
        let deciding = kind.executed & self.decided;
        if deciding & set == 0 {
            return N::one();
        }
        let some = N::one().minus(&rest.times(&self.none_of(deciding)));
        let some_other = N::one().minus(&rest.times(&self.none_of(deciding & !set)));
        self.none_of::<N>(deciding & set).times(&some_other).over(&some)
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

/// Sums of the probabilities of states.
struct Sums<N> {
    /// Where what is given and the statement hold.
    both: N,
    /// Where what is given holds.
    given: N,
}

/// What a query speaks of.
#[derive(Default)]
struct Mentioned {
    /// Units, in order.
    units: Vec<u32>,
    /// Tests.
    tests: Vec<u32>,
    /// Those of them in `in[..]`.
    placed: Vec<u32>,
    /// Units in `h`, `H` or `f`, as bits.
    decided: u64,
    /// Units in `f`, as bits.
    faults: u64,
}

impl Mentioned {
    fn new(query: &Query) -> Self {
        let mut found = Mentioned::default();
        let mut atoms = Vec::new();
        for part in [Some(&query.statement), query.given.as_ref()].into_iter().flatten() {
            part.atoms(&mut |atom| atoms.push(atom.clone()));
        }
        for atom in &atoms {
            match atom {
                Statement::Executed(unit)
                | Statement::Cause(unit)
                | Statement::OnlyCause(unit)
                | Statement::Fault(unit) => found.units.push(*unit),
                Statement::Test(test) => found.tests.push(*test),
                Statement::In(test, _) => {
                    found.tests.push(*test);
                    found.placed.push(*test);
                }
                _ => {}
            }
        }
        found.units.sort_unstable();
        found.units.dedup();
        for atom in &atoms {
            match atom {
                Statement::Cause(unit) | Statement::OnlyCause(unit) => found.decided |= bit(&found.units, *unit),
                Statement::Fault(unit) => found.faults |= bit(&found.units, *unit),
                _ => {}
            }
        }
        found.decided |= found.faults;
        found
    }
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
