//! What memory holds before the program does anything: arguments, environment, and the data of modules.

use suspect_format::abi::PAGE;
use suspect_format::record::Mirror;

use crate::os::module::{Module, Segment};
use crate::os::settings::Auxiliary;
use crate::os::{memory, symbols};
use crate::process::STACK_BYTES;
use crate::record::recording::{Recording, live};

/// Zeros are left out in pieces of this size.
const PIECE: u64 = 512;
/// The first bytes of a segment that have no counterpart in the file are looked at: the loader copies variables of other modules there.
const COPIED: u64 = 64 << 10;

/// Records arguments, environment and the kernel's texts, as they are on the first thread's stack.
///
/// # Safety
/// Before `main`, on the first thread.
pub unsafe fn add_start(recording: &mut Recording, auxiliary: &Auxiliary) {
    let environment = symbols::environment();
    if environment.is_null() {
        return;
    }
    // SAFETY: vouched for by the caller; the array of arguments lies below that of the environment, and a null pointer and their number in
    // between and before. The executable's name is a C string above all others.
    unsafe {
        let array = *environment as *const u64;
        if (array as usize).wrapping_sub(auxiliary.frame) >= STACK_BYTES || auxiliary.name <= array as u64 {
            return;
        }
        let Some(start) = arguments_of(array) else { return };
        let end = auxiliary.name.wrapping_add(memory::text(auxiliary.name as *const _).len() as u64).wrapping_add(1);
        (*live()).environment = array as u64;
        (*live()).stack_end = end;
        let Some(mut window) = recording.window() else { return };
        Mirror::put_memory(&mut window, 1);
        recording.mirror.put_range(&mut window, start, end.wrapping_sub(start));
        if let Some(window) = recording.put_bytes(window, start, end.wrapping_sub(start)) {
            recording.commit(window);
        }
    }
}

/// Where the number of arguments is, which precedes them and their final null.
///
/// # Safety
/// `environment` is the array that the kernel made.
unsafe fn arguments_of(environment: *const u64) -> Option<u64> {
    const MOST: u64 = 1 << 20;
    let mut at = environment.wrapping_sub(2);
    let mut count = 0u64;
    while count < MOST {
        // SAFETY: vouched for by the caller; addresses are no small numbers.
        if unsafe { *at } == count {
            return Some(at as u64);
        }
        at = at.wrapping_sub(1);
        count = count.wrapping_add(1);
    }
    None
}

/// Records that `module` is loaded, and what its data are.
///
/// # Safety
/// Before the module's own code runs.
pub unsafe fn add_module(recording: &mut Recording, module: &Module, auxiliary: &Auxiliary) {
    let path = path_of(module, auxiliary);
    let header = module.range().map_or(0, |(start, _)| start as u64);
    let mut n_ranges = 0u64;
    pieces(|_, _| n_ranges = n_ranges.wrapping_add(1));
    let Some(mut window) = recording.window() else { return };
    // A path longer than that cannot be found anyway.
    let path = path.get(..path.len().min(200)).unwrap_or(&[]);
    Mirror::put_module(&mut window, module.identity(), header, path.iter().copied(), n_ranges);
    // SAFETY: no bytes.
    let mut written = unsafe { recording.put_bytes(window, 0, 0) };
    pieces(|address, length| {
        if let Some(mut window) = written {
            recording.mirror.put_range(&mut window, address, length);
            // SAFETY: the module's data are in memory.
            written = unsafe { recording.put_bytes(window, address, length) };
        }
    });
    if let Some(window) = written {
        recording.commit(window);
        // SAFETY: the first page is mapped.
        unsafe { (*live()).n_modules = (*live()).n_modules.saturating_add(1) };
    }
}

/// Records which shared libraries are in memory, those that are not recorded too: what points into one is no number of the program's.
pub fn add_libraries(recording: &mut Recording) {
    /// Bytes of a file's name; a longer one is cut.
    const LONGEST: usize = 100;
    symbols::libraries(&mut |address, length, path| {
        // SAFETY: the dynamic linker's texts are C strings, and last as long as the library.
        let path = unsafe { memory::text(path) };
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(&[]);
        let name = name.get(..name.len().min(LONGEST)).unwrap_or(&[]);
        // The program itself has no name.
        if let (false, Some(mut window)) = (name.is_empty(), recording.window()) {
            Mirror::put_library(&mut window, address, length, name.iter().copied());
            recording.commit(window);
        }
    });
}

/// The path of the file that the module is.
fn path_of(module: &Module, auxiliary: &Auxiliary) -> &'static [u8] {
    let path = match module.is_executable(auxiliary) {
        // SAFETY: the first page is mapped, and its texts end with a zero.
        true => unsafe { (&raw const (*live()).executable).cast() },
        false => symbols::library_path(module.data),
    };
    // SAFETY: the dynamic linker's texts are C strings, and last as long as the module.
    if path.is_null() { &[] } else { unsafe { memory::text(path) } }
}

/// The parts of this module's writable segments that are not zero, each at most once.
fn pieces(mut take: impl FnMut(u64, u64)) {
    Module::segments(|Segment { address, in_file, in_memory, is_writable, .. }| {
        if !is_writable {
            return;
        }
        let end = address.wrapping_add(in_file.wrapping_add(COPIED).min(in_memory));
        let mut open: Option<(u64, u64)> = None;
        let mut at = address;
        while at < end {
            let piece_end = (at | (PIECE - 1)).wrapping_add(1).min(end);
            if is_zero(at, piece_end) {
                if let Some((from, to)) = open.take() {
                    take(from, to.wrapping_sub(from));
                }
            } else {
                open = Some((open.map_or(at, |(from, _)| from), piece_end));
            }
            at = piece_end;
        }
        if let Some((from, to)) = open {
            take(from, to.wrapping_sub(from));
        }
    });
}

fn is_zero(mut at: u64, end: u64) -> bool {
    while at < end {
        // SAFETY: in a segment of this module.
        if unsafe { *(at as *const u8) } != 0 {
            return false;
        }
        at = at.wrapping_add(1);
    }
    true
}

const _: () = assert!(PIECE <= PAGE as u64);
