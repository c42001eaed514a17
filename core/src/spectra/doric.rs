//! Doric's causal models of a coverage matrix (Landsberg and Barr): how likely a unit was a cause of some failure.
//!
//! In a causal model each failing test marks a non-empty subset of the units it executed as its causes; all models are
//! equally likely. With `rho` units executed by failing test k, `P_k(h_i) = 2^(rho-1) / (2^rho - 1)` ("i was a cause of k's
//! failure") and `P_k(H_i) = 1 / (2^rho - 1)` ("i was the only one") for a unit that k executed, else 0. These vanish or
//! saturate in floating point from rho = 60 on, so everything here is held as logarithms to base 2.

use rayon::prelude::*;

use super::CoverageMatrix;

/// Units inspected one by one before [`clear_and_update`] ranks the rest as they stand.
pub const UPDATE_BOUND: usize = 20;

/// `log2 P_k(h_i)` for a failing test that executed `rho` units, `i` among them.
pub fn log2_cause(rho: u32) -> f64 {
    f64::from(rho) - 1.0 + log2_only_cause(rho)
}

/// `log2 P_k(H_i)` for a failing test that executed `rho` units, `i` among them; positive infinity for `rho` 0, which no unit can
/// be among.
pub fn log2_only_cause(rho: u32) -> f64 {
    // 2^rho - 1 = 2^rho (1 - 2^-rho)
    -f64::from(rho) - (-(-f64::from(rho)).exp2()).ln_1p() * std::f64::consts::LOG2_E
}

/// The fault likelihood of a unit, `P(f_i) = 1 - prod_k (1 - P_k(h_i))`.
///
/// Each failing test that executes the unit halves the chance that it is innocent, and a little more than halves it. The halvings
/// are counted, and what comes on top is held as a logarithm, so that it still tells units apart when it is far below rounding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FaultLikelihood {
    /// Failing tests that executed the unit.
    pub halvings: u32,
    /// `log2` of the sum over these tests of `-log2(2 (1 - P_k(h_i)))`, what each takes off beyond the half; infinite if one of them
    /// executed this unit alone, and negative infinity if there are none.
    pub log2_excess: f64,
}

impl FaultLikelihood {
    /// `P(f_i)`, 1 where floating point cannot tell it from 1.
    pub fn probability(&self) -> f64 {
        -(-(f64::from(self.halvings) + self.log2_excess.exp2()) * std::f64::consts::LN_2).exp_m1()
    }

    /// What to order by: `-log2(1 - P(f_i))`, and for units it rounds to the same, the excess.
    pub fn keys(&self) -> [f64; 2] {
        if self.log2_excess == f64::INFINITY {
            return [f64::INFINITY, 0.0];
        }
        [f64::from(self.halvings) + self.log2_excess.exp2(), self.log2_excess]
    }
}

/// `P(f_i)` of each unit.
pub fn fault_likelihood(matrix: &CoverageMatrix) -> Vec<FaultLikelihood> {
    let excess = |rho: u32| {
        // 2 (1 - P_k(h)) = (2^rho - 2) / (2^rho - 1) = 1 - 1 / (2^rho - 1)
        let only = log2_only_cause(rho);
        if only > -50.0 {
            (-(-only.exp2()).ln_1p() * std::f64::consts::LOG2_E).log2()
        } else {
            only + std::f64::consts::LOG2_E.log2()
        }
    };
    let sums = Failures::new(matrix).sums(&matrix.sizes(), excess);
    let spectra = matrix.spectra();
    spectra.iter().zip(sums).map(|(s, log2_excess)| FaultLikelihood { halvings: s.ef, log2_excess }).collect()
}

/// `log2 cl(i)` of each unit: the causal likelihood `cl(i) = P(H_i | u_i)`, the chance that a test which executes the unit
/// fails by it alone. Negative infinity where it is 0 and where no test executes the unit.
pub fn causal_likelihood(matrix: &CoverageMatrix) -> Vec<f64> {
    Clearing::new(matrix).causal_likelihood()
}

/// The causal likelihood after units were found innocent.
///
/// An innocent unit is no cause in any model: each failing test that executed it chooses among one unit fewer.
#[derive(Clone, Debug)]
pub struct Clearing<'a> {
    matrix: &'a CoverageMatrix,
    failures: Failures,
    log2_executions: Vec<f64>,
    sizes: Vec<u32>,
    innocent: Vec<bool>,
}

