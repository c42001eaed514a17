//! Namespaces: a view of the file system that is read-only but for one directory, and processes that see nobody else.

use std::ffi::CString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr::null;

use super::Cover;
use super::private_tmp::{PrivateTmp, TMP};

/// What the kernel let us have.
#[derive(Debug, Default)]
pub(super) struct Entered {
    /// All files outside the scratch directory are read-only.
    pub files: bool,
    /// Directories can be covered, and the one that was to be is.
    pub covers: bool,
    /// A `/tmp` of our own.
    pub tmp: Option<PrivateTmp>,
    /// Processes of our own.
    pub pids: bool,
    /// System V's objects of our own.
    pub objects: bool,
    /// Users of our own, whose processes are counted apart.
    pub users: bool,
}

/// `struct mount_attr`.
#[repr(C)]
struct MountAttributes {
    set: u64,
    clear: u64,
    propagation: u64,
    user_namespace: u64,
}

const READ_ONLY: u64 = 1;
const SAME: MountAttributes = MountAttributes { set: 0, clear: 0, propagation: 0, user_namespace: 0 };

/// Enters them where the system permits it; where it gives processes of our own, in a child of the caller, which waits.
pub(super) fn enter(writable: &[PathBuf], tmp: &Path, cover: Option<&Cover>) -> Entered {
    let wanted = libc::CLONE_NEWNS | libc::CLONE_NEWIPC | libc::CLONE_NEWPID;
    // SAFETY: asks for ids.
    let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
    let mut users = false;
    // SAFETY: this process has one thread.
    let unshare = |flags| unsafe { libc::unshare(flags) } == 0;
    let mut unshared = user == 0 && unshare(wanted);
    if !unshared {
        unshared = unshare(wanted | libc::CLONE_NEWUSER);
        users = unshared;
        if unshared && !map_ids(user, group) {
            // Without names for its user this process could not do anything in there.
            return Entered { objects: true, ..Entered::default() };
        }
    }
    if !unshared {
        return Entered::default();
    }
    let pids = become_first();
    // The mounts below must be ours alone.
    if !mount(None, c"/", None, libc::MS_REC | libc::MS_PRIVATE) {
        return Entered { pids, objects: true, users, ..Entered::default() };
    }
    // For programs that look themselves up; where it is refused they find themselves as `self` all the same.
    let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
    if pids && mount(Some(c"proc"), c"/proc", Some(c"proc"), flags) && limits_are_own() {
        // Refused to normal users, whose processes have a limit anyway.
        let _ = fs::write("/proc/sys/kernel/pid_max", MOST_PROCESSES);
    }
    let (files, covers, tmp) = protect(writable, tmp, cover);
    Entered { files, covers, tmp, pids, objects: true, users }
}

/// Processes, also dead ones, that a namespace can have at once.
const MOST_PROCESSES: &str = "2048";

/// Whether the limit of process ids is the namespace's own: from Linux 6.14 on.
fn limits_are_own() -> bool {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(|number| number.parse::<u32>().unwrap_or(0));
    let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    version >= (6, 14)
}

/// Gives the process the ids it had.
fn map_ids(user: u32, group: u32) -> bool {
    // Refused where there is nothing to forbid.
    let _ = fs::write("/proc/self/setgroups", "deny");
    fs::write("/proc/self/uid_map", format!("{user} {user} 1")).is_ok()
        && fs::write("/proc/self/gid_map", format!("{group} {group} 1")).is_ok()
}

/// Goes on as the first process of the namespace; with it ends everything in there. The caller's own process waits for it.
/// False when the system refuses.
fn become_first() -> bool {
    // SAFETY: this process has one thread, so its child is as good as itself.
    match unsafe { libc::fork() } {
        0 => {
            // SAFETY: settings of this process. First processes ignore signals from their namespace, and obey these from outside.
            unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0) == 0 }
        }
        -1 => false,
        child => {
            let mut status = 0;
            // SAFETY: a child of this process, which ends without running anything else. Its pipes are the child's now.
            unsafe {
                libc::close(0);
                libc::close(1);
                while libc::waitpid(child, &mut status, 0) < 0 && *libc::__errno_location() == libc::EINTR {}
                libc::_exit(if libc::WIFEXITED(status) { libc::WEXITSTATUS(status) } else { 1 });
            }
        }
    }
}

fn mount(source: Option<&std::ffi::CStr>, target: &std::ffi::CStr, kind: Option<&std::ffi::CStr>, flags: u64) -> bool {
    let pointer = |text: Option<&std::ffi::CStr>| text.map_or(null(), std::ffi::CStr::as_ptr);
    // SAFETY: C strings or null.
    unsafe { libc::mount(pointer(source), target.as_ptr(), pointer(kind), flags, null()) == 0 }
}

/// Covers a directory, mounts the directory `tmp` as `/tmp`, and makes everything read-only but that and these directories; whether it could, whether
/// it could cover, and that `/tmp`.
fn protect(writable: &[PathBuf], tmp: &Path, cover: Option<&Cover>) -> (bool, bool, Option<PrivateTmp>) {
    let mut directories: Vec<&Path> = writable.iter().map(|path| &**path).collect();
    if !directories.iter().all(|directory| bind(directory, directory)) {
        return (false, false, None);
    }
    let covers = match cover {
        Some(cover) => bind(&cover.directory, &cover.original) && bind(&cover.by, &cover.directory),
        None => true,
    };
    directories.extend(cover.filter(|_| covers).map(|cover| &*cover.directory));
    let tmp = PrivateTmp::mount(tmp, &directories);
    directories.extend(tmp.iter().map(|_| Path::new(TMP)));
    let is_held = set(Path::new("/"), libc::AT_RECURSIVE, MountAttributes { set: READ_ONLY, ..SAME })
        && directories.iter().all(|directory| set(directory, 0, MountAttributes { clear: READ_ONLY, ..SAME }));
    (is_held, is_held && covers, tmp.filter(|_| is_held))
}

/// Makes what is at a directory seen at another one too, with what is mounted in it.
pub(super) fn bind(directory: &Path, at: &Path) -> bool {
    let names = (c_string(directory), c_string(at));
    matches!(names, (Some(directory), Some(at)) if mount(Some(&directory), &at, None, libc::MS_BIND | libc::MS_REC))
}

fn c_string(path: &Path) -> Option<CString> {
    CString::new(path.as_os_str().as_bytes()).ok()
}

fn set(path: &Path, flags: i32, attributes: MountAttributes) -> bool {
    let Some(path) = c_string(path) else { return false };
    let size = size_of::<MountAttributes>();
    // SAFETY: a C string, and a record as long as said.
    unsafe {
        libc::syscall(libc::SYS_mount_setattr, libc::AT_FDCWD, path.as_ptr(), flags, &raw const attributes, size) == 0
    }
}
