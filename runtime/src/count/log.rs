//! Full values, in the order they were taken (`trace` mode): one log for the process, mapped by each of its modules.

use core::ffi::c_char;
use core::mem::offset_of;
use core::ptr::null_mut;
use core::slice;
use core::sync::atomic::{AtomicPtr, AtomicU16, AtomicU64, AtomicUsize, Ordering};

use suspect_format::abi::PAGE;
use suspect_format::trace::{
    HASH_START, LOG_THREADS, LogHeader, LogRecord, SEGMENT_MAGIC, STATUS_NO_LOG, SegmentHeader, SegmentKind,
    UNKNOWN_THREAD, hash_bytes,
};

use crate::count::file::TraceFile;
use crate::os::sys::{self, EIO, Errno};

/// Where the log is mapped; null when nothing is logged.
static LOG: AtomicPtr<LogHeader> = AtomicPtr::new(null_mut());
/// Bytes mapped there.
static LENGTH: AtomicUsize = AtomicUsize::new(0);
/// Records that fit.
static CAPACITY: AtomicU64 = AtomicU64::new(0);
/// Which of the process's modules this is.
static MODULE: AtomicU16 = AtomicU16::new(0);
/// Where this module's words begin.
static DATA: AtomicPtr<u8> = AtomicPtr::new(null_mut());

/// Maps the process's log, which the first module makes; without room for it the modules are recorded all the same.
///
/// # Safety
/// No thread is in [`take`]; the module's segment has just been added.
pub unsafe fn attach(trace: &mut TraceFile, data: *mut u8, log_bytes: u64) {
    MODULE.store(trace.progress.n_modules.wrapping_sub(1) as u16, Ordering::Relaxed);
    DATA.store(data, Ordering::Relaxed);
    // SAFETY: vouched for by the caller.
    let answer = unsafe {
        match (trace.progress.log_offset, log_bytes) {
            (0, 0) => return,
            (0, _) => create(trace, log_bytes),
            _ => map_existing(trace),
        }
    };
    if answer.is_err() {
        trace.progress.status |= STATUS_NO_LOG;
    }
}

/// Unmaps the log, in a child that must not write its parent's.
///
/// # Safety
/// As [`attach`].
pub unsafe fn detach() {
    let log = LOG.swap(null_mut(), Ordering::Relaxed);
    if !log.is_null() {
        // SAFETY: mapped by `map_log` with this length, and no longer reachable.
        unsafe { sys::unmap(log.cast(), LENGTH.load(Ordering::Relaxed)) };
    }
}

/// # Safety
/// As [`attach`].
unsafe fn create(trace: &mut TraceFile, log_bytes: u64) -> Result<(), Errno> {
    let page = PAGE as u64;
    let data_len = log_bytes.checked_add(2 * page - 1).ok_or(EIO)? & !(page - 1);
    let length = data_len.checked_add(page).ok_or(EIO)?;
    let offset = trace.reserve(length)?;
    let data_offset = offset.wrapping_add(page);
    // Only the fixed part: the path is empty, as the reserved bytes are.
    let mut head = SegmentStart { kind: SegmentKind::Log as u32, data_offset, data_len, ..SegmentStart::EMPTY };
    // SAFETY: the fields before the check have no padding.
    let checked = unsafe { slice::from_raw_parts((&raw const head).cast(), offset_of!(SegmentStart, check)) };
    head.check = hash_bytes(HASH_START, checked);
    // SAFETY: the head is as long as said; the rest is vouched for by the caller.
    let answer = unsafe {
        let written = trace.file().write_at((&raw const head).cast(), size_of::<SegmentStart>(), offset);
        written.and_then(|()| map_log(trace, data_offset, data_len))
    };
    match answer {
        Ok(()) => {
            trace.progress.valid_len = offset.wrapping_add(length);
            trace.progress.log_offset = data_offset;
        }
        Err(_) => trace.give_back(),
    }
    answer
}

/// The fields of [`SegmentHeader`] that a log uses.
#[repr(C)]
struct SegmentStart {
    magic: [u8; 8],
    kind: u32,
    n_units: u32,
    data_offset: u64,
    data_len: u64,
    load_address: u64,
    check: u64,
}

const _: () = assert!(size_of::<SegmentStart>() == offset_of!(SegmentHeader, path));

