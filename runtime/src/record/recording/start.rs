//! The start of a recording: its file, its first page.

use core::ffi::c_char;
use core::sync::atomic::Ordering;

use suspect_format::ENDIAN_TAG;
use suspect_format::abi::{Mode, PAGE};
use suspect_format::record::{FILE_SUFFIX, MAGIC, STREAM_ADDRESS, VERSION};
use suspect_format::trace::TEXT_LEN;

use super::forked::{before_fork, forked};
use super::{BYTES, MARK, PATH_LEN, RECORDING_ADDRESS, RECORDS, REPLAYS, Recording, live, shared};
use crate::os::memory::{self, Writer};
use crate::os::module::Module;
use crate::os::settings::{Auxiliary, Settings};
use crate::os::sys::{self, EEXIST, EIO, Errno};
use crate::os::{clock, symbols};
use crate::record::image;

/// Longest name: separator, pid, `-`, image id, suffix, zero.
const NAME_LEN: usize = 1 + 10 + 1 + 32 + FILE_SUFFIX.len() + 1;

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
    pub(super) unsafe fn name_file(&mut self, image_id: *const [u8; 16]) {
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
