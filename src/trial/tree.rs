//! The copy of a working directory in which trials write, and making it as it was.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::exec::{copy_tree, remove_tree};

/// A copy of a directory.
#[derive(Debug)]
pub(super) struct Tree {
    source: PathBuf,
    copy: PathBuf,
    /// Each entry below the copy as it was made, by its relative path.
    entries: BTreeMap<PathBuf, Stamp>,
}

/// What changes whenever an entry does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    mode: u32,
    /// Of files and links: inode, size, times of modification and change. Those of directories change with their entries.
    rest: Option<(u64, u64, i64, i64, i64, i64)>,
}

impl Stamp {
    fn of(data: &Metadata) -> Stamp {
        let rest = (data.ino(), data.size(), data.mtime(), data.mtime_nsec(), data.ctime(), data.ctime_nsec());
        Stamp { mode: data.mode(), rest: (!data.is_dir()).then_some(rest) }
    }
}

impl Tree {
    /// Copies the directory `source` to `copy`, which is replaced.
    pub(super) fn new(source: &Path, copy: &Path) -> io::Result<Tree> {
        remove_tree(copy);
        copy_tree(source, copy).map_err(io::Error::other)?;
        let entries = stamps(copy)?;
        Ok(Tree { source: source.to_owned(), copy: copy.to_owned(), entries })
    }

    /// Whether it copies `source` to `copy`.
    pub(super) fn is(&self, source: &Path, copy: &Path) -> bool {
        self.source == source && self.copy == copy
    }

    /// Makes the copy as the source again; whether anything was different.
    pub(super) fn restore(&mut self) -> io::Result<bool> {
        // Directories that cannot be looked into are made anew.
        let Ok(now) = stamps(&self.copy) else {
            *self = Tree::new(&self.source, &self.copy)?;
            return Ok(true);
        };
        if now == self.entries {
            return Ok(false);
        }
        for (path, _) in now.iter().filter(|(path, stamp)| self.entries.get(*path) != Some(*stamp)) {
            remove(&self.copy.join(path))?;
        }
        let wrong: Vec<PathBuf> =
            self.entries.keys().filter(|path| now.get(*path) != self.entries.get(*path)).cloned().collect();
        for path in wrong {
            let to = self.copy.join(&path);
            if to.symlink_metadata().is_err() {
                copy_one(&self.source.join(&path), &to)?;
            }
        }
        self.entries = stamps(&self.copy)?;
        Ok(true)
    }
}

/// Removes an entry; one that went with its directory is gone already.
fn remove(path: &Path) -> io::Result<()> {
    match path.symlink_metadata() {
        Ok(data) if data.is_dir() => remove_tree(path),
        Ok(_) => fs::remove_file(path)?,
        Err(_) => {}
    }
    Ok(())
}

/// Copies one entry; a directory without what is in it, which has entries of its own... unless it was removed with them.
fn copy_one(from: &Path, to: &Path) -> io::Result<()> {
    let data = from.symlink_metadata()?;
    if data.is_dir() {
        return copy_tree(from, to).map_err(io::Error::other);
    }
    if data.is_symlink() {
        return std::os::unix::fs::symlink(fs::read_link(from)?, to);
    }
    fs::copy(from, to)?;
    let times = fs::FileTimes::new().set_accessed(data.accessed()?).set_modified(data.modified()?);
    fs::File::open(to)?.set_times(times)
}

/// All entries below `root`, which itself is made accessible.
fn stamps(root: &Path) -> io::Result<BTreeMap<PathBuf, Stamp>> {
    let mut found = BTreeMap::new();
    let mut open = vec![PathBuf::new()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(root.join(&directory))? {
            let entry = entry?;
            let (path, data) = (directory.join(entry.file_name()), entry.metadata()?);
            if data.is_dir() {
                open.push(path.clone());
            }
            found.insert(path, Stamp::of(&data));
        }
    }
    Ok(found)
}

/// Removes what is in a directory, which is there and accessible afterwards.
pub(super) fn empty(directory: &Path) -> io::Result<()> {
    if let Ok(mut entries) = fs::read_dir(directory)
        && entries.next().is_none()
        && fs::metadata(directory).is_ok_and(|data| data.mode() & 0o777 == 0o700)
    {
        return Ok(());
    }
    remove_tree(directory);
    // Left over where something in it could not be removed.
    if !directory.exists() {
        fs::create_dir(directory)?;
    }
    fs::set_permissions(directory, fs::Permissions::from_mode(0o700))
}
