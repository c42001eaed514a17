//! The open files of a plan: where each stands before a trial, what the trial has written, and all put back.
//!
//! Who runs a mutant shares with the plan what all children share: open files. So it is noted where each file stands; afterwards what was
//! written is read and taken back, and each file is put where it stood. What cannot be taken back never happens: see [`crate::plan::filter`].

use core::cell::UnsafeCell;

use suspect_format::trial::{OTHERWISE, OUTPUT_HASH_START, Refusal, TrialResult, common_prefix, output_hash};

use crate::os::sys::EINTR;
use crate::trial::file::{self, give_up};
use crate::trial::trampoline::call;

const CLOSE: usize = 3;
const FSTAT: usize = 5;
const LSEEK: usize = 8;
const PREAD: usize = 17;
const FCNTL: usize = 72;
const FTRUNCATE: usize = 77;
const GETDENTS: usize = 217;
const OPENAT: usize = 257;
const NEWFSTATAT: usize = 262;

const SEEK_SET: usize = 0;
const SEEK_CUR: usize = 1;
const F_GETFL: usize = 3;
const ACCESS: usize = 3;
const AT_FDCWD: usize = -100isize as usize;
const DIRECTORY: usize = 0o200000 | 0o2000000;

const TYPE: u32 = 0o170000;
const REGULAR: u32 = 0o100000;
const DIRECTORY_TYPE: u32 = 0o040000;
const DEVICE: u32 = 0o020000;
/// Null, zero, full, random, urandom.
const HARMLESS_DEVICES: [u64; 5] = [0x103, 0x105, 0x107, 0x108, 0x109];

/// Open files that a plan can put back.
const MOST_FILES: usize = 64;
const BUFFER: usize = 16 * 1024;

/// An open file and where it stood.
#[derive(Clone, Copy)]
struct Standing {
    fd: usize,
    offset: u64,
}

/// What only a plan's process uses, which has one thread.
struct Room {
    files: UnsafeCell<[Standing; MOST_FILES]>,
    buffer: UnsafeCell<[u64; BUFFER / 8]>,
}

// SAFETY: used by one thread alone, and never twice at once: hooks do not nest in here.
unsafe impl Sync for Room {}

static ROOM: Room = Room {
    files: UnsafeCell::new([Standing { fd: 0, offset: 0 }; MOST_FILES]),
    buffer: UnsafeCell::new([0; BUFFER / 8]),
};

/// `struct stat`, as far as it matters.
#[repr(C)]
pub struct Status {
    device: u64,
    inode: u64,
    _links: u64,
    mode: u32,
    _ids: [u32; 3],
    special: u64,
    size: u64,
    _rest: [u64; 11],
}

const _: () = assert!(size_of::<Status>() == 144);

impl Status {
    /// Whether it is a file or a directory, or a device that everybody may read.
    pub fn is_file_or_harmless(&self) -> bool {
        match self.mode & TYPE {
            DEVICE => HARMLESS_DEVICES.contains(&self.special),
            kind => kind == REGULAR || kind == DIRECTORY_TYPE,
        }
    }
}

/// Notes where all open files stand; their number. Ends the plan if there is one that cannot be put back.
///
/// # Safety
/// In a hook of the plan's process.
pub unsafe fn standing() -> usize {
    let mut count = 0usize;
    // SAFETY: the room is this thread's.
    let files = unsafe { &mut *ROOM.files.get() };
    let note = |fd: usize| {
        // SAFETY: a descriptor's number.
        let Some(offset) = (unsafe { offset_of(fd) }) else { return false };
        if offset != NOWHERE {
            let Some(place) = files.get_mut(count) else { return false };
            *place = Standing { fd, offset };
            count = count.wrapping_add(1);
        }
        true
    };
    // SAFETY: a C string.
    if unsafe { entries(c"/proc/self/fd".as_ptr().cast(), note) }.is_none() {
        give_up(Refusal::Descriptor, 0);
    }
    count
}

/// Offset of what has none.
const NOWHERE: u64 = u64::MAX;

