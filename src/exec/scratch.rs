//! Scratch directories: a private temporary directory for each test run, on request with a copy of the working directory.

use std::ffi::OsStr;
use std::fs::{self, File, FileTimes};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use nix::fcntl::{Flock, FlockArg};

use super::machine::available_memory;
use super::{ExecError, WRITING_PROGRAMS};

/// The directory that holds the scratch directories of one call of suspect; removed when dropped.
#[derive(Debug)]
pub struct ScratchRoot {
    dir: tempfile::TempDir,
    next: AtomicU64,
    /// Held as long as the directory is in use, so that others can tell.
    _lock: Option<Flock<File>>,
}

const PREFIX: &str = "suspect-scratch-";

impl ScratchRoot {
    /// A new directory in the system's temporary directory (`TMPDIR`).
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn new() -> Result<ScratchRoot, ExecError> {
        ScratchRoot::inside(&std::env::temp_dir())
    }

    /// A new directory in `parent`. Takes the occasion to remove those of processes that were killed.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn inside(parent: &Path) -> Result<ScratchRoot, ExecError> {
        let error = |source| ExecError::Scratch { what: "make a directory in", path: parent.into(), source };
        remove_abandoned(parent);
        // What tests write is nobody else's business, also where everybody may look, as in /dev/shm.
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX).rand_bytes(8).permissions(fs::Permissions::from_mode(0o700));
        let dir = builder.tempdir_in(parent).map_err(error)?;
        let lock = lock(dir.path());
        Ok(ScratchRoot { dir, next: AtomicU64::new(0), _lock: lock })
    }

    /// A new directory in memory, where a file is made for a third of what it costs on a disk and a page is had for a third,
    /// too; in `otherwise` when no memory file system, or not the machine, has `room` bytes to spare.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn in_memory(otherwise: &Path, room: u64) -> Result<ScratchRoot, ExecError> {
        let runtime_dir = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
        let candidates = [Some(PathBuf::from("/dev/shm")), runtime_dir, Some(std::env::temp_dir())];
        let roomy =
            candidates.into_iter().flatten().filter(|dir| available_memory() / 2 >= room && has_memory(dir, room));
        match roomy.into_iter().find_map(|dir| ScratchRoot::inside(&dir).ok()) {
            Some(root) => Ok(root),
            None => ScratchRoot::inside(otherwise),
        }
    }

    /// Lets processes of other users come to directories in it whose names they know, if this is root's: only root's processes can become other users.
    pub fn open_to_others(&self) {
        if nix::unistd::geteuid().is_root() {
            // Where it is refused, other users record nothing.
            let _ = fs::set_permissions(self.path(), fs::Permissions::from_mode(0o711));
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// An empty directory for one run of test number `test`. Its name depends on the test alone unless the test is running
    /// already, and is always equally long, so that programs see the same in every run.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn scratch(&self, test: usize) -> Result<Scratch, ExecError> {
        let mut path = self.path().join(format!("t{test:08}"));
        loop {
            match fs::create_dir(&path) {
                Ok(()) => break,
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                    path = self.path().join(format!("x{:08}", self.next.fetch_add(1, Ordering::Relaxed)));
                }
                Err(source) => return Err(ExecError::Scratch { what: "make the directory", path, source }),
            }
        }
        let scratch = Scratch { path };
        make_dir(&scratch.tmp())?;
        Ok(scratch)
    }
}

/// Whether `dir` is in a memory file system.
pub fn is_memory(dir: &Path) -> bool {
    nix::sys::statfs::statfs(dir).is_ok_and(|fs| fs.filesystem_type() == nix::sys::statfs::TMPFS_MAGIC)
}

/// Whether `dir` is in a memory file system with so many bytes free.
fn has_memory(dir: &Path, room: u64) -> bool {
    is_memory(dir) && free_bytes(dir).is_some_and(|free| free >= room)
}

/// Bytes that the file system of `dir` can still take, if it says so.
pub fn free_bytes(dir: &Path) -> Option<u64> {
    let fs = nix::sys::statfs::statfs(dir).ok()?;
    Some(fs.blocks_available().saturating_mul(fs.block_size().unsigned_abs()))
}

/// The lock that the owner of a scratch root holds; `None` if somebody does, or where directories cannot be locked.
fn lock(dir: &Path) -> Option<Flock<File>> {
    Flock::lock(File::open(dir).ok()?, FlockArg::LockExclusiveNonblock).ok()
}

/// Removes the scratch roots in `parent` that nobody holds. One that was made a minute ago has been locked by its owner, if it has one.
fn remove_abandoned(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let ours = entry.file_name().as_bytes().starts_with(PREFIX.as_bytes());
        let Ok(data) = entry.metadata() else { continue };
        let old = data.modified().ok().and_then(|used| used.elapsed().ok()).is_some_and(|age| age >= ABANDONED);
        let user = nix::unistd::geteuid().as_raw();
        if ours
            && old
            && data.is_dir()
            && data.uid() == user
            && let Some(_lock) = lock(&entry.path())
        {
            remove_tree(&entry.path());
        }
    }
}

