//! The trace file while a module is being added to it.

use core::ffi::c_char;
use core::mem::offset_of;

use suspect_format::abi::PAGE;
use suspect_format::trace::{MAGIC, ProcessHeader, STATUS_NO_SPACE, STATUS_UNRECORDED};
use suspect_format::{ENDIAN_TAG, FORMAT_VERSION};

use crate::os::sys::{
    self, EDQUOT, EFBIG, EIO, ENOSPC, EOPNOTSUPP, Errno, File, O_CLOEXEC, O_CREAT, O_NOFOLLOW, O_RDWR,
};

/// The words of the header up to [`Progress`] and with it.
const HEAD_WORDS: usize = 10;
const PROGRESS_OFFSET: usize = offset_of!(ProcessHeader, valid_len);
const _: () = {
    assert!(
        PROGRESS_OFFSET == 56 && offset_of!(ProcessHeader, version) == 8 && offset_of!(ProcessHeader, endian) == 12
    );
    assert!(offset_of!(ProcessHeader, status) == 64 && offset_of!(ProcessHeader, n_modules) == 68);
    assert!(offset_of!(ProcessHeader, log_offset) == 72 && size_of::<Progress>() == 24);
};

/// The fields of [`ProcessHeader`] that change with each segment, from `valid_len` on.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Progress {
    pub valid_len: u64,
    pub status: u32,
    pub n_modules: u32,
    pub log_offset: u64,
}

/// Reserves blocks for the bytes from `start`, where `file` ends, to `end`, all zero; both are whole pages.
pub fn reserve(file: &File, start: u64, end: u64) -> Result<(), Errno> {
    if end > sys::file_size_limit() {
        // The kernel would send SIGXFSZ.
        return Err(EFBIG);
    }
    let answer = match file.allocate(start, end.wrapping_sub(start)) {
        Err(EOPNOTSUPP) => write_zeros(file, start, end),
        answer => answer,
    };
    if answer.is_err() {
        let _ = file.truncate(start);
    }
    answer
}

/// Reserves by writing, where the file system knows no other way.
fn write_zeros(file: &File, start: u64, end: u64) -> Result<(), Errno> {
    static ZEROS: [u64; 64] = [0; 64];
    let mut at = start;
    while at < end {
        // SAFETY: the buffer is as long as said. Start and end are whole pages, hence whole buffers.
        unsafe { file.write_at(ZEROS.as_ptr().cast(), size_of_val(&ZEROS), at) }?;
        at = at.wrapping_add(size_of_val(&ZEROS) as u64);
    }
    Ok(())
}

/// An open and locked trace file.
pub struct TraceFile {
    file: File,
    path: *const c_char,
    /// What the header will say; `valid_len` is 0 until the header's page is reserved.
    pub progress: Progress,
    /// The file has a header already.
    has_header: bool,
}

impl TraceFile {
    /// Opens or makes the file `path`.
    ///
    /// # Safety
    /// `path` ends with a zero byte and outlives the answer.
    pub unsafe fn open(path: *const c_char) -> Result<TraceFile, Errno> {
        // SAFETY: vouched for by the caller.
        let file = unsafe { File::open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW) }?;
        file.lock()?;
        let mut head = [0u64; HEAD_WORDS];
        // SAFETY: the buffer is as long as said.
        let length = unsafe { file.read_at((&raw mut head).cast(), size_of_val(&head), 0) }?;
        let [magic, version, _, _, _, _, _, valid_len, status, log_offset] = head;
        let progress = Progress { valid_len, status: status as u32, n_modules: (status >> 32) as u32, log_offset };
        let has_header = length == size_of_val(&head) && valid_len != 0;
        if has_header && (magic != u64::from_ne_bytes(MAGIC) || version != version_word()) {
            return Err(EIO);
        }
        if length != 0 && file.length()? != valid_len {
            file.truncate(valid_len)?;
        }
        Ok(TraceFile { file, path, progress, has_header })
    }

    /// Reserves `length` bytes at the file's end, all zero, and returns their offset.
    pub fn reserve(&mut self, length: u64) -> Result<u64, Errno> {
        let start = self.progress.valid_len;
        let offset = start.max(PAGE as u64);
        let end = offset.checked_add(length).ok_or(EFBIG)?;
        reserve(&self.file, start, end).map(|()| offset)
    }

    /// The open file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Gives back what was reserved and not counted as valid.
    pub fn give_back(&self) {
        let _ = self.file.truncate(self.progress.valid_len);
    }

    /// Notes why a module could not be added.
    pub fn refuse(&mut self, reason: Errno) {
        let no_space = matches!(reason, ENOSPC | EDQUOT | EFBIG);
        self.progress.status |= if no_space { STATUS_NO_SPACE } else { STATUS_UNRECORDED };
    }

    /// Writes the header, which makes valid what was added, and closes the file. One that cannot even hold its header
    /// is removed.
    ///
    /// # Safety
    /// `header` is good for a page that says everything but the progress.
    pub unsafe fn finish(mut self, header: *mut ProcessHeader) {
        if self.progress.valid_len == 0 && self.reserve(0).is_ok() {
            self.progress.valid_len = PAGE as u64;
        }
        // SAFETY: vouched for by the caller; the path was given to `open`.
        unsafe {
            if self.progress.valid_len == 0 {
                sys::unlink(self.path);
            } else if self.has_header {
                let from = (&raw const self.progress).cast();
                let _ = self.file.write_at(from, size_of::<Progress>(), PROGRESS_OFFSET as u64);
            } else {
                (&raw mut (*header).valid_len).cast::<Progress>().write(self.progress);
                let _ = self.file.write_at(header.cast(), size_of::<ProcessHeader>(), 0);
            }
        }
        self.file.unlock();
    }
}

fn version_word() -> u64 {
    FORMAT_VERSION as u64 | (ENDIAN_TAG as u64) << 32
}
