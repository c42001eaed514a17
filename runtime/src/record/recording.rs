//! The recording of this process: its file, and the state that all modules share.
//!
//! The file is mapped where every module knows it: the first page, which says how far the stream goes, and the part of the stream that is
//! being written. What has been written survives the process, however it ends.

mod forked;
mod start;
mod work;

use core::ffi::{c_char, c_void};
use core::ptr::{read_volatile, write_volatile};
use core::sync::atomic::{AtomicU32, Ordering};

use suspect_format::abi::{Mode, PAGE};
use suspect_format::record::{
    Mirror, Position, RecordHeader, STATUS_ENDED, STATUS_LIMIT, STATUS_NO_SPACE, STATUS_UNRECORDED, STREAM_ADDRESS,
    Tape,
};
use suspect_format::trial::TRIAL_ADDRESS;

pub use self::start::start;
pub use self::work::{Work, abandon, quick_work, work};
use crate::count::file;
use crate::os::memory;
use crate::os::symbols;
use crate::os::sys::{self, EDQUOT, EFBIG, ENOSPC, Errno, File, O_CLOEXEC, O_CREAT, O_NOFOLLOW, O_RDWR};
use crate::record::open_calls::OpenCalls;
use crate::record::replay::Replay;

/// Where the shared state is.
const RECORDING_ADDRESS: usize = TRIAL_ADDRESS - (5 << 40);
/// "This memory is the runtime's".
const MARK: u64 = 0x5355_5350_5245_4344;
/// The stream's file grows by this much at first, and by as much as it is long up to the most.
const FIRST_STEP: u64 = 256 << 10;
const MOST_STEP: u64 = 16 << 20;
/// Room that every event but a range of bytes finds.
const SLACK: u64 = 256;
/// Longest path of a recording, with its zero.
const PATH_LEN: usize = 4096;
/// Functions that have a `record` version and were called from elsewhere; a power of two.
const KNOWN: usize = 1 << 12;
/// Functions that handle signals.
const HANDLERS: usize = 64;

/// Hooks write the stream.
pub const RECORDS: u32 = 1;
/// Hooks look at the plan.
pub const REPLAYS: u32 = 2;
/// A child of `vfork` runs in this process's memory: nothing is recorded until its parent is back.
pub const LENT: u32 = 4;

/// What all modules share.
#[repr(C)]
pub struct Recording {
    mark: u64,
    /// What hooks have to do; 0 while one of them is at work. Its own word because the next one is read in every hook.
    ready: AtomicU32,
    /// What hooks have to do.
    tasks: u32,
    /// The only thread that is recorded.
    thread: u64,
    /// The stream may be written up to here without a look: the end of what is mapped, less [`SLACK`].
    limit: u64,
    /// The writer's half of what the reader keeps too.
    pub mirror: Mirror,
    /// Bytes of the file that are reserved; from where on they are mapped.
    reserved: u64,
    mapped_from: u64,
    /// Bytes that the file may have.
    most: u64,
    /// Where the stream stood before the last fork.
    at_fork: u64,
    /// Whose recording this is.
    pub pid: u32,
    directory_len: u32,
    /// Calls that may have left the recorded code.
    pub calls: OpenCalls,
    /// A patched, guided or switched run.
    pub replay: Replay,
    known: [u64; KNOWN],
    handlers: [u64; HANDLERS],
    path: [u8; PATH_LEN],
    parent_path: [u8; PATH_LEN],
    copied: [u8; 16 * PAGE],
}

const BYTES: usize = size_of::<Recording>().next_multiple_of(PAGE);

/// The first page of the file; a page of zeros where nothing is recorded.
pub fn live() -> *mut RecordHeader {
    STREAM_ADDRESS as *mut RecordHeader
}

fn shared() -> *mut Recording {
    RECORDING_ADDRESS as *mut Recording
}

/// The end of the stream while an event is being written.
#[derive(Clone, Copy)]
pub struct Window(u64);

impl Tape for Window {
    #[inline(always)]
    fn offset(&self) -> u64 {
        self.0.wrapping_sub(STREAM_ADDRESS as u64)
    }

    #[inline(always)]
    fn put(&mut self, byte: u8) {
        // SAFETY: hooks begin with room for an event.
        unsafe { (self.0 as *mut u8).write(byte) }
        self.0 = self.0.wrapping_add(1);
    }

    #[inline(always)]
    fn set(&mut self, offset: u64, byte: u8) {
        // SAFETY: the byte that bits go into stays mapped.
        unsafe { ((STREAM_ADDRESS as u64).wrapping_add(offset) as *mut u8).write(byte) }
    }
}

fn add_status(status: u32) {
    // SAFETY: the first page is mapped wherever hooks work.
    unsafe { AtomicU32::from_ptr(&raw mut (*live()).status).fetch_or(status, Ordering::Relaxed) };
}

impl Recording {
    /// Where the next event goes: there is room for all but ranges.
    #[inline(always)]
    pub fn window(&mut self) -> Option<Window> {
        // SAFETY: the first page is mapped.
        let cursor = unsafe { read_volatile(&raw const (*live()).cursor) };
        if cursor > self.limit && !self.grow(cursor) {
            return None;
        }
        Some(Window(cursor))
    }

    /// Makes what was written part of the stream.
    #[inline(always)]
    pub fn commit(&mut self, window: Window) {
        // SAFETY: the first page is mapped.
        unsafe { write_volatile(&raw mut (*live()).cursor, window.0) };
    }

