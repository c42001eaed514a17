//! `suspect build` and `suspect doctor`.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use serde::Serialize;

use super::args::{BuildArguments, DoctorArguments, OutputFormat};
use super::exit::{Exit, Failure};
use super::files::write_json;
use super::place::project_root;
use super::progress::StatusLine;
use super::streams::say;
use crate::build::doctor::Check;
use crate::build::{self, BuildError, BuildOptions, BuildOutput, BuildReport, driver};
use crate::store::Store;
use crate::suite::{CONFIG_FILE, Config};
use crate::suite_run::{CLEARED, Session};

/// Runs the project's build and says what came of it.
pub fn build(start: &Path, arguments: &BuildArguments, out: &mut impl Write) -> Result<(), Failure> {
    let root = project_root(start);
    let store = Store::new(&root);
    let _lock = store.lock()?;
    let configured = configured(&root)?;
    let command = match given(start, &arguments.command).or_else(|| of_config(&root, configured.as_ref(), Part::All)) {
        Some(command) => command,
        None => return Err(no_command()),
    };
    let modes = modes(&arguments.modes, configured.as_ref())?;
    let output = match arguments.format {
        OutputFormat::Text => BuildOutput::Inherited,
        OutputFormat::Json => BuildOutput::StandardError,
    };
    run_build(&store, command, modes, (arguments.format, output), out)
}

/// Builds for a night: by the command that is given, that suspect.toml names, or that `suspect build` was last given.
pub fn build_again(start: &Path, command: &[OsString], out: &mut impl Write) -> Result<(), Failure> {
    again(start, command, (Part::All, BuildOutput::Inherited), out)
}

/// Builds for a verb whose answer is something else: the build's output is shown as it grows by its last line, and where the build fails by its end.
pub fn build_aside(start: &Path, part: Part) -> Result<(), Failure> {
    let log = Store::new(&project_root(start)).build_directory().join("output");
    let is_over = AtomicBool::new(false);
    let built = thread::scope(|scope| {
        scope.spawn(|| show_last_line(&log, &is_over));
        let built = again(start, &[], (part, BuildOutput::File(log.clone())), &mut std::io::sink());
        is_over.store(true, Ordering::Relaxed);
        built
    });
    if built.as_ref().is_err_and(|failure| [Exit::Baseline, Exit::NotInstrumented].contains(&failure.exit)) {
        let output = end_of(&log, MOST_SHOWN).unwrap_or_default();
        let lines: Vec<&str> = output.lines().collect();
        lines[lines.len().saturating_sub(LAST_LINES)..].iter().for_each(|line| say!("{line}"));
        say!("suspect: all that the build wrote is in {}", log.display());
    }
    built
}

/// Lines of its output that a failed build is shown by: a compiler's message is near the end, before make's own.
const LAST_LINES: usize = 40;
/// Bytes of these lines at most: a build may write gigabytes, and lines without end.
const MOST_SHOWN: u64 = 64 << 10;
/// How often the output of a build is looked at.
const LOOKED: Duration = Duration::from_millis(100);
/// Bytes at the end of the output that hold its last line.
const LAST_BYTES: u64 = 4096;

/// Shows the last line of a growing file, until it is over.
fn show_last_line(log: &Path, is_over: &AtomicBool) {
    let status = StatusLine::new();
    while !is_over.load(Ordering::Relaxed) {
        let line = last_line(log).unwrap_or_default();
        status.show(false, |_| format!("building: {line}"));
        thread::sleep(LOOKED);
    }
}

/// The last bytes of a file as text.
fn end_of(log: &Path, bytes: u64) -> std::io::Result<String> {
    let mut file = File::open(log)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(bytes)))?;
    let mut end = Vec::new();
    file.take(bytes).read_to_end(&mut end)?;
    Ok(String::from_utf8_lossy(&end).into_owned())
}

fn last_line(log: &Path) -> std::io::Result<String> {
    let text = end_of(log, LAST_BYTES)?;
    let line = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    Ok(line.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect())
}

