//! What one process recorded, as plain data, and site tables in the bytes of ELF files.

mod process;
mod sections;

pub use process::{Ending, Module, Process, Unit};
pub use sections::{sections, site_sections};
