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
//! `in[test] A`, Doric's `◇_k A`, holds if A holds of that test, whichever test is spoken of. It binds as `!` does.
//!
//! "The test" is any test, all being equally likely; so are all causal models, each of which marks in every failing test a non-empty
//! subset of the units it executed as its causes. [`Weights`] make some likelier. `P_k(A)` is `P(A | t[k])`.

mod closed;
mod enumerate;
mod number;
mod parse;
mod weights;

use num_rational::BigRational;
pub use number::Wide;
pub use parse::QueryError;
pub use weights::{WeightError, Weights};

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
    /// The statement holds of this test, whichever test is spoken of.
    In(u32, Box<Statement>),
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
    /// No unit that a failing test executed may be a cause.
    #[error("test {} failed, and every ranked unit that it executed is innocent or has weight 0", .0 + 1)]
    NoneLeft(usize),
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

    /// The query's answer over the causal models of `matrix`, which weigh as `weights` has it.
    ///
    /// Tests are independent in a model, so the answer needs only the combinations of the units that the query mentions; models
    /// themselves are counted one by one only where these are fewer. Answers are exact unless the matrix or the query is large.
    pub fn answer(&self, matrix: &CoverageMatrix, weights: &Weights) -> Result<Probability, Unanswerable> {
        if matrix.n_tests() == 0 {
            return Err(Unanswerable::NoTest);
        }
        let sizes = matrix.sizes();
        for (test, _) in matrix.failed().iter().enumerate().filter(|(_, failed)| **failed) {
            if sizes[test] == 0 {
                return Err(Unanswerable::NoCause(test));
            }
            if !weights.is_uniform() && matrix.units_of(test).all(|unit| weights.is_innocent(unit)) {
                return Err(Unanswerable::NoneLeft(test));
            }
        }
        let bits = weights.bits(matrix);
        let closed = closed::Closed::new(self, matrix, weights);
        let n_states = closed.n_states();
        let countable = weights.is_uniform() && bits < 40;
        let n_models = if countable { (1u64 << bits).saturating_mul(matrix.n_tests() as u64) } else { u64::MAX };
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
    /// Whether it holds, given which atoms do: of the test that is named, or else of the one that is spoken of.
    fn holds(&self, place: Option<u32>, atom: &impl Fn(Option<u32>, &Statement) -> bool) -> bool {
        match self {
            Statement::In(test, inner) => inner.holds(Some(*test), atom),
            Statement::Not(inner) => !inner.holds(place, atom),
            Statement::And(a, b) => a.holds(place, atom) && b.holds(place, atom),
            Statement::Or(a, b) => a.holds(place, atom) || b.holds(place, atom),
            leaf => atom(place, leaf),
        }
    }

    /// Calls `each` with every atom, and with every statement that names the test it is about.
    fn atoms(&self, each: &mut impl FnMut(&Statement)) {
        match self {
            Statement::In(_, inner) => {
                each(self);
                inner.atoms(each);
            }
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
