//! The catalogue of spectrum measures: 221 formulas over the four counts, with where each comes from.

mod table;
#[cfg(test)]
mod values;

use std::sync::OnceLock;

use super::Spectrum;
use super::formula::{Formula, ZeroDivision};

/// Where a measure comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    /// Similarity measures that fault localisation started from.
    Core,
    /// Heuristics of Wong and co-authors.
    Wong,
    /// Monotone forms and duals of Naish and co-authors.
    Naish,
    /// Formulas that genetic programming found.
    Evolved,
    /// Binary similarity coefficients and distances.
    Similarity,
    /// Interestingness of association rules.
    Association,
    /// Confirmation measures.
    Confirmation,
    /// Causal strength.
    Causal,
    /// Measures of single tools.
    Other,
}

impl Family {
    /// Every family, in the order of the catalogue.
    pub const ALL: [Family; 9] = [
        Family::Core,
        Family::Wong,
        Family::Naish,
        Family::Evolved,
        Family::Similarity,
        Family::Association,
        Family::Confirmation,
        Family::Causal,
        Family::Other,
    ];

    /// The word that stands for the family in the catalogue's text.
    fn word(self) -> &'static str {
        match self {
            Family::Core => "core",
            Family::Wong => "wong",
            Family::Naish => "naish",
            Family::Evolved => "evolved",
            Family::Similarity => "similarity",
            Family::Association => "association",
            Family::Confirmation => "confirmation",
            Family::Causal => "causal",
            Family::Other => "other",
        }
    }

    /// The family in words.
    pub fn name(self) -> &'static str {
        match self {
            Family::Core => "similarity measures of fault localisation",
            Family::Wong => "heuristics of Wong and co-authors",
            Family::Naish => "monotone forms and duals of Naish and co-authors",
            Family::Evolved => "formulas found by genetic programming",
            Family::Similarity => "binary similarity and distance",
            Family::Association => "association and interestingness",
            Family::Confirmation => "confirmation",
            Family::Causal => "causal strength",
            Family::Other => "measures of single tools",
        }
    }
}

/// What is added to each count before a measure sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Smoothing {
    /// One half, so that no quotient of sums of counts is undefined (Naish, Lee and Ramamohanarao 2011; Landsberg et al.
    /// 2015). The convention of this tool.
    #[default]
    Half,
    /// Nothing, as some tools have it.
    None,
}

impl Smoothing {
    fn shift(self) -> f64 {
        match self {
            Smoothing::Half => 0.5,
            Smoothing::None => 0.0,
        }
    }
}

/// A measure: a formula over a spectrum, higher meaning more suspicious.
#[derive(Debug)]
pub struct Measure {
    /// Its identifier on the command line: letters, digits and underscores.
    pub id: &'static str,
    /// What its authors or users call it.
    pub name: &'static str,
    /// Its family.
    pub family: Family,
    /// Its text, in the language of [`super::formula`].
    pub formula: &'static str,
    /// Where it was published.
    pub citation: &'static str,
    /// Other names.
    pub aliases: Vec<&'static str>,
    /// Whether the formula was compared with a publication or an implementation; false: from memory of one.
    pub checked: bool,
    /// Measures of the same class rank every set of spectra alike under [`Smoothing::Half`].
    pub class: Option<&'static str>,
    /// What a quotient with divisor 0 is.
    pub division: ZeroDivision,
    /// Whether a divisor or logarithm can vanish even under [`Smoothing::Half`].
    pub singular: bool,
    /// One of the 127 measures of the usual comparisons.
    pub classic: bool,
    /// What else to know; may be empty.
    pub note: &'static str,
}

impl Measure {
    /// Scores of `spectra`; NaN where the formula is undefined, which ranks least of all.
    pub fn scores(&self, spectra: &[Spectrum], smoothing: Smoothing) -> Vec<f64> {
        self.compiled().values(spectra, smoothing.shift())
    }

    /// Whether it looks at counts as they are, whatever the smoothing.
    pub fn needs_raw_counts(&self) -> bool {
        self.formula.contains("raw_")
    }

    fn compiled(&self) -> Formula {
        // The catalogue's formulas are constants, and a test compiles each.
        Formula::new(self.formula, self.division).expect("the catalogue's formulas parse")
    }
}

/// All measures, in the order of their families.
pub fn all() -> &'static [Measure] {
    static ALL: OnceLock<Vec<Measure>> = OnceLock::new();
    // The text is part of the program, and a test reads it.
    ALL.get_or_init(|| table::read(include_str!("measures.tsv")).expect("the catalogue of measures is whole"))
}

/// The measure called `id`.
pub fn find(id: &str) -> Option<&'static Measure> {
    all().iter().find(|measure| measure.id == id)
}

#[cfg(test)]
mod tests;