/// Where an open file stands; `None` if it cannot be put back.
unsafe fn offset_of(fd: usize) -> Option<u64> {
    // SAFETY: system calls on a descriptor.
    unsafe {
        let status = status(fd)?;
        match status.mode & TYPE {
            DEVICE => HARMLESS_DEVICES.contains(&status.special).then_some(NOWHERE),
            REGULAR | DIRECTORY_TYPE => {
                let flags = call(FCNTL, [fd, F_GETFL, 0, 0, 0]).ok()?;
                if flags & ACCESS != 0 && !is_output_file(&status) {
                    return None;
                }
                call(LSEEK, [fd, 0, SEEK_CUR, 0, 0]).ok().map(|offset| offset as u64)
            }
            _ => None,
        }
    }
}

unsafe fn status(fd: usize) -> Option<Status> {
    let mut status = core::mem::MaybeUninit::<Status>::uninit();
    // SAFETY: the kernel fills the record if it says so.
    unsafe {
        call(FSTAT, [fd, status.as_mut_ptr() as usize, 0, 0, 0]).ok()?;
        Some(status.assume_init())
    }
}

/// What a path leads to, from a directory on; `None` if to nothing that can be seen.
///
/// # Safety
/// In a plan or its child.
pub unsafe fn status_at(directory: usize, path: usize) -> Option<Status> {
    let mut status = core::mem::MaybeUninit::<Status>::uninit();
    // SAFETY: the kernel looks at the path, and fills the record if it says so.
    unsafe {
        call(NEWFSTATAT, [directory, path, status.as_mut_ptr() as usize, 0, 0]).ok()?;
        Some(status.assume_init())
    }
}

unsafe fn is_output_file(status: &Status) -> bool {
    // SAFETY: the header is mapped.
    let outputs = unsafe { (*file::header()).output_fds };
    outputs.iter().any(|fd| {
        // SAFETY: a descriptor's number.
        let output = if *fd < 0 { None } else { unsafe { self::status(*fd as usize) } };
        output.is_some_and(|output| output.device == status.device && output.inode == status.inode)
    })
}

/// Whether a descriptor is one of the outputs.
///
/// # Safety
/// In a plan or its child.
pub unsafe fn is_output(fd: i32) -> bool {
    // SAFETY: a descriptor's number.
    unsafe { status(fd as u32 as usize).is_some_and(|status| is_output_file(&status)) }
}

/// Looks at what a trial has written, takes it back, and puts all files where they stood, the first so many of [`standing`].
///
/// # Safety
/// In a hook of the plan's process; the result can be written.
pub unsafe fn put_back(files: usize, found: *mut TrialResult) {
    // SAFETY: the room is this thread's; descriptors and a result that can be written.
    unsafe {
        let [out, err] = (*file::header()).output_fds;
        let streams = [out, if err == out { -1 } else { err }];
        let lengths = (&raw mut (*found).lengths).cast::<u64>();
        let hashes = (&raw mut (*found).hashes).cast::<u64>();
        let befores = (&raw mut (*found).before).cast::<u64>();
        let mut at = 0usize;
        for fd in streams {
            let mut read = Read { hash: OUTPUT_HASH_START, expected: &[], matched: 0, otherwise: None };
            let is_compared = at == (*file::header()).expected_on as usize;
            if fd >= 0 {
                let fd = fd as usize;
                let before = noted(files, fd);
                let Some(status) = status(fd) else { give_up(Refusal::Descriptor, 0) };
                befores.wrapping_add(at).write(before);
                lengths.wrapping_add(at).write(status.size);
                if is_compared {
                    read.expected = expected().get(before as usize..).unwrap_or_default();
                }
                if status.size != before {
                    read.file(fd, before, status.size);
                    let _ = call(FTRUNCATE, [fd, before as usize, 0, 0, 0]);
                }
            }
            hashes.wrapping_add(at).write(read.hash);
            if is_compared {
                (*found).matched = read.matched;
                (*found).otherwise = read.otherwise.unwrap_or([0; OTHERWISE]);
            }
            at = at.wrapping_add(1);
        }
        for file in (*ROOM.files.get()).iter().take(files) {
            let _ = call(LSEEK, [file.fd, file.offset as usize, SEEK_SET, 0, 0]);
        }
    }
}

/// Where `fd` was noted to stand.
unsafe fn noted(files: usize, fd: usize) -> u64 {
    // SAFETY: the room is this thread's.
    let noted = unsafe { &*ROOM.files.get() }.iter().take(files).find(|file| file.fd == fd);
    match noted {
        Some(file) => file.offset,
        // The program has closed it: what children write cannot be seen.
        None => give_up(Refusal::Descriptor, 0),
    }
}