impl<'a> Clearing<'a> {
    /// Nothing cleared yet.
    pub fn new(matrix: &'a CoverageMatrix) -> Self {
        let spectra = matrix.spectra();
        Clearing {
            matrix,
            failures: Failures::new(matrix),
            log2_executions: spectra.iter().map(|s| f64::from(s.ef + s.ep).log2()).collect(),
            sizes: matrix.sizes(),
            innocent: vec![false; matrix.n_units()],
        }
    }

    /// Takes `unit` out of every failing test's choice.
    pub fn clear(&mut self, unit: usize) {
        if !std::mem::replace(&mut self.innocent[unit], true) {
            for test in 0..self.matrix.n_tests() {
                self.sizes[test] -= u32::from(self.matrix.covers(test, unit));
            }
        }
    }

    /// Failing tests of which every executed unit is innocent: the verdicts contradict these tests, or the fault lies in code that
    /// is not ranked.
    pub fn unexplained(&self) -> Vec<usize> {
        let failed = self.matrix.failed().iter().zip(&self.sizes).enumerate();
        failed.filter(|(_, (failed, size))| **failed && **size == 0).map(|(test, _)| test).collect()
    }

    /// `log2 cl` of each unit as things stand; negative infinity for the innocent.
    pub fn causal_likelihood(&self) -> Vec<f64> {
        let mut scores = self.failures.sums(&self.sizes, log2_only_cause);
        for (unit, score) in scores.iter_mut().enumerate() {
            let defined = *score > f64::NEG_INFINITY && !self.innocent[unit];
            *score = if defined { *score - self.log2_executions[unit] } else { f64::NEG_INFINITY };
        }
        scores
    }
}

/// The order of `clu`: [`clear_and_update`]'s result.
#[derive(Clone, Debug, PartialEq)]
pub struct Updated {
    /// Units in the order they were inspected, at most [`UPDATE_BOUND`] or what was asked for.
    pub inspected: Vec<u32>,
    /// `log2` of the causal likelihood: of inspected units when they were, of the rest after that; negative infinity for innocents.
    pub log2_likelihood: Vec<f64>,
    /// Failing tests that the innocents given leave without a cause.
    pub unexplained: Vec<usize>,
}

/// Ranks as somebody would inspect who finds every unit innocent: the likeliest unit first (the earlier of equals), then the
/// likeliest once that one is cleared, up to `bound` times; the rest by the likelihood that then remains. `innocents` are cleared
/// beforehand and come last.
pub fn clear_and_update(matrix: &CoverageMatrix, innocents: &[u32], bound: usize) -> Updated {
    let mut clearing = Clearing::new(matrix);
    for &unit in innocents {
        clearing.clear(unit as usize);
    }
    let unexplained = clearing.unexplained();
    let mut scores = clearing.causal_likelihood();
    let mut inspected: Vec<(u32, f64)> = Vec::new();
    while inspected.len() < bound {
        let best = scores.iter().enumerate().reduce(|best, next| if *next.1 > *best.1 { next } else { best });
        let Some((unit, &score)) = best.filter(|(_, score)| **score > f64::NEG_INFINITY) else { break };
        inspected.push((unit as u32, score));
        clearing.clear(unit);
        scores = clearing.causal_likelihood();
    }
    for &(unit, score) in &inspected {
        scores[unit as usize] = score;
    }
    Updated { inspected: inspected.into_iter().map(|(unit, _)| unit).collect(), log2_likelihood: scores, unexplained }
}

/// A sum of powers of 2 is held as `sum * 2^(-LEVEL * level)`: one addition for each term, and no term that matters is lost.
const LEVEL: f64 = 400.0;

/// The failing tests of a matrix, eight to a byte: sums over them are looked up, not added up test by test.
#[derive(Clone, Debug)]
struct Failures {
    tests: Vec<usize>,
    n_units: usize,
    /// For each eight tests, a byte for each unit.
    planes: Vec<u8>,
}

impl Failures {
    fn new(matrix: &CoverageMatrix) -> Self {
        let failed = matrix.failed().iter().enumerate();
        let tests: Vec<usize> = failed.filter(|(_, failed)| **failed).map(|(test, _)| test).collect();
        let n_units = matrix.n_units();
        let mut planes = vec![0; n_units * tests.len().div_ceil(8)];
        planes.par_chunks_mut(n_units.max(1)).zip(tests.par_chunks(8)).for_each(|(plane, tests)| {
            for (bit, test) in tests.iter().enumerate() {
                for (byte, covered) in plane.iter_mut().zip(matrix.row_of(*test)) {
                    *byte |= u8::from(covered) << bit;
                }
            }
        });
        Failures { tests, n_units, planes }
    }

