//! `suspect build`: runs a project's own build with the driver in front of its compilers.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, SystemTime};

use thiserror::Error;

use super::driver::{ENV_LOG, ENV_MODES};
use super::event::{self, Event};
use super::inputs;
use super::inspect::{self, Ended};
use super::names::{LAUNCHER, Name};
use super::report::BuildReport;
use super::shim::{self, Shim};
use super::stale::{self, BuildCommand, StaleTree};
use super::toolchain::{self, Toolchain, ToolchainError};

/// A build to run.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// The build command and its arguments.
    pub command: Vec<OsString>,
    /// Modes to emit, checked by [`super::driver::check_modes`].
    pub modes: String,
    /// The project's root; absolute.
    pub root: PathBuf,
    /// Where the command runs; absolute.
    pub directory: PathBuf,
    /// A directory of ours, kept between builds, for the compilers' names and the build log; absolute.
    pub state: PathBuf,
    /// Where the command's output goes.
    pub output: BuildOutput,
}

/// Where a build command's output goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuildOutput {
    /// To our own streams.
    Inherited,
    /// To our standard error, so that our standard output is a document for programs.
    StandardError,
    /// To this file; the command's input is empty then.
    File(PathBuf),
}

/// Why a build has no usable result.
#[derive(Debug, Error)]
pub enum BuildError {
    /// No command.
    #[error("no build command; type: suspect build -- make")]
    NoCommand,
    /// No compiler or plugin.
    #[error(transparent)]
    Toolchain(#[from] ToolchainError),
    /// The tree was configured for another compiler.
    #[error("{}: configured for {}, which suspect does not stand in for; type: {}", .0.file.display(), .0.compiler, .0.advice)]
    StaleTree(Box<StaleTree>),
    /// The command does not exist or cannot be run.
    #[error("cannot run {}: {error}", Path::new(.command).display())]
    Spawn {
        /// The command.
        command: OsString,
        /// Why.
        error: io::Error,
    },
    /// A file of ours cannot be written.
    #[error("{}: {error}", .path.display())]
    State {
        /// The file or directory.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The build went well, but nothing it made can record.
    #[error("no program of this build is instrumented")]
    NotInstrumented(Box<BuildReport>),
}

/// Runs a build and looks at what it made.
///
/// The command's exit status is [`BuildReport::status`]; a command that fails is no error here.
///
/// # Errors
/// When nothing was run, or the command succeeded and none of the programs that are there can record.
pub fn build(options: &BuildOptions) -> Result<BuildReport, BuildError> {
    let program = options.command.first().ok_or(BuildError::NoCommand)?;
    let toolchain = toolchain::find(None)?;
    try_out(&toolchain, options)?;
    if let Some(stale) = stale::check(&options.command, &options.directory) {
        return Err(BuildError::StaleTree(Box::new(stale)));
    }
    let (place, before) = Place::prepare(options, &toolchain)?;
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |error| BuildError::State { path, error }
    };
    inputs::remove_outdated(&options.root, &options.state, &toolchain).map_err(failed(&options.root))?;
    // File systems keep coarser times than the clock.
    let started = SystemTime::now() - Duration::from_millis(20);
    let mut command = command(options, &toolchain, &place);
    match &options.output {
        BuildOutput::Inherited => {}
        BuildOutput::StandardError => {
            command.stdout(io::stderr());
        }
        BuildOutput::File(log) => {
            silence(&mut command, log).map_err(|error| BuildError::State { path: log.clone(), error })?;
        }
    }
    let status = command.status().map_err(|error| BuildError::Spawn { command: program.clone(), error })?;
    let log = event::read(&place.log).map_err(|error| BuildError::State { path: place.log.clone(), error })?;
    let (before, events) = log.split_at(before.min(log.len()));
    let report = inspect::inspect(options, toolchain, &Ended { status: exit_code(status), started, before, events });
    match report.status == 0 && inspect::nothing_records(&report) {
        true => Err(BuildError::NotInstrumented(Box::new(report))),
        false => {
            if report.status == 0 {
                inputs::gather(&options.root, &options.state, &report, started).map_err(failed(&options.state))?;
            }
            Ok(report)
        }
    }
}

/// Has the plugin compile one function, unless it did so before for this build's state: the same plugin in the same clang.
fn try_out(toolchain: &Toolchain, options: &BuildOptions) -> Result<(), BuildError> {
    let kept = options.state.join("tried");
    let print = toolchain.print().map(|print| format!("{print} {}\n", options.modes));
    if print.is_some() && fs::read_to_string(&kept).ok() == print {
        return Ok(());
    }
    toolchain.try_out(&options.modes)?;
    // What cannot be kept is tried again.
    let _ = print.map(|print| fs::create_dir_all(&options.state).and_then(|()| fs::write(&kept, print)));
    Ok(())
}

/// The log of the builds whose state is in `state`.
pub fn log_in(state: &Path) -> PathBuf {
    state.join("build.log")
}

fn exit_code(status: ExitStatus) -> i32 {
    status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1)
}

/// The files that a build needs.
struct Place {
    shim: PathBuf,
    log: PathBuf,
}

impl Place {
    /// Makes the files ready; also says how many lines the log has.
    fn prepare(options: &BuildOptions, toolchain: &Toolchain) -> Result<(Place, usize), BuildError> {
        let place = Place { shim: options.state.join("bin"), log: log_in(&options.state) };
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |error| BuildError::State { path, error }
        };
        let program = env::current_exe().map_err(failed(&place.shim))?;
        let shim = Shim::new(toolchain.clone(), options.modes.clone());
        shim.install(&place.shim, &program).map_err(failed(&place.shim))?;
        follow(options, &place.log).map_err(failed(&place.log))?;
        let before = compact(&place.log).map_err(failed(&place.log))?;
        Ok((place, before))
    }
}

