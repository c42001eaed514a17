//! The command line as clap sees it; nothing else knows clap's types.

mod ask;
mod benchmark;
mod code;
mod eval;
mod explain;
mod help;
mod mutate;
mod nightly;
mod rank;
mod shard;
mod study;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::engine::ArgValueCompleter;

pub use ask::AskArguments;
pub use benchmark::BenchmarkArguments;
pub use code::{
    BucketArgument, HeuristicArgument, HomArguments, MineArguments, MutantsArguments, MutantsFormat, SeedArguments,
    SeedOrigin, StudyArgument,
};
pub use eval::EvalArguments;
pub use explain::{AnswerFormat, ExplainArguments, SliceArguments};
pub use mutate::{MutateArguments, MutateExecutor};
pub use nightly::{BisectArguments, DiffArguments, MergeArguments, RunArguments};
pub use rank::{RankArguments, ReplayArguments, SearchArguments};
pub use study::{ExperimentArgument, StudyArguments};

use super::completions;
use help::{EXAMPLES, HELP};

use crate::causal::Missing;
use crate::rank_inputs::ParentChoice;
use crate::suite::config::parse_duration;

/// Name of the verb for `git bisect run`, which has exit codes of its own.
pub const BISECT_STEP: &str = "bisect-step";

/// Says which lines of a C program are probably to blame for a failing test.
#[derive(Debug, Parser)]
#[command(
    name = "suspect",
    version,
    propagate_version = true,
    override_help = HELP,
    after_help = EXAMPLES
)]
pub struct Arguments {
    /// Work in this directory instead of the current one.
    #[arg(short = 'C', long, value_name = "DIR", global = true)]
    pub directory: Option<PathBuf>,
    /// Without a verb: do it again after each change of a source, until Ctrl-C.
    #[arg(long)]
    pub watch: bool,
    /// What to do.
    #[command(subcommand)]
    pub verb: Option<Verb>,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Build, test, try changes and rank: everything for one night, within a budget.
    #[command(
        after_help = "Examples:\n  suspect run --budget 45min\n  suspect run --budget 45min --exit-zero -- make -j$(nproc)\n\n\
        Interrupted or killed at any moment, the same command goes on. Ends with 0 when no test fails, 2 when some do and were \
        ranked, 3 when the budget was spent before everything was done."
    )]
    Run(RunArguments),
    /// Say what changed since an older night: failures, rankings, and changed lines that are suspicious.
    #[command(
        after_help = "Examples:\n  suspect diff\n  suspect diff 12\n  suspect diff 12 14 --format json\n  suspect diff ../last-green\n  \
        suspect diff last/report.json\n\nA test that was not looked at is not reported as fixed."
    )]
    Diff(DiffArguments),
    /// Make one whole of what the parts of a sharded campaign found out.
    #[command(
        after_help = "Examples:\n  suspect merge\n  suspect merge part-*/\n\nWithout directories, parts that were run in this project are joined. \
        Parts of different work are refused, and missing ones named. What comes out is what one machine would have found out."
    )]
    Merge(MergeArguments),
    /// Build the commit that is checked out and run a test, for `git bisect run`.
    #[command(
        name = BISECT_STEP,
        after_help = "Example:\n  git bisect start HEAD v1.2 && git bisect run suspect bisect-step --test t3\n\nEnds with 0 when the test passes, 1 when it \
        fails, 125 when this commit cannot say (it does not build, the test is flaky, skipped or not there), and 128 when no commit could, or where an earlier \
        verdict does not hold on which the result rests. \
        Keep suspect.toml out of the commits, or in all of them."
    )]
    BisectStep(BisectArguments),
    /// Run the project's own build with instrumenting compilers.
    #[command(after_help = "Examples:\n  suspect build -- make -j$(nproc)\n  suspect build -- cmake -S . -B build\n  \
        suspect build --modes edges,values -- make\n\nWithout a command, suspect.toml's [build] command runs.")]
    Build(BuildArguments),
    /// Rank the lines behind one command that fails, without suspect.toml: for the bug on the desk.
    #[command(after_help = "Examples:\n  suspect try --fail 'bin/prog < bad.txt' --expect good.out\n  \
        suspect try --fail 'bin/prog crash.bin' --pass 'bin/prog fine.bin' --pass 'bin/prog empty.bin'\n\nThe program must have been built by \
        `suspect build`. A command given to --pass passes as long as it writes what it writes now. Commands run here, and nothing of the project's own \
        record changes. Ends with 2 after an answer.")]
    Try(TryArguments),
    /// Look at compiler, plugin, runtime and built programs, and say what to do.
    #[command(after_help = "Example:\n  suspect doctor")]
    Doctor(DoctorArguments),
    /// Write a commented suspect.toml for the tests found here.
    #[command(after_help = "Example:\n  suspect init && $EDITOR suspect.toml")]
    Init(InitArguments),
    /// Run the test suite and record what each test did.
    #[command(after_help = "Examples:\n  suspect test\n  suspect test --record edges --jobs 4")]
    Test(TestArguments),
    /// Override the values of nodes, one mutant at a time, and record what changes.
    #[command(
        after_help = "Examples:\n  suspect mutate\n  suspect mutate --samples 3 --tests failing --budget 2min\n  \
        suspect mutate --nodes 'parse()' --nodes src/a.c:41\n  suspect mutate --shard 2/4\n\nEvery trial is kept as soon as it ends: \
        the same command goes on where an interrupted one was."
    )]
    Mutate(MutateArguments),
    /// Grade the tests: change the code in small ways, one mutant at a time, and say which tests notice.
    #[command(after_help = "Examples:\n  suspect mutants\n  suspect mutants --list --files 'src/*.c'\n  \
        suspect mutants --since main --budget 10min\n  suspect mutants --sample 10% --format stryker --output mutants.json\n  \
        suspect mutants --shard 2/4\n\nThe tests must pass. Every result is kept as soon as it is known, and used again while neither the \
        mutated function, nor the interface of what it calls, nor the test changes.")]
    Mutants(MutantsArguments),
    /// Combine code mutants whose places influence each other, and find those that are hard to kill.
    #[command(after_help = "Examples:\n  suspect mutate --tests all && suspect hom --heuristic dsort -n 1000\n  \
        suspect hom --heuristic mwm --order 3\n  suspect hom --study deciles --plot deciles.svg\n\nReads the latest campaign of \
        `suspect mutate`, and what `suspect mutants` found out.")]
    Hom(HomArguments),
    /// Make faulty versions of the project, out of code mutants or of mistakes in the source: a benchmark for `suspect eval`.
    #[command(
        after_help = "Examples:\n  suspect seed --output bench\n  suspect seed --count 50 --faults 1,2,4,8,16,32 --output bench && \
        suspect eval bench\n  suspect seed --from mutants,source --count 40 --output bench\n\nKeeps versions that some tests notice and not all. The tests must pass."
    )]
    Seed(SeedArguments),
    /// Find mended faults in a git history: a benchmark of the project's own past faults for `suspect eval`.
    #[command(
        after_help = "Examples:\n  suspect mine . --output mined && suspect eval mined --methods all_evidence\n  \
        suspect mine ../project.git --since v1.0 --build 'make -j4' --test 'make check' --output mined --budget 1h\n\n\
        Keeps commits that change few lines of source, and whose tests, run twice, fail without these lines and pass with them. \
        Nothing in the repository is changed. What became of each commit is in DIR/mined.jsonl; the same command goes on from there."
    )]
    Mine(MineArguments),
    /// Show what depends on what, and how strongly, as value mutants show it.
    #[command(after_help = "Examples:\n  suspect graph\n  suspect graph --causes src/a.c:41 --depth 2\n  \
        suspect graph --format dot --threshold 0.8 | dot -Tsvg > graph.svg\n  \
        suspect graph --tests multi-* --minus one-*\n\nReads the latest campaign of `suspect mutate`.")]
    Graph(GraphArguments),
    /// Rank lines, blocks, functions, nodes or predicates by how probably they are to blame.
    #[command(
        after_help = "Examples:\n  suspect rank\n  suspect rank --budget 5min --jobs 4\n  suspect rank --no-trials\n  \
        suspect rank --why src/a.c:41\n  suspect rank --why-not src/b.c:7\n  suspect rank --method blockrank --by block\n  \
        suspect rank --method ochiai --format json --top 20\n\nWithout --method, small changes of the program are tried on its tests, the \
        failing ones first, for at most --budget. Ctrl-C ends that with the ranking as it stands; the same command goes on from \
        there. `suspect replay` repeats what it claims."
    )]
    Rank(RankArguments),
    /// Repeat what a ranking claims: run a test with one change of the program, and see whether it does what was claimed.
    #[command(
        after_help = "Examples:\n  suspect replay 4f0c2a9be1d73358\n  suspect replay 4f0c --test t3 --keep-output\n  \
        suspect replay 4f0c --patch | patch -p1\n\nEach test is one run of the program as it was built, in a process of its own. Ends with 2 when \
        a claim does not hold any more."
    )]
    Replay(ReplayArguments),
    /// Run a test and show what a line of it, or its output, depends on.
    #[command(
        after_help = "Examples:\n  suspect slice t3 src/a.c:41\n  suspect slice t3 src/a.c:41:count\n  suspect slice t3 output --format json\n  suspect slice t3 wrong\n  \
        suspect slice t3 src/a.c:41#2 --forward\n  suspect slice --static src/a.c:41\n\n\
        Needs a program that was built with the version `record`."
    )]
    Slice(SliceArguments),
    /// Say why a test fails: from where it differs from a passing one back to where the difference comes in, each step proved by running again.
    #[command(after_help = "Examples:\n  suspect explain t3\n  suspect explain t3 --against t1 --format json\n  \
        suspect explain t3 --against t1 --cause src/a.c:7 --effect src/a.c:21:count\n  suspect explain t3 --switch --budget 5min\n\nNeeds a program that was built with the version \
        `record`. Ends with 2 when a step could not be proved.")]
    Explain(ExplainArguments),
    /// Ask for a probability over the causal models of the recorded coverage (Doric).
    #[command(after_help = ask::HELP)]
    Ask(AskArguments),
    /// Write everything that is known: which tests failed, which lines are to blame and why, and what was not looked at.
    #[command(after_help = "Examples:\n  suspect report\n  suspect report --format json --output report.json\n  \
        suspect report --from report.json --format markdown\n  suspect report --format gzoltar --output spectra\n\nNothing is run: a report \
        tells what `suspect test`, `suspect rank` and `suspect mutate` have found out. docs/report.schema.json describes the JSON form.")]
    Report(ReportArguments),
    /// Measure how well methods find the known faults of a benchmark's versions.
    #[command(
        after_help = "Examples:\n  suspect eval bench\n  suspect eval bench --methods ochiai,dstar,blockrank --ties worst\n  \
        suspect eval bench --methods all --budget 2h --format json > report.json\n\ndocs/eval.md describes the layout of a \
        benchmark. Results are kept: a second evaluation runs only what has changed or was not run."
    )]
    Eval(EvalArguments),
    /// Do a paper's experiment on a benchmark: print its tables, draw its plots.
    #[command(
        after_help = "Examples:\n  suspect study doric bench --plots plots\n  suspect study blockrank bench --max-failing 20%\n  \
        suspect study comparative bench --search-budget 30s\n\n\
        docs/eval.md describes benchmarks, docs/papers.md the papers. Results are kept as `suspect eval` keeps them."
    )]
    Study(StudyArguments),
    /// List the ranking methods, or explain one.
    #[command(after_help = "Examples:\n  suspect methods\n  suspect methods ochiai")]
    Methods(MethodsArguments),
    /// Print a file that suspect wrote, or the site tables of a program, for people.
    #[command(after_help = "Examples:\n  suspect dump ./prog\n  suspect dump 4711-0f3a.trace")]
    Dump(DumpArguments),
    /// Say what a word means that suspect prints.
    #[command(after_help = "Examples:\n  suspect glossary flip\n  suspect glossary")]
    Glossary(GlossaryArguments),
    /// Print a completion script for a shell.
    #[command(after_help = "Example:\n  suspect completions bash > /etc/bash_completion.d/suspect")]
    Completions(CompletionsArguments),
    /// Write man pages.
    #[command(after_help = "Example:\n  suspect man --output /usr/local/share/man/man1")]
    Man(ManArguments),
}

