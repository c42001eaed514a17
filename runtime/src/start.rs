//! Start-up and fork: puts this module's segment into the process's trace file and maps it over the module's words.

use core::arch::global_asm;
use core::cell::UnsafeCell;
use core::ffi::c_char;
use core::mem::{MaybeUninit, offset_of};
use core::slice;
use core::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use suspect_format::abi::{Mode, STATE_LOST};
use suspect_format::trace::{
    FILE_SUFFIX, HASH_START, MAGIC, ProcessHeader, SEGMENT_MAGIC, STATUS_CLEARED, STATUS_FORKED, STATUS_UNRECORDED,
    STATUS_VALGRIND, SegmentHeader, SegmentKind, TEXT_LEN, UnitEntry, hash_bytes,
};
use suspect_format::{ENDIAN_TAG, FORMAT_VERSION};

use crate::case_functions;
use crate::count::file::{Progress, TraceFile};
use crate::count::log;
use crate::hooks::{self, Task};
use crate::os::memory::{self, Writer};
use crate::os::module::{Module, page_up};
use crate::os::settings::{Auxiliary, Settings};
use crate::os::symbols;
use crate::os::sys::{self, EFBIG, EIO, Errno};
use crate::process;
use crate::record::recording;
use crate::stand_in;
use crate::trial::{member, stack};

/// Longest path of a trace file, with its zero.
const PATH_LEN: usize = 4096;
/// Longest name of a trace file: separator, pid, `-`, image id, suffix, zero.
const NAME_LEN: usize = 1 + 10 + 1 + 32 + FILE_SUFFIX.len() + 1;

// Written before `main`, by the loader's one thread for each module, and in the child of a fork, where there is one
// thread only; in `.bss`, so that a process that is not recorded never touches them.
static mut PROCESS: ProcessHeader = ProcessHeader {
    magic: [0; 8],
    version: 0,
    endian: 0,
    pointer_bytes: 0,
    mode: 0,
    pid: 0,
    parent_pid: 0,
    image_id: [0; 16],
    start_ns: 0,
    valid_len: 0,
    status: 0,
    n_modules: 0,
    log_offset: 0,
    check: 0,
    test: [0; TEXT_LEN],
    executable: [0; TEXT_LEN],
};
static mut SEGMENT: SegmentHeader = SegmentHeader {
    magic: [0; 8],
    kind: 0,
    n_units: 0,
    data_offset: 0,
    data_len: 0,
    load_address: 0,
    check: 0,
    path: [0; TEXT_LEN],
};
static mut PATH: [u8; PATH_LEN] = [0; PATH_LEN];
/// Length of the directory in [`PATH`].
static DIRECTORY_LEN: AtomicUsize = AtomicUsize::new(0);
static LOG_BYTES: AtomicU64 = AtomicU64::new(0);
/// The environment of this process was cleared.
static CLEARED: AtomicBool = AtomicBool::new(false);

/// Bytes of a segment before its data.
fn head_len(module: &Module) -> usize {
    let entries = module.n_units.wrapping_mul(size_of::<UnitEntry>());
    page_up(entries.wrapping_add(size_of::<SegmentHeader>()))
}

/// Where the first constructor works: what it leaves on the program's stack a mutant might read there.
#[repr(C, align(16))]
struct Room(UnsafeCell<[u8; ROOM]>);

// SAFETY: used by the loader's one thread for each module.
unsafe impl Sync for Room {}

const ROOM: usize = 64 << 10;
static STACK: Room = Room(UnsafeCell::new([0; ROOM]));

global_asm!(
    // Before every constructor of this module that gives no priority, or one from 1 on.
    ".pushsection .init_array.00000,\"aw\",@init_array",
    ".p2align 3",
    ".quad {start}",
    ".popsection",
    // After every destructor of this module.
    ".pushsection .fini_array.00000,\"aw\",@fini_array",
    ".p2align 3",
    ".quad {end}",
    ".popsection",
    start = sym start,
    end = sym end,
);

/// The first constructor of this module.
#[unsafe(naked)]
extern "C" fn start() {
    core::arch::naked_asm!(
        "mov rdi, rsp",
        "lea rax, [rip + {stack}]",
        "lea rsp, [rax + {room}]",
        "push rdi",
        "push rdi",
        "call {started}",
        "mov rsp, qword ptr [rsp]",
        "ret",
        stack = sym STACK,
        room = const ROOM,
        started = sym started,
    )
}

