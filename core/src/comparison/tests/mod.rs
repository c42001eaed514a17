//! The specification's figures and theorems, on programs of a small language.

mod alignment;
mod case;
mod confounding;
mod figures;
mod forward;
mod generate;
mod language;
mod models;
mod naive;
mod process;
mod programs;
mod properties;
mod question;
mod static_slice;
mod switching;
mod table;
