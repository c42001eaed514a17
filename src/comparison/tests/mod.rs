//! The specification's figures and theorems, on programs of a small language.

mod case;
mod figures;
mod language;
mod process;
mod programs;
mod static_slice;
mod table;