/// `suspect build`.
#[derive(Debug, Args)]
pub struct BuildArguments {
    /// Versions of each function to put into the program: plain, edges, values, trace, mutants (needs trace).
    #[arg(long, value_delimiter = ',', value_name = "MODES")]
    pub modes: Vec<String>,
    /// How to write what was built; as JSON on standard output, and what the command prints on standard error.
    #[arg(long, value_enum, default_value = "text")]
    pub format: OutputFormat,
    /// The build command.
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// `suspect init`.
#[derive(Debug, Args)]
pub struct InitArguments {
    /// Write into the suspect.toml that is there what has its tests tell more; only what gives the same verdicts when it is run is kept.
    #[arg(long)]
    pub refine: bool,
    /// How to write what was found.
    #[arg(long, value_enum, default_value = "text")]
    pub format: OutputFormat,
}

/// What a test run records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Record {
    /// Edge counters only: the fastest.
    Edges,
    /// Edge counters and a trajectory hash for each node.
    Values,
    /// As values, and every single value up to a cap: slow.
    Trace,
}

/// `suspect test`.
#[derive(Debug, Args)]
pub struct TestArguments {
    /// What to record.
    #[arg(long, value_enum, default_value = "values")]
    pub record: Record,
    /// How many tests run at once; by default one for each processor.
    #[arg(long, short, value_name = "N")]
    pub jobs: Option<usize>,
    /// How often each test runs; at least 2, so that flaky tests show.
    #[arg(long, value_name = "N")]
    pub repeat: Option<u32>,
    /// Build nothing, also where sources changed since the last build: test the programs as they are.
    #[arg(long)]
    pub no_build: bool,
    /// How to write what came of it.
    #[arg(long, value_enum, default_value = "text")]
    pub format: OutputFormat,
}

