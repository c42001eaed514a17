//! The child of a fork: it goes on in a copy of what was recorded so far.

use core::ffi::c_void;
use core::mem::offset_of;
use core::ptr::read_volatile;
use core::sync::atomic::Ordering;

use suspect_format::abi::PAGE;
use suspect_format::record::{RecordHeader, STATUS_ENDED, STATUS_FORKED, STREAM_ADDRESS};

use super::{FIRST_STEP, LIMIT, PATH_LEN, RECORDS, REPLAYS, Recording, SLACK, live, shared, status_of};
use crate::count::file;
use crate::os::memory;
use crate::os::sys::{self, EIO, Errno, File, O_CLOEXEC, O_CREAT, O_NOFOLLOW, O_RDWR};

/// Runs before each `fork`, once for each module: where the child's own stream begins.
pub(super) extern "C" fn before_fork() {
    // SAFETY: registered where the state is mapped.
    unsafe { (*shared()).at_fork = read_volatile(&raw const (*live()).cursor) };
}

/// Runs in the child of a fork, once for each module: it goes on in a copy of what was recorded so far.
pub(super) extern "C" fn forked() {
    // SAFETY: registered where the state is mapped; this process has one thread, and it is here.
    unsafe {
        let recording = &mut *shared();
        let pid = sys::process_id();
        if recording.pid == pid {
            return;
        }
        recording.pid = pid;
        recording.thread = sys::thread_pointer();
        if recording.tasks & REPLAYS != 0 {
            recording.replay.forked();
        }
        if recording.tasks & RECORDS != 0
            && let Err(reason) = recording.copy_stream()
        {
            let _ = sys::map_zeros(live().cast(), PAGE);
            recording.stop(status_of(reason));
        }
        recording.ready.store(recording.tasks, Ordering::Relaxed);
    }
}

impl Recording {
    /// Makes this child's file from its parent's and maps it where that was.
    ///
    /// # Safety
    /// In a forked child.
    unsafe fn copy_stream(&mut self) -> Result<(), Errno> {
        let base = STREAM_ADDRESS as u64;
        let length = self.at_fork.wrapping_sub(base);
        let mapped_from = self.mapped_from.max(PAGE as u64);
        // SAFETY: vouched for by the caller; nothing refers to what the parent's file is mapped over.
        unsafe {
            let mapped = base.wrapping_add(mapped_from) as *mut c_void;
            sys::unmap(mapped, self.reserved.wrapping_sub(mapped_from) as usize);
            memory::copy((&raw const self.path).cast(), (&raw mut self.parent_path).cast(), PATH_LEN);
            self.name_file(&raw const (*live()).image_id);
            let end = length.wrapping_add(SLACK).next_multiple_of(FIRST_STEP);
            let copied = File::open((&raw const self.parent_path).cast(), O_CLOEXEC | O_NOFOLLOW).and_then(|from| {
                let file = File::open((&raw const self.path).cast(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW)?;
                if end > self.most {
                    return Err(LIMIT);
                }
                file::reserve(&file, 0, end)?;
                self.copy_bytes(&from, &file, length)?;
                self.write_head(&file)?;
                file.map(base as *mut c_void, end as usize, 0)
            });
            if let Err(reason) = copied {
                sys::unlink((&raw const self.path).cast());
                return Err(reason);
            }
            self.mapped_from = PAGE as u64;
            self.reserved = end;
            self.limit = base.wrapping_add(end).wrapping_sub(SLACK);
        }
        Ok(())
    }

    /// Copies the stream up to `length` bytes of the file. The parent may already write bits into a byte of it: that one is put right.
    ///
    /// # Safety
    /// In a forked child.
    unsafe fn copy_bytes(&mut self, from: &File, to: &File, length: u64) -> Result<(), Errno> {
        let buffer = (&raw mut self.copied).cast::<u8>();
        let mut at = PAGE as u64;
        while at < length {
            let part = length.wrapping_sub(at).min(size_of_val(&self.copied) as u64);
            // SAFETY: the buffer is as long as said.
            let read = unsafe { from.read_at(buffer, part as usize, at) }?;
            if read == 0 {
                return Err(EIO);
            }
            // SAFETY: as above.
            unsafe { to.write_at(buffer, read, at) }?;
            at = at.wrapping_add(read as u64);
        }
        let bits = self.mirror.pending();
        match self.mirror.bit_at {
            0 => Ok(()),
            // SAFETY: one byte.
            offset => unsafe { to.write_at(&raw const bits, 1, offset) },
        }
    }

    /// # Safety
    /// As [`Recording::copy_bytes`].
    unsafe fn write_head(&mut self, file: &File) -> Result<(), Errno> {
        let head = (&raw mut self.copied).cast::<RecordHeader>();
        const _: () = assert!(offset_of!(Recording, copied) % align_of::<RecordHeader>() == 0);
        // SAFETY: the first page is still the parent's; the buffer is as long as a page.
        unsafe {
            memory::copy(live().cast(), head.cast(), size_of::<RecordHeader>());
            (*head).parent_pid = (*head).pid;
            (*head).pid = self.pid;
            (*head).start_ns = sys::now();
            (*head).status = (*head).status & !STATUS_ENDED | STATUS_FORKED;
            (*head).forked_at = self.at_fork.wrapping_sub(STREAM_ADDRESS as u64);
            (*head).cursor = self.at_fork;
            (*head).bit_at = self.mirror.bit_at;
            (*head).bits_used = self.mirror.bits_used;
            file.write_at(head.cast(), size_of::<RecordHeader>(), 0)
        }
    }
}