/// `frame`: an address on the first thread's stack.
extern "C" fn started(frame: usize) {
    // SAFETY: the loader's thread, before anything else of this module runs.
    unsafe { case_functions::start() };
    let Some(settings) = Settings::read() else { return };
    let Some(module) = Module::this() else { return };
    let Some(auxiliary) = Auxiliary::read(frame) else { return };
    if auxiliary.secure {
        return;
    }
    if settings.is_replaced() {
        // A library leaves it to the program, which comes after it.
        if module.is_executable(&auxiliary) {
            // SAFETY: the loader's thread; the settings are C strings.
            unsafe { stand_in::give_place(&settings) };
        }
        return;
    }
    symbols::fill().store(settings.fill, Ordering::Relaxed);
    if !settings.trial.is_null() {
        // SAFETY: the loader's thread, before anything else of this module runs; the path is a C string.
        if let Ok(mode) = unsafe { member::start(settings.trial, settings.filled, &module, &auxiliary) } {
            symbols::mode().store(mode, Ordering::Release);
        }
        return;
    }
    if settings.mode == Mode::Record {
        // SAFETY: as above.
        if let Ok(mode) = unsafe { recording::start(&settings, &module, &auxiliary) } {
            symbols::mode().store(mode, Ordering::Release);
        }
        return;
    }
    // SAFETY: the loader's thread, before anything else of this module runs.
    unsafe {
        if describe_process(&settings, &auxiliary).is_some() {
            describe_module(&module, &auxiliary);
            if add_module(&module, FirstWords::AsTheyAre).is_ok() {
                if !settings.quiet {
                    symbols::at_fork(None, forked);
                }
                if settings.mode == Mode::Trace {
                    // No function goes on in a version that does not log.
                    module.gates.fill(1);
                    name_objects(&module, &auxiliary, settings.quiet);
                }
                if settings.quiet {
                    sys::be_quiet();
                }
                symbols::mode().store(settings.mode as u32, Ordering::Release);
            }
        }
    }
}

/// Runs when this module is unloaded, and when the process ends in order.
extern "C" fn end() {
    member::end();
    recording::end();
}

/// Has the module's hooks log values. Without the shared page addresses have no names in the log.
///
/// # Safety
/// The loader's thread, before the module's own code.
unsafe fn name_objects(module: &Module, auxiliary: &Auxiliary, quiet: bool) {
    // SAFETY: vouched for by the caller.
    if let Ok(process) = unsafe { process::enter() } {
        if process.pid.swap(sys::process_id(), Ordering::Relaxed) == 0 {
            process.take_stack(auxiliary);
        }
        process.add(module);
        stack::take(process);
        if !quiet {
            symbols::at_fork(None, member::forked);
        }
    }
    hooks::set_task(Task::Log);
}

