//! The trial file as it is mapped: its header, its tables, and the look at them before.

use core::ffi::c_char;
use core::mem::MaybeUninit;

use suspect_format::abi::{Mode, PAGE};
use suspect_format::trial::{
    EXIT_CUT, MAGIC, Override, Refusal, Role, TRIAL_ADDRESS, TrialHeader, TrialModule, TrialProcess, TrialResult,
    fuel_pages,
};
use suspect_format::{ENDIAN_TAG, trial};

use crate::os::module::{Module, page_up};
use crate::os::sys::{self, EIO, Errno, File, O_CLOEXEC, O_RDWR};

/// The header of the mapped file.
///
/// Only to be used where the file is mapped: in hooks of a trial.
pub fn header() -> *mut TrialHeader {
    TRIAL_ADDRESS as *mut TrialHeader
}

/// Where an offset in the file is mapped.
pub fn at<T>(offset: u64) -> *mut T {
    TRIAL_ADDRESS.wrapping_add(offset as usize) as *mut T
}

/// Whether the trial is in the mode `mutants`.
pub fn runs_mutants() -> bool {
    // SAFETY: in a trial, whose file is mapped.
    unsafe { (*header()).mode == Mode::Mutants as u32 }
}

/// Maps the file after a look at its header; only the pages that processes write can be written.
///
/// # Safety
/// `path` ends with a zero byte.
pub unsafe fn map(path: *const c_char) -> Result<(), Errno> {
    let mut head = MaybeUninit::<TrialHeader>::uninit();
    // SAFETY: vouched for by the caller; the buffer is as long as said.
    let file = unsafe { File::open(path, O_RDWR | O_CLOEXEC) }?;
    // SAFETY: the buffer is as long as said.
    let length = unsafe { file.read_at(head.as_mut_ptr().cast(), size_of::<TrialHeader>(), 0) }?;
    // SAFETY: any bytes are a header, if there were enough of them.
    let head = unsafe { head.assume_init_ref() };
    let known = length == size_of::<TrialHeader>()
        && head.magic == MAGIC
        && head.version == trial::VERSION
        && head.endian == ENDIAN_TAG;
    if !known || head.length != file.length()? || !fits(head) {
        return Err(EIO);
    }
    file.map_at(TRIAL_ADDRESS, head.length as usize)?;
    let processes = u64::from(head.n_processes).wrapping_add(1).wrapping_mul(size_of::<TrialProcess>() as u64);
    writable(0, PAGE as u64)?;
    writable(head.processes, processes)
}

/// Whether the tables lie in the file.
fn fits(head: &TrialHeader) -> bool {
    let inside = |offset: u64, count: u32, size: usize| {
        let length = u64::from(count).checked_mul(size as u64);
        let end = length.and_then(|length| offset.checked_add(length));
        end.is_some_and(|end| end <= head.length) && offset.is_multiple_of(4)
    };
    inside(head.modules, head.n_modules, size_of::<TrialModule>())
        && head.n_processes != u32::MAX
        && inside(head.processes, head.n_processes.wrapping_add(1), size_of::<TrialProcess>())
        && inside(head.overrides, head.n_overrides, size_of::<Override>())
        && head.n_sites != u32::MAX
        && head.n_nodes <= head.n_sites
        && inside(head.first_of_site, head.n_sites.wrapping_add(1), size_of::<u32>())
        && head.n_mutants != u32::MAX
        && inside(head.first_of_mutant, head.n_mutants.wrapping_add(1), size_of::<u32>())
        && inside(head.members, head.n_overrides, size_of::<u32>())
        && head.expected.checked_add(head.expected_length).is_some_and(|end| end <= head.length)
        && (head.mode == Mode::Trace as u32 || (head.mode == Mode::Mutants as u32 && fuel_fits(head)))
        && (head.role == Role::Single as u32 || head.role == Role::Plan as u32)
}

/// Whether the pages of fuel lie in the file.
fn fuel_fits(head: &TrialHeader) -> bool {
    let pages = u64::from(fuel_pages(head.n_modules)).checked_mul(head.n_processes.into());
    let length = pages.and_then(|pages| pages.checked_mul(PAGE as u64));
    let end = length.and_then(|length| head.fuel.checked_add(length));
    end.is_some_and(|end| end <= head.length) && head.fuel.is_multiple_of(PAGE as u64)
}

/// Makes `length` bytes from `offset` of the mapped file writable, and what else is on their pages.
pub fn writable(offset: u64, length: u64) -> Result<(), Errno> {
    let start = TRIAL_ADDRESS.wrapping_add(offset as usize & !(PAGE - 1));
    let end = page_up(TRIAL_ADDRESS.wrapping_add(offset as usize).wrapping_add(length as usize));
    sys::allow_writing(start, end.wrapping_sub(start))
}

/// Gates of all modules.
///
/// # Safety
/// The file is mapped.
pub unsafe fn gates_in_file(head: &TrialHeader) -> u32 {
    let (mut number, mut most) = (0u32, 0u32);
    while number < head.n_modules {
        // SAFETY: vouched for by the caller.
        let entry = unsafe { &*entry_of(number) };
        most = most.max(entry.first_gate.saturating_add(entry.n_gates));
        number = number.wrapping_add(1);
    }
    most.min(MOST_GATES)
}

/// A table of gates ends before the next thing in memory.
const MOST_GATES: u32 = 1 << 30;

/// Which of the oracle's modules `module` is.
///
/// # Safety
/// The file is mapped.
pub unsafe fn number_of(module: &Module) -> Option<u32> {
    let identity = module.identity();
    let is = |entry: &TrialModule| {
        entry.identity == identity
            && entry.n_words == (module.data_len / 8) as u64
            && (module.gates.length == 0 || module.gates.length == entry.n_gates as usize)
            && (module.operations.length == 0 || module.operations.length == entry.n_operations as usize)
    };
    // SAFETY: the tables were looked at before they were mapped.
    unsafe {
        let n_modules = (*header()).n_modules;
        (0..n_modules).find(|number| is(&*entry_of(*number)))
    }
}

/// The entry of one of the oracle's modules.
///
/// # Safety
/// The file is mapped; `number` is less than the header's number of modules.
pub unsafe fn entry_of(number: u32) -> *const TrialModule {
    // SAFETY: vouched for by the caller.
    unsafe { at::<TrialModule>((*header()).modules).wrapping_add(number as usize) }
}

/// The entry of all processes that the oracle does not have; of a plan, of its children.
///
/// # Safety
/// The trial file is mapped.
pub unsafe fn other_process() -> *mut TrialProcess {
    // SAFETY: vouched for by the caller; there is one entry more than processes.
    unsafe {
        let header = header();
        at::<TrialProcess>((*header).processes).wrapping_add((*header).n_processes as usize)
    }
}

/// The result of mutant number `index`.
///
/// # Safety
/// The trial file is mapped; `index` is less than the header's number of mutants.
pub unsafe fn result(index: u32) -> *mut TrialResult {
    // SAFETY: vouched for by the caller.
    unsafe {
        let header = header();
        at((*header).results.wrapping_add(u64::from(index).wrapping_mul((*header).result_stride)))
    }
}

/// Notes why there can be no plan and ends this process.
pub fn give_up(reason: Refusal, number: u32) -> ! {
    let header = header();
    // SAFETY: the header is mapped and can be written.
    unsafe {
        (*header).refused_call = number;
        (*header).refusal = reason as u32;
    }
    sys::exit(EXIT_CUT)
}