/// `suspect try`.
#[derive(Debug, Args)]
pub struct TryArguments {
    /// A command of the shell that fails; may be given several times.
    #[arg(long, value_name = "COMMAND", required = true)]
    pub fail: Vec<String>,
    /// The file with what the failing command should write; without it, it fails by its exit status.
    #[arg(long, value_name = "FILE")]
    pub expect: Option<PathBuf>,
    /// A command that does what it should; may be given several times.
    #[arg(long, value_name = "COMMAND")]
    pub pass: Vec<String>,
    /// Try changes for so long at most (20s, 5min) [default: 60s].
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub budget: Option<Duration>,
}

/// How a graph is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GraphFormat {
    /// For people.
    Text,
    /// For Graphviz.
    Dot,
    /// For programs.
    Json,
}

/// `suspect graph`.
#[derive(Debug, Args)]
pub struct GraphArguments {
    /// How the graph is written.
    #[arg(long, value_enum, default_value = "text")]
    pub format: GraphFormat,
    /// Show edges whose direct dependence is this or more, either way; of a difference, edges that change by this much.
    #[arg(long, value_name = "DD", default_value = "0.05")]
    pub threshold: f64,
    /// Show edges whose direct dependence, or change, is less than this, either way: with --threshold, those between the two.
    #[arg(long, value_name = "DD")]
    pub below: Option<f64>,
    /// Keep a cause by a G-test at this level of significance (0.01), not by exact comparison of probabilities: fewer causes that do not matter.
    #[arg(long, value_name = "ALPHA", value_parser = significance)]
    pub g_test: Option<f64>,
    /// Where bands of direct dependence begin [default: 0.2,0.5,0.8].
    #[arg(long, value_delimiter = ',', value_name = "DD", allow_negative_numbers = true)]
    pub bands: Vec<f64>,
    /// The tests to model: failing, passing, or names with * and ?, separated by commas; all that mutants ran on without it.
    #[arg(long, value_name = "TESTS")]
    pub tests: Option<String>,
    /// Show how the model of --tests differs from that of these.
    #[arg(long, value_name = "TESTS")]
    pub minus: Option<String>,
    /// Show dependence clusters, too: nodes that all depend on each other by the edges from --threshold on, also those beyond --top.
    #[arg(long, conflicts_with = "minus")]
    pub clusters: bool,
    /// Show what leads to these nodes: FILE:LINE, FILE:LINE:COLUMN, FUNCTION() or output.
    #[arg(long, value_name = "NODES")]
    pub causes: Vec<String>,
    /// Show what these nodes lead to.
    #[arg(long, value_name = "NODES")]
    pub effects: Vec<String>,
    /// How many edges away from --causes and --effects; all the way without it.
    #[arg(long, value_name = "N")]
    pub depth: Option<usize>,
    /// Which causes may have edges [default: markovian].
    #[arg(long, value_enum)]
    pub parents: Option<ParentsArgument>,
    /// As the paper: the same as --parents paper.
    #[arg(long, conflicts_with = "parents")]
    pub paper: bool,
    /// What strata without estimate count [default: renormalised].
    #[arg(long, value_enum)]
    pub unidentified: Option<Unidentified>,
    /// How many edges to show: 40 as text, all otherwise.
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
}

