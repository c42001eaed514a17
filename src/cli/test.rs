//! `suspect init` and `suspect test`: run the suite, record what each test did.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use suspect_format::abi::Mode;

use super::args::{InitArguments, OutputFormat, Record, TestArguments};
use super::exit::{Exit, Failure};
use super::files::write_json;
use super::progress::StatusLine;
use crate::build::BuildReport;
use crate::exec::interrupt;
use crate::store::{Manifest, Store, TestRecord};
use crate::suite;
use crate::suite_run::{HowTested, record_suite};

/// Writes a suspect.toml.
pub fn init(start: &Path, arguments: &InitArguments, out: &mut impl Write) -> Result<(), Failure> {
    let last: Option<BuildReport> = Store::new(start).load_build()?;
    let (path, config) = write_config(start, last.as_ref())?;
    let written = match arguments.format {
        OutputFormat::Text => say_initial(&path, &config, last.is_some(), out),
        OutputFormat::Json => write_json(&Initial::of(&path, &config), out),
    };
    written.map_err(Failure::of(Exit::File))
}

/// Writes the suspect.toml that fits a project, and reads it.
pub fn write_config(start: &Path, last: Option<&BuildReport>) -> Result<(PathBuf, suite::Config), Failure> {
    suite::init(start, last)?;
    let path = start.join(suite::CONFIG_FILE);
    let config = suite::Config::load(&path)?;
    Ok((path, config))
}

/// What a suspect.toml builds and tests, in a clause.
pub fn taken(config: &suite::Config) -> String {
    let build = config.build.command.as_deref().map_or("no build command".into(), |line| format!("built by `{line}`"));
    let kinds: Vec<&str> = config.suites.iter().map(|suite| suite.kind.name()).collect();
    let tests = if kinds.is_empty() { "no tests found".into() } else { format!("tests: {}", kinds.join(", ")) };
    format!("{build}; {tests}")
}

/// A first suspect.toml, for programs.
#[derive(Serialize)]
struct Initial<'c> {
    file: String,
    /// None where no build system was found.
    build: Option<&'c str>,
    /// Kinds of the suites that were found.
    suites: Vec<&'static str>,
}

impl<'c> Initial<'c> {
    fn of(path: &Path, config: &'c suite::Config) -> Initial<'c> {
        Initial {
            file: path.display().to_string(),
            build: config.build.command.as_deref(),
            suites: config.suites.iter().map(|suite| suite.kind.name()).collect(),
        }
    }
}

fn say_initial(path: &Path, config: &suite::Config, is_built: bool, out: &mut impl Write) -> std::io::Result<()> {
    let first = match (config.build.command.is_some(), !config.suites.is_empty()) {
        (true, true) => "look through it",
        (true, false) => "no tests were found: say in it how they are run",
        (false, true) => "what builds the project was not found: say in it",
        (false, false) => {
            "neither a build system nor tests were found: say in it what builds the project and how tests are run"
        }
    };
    let next = if is_built { "suspect test" } else { "suspect build && suspect test" };
    writeln!(out, "{}", taken(config))?;
    writeln!(out, "wrote {}; {first}, then type: {next}", path.display())
}

/// Runs the suite and keeps what each test did.
pub fn test(root: &Path, arguments: &TestArguments, out: &mut impl Write) -> Result<(), Failure> {
    let mode = match arguments.record {
        Record::Edges => Mode::Edges,
        Record::Values => Mode::Values,
        Record::Trace => Mode::Trace,
    };
    let how = HowTested { mode, jobs: arguments.jobs, repeat: arguments.repeat, until: None, apart: Duration::ZERO };
    interrupt::catch().map_err(Failure::of(Exit::Internal))?;
    let recorded = record_suite(&Store::new(root), &how, &StatusLine::new())?;
    let written = match arguments.format {
        OutputFormat::Text => summarise(&recorded.manifest, recorded.n_nodes, out),
        OutputFormat::Json => write_json(&recorded.manifest, out),
    };
    written.map_err(Failure::of(Exit::File))
}

/// Tests named one by one before "and N more".
const NAMED: usize = 20;

/// A test's name; where that is a bare number, with its command.
fn called(test: &TestRecord) -> String {
    match test.name.parse::<u32>() {
        Ok(_) => format!("{} ({})", test.name, test.command),
        Err(_) => test.name.clone(),
    }
}

/// Says how the tests went.
pub fn summarise(manifest: &Manifest, n_nodes: usize, out: &mut impl Write) -> std::io::Result<()> {
    let of = |wanted: Option<bool>| manifest.tests.iter().filter(move |test| test.passed == wanted);
    for (wanted, word) in [(Some(false), "fails"), (None, "does not count")] {
        for test in of(wanted).take(NAMED) {
            // That it fails is said already.
            let verdict = test.verdict.strip_prefix("fail: ").unwrap_or(&test.verdict);
            writeln!(out, "{word}: {}: {verdict}", called(test))?;
        }
        let more = of(wanted).count().saturating_sub(NAMED);
        if more > 0 {
            writeln!(out, "... and {more} more")?;
        }
    }
    for warning in &manifest.warnings {
        writeln!(out, "warning: {warning}")?;
    }
    if !manifest.unstable_nodes.is_empty() {
        let n = manifest.unstable_nodes.len();
        writeln!(out, "{n} of {n_nodes} nodes differ between runs of the same test and are masked")?;
    }
    let (failing, passing, rest) = (of(Some(false)).count(), of(Some(true)).count(), of(None).count());
    writeln!(out, "{passing} passing, {failing} failing, {rest} not counted; recorded")
}
