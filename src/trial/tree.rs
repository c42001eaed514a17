//! The copy of a working directory in which trials write, and making it as it was.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify};

use crate::exec::{copy_into, copy_tree, remove_tree};

/// A copy of a directory.
#[derive(Debug)]
pub(super) struct Tree {
    source: PathBuf,
    copy: PathBuf,
    /// Of the copy itself, as it was made.
    mode: u32,
    /// Each entry below the copy as it was made, by its relative path.
    entries: BTreeMap<PathBuf, Stamp>,
    /// Tells that nothing has been touched since, which is mostly so and spares a look at every entry.
    watch: Option<Watch>,
}

/// The kernel's notes of what is done to the entries of some directories.
#[derive(Debug)]
struct Watch {
    notes: Inotify,
}

impl Watch {
    /// Of the directory `root` and those among its `entries`; `None` where the kernel does not take notes of so many.
    fn new(root: &Path, entries: &BTreeMap<PathBuf, Stamp>) -> Option<Watch> {
        // What is written through a mapping is noted when the file, which was open for that, is closed.
        let touched = AddWatchFlags::IN_MODIFY
            | AddWatchFlags::IN_ATTRIB
            | AddWatchFlags::IN_CLOSE_WRITE
            | AddWatchFlags::IN_CREATE
            | AddWatchFlags::IN_DELETE
            | AddWatchFlags::IN_DELETE_SELF
            | AddWatchFlags::IN_MOVE
            | AddWatchFlags::IN_MOVE_SELF;
        let notes = Inotify::init(InitFlags::IN_NONBLOCK | InitFlags::IN_CLOEXEC).ok()?;
        let directories = entries.iter().filter(|(_, stamp)| stamp.rest.is_none()).map(|(path, _)| root.join(path));
        for directory in std::iter::once(root.to_owned()).chain(directories) {
            notes.add_watch(&directory, touched).ok()?;
        }
        Some(Watch { notes })
    }

    /// Whether nothing was touched since this was asked last.
    fn is_quiet(&self) -> bool {
        is_quiet(&self.notes)
    }
}

