//! Builds of small projects by the real driver, with the real plugin and runtime (`make build` first).

mod driver;
mod faults;
mod support;
mod systems;
