//! The compiler driver: what runs when this program is called by the name of a compiler.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use suspect_format::abi::Mode;
use thiserror::Error;

use super::arguments::Arguments;
use super::event::{self, Event};
use super::inputs;
use super::names::{self, Family, Name};
use super::plan::{self, Call};
use super::shim::Shim;
use super::toolchain::{self, Toolchain, ToolchainError};

/// Makes the driver the plain real compiler.
pub const ENV_OFF: &str = "SUSPECT_OFF";
/// Why things are left alone then.
const SWITCHED_OFF: &str = "SUSPECT_OFF is set";
/// Names of the modes to emit, joined by commas.
pub const ENV_MODES: &str = "SUSPECT_MODES";
/// Names the build log.
pub const ENV_LOG: &str = "SUSPECT_BUILD_LOG";
/// All modes.
pub const ALL_MODES: &str = "plain,edges,values,trace,mutants,record";
/// What a shell reports for a program that was found but did not run.
const CANNOT_RUN: u8 = 126;
/// What glibc's `malloc` is to do, unless the user says it.
const ENV_MALLOC: &str = "GLIBC_TUNABLES";
/// Has clang write which headers it reads.
const ENV_HEADERS: &str = "CC_PRINT_HEADERS";
/// Names the file that it appends them to.
const ENV_HEADERS_FILE: &str = "CC_PRINT_HEADERS_FILE";
/// Large pages, taken in large pieces, and much of what is freed kept at hand: a tenth of the time of a unit that needs gigabytes, nothing of a small one's.
const MALLOC: &str = "glibc.malloc.hugetlb=1:glibc.malloc.top_pad=67108864:glibc.malloc.tcache_count=65535";

