//! The causal analysis on programs that are really run, with known dependences, and against another implementation.

mod loops;
mod other;
mod programs;
