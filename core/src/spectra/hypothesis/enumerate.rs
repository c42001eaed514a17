//! Answers by going through every causal model: slow, and plain enough to check the closed forms against.

use num_bigint::BigInt;
use num_rational::BigRational;

use super::{Query, Statement};
use crate::spectra::CoverageMatrix;

/// The answer where all models and all tests are equally likely, or `None` if what is given never holds. Every failing test must
/// execute a unit.
pub(super) fn count(query: &Query, matrix: &CoverageMatrix) -> Option<BigRational> {
    let (mut both, mut given) = (0u64, 0u64);
    walk(query, matrix, |_, _, holds| {
        given += 1;
        both += u64::from(holds);
    });
    (given > 0).then(|| BigRational::new(BigInt::from(both), BigInt::from(given)))
}

/// Calls `each` with the test, the causes of every test, and whether the statement holds, wherever what is given holds. Causes are
/// bits over the units that a test executed, 0 in passing tests.
pub(super) fn walk(query: &Query, matrix: &CoverageMatrix, mut each: impl FnMut(usize, &[u64], bool)) {
    let tests: Vec<Test> = (0..matrix.n_tests()).map(|test| Test::new(matrix, test)).collect();
    let mut model: Vec<u64> = tests.iter().map(|test| u64::from(test.failed)).collect();
    loop {
        for test in 0..tests.len() {
            let atom = |place: Option<u32>, atom: &Statement| {
                let test = place.map_or(test, |place| place as usize);
                tests[test].holds(atom, test, &tests, &model)
            };
            if query.given.as_ref().is_none_or(|given| given.holds(None, &atom)) {
                each(test, &model, query.statement.holds(None, &atom));
            }
        }
        if !advance(&mut model, &tests) {
            break;
        }
    }
}

/// A row of the matrix.
struct Test {
    units: Vec<u32>,
    failed: bool,
}

impl Test {
    fn new(matrix: &CoverageMatrix, test: usize) -> Self {
        Test { units: matrix.units_of(test).collect(), failed: matrix.failed()[test] }
    }

    /// The bit of `unit` among the causes of this test, 0 if it was not executed.
    fn bit(&self, unit: u32) -> u64 {
        self.units.binary_search(&unit).map_or(0, |at| 1 << at)
    }

    fn holds(&self, atom: &Statement, test: usize, tests: &[Test], model: &[u64]) -> bool {
        match atom {
            Statement::Executed(unit) => self.bit(*unit) != 0,
            Statement::Cause(unit) => model[test] & self.bit(*unit) != 0,
            Statement::OnlyCause(unit) => model[test] != 0 && model[test] == self.bit(*unit),
            Statement::Fault(unit) => tests.iter().zip(model).any(|(test, causes)| causes & test.bit(*unit) != 0),
            Statement::Failed => self.failed,
            Statement::Test(number) => *number as usize == test,
            Statement::In(..) | Statement::Not(_) | Statement::And(..) | Statement::Or(..) => false,
        }
    }
}

/// Steps to the next model; whether there is one.
fn advance(model: &mut [u64], tests: &[Test]) -> bool {
    for (causes, test) in model.iter_mut().zip(tests).filter(|(_, test)| test.failed) {
        *causes += 1;
        if *causes < 1 << test.units.len() {
            return true;
        }
        *causes = 1;
    }
    false
}
