//! The recording of this process: its file, and the state that all modules share.
//!
//! The file is mapped where every module knows it: the first page, which says how far the stream goes, and the part of the stream that is
//! being written. What has been written survives the process, however it ends.

use core::ffi::{c_char, c_void};
use core::mem::offset_of;
use core::ptr::{read_volatile, write_volatile};
use core::sync::atomic::{AtomicU32, Ordering};

use suspect_format::ENDIAN_TAG;
use suspect_format::abi::{Mode, PAGE};
use suspect_format::record::{
    FILE_SUFFIX, MAGIC, Mirror, Position, RecordHeader, STATUS_ENDED, STATUS_FORKED, STATUS_LIMIT, STATUS_NO_SPACE,
    STATUS_THREADS, STATUS_UNRECORDED, STREAM_ADDRESS, Tape, VERSION,
};
use suspect_format::trace::TEXT_LEN;
use suspect_format::trial::TRIAL_ADDRESS;

use crate::count::file;
use crate::os::memory::{self, Writer};
use crate::os::module::Module;
use crate::os::settings::{Auxiliary, Settings};
use crate::os::sys::{self, EDQUOT, EEXIST, EFBIG, EIO, ENOSPC, Errno, File, O_CLOEXEC, O_CREAT, O_NOFOLLOW, O_RDWR};
use crate::os::{clock, symbols};
use crate::record::image;
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
/// Longest name: separator, pid, `-`, image id, suffix, zero.
const NAME_LEN: usize = 1 + 10 + 1 + 32 + FILE_SUFFIX.len() + 1;
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
/// Called by hooks of the `record` version, which runs only where [`start`] has succeeded.
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

/// Starts this module: the first one of the process starts the recording or the replay. The mode that the module runs in.
///
/// # Safety
/// The loader's one thread, before anything else of the module runs.
pub unsafe fn start(settings: &Settings, module: &Module, auxiliary: &Auxiliary) -> Result<u32, Errno> {
    // SAFETY: vouched for by the caller.
    unsafe {
        match sys::map_zeros_at(RECORDING_ADDRESS, BYTES) {
            Ok(()) => {
                (*shared()).mark = MARK;
                first(&mut *shared(), settings, auxiliary)?;
            }
            Err(EEXIST) if sys::is_readable(RECORDING_ADDRESS) && (*shared()).mark == MARK => {}
            Err(reason) => return Err(reason),
        }
        let recording = &mut *shared();
        if recording.tasks == 0 {
            return Err(EIO);
        }
        if recording.tasks & RECORDS != 0 {
            image::add_module(recording, module, auxiliary);
            image::add_libraries(recording);
        }
        recording.ready.store(recording.tasks, Ordering::Release);
        clock::hold(settings.clock);
        symbols::at_fork(Some(before_fork), forked);
    }
    Ok(Mode::Record as u32)
}

/// # Safety
/// As [`start`]; the state is all zero.
unsafe fn first(recording: &mut Recording, settings: &Settings, auxiliary: &Auxiliary) -> Result<(), Errno> {
    recording.thread = sys::thread_pointer();
    recording.pid = sys::process_id();
    recording.most = settings.record_bytes;
    // SAFETY: vouched for by the caller; settings are C strings.
    unsafe {
        let replays = !settings.plan.is_null();
        if replays {
            recording.replay.open(settings.plan)?;
        }
        if settings.out.is_null() {
            sys::map_zeros_at(STREAM_ADDRESS, PAGE)?;
        } else {
            recording.open(settings.out, auxiliary)?;
            recording.describe(settings, auxiliary);
            recording.tasks = RECORDS;
            image::add_start(recording, auxiliary);
        }
        if replays {
            recording.tasks |= REPLAYS;
            recording.replay.arm();
        }
    }
    Ok(())
}

impl Recording {
    /// Makes the file in the directory `out` and maps its first part.
    ///
    /// # Safety
    /// `out` is a C string.
    unsafe fn open(&mut self, out: *const c_char, auxiliary: &Auxiliary) -> Result<(), Errno> {
        // SAFETY: vouched for by the caller; the kernel has 16 bytes at `random`.
        unsafe {
            let length = memory::copy_text(out, (&raw mut self.path).cast(), PATH_LEN);
            if length.wrapping_add(NAME_LEN) > PATH_LEN {
                return Err(EIO);
            }
            self.directory_len = length as u32;
            self.name_file(auxiliary.random as usize as *const [u8; 16]);
            let answer = self.extend();
            if answer.is_err() {
                sys::unlink((&raw const self.path).cast());
            }
            answer
        }
    }

    /// Writes the file's name behind the directory: pid in decimal, image id in hexadecimal.
    ///
    /// # Safety
    /// 16 bytes at `image_id`.
    unsafe fn name_file(&mut self, image_id: *const [u8; 16]) {
        // SAFETY: vouched for by the caller; the directory leaves room for the name.
        unsafe {
            let mut writer = Writer((&raw mut self.path).cast::<u8>().add(self.directory_len as usize));
            writer.byte(b'/');
            writer.decimal(self.pid);
            writer.byte(b'-');
            for byte in *image_id {
                writer.hexadecimal(byte);
            }
            writer.text(FILE_SUFFIX);
            writer.byte(0);
        }
    }

    /// Fills the first page, which is all zero.
    ///
    /// # Safety
    /// As [`start`].
    unsafe fn describe(&mut self, settings: &Settings, auxiliary: &Auxiliary) {
        let live = live();
        // SAFETY: the page is mapped; settings are C strings.
        unsafe {
            (*live).version = VERSION;
            (*live).endian = ENDIAN_TAG;
            (*live).pid = self.pid;
            (*live).parent_pid = sys::parent_id();
            memory::copy(auxiliary.random as usize as *const u8, (&raw mut (*live).image_id).cast(), 16);
            (*live).start_ns = sys::now();
            (*live).errno_address = symbols::errno_address() as u64;
            (*live).thread_pointer = self.thread;
            (*live).cursor = STREAM_ADDRESS.wrapping_add(PAGE) as u64;
            if !settings.test.is_null() {
                memory::copy_text(settings.test, (&raw mut (*live).test).cast(), TEXT_LEN);
            }
            let executable = (&raw mut (*live).executable).cast();
            let _ = sys::read_link(c"/proc/self/exe".as_ptr(), executable, TEXT_LEN.wrapping_sub(1));
            (*live).magic = MAGIC;
        }
    }
}

/// Runs before each `fork`, once for each module: where the child's own stream begins.
extern "C" fn before_fork() {
    // SAFETY: registered where the state is mapped.
    unsafe { (*shared()).at_fork = read_volatile(&raw const (*live()).cursor) };
}

/// Runs in the child of a fork, once for each module: it goes on in a copy of what was recorded so far.
extern "C" fn forked() {
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

/// Runs when this module is unloaded, and when the process ends in order.
pub fn end() {
    if symbols::mode().load(Ordering::Relaxed) == Mode::Record as u32 {
        add_status(STATUS_ENDED);
    }
}