impl SegmentStart {
    const EMPTY: SegmentStart = SegmentStart {
        magic: SEGMENT_MAGIC,
        kind: 0,
        n_units: 0,
        data_offset: 0,
        data_len: 0,
        load_address: 0,
        check: 0,
    };
}

/// # Safety
/// As [`attach`].
unsafe fn map_existing(trace: &TraceFile) -> Result<(), Errno> {
    let data_offset = trace.progress.log_offset;
    let mut head = SegmentStart::EMPTY;
    // SAFETY: the head is as long as said.
    let length = unsafe {
        trace.file().read_at((&raw mut head).cast(), size_of::<SegmentStart>(), data_offset.wrapping_sub(PAGE as u64))
    }?;
    if length != size_of::<SegmentStart>() || head.kind != SegmentKind::Log as u32 || head.data_offset != data_offset {
        return Err(EIO);
    }
    // SAFETY: vouched for by the caller.
    unsafe { map_log(trace, data_offset, head.data_len) }
}

/// # Safety
/// As [`attach`].
unsafe fn map_log(trace: &TraceFile, data_offset: u64, data_len: u64) -> Result<(), Errno> {
    // SAFETY: the kernel chooses the place.
    let address = unsafe { trace.file().map(null_mut(), data_len as usize, data_offset) }?;
    LENGTH.store(data_len as usize, Ordering::Relaxed);
    let room = data_len.saturating_sub(size_of::<LogHeader>() as u64);
    CAPACITY.store(room / size_of::<LogRecord>() as u64, Ordering::Relaxed);
    LOG.store(address.cast(), Ordering::Release);
    Ok(())
}

/// A node took `value`; `slot` is its value word.
///
/// # Safety
/// `slot` is a word of this module's data.
pub unsafe fn take(slot: *mut u64, value: u64) {
    let log = LOG.load(Ordering::Acquire);
    if log.is_null() {
        return;
    }
    let word = (slot as usize).wrapping_sub(DATA.load(Ordering::Relaxed) as usize) / 8;
    // SAFETY: the mapping is a log header and `CAPACITY` records; each index is handed out once. All threads and
    // modules go by these atomics.
    unsafe {
        let index = AtomicU64::from_ptr(&raw mut (*log).n_taken).fetch_add(1, Ordering::Relaxed);
        if index >= CAPACITY.load(Ordering::Relaxed) {
            return;
        }
        let record = log.add(1).cast::<LogRecord>().add(index as usize);
        let head = word as u32 as u64 | (MODULE.load(Ordering::Relaxed) as u64) << 32 | (thread(log) as u64) << 48;
        AtomicU64::from_ptr(&raw mut (*record).value).store(value, Ordering::Relaxed);
        AtomicU64::from_ptr(record.cast()).store(head, Ordering::Release);
    }
}

const _: () = {
    assert!(offset_of!(LogRecord, module) == 4 && offset_of!(LogRecord, thread) == 6);
    assert!(LOG_THREADS < UNKNOWN_THREAD as usize && size_of::<c_char>() == 1);
};

/// The number of the calling thread, which is entered in the log's table when it comes for the first time.
///
/// # Safety
/// `log` is mapped.
unsafe fn thread(log: *mut LogHeader) -> u16 {
    let pointer = sys::thread_pointer();
    // SAFETY: vouched for by the caller.
    let table = unsafe { &raw mut (*log).threads }.cast::<u64>();
    let mut slot = (pointer >> 6) as usize % LOG_THREADS;
    let mut number = None;
    let mut tries = 0;
    while tries < LOG_THREADS {
        // SAFETY: the slot is one of the table's; all use it atomically.
        let entry = unsafe { AtomicU64::from_ptr(table.add(slot)) };
        let mut known = entry.load(Ordering::Relaxed);
        if known == 0 {
            // SAFETY: vouched for by the caller.
            let threads = unsafe { AtomicU64::from_ptr(&raw mut (*log).n_threads) };
            let mine = *number.get_or_insert_with(|| threads.fetch_add(1, Ordering::Relaxed));
            let new = pointer << 16 | (mine & 0xffff);
            known = match entry.compare_exchange(0, new, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => new,
                Err(other) => other,
            };
        }
        if known >> 16 == pointer & (u64::MAX >> 16) {
            return known as u16;
        }
        slot = slot.wrapping_add(1) % LOG_THREADS;
        tries = tries.wrapping_add(1);
    }
    UNKNOWN_THREAD
}