/// What one of the outputs is compared with.
///
/// # Safety
/// The trial file is mapped.
unsafe fn expected() -> &'static [u8] {
    // SAFETY: vouched for by the caller; it was looked at before it was mapped, and is never written.
    unsafe {
        let header = file::header();
        core::slice::from_raw_parts(file::at((*header).expected), (*header).expected_length as usize)
    }
}

/// What is found in an output that is read from somewhere on.
struct Read {
    hash: u64,
    /// What is expected next; nothing any more after the first difference.
    expected: &'static [u8],
    /// Bytes that were as expected.
    matched: u64,
    /// What came instead, once something did; what one read of the file does not have of it is left out.
    otherwise: Option<[u8; OTHERWISE]>,
}

impl Read {
    /// Reads a file's bytes from `from` up to `to`.
    unsafe fn file(&mut self, fd: usize, from: u64, to: u64) {
        let mut at = from;
        let buffer = ROOM.buffer.get().cast::<u8>();
        while at < to {
            let want = (to.wrapping_sub(at)).min(BUFFER as u64) as usize;
            // SAFETY: the buffer is as long as said; a file in memory is read whole.
            unsafe {
                match call(PREAD, [fd, buffer as usize, want, at as usize, 0]) {
                    Ok(read) if read == want => {}
                    Err(EINTR) => continue,
                    _ => give_up(Refusal::Descriptor, 0),
                }
                self.bytes(core::slice::from_raw_parts(buffer, want));
            }
            at = at.wrapping_add(want as u64);
        }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.hash = output_hash(self.hash, bytes);
        let same = common_prefix(bytes, self.expected);
        self.matched = self.matched.wrapping_add(same as u64);
        if self.otherwise.is_none() && same < bytes.len() {
            let mut otherwise = [0; OTHERWISE];
            let came = bytes.get(same..).unwrap_or_default();
            otherwise.iter_mut().zip(came).for_each(|(to, byte)| *to = *byte);
            self.otherwise = Some(otherwise);
        }
        let rest = if same == bytes.len() { self.expected.get(same..) } else { None };
        self.expected = rest.unwrap_or_default();
    }
}

/// Calls `look` with each number that is an entry's name in the directory `path`, this directory's own descriptor left out;
/// their count, or `None` when that fails or `look` says so.
///
/// # Safety
/// `path` ends with a zero byte.
pub unsafe fn entries(path: *const u8, mut look: impl FnMut(usize) -> bool) -> Option<usize> {
    const HEAD: usize = 19;
    let mut buffer = [const { core::mem::MaybeUninit::<u64>::uninit() }; 256];
    let mut count = 0usize;
    // SAFETY: the buffer is as long as said, and the kernel fills it with whole records.
    unsafe {
        let own = call(OPENAT, [AT_FDCWD, path as usize, DIRECTORY, 0, 0]).ok()?;
        let bytes = (&raw mut buffer).cast::<u8>();
        let mut good = true;
        loop {
            let read = call(GETDENTS, [own, bytes as usize, size_of_val(&buffer), 0, 0]);
            let Ok(length) = read else {
                good = false;
                break;
            };
            if length == 0 {
                break;
            }
            let mut at = 0usize;
            while at < length {
                let record = bytes.wrapping_add(at);
                if let Some(number) = number(record.wrapping_add(HEAD))
                    && number != own
                {
                    count = count.wrapping_add(1);
                    good &= look(number);
                }
                at = at.wrapping_add(record.wrapping_add(16).cast::<u16>().read_unaligned() as usize);
            }
        }
        let _ = call(CLOSE, [own, 0, 0, 0, 0]);
        good.then_some(count)
    }
}

/// The number that a name is.
unsafe fn number(mut name: *const u8) -> Option<usize> {
    let mut number = 0usize;
    // SAFETY: stops at the final zero.
    unsafe {
        if *name == 0 {
            return None;
        }
        while *name != 0 {
            let digit = (*name).wrapping_sub(b'0');
            if digit > 9 {
                return None;
            }
            number = number.wrapping_mul(10).wrapping_add(digit as usize);
            name = name.wrapping_add(1);
        }
    }
    Some(number)
}
