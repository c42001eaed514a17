//! What a test is: suspect.toml, detection, the kinds of suite, and what a run of a test says about the program.
//!
//! A test is one command that the project itself would run: a script that calls the program twenty times is one test.
//! Tests of CTest, Automake and Meson are listed by their own tools and then run here one by one, each alone with
//! whatever it needs (fixtures), so that a result depends neither on the order nor on how many run at once.

mod against_file;
mod answers;
mod automake;
mod automake_check;
mod automake_result;
mod autotest;
mod baseline;
mod build_section;
mod by_status;
mod captured;
mod case;
mod case_list;
mod cases;
mod check_target;
mod cmake_regex;
mod command;
mod commands;
mod compared;
mod compared_each;
mod complaint;
pub mod config;
mod configured;
mod ctest;
mod ctest_oracle;
mod deadline;
mod detect;
mod directories;
mod driver;
mod error;
mod framework;
mod functions;
mod groups;
mod hint;
mod init;
mod junit;
mod kept;
mod kept_start;
mod left_dirs;
mod likeness;
mod line;
mod load;
mod locks;
mod makefile;
mod meson;
mod mismatch;
mod named;
mod names;
mod options;
mod oracle;
mod other;
mod print;
mod refine;
mod rounds;
mod script;
mod shape;
mod split;
mod started;
mod starts;
pub mod tap;
mod targets;
mod template;
mod test;
mod test_code;
mod verdict;
mod wanted;
mod words;

pub use baseline::{
    Baseline, BaselineOptions, Counts, Help, Purpose, Remark, RunSummary, Stability, TestBaseline, Until, Watch,
    baseline, differing, timeout_from,
};
pub use captured::Judging;
pub use complaint::{complains, complaint, complaints, failed_checks, named_place, told_checks, without_colours};
pub use config::{Config, FILE as CONFIG_FILE, RETURNED, ScratchKind, StatedRange};
pub use deadline::Deadline;
pub use error::SuiteError;
pub use framework::Framework;
pub use hint::{Hint, Key};
pub use init::init;
pub use kept::{KeptCases, KeptLists, KeptSuites};
pub use load::{Asked, Suite, find_root};
pub use locks::Held;
pub use mismatch::{Mismatch, clip};
pub use named::Input;
pub use names::{NoTest, find_test};
pub use oracle::WITHOUT_END;
pub use other::{Taken, take_other};
pub use refine::{Refinement, Refining, refine};
pub use shape::Shape;
pub use test::{RunContext, Test, TestRun};
pub use test_code::TestCode;
pub use verdict::{Verdict, said_of_failure};
