//! Arguments of the verbs for code mutants.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use clap_complete::engine::ArgValueCompleter;

use super::shard::shard;
use super::{MutateExecutor, OutputFormat, duration};
use crate::cli::completions;
use crate::mutation::{CatalogueRequest, KillRequest, Sample};
use crate::trial::Executors;

/// How code mutants are run.
#[derive(Debug, Args)]
pub struct KillArguments {
    /// The tests: `all`, or names with * and ?, separated by commas. All of them must pass without any mutant.
    #[arg(add = ArgValueCompleter::new(completions::tests), long, value_delimiter = ',', default_value = "all", value_name = "TESTS")]
    pub tests: Vec<String>,
    /// Begin no trial after this time (90s, 10min, 2h); without it all are run.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub budget: Option<Duration>,
    /// How many trials run at once; by default one for each processor.
    #[arg(long, short, value_name = "N")]
    pub jobs: Option<usize>,
    /// Who runs trials.
    #[arg(long, value_enum, default_value = "auto")]
    pub executor: MutateExecutor,
    /// Forget all that tests are known to do to mutants, and begin again.
    #[arg(long)]
    pub fresh: bool,
    /// Run mutants even where the kernel cannot contain them: they may change or remove any of your files.
    #[arg(long = "unsafe")]
    pub allow_unsafe: bool,
}

/// Which code mutants there are.
#[derive(Clone, Debug, Default, Args)]
pub struct CatalogueArguments {
    /// Only mutants by these operators: AOR, ROR, LCR, BOR, SOR, CRP, UOI, VRR, SDL; ASR, BOD, UOD, IWR, STI, SIN, NGI, VGI, RCI, CFR, MRR and DJI if named here.
    #[arg(long, value_delimiter = ',', value_name = "CLASSES")]
    pub operators: Vec<String>,
    /// Only mutants in these files: paths relative to the project's root, with * and ?.
    #[arg(long, value_delimiter = ',', value_name = "FILES")]
    pub files: Vec<String>,
    /// Only mutants in these functions: names with * and ?.
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub functions: Vec<String>,
    /// Only mutants on these lines: FILE:LINE or FILE:FIRST-LAST.
    #[arg(long, value_delimiter = ',', value_name = "LINES")]
    pub lines: Vec<String>,
    /// Only mutants on lines that the work tree has and this git revision has not.
    #[arg(long, value_name = "REVISION")]
    pub since: Option<String>,
    /// Only some of the mutants, drawn at random: a number of them, or a share such as 10%.
    #[arg(long, value_name = "N|P%", value_parser = sample)]
    pub sample: Option<Sample>,
    /// Seed of random choices.
    #[arg(long, value_name = "N", default_value = "1")]
    pub seed: u64,
}

impl From<&CatalogueArguments> for CatalogueRequest {
    fn from(arguments: &CatalogueArguments) -> CatalogueRequest {
        let CatalogueArguments { operators, files, functions, lines, since, sample, seed } = arguments.clone();
        CatalogueRequest { operators, files, functions, lines, since, sample, seed }
    }
}

impl From<&KillArguments> for KillRequest {
    fn from(arguments: &KillArguments) -> KillRequest {
        let is_exec = arguments.executor == MutateExecutor::Exec;
        KillRequest {
            tests: arguments.tests.clone(),
            budget: arguments.budget,
            jobs: arguments.jobs,
            // Whether a test fails has to be known of every mutant.
            executors: if is_exec { Executors::Exec } else { Executors::Decided },
            fresh: arguments.fresh,
            allow_unsafe: arguments.allow_unsafe,
        }
    }
}

fn sample(text: &str) -> Result<Sample, String> {
    let share = text.strip_suffix('%').and_then(|percent| percent.parse::<f64>().ok());
    let share = share.filter(|percent| (0.0..=100.0).contains(percent)).map(|percent| Sample::Share(percent / 100.0));
    let found = share.or_else(|| text.parse().ok().map(Sample::Number));
    found.ok_or_else(|| "a number of mutants such as 500, or a share of them such as 10%".to_string())
}

/// How a report on code mutants is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MutantsFormat {
    /// For people, in the source.
    Text,
    /// For programs; see docs/mutants.schema.json.
    Json,
    /// For viewers of mutation testing: mutation-testing-elements, schema version 2.
    Stryker,
    /// Survivors for code hosts and editors: SARIF 2.1.0.
    Sarif,
}

/// `suspect mutants`.
#[derive(Debug, Args)]
pub struct MutantsArguments {
    #[command(flatten)]
    pub catalogue: CatalogueArguments,
    #[command(flatten)]
    pub kill: KillArguments,
    /// Run only the K-th of N parts, or the one that Slurm, Kubernetes, GitLab or the like say (`auto`); `suspect merge` makes them one.
    #[arg(long, value_name = "K/N", value_parser = shard)]
    pub shard: Option<(u32, u32)>,
    /// Once a test kills a mutant, do not run it on others: quicker, but the kill matrix is not whole.
    #[arg(long)]
    pub first_kill: bool,
    /// List the mutants without running anything.
    #[arg(long)]
    pub list: bool,
    /// List the mutants that are left out, and why.
    #[arg(long)]
    pub junk: bool,
    /// How the report is written.
    #[arg(long, value_enum, default_value = "text")]
    pub format: MutantsFormat,
    /// Write the report to this file instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// How many survivors to show as text.
    #[arg(long, value_name = "N", default_value = "20")]
    pub top: usize,
}

