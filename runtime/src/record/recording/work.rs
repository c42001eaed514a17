//! The work of one hook: what it has to do, and whether it may.

use core::ptr::read_volatile;
use core::sync::atomic::Ordering;

use suspect_format::record::{STATUS_THREADS, STATUS_UNRECORDED};

use super::{RECORDS, Recording, Window, add_status, live, shared};
use crate::os::sys;

/// What a hook has to do, while it is at work: hooks of a handler that interrupts it have nothing to do.
pub struct Work {
    /// The tasks.
    pub tasks: u32,
    recording: &'static mut Recording,
}

impl core::ops::Deref for Work {
    type Target = Recording;

    #[inline(always)]
    fn deref(&self) -> &Recording {
        self.recording
    }
}

impl core::ops::DerefMut for Work {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Recording {
        self.recording
    }
}

impl Drop for Work {
    #[inline(always)]
    fn drop(&mut self) {
        self.recording.ready.store(self.recording.tasks, Ordering::Relaxed);
    }
}

/// Begins a hook's work; nothing if there is none.
///
/// # Safety
/// Called by hooks of the `record` version, which runs only where [`super::start()`] has succeeded.
#[inline(always)]
pub unsafe fn work() -> Option<Work> {
    let recording = shared();
    // SAFETY: mapped by `start`; no other hook of this thread is at work, and other threads go no further.
    unsafe {
        let tasks = (*recording).ready.load(Ordering::Relaxed);
        if tasks == 0 {
            return None;
        }
        if (*recording).thread != sys::thread_pointer() {
            other_thread(recording);
            return None;
        }
        (*recording).ready.store(0, Ordering::Relaxed);
        Some(Work { tasks, recording: &mut *recording })
    }
}

/// The same where recording is all there is to do, and there is room: nearly always.
///
/// # Safety
/// As [`work`].
#[inline(always)]
pub unsafe fn quick_work() -> Option<(Work, Window)> {
    let recording = shared();
    // SAFETY: as in `work`.
    unsafe {
        let cursor = read_volatile(&raw const (*live()).cursor);
        let is_quick = (*recording).ready.load(Ordering::Relaxed) == RECORDS
            && (*recording).thread == sys::thread_pointer()
            && cursor <= (*recording).limit;
        if !is_quick {
            return None;
        }
        (*recording).ready.store(0, Ordering::Relaxed);
        Some((Work { tasks: RECORDS, recording: &mut *recording }, Window(cursor)))
    }
}

/// A hook's work was left by a jump: the stream ends before it.
///
/// # Safety
/// As [`work`].
#[cold]
pub unsafe fn abandon() {
    // SAFETY: vouched for by the caller.
    let recording = unsafe { &mut *shared() };
    if recording.tasks & RECORDS != 0 && recording.thread == sys::thread_pointer() {
        recording.stop(STATUS_UNRECORDED);
        recording.ready.store(recording.tasks, Ordering::Relaxed);
    }
}

/// Another thread than the first runs recorded code: what comes after is no function of the stream.
#[cold]
#[inline(never)]
unsafe fn other_thread(recording: *mut Recording) {
    // SAFETY: vouched for by the caller.
    unsafe {
        if (*recording).tasks & RECORDS != 0 {
            add_status(STATUS_THREADS);
            (*recording).tasks &= !RECORDS;
            // A hook of the first thread that is at work right now puts this right when it ends.
            (*recording).ready.fetch_and(!RECORDS, Ordering::Relaxed);
        }
    }
}
