//! The command line driven as a user drives it, on real builds. `make build` must have run: the plugin and the runtime are used.

mod all_evidence;
mod bisecting;
mod causes;
mod code_mutants;
mod counts;
mod differences;
mod errors;
mod eval;
mod eval_trials;
mod interrupted;
mod keeping;
mod mutants;
mod nightly;
mod official;
mod project;
mod projects;
mod ranking;
mod real_mutants;
mod recording;
mod replaying;
mod reporting;
mod seeding;
mod slices;
mod study_programs;
mod word_count;
mod worked_examples;
