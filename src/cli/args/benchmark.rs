//! Arguments that `suspect eval` and `suspect study` share.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::{Ties, duration};

/// A benchmark, and how its versions are run and counted.
#[derive(Debug, Args)]
pub struct BenchmarkArguments {
    /// Holds programs, each a directory with an eval.toml, or is one.
    #[arg(value_name = "BENCHMARK")]
    pub benchmark: PathBuf,
    /// Where results are kept, those of other methods among them [default: BENCHMARK/results].
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// How ties are broken for intervals, accuracy and n-scores.
    #[arg(long, value_enum, default_value = "average")]
    pub ties: Ties,
    /// How many versions run at once; by default one for each processor.
    #[arg(long, short, value_name = "N")]
    pub jobs: Option<usize>,
    /// Begin no further version after this time (90s, 10min, 2h); those under way are finished. 0 reports what there is.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub budget: Option<Duration>,
    /// How often each test of a faulty version runs; from 2, flaky tests show.
    #[arg(long, value_name = "N", default_value = "1")]
    pub repeat: u32,
    /// Seed of the bootstrap intervals, and of drawn suites.
    #[arg(long, value_name = "N", default_value = "1")]
    pub seed: u64,
    /// Samples of the bootstrap.
    #[arg(long, value_name = "N", default_value = "2000")]
    pub resamples: usize,
    /// Build and run everything again.
    #[arg(long)]
    pub fresh: bool,
}