/// How much of a build is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All, as the first time.
    All,
    /// What suspect.toml says is enough where sources changed, or all.
    Sources,
}

fn again(
    start: &Path,
    command: &[OsString],
    (part, output): (Part, BuildOutput),
    out: &mut impl Write,
) -> Result<(), Failure> {
    let root = project_root(start);
    let store = Store::new(&root);
    let _lock = store.lock()?;
    let configured = configured(&root)?;
    if let Some(command) = given(start, command).or_else(|| of_config(&root, configured.as_ref(), part)) {
        let modes = modes(&[], configured.as_ref())?;
        return run_build(&store, command, modes, (OutputFormat::Text, output), out);
    }
    let Some(last) = store.load_build::<BuildReport>()? else { return Err(no_command()) };
    let words = last.command.iter().map(OsString::from).collect();
    let command = BuildCommand { words, directory: root.join(last.directory) };
    run_build(&store, command, last.modes, (OutputFormat::Text, output), out)
}

/// The command that builds without one that is given, for people.
pub fn command_line(store: &Store, part: Part) -> Result<String, Failure> {
    let configured = configured(store.root())?;
    if let Some(line) = configured.as_ref().and_then(|config| line_of(config, part)) {
        return Ok(line.clone());
    }
    let last = store.load_build::<BuildReport>()?;
    Ok(last.map(|last| last.command.join(" ")).unwrap_or_default())
}

/// A build command, and where it runs.
struct BuildCommand {
    words: Vec<OsString>,
    directory: PathBuf,
}

fn configured(root: &Path) -> Result<Option<Config>, Failure> {
    let path = root.join(CONFIG_FILE);
    Ok(path.is_file().then(|| Config::load(&path)).transpose()?)
}

fn given(start: &Path, words: &[OsString]) -> Option<BuildCommand> {
    (!words.is_empty()).then(|| BuildCommand { words: words.to_vec(), directory: start.to_path_buf() })
}

/// The line of suspect.toml that builds.
fn line_of(config: &Config, part: Part) -> Option<&String> {
    let again = config.build.again.as_ref().filter(|_| part == Part::Sources);
    again.or(config.build.command.as_ref())
}

fn of_config(root: &Path, configured: Option<&Config>, part: Part) -> Option<BuildCommand> {
    let line = line_of(configured?, part)?;
    Some(BuildCommand { words: ["sh", "-c", line].map(OsString::from).to_vec(), directory: root.to_path_buf() })
}

fn no_command() -> Failure {
    let message = format!("no build command; type: suspect build -- make (or put [build] command into {CONFIG_FILE})");
    Failure::new(Exit::Usage, message)
}

/// Runs a build for the project whose store this is, locked by the caller, and keeps what came of it.
fn run_build(
    store: &Store,
    command: BuildCommand,
    modes: String,
    (format, output): (OutputFormat, BuildOutput),
    out: &mut impl Write,
) -> Result<(), Failure> {
    let mut options = BuildOptions {
        command: command.words,
        modes,
        directory: command.directory,
        state: store.build_directory(),
        root: store.root().to_path_buf(),
        output,
    };
    let mut report = report_of(build::build(&options))?;
    if report.status != 0
        && let Some(command) = one_by_one(&options.command)
    {
        // Makefiles that do not name all that a target needs build only in their own order.
        say!("suspect: the build failed with commands beside each other; once more, one at a time ...");
        options.command = command;
        report = report_of(build::build(&options))?;
    }
    if report.status != 0
        && let Some((command, line)) = wanted_alone(&options.command)
    {
        // Documents or installed things may be missing, and no test needs them.
        say!("suspect: the build failed; once more, only what is asked for by name: {line} ...");
        options.command = command;
        report = report_of(build::build(&options))?;
    }
    store.save_build(&report)?;
    if format == OutputFormat::Json {
        write_json(&report, out).map_err(Failure::of(Exit::File))?;
    }
    out.flush().map_err(Failure::of(Exit::File))?;
    let _ = write!(anstream::stderr(), "{report}");
    match report.status {
        0 => Ok(()),
        status => Err(Failure::new(Exit::Baseline, format!("the build command ended with status {status}"))),
    }
}

