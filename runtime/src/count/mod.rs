//! What a process counts and logs in its trace file, and how addresses and strings are seen.

pub mod file;
pub mod log;
pub mod object;
pub mod text;
