//! `suspect try`: the answer for commands that are given, without suspect.toml and beside the project's own record.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use suspect_format::abi::Mode;

use super::answer::{brief, width};
use super::args::TryArguments;
use super::current::build_if_outdated;
use super::exit::{Exit, Failure};
use super::place::project_root;
use super::progress::StatusLine;
use super::streams::say;
use crate::exec::{Command, Status};
use crate::ranking::{self, RankRequest, TrialOptions, Trying};
use crate::report::write_brief;
use crate::source::SourceTree;
use crate::store::{Manifest, Store};
use crate::suite::{Config, Suite};
use crate::suite_run::{HowTested, Session, record_tests};

/// Time of a command whose output is taken for right.
const TIME: Duration = Duration::from_secs(60);

/// Tests the commands, ranks what the failing ones execute, and writes the answer.
///
/// # Errors
/// When a command cannot be a test, the program is not instrumented, or the failing command passes. With [`Exit::Finding`] after an answer.
pub fn attempt(start: &Path, arguments: &TryArguments, out: &mut impl Write) -> Result<(), Failure> {
    if arguments.expect.is_some() && arguments.fail.len() > 1 {
        let message =
            "--expect is the output of one command: give --fail once, or write a suspect.toml (`suspect init`)";
        return Err(Failure::new(Exit::Usage, message));
    }
    let root = project_root(start);
    build_if_outdated(&root)?;
    let store = Store::of_try(&root);
    let suite = suite(&root, start, &store, arguments)?;
    let how = HowTested { mode: Mode::Values, jobs: None, repeat: None, until: None, apart: Duration::ZERO };
    let recorded = record_tests(&store, &suite, &how, None, &StatusLine::new())?;
    check(&recorded.manifest, arguments)?;
    let run = store.latest_run()?;
    let session = Session::of(store, run).with_suite(suite);
    let trying = Trying::Now(TrialOptions { budget: arguments.budget, jobs: None, allow_unsafe: false });
    let ranked = ranking::rank(&session, &RankRequest::all_evidence(trying)?, &StatusLine::new())?;
    let sources = SourceTree::of(&root, &session.run.program);
    let mut answer = brief(&ranked.report, Some(&session.run), &sources, PLACES);
    // Other verbs speak of the project's own tests.
    answer.next.clear();
    write_brief(&answer, &ranked.report, width(), out).map_err(Failure::of(Exit::File))?;
    Err(Failure::new(Exit::Finding, String::new()))
}

/// Places of the answer.
const PLACES: usize = 3;

/// The commands as a suite, whose files lie in the store.
fn suite(root: &Path, start: &Path, store: &Store, arguments: &TryArguments) -> Result<Suite, Failure> {
    let kept = store.directory();
    fs::create_dir_all(kept).map_err(Failure::of(Exit::File))?;
    let mut text = String::new();
    for (name, commands) in [("fail", &arguments.fail), ("pass", &arguments.pass)] {
        if commands.is_empty() {
            continue;
        }
        let file = kept.join(name);
        write(&file, lines(commands)?.as_bytes())?;
        let expected = |number: usize| kept.join(format!("{name}.{number}.out"));
        let is_compared = match name {
            "fail" => {
                arguments.expect.as_ref().map(|path| take(&start.join(path), &expected(1))).transpose()?.is_some()
            }
            _ => (1..)
                .zip(commands)
                .try_for_each(|(n, line)| write(&expected(n), &output(start, line)?))
                .map(|()| true)?,
        };
        text += &section(name, start, &file, is_compared.then(|| kept.join(format!("{name}.{{n}}.out"))));
    }
    let path = kept.join("suspect.toml");
    Ok(Suite::from_config(root, Config::parse(text.as_bytes(), &path)?)?)
}

/// A suite of suspect.toml.
fn section(name: &str, start: &Path, file: &Path, expect: Option<PathBuf>) -> String {
    let word = |path: &Path| toml::Value::from(path.to_string_lossy().into_owned()).to_string();
    let expect = expect.map(|path| format!("expect = {}\n", word(&path))).unwrap_or_default();
    format!(
        "[[suite]]\nname = \"{name}\"\nkind = \"lines\"\ndir = {}\nfile = {}\nrun = \"{{line}}\"\n{expect}",
        word(start),
        word(file)
    )
}

/// Commands as the lines of a file.
fn lines(commands: &[String]) -> Result<String, Failure> {
    match commands.iter().find(|command| command.trim().is_empty() || command.contains('\n')) {
        Some(command) => {
            Err(Failure::new(Exit::Usage, format!("`{command}` is no command of one line: put it into a script")))
        }
        None => Ok(commands.iter().map(|command| format!("{command}\n")).collect()),
    }
}

/// A command's standard output, which is taken for right.
fn output(start: &Path, line: &str) -> Result<Vec<u8>, Failure> {
    let mut command = Command::shell(line, start);
    command.limits.wall = TIME;
    let outcome = command.run().map_err(Failure::of(Exit::File))?;
    match outcome.status {
        Status::Exited(code) if code < 126 => Ok(outcome.stdout.bytes),
        status => {
            let message = format!("the command given to --pass does not end well ({status}): {line}");
            Err(Failure::new(Exit::Baseline, message))
        }
    }
}

fn take(from: &Path, to: &Path) -> Result<(), Failure> {
    let bytes = fs::read(from)
        .map_err(|error| Failure::new(Exit::Usage, format!("--expect: cannot read {}: {error}", from.display())))?;
    write(to, &bytes)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    fs::write(path, bytes)
        .map_err(|error| Failure::new(Exit::File, format!("cannot write {}: {error}", path.display())))
}

/// Fails unless a failing command fails; says which others turned out otherwise than was said.
fn check(manifest: &Manifest, arguments: &TryArguments) -> Result<(), Failure> {
    let is_given = |command: &str, given: &[String]| given.iter().any(|one| one.trim() == command.trim());
    for test in &manifest.tests {
        let wanted = !is_given(&test.command, &arguments.fail);
        if test.passed != Some(wanted) {
            say!("suspect: {}: {}", test.command, test.verdict);
        }
    }
    if manifest.tests.iter().any(|test| test.passed == Some(false)) {
        return Ok(());
    }
    let advice = match arguments.expect {
        Some(_) => "it writes what is expected",
        None => "it ends with status 0: say with --expect FILE what it should write",
    };
    Err(Failure::new(Exit::Baseline, format!("the command given to --fail does not fail: {advice}")))
}