/// Runs in the child of a fork, before the program's own code: a file of its own, words from zero.
extern "C" fn forked() {
    let Some(module) = Module::this() else { return };
    // SAFETY: this process has one thread, and it is here.
    unsafe {
        let process = &raw mut PROCESS;
        (*process).parent_pid = (*process).pid;
        (*process).pid = sys::process_id();
        (*process).start_ns = sys::now();
        seal_process();
        log::detach();
        if add_module(&module, FirstWords::Zero).is_err() {
            // Another user or root directory: the words stay the parent's, which is told. So its test has executed what this process does.
            AtomicU64::from_ptr(&raw mut (*symbols::state())[STATE_LOST]).fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Fills [`PROCESS`] and [`PATH`]; `None` if the path is too long.
///
/// # Safety
/// Nobody else uses the statics.
unsafe fn describe_process(settings: &Settings, auxiliary: &Auxiliary) -> Option<()> {
    let process = &raw mut PROCESS;
    // SAFETY: vouched for by the caller; the settings are C strings, `random` is the kernel's.
    unsafe {
        (*process).magic = MAGIC;
        (*process).version = FORMAT_VERSION;
        (*process).endian = ENDIAN_TAG;
        (*process).pointer_bytes = size_of::<usize>() as u32;
        (*process).mode = settings.mode as u32;
        (*process).pid = sys::process_id();
        (*process).parent_pid = sys::parent_id();
        (*process).start_ns = sys::now();
        memory::copy(auxiliary.random as usize as *const u8, (&raw mut (*process).image_id).cast(), 16);
        if !settings.test.is_null() {
            memory::copy_text(settings.test, (&raw mut (*process).test).cast(), TEXT_LEN);
        }
        read_executable((&raw mut (*process).executable).cast());
        let length = memory::copy_text(settings.out, (&raw mut PATH).cast(), PATH_LEN);
        if length.wrapping_add(NAME_LEN) > PATH_LEN {
            return None;
        }
        DIRECTORY_LEN.store(length, Ordering::Relaxed);
        seal_process();
    }
    LOG_BYTES.store(settings.log_bytes, Ordering::Relaxed);
    CLEARED.store(settings.cleared, Ordering::Relaxed);
    Some(())
}

/// # Safety
/// `to` is good for [`TEXT_LEN`] bytes, all zero.
unsafe fn read_executable(to: *mut u8) {
    // SAFETY: vouched for by the caller; the last byte stays zero.
    let _ = unsafe { sys::read_link(c"/proc/self/exe".as_ptr(), to, TEXT_LEN.wrapping_sub(1)) };
}

/// Brings what follows from the process's identity up to date: the header's check and the file's name.
///
/// # Safety
/// As [`name_file`].
unsafe fn seal_process() {
    const CHECKED: usize = offset_of!(ProcessHeader, valid_len);
    let process = &raw mut PROCESS;
    // SAFETY: the fields before `valid_len` have no padding; the rest is vouched for by the caller.
    unsafe {
        (*process).check = hash_bytes(HASH_START, slice::from_raw_parts(process.cast(), CHECKED));
        name_file();
    }
}

/// Writes the file's name behind the directory in [`PATH`]: pid in decimal, image id in hexadecimal.
///
/// # Safety
/// [`PROCESS`] has both; the directory leaves [`NAME_LEN`] bytes.
unsafe fn name_file() {
    // SAFETY: vouched for by the caller.
    unsafe {
        let mut writer = Writer((&raw mut PATH).cast::<u8>().add(DIRECTORY_LEN.load(Ordering::Relaxed)));
        writer.byte(b'/');
        writer.decimal(PROCESS.pid);
        writer.byte(b'-');
        let image_id = PROCESS.image_id;
        for byte in image_id {
            writer.hexadecimal(byte);
        }
        writer.text(FILE_SUFFIX);
        writer.byte(0);
    }
}

/// Fills [`SEGMENT`], but for the offset in the file.
///
/// # Safety
/// Nobody else uses the static; [`PROCESS`] is filled.
unsafe fn describe_module(module: &Module, auxiliary: &Auxiliary) {
    let segment = &raw mut SEGMENT;
    // SAFETY: vouched for by the caller; an ELF header that the linker names is in memory.
    unsafe {
        (*segment).magic = SEGMENT_MAGIC;
        (*segment).kind = SegmentKind::Module as u32;
        (*segment).n_units = module.n_units as u32;
        (*segment).data_len = module.data_len as u64;
        (*segment).load_address = module.data as u64;
        let path = (&raw mut (*segment).path).cast();
        if module.is_executable(auxiliary) {
            memory::copy((&raw const PROCESS.executable).cast(), path, TEXT_LEN);
        } else {
            let found = symbols::library_path(module.data);
            if !found.is_null() {
                memory::copy_text(found, path, TEXT_LEN);
            }
        }
    }
}

/// What the words are to be in the file.
#[derive(Clone, Copy, PartialEq)]
enum FirstWords {
    AsTheyAre,
    Zero,
}

/// Adds this module to the trace file and maps it.
///
/// # Safety
/// The statics are filled and nobody else uses them.
unsafe fn add_module(module: &Module, first_words: FirstWords) -> Result<(), Errno> {
    // SAFETY: vouched for by the caller.
    unsafe {
        let mut trace = TraceFile::open((&raw const PATH).cast::<c_char>())?;
        if CLEARED.load(Ordering::Relaxed) {
            trace.progress.status |= STATUS_CLEARED;
        }
        if first_words == FirstWords::Zero {
            trace.progress.status |= STATUS_FORKED;
        }
        if sys::is_in_valgrind() {
            trace.progress.status |= STATUS_VALGRIND;
        }
        let answer = append(&mut trace, module, first_words);
        match answer {
            Ok(()) if PROCESS.mode == Mode::Trace as u32 => {
                log::attach(&mut trace, module.data, LOG_BYTES.load(Ordering::Relaxed));
            }
            Ok(()) => {}
            Err(reason) => trace.refuse(reason),
        }
        trace.finish(&raw mut PROCESS);
        answer
    }
}

/// # Safety
/// As [`add_module`].
unsafe fn append(trace: &mut TraceFile, module: &Module, first_words: FirstWords) -> Result<(), Errno> {
    if !module.is_whole_pages() {
        return Err(EIO);
    }
    let head_len = head_len(module);
    let length = (head_len as u64).checked_add(module.data_len as u64).ok_or(EFBIG)?;
    let offset = trace.reserve(length)?;
    let data_offset = offset.wrapping_add(head_len as u64);
    // SAFETY: vouched for by the caller; the section is whole pages that hold only words, to which no references exist.
    let answer = unsafe {
        SEGMENT.data_offset = data_offset;
        write_segment(trace, module, offset, first_words)
            .and_then(|()| trace.file().map(module.data.cast(), module.data_len, data_offset))
    };
    match answer {
        Ok(_) => {
            let Progress { status, n_modules, log_offset, .. } = trace.progress;
            let (valid_len, n_modules) = (offset.wrapping_add(length), n_modules.wrapping_add(1));
            trace.progress = Progress { valid_len, status, n_modules, log_offset };
            Ok(())
        }
        Err(reason) => {
            trace.give_back();
            Err(reason)
        }
    }
}

/// Writes the segment's head, and its data if they are not zero already.
///
/// # Safety
/// As [`add_module`].
unsafe fn write_segment(
    trace: &mut TraceFile,
    module: &Module,
    offset: u64,
    first_words: FirstWords,
) -> Result<(), Errno> {
    const CHECKED: usize = offset_of!(SegmentHeader, check);
    let segment = &raw mut SEGMENT;
    // SAFETY: the static and the section are good for these lengths.
    unsafe {
        let check = hash_bytes(HASH_START, slice::from_raw_parts(segment.cast(), CHECKED));
        let entries_offset = offset.wrapping_add(size_of::<SegmentHeader>() as u64);
        (*segment).check = write_entries(trace, module, entries_offset, check)?;
        let file = trace.file();
        file.write_at(segment.cast(), size_of::<SegmentHeader>(), offset)?;
        if first_words == FirstWords::AsTheyAre && !module.is_zero() {
            file.write_at(module.data, module.data_len, (*segment).data_offset)?;
        }
    }
    Ok(())
}

/// Writes the units' entries at `offset`; their hash, continuing from `hash`.
///
/// # Safety
/// As [`add_module`].
unsafe fn write_entries(trace: &mut TraceFile, module: &Module, offset: u64, mut hash: u64) -> Result<u64, Errno> {
    const NONE: UnitEntry = UnitEntry { unit_hash: 0, offset: 0, n_counters: 0, n_values: 0 };
    let mut entries = [const { MaybeUninit::<UnitEntry>::uninit() }; 32];
    let mut done = 0usize;
    while done < module.n_units {
        let mut filled = 0usize;
        for (entry, index) in entries.iter_mut().zip(done..module.n_units) {
            // SAFETY: the index is less than `n_units`.
            let found = unsafe { module.entry(index) };
            if found.is_none() {
                trace.progress.status |= STATUS_UNRECORDED;
            }
            entry.write(found.unwrap_or(NONE));
            filled = filled.wrapping_add(1);
        }
        let length = filled.wrapping_mul(size_of::<UnitEntry>());
        let at = offset.wrapping_add(done.wrapping_mul(size_of::<UnitEntry>()) as u64);
        // SAFETY: `filled` entries were written; they have no padding.
        unsafe {
            hash = hash_bytes(hash, slice::from_raw_parts(entries.as_ptr().cast(), length));
            trace.file().write_at(entries.as_ptr().cast(), length, at)?;
        }
        done = done.wrapping_add(filled);
    }
    Ok(hash)
}
