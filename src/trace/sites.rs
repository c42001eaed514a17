//! Site tables as they lie in ELF files: objects, executables, shared libraries.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use memmap2::Mmap;
use object::{Object, ObjectSymbol};

/// Why no site tables can be had from a file.
#[derive(Debug, thiserror::Error)]
pub enum SitesError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// An ELF file, mapped.
#[derive(Debug)]
pub struct ModuleFile {
    path: PathBuf,
    bytes: Mmap,
}

impl ModuleFile {
    /// Maps the file `path`, which nobody may cut while this lives.
    pub fn open(path: &Path) -> Result<ModuleFile, SitesError> {
        let io = |source| SitesError::Io { path: path.to_owned(), source };
        let file = File::open(path).map_err(io)?;
        // SAFETY: linkers write new files instead of cutting old ones; a build and an analysis at once is told against.
        let bytes = unsafe { Mmap::map(&file) }.map_err(io)?;
        Ok(ModuleFile { path: path.to_owned(), bytes })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// What tells a program the time of day, in seconds at best: two runs within one second see the same.
const CLOCKS: [&str; 5] = ["time", "gettimeofday", "clock_gettime", "timespec_get", "ftime"];

/// Whether the program or library in a file can ask for the time of day; one that cannot be looked into might.
pub fn can_ask_for_time(path: &Path) -> bool {
    let asks = || mentions(ModuleFile::open(path).ok()?.bytes(), &CLOCKS).ok();
    asks().unwrap_or(true)
}

/// Functions that start another program in the same process.
const EXECUTORS: [&str; 8] = ["execl", "execle", "execlp", "execv", "execve", "execvp", "execvpe", "fexecve"];

/// Whether the program or library in a file can start programs under another root directory, where they find no place for a record.
pub fn can_execute_under_another_root(path: &Path) -> bool {
    let file = ModuleFile::open(path);
    let mentions = |names: &[&str]| mentions(file.as_ref().ok()?.bytes(), names).ok();
    mentions(&["chroot"]) == Some(true) && mentions(&EXECUTORS) == Some(true)
}

/// Whether `image`, the bytes of an ELF file, defines or refers to a symbol of one of these names. What it refers to weakly alone does not count: the
/// runtime looks functions of the C library up so, in every program.
fn mentions(image: &[u8], names: &[&str]) -> Result<bool, object::Error> {
    let file = object::File::parse(image)?;
    let is_of_runtime = |symbol: &object::Symbol| symbol.is_weak() && symbol.is_undefined();
    let known =
        |symbol: object::Symbol| !is_of_runtime(&symbol) && symbol.name().is_ok_and(|name| names.contains(&name));
    Ok(file.dynamic_symbols().any(known) || file.symbols().any(known))
}
