//! `suspect ask`: probabilities over Doric's causal models of the recorded coverage.

use std::io::Write;
use std::path::Path;

use super::args::AskArguments;
use super::evidence::coverage;
use super::exit::{Exit, Failure};
use super::rank::{granularity, resolve};
use crate::program::Program;
use crate::rank::Units;
use crate::spectra::hypothesis::{Names, Probability, Query};
use crate::store::{Run, Store};

/// Answers a query.
pub fn ask(root: &Path, arguments: &AskArguments, out: &mut impl Write) -> Result<(), Failure> {
    let run = Store::new(root).latest_run()?;
    let units = Units::new(&run.program, granularity(arguments.by));
    let names = RunNames { program: &run.program, units: &units, tests: counted_names(&run) };
    let query = Query::parse(&arguments.query, &names)
        .map_err(|error| Failure::new(Exit::Usage, format!("{error}\n{}", error.pointing_at(&arguments.query))))?;
    let matrix = coverage(&run, &run.recorded()?, &units, &run.counted_tests())?;
    let answer = query.answer(&matrix).map_err(Failure::of(Exit::Baseline))?;
    writeln!(out, "{}", shown(&answer)).map_err(Failure::of(Exit::File))
}

/// Longest fraction printed; a longer one says nothing to a reader.
const LONGEST_FRACTION: usize = 40;

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
        let by_name = self.tests.iter().position(|test| *test == name);
        let by_number = || name.parse::<usize>().ok()?.checked_sub(1).filter(|number| *number < self.tests.len());
        let found = by_name.or_else(by_number);
        found.map(|test| test as u32).ok_or_else(|| format!("no test that counts is called `{name}`"))
    }
}
