//! The command line of `suspect eval`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap_complete::engine::ArgValueCompleter;

use super::super::completions;
use super::{BenchmarkArguments, By, RankFormat, duration};

/// `suspect eval`.
#[derive(Debug, Args)]
pub struct EvalArguments {
    /// What it has in common with `suspect study`.
    #[command(flatten)]
    pub common: BenchmarkArguments,
    /// The methods: ids, `classic`, `doric127` (the 127 measures that Doric is compared with) or `all`.
    #[arg(add = ArgValueCompleter::new(completions::ranking_methods), long, short, value_delimiter = ',', default_value = "classic", value_name = "METHODS")]
    pub methods: Vec<String>,
    /// What is ranked.
    #[arg(long, value_enum, default_value = "line")]
    pub by: By,
    /// How the report is written.
    #[arg(long, value_enum, default_value = "text")]
    pub format: RankFormat,
    /// Test the other methods against this one instead of all pairs.
    #[arg(add = ArgValueCompleter::new(completions::ranking_methods), long, value_name = "METHOD")]
    pub against: Option<String>,
    /// Leave the built trees in the results' work directories.
    #[arg(long)]
    pub keep: bool,
    /// For methods that need it, try changes of each version for this time (90s, 10min); without it, until none is worth a trial.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub search_budget: Option<Duration>,
    /// The same for so many trials: results are then the same however busy the machine is.
    #[arg(long, value_name = "N")]
    pub search_trials: Option<usize>,
    /// Try every change on every test chosen: what the choice of trials is measured against.
    #[arg(long, conflicts_with = "search_trials")]
    pub search_everything: bool,
    /// Write the features of every line that a failing test executes to FILE, as JSON lines: what the weights of `all_evidence` are
    /// fitted to.
    #[arg(long, value_name = "FILE")]
    pub features: Option<PathBuf>,
}