    /// The same after an event that has bits, in the order in which a reader may find them if the process ends in between.
    #[inline(always)]
    pub fn commit_bits(&mut self, window: Window) {
        // SAFETY: the first page is mapped.
        unsafe {
            write_volatile(&raw mut (*live()).bit_at, self.mirror.bit_at);
            write_volatile(&raw mut (*live()).bits_used, self.mirror.bits_used);
        }
        self.commit(window);
    }

    /// Writes `length` bytes at `from`; `None` if there is no room for them.
    ///
    /// # Safety
    /// They can be read.
    pub unsafe fn put_bytes(&mut self, mut window: Window, from: u64, length: u64) -> Option<Window> {
        let mut done = 0u64;
        while done < length {
            if window.0 > self.limit && !self.grow(window.0) {
                return None;
            }
            let room = self.limit.wrapping_add(SLACK / 2).wrapping_sub(window.0);
            let part = room.min(length.wrapping_sub(done));
            // SAFETY: vouched for by the caller; what is written is mapped.
            unsafe { memory::copy(from.wrapping_add(done) as *const u8, window.0 as *mut u8, part as usize) };
            window.0 = window.0.wrapping_add(part);
            done = done.wrapping_add(part);
        }
        (window.0 <= self.limit || self.grow(window.0)).then_some(window)
    }

    /// Ends the stream for good.
    #[cold]
    pub fn stop(&mut self, status: u32) {
        add_status(status);
        self.tasks &= !RECORDS;
    }

    /// Reserves more of the file and maps it, `cursor` being as far as it is written. Stops if that cannot be.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, cursor: u64) -> bool {
        let answer = self.extend();
        match answer {
            Ok(()) => self.let_go(cursor),
            Err(reason) => self.stop(status_of(reason)),
        }
        answer.is_ok()
    }

    fn extend(&mut self) -> Result<(), Errno> {
        let step = self.reserved.clamp(FIRST_STEP, MOST_STEP);
        let end = self.reserved.wrapping_add(step);
        if end > self.most {
            return Err(LIMIT);
        }
        let path = (&raw const self.path).cast::<c_char>();
        // SAFETY: the path ends with a zero; nothing else is where the stream goes on.
        unsafe {
            let file = File::open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW)?;
            file::reserve(&file, self.reserved, end)?;
            file.map((STREAM_ADDRESS as u64).wrapping_add(self.reserved) as *mut c_void, step as usize, self.reserved)?;
        }
        self.reserved = end;
        self.limit = (STREAM_ADDRESS as u64).wrapping_add(end).wrapping_sub(SLACK);
        Ok(())
    }

    /// Unmaps what is written for good: up to the byte that bits go into, without the first page.
    fn let_go(&mut self, cursor: u64) {
        let written = cursor.wrapping_sub(STREAM_ADDRESS as u64);
        let kept = if self.mirror.bits_used & 7 == 0 { written } else { written.min(self.mirror.bit_at) };
        let kept = kept & !(PAGE as u64 - 1);
        let from = self.mapped_from.max(PAGE as u64);
        if kept > from {
            let address = (STREAM_ADDRESS as u64).wrapping_add(from) as *mut c_void;
            // SAFETY: nothing there is written or read any more.
            unsafe { sys::unmap(address, kept.wrapping_sub(from) as usize) };
            self.mapped_from = kept;
        }
    }

    /// Whether `function` is known to have a `record` version.
    pub fn is_known(&self, function: u64) -> bool {
        self.known.get(known_place(function)).is_some_and(|known| *known == function)
    }

    /// Notes that `function` has a `record` version.
    pub fn know(&mut self, function: u64) {
        if let Some(known) = self.known.get_mut(known_place(function)) {
            *known = function;
        }
    }

    /// Notes that `function` is to handle a signal.
    pub fn handles(&mut self, function: u64) {
        // SIG_DFL, SIG_IGN and SIG_ERR are no functions.
        let is_function = function > 1 && function != u64::MAX;
        if is_function
            && !self.is_handler(function)
            && let Some(free) = self.handlers.iter_mut().find(|handler| **handler == 0)
        {
            *free = function;
        }
    }

    /// Whether `function` handles a signal.
    pub fn is_handler(&self, function: u64) -> bool {
        self.handlers.contains(&function)
    }

    /// Notes that a signal's handler is entered here, at the end of the stream.
    pub fn interrupted(&mut self, window: &Window) {
        let position = Position { offset: window.offset(), bits_used: u64::from(self.mirror.bits_used) };
        // SAFETY: the first page is mapped.
        let live = unsafe { &mut *live() };
        if let Some(free) = live.interruptions.get_mut(live.n_interruptions as usize) {
            *free = position;
        }
        live.n_interruptions = live.n_interruptions.saturating_add(1);
    }

    /// Lends the memory to a child of `vfork`, until [`Recording::take_back`].
    pub fn lend(&mut self) {
        self.tasks = LENT | (self.tasks << 8);
    }

    /// The child is gone, and its parent goes on.
    pub fn take_back(&mut self) {
        self.tasks >>= 8;
    }
}

/// Says that a stream has reached its limit, which no system call does.
const LIMIT: Errno = Errno(i32::MAX);

fn status_of(reason: Errno) -> u32 {
    match reason {
        ENOSPC | EDQUOT | EFBIG => STATUS_NO_SPACE,
        LIMIT => STATUS_LIMIT,
        _ => STATUS_UNRECORDED,
    }
}

const fn known_place(function: u64) -> usize {
    (function >> 4) as usize & (KNOWN - 1)
}

/// Runs when this module is unloaded, and when the process ends in order.
pub fn end() {
    if symbols::mode().load(Ordering::Relaxed) == Mode::Record as u32 {
        add_status(STATUS_ENDED);
    }
}
