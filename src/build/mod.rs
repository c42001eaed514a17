//! Building programs: the compiler driver, `suspect build` and `suspect doctor`. Clang's command line lives here alone.

pub mod arguments;
pub mod check;
pub mod doctor;
pub mod driver;
pub mod elf;
pub mod event;
mod gcc;
pub mod inputs;
pub mod inspect;
pub mod names;
pub mod optimise;
pub mod plan;
mod recipe;
pub mod report;
pub mod run;
pub mod shim;
pub mod stale;
mod stamp;
pub mod toolchain;
pub mod tree;

pub use doctor::{DoctorReport, doctor};
pub use driver::driver_main;
pub use inspect::notice;
pub use names::is_driver_name;
pub use report::BuildReport;
pub use run::{BuildError, BuildOptions, BuildOutput, build, log_in};
