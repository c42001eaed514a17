//! Building programs: the compiler driver, `suspect build` and `suspect doctor`. Clang's command line lives here alone.

pub mod arguments;
pub mod driver;
pub mod event;
mod gcc;
pub mod names;
pub mod plan;
pub mod shim;
pub mod toolchain;

pub use driver::driver_main;
pub use names::is_driver_name;
