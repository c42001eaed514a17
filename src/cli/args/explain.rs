//! Arguments of `suspect slice` and `suspect explain`.

use std::str::FromStr;
use std::time::Duration;

use clap::{Args, ValueEnum};
use clap_complete::engine::ArgValueCompleter;

use suspect_format::plan::OTHER_WAY;

use super::duration;
use crate::cli::completions;
use crate::comparison::{Replacement, Turn};
use crate::explain::{self, EVERY, Itself, OTHER, Request, Second};
use crate::recording::Asked;

/// How an answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AnswerFormat {
    /// For people.
    Text,
    /// For programs; see docs/explanation.schema.json and docs/slice.schema.json.
    Json,
    /// For viewers of code flows.
    Sarif,
}

/// How causes are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExplainMethod {
    /// Comparative causality: relevant, sufficient in both directions, minimal.
    Cc,
    /// Cause state minimisation: all differences of the states, one direction, the program's own course.
    Csm,
    /// The differences that are in flight, none tried.
    Dual,
}

/// What patched runs are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// The program runs again, where it can be asked; else the recordings. Runs of one step are forked from one process where that is safe.
    Process,
    /// As process, but each run begins anew.
    Exec,
    /// The two recordings alone.
    Offline,
}

/// Which execution model a patched run follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Model {
    /// The approximate one, and where that rejects all differences together, the exact one.
    Ladder,
    /// Branches that both runs take alike, or one alone, are held in place.
    Approximate,
    /// Nothing but the slice is executed, with definitions that it knows.
    Exact,
}

/// `suspect slice`.
#[derive(Debug, Args)]
pub struct SliceArguments {
    /// The test; with --static, the place.
    #[arg(add = ArgValueCompleter::new(completions::tests), value_name = "TEST")]
    pub test: String,
    /// The place: FILE:LINE, FILE:LINE:VARIABLE, either with #N for its N-th execution (the last one otherwise, and with --forward all), `output` for the
    /// last thing that was written, or `wrong` for the first that is not expected.
    #[arg(value_name = "PLACE")]
    pub place: Option<String>,
    /// What the place influences, instead of what it depends on.
    #[arg(long)]
    pub forward: bool,
    /// Slice the code that the last `suspect test` ran, instead of a run: whatever may happen in any. The place is FILE:LINE or `output`.
    #[arg(long = "static")]
    pub code: bool,
    /// How it is written.
    #[arg(long, value_enum, default_value = "text")]
    pub format: AnswerFormat,
}

/// Which condition goes another way: one that is looked for, this one once, or this one each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switched(pub Itself);

fn switched(text: &str) -> Result<Switched, String> {
    let turn = |(decision, way)| Turn { decision, way };
    let each = text.strip_prefix(EVERY).and_then(|given| match given.strip_suffix(OTHER) {
        Some(number) => Some(Turn { decision: number.parse().ok()?, way: OTHER_WAY }),
        None => numbers(given)?.map(turn),
    });
    let once = || numbers(text).map(|given| Itself::Switched(given.map(turn)));
    let wrong = || "expected NUMBER:WAY, such as 17:0, or every:NUMBER:WAY, such as every:17:other".to_owned();
    each.map(Itself::Everywhere).or_else(once).map(Switched).ok_or_else(wrong)
}

/// Which value is replaced: one that is looked for, or this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replaced(pub Option<Replacement>);

fn replaced(text: &str) -> Result<Replaced, String> {
    let replacement = |(store, bits)| Replacement { store, bits };
    let given = numbers(text).map(|given| Replaced(given.map(replacement)));
    given.ok_or_else(|| "expected NUMBER:VALUE, such as 17:0".to_owned())
}

/// Two numbers, or none in an empty text.
fn numbers<T: FromStr>(text: &str) -> Option<Option<(u64, T)>> {
    if text.is_empty() {
        return Some(None);
    }
    let (one, other) = text.split_once(':')?;
    Some(Some((one.parse().ok()?, other.parse().ok()?)))
}

