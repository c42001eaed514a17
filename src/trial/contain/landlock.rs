//! Landlock: a domain that writes below one directory alone, connects to nothing and signals nobody outside.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// What the kernel could do.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Restricted {
    /// Files are only written where allowed; truncation included.
    pub files: bool,
    /// Signals and abstract sockets stay inside.
    pub signals: bool,
}

const CREATE_RULESET: libc::c_long = 444;
const ADD_RULE: libc::c_long = 445;
const RESTRICT_SELF: libc::c_long = 446;
const ASK_VERSION: u32 = 1;
const PATH_BENEATH: u32 = 1;

const WRITE_FILE: u64 = 1 << 1;
/// Remove directories and files; make devices, directories, files, sockets, pipes, links.
const CHANGE_DIRECTORIES: u64 = 0b1_1111_1111 << 4;
const REFER: u64 = 1 << 13;
const TRUNCATE: u64 = 1 << 14;
const BIND_AND_CONNECT_TCP: u64 = 0b11;
const SCOPE_SOCKETS_AND_SIGNALS: u64 = 0b11;

/// The kernel's record, as long as its version knows.
#[repr(C)]
struct Ruleset {
    files: u64,
    network: u64,
    scope: u64,
}

#[repr(C, packed)]
struct Beneath {
    allowed: u64,
    parent: i32,
}

/// Restricts the calling process, which must have given up new privileges.
pub(super) fn restrict<'a>(mut writable: impl Iterator<Item = &'a Path>) -> Restricted {
    // SAFETY: asks for a number.
    let version = unsafe { libc::syscall(CREATE_RULESET, 0, 0, ASK_VERSION) };
    let version = i32::try_from(version).unwrap_or(0);
    if version < 1 {
        return Restricted::default();
    }
    let refer = if version >= 2 { REFER } else { 0 };
    let truncate = if version >= 3 { TRUNCATE } else { 0 };
    let files = WRITE_FILE | CHANGE_DIRECTORIES | refer | truncate;
    let ruleset = Ruleset {
        files,
        network: if version >= 4 { BIND_AND_CONNECT_TCP } else { 0 },
        scope: if version >= 6 { SCOPE_SOCKETS_AND_SIGNALS } else { 0 },
    };
    let size = match version {
        1..=3 => 8,
        4..=5 => 16,
        _ => 24usize,
    };
    // SAFETY: the record is at least as long as said.
    let fd = unsafe { libc::syscall(CREATE_RULESET, &raw const ruleset, size, 0) } as i32;
    if fd < 0 {
        return Restricted::default();
    }
    let mut allowed = writable.all(|directory| allow(fd, directory, files));
    for device in ["/dev/null", "/dev/zero", "/dev/full", "/dev/tty"] {
        allow(fd, Path::new(device), WRITE_FILE | truncate);
    }
    // SAFETY: a descriptor that was just made.
    unsafe {
        allowed &= libc::syscall(RESTRICT_SELF, fd, 0) == 0;
        libc::close(fd);
    }
    Restricted { files: allowed && version >= 3, signals: allowed && version >= 6 }
}

/// Allows `rights` below `path`; false where that is refused.
fn allow(ruleset: i32, path: &Path, rights: u64) -> bool {
    let Ok(name) = CString::new(path.as_os_str().as_bytes()) else { return false };
    // SAFETY: a C string; a record that lives long enough; a descriptor that was just made.
    unsafe {
        let parent = libc::open(name.as_ptr(), libc::O_PATH | libc::O_CLOEXEC);
        if parent < 0 {
            return false;
        }
        let rule = Beneath { allowed: rights, parent };
        let answer = libc::syscall(ADD_RULE, ruleset, PATH_BENEATH, &raw const rule, 0);
        libc::close(parent);
        answer == 0
    }
}
