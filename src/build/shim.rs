//! The directory of compiler names that `suspect build` puts in front of `PATH`.
//!
//! It holds links to this program and [`CONFIG`], which says how its compilers are to work; so a configured tree keeps
//! its set-up when its compilers are called later, outside of `suspect build`.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::names::{self, Name};
use super::toolchain::{self, Toolchain};

/// Name of the file with the set-up.
pub const CONFIG: &str = "suspect-shim.json";

/// How the compilers of a shim directory work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shim {
    /// What they use.
    pub toolchain: Toolchain,
    /// Names of the modes to emit, joined by commas.
    pub modes: String,
    /// When clang was written, in nanoseconds, and its size: another clang at the same place may not fit the plugin.
    stamp: (i64, u64),
}

fn stamp(clang: &Path) -> Option<(i64, u64)> {
    let data = clang.metadata().ok()?;
    Some((data.mtime().checked_mul(1_000_000_000)?.checked_add(data.mtime_nsec())?, data.size()))
}

impl Shim {
    /// A set-up for the clang that is there now.
    pub fn new(toolchain: Toolchain, modes: String) -> Shim {
        let stamp = stamp(&toolchain.clang).unwrap_or_default();
        Shim { toolchain, modes, stamp }
    }

    /// The set-up beside the program that was called as `program`; `None` when it was not called from a shim directory
    /// or the toolchain has gone since.
    pub fn of_program(program: &OsStr) -> Option<Shim> {
        let directory = if program.as_encoded_bytes().contains(&b'/') {
            Path::new(program).parent()?.to_owned()
        } else {
            toolchain::path_directories().find(|directory| directory.join(program).exists())?
        };
        let shim: Shim = serde_json::from_slice(&fs::read(directory.join(CONFIG)).ok()?).ok()?;
        let parts = [&shim.toolchain.plugin, &shim.toolchain.start, &shim.toolchain.end];
        let same_clang = stamp(&shim.toolchain.clang) == Some(shim.stamp);
        (same_clang && parts.iter().all(|part| part.exists())).then_some(shim)
    }

    /// Makes `directory` a shim directory with this set-up, for `program`.
    pub fn install(&self, directory: &Path, program: &Path) -> io::Result<()> {
        fs::create_dir_all(directory)?;
        for name in compiler_names() {
            let link = directory.join(&name);
            if fs::read_link(&link).is_ok_and(|target| target == program) {
                continue;
            }
            // A rename replaces a link that a compiler of another build may be using.
            let fresh = directory.join(format!(".{}.new", name.to_string_lossy()));
            remove_if_there(&fresh)?;
            symlink(program, &fresh)?;
            fs::rename(&fresh, &link)?;
        }
        let text = serde_json::to_vec_pretty(self)?;
        let config = directory.join(CONFIG);
        // Left as it is when nothing changed: caches look at its contents, make at its time.
        if fs::read(&config).is_ok_and(|old| old == text) {
            return Ok(());
        }
        let fresh = directory.join(format!(".{CONFIG}.new"));
        fs::write(&fresh, text)?;
        fs::rename(&fresh, &config)
    }
}

fn remove_if_there(path: &PathBuf) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The names that every shim directory has, and those of the compilers in `PATH` for this machine.
fn compiler_names() -> BTreeSet<OsString> {
    let mut all: BTreeSet<OsString> = names::SHIMS.iter().map(OsString::from).collect();
    for directory in toolchain::path_directories() {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        all.extend(entries.map(|entry| entry.file_name()).filter(|name| Name::of(name).is_some()));
    }
    all
}
