//! Arguments of `suspect run` and of what works on the nights that it keeps.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap_complete::engine::ArgValueCompleter;

use super::{OutputFormat, RankFormat, duration};
use crate::cli::completions;

/// `suspect run`.
#[derive(Debug, Args)]
pub struct RunArguments {
    /// Be done within this time (20min, 2h), building and testing included; what is known by then is reported.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub budget: Option<Duration>,
    /// How many tests and trials run at once; by default one for each processor.
    #[arg(long, short, value_name = "N")]
    pub jobs: Option<usize>,
    /// End with 0 also where tests fail or the budget was spent; what is wrong with the set-up still shows.
    #[arg(long)]
    pub exit_zero: bool,
    /// Do not look for the causes of failures; otherwise a seventh of the budget, two minutes at most, is kept for that.
    #[arg(long)]
    pub no_explain: bool,
    /// Take the program as it is built.
    #[arg(long, conflicts_with = "command")]
    pub no_build: bool,
    /// How many places to show: 3, or 5 with -v.
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// Show the places with all reasons and patches, and how the failures come about.
    #[arg(long, short)]
    pub verbose: bool,
    /// Try changes even where the kernel cannot contain them: they may change or remove any of your files.
    #[arg(long = "unsafe")]
    pub allow_unsafe: bool,
    /// The build command; without one, suspect.toml's, or the one that `suspect build` was last given.
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// `suspect diff`.
#[derive(Debug, Args)]
pub struct DiffArguments {
    /// The older night: its number, another project's directory or .suspect, or a report.json; without it the one before the latest.
    #[arg(value_name = "OLDER")]
    pub older: Option<String>,
    /// The newer night, named likewise; without it the latest one here.
    #[arg(value_name = "NEWER")]
    pub newer: Option<String>,
    /// How the difference is written.
    #[arg(long, value_enum, default_value = "text")]
    pub format: RankFormat,
    /// Everything that is known, instead of what fits a screen.
    #[arg(long, short)]
    pub verbose: bool,
}

/// `suspect bisect-step`.
#[derive(Debug, Args)]
pub struct BisectArguments {
    /// The test that tells good from bad; may be given several times. Without it, those that fail in the latest recorded run.
    #[arg(add = ArgValueCompleter::new(completions::tests), long = "test", value_name = "TEST")]
    pub tests: Vec<String>,
    /// How often each test runs, instead of two to ten times within ten seconds; a test whose runs disagree says nothing.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub repeat: Option<u32>,
    /// The build command; without one, suspect.toml's, or the one that `suspect build` was last given.
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// `suspect merge`.
#[derive(Debug, Args)]
pub struct MergeArguments {
    /// Projects or stores (.suspect) in which parts were run; without any, this project itself.
    #[arg(value_name = "DIR")]
    pub from: Vec<PathBuf>,
    /// Join what there is where parts are missing or were not finished.
    #[arg(long)]
    pub partial: bool,
    /// How to write what was joined.
    #[arg(long, value_enum, default_value = "text")]
    pub format: OutputFormat,
}
