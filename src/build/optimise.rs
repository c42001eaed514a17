//! What clang's optimiser makes of a module of LLVM IR.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use suspect_format::trace::{HASH_START, hash_bytes};
use thiserror::Error;

use super::toolchain::{REFERENCE_MAJOR, any_clang};

/// Why there is no optimised module.
#[derive(Debug, Error)]
pub enum OptimiseError {
    /// There is no clang.
    #[error("clang is not installed; type: sudo apt-get install clang-{REFERENCE_MAJOR}")]
    NoClang,
    /// A temporary file cannot be written, or clang not be started.
    #[error("cannot have expressions optimised: {0}")]
    System(#[from] io::Error),
    /// Clang does not take the module.
    #[error("clang cannot optimise expressions: {0}")]
    Refused(String),
    /// The time is up.
    #[error("the time was up before")]
    Late,
}

/// Goes up when expressions are compiled otherwise.
const VERSION: u64 = 1;

/// A number that is another one for another clang: what is known of one says nothing about another.
pub fn optimiser() -> u64 {
    let clang = any_clang(None).and_then(|clang| clang.canonicalize().ok());
    let Some((clang, data)) = clang.and_then(|clang| clang.metadata().ok().map(|data| (clang, data))) else { return 0 };
    let changed = data.modified().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    let numbers = [VERSION, data.len(), changed.map_or(0, |at| at.as_nanos() as u64)];
    let path = hash_bytes(HASH_START, clang.as_os_str().as_encoded_bytes());
    numbers.into_iter().fold(path, |hash, number| hash_bytes(hash, &number.to_le_bytes()))
}

/// From one look at a compiler that has a time limit to the next: short beside the second that it takes for a module.
const PAUSE: Duration = Duration::from_millis(10);

/// `module`, LLVM IR as text, as clang leaves it at `-O2`. Clang is ended when the time is up.
pub fn optimised(module: &str, until: Option<Instant>) -> Result<String, OptimiseError> {
    if until.is_some_and(|until| until <= Instant::now()) {
        return Err(OptimiseError::Late);
    }
    let clang = any_clang(None).ok_or(OptimiseError::NoClang)?;
    let mut file = tempfile::Builder::new().prefix("suspect").suffix(".ll").tempfile()?;
    file.write_all(module.as_bytes())?;
    let mut command = Command::new(clang);
    command.args(["-w", "-O2", "-S", "-emit-llvm", "-x", "ir", "-o", "-"]).arg(file.path());
    let (mut made, mut said) = (tempfile::tempfile()?, tempfile::tempfile()?);
    command.stdin(Stdio::null()).stdout(made.try_clone()?).stderr(said.try_clone()?);
    if !ended(command.spawn()?, until)?.success() {
        let message = read(&mut said)?;
        return Err(OptimiseError::Refused(message.lines().next().unwrap_or_default().to_owned()));
    }
    Ok(read(&mut made)?)
}

/// How a compiler ends, if that is before the time is up.
fn ended(mut child: Child, until: Option<Instant>) -> Result<ExitStatus, OptimiseError> {
    let Some(until) = until else { return Ok(child.wait()?) };
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if until <= Instant::now() {
            child.kill()?;
            child.wait()?;
            return Err(OptimiseError::Late);
        }
        std::thread::sleep(PAUSE);
    }
}

/// What was written into a file, from its beginning.
fn read(file: &mut File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
