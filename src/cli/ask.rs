//! `suspect ask`: probabilities over Doric's causal models of the recorded coverage.

use std::io::{self, Read, Write};
use std::path::Path;

use serde::Serialize;

use super::args::{AskArguments, OutputFormat};
use super::exit::{Exit, Failure};
use super::files::write_json;
use super::rank::granularity;
use crate::program::Program;
use crate::rank::Units;
use crate::rank_inputs::{coverage, resolve};
use crate::ranking::innocents;
use crate::spectra::CoverageMatrix;
use crate::spectra::hypothesis::{Names, Probability, Query, Weights};
use crate::store::{Run, Store};
use crate::suite::find_test;

/// Answers a query.
pub fn ask(root: &Path, arguments: &AskArguments, out: &mut impl Write) -> Result<(), Failure> {
    let store = Store::new(root);
    let run = store.latest_run()?;
    let units = Units::new(&run.program, granularity(arguments.by));
    let names = RunNames { program: &run.program, units: &units, tests: counted_names(&run) };
    let query = Query::parse(&arguments.query, &names)
        .map_err(|error| Failure::new(Exit::Usage, format!("{error}\n{}", error.pointing_at(&arguments.query))))?;
    let matrix = coverage(&run, &run.recorded()?, &units, &run.counted_tests())?;
    let mut weights = weights(arguments.weight.as_deref(), &names, &matrix)?;
    let innocents = innocents(&store, &run.program, &units, &arguments.innocent, arguments.forget_innocent)?;
    innocents.iter().for_each(|unit| weights.clear(*unit));
    let answer = query.answer(&matrix, &weights).map_err(Failure::of(Exit::Baseline))?;
    let written = match arguments.format {
        OutputFormat::Text => write_text(&answer, innocents.len(), out),
        OutputFormat::Json => write_json(&Answer::new(arguments, &answer, innocents.len()), out),
    };
    written.map_err(Failure::of(Exit::File))
}

/// Largest file of weights that is read, in bytes: far more than a line for each line of a large program.
const LARGEST_FILE: u64 = 64 << 20;

/// The weights that `--weight` asks for.
fn weights(wanted: Option<&str>, names: &RunNames<'_>, matrix: &CoverageMatrix) -> Result<Weights, Failure> {
    let path = match wanted {
        None => return Ok(Weights::default()),
        Some("spectrum") => return Ok(Weights::of_spectra(&matrix.spectra())),
        Some("size") => return Ok(Weights::of_sizes(&names.units.sizes(names.program))),
        Some(path) => path,
    };
    let wrong = |message: String| Failure::new(Exit::File, format!("--weight {path}: {message}"));
    let mut text = String::new();
    std::fs::File::open(path).and_then(|file| file.take(LARGEST_FILE + 1).read_to_string(&mut text)).map_err(
        |error| wrong(format!("{error}; give a file with a line for each unit or test, `spectrum` or `size`")),
    )?;
    if text.len() as u64 > LARGEST_FILE {
        return Err(wrong(format!("more than {} MiB; expected a line for each unit or test", LARGEST_FILE >> 20)));
    }
    Weights::parse(&text, names, matrix.n_tests()).map_err(|error| Failure::new(Exit::File, format!("{path}:{error}")))
}

/// The answer for programs.
#[derive(Serialize)]
struct Answer<'q> {
    query: &'q str,
    /// The file or the rule of the weights; `null` where all is equally likely.
    weight: Option<&'q str>,
    /// How many units count as innocent.
    innocent: usize,
    /// The probability, 0 where it is too small for a double.
    value: f64,
    /// Its logarithm to base 2; `null` where it is 0.
    log2: Option<f64>,
    /// As a fraction, where it is exact.
    exact: Option<String>,
}

impl Answer<'_> {
    fn new<'q>(arguments: &'q AskArguments, answer: &Probability, innocent: usize) -> Answer<'q> {
        let exact = match answer {
            Probability::Exact(ratio) => Some(ratio.to_string()),
            Probability::Rounded(_) => None,
        };
        Answer {
            query: &arguments.query,
            weight: arguments.weight.as_deref(),
            innocent,
            value: answer.value(),
            log2: Some(answer.log2()).filter(|log2| log2.is_finite()),
            exact,
        }
    }
}

/// Longest fraction printed; a longer one says nothing to a reader.
const LONGEST_FRACTION: usize = 40;

fn write_text(answer: &Probability, n_innocent: usize, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{}", shown(answer))?;
    match n_innocent {
        0 => Ok(()),
        1 => writeln!(out, "1 unit counts as innocent (--forget-innocent)"),
        n => writeln!(out, "{n} units count as innocent (--forget-innocent)"),
    }
}

fn shown(answer: &Probability) -> String {
    let value = match answer.value() {
        0.0 if answer.log2() > f64::NEG_INFINITY => format!("2^{:.3}", answer.log2()),
        value => format!("{value:.6}"),
    };
    match answer {
        Probability::Exact(ratio) if ratio.to_string().len() <= LONGEST_FRACTION => format!("{ratio} = {value}"),
        Probability::Exact(_) => value,
        Probability::Rounded(_) => format!("{value} (rounded)"),
    }
}

fn counted_names(run: &Run) -> Vec<&str> {
    run.counted_tests().into_iter().map(|test| run.manifest.tests[test as usize].name.as_str()).collect()
}

/// Units by `FILE:LINE` or `FUNCTION()`, tests by their names or numbers.
struct RunNames<'r> {
    program: &'r Program,
    units: &'r Units,
    tests: Vec<&'r str>,
}

impl Names for RunNames<'_> {
    fn unit(&self, name: &str) -> Result<u32, String> {
        let found = resolve(self.program, self.units, name);
        found.first().copied().ok_or_else(|| format!("there is no code at `{name}`; give FILE:LINE or FUNCTION()"))
    }

    fn test(&self, name: &str) -> Result<u32, String> {
        let is_number = |number: &usize| *number < self.tests.len() && !self.tests.contains(&name);
        if let Some(number) = name.parse::<usize>().ok().and_then(|number| number.checked_sub(1)).filter(is_number) {
            return Ok(number as u32);
        }
        find_test(self.tests.iter().copied(), name)
            .map(|test| test as u32)
            .map_err(|no| format!("of those that count {no}"))
    }
}