/// `suspect explain`.
#[derive(Debug, Args)]
pub struct ExplainArguments {
    /// Build nothing, also where sources changed since the last build or tests: stop there.
    #[arg(long)]
    pub no_build: bool,
    /// The failing test; by default the first one of the last `suspect test`.
    #[arg(add = ArgValueCompleter::new(completions::tests), value_name = "TEST")]
    pub test: Option<String>,
    /// The test to compare it with; by default itself under the best change that the last `suspect rank` found; else, of the passing ones whose course
    /// was most like it, one that comes to what is explained, and where none does, as --switch, then as --replace.
    #[arg(add = ArgValueCompleter::new(completions::tests), long, value_name = "TEST")]
    pub against: Option<String>,
    /// Compare the test with itself, made to pass by one condition that goes another way once: which one is looked for, or given by its number
    /// and its way, as an earlier answer has them. With every:NUMBER:WAY it goes that way each time, with every:NUMBER:other the other way.
    #[arg(long, value_name = "[every:]NUMBER:WAY", num_args = 0..=1, require_equals = true, default_missing_value = "", value_parser = switched,
        conflicts_with = "against")]
    pub switch: Option<Switched>,
    /// Compare the test with itself, made to pass by one value that is replaced once it was stored: which one is looked for, or given by its number
    /// and its bits as a decimal number, as an earlier answer has them.
    #[arg(long, value_name = "NUMBER:VALUE", num_args = 0..=1, require_equals = true, default_missing_value = "", value_parser = replaced,
        conflicts_with_all = ["against", "switch"])]
    pub replace: Option<Replaced>,
    /// Time for everything: running and recording tests, reading what they did, proving steps, looking for such a condition or value. Half of it at most
    /// goes into what wrote what is not expected, and half of what is left into the comparison with a test that was not named.
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "1min")]
    pub budget: Duration,
    /// Begin each run at this time, in seconds since 1970, as far as its instrumented code asks for it; by default where the test is not the same each
    /// time otherwise.
    #[arg(long, value_name = "SECONDS")]
    pub clock: Option<u64>,
    /// Look for causes at this line alone, instead of going back step by step; at its N-th execution in the failing run with #N.
    #[arg(long, value_name = "FILE:LINE[#N]")]
    pub cause: Option<Asked>,
    /// What is to be explained; by default the crash, or the first thing written that is not expected, or, where the suite does not tell that, that differs.
    #[arg(long, value_name = "FILE:LINE[:VAR][#N]")]
    pub effect: Option<Asked>,
    /// How causes are found.
    #[arg(long, value_enum, default_value = "cc")]
    pub method: ExplainMethod,
    /// What patched runs of the approximate model are made of; those of the exact one are made of the recordings.
    #[arg(long, value_enum, default_value = "process")]
    pub engine: Engine,
    /// Which model they follow.
    #[arg(long, value_enum, default_value = "ladder")]
    pub model: Model,
    /// At most so many steps back.
    #[arg(long, value_name = "N", default_value = "200")]
    pub steps: usize,
    /// Tell addresses as numbers where the program has no name for what is there.
    #[arg(long)]
    pub addresses: bool,
    /// Write the answer for programs in at most 1 kB of JSON: what happens, what it comes from, and the places on the way; see
    /// docs/explanation-brief.schema.json.
    #[arg(long, conflicts_with = "format")]
    pub brief: bool,
    /// How it is written.
    #[arg(long, value_enum, default_value = "text")]
    pub format: AnswerFormat,
}

impl From<&ExplainArguments> for Request {
    fn from(arguments: &ExplainArguments) -> Request {
        let second = match (&arguments.against, arguments.switch, arguments.replace) {
            (Some(passing), ..) => Second::Named(passing.clone()),
            (None, Some(Switched(change)), _) => Second::Itself(change),
            (None, None, Some(Replaced(value))) => Second::Itself(Itself::Replaced(value)),
            (None, None, None) => Second::Alike,
        };
        Request {
            test: arguments.test.clone(),
            second,
            budget: arguments.budget,
            clock: arguments.clock,
            cause: arguments.cause.clone(),
            effect: arguments.effect.clone(),
            method: match arguments.method {
                ExplainMethod::Cc => explain::Method::Cc,
                ExplainMethod::Csm => explain::Method::Csm,
                ExplainMethod::Dual => explain::Method::Dual,
            },
            engine: match arguments.engine {
                Engine::Process => explain::Engine::Process,
                Engine::Exec => explain::Engine::Exec,
                Engine::Offline => explain::Engine::Offline,
            },
            model: match arguments.model {
                Model::Ladder => explain::Model::Ladder,
                Model::Approximate => explain::Model::Approximate,
                Model::Exact => explain::Model::Exact,
            },
            steps: arguments.steps,
            addresses: arguments.addresses,
        }
    }
}
