//! What clang's optimiser makes of a module of LLVM IR.

use std::io::{self, Write};
use std::process::{Command, Stdio};

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

/// `module`, LLVM IR as text, as clang leaves it at `-O2`.
pub fn optimised(module: &str) -> Result<String, OptimiseError> {
    let clang = any_clang(None).ok_or(OptimiseError::NoClang)?;
    let mut file = tempfile::Builder::new().prefix("suspect").suffix(".ll").tempfile()?;
    file.write_all(module.as_bytes())?;
    let mut command = Command::new(clang);
    command.args(["-w", "-O2", "-S", "-emit-llvm", "-x", "ir", "-o", "-"]).arg(file.path());
    let output = command.stdin(Stdio::null()).output()?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        return Err(OptimiseError::Refused(message.lines().next().unwrap_or_default().to_owned()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
