//! `suspect init` and `suspect test`: run the suite, record what each test did.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use suspect_format::abi::Mode;

use super::answer::line;
use super::args::{InitArguments, OutputFormat, Record, TestArguments};
use super::build::{Part, build_aside};
use super::exit::{Exit, Failure};
use super::files::write_json;
use super::progress::StatusLine;
use super::streams::say;
use crate::build::BuildReport;
use crate::exec::{ScratchRoot, interrupt};
use crate::store::{Manifest, Store, TestRecord};
use crate::suite;
use crate::suite_run::{HowTested, Session, record_suite};

/// Writes a suspect.toml.
pub fn init(start: &Path, arguments: &InitArguments, out: &mut impl Write) -> Result<(), Failure> {
    if arguments.refine {
        return refine(&suite::find_root(start)?, arguments.format, out);
    }
    let last: Option<BuildReport> = Store::new(start).load_build()?;
    let (path, config) = write_config(start, last.as_ref())?;
    let written = match arguments.format {
        OutputFormat::Text => say_initial(&path, &config, last.is_some(), out),
        OutputFormat::Json => write_json(&Initial::of(&path, &config), out),
    };
    written.map_err(Failure::of(Exit::File))
}

/// Writes into suspect.toml what has its tests tell more, and says it.
fn refine(root: &Path, format: OutputFormat, out: &mut impl Write) -> Result<(), Failure> {
    interrupt::catch().map_err(Failure::of(Exit::Internal))?;
    let refined = take_other_tests(root, suite::Deadline::Interrupt)
        .and_then(|_| refinements(root, suite::Deadline::Interrupt, None, None));
    let refinements = refined.map_err(|failure| match interrupt::happened() {
        true => Failure::new(Exit::Interrupted, "interrupted: suspect.toml stays as it was"),
        false => failure,
    })?;
    let written = match format {
        OutputFormat::Text => say_refined(&refinements, out),
        OutputFormat::Json => write_json(&refinements.iter().map(Refined::of).collect::<Vec<_>>(), out),
    };
    written.map_err(Failure::of(Exit::File))
}

/// Writes into suspect.toml what has its tests tell more, or `only` some of them, as far as that is seen until `deadline`; `lists` are those of the tests that
/// are known.
pub fn refinements(
    root: &Path,
    deadline: suite::Deadline,
    only: Option<&[String]>,
    lists: Option<&suite::KeptLists>,
) -> Result<Vec<suite::Refinement>, Failure> {
    trying(root, deadline, |how| suite::refine(root, &suite::Refining { only, lists, ..*how }))
}

/// Has suspect.toml name other tests of the project, and builds what they need, where those that it was begun with start nothing that is instrumented.
/// Returns whether it does now.
pub fn take_other_tests(root: &Path, deadline: suite::Deadline) -> Result<bool, Failure> {
    let taken = trying(root, deadline, |how| suite::take_other(root, how))?;
    if let Some(suite::Taken { what, builds_otherwise }) = &taken {
        say!("suspect: the tests of suspect.toml start nothing that is instrumented; took others, which do: {what}");
        if *builds_otherwise {
            build_aside(root, Part::All)?;
        }
    }
    Ok(taken.is_some())
}

/// Tries tests in scratch directories of the store, and shows which.
fn trying<T>(
    root: &Path,
    deadline: suite::Deadline,
    work: impl FnOnce(&suite::Refining) -> Result<T, suite::SuiteError>,
) -> Result<T, Failure> {
    let store = Store::new(root);
    let _lock = store.lock()?;
    let scratch = ScratchRoot::inside(&store.fresh_tmp()?).map_err(Failure::of(Exit::File))?;
    let status = StatusLine::new();
    let begins = |number: usize, n_tests: usize, name: &str| {
        status.show(false, |_| format!("trying: test {number} of {n_tests}, {name}"));
    };
    let asked = |what: &str| status.begin(what);
    let done = work(&suite::Refining {
        scratch: &scratch,
        deadline,
        begins: &begins,
        asked: &asked,
        only: None,
        parts: false,
        lists: None,
    })?;
    drop(status);
    drop(scratch);
    store.remove_tmp()?;
    Ok(done)
}

/// What came of a line, for programs.
#[derive(Serialize)]
struct Refined<'r> {
    suite: usize,
    line: &'r str,
    kept: bool,
    tests_before: usize,
    tests_with_it: usize,
    /// Why it is not kept.
    refused: Option<&'r str>,
}

impl<'r> Refined<'r> {
    fn of(refinement: &'r suite::Refinement) -> Refined<'r> {
        let suite::Refinement { suite, line, n_tests, refused } = refinement;
        let (tests_before, tests_with_it) = *n_tests;
        Refined {
            suite: *suite,
            line,
            kept: refused.is_none(),
            tests_before,
            tests_with_it,
            refused: refused.as_deref(),
        }
    }
}

/// Says what came of each line.
pub fn say_refined(refinements: &[suite::Refinement], out: &mut impl Write) -> std::io::Result<()> {
    if refinements.is_empty() {
        return writeln!(out, "nothing in suspect.toml would have its tests tell more");
    }
    for suite::Refinement { suite, line, n_tests: (before, after), refused } in refinements {
        match refused {
            None => {
                let more = match (before, after) {
                    (before, after) if before == after => String::new(),
                    (1, after) => format!(": 1 test becomes {after}"),
                    (before, after) => format!(": {before} tests become {after}"),
                };
                writeln!(out, "wrote `{line}` into [[suite]] {suite}{more}, with the same verdicts when run")?;
            }
            Some(why) => writeln!(out, "left out `{line}` of [[suite]] {suite}: {why}")?,
        }
    }
    Ok(())
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
        OutputFormat::Text => {
            let hints = Session::latest(root)?.hints()?;
            summarise(&recorded.manifest, recorded.n_nodes, out).and_then(|()| say_hints(&hints, out))
        }
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
            out.write_all(line(&format!("{word}: {}: {verdict}", called(test))).as_bytes())?;
        }
        let more = of(wanted).count().saturating_sub(NAMED);
        if more > 0 {
            writeln!(out, "... and {more} more")?;
        }
    }
    for warning in &manifest.warnings {
        out.write_all(line(&format!("warning: {warning}")).as_bytes())?;
    }
    if !manifest.unstable_nodes.is_empty() {
        let n = manifest.unstable_nodes.len();
        out.write_all(
            line(&format!("{n} of {n_nodes} nodes differ between runs of the same test and are masked")).as_bytes(),
        )?;
    }
    let (failing, passing, rest) = (of(Some(false)).count(), of(Some(true)).count(), of(None).count());
    writeln!(out, "{passing} passing, {failing} failing, {rest} not counted; recorded")
}

/// Says what would have failing tests tell more.
fn say_hints(hints: &[suite::Hint], out: &mut impl Write) -> std::io::Result<()> {
    for hint in hints {
        out.write_all(line(&format!("hint: {hint}")).as_bytes())?;
    }
    match hints {
        [] => Ok(()),
        _ => writeln!(out, "hint: `suspect init --refine` tries that and writes what works"),
    }
}