/// The project's directory as it was called when the log was written.
const ROOT: &str = "root";

/// Has the log of a project that was copied or moved since name what is here now, not what may still be where it was.
fn follow(options: &BuildOptions, log: &Path) -> io::Result<()> {
    let known = options.state.join(ROOT);
    let root = options.root.canonicalize()?.to_string_lossy().into_owned();
    let before = match fs::read_to_string(&known) {
        Ok(before) if before == root => return Ok(()),
        Ok(before) => Some(before),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if let Some(before) = before {
        let events: Vec<Event> = event::read(log)?.into_iter().map(|event| event.moved(&before, &root)).collect();
        replace(log, &events)?;
    }
    fs::write(known, root)
}

/// Puts other events into a log.
fn replace(log: &Path, events: &[Event]) -> io::Result<()> {
    let fresh = log.with_extension("new");
    fs::write(&fresh, "")?;
    event::append(fresh.as_os_str(), events)?;
    fs::rename(fresh, log)
}

/// Keeps of a log what was last done for each output, so that it does not grow for ever, and says how many lines stay.
fn compact(log: &Path) -> io::Result<usize> {
    let events = event::read(log)?;
    let before = events.len();
    let mut last: BTreeMap<(String, String, Vec<String>), Event> = BTreeMap::new();
    for event in events {
        let inputs = if event.output.is_empty() { event.inputs.clone() } else { Vec::new() };
        last.insert((event.directory.clone(), event.output.clone(), inputs), event);
    }
    if last.len() == before {
        return Ok(before);
    }
    replace(log, &last.values().cloned().collect::<Vec<_>>())?;
    Ok(last.len())
}

/// Sends a command's output to a file.
fn silence(command: &mut Command, log: &Path) -> io::Result<()> {
    let file = fs::File::create(log)?;
    command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
    Ok(())
}

/// The build command with everything around it.
fn command(options: &BuildOptions, toolchain: &Toolchain, place: &Place) -> Command {
    let mut command = Command::new(&options.command[0]);
    command.args(&options.command[1..]).current_dir(&options.directory);
    command.env("PATH", joined(&place.shim, env::var_os("PATH").as_deref()));
    command.env(ENV_LOG, &place.log).env(ENV_MODES, &options.modes);
    // A cache in front of the driver looks at neither the plugin nor the modes by itself.
    let mut watched = joined(&toolchain.plugin, Some(place.shim.join(shim::CONFIG).as_os_str()));
    // Tables name the compiler's directory, so an object of another checkout would speak of that one's files.
    watched = joined(&options.state.join(ROOT), Some(&watched));
    if let Some(others) = env::var_os("CCACHE_EXTRAFILES").filter(|others| !others.is_empty()) {
        watched = joined(Path::new(&watched), Some(&others));
    }
    command.env("CCACHE_EXTRAFILES", watched);
    match BuildCommand::of(&options.command, &options.directory) {
        BuildCommand::Configure(_) => configure_cmake(&mut command, options, toolchain, place),
        BuildCommand::Build(_) => {
            command.env("CC", compiler(&place.shim));
        }
    }
    command
}

fn joined(first: &Path, rest: Option<&OsStr>) -> OsString {
    let mut all = first.as_os_str().to_owned();
    if let Some(rest) = rest {
        all.push(":");
        all.push(rest);
    }
    all
}

/// What `CC` is to be: the user's own word when `PATH` leads it to us; else our `cc`, by its path where make and
/// configure scripts can bear it, so that a configured tree keeps its compiler.
fn compiler(shim: &Path) -> OsString {
    if let Some(theirs) = env::var_os("CC") {
        let words = theirs.to_string_lossy().into_owned();
        let program = words.split_whitespace().find(|word| Name::of(word.as_ref()).is_some());
        if program.is_some_and(|program| !program.contains('/')) {
            return theirs;
        }
    }
    let ours = shim.join("cc");
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-+".contains(byte);
    if ours.as_os_str().as_encoded_bytes().iter().all(plain) { ours.into() } else { "cc".into() }
}

/// CMake takes launchers: its checks and `compile_commands.json` then see the real compiler alone.
fn configure_cmake(command: &mut Command, options: &BuildOptions, toolchain: &Toolchain, place: &Place) {
    if !options.command.iter().any(|word| word.to_string_lossy().starts_with("-DCMAKE_C_COMPILER=")) {
        command.env("CC", &toolchain.clang);
    }
    for variable in ["CMAKE_C_COMPILER_LAUNCHER", "CMAKE_C_LINKER_LAUNCHER", "CMAKE_CXX_LINKER_LAUNCHER"] {
        let mut option = OsString::from(format!("-D{variable}="));
        option.push(place.shim.join(LAUNCHER));
        if let Some(theirs) = launcher_of(options, variable) {
            option.push(";");
            option.push(theirs);
        }
        command.arg(option);
    }
}

/// The launcher that the user asked for, if any.
fn launcher_of(options: &BuildOptions, variable: &str) -> Option<OsString> {
    let mut given = options.command.iter().filter_map(|word| {
        let (name, value) = word.to_str()?.strip_prefix("-D")?.split_once('=')?;
        (name.split(':').next() == Some(variable)).then(|| OsString::from(value))
    });
    given.next_back().or_else(|| env::var_os(variable)).filter(|value| !value.is_empty())
}