/// What is ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum By {
    /// Source lines.
    Line,
    /// Basic blocks.
    Block,
    /// Functions.
    Function,
    /// Nodes: assignments, parameters, predicates, returned values.
    Node,
    /// Predicates alone.
    Predicate,
}

/// How ties are broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Ties {
    /// By position in the code.
    Line,
    /// All get their average rank.
    Average,
    /// All get the best rank.
    Best,
    /// All get the worst rank.
    Worst,
}

/// How a ranking is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RankFormat {
    /// For people, in the source.
    Text,
    /// For programs; see docs/ranking.schema.json.
    Json,
}

/// Which nodes the causal analyses adjust for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ParentsArgument {
    /// All intervention parents outside cycles.
    Acyclic,
    /// Markovian parents: those that matter beside the others.
    Markovian,
    /// Markovian parents among those that the code can make direct causes.
    Safe,
    /// As the paper: Markovian parents, both directions of cycles dropped, sampled values alone.
    Paper,
}

/// What strata of the observations without estimate count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Unidentified {
    /// Probability 0.
    Zero,
    /// Nothing: the others are scaled up.
    Renormalised,
    /// Nothing; nor do those in which the cause takes one value only.
    Shared,
}

impl From<ParentsArgument> for ParentChoice {
    fn from(parents: ParentsArgument) -> ParentChoice {
        match parents {
            ParentsArgument::Acyclic => ParentChoice::Acyclic,
            ParentsArgument::Markovian => ParentChoice::Markovian,
            ParentsArgument::Safe => ParentChoice::Safe,
            ParentsArgument::Paper => ParentChoice::Paper,
        }
    }
}

