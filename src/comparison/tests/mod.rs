//! The specification's figures and theorems, on programs of a small language.

mod alignment;
mod case;
mod figures;
mod generate;
mod language;
mod naive;
mod process;
mod programs;
mod properties;
mod static_slice;
mod table;