/// Whether the kernel has noted nothing since this was asked last.
pub(super) fn is_quiet(notes: &Inotify) -> bool {
    let mut is_quiet = true;
    loop {
        match notes.read_events() {
            Ok(_) => is_quiet = false,
            Err(Errno::EINTR) => {}
            Err(error) => return is_quiet && error == Errno::EAGAIN,
        }
    }
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
    /// Copies what is in the directory `source` to the directory `copy`, in place of what is there.
    pub(super) fn new(source: &Path, copy: &Path) -> io::Result<Tree> {
        empty(copy)?;
        copy_into(source, copy).map_err(io::Error::other)?;
        let mut tree =
            Tree { source: source.to_owned(), copy: copy.to_owned(), mode: 0, entries: BTreeMap::new(), watch: None };
        tree.take_stock()?;
        Ok(tree)
    }

    /// Takes the copy as it is for what it should be.
    fn take_stock(&mut self) -> io::Result<()> {
        self.mode = fs::metadata(&self.copy)?.mode();
        self.entries = stamps(&self.copy)?;
        self.watch = Watch::new(&self.copy, &self.entries);
        Ok(())
    }

    /// Whether it copies `source` to `copy`.
    pub(super) fn is(&self, source: &Path, copy: &Path) -> bool {
        self.source == source && self.copy == copy
    }

    /// Makes the copy as the source again; whether anything was different.
    pub(super) fn restore(&mut self) -> io::Result<bool> {
        if self.watch.as_ref().is_some_and(Watch::is_quiet) {
            return Ok(false);
        }
        // Directories that cannot be looked into are made anew.
        let Ok(now) = stamps(&self.copy) else {
            *self = Tree::new(&self.source, &self.copy)?;
            return Ok(true);
        };
        let is_open = fs::metadata(&self.copy)?.mode() == self.mode;
        if !is_open {
            fs::set_permissions(&self.copy, fs::Permissions::from_mode(self.mode))?;
        }
        if now == self.entries {
            return Ok(!is_open);
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
        self.take_stock()?;
        Ok(true)
    }
}

/// Removes an entry; one that went with its directory is gone already.
/// Removes whatever is there.
pub(super) fn remove(path: &Path) -> io::Result<()> {
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

/// Removes what is in a directory, which is there and accessible afterwards. It stays the same one where it is one: it may be mounted.
pub(super) fn empty(directory: &Path) -> io::Result<()> {
    let is_directory = directory.symlink_metadata().map(|data| data.is_dir());
    if !matches!(is_directory, Ok(true)) {
        remove(directory)?;
        fs::create_dir(directory)?;
    }
    if fs::metadata(directory)?.mode() & 0o777 != 0o700 {
        fs::set_permissions(directory, fs::Permissions::from_mode(0o700))?;
    }
    for entry in fs::read_dir(directory)? {
        // What cannot be removed stays.
        let _ = remove(&entry?.path());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::unix::fs::symlink;

    use super::*;

    fn source() -> tempfile::TempDir {
        let source = tempfile::tempdir().unwrap();
        fs::create_dir_all(source.path().join("a/b")).unwrap();
        for name in ["one", "a/two", "a/b/three"] {
            fs::write(source.path().join(name), name).unwrap();
        }
        symlink("one", source.path().join("link")).unwrap();
        source
    }

    /// Names, kinds and contents of everything below a directory.
    fn contents(root: &Path) -> Vec<(PathBuf, Option<Vec<u8>>)> {
        stamps(root).unwrap().into_keys().map(|path| (path.clone(), fs::read(root.join(&path)).ok())).collect()
    }

    fn map_and_write(path: &Path) {
        let file = File::options().read(true).write(true).open(path).unwrap();
        // SAFETY: nobody else has the file.
        unsafe { memmap2::MmapMut::map_mut(&file) }.unwrap()[0] = b'x';
    }

    #[test]
    fn whatever_is_done_to_a_copy_is_noticed_and_undone() {
        let source = source();
        let parent = tempfile::tempdir().unwrap();
        let copy = parent.path().join("copy");
        let mut tree = Tree::new(source.path(), &copy).unwrap();
        assert!(tree.watch.is_some(), "the kernel takes no notes here");
        let deeds: [(&str, &dyn Fn()); 10] = [
            ("write", &|| fs::write(copy.join("a/two"), "2").unwrap()),
            ("write as much", &|| fs::write(copy.join("a/b/three"), "a/b/thref").unwrap()),
            ("write through a mapping", &|| map_and_write(&copy.join("one"))),
            ("make a file", &|| fs::write(copy.join("a/new"), "").unwrap()),
            ("make a directory", &|| fs::create_dir_all(copy.join("c/d")).unwrap()),
            ("write into that", &|| {
                fs::create_dir(copy.join("e")).unwrap();
                fs::write(copy.join("e/f"), "").unwrap();
            }),
            ("remove", &|| fs::remove_dir_all(copy.join("a")).unwrap()),
            ("rename", &|| fs::rename(copy.join("one"), copy.join("a/b/uno")).unwrap()),
            ("change rights", &|| fs::set_permissions(copy.join("one"), fs::Permissions::from_mode(0o600)).unwrap()),
            ("change a link", &|| {
                fs::remove_file(copy.join("link")).unwrap();
                symlink("a", copy.join("link")).unwrap();
            }),
        ];
        for (what, deed) in deeds {
            deed();
            assert!(tree.restore().unwrap(), "{what}");
            assert_eq!(contents(&copy), contents(source.path()), "{what}");
            assert!(!tree.restore().unwrap(), "{what}");
        }
        contents(&copy);
        assert!(tree.watch.as_ref().unwrap().is_quiet(), "reading is no deed");
        File::options().append(true).open(copy.join("one")).unwrap();
        assert!(!tree.restore().unwrap(), "nothing was written");
    }
}
