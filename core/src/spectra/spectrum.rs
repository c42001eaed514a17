//! The four counts of a ranked unit, and units that share them.

use std::collections::HashMap;

/// How many tests of each outcome executed a ranked unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Spectrum {
    /// Failing tests that executed it.
    pub ef: u32,
    /// Failing tests that did not.
    pub nf: u32,
    /// Passing tests that executed it.
    pub ep: u32,
    /// Passing tests that did not.
    pub np: u32,
}

/// The distinct spectra of some ranked units: what a measure needs to look at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DistinctSpectra {
    /// Spectra, each once.
    pub spectra: Vec<Spectrum>,
    /// For each ranked unit, the index of its spectrum.
    pub class: Vec<u32>,
}

impl DistinctSpectra {
    /// Groups units by their spectra; spectra come in the order of the first unit that has them.
    pub fn of(spectra: &[Spectrum]) -> Self {
        let mut distinct = DistinctSpectra { spectra: Vec::new(), class: Vec::with_capacity(spectra.len()) };
        let mut classes = HashMap::new();
        for &spectrum in spectra {
            let class = *classes.entry(spectrum).or_insert_with(|| {
                distinct.spectra.push(spectrum);
                distinct.spectra.len() as u32 - 1
            });
            distinct.class.push(class);
        }
        distinct
    }

    /// Values of the distinct spectra, handed out to all units.
    pub fn spread(&self, values: &[f64]) -> Vec<f64> {
        self.class.iter().map(|&class| values[class as usize]).collect()
    }
}
