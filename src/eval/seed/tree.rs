//! The files of a project as it comes from version control.

use std::fs;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::STORE_DIRECTORY;
use crate::exec::Command;
use crate::obstacle::Obstacle;

/// How files begin that a build makes: executables and objects, archives.
const BUILT: [&[u8]; 2] = [b"\x7fELF", b"!<arch>\n"];

/// The files below `root`, relative to it, sorted: those that git knows or would add, or all where there is no git. What a build made
/// and what suspect keeps are left out, and so is `without`.
pub fn project_files(root: &Path, without: &Path) -> Result<Vec<PathBuf>, Obstacle> {
    let mut files = match listed_by_git(root) {
        Some(files) => files,
        None => {
            let mut found = Vec::new();
            walk(root, Path::new(""), without, &mut found)?;
            found
        }
    };
    files.retain(|file| !file.starts_with(STORE_DIRECTORY) && !root.join(file).starts_with(without));
    files.retain(|file| {
        fs::symlink_metadata(root.join(file)).is_ok_and(|data| !data.is_dir()) && !is_built(&root.join(file))
    });
    files.sort();
    Ok(files)
}

fn listed_by_git(root: &Path) -> Option<Vec<PathBuf>> {
    let command = Command::new(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], root);
    let outcome = command.run().ok().filter(|outcome| outcome.status.success() && !outcome.stdout.truncated)?;
    let names = outcome.stdout.bytes.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    let files: Vec<PathBuf> = names.map(|name| PathBuf::from(std::ffi::OsStr::from_bytes(name))).collect();
    // A directory that a surrounding repository ignores.
    (!files.is_empty()).then_some(files)
}

fn walk(root: &Path, below: &Path, without: &Path, found: &mut Vec<PathBuf>) -> Result<(), Obstacle> {
    let directory = root.join(below);
    let unreadable = |error| Obstacle::new(Obstacle::File, format!("cannot read {}: {error}", directory.display()));
    for entry in fs::read_dir(&directory).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let path = below.join(entry.file_name());
        match entry.file_type().map_err(unreadable)?.is_dir() {
            true if entry.file_name() == ".git" || entry.file_name() == STORE_DIRECTORY || entry.path() == without => {}
            true => walk(root, &path, without, found)?,
            false => found.push(path),
        }
    }
    Ok(())
}

fn is_built(path: &Path) -> bool {
    let mut begin = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(8).read_to_end(&mut begin));
    read.is_ok() && BUILT.iter().any(|built| begin.starts_with(built))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_built_is_left_out() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        for (name, text) in [
            ("src/a.c", "int a;"),
            ("a.o", "\x7fELF2"),
            ("lib.a", "!<arch>\nx"),
            (".suspect/lock", ""),
            ("bench/correct/a.c", ""),
            ("Makefile", "all:"),
        ] {
            fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            fs::write(root.join(name), text).unwrap();
        }
        let files = project_files(root, &root.join("bench")).unwrap();
        assert_eq!(files, [Path::new("Makefile"), Path::new("src/a.c")]);
    }
}