/// How places are chosen whose mutants are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum HeuristicArgument {
    /// Any, all as likely.
    Random,
    /// In proportion to their causal effect on each other.
    Prop,
    /// Those with the greatest causal effect.
    Dsort,
    /// By maximum weight matching of causal effects.
    Mwm,
}

/// How the study of deciles divides pairs of places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BucketArgument {
    /// Above 0 to 0.1, above 0.1 to 0.2, and so on.
    Widths,
    /// Equally many pairs in each, by their causal effect.
    Ranks,
}

/// A study of higher-order mutants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StudyArgument {
    /// Causal effect, in ten buckets and one without any, against strongly subsuming mutants.
    Deciles,
    /// The four heuristics side by side.
    Heuristics,
    /// Mutants that no test kills: of first order, and by each heuristic.
    Survival,
}

/// `suspect hom`.
#[derive(Debug, Args)]
pub struct HomArguments {
    /// How places are chosen whose mutants are combined.
    #[arg(long, value_enum, required_unless_present = "study", conflicts_with = "study")]
    pub heuristic: Option<HeuristicArgument>,
    /// Make and run this study of the paper instead.
    #[arg(long, value_enum)]
    pub study: Option<StudyArgument>,
    /// How many mutants to make.
    #[arg(short, value_name = "N", default_value = "1000", value_parser = clap::value_parser!(u32).range(1..))]
    pub n: u32,
    /// How many code mutants are active together.
    #[arg(long, value_name = "K", default_value = "2", value_parser = clap::value_parser!(u32).range(2..=16))]
    pub order: u32,
    /// For the study deciles: ten buckets of equal width, or of equally many pairs of places.
    #[arg(long, value_enum, default_value = "widths")]
    pub buckets: BucketArgument,
    /// How often a study is repeated [default: 10 for deciles, 5 otherwise].
    #[arg(long, value_name = "N", requires = "study", value_parser = clap::value_parser!(u32).range(1..))]
    pub repeats: Option<u32>,
    /// Run mutants of the study `heuristics` only until it is known whether they are strongly subsuming: many times quicker, but without
    /// dScore. The other studies do so anyway.
    #[arg(long, requires = "study")]
    pub quick: bool,
    #[command(flatten)]
    pub catalogue: CatalogueArguments,
    #[command(flatten)]
    pub kill: KillArguments,
    /// Run only the K-th of N parts, or the one that Slurm, Kubernetes, GitLab or the like say (`auto`); `suspect merge` makes them one,
    /// and the same command without --shard then reports.
    #[arg(long, value_name = "K/N", value_parser = shard)]
    pub shard: Option<(u32, u32)>,
    /// Show at most so many strongly subsuming mutants.
    #[arg(long, value_name = "N", default_value = "10")]
    pub top: usize,
    /// How to write the report.
    #[arg(long, value_enum, default_value = "text")]
    pub format: OutputFormat,
    /// As `--format json`.
    #[arg(long, hide = true)]
    pub json: bool,
    /// Write a study's plot to this file, as SVG; of a heuristic, the places it chose over the causal structure.
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
}

impl HomArguments {
    /// Whether to write JSON.
    pub fn is_json(&self) -> bool {
        self.json || self.format == OutputFormat::Json
    }
}

/// What faults are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SeedOrigin {
    /// Code mutants.
    Mutants,
    /// Mistakes in the source that no code mutant takes back, one in each version: parts left out or exchanged, other types. Each is
    /// built, in a copy of the project, without suspect.
    Source,
}

/// `suspect seed`.
#[derive(Debug, Args)]
pub struct SeedArguments {
    /// What faults are made of. With `source`, --operators names kinds of mistakes.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "ORIGINS", default_value = "mutants")]
    pub from: Vec<SeedOrigin>,
    /// How many faulty versions to make for each number of faults.
    #[arg(long, value_name = "N", default_value = "20")]
    pub count: u32,
    /// How many faults the versions have that are made of mutants.
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub faults: Vec<u32>,
    #[command(flatten)]
    pub catalogue: CatalogueArguments,
    #[command(flatten)]
    pub kill: KillArguments,
    /// The benchmark's directory, which must be new.
    #[arg(long, short, value_name = "DIR")]
    pub output: PathBuf,
}

/// `suspect mine`.
#[derive(Debug, Args)]
pub struct MineArguments {
    /// The git repository, with or without a work tree.
    #[arg(value_name = "REPOSITORY")]
    pub repository: PathBuf,
    /// The benchmark's directory. One that was mined before goes on.
    #[arg(long, short, value_name = "DIR")]
    pub output: PathBuf,
    /// Shell line that builds a commit [default: what suspect.toml or `suspect init` says].
    #[arg(long, value_name = "LINE")]
    pub build: Option<String>,
    /// Shell line that is a test, and fails by its exit status; may be given several times [default: the suites of suspect.toml or `suspect init`].
    #[arg(long, value_name = "LINE")]
    pub test: Vec<String>,
    /// The suspect.toml that all commits are built and tested by [default: each commit's own].
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The revision after which commits are looked at [default: the first one].
    #[arg(long, value_name = "REV")]
    pub since: Option<String>,
    /// The last revision that is looked at [default: HEAD].
    #[arg(long, value_name = "REV")]
    pub until: Option<String>,
    /// How many faults to find.
    #[arg(long, value_name = "N", default_value = "20")]
    pub count: usize,
    /// How many lines of source a mending changes at most.
    #[arg(long, value_name = "N", default_value = "30")]
    pub lines: u32,
    /// Begin no further commit after so long (20min, 2h).
    #[arg(long, value_name = "TIME", value_parser = super::duration)]
    pub budget: Option<Duration>,
}
