//! The command line of `suspect ask`.

use clap::Args;
use clap_complete::engine::ArgValueCompleter;

use super::super::completions;
use super::{By, OutputFormat};

/// What `suspect ask --help` ends with.
pub const HELP: &str = "Atoms about a ranked unit x: u[x] executed, h[x] a cause, H[x] the only cause, f[x] a cause of some failure; \
    e: the test failed; t[NAME]: the test is NAME. Joined by &&, || and !, in parentheses; in[NAME] A says that A holds of the test \
    NAME, whichever test is spoken of; a condition follows |.\n\nA file for --weight has a line for each unit or test: `h[UNIT] \
    PROBABILITY`, that the unit is a cause in a failing test that executes it, 1/2 for those not named; `t[TEST] WEIGHT`, against 1 for \
    those not named.\n\nExamples:\n  suspect ask 'P(f[src/a.c:41])'\n  suspect ask 'P(f[src/a.c:41] | !h[src/b.c:7])'\n  \
    suspect ask 'P(H[main()] | u[main()])' --by function\n  suspect ask 'P(f[src/a.c:41] | in[t3] H[src/b.c:7])'\n  \
    suspect ask 'P(f[src/a.c:41])' --weight spectrum --innocent src/b.c:7";

/// `suspect ask`.
#[derive(Debug, Args)]
pub struct AskArguments {
    /// The query.
    #[arg(value_name = "QUERY")]
    pub query: String,
    /// What the units of the query are.
    #[arg(long, value_enum, default_value = "line")]
    pub by: By,
    /// Weights of units and tests: a file; `spectrum` for units by the rate at which the tests that execute them fail; or `size` for units by the values
    /// that they compute and the decisions that they make, against the mean. Without it all causal models, and all tests, are equally likely.
    #[arg(long, value_name = "FILE|spectrum|size")]
    pub weight: Option<String>,
    /// A line (FILE:LINE) or function (NAME()) found innocent, which is no cause in any model; remembered, as by `suspect rank`.
    #[arg(add = ArgValueCompleter::new(completions::lines), long, value_name = "UNIT")]
    pub innocent: Vec<String>,
    /// Forget what was found innocent.
    #[arg(long)]
    pub forget_innocent: bool,
    /// How to write the answer.
    #[arg(long, value_enum, default_value = "text")]
    pub format: OutputFormat,
}
