//! Arguments of `suspect rank` and `suspect replay`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap_complete::engine::ArgValueCompleter;

use super::{By, OutputFormat, ParentsArgument, RankFormat, Ties, Unidentified, duration};
use crate::cli::completions;
use crate::cli::rank::{granularity, tie_break};
use crate::obstacle::Obstacle;
use crate::rank::find_method;
use crate::ranking::{Look, RankRequest, TrialOptions, Trying};

/// `suspect rank`.
#[derive(Debug, Args)]
pub struct RankArguments {
    /// The method: `all` (all evidence together, for which changes of the program are tried and the compiler is asked for warnings) or one that
    /// `suspect methods` lists.
    #[arg(add = ArgValueCompleter::new(completions::ranking_methods), long, short, default_value = "all", value_name = "METHOD")]
    pub method: String,
    /// What is ranked.
    #[arg(long, value_enum, default_value = "line")]
    pub by: By,
    /// How ties are broken.
    #[arg(long, value_enum, default_value = "line")]
    pub ties: Ties,
    /// How many places to show: 3 as text, 5 with -v or --brief, 20 as JSON.
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// Show the places in their source, with all reasons and patches, and what was not tried.
    #[arg(long, short, conflicts_with_all = ["brief", "format"])]
    pub verbose: bool,
    /// Write the answer for programs, in 2 kB of JSON at most: test, wrong line, places, best change, next commands.
    #[arg(long, conflicts_with_all = ["format", "why", "why_not"])]
    pub brief: bool,
    /// How the ranking is written.
    #[arg(long, value_enum, default_value = "text")]
    pub format: RankFormat,
    #[command(flatten)]
    pub search: SearchArguments,
    /// Build nothing, also where sources changed since the last build or tests: stop there.
    #[arg(long)]
    pub no_build: bool,
    /// Tell everything that is known about a line: what was tried there and what came out, and how its probability comes about.
    #[arg(add = ArgValueCompleter::new(completions::lines), long, value_name = "FILE:LINE", conflicts_with_all = ["why_not", "spectra", "top"])]
    pub why: Option<String>,
    /// Tell why a line is not ranked higher, what stands before it, and what has not been tried there.
    #[arg(add = ArgValueCompleter::new(completions::lines), long, value_name = "FILE:LINE", conflicts_with_all = ["spectra", "top"])]
    pub why_not: Option<String>,
    /// A line (FILE:LINE) or function (NAME()) found innocent; remembered for later rankings.
    #[arg(add = ArgValueCompleter::new(completions::lines), long, value_name = "UNIT")]
    pub innocent: Vec<String>,
    /// Rank another tool's spectra: a directory with GZoltar's matrix.txt, spectra.csv and tests.csv; by ochiai unless --method says otherwise.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["by", "innocent", "forget_innocent"])]
    pub spectra: Option<PathBuf>,
    /// Forget what was found innocent.
    #[arg(long)]
    pub forget_innocent: bool,
    /// What `cdfl` adjusts for [default: acyclic].
    #[arg(long, value_enum)]
    pub parents: Option<ParentsArgument>,
    /// What strata without estimate count in `cdfl` [default: zero, or shared with --parents paper].
    #[arg(long, value_enum)]
    pub unidentified: Option<Unidentified>,
}

impl TryFrom<&RankArguments> for RankRequest {
    type Error = Obstacle;

    fn try_from(arguments: &RankArguments) -> Result<RankRequest, Obstacle> {
        let look = |place: &Option<String>, is_not| place.clone().map(|place| Look { place, is_not });
        Ok(RankRequest {
            method: find_method(&arguments.method).map_err(Obstacle::of(Obstacle::Request))?,
            by: granularity(arguments.by),
            ties: tie_break(arguments.ties),
            trying: Trying::from(&arguments.search),
            chains: true,
            look: look(&arguments.why, false).or_else(|| look(&arguments.why_not, true)),
            innocent: arguments.innocent.clone(),
            forget_innocent: arguments.forget_innocent,
            parents: arguments.parents.map(Into::into),
            unidentified: arguments.unidentified.map(Into::into),
        })
    }
}

impl From<&SearchArguments> for Trying {
    fn from(arguments: &SearchArguments) -> Trying {
        let &SearchArguments { budget, jobs, no_trials, allow_unsafe } = arguments;
        if no_trials { Trying::Nothing } else { Trying::Now(TrialOptions { budget, jobs, allow_unsafe }) }
    }
}

/// How changes of the program are tried for a ranking.
#[derive(Debug, Args)]
pub struct SearchArguments {
    /// Try changes of the program for so long at most (20s, 5min) [default: 60s, and less where one line is far ahead before]; what was
    /// tried before is not tried again.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub budget: Option<Duration>,
    /// How many trials run at once; by default one for each processor.
    #[arg(long, short, value_name = "N")]
    pub jobs: Option<usize>,
    /// Try nothing now: say what is known without running anything; what was tried before counts.
    #[arg(long, conflicts_with_all = ["budget", "jobs"])]
    pub no_trials: bool,
    /// Try changes even where the kernel cannot contain them: they may change or remove any of your files.
    #[arg(long = "unsafe")]
    pub allow_unsafe: bool,
}

/// `suspect replay`.
#[derive(Debug, Args)]
pub struct ReplayArguments {
    /// The claim, as `suspect rank` shows it; its first digits suffice.
    #[arg(add = ArgValueCompleter::new(completions::claims), value_name = "ID")]
    pub id: String,
    /// Repeat it on this test alone; may be given several times.
    #[arg(add = ArgValueCompleter::new(completions::tests), long = "test", value_name = "TEST")]
    pub tests: Vec<String>,
    /// Print the edit of the source that the claim means, for `patch -p1`, and run nothing.
    #[arg(long, conflicts_with_all = ["tests", "keep_output"])]
    pub patch: bool,
    /// Show what the program writes.
    #[arg(long)]
    pub keep_output: bool,
    /// How to write what came of it.
    #[arg(long, value_enum, default_value = "text", conflicts_with_all = ["patch", "keep_output"])]
    pub format: OutputFormat,
    /// Run it even where the kernel cannot contain it: it may change or remove any of your files.
    #[arg(long = "unsafe")]
    pub allow_unsafe: bool,
}