/// Why the driver gave up before the compiler ran.
#[derive(Debug, Error)]
enum DriverError {
    #[error(transparent)]
    Toolchain(#[from] ToolchainError),
    #[error("{0}: no such compiler besides suspect's; type: sudo apt-get install g++")]
    NoCompiler(String),
    #[error("{0}: needs the compiler and its arguments")]
    NoArguments(&'static str),
    #[error("{ENV_MODES}={value}: {why}")]
    Modes { value: String, why: ModesError },
    #[error("cannot run {}: {error}", .program.display())]
    Exec { program: PathBuf, error: std::io::Error },
    #[error("cannot write the build log {}: {error}", Path::new(.path).display())]
    Log { path: OsString, error: std::io::Error },
}

/// Why a list of modes is not one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ModesError {
    /// A word that is none of the modes.
    #[error("\"{0}\" is no mode; modes are {ALL_MODES}")]
    Unknown(String),
    /// Nothing to emit.
    #[error("no mode; modes are {ALL_MODES}")]
    Empty,
    /// Mutants run in the `trace` version.
    #[error("mutants need trace, too: add it, or leave mutants out")]
    NoTrace,
}

/// Checks a list of modes joined by commas and puts it in the order of their numbers. `record` alone is `plain,record`: its hooks work only
/// while a process is recorded.
pub fn check_modes(list: &str) -> Result<String, ModesError> {
    let mut modes = Vec::new();
    for word in list.split(',').map(str::trim).filter(|word| !word.is_empty()) {
        modes.push(Mode::version_from_name(word).ok_or_else(|| ModesError::Unknown(word.to_owned()))?);
    }
    modes.sort_unstable();
    modes.dedup();
    if modes.is_empty() {
        return Err(ModesError::Empty);
    }
    if modes.contains(&Mode::Mutants) && !modes.contains(&Mode::Trace) {
        return Err(ModesError::NoTrace);
    }
    if modes == [Mode::Record] {
        modes.insert(0, Mode::Plain);
    }
    Ok(modes.iter().map(|mode| mode.name()).collect::<Vec<_>>().join(","))
}

/// Runs the driver on a whole command line, `argv[0]` included. Returns only when the compiler could not be started.
pub fn driver_main(command_line: Vec<OsString>) -> ExitCode {
    let program = command_line.first().cloned().unwrap_or_default();
    let Err(error) = drive(&program, command_line.get(1..).unwrap_or_default());
    // A compiler's errors are its output; this is the only line that the driver ever writes.
    eprintln!("suspect-cc: error: {error}");
    match error {
        DriverError::Exec { .. } => ExitCode::from(CANNOT_RUN),
        _ => ExitCode::FAILURE,
    }
}

/// The driver's arguments after launcher words are dealt with.
struct Request {
    /// Programs that come before the compiler (`ccache`).
    before: Vec<OsString>,
    name: Name,
    /// The compiler that the launcher was given.
    given: Option<OsString>,
    arguments: Vec<OsString>,
}

impl Request {
    fn of(program: &OsStr, arguments: &[OsString]) -> Result<Request, DriverError> {
        if !names::is_launcher(program) {
            let name = Name::of(program).unwrap_or(Name { family: Family::Clang, major: None });
            return Ok(Request { before: Vec::new(), name, given: None, arguments: arguments.to_vec() });
        }
        let found = arguments.iter().enumerate().find_map(|(at, word)| Name::of(word).map(|name| (at, name)));
        let (at, name) = match found {
            Some(found) => found,
            // A compiler of a name we do not know is still the compiler.
            None if !arguments.is_empty() => (0, Name { family: Family::Clang, major: None }),
            None => return Err(DriverError::NoArguments(names::LAUNCHER)),
        };
        let (before, rest) = arguments.split_at(at);
        Ok(Request { before: before.to_vec(), name, given: Some(rest[0].clone()), arguments: rest[1..].to_vec() })
    }
}

fn drive(program: &OsStr, arguments: &[OsString]) -> Result<std::convert::Infallible, DriverError> {
    let request = Request::of(program, arguments)?;
    let shim = Shim::of_program(program);
    let directory = env::current_dir().unwrap_or_default();
    let parsed = Arguments::parse(&request.arguments, &|name| fs::read(name).ok());
    let off = env::var_os(ENV_OFF).is_some_and(|value| !value.is_empty() && value != "0");
    let toolchain = match &shim {
        Some(shim) if env::var_os(toolchain::ENV_CLANG).is_none() && request.name.major.is_none() => {
            Ok(shim.toolchain.clone())
        }
        _ => toolchain::find(request.name.major),
    };
    let untouched = plan::is_untouched(&parsed, &directory);
    let mut call = Call {
        family: request.name.family,
        arguments: &request.arguments,
        parsed: &parsed,
        directory: &directory,
        compiler: OsStr::new(""),
        modes: "",
    };
    if off || untouched {
        let compiler = plain_compiler(program, &request, toolchain)?;
        if !untouched {
            call.compiler = compiler.as_os_str();
            log(&plan::left(&call, SWITCHED_OFF))?;
        }
        let arguments = match off {
            true => request.arguments.clone(),
            false => plan::untouched(request.name.family, &request.arguments, &parsed, &directory),
        };
        return Err(exec(&request.before, &compiler, &arguments, Vec::new()));
    }
    let toolchain = toolchain?;
    let compiler = match request.name.family {
        Family::Cxx => plain_compiler(program, &request, Ok(toolchain.clone()))?,
        _ => toolchain.clang.clone(),
    };
    let modes = modes(shim.as_ref())?;
    (call.compiler, call.modes) = (compiler.as_os_str(), &modes);
    let plan = plan::plan(&call, &toolchain.equipment());
    log(&plan.events)?;
    let malloc = env::var_os(ENV_MALLOC).is_none().then(|| (ENV_MALLOC, MALLOC.into()));
    let headers =
        headers(&plan.events)?.into_iter().flat_map(|path| [(ENV_HEADERS, "1".into()), (ENV_HEADERS_FILE, path)]);
    Err(exec(&request.before, &compiler, &plan.arguments, headers.chain(malloc).collect()))
}

/// Where clang is to write which headers it reads; an own wish of the user's goes before.
fn headers(events: &[Event]) -> Result<Option<OsString>, DriverError> {
    let log = env::var_os(ENV_LOG).filter(|path| !path.is_empty() && env::var_os(ENV_HEADERS).is_none());
    let Some(path) = log else { return Ok(None) };
    match inputs::begin(Path::new(&path), events) {
        Ok(file) => Ok(file.map(OsString::from)),
        Err(error) => Err(DriverError::Log { path, error }),
    }
}

fn log(events: &[Event]) -> Result<(), DriverError> {
    match env::var_os(ENV_LOG).filter(|path| !path.is_empty()) {
        Some(path) => event::append(&path, events).map_err(|error| DriverError::Log { path, error }),
        None => Ok(()),
    }
}

/// The compiler for calls that get nothing of ours: for C the clang that also does the work, so that what a configure
/// script finds out is true later; for C++ the project's own.
fn plain_compiler(
    program: &OsStr,
    request: &Request,
    toolchain: Result<Toolchain, ToolchainError>,
) -> Result<PathBuf, DriverError> {
    if request.name.family == Family::Cxx {
        let name = request.given.as_deref().unwrap_or(program);
        let base = Path::new(name).file_name().unwrap_or(name);
        let found = toolchain::resolve(name).or_else(|| toolchain::in_path(base));
        return found.ok_or_else(|| DriverError::NoCompiler(base.to_string_lossy().into_owned()));
    }
    match toolchain {
        Ok(toolchain) => Ok(toolchain.clang),
        Err(error) => toolchain::any_clang(request.name.major).ok_or(error.into()),
    }
}

fn modes(shim: Option<&Shim>) -> Result<String, DriverError> {
    match env::var(ENV_MODES).ok().filter(|value| !value.is_empty()) {
        Some(value) => check_modes(&value).map_err(|why| DriverError::Modes { value, why }),
        None => Ok(shim.map_or_else(|| ALL_MODES.to_owned(), |shim| shim.modes.clone())),
    }
}

/// Becomes the compiler, with more environment variables.
fn exec(before: &[OsString], compiler: &Path, arguments: &[OsString], variables: Vec<(&str, OsString)>) -> DriverError {
    let words: Vec<&OsStr> = before.iter().map(OsString::as_os_str).chain([compiler.as_os_str()]).collect();
    let program = PathBuf::from(words[0]);
    let error = Command::new(&program).args(&words[1..]).args(arguments).envs(variables).exec();
    DriverError::Exec { program, error }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_checked_and_ordered() {
        assert_eq!(check_modes("values, edges,values"), Ok("edges,values".to_owned()));
        assert_eq!(check_modes(ALL_MODES), Ok(ALL_MODES.to_owned()));
        assert_eq!(check_modes("edge"), Err(ModesError::Unknown("edge".to_owned())));
        assert_eq!(check_modes(","), Err(ModesError::Empty));
        assert_eq!(check_modes("record"), Ok("plain,record".to_owned()));
        assert_eq!(check_modes("mutants,trace"), Ok("trace,mutants".to_owned()));
        assert_eq!(check_modes("plain,mutants"), Err(ModesError::NoTrace));
    }

    #[test]
    fn launcher_finds_the_compiler_behind_a_cache() {
        let words: Vec<OsString> = ["ccache", "/usr/bin/gcc-12", "-c", "a.c"].iter().map(OsString::from).collect();
        let request = Request::of(OsStr::new("/x/suspect-cc-launcher"), &words).unwrap();
        assert_eq!(request.before, ["ccache"]);
        assert_eq!(request.given, Some("/usr/bin/gcc-12".into()));
        assert_eq!(request.arguments, ["-c", "a.c"]);
        assert_eq!(request.name.family, Family::Gcc);
    }

    #[test]
    fn launcher_without_a_compiler_is_refused() {
        assert!(Request::of(OsStr::new("suspect-cc-launcher"), &[]).is_err());
    }
}