/// What a build came to; an error where no program records anything.
fn report_of(built: Result<BuildReport, BuildError>) -> Result<BuildReport, Failure> {
    match built {
        Ok(report) => Ok(report),
        Err(BuildError::NotInstrumented(report)) => {
            let message = format!("{report}suspect: no program of this build is instrumented");
            Err(Failure::new(Exit::NotInstrumented, message.trim_start_matches("suspect: ")))
        }
        Err(error) => Err(error.into()),
    }
}

/// The command with one job at a time, where it has as many as there are processors.
fn one_by_one(command: &[OsString]) -> Option<Vec<OsString>> {
    let (line, words) = command.split_last()?;
    let line = line.to_str().filter(|line| line.contains(MANY_JOBS))?.replace(MANY_JOBS, "-j1");
    Some(words.iter().cloned().chain([line.into()]).collect())
}

/// The command with the last call of make alone, and this call, where one before it makes everything and it makes something by name. A call for another
/// directory may not know all that it needs, and one that sets a variable is Automake's, which makes everything before.
fn wanted_alone(command: &[OsString]) -> Option<(Vec<OsString>, &str)> {
    let (line, words) = command.split_last()?;
    let (before, last) = line.to_str()?.rsplit_once(" && ")?;
    let goals = |call: &str| {
        let mut words = call.split_whitespace();
        let is_here = words.next() == Some("make") && !call.contains(" -C") && !call.contains('=');
        is_here.then(|| words.filter(|word| !word.starts_with('-')).count())
    };
    let everything = before.rsplit(" && ").next().unwrap_or(before);
    let is_apart = goals(everything) == Some(0) && goals(last).is_some_and(|goals| goals > 0);
    let before = before[..before.len() - everything.len()].to_owned();
    is_apart.then(|| (words.iter().cloned().chain([(before + last).into()]).collect(), last))
}

/// How a shell's line asks make for as many jobs as there are processors.
const MANY_JOBS: &str = "-j$(nproc)";

fn modes(asked: &[String], configured: Option<&Config>) -> Result<String, Failure> {
    let configured = configured.map_or(&[][..], |config| &config.build.modes);
    if !asked.is_empty() {
        return driver::check_modes(&asked.join(",")).map_err(Failure::of(Exit::Usage));
    }
    if configured.is_empty() {
        return Ok(driver::ALL_MODES.to_string());
    }
    Ok(configured.iter().map(|mode| mode.name()).collect::<Vec<_>>().join(","))
}

/// What `suspect doctor` found, for programs.
#[derive(Serialize)]
struct Doctored<'r> {
    checks: &'r [Check],
    notes: &'r [String],
}

/// Looks at the set-up and the built programs.
pub fn doctor(root: &Path, arguments: &DoctorArguments, out: &mut impl Write) -> Result<(), Failure> {
    let store = Store::new(root);
    let log = build::log_in(&store.build_directory());
    let report = build::doctor(root, log.exists().then_some(log.as_path()));
    // What the latest tests showed of the set-up; without a recorded run there is nothing to say.
    let mut notes = store.latest_run().map(|run| run.manifest.warnings).unwrap_or_default();
    notes.retain(|warning| warning.ends_with(CLEARED));
    let hints = Session::latest(root).ok().and_then(|session| session.hints().ok()).unwrap_or_default();
    notes.extend(hints.iter().map(|hint| format!("failing tests: {hint}")));
    let written = match arguments.format {
        OutputFormat::Text => {
            write!(out, "{report}").and_then(|()| notes.iter().try_for_each(|warning| writeln!(out, "note {warning}")))
        }
        OutputFormat::Json => write_json(&Doctored { checks: &report.checks, notes: &notes }, out),
    };
    written.map_err(Failure::of(Exit::File))?;
    match report.healthy() {
        true => Ok(()),
        false => Err(Failure::new(Exit::NotInstrumented, "something is wrong; see the lines marked BAD")),
    }
}