    /// For each unit, `log2` of the sum of `2^log2_term(size)` over the failing tests that executed it; negative infinity if none
    /// did. `sizes` are those of all tests.
    fn sums(&self, sizes: &[u32], log2_term: impl Fn(u32) -> f64) -> Vec<f64> {
        let terms: Vec<Term> = self.tests.iter().map(|&test| Term::new(log2_term(sizes[test]))).collect();
        let tables: Vec<[Term; 256]> = terms.chunks(8).map(sums_of_bytes).collect();
        let mut sums = vec![0.0; self.n_units];
        sums.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, sums)| {
            let mut totals = [Term::NONE; CHUNK];
            for (plane, table) in self.planes.chunks(self.n_units).zip(&tables) {
                for (total, byte) in totals.iter_mut().zip(&plane[chunk * CHUNK..]) {
                    total.add(table[usize::from(*byte)]);
                }
            }
            sums.iter_mut().zip(&totals).for_each(|(sum, total)| *sum = total.log2());
        });
        sums
    }
}

/// Units that one thread sums at a time.
const CHUNK: usize = 1024;

/// The sum of the terms at the set bits of each byte.
fn sums_of_bytes(terms: &[Term]) -> [Term; 256] {
    let mut table = [Term::NONE; 256];
    for byte in 1..256usize {
        table[byte] = table[byte & (byte - 1)];
        if let Some(term) = terms.get(byte.trailing_zeros() as usize) {
            table[byte].add(*term);
        }
    }
    table
}

/// A power of 2, or a sum of them.
#[derive(Clone, Copy, Debug)]
struct Term {
    sum: f64,
    level: i32,
}

impl Term {
    const NONE: Term = Term { sum: 0.0, level: i32::MAX };

    fn new(log2: f64) -> Self {
        if !log2.is_finite() {
            return Term { sum: log2.exp2(), level: 0 };
        }
        let level = (-log2 / LEVEL).floor();
        Term { sum: (log2 + level * LEVEL).exp2(), level: level as i32 }
    }

    #[inline]
    fn add(&mut self, other: Term) {
        if other.level == self.level {
            self.sum += other.sum;
        } else if other.level < self.level {
            let rest = if other.level + 1 == self.level { self.sum * (-LEVEL).exp2() } else { 0.0 };
            *self = Term { sum: other.sum + rest, level: other.level };
        } else if other.level == self.level + 1 {
            self.sum += other.sum * (-LEVEL).exp2();
        }
    }

