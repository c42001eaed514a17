//! Coverage matrices, the spectra of ranked units, the measures over them, and Doric's causal models.
//!
//! Pure: no IO, no clock, no printing.

pub mod doric;
pub mod formula;
pub mod gzoltar;
pub mod hypothesis;
mod matrix;
pub mod measures;
mod spectrum;

pub use matrix::CoverageMatrix;
pub use measures::{Measure, Smoothing};
pub use spectrum::{DistinctSpectra, Spectrum};
