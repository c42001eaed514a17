//! Arguments of `suspect mutate`.

use std::time::Duration;

use clap::{Args, ValueEnum};

use super::shard::shard;
use super::{OutputFormat, duration};
use crate::campaign::TestGroup;
use crate::mutation::ValuesRequest;
use crate::trial::Executors;

/// Which tests mutants run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MutateTests {
    /// Failing tests, and the passing tests that cover most of what they cover.
    #[value(name = "failing+covering")]
    FailingAndCovering,
    /// Failing tests.
    Failing,
    /// All tests that count.
    All,
}

/// Who runs trials.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MutateExecutor {
    /// Forks where the test allows it.
    Auto,
    /// A process tree for each trial.
    Exec,
    /// Forks; trials that cannot be forked get a process tree all the same.
    Fork,
}

/// Most executions of a node that are overridden one by one.
const MOST_INSTANCES: u64 = 1000;

/// `suspect mutate`.
#[derive(Debug, Args)]
pub struct MutateArguments {
    /// How many values each node is given; those for few are the first of those for many.
    #[arg(long, value_name = "N", default_value = "20")]
    pub samples: usize,
    /// Besides all executions of a node together, override each of its first N executions alone.
    #[arg(long, value_name = "N", default_value = "0", value_parser = clap::value_parser!(u64).range(..=MOST_INSTANCES))]
    pub instances: u64,
    /// The tests that mutants run on.
    #[arg(long, value_enum, default_value = "failing+covering")]
    pub tests: MutateTests,
    /// Begin no trial after this time (90s, 10min, 2h); without it all are run.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub budget: Option<Duration>,
    /// Mutate only these: FILE, FILE:LINE, FILE:LINE:COLUMN or FUNCTION(); may be given several times.
    #[arg(long, value_name = "NODES")]
    pub nodes: Vec<String>,
    /// How many trials run at once; by default one for each processor.
    #[arg(long, short, value_name = "N")]
    pub jobs: Option<usize>,
    /// Run only the K-th of N parts, or the one that Slurm, Kubernetes, GitLab or the like say (`auto`); `suspect merge` makes them one.
    #[arg(long, value_name = "K/N", value_parser = shard)]
    pub shard: Option<(u32, u32)>,
    /// Who runs trials.
    #[arg(long, value_enum, default_value = "auto")]
    pub executor: MutateExecutor,
    /// Seed of the values.
    #[arg(long, value_name = "N", default_value = "1")]
    pub seed: u64,
    /// Room for the values that one process of a test takes, such as 512M; a test that takes more is not used.
    #[arg(long, value_name = "BYTES", value_parser = bytes, default_value = "1G")]
    pub log_bytes: u64,
    /// How to write what came of it.
    #[arg(long, value_enum, default_value = "text")]
    pub format: OutputFormat,
    /// Forget what this campaign has tried and found out about the tests, and begin again.
    #[arg(long)]
    pub fresh: bool,
    /// Run mutants even where the kernel cannot contain them: they may change or remove any of your files.
    #[arg(long = "unsafe")]
    pub allow_unsafe: bool,
}

impl From<&MutateArguments> for ValuesRequest {
    fn from(arguments: &MutateArguments) -> ValuesRequest {
        ValuesRequest {
            samples: arguments.samples,
            instances: arguments.instances,
            tests: match arguments.tests {
                MutateTests::FailingAndCovering => TestGroup::FailingAndCovering,
                MutateTests::Failing => TestGroup::Failing,
                MutateTests::All => TestGroup::All,
            },
            among: None,
            budget: arguments.budget,
            nodes: arguments.nodes.clone(),
            jobs: arguments.jobs,
            shard: arguments.shard,
            executors: match arguments.executor {
                MutateExecutor::Auto => Executors::Auto,
                MutateExecutor::Exec => Executors::Exec,
                MutateExecutor::Fork => Executors::Fork,
            },
            seed: arguments.seed,
            log_bytes: arguments.log_bytes,
            fresh: arguments.fresh,
            allow_unsafe: arguments.allow_unsafe,
        }
    }
}

fn bytes(text: &str) -> Result<u64, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let shift = match text[digits..].trim_end_matches('B') {
        "" => 0,
        "K" | "k" => 10,
        "M" => 20,
        "G" => 30,
        _ => 64,
    };
    let number = text[..digits].parse::<u64>().ok().filter(|number| *number > 0);
    let scaled = number.and_then(|number| number.checked_mul(1u64.checked_shl(shift)?));
    scaled.ok_or_else(|| "a number of bytes such as 65536, 512M or 2G".to_string())
}