    fn log2(self) -> f64 {
        if self.sum == 0.0 { f64::NEG_INFINITY } else { self.sum.log2() - LEVEL * f64::from(self.level) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Rows of 0 and 1, each followed by `|1` for a failing test.
    pub(crate) fn matrix(rows: &[&str]) -> CoverageMatrix {
        let rows: Vec<(Vec<bool>, bool)> = rows
            .iter()
            .map(|row| {
                let (units, outcome) = row.split_once('|').unwrap();
                (units.chars().map(|c| c == '1').collect(), outcome == "1")
            })
            .collect();
        CoverageMatrix::from_rows(rows[0].0.len(), &rows)
    }

    fn assert_close(values: &[f64], expected: &[f64]) {
        assert_eq!(values.len(), expected.len());
        assert!(values.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{values:?} is not {expected:?}");
    }

    fn cl(matrix: &CoverageMatrix) -> Vec<f64> {
        causal_likelihood(matrix).into_iter().map(f64::exp2).collect()
    }

    #[test]
    fn minmax_has_the_published_likelihoods() {
        let matrix = matrix(&["0110|1", "0011|1", "0010|1", "1001|0", "1100|0"]);
        let pf: Vec<f64> = fault_likelihood(&matrix).iter().map(FaultLikelihood::probability).collect();
        assert_close(&pf, &[0.0, 2.0 / 3.0, 1.0, 2.0 / 3.0]);
        assert_close(&cl(&matrix), &[0.0, 1.0 / 6.0, 5.0 / 9.0, 1.0 / 6.0]);
        let wong2 = crate::spectra::measures::find("wong2").unwrap();
        assert_eq!(wong2.scores(&matrix.spectra(), crate::spectra::Smoothing::None), [-2.0, 0.0, 3.0, 0.0]);
    }

    #[test]
    fn causes_of_one_test_have_their_probabilities() {
        for (rho, cause, only) in [(1, 1.0, 1.0), (2, 2.0 / 3.0, 1.0 / 3.0), (3, 4.0 / 7.0, 1.0 / 7.0)] {
            assert_close(&[log2_cause(rho).exp2(), log2_only_cause(rho).exp2()], &[cause, only]);
        }
        assert_eq!((log2_cause(5000), log2_only_cause(5000)), (-1.0, -5000.0));
    }

    #[test]
    fn a_test_with_one_unit_settles_it() {
        assert_close(&cl(&matrix(&["110|1", "001|1"])), &[1.0 / 3.0, 1.0 / 3.0, 1.0]);
    }

    #[test]
    fn clearing_a_unit_leaves_its_neighbour() {
        let matrix = matrix(&["0011|1", "1100|1"]);
        assert_close(&cl(&matrix), &[1.0 / 3.0; 4]);
        let mut clearing = Clearing::new(&matrix);
        clearing.clear(0);
        clearing.clear(0);
        let after: Vec<f64> = clearing.causal_likelihood().into_iter().map(f64::exp2).collect();
        assert_close(&after, &[0.0, 1.0, 1.0 / 3.0, 1.0 / 3.0]);
        let updated = clear_and_update(&matrix, &[], UPDATE_BOUND);
        assert_eq!(updated.inspected, [0, 1, 2, 3]);
        assert_close(&updated.log2_likelihood, &[(1.0f64 / 3.0).log2(), 0.0, (1.0f64 / 3.0).log2(), 0.0]);
        let bounded = clear_and_update(&matrix, &[], 1);
        assert_eq!(bounded.inspected, [0]);
        assert_close(
            &bounded.log2_likelihood,
            &[(1.0f64 / 3.0).log2(), 0.0, (1.0f64 / 3.0).log2(), (1.0f64 / 3.0).log2()],
        );
        let given = clear_and_update(&matrix, &[2, 3], UPDATE_BOUND);
        assert_eq!((given.inspected, given.unexplained), (vec![0, 1], vec![0]));
    }

    #[test]
    fn thousands_of_units_do_not_underflow() {
        // One failing test executes 5000 units, another 4000 of them: the 4000 are likelier, all else equal.
        let wide: Vec<u32> = (0..5000).collect();
        let tests = [(wide.clone(), true), (wide[..4000].to_vec(), true), (wide, false)];
        let matrix = CoverageMatrix::from_units(5001, &tests);
        let scores = causal_likelihood(&matrix);
        assert!((scores[0] - (-4000.0 - 3f64.log2())).abs() < 1e-9);
        assert!((scores[4999] - (-5000.0 - 1.0)).abs() < 1e-9);
        assert_eq!(scores[5000], f64::NEG_INFINITY);
        let pf = fault_likelihood(&matrix);
        assert!(pf[0].keys() > pf[4999].keys() && pf[4999].keys() > pf[5000].keys());
        assert_eq!(pf[5000].probability(), 0.0);
        assert!((pf[0].probability() - 0.75).abs() < 1e-12);
    }

    #[test]
    fn narrow_tests_outweigh_many_wide_ones() {
        // Three tests with two units each against four with many.
        let (narrow, wide): (Vec<u32>, Vec<u32>) = (vec![0, 1], (2..300).collect());
        let tests: Vec<_> = (0..7).map(|test| (if test < 3 { narrow.clone() } else { wide.clone() }, true)).collect();
        let pf = fault_likelihood(&CoverageMatrix::from_units(300, &tests));
        assert!((pf[0].probability() - 26.0 / 27.0).abs() < 1e-12 && (pf[2].probability() - 15.0 / 16.0).abs() < 1e-12);
        assert!(pf[0].keys() > pf[2].keys());
    }

    proptest! {
        #[test]
        fn logarithms_agree_with_the_definitions(
            rows in prop::collection::vec((prop::collection::vec(any::<bool>(), 12), any::<bool>()), 1..80)
        ) {
            let matrix = CoverageMatrix::from_rows(12, &rows);
            let (cl, pf) = (cl(&matrix), fault_likelihood(&matrix));
            for unit in 0..12 {
                let covering: Vec<_> = rows.iter().filter(|(row, _)| row[unit]).collect();
                let failing = covering.iter().filter(|(_, failed)| *failed);
                let rhos: Vec<i32> = failing.map(|(row, _)| row.iter().filter(|c| **c).count() as i32).collect();
                let only: f64 = rhos.iter().map(|&rho| 1.0 / (2f64.powi(rho) - 1.0)).sum();
                let expected = if covering.is_empty() { 0.0 } else { only / covering.len() as f64 };
                prop_assert!((cl[unit] - expected).abs() <= 1e-12);
                let innocent: f64 = rhos.iter().map(|&rho| 1.0 - 2f64.powi(rho - 1) / (2f64.powi(rho) - 1.0)).product();
                prop_assert!((pf[unit].probability() - (1.0 - innocent)).abs() <= 1e-12);
            }
        }
    }
}
