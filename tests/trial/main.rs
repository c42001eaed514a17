//! Trials of value mutants on real programs: executors against each other, and what holds hostile mutants. `make build` must have run.

mod basics;
mod code;
mod compared;
mod containment;
mod covered;
mod differential;
mod garbage;
mod signals;
mod undone;
mod support;
mod systems;
