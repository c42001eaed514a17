//! Formulas over spectra: text to a stack program that runs on many spectra at once.
//!
//! Names: `ef nf ep np` are the counts a convention may have shifted (see [`super::Smoothing`]); `F = ef+nf`, `P = ep+np`,
//! `C = ef+ep`, `U = nf+np` and `N` their sums; `raw_ef raw_nf raw_ep raw_np` are the counts as they were. Operators
//! `+ - * / **`, comparisons (1 or 0), functions `sqrt log log2 log10 abs min max cos asin where(c, a, b)`, the constant
//! `pi`, and definitions `name = ...;` before the result.

mod parse;
mod run;

use parse::Expression;
pub use parse::FormulaError;
use run::Op;

use super::Spectrum;

/// Names of the inputs, in the order of [`inputs`].
const INPUTS: [&str; 13] = ["ef", "nf", "ep", "np", "F", "P", "C", "U", "N", "raw_ef", "raw_nf", "raw_ep", "raw_np"];

/// What a quotient with divisor 0 is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZeroDivision {
    /// As floating point has it: an infinity or undefined.
    Limit,
    /// 1, the protected division of genetic programming (Yoo, SSBSE 2012).
    One,
}

/// A formula ready to run.
#[derive(Clone, Debug)]
pub struct Formula {
    expression: Expression,
    program: Vec<Op>,
    division: ZeroDivision,
}

impl Formula {
    /// Parses and compiles `text`.
    pub fn new(text: &str, division: ZeroDivision) -> Result<Self, FormulaError> {
        let expression = parse::parse(text)?;
        let program = run::compile(&expression, division);
        Ok(Formula { expression, program, division })
    }

    /// Whether the formula looks at counts as they were.
    pub fn needs_raw_counts(&self) -> bool {
        self.expression.mentions(&|input| input >= 9)
    }

    /// Values for `spectra`, each count raised by `shift` first (raw names excepted); NaN where undefined.
    pub fn values(&self, spectra: &[Spectrum], shift: f64) -> Vec<f64> {
        let mut values = Vec::with_capacity(spectra.len());
        for chunk in spectra.chunks(run::LANES) {
            let mut columns = [[1.0; run::LANES]; INPUTS.len()];
            for (lane, spectrum) in chunk.iter().enumerate() {
                let raw = [spectrum.ef, spectrum.nf, spectrum.ep, spectrum.np].map(f64::from);
                for (column, value) in columns.iter_mut().zip(inputs(raw.map(|count| count + shift), raw)) {
                    column[lane] = value;
                }
            }
            values.extend_from_slice(&run::run(&self.program, &columns)[..chunk.len()]);
        }
        values
    }

    /// The value for counts `[ef, nf, ep, np]` taken as they are, `None` if a branch that counts divides by 0 or takes a
    /// logarithm or root outside its domain. Slow: for explaining, and for checking [`Self::values`].
    pub fn strict(&self, counts: [f64; 4]) -> Option<f64> {
        self.expression.strict(&inputs(counts, counts), self.division)
    }
}

/// Values of [`INPUTS`].
fn inputs([ef, nf, ep, np]: [f64; 4], raw: [f64; 4]) -> [f64; 13] {
    [ef, nf, ep, np, ef + nf, ep + np, ef + ep, nf + np, ef + nf + ep + np, raw[0], raw[1], raw[2], raw[3]]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str, counts: [f64; 4]) -> Option<f64> {
        Formula::new(text, ZeroDivision::Limit).expect("parses").strict(counts)
    }

    #[test]
    fn operators_bind_as_in_arithmetic() {
        assert_eq!(value("2+3*4", [0.0; 4]), Some(14.0));
        assert_eq!(value("-2**2", [0.0; 4]), Some(-4.0));
        assert_eq!(value("2**3**2", [0.0; 4]), Some(512.0));
        assert_eq!(value("8-2-1", [0.0; 4]), Some(5.0));
        assert_eq!(value("8/2/2", [0.0; 4]), Some(2.0));
        assert_eq!(value("1e-2*100", [0.0; 4]), Some(1.0));
        assert_eq!(value("x = ef+1; y = x*x; y-np", [2.0, 0.0, 0.0, 5.0]), Some(4.0));
        assert_eq!(value("where(nf==0, 7, ef/nf)", [1.0, 0.0, 0.0, 0.0]), Some(7.0));
        assert_eq!(value("ef/nf", [1.0, 0.0, 0.0, 0.0]), None);
        assert_eq!(value("log(ef)", [0.0; 4]), None);
    }

    #[test]
    fn errors_point_at_the_column() {
        let column = |text| Formula::new(text, ZeroDivision::Limit).expect_err("is wrong").column();
        assert_eq!(column("ef + "), 6);
        assert_eq!(column("ef + zz"), 6);
        assert_eq!(column("sqrt(ef, nf)"), 1);
        assert_eq!(column("(ef"), 4);
        assert_eq!(column("ef $ nf"), 4);
        assert_eq!(column("ef nf"), 4);
    }
}