impl From<Unidentified> for Missing {
    fn from(unidentified: Unidentified) -> Missing {
        match unidentified {
            Unidentified::Zero => Missing::Zero,
            Unidentified::Renormalised => Missing::Renormalise,
            Unidentified::Shared => Missing::Shared,
        }
    }
}

/// How a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// For people, in a terminal.
    Text,
    /// One file for a browser, with the source, graphs and all tables; works from a disk and without scripts.
    Html,
    /// At most ten lines for the summary of a CI job.
    Markdown,
    /// For programs; all other formats can be made from it. See docs/report.schema.json.
    Json,
    /// SARIF 2.1.0, which code hosts and editors show in the source.
    Sarif,
    /// The tests as JUnit's XML.
    Junit,
    /// GitLab's code quality JSON.
    Codequality,
    /// LCOV's tracefile: how many tests executed each line.
    Lcov,
    /// The dependence model, or without one chains of causes, for Graphviz.
    Dot,
    /// Long tables for DuckDB and the like: tests, lines, nodes, observations and trials as Parquet files in a directory.
    Parquet,
    /// GZoltar's matrix.txt, spectra.csv and tests.csv, in a directory.
    Gzoltar,
}

/// `suspect report`.
#[derive(Debug, Args)]
pub struct ReportArguments {
    /// The format.
    #[arg(long, value_enum, default_value = "text")]
    pub format: ReportFormat,
    /// File to write to, or directory for formats of several files; standard output without it.
    #[arg(long, short, visible_alias = "out", value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Take a report that was written as JSON instead of what the store has.
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    /// How many places to show [default: 3 as text, 5 with -v, 20 as SARIF and code quality].
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// Everything that is known, instead of what fits a screen.
    #[arg(long, short)]
    pub verbose: bool,
}

/// A level of significance.
fn significance(text: &str) -> Result<f64, String> {
    let alpha = text.trim().parse::<f64>().ok().filter(|alpha| *alpha > 0.0 && *alpha < 1.0);
    alpha.ok_or_else(|| "a level of significance between 0 and 1, such as 0.01".to_string())
}

fn duration(text: &str) -> Result<Duration, String> {
    match text.trim() {
        "0" | "0s" => Ok(Duration::ZERO),
        text => parse_duration(text).ok_or_else(|| "a time such as 90s, 10min or 2h".to_string()),
    }
}

/// How an answer that has no form of its own is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
}

/// `suspect doctor`.
#[derive(Debug, Args)]
pub struct DoctorArguments {
    /// How to write what was looked at.
    #[arg(long, value_enum, default_value = "text")]
    pub format: OutputFormat,
}

/// `suspect methods`.
#[derive(Debug, Args)]
pub struct MethodsArguments {
    /// How to write it.
    #[arg(long, value_enum, default_value = "text")]
    pub format: OutputFormat,
    /// The method to explain.
    #[arg(add = ArgValueCompleter::new(completions::ranking_methods), value_name = "METHOD")]
    pub method: Option<String>,
}

/// `suspect dump`.
#[derive(Debug, Args)]
pub struct DumpArguments {
    /// Trace files, recordings, instrumented programs, and whatever lies below .suspect.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

/// `suspect glossary`.
#[derive(Debug, Args)]
pub struct GlossaryArguments {
    /// The word, or a part of it; by default all of them.
    #[arg(value_name = "WORD")]
    pub term: Option<String>,
}

/// `suspect completions`.
#[derive(Debug, Args)]
pub struct CompletionsArguments {
    /// The shell.
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// `suspect man`.
#[derive(Debug, Args)]
pub struct ManArguments {
    /// Directory to write them to, one for suspect and one for each verb; made if it is not there.
    #[arg(long, short, value_name = "DIR")]
    pub output: PathBuf,
}
