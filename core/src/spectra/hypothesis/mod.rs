//! Doric's hypothesis language (Landsberg and Barr): probabilities of statements about units and tests, over all causal models of a
//! coverage matrix.
//!
//! A query is `P(A)`, `P(A | B)`, or either about one test, `P_3(A)` or `P[name](A)`. Statements are built from atoms with `!`/`¬`,
//! `&&`/`∧`, `||`/`∨` and parentheses:
//!
//! | atom | holds if |
//! |---|---|
//! | `u[unit]` | the test executed the unit |
//! | `h[unit]` | the unit was a cause of the test's failure |
//! | `H[unit]` | the unit was its only cause |
//! | `f[unit]` | the unit was a cause of some test's failure |
//! | `e` | the test failed |
//! | `t[test]` | it is this test that is spoken of |
//!
//! "The test" is any test, all being equally likely; so are all causal models, each of which marks in every failing test a non-empty
//! subset of the units it executed as its causes. `P_k(A)` is `P(A | t[k])`.

mod closed;
mod enumerate;
mod number;
mod parse;

use num_rational::BigRational;
pub use number::Wide;
pub use parse::QueryError;

use super::CoverageMatrix;

/// Bits of the largest denominator that is computed exactly.
const EXACT_BITS: u64 = 1024;
/// Largest numbers of states that are summed exactly, that are summed with rounding, and of models that are counted.
const MOST_EXACT: u64 = 1 << 16;
const MOST_ROUNDED: u64 = 1 << 22;
const MOST_COUNTED: u64 = 1 << 24;

/// A statement about a test, a causal model, or both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// The test executed the unit.
    Executed(u32),
    /// The unit was a cause of the test's failure.
    Cause(u32),
    /// The unit was the only cause of the test's failure.
    OnlyCause(u32),
    /// The unit was a cause of some test's failure.
    Fault(u32),
    /// The test failed.
    Failed,
    /// The test is this one.
    Test(u32),
    /// Not this.
    Not(Box<Statement>),
    /// Both.
    And(Box<Statement>, Box<Statement>),
    /// At least one.
    Or(Box<Statement>, Box<Statement>),
}

/// A query: the probability of a statement, given another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// What the probability is of.
    pub statement: Statement,
    /// What is given.
    pub given: Option<Statement>,
}

/// What units and tests are called.
pub trait Names {
    /// Index of the unit called `name`, or why there is none.
    fn unit(&self, name: &str) -> Result<u32, String>;
    /// Index of the test called `name`, or why there is none.
    fn test(&self, name: &str) -> Result<u32, String>;
}

/// A probability.
#[derive(Clone, Debug, PartialEq)]
pub enum Probability {
    /// Exactly this.
    Exact(BigRational),
    /// This, rounded.
    Rounded(Wide),
}

/// Why a query has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unanswerable {
    /// There is no test.
    #[error("there is no test to speak of")]
    NoTest,
    /// A failing test executed no unit, so nothing can have caused its failure.
    #[error("test {} failed without executing any ranked unit, so no causal model explains it", .0 + 1)]
    NoCause(usize),
    /// What is given cannot be.
    #[error("what is given has probability 0")]
    ImpossibleCondition,
    /// The statement mentions too many units.
    #[error("the query mentions {0} units, too many to go through all their combinations")]
    TooLarge(usize),
}

impl Query {
    /// Parses `text`; names are looked up in `names`.
    pub fn parse(text: &str, names: &impl Names) -> Result<Query, QueryError> {
        parse::parse(text, names)
    }

    /// The query's answer over the causal models of `matrix`.
    ///
    /// Tests are independent in a model, so the answer needs only the combinations of the units that the query mentions; models
    /// themselves are counted one by one only where these are fewer. Answers are exact unless the matrix or the query is large.
    pub fn answer(&self, matrix: &CoverageMatrix) -> Result<Probability, Unanswerable> {
        if matrix.n_tests() == 0 {
            return Err(Unanswerable::NoTest);
        }
        let sizes = matrix.sizes();
        let failing = || sizes.iter().zip(matrix.failed()).enumerate().filter(|(_, (_, failed))| **failed);
        if let Some((test, _)) = failing().find(|(_, (size, _))| **size == 0) {
            return Err(Unanswerable::NoCause(test));
        }
        let bits: u64 = failing().map(|(_, (size, _))| u64::from(*size)).sum();
        let closed = closed::Closed::new(self, matrix, &sizes);
        let n_states = closed.n_states();
        let n_models = if bits < 40 { (1u64 << bits).saturating_mul(matrix.n_tests() as u64) } else { u64::MAX };
        let answer = if bits <= EXACT_BITS && n_states <= MOST_EXACT {
            closed.answer().map(Probability::Exact)
        } else if n_models <= MOST_COUNTED {
            enumerate::count(self, matrix).map(Probability::Exact)
        } else if n_states <= MOST_ROUNDED {
            closed.answer().map(Probability::Rounded)
        } else {
            return Err(Unanswerable::TooLarge(closed.n_units()));
        };
        answer.ok_or(Unanswerable::ImpossibleCondition)
    }
}

impl Probability {
    /// As a floating-point number, 0 where it is too small for one.
    pub fn value(&self) -> f64 {
        match self {
            Probability::Exact(value) => Wide::of_ratio(value).value(),
            Probability::Rounded(value) => value.value(),
        }
    }

    /// Its logarithm to base 2, negative infinity for 0.
    pub fn log2(&self) -> f64 {
        match self {
            Probability::Exact(value) => Wide::of_ratio(value).log2(),
            Probability::Rounded(value) => value.log2(),
        }
    }
}

impl Statement {
    /// Whether it holds, given which atoms do.
    fn holds(&self, atom: &impl Fn(&Statement) -> bool) -> bool {
        match self {
            Statement::Not(inner) => !inner.holds(atom),
            Statement::And(a, b) => a.holds(atom) && b.holds(atom),
            Statement::Or(a, b) => a.holds(atom) || b.holds(atom),
            leaf => atom(leaf),
        }
    }

    /// Calls `each` with every atom.
    fn atoms(&self, each: &mut impl FnMut(&Statement)) {
        match self {
            Statement::Not(inner) => inner.atoms(each),
            Statement::And(a, b) | Statement::Or(a, b) => {
                a.atoms(each);
                b.atoms(each);
            }
            leaf => each(leaf),
        }
    }
}

#[cfg(test)]
mod tests;
