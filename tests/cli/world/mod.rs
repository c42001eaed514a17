//! The second tier, `make test-world`: what needs a network, a cluster, a browser or a package, and released programs. `make test` leaves it out
//! by the name of this module.

mod edits;
mod nights;
mod package;
mod page;
mod projects;
mod real_bugs;
mod real_mutants;
mod slurm;
mod source;
mod study_programs;