/// Time without a change after which a scratch root without an owner is abandoned.
const ABANDONED: Duration = Duration::from_secs(60);

impl Drop for ScratchRoot {
    fn drop(&mut self) {
        remove_tree(self.dir.path());
    }
}

/// The scratch directory of one run; removed when dropped.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The run's temporary directory, empty at first.
    pub fn tmp(&self) -> PathBuf {
        self.path.join("tmp")
    }

    /// An empty working directory.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn empty_dir(&self) -> Result<PathBuf, ExecError> {
        let dir = self.path.join("work");
        make_dir(&dir)?;
        Ok(dir)
    }

    /// A copy of the directory `from` without version control and suspect's own store. Shares the blocks of the files where the
    /// file system can; keeps modes, times and symbolic links.
    ///
    /// # Errors
    /// When something in it cannot be read or written.
    pub fn copy_of(&self, from: &Path) -> Result<PathBuf, ExecError> {
        let dir = self.path.join("work");
        copy_tree(from, &dir)?;
        Ok(dir)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        remove_tree(&self.path);
    }
}

const NOT_COPIED: [&str; 4] = [".git", ".hg", ".svn", crate::STORE_DIRECTORY];

/// Whether what has this name is copied with the directory that it is in. Scratch directories are not: the copy may be made in one of them.
pub fn is_copied(name: &OsStr) -> bool {
    !name.as_bytes().starts_with(PREFIX.as_bytes()) && NOT_COPIED.iter().all(|one| name != OsStr::new(one))
}

fn make_dir(path: &Path) -> Result<(), ExecError> {
    fs::create_dir(path).map_err(|source| ExecError::Scratch { what: "make the directory", path: path.into(), source })
}

/// Copies the directory `from` as [`Scratch::copy_of`] does, to `to`, which is made.
///
/// # Errors
/// When something in it cannot be read or written, or `to` exists.
pub fn copy_tree(from: &Path, to: &Path) -> Result<(), ExecError> {
    make_dir(to)?;
    copy_into(from, to)
}

/// The same to a directory `to` that is there, and empty.
///
/// # Errors
/// When something in it cannot be read or written.
pub fn copy_into(from: &Path, to: &Path) -> Result<(), ExecError> {
    let read = |source| ExecError::Scratch { what: "copy the directory", path: from.into(), source };
    for entry in fs::read_dir(from).map_err(read)? {
        let entry = entry.map_err(read)?;
        if is_copied(&entry.file_name()) {
            let copied = copy_entry(&entry, &to.join(entry.file_name()));
            copied.map_err(|source| ExecError::Scratch { what: "copy", path: entry.path(), source })??;
        }
    }
    let data = fs::metadata(from).map_err(read)?;
    // make compares those of directories, too, where a target is called like one.
    keep_times(&data, to).map_err(read)?;
    fs::set_permissions(to, data.permissions()).map_err(read)
}

/// Copies one entry; the inner result is of a directory, whose error names its own path.
fn copy_entry(entry: &fs::DirEntry, to: &Path) -> io::Result<Result<(), ExecError>> {
    let kind = entry.file_type()?;
    if kind.is_dir() {
        return Ok(copy_tree(&entry.path(), to));
    }
    if kind.is_symlink() {
        std::os::unix::fs::symlink(fs::read_link(entry.path())?, to)?;
    } else if kind.is_file() {
        let writing = WRITING_PROGRAMS.read().unwrap_or_else(PoisonError::into_inner);
        fs::copy(entry.path(), to)?;
        drop(writing);
        keep_times(&entry.metadata()?, to)?;
    }
    Ok(Ok(()))
}

/// Gives a copy the times of what it is of.
fn keep_times(of: &fs::Metadata, to: &Path) -> io::Result<()> {
    let times = FileTimes::new().set_accessed(of.accessed()?).set_modified(of.modified()?);
    // Opened for reading: times may be set by the owner whatever the mode is.
    File::open(to)?.set_times(times)
}

/// Whether a copy of a directory has at most so many entries and bytes.
pub fn is_small(directory: &Path, (mut entries, mut bytes): (usize, u64)) -> bool {
    let mut open: Vec<PathBuf> = vec![directory.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            let Some(data) = entry.metadata().ok().filter(|_| is_copied(&entry.file_name())) else { continue };
            let (Some(fewer), Some(less)) = (entries.checked_sub(1), bytes.checked_sub(data.len())) else {
                return false;
            };
            (entries, bytes) = (fewer, less);
            if data.is_dir() {
                open.push(entry.path());
            }
        }
    }
    true
}

/// Removes a directory, also one whose owner has taken his own right to write. What cannot be removed stays, and is no
/// reason to fail.
pub fn remove_tree(path: &Path) {
    if fs::remove_dir_all(path).is_ok() {
        return;
    }
    make_writable(path);
    let _ = fs::remove_dir_all(path);
}

fn make_writable(path: &Path) {
    let _ = fs::set_permissions(path, fs::Permissions::from_mode(0o700));
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            make_writable(&entry.path());
        }
    }
}
