//! Arguments of `suspect study`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum, value_parser};

use super::{BenchmarkArguments, By, OutputFormat, duration};

/// The papers' experiments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExperimentArgument {
    /// CDFL beside its peers: faults among the first places, over seeds and numbers of values; ties; cost.
    Cdfl,
    /// Causal likelihood beside the 127 measures: accuracy by number of faults, n-scores.
    Doric,
    /// Higher-order mutants of the correct versions: by causal effect, by heuristic, survival.
    Hom,
    /// BlockRank beside its peers: faults located within 5, 10, 15, 20 % of the code.
    Blockrank,
    /// Comparative causality beside cause state minimisation and dual slices: explanations against ideal ones, causes that go astray.
    Comparative,
}

/// `suspect study`.
#[derive(Debug, Args)]
pub struct StudyArguments {
    /// The paper.
    #[arg(value_enum, value_name = "NAME")]
    pub experiment: ExperimentArgument,
    /// What it has in common with `suspect eval`.
    #[command(flatten)]
    pub common: BenchmarkArguments,
    /// Write the plots into this directory, as SVG.
    #[arg(long, value_name = "DIR")]
    pub plots: Option<PathBuf>,
    /// What is ranked [default: what the paper ranks: block for blockrank, line otherwise].
    #[arg(long, value_enum)]
    pub by: Option<By>,
    /// Leave out suites of which a greater share of the tests fails (20%), and versions without another.
    #[arg(long, value_name = "P%", value_parser = share)]
    pub max_failing: Option<f64>,
    /// For cdfl and hom: values of each node; of several numbers, curves are drawn [default: 20].
    #[arg(long, value_delimiter = ',', value_name = "N,...", value_parser = value_parser!(u32).range(1..=1000))]
    pub samples: Vec<u32>,
    /// For cdfl: how often values are drawn, with seeds 1 to N; the median counts [default: 10].
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..=1000))]
    pub seeds: Option<u64>,
    /// For cdfl and hom: mutate the values of a version for this time with each seed, and run the mutants of each table for this time;
    /// without it, until all are tried. For comparative: time for each explanation [default: 1min].
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub search_budget: Option<Duration>,
    /// For hom: mutants of each heuristic in a repeat [default: 1000].
    #[arg(short, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    pub n: Option<u32>,
    /// For hom: repeats [default: 10 for tables by causal effect, 5 otherwise].
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    pub repeats: Option<u32>,
    /// For hom: run mutants only until it is known if they are strongly subsuming: many times quicker, but without dScore.
    #[arg(long)]
    pub quick: bool,
    /// Draw so many small suites for each version: a failing test, then tests at random, each of which executes a statement that none did,
    /// until all are executed that the pool executes.
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=1000))]
    pub suites: Option<u32>,
    /// How the tables are written; see docs/study.schema.json.
    #[arg(long, value_enum, default_value = "text")]
    pub format: OutputFormat,
}

/// A share from 0 to 1, given in per cent.
fn share(text: &str) -> Result<f64, String> {
    let number = text.trim().strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
    let in_range = number.filter(|number| (0.0..=100.0).contains(number));
    in_range.map(|number| number / 100.0).ok_or_else(|| "a share from 0% to 100%, such as 20%".to_string())
}
