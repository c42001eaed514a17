//! Weights of causal models and of tests (Doric's w) other than all alike.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

use super::Names;
use crate::spectra::{CoverageMatrix, Spectrum};

/// Largest numerator and denominator of a weight: rounded answers then keep nine digits.
const MOST: u32 = 1_000_000;

/// How likely units are causes, and how likely tests are spoken of.
///
/// A unit has a probability of being a cause in a failing test that executes it, each for itself and before it is known that some unit is
/// one. With 1/2 for all units, which is what units have that are not named here, all causal models are equally likely. A unit with 0 is
/// innocent. A test has a weight against the 1 of tests that are not named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Weights {
    units: BTreeMap<u32, BigRational>,
    tests: BTreeMap<u32, BigRational>,
}

/// Why a text gives no weights.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}: {message}")]
pub struct WeightError {
    /// Line of the text, from 1.
    pub line: usize,
    /// What is wrong there.
    pub message: String,
}

impl Weights {
    /// Weights by the rates at which the tests that execute a unit fail: `(ef + 1) / (ef + ep + 2)`, Laplace's rule of succession, which
    /// is 1/2 where nothing is known and never 0 or 1.
    pub fn of_spectra(spectra: &[Spectrum]) -> Self {
        let rate = |s: &Spectrum| ratio(u64::from(s.ef) + 1, u64::from(s.ef) + u64::from(s.ep) + 2);
        let units = spectra.iter().enumerate().map(|(unit, spectrum)| (unit as u32, rate(spectrum)));
        Weights { units: units.filter(|(_, weight)| *weight != half()).collect(), tests: BTreeMap::new() }
    }

    /// Weights by how large units are, in any measure: the odds that one is a cause are its size against the mean size, so a unit of the mean size has
    /// 1/2. Rounded to thousandths, from one to 999.
    pub fn of_sizes(sizes: &[u64]) -> Self {
        let total: u128 = sizes.iter().map(|size| u128::from(*size)).sum();
        let weight = |size: u64| {
            let own = u128::from(size) * sizes.len() as u128;
            let thousandths = (1000 * own + (own + total) / 2).checked_div(own + total).unwrap_or(500);
            ratio(thousandths.clamp(1, 999) as u64, 1000)
        };
        let units = sizes.iter().enumerate().map(|(unit, size)| (unit as u32, weight(*size)));
        Weights { units: units.filter(|(_, weight)| *weight != half()).collect(), tests: BTreeMap::new() }
    }

    /// Weights as a text gives them, a line each: `h[unit] 0.9` or `t[test] 3`, decimals or fractions. Lines that are empty or begin
    /// with `#` say nothing.
    pub fn parse(text: &str, names: &impl Names, n_tests: usize) -> Result<Self, WeightError> {
        let (mut weights, mut lines) = (Weights::default(), BTreeMap::new());
        for (at, line) in text.lines().enumerate() {
            let (line, number) = (line.trim(), at + 1);
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let wrong = |message: String| WeightError { line: number, message };
            let (is_unit, name, value) = entry(line).ok_or_else(|| {
                wrong("expected `h[UNIT] PROBABILITY` or `t[TEST] WEIGHT`, as in `h[src/a.c:41] 0.9`".into())
            })?;
            let index = if is_unit { names.unit(name) } else { names.test(name) }.map_err(wrong)?;
            let value = number_of(value)
                .filter(|value| !is_unit || *value <= BigRational::one())
                .ok_or_else(|| wrong(format!("`{value}`: expected {}", if is_unit { PROBABILITY } else { WEIGHT })))?;
            if let Some(before) = lines.insert((is_unit, index), number) {
                return Err(wrong(format!("`{name}` has its weight from line {before}; leave one of the two out")));
            }
            if is_unit { &mut weights.units } else { &mut weights.tests }.insert(index, value);
        }
        let none_left = weights.tests.len() == n_tests && weights.tests.values().all(BigRational::is_zero);
        if let Some(line) = lines.values().max().filter(|_| none_left && n_tests > 0) {
            return Err(WeightError { line: *line, message: "all tests have weight 0; give one more".into() });
        }
        Ok(weights)
    }

    /// Says that a unit is never a cause.
    pub fn clear(&mut self, unit: u32) {
        self.units.insert(unit, BigRational::zero());
    }

