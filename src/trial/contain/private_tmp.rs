//! A `/tmp` of a worker's own, in which trials may write: what lies in the real one is seen there, and cannot be written.
//!
//! Directories are mounted there, since what runs may lie in one of them and ask where it is; other entries are symbolic links.
//! Where there are more directories than can be mounted in time, those that nothing of the trial lies in are links, too.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify};

use super::namespaces::bind;
use crate::exec::is_memory;
use crate::trial::tree;

/// The directory that programs name without asking for one.
pub(super) const TMP: &str = "/tmp";
/// Directories of it that are mounted, beyond those that something of the trial lies in: a worker starts in milliseconds.
const MOST_MOUNTED: usize = 256;
/// Symbolic links beyond which it stays as it is, in memory and on a disk: there a thousand take seconds.
const MOST_LINKED: [usize; 2] = [4096, 128];
/// The entry by which links lead to the real ones.
const REAL: &str = ".suspect-real";
/// As directories for all have them.
const MODE: u32 = 0o1777;

/// The entries that belong there, and what tells that others are.
#[derive(Debug)]
pub(in crate::trial) struct PrivateTmp {
    mounted: BTreeSet<OsString>,
    linked: BTreeSet<OsString>,
    notes: Inotify,
}

impl PrivateTmp {
    /// Makes the empty directory `by` show what is in `/tmp`, and mounts it there; nothing where there is too much, or the system refuses. The
    /// directories `used` are the trial's.
    pub(super) fn mount(by: &Path, used: &[&Path]) -> Option<PrivateTmp> {
        let (mut mounted, mut linked) = entries(Path::new(TMP)).ok()?;
        let used: Vec<&OsStr> = used.iter().filter_map(|path| entry_of(path)).collect();
        let own = entry_of(by);
        let others = mounted.iter().filter(|name| Some(name.as_os_str()) != own && !used.contains(&name.as_os_str()));
        let excess: Vec<OsString> = others.skip(MOST_MOUNTED).cloned().collect();
        mounted.retain(|name| !excess.contains(name));
        linked.extend(excess);
        if linked.len() > MOST_LINKED[usize::from(!is_memory(by))] {
            return None;
        }
        // The directory that `by` lies in comes first: what is mounted in `by` need not be seen there, too.
        let real = (PathBuf::from(TMP), by.join(REAL));
        let first = own.map(|name| (Path::new(TMP).join(name), by.join(name)));
        let others = mounted.iter().filter(|name| Some(name.as_os_str()) != own);
        let others = others.map(|name| (Path::new(TMP).join(name), by.join(name)));
        for (directory, at) in first.into_iter().chain([real]).chain(others) {
            fs::create_dir(&at).ok()?;
            // One that is gone meanwhile is nobody's.
            if !bind(&directory, &at) && directory.exists() {
                return None;
            }
        }
        linked.iter().try_for_each(|name| link(by, name)).ok()?;
        fs::set_permissions(by, fs::Permissions::from_mode(MODE)).ok()?;
        let notes = Inotify::init(InitFlags::IN_NONBLOCK | InitFlags::IN_CLOEXEC).ok()?;
        let changes = AddWatchFlags::IN_CREATE | AddWatchFlags::IN_DELETE | AddWatchFlags::IN_MOVE;
        notes.add_watch(by, changes).ok()?;
        bind(by, Path::new(TMP)).then_some(PrivateTmp { mounted, linked, notes })
    }

    /// Links what came into the real one since: a test's directory may be that young.
    pub(in crate::trial) fn renew(&mut self) -> io::Result<()> {
        for entry in fs::read_dir(Path::new(TMP).join(REAL))? {
            let name = entry?.file_name();
            if !self.mounted.contains(&name) && !self.linked.contains(&name) && link(Path::new(TMP), &name).is_ok() {
                self.linked.insert(name);
            }
        }
        Ok(())
    }

    /// Makes it as it was.
    pub(in crate::trial) fn clean(&self) -> io::Result<()> {
        if tree::is_quiet(&self.notes) {
            return Ok(());
        }
        let tmp = Path::new(TMP);
        for entry in fs::read_dir(tmp)? {
            let name = entry?.file_name();
            let belongs =
                self.mounted.contains(&name) || name == REAL || self.linked.contains(&name) && leads(tmp, &name);
            if !belongs {
                // What cannot be removed stays.
                let _ = tree::remove(&tmp.join(&name));
            }
        }
        for name in &self.linked {
            match link(tmp, name) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
        }
        // What was noted of this is of no interest.
        tree::is_quiet(&self.notes);
        Ok(())
    }
}

/// The name of the entry of `/tmp` that a path lies in, where it does.
fn entry_of(path: &Path) -> Option<&OsStr> {
    path.strip_prefix(TMP).ok().and_then(|below| below.iter().next())
}

/// The names of the directories in one, and of its other entries.
fn entries(directory: &Path) -> io::Result<(BTreeSet<OsString>, BTreeSet<OsString>)> {
    let (mut directories, mut others) = (BTreeSet::new(), BTreeSet::new());
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let into = if entry.file_type()?.is_dir() { &mut directories } else { &mut others };
        into.insert(entry.file_name());
    }
    Ok((directories, others))
}

/// Where the link of an entry leads.
fn real(name: &OsString) -> PathBuf {
    Path::new(TMP).join(REAL).join(name)
}

fn link(directory: &Path, name: &OsString) -> io::Result<()> {
    symlink(real(name), directory.join(name))
}

/// Whether an entry of a directory is the link that belongs there.
fn leads(directory: &Path, name: &OsString) -> bool {
    fs::read_link(directory.join(name)).is_ok_and(|to| to == real(name))
}