    /// Whether all causal models, and all tests, are equally likely.
    pub(super) fn is_uniform(&self) -> bool {
        self.units.values().all(|weight| *weight == half()) && self.tests.values().all(BigRational::is_one)
    }

    /// Whether a unit is never a cause.
    pub(super) fn is_innocent(&self, unit: u32) -> bool {
        self.units.get(&unit).is_some_and(BigRational::is_zero)
    }

    /// The probability that a unit is a cause.
    pub(super) fn unit(&self, unit: u32) -> BigRational {
        self.units.get(&unit).cloned().unwrap_or_else(half)
    }

    /// The probability that it is none.
    pub(super) fn innocence(&self, unit: u32) -> BigRational {
        BigRational::one() - self.unit(unit)
    }

    /// The weight of a test.
    pub(super) fn test(&self, test: u32) -> BigRational {
        self.tests.get(&test).cloned().unwrap_or_else(BigRational::one)
    }

    /// The different probabilities of being no cause, and for each of `n_units` units which of them it has; none if it is innocent.
    pub(super) fn levels(&self, n_units: usize) -> (Vec<BigRational>, Vec<Option<u32>>) {
        let mut levels = vec![half()];
        let mut known = BTreeMap::from([(half(), 0)]);
        let mut level_of = vec![Some(0); n_units];
        for (unit, weight) in self.units.iter().filter(|(unit, _)| (**unit as usize) < n_units) {
            let level = *known.entry(weight.clone()).or_insert_with(|| {
                levels.push(BigRational::one() - weight);
                levels.len() as u32 - 1
            });
            level_of[*unit as usize] = Some(level).filter(|_| !weight.is_zero());
        }
        (levels, level_of)
    }

    /// About how many bits the denominators of exact answers over `matrix` have; where all models are equally likely, the number of
    /// models is below the power of 2 with this exponent.
    pub(super) fn bits(&self, matrix: &CoverageMatrix) -> u64 {
        let mut of_unit = vec![1; matrix.n_units()];
        for (unit, weight) in self.units.iter().filter(|(unit, _)| (**unit as usize) < matrix.n_units()) {
            of_unit[*unit as usize] = (weight.denom() - BigInt::one()).bits();
        }
        let failing = (0..matrix.n_tests()).filter(|test| matrix.failed()[*test]);
        failing.flat_map(|test| matrix.units_of(test)).map(|unit| of_unit[unit as usize]).sum()
    }
}

const PROBABILITY: &str = "a probability from 0 to 1, such as 0.25 or 1/3, of at most six digits";
const WEIGHT: &str = "a weight such as 0, 2.5 or 1/3, of at most six digits";

fn half() -> BigRational {
    ratio(1, 2)
}

fn ratio(numerator: u64, denominator: u64) -> BigRational {
    BigRational::new(BigInt::from(numerator), BigInt::from(denominator))
}

/// Whether a line is about a unit, the name, and the rest. The name ends at the last bracket, for names may hold some.
fn entry(line: &str) -> Option<(bool, &str, &str)> {
    let is_unit = line.starts_with("h[");
    let rest = line.strip_prefix(if is_unit { "h[" } else { "t[" })?;
    let (name, value) = rest.rsplit_once(']')?;
    Some((is_unit, name.trim(), value.trim()))
}

/// A decimal or a fraction, both parts at most [`MOST`].
fn number_of(text: &str) -> Option<BigRational> {
    let whole = |digits: &str| {
        let plain = !digits.is_empty() && digits.len() <= 7 && digits.bytes().all(|digit| digit.is_ascii_digit());
        digits.parse().ok().filter(|number: &u32| plain && *number <= MOST).map(u64::from)
    };
    if let Some((numerator, denominator)) = text.split_once('/') {
        let (numerator, denominator) = (whole(numerator.trim())?, whole(denominator.trim())?);
        return (denominator > 0).then(|| ratio(numerator, denominator));
    }
    let (before, after) = text.split_once('.').unwrap_or((text, "0"));
    let scale = 10u64.pow(u32::try_from(after.len()).ok().filter(|digits| *digits <= 6)?);
    Some(ratio(whole(before)? * scale + whole(after)?, scale))
}
