//! Nodes and operations in a trial: what hooks make of the values there, and how these compare with the oracle's.

use core::ffi::c_char;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering};

use suspect_format::trial::{CHANGED, EXIT_CUT, PROCESS_CUT, Role};

use crate::count::{object, text};
use crate::os::module::Module;
use crate::os::sys;
use crate::plan::fork;
use crate::process::{PENDING_ADDRESS, Process, shared};
use crate::trial::change::{self, Taken};
use crate::trial::file::at;
use crate::trial::mutants;

/// This module's words: where they begin, and which node each is.
static DATA: AtomicUsize = AtomicUsize::new(0);
static NODES: AtomicPtr<u32> = AtomicPtr::new(core::ptr::null_mut());
/// This module's operations: the first byte, how many, the site of the first.
static OPERATIONS: AtomicUsize = AtomicUsize::new(0);
static N_OPERATIONS: AtomicU32 = AtomicU32::new(0);
static FIRST_OPERATION: AtomicU32 = AtomicU32::new(0);

/// Notes this module's words; `nodes` says which node each is, null if the oracle does not have the module.
pub fn note_nodes(module: &Module, nodes: *mut u32) {
    DATA.store(module.data as usize, Ordering::Relaxed);
    NODES.store(nodes, Ordering::Relaxed);
}

/// Notes this module's operations, the first of which is site `first`.
pub fn note_operations(module: &Module, first: u32) {
    OPERATIONS.store(module.operations.start as usize, Ordering::Relaxed);
    N_OPERATIONS.store(module.operations.length as u32, Ordering::Relaxed);
    FIRST_OPERATION.store(first, Ordering::Relaxed);
}

/// Where this module's words begin.
pub fn data() -> usize {
    DATA.load(Ordering::Relaxed)
}

/// A hook or tick is executed: the process ends here when its budget is used up.
#[inline(always)]
pub fn spend() {
    let process = shared();
    // SAFETY: set before the first hook, and never to anything else than a word that is mapped.
    let used = unsafe { &*process.used.load(Ordering::Relaxed) };
    let before = used.load(Ordering::Relaxed);
    if before >= process.budget.load(Ordering::Relaxed) {
        cut(process);
    }
    used.store(before.wrapping_add(1), Ordering::Relaxed);
}

#[cold]
fn cut(process: &Process) -> ! {
    process.set_flag(PROCESS_CUT);
    sys::exit(EXIT_CUT)
}

/// The node of a value word; `None` for those that the oracle did not cover.
///
/// # Safety
/// `slot` is a word of this module's data.
#[inline(always)]
unsafe fn node_of(slot: *mut u64) -> Option<u32> {
    let nodes = NODES.load(Ordering::Relaxed);
    if nodes.is_null() {
        return None;
    }
    let word = (slot as usize).wrapping_sub(DATA.load(Ordering::Relaxed)) / 8;
    // SAFETY: the table has an entry for each word of the module.
    unsafe { *nodes.wrapping_add(word) }.checked_sub(1)
}

/// See [`crate::hooks::__suspect_node`].
///
/// # Safety
/// `slot` is a word of this module's data.
#[inline(always)]
pub unsafe fn word(slot: *mut u64, value: u64) -> u64 {
    spend();
    // SAFETY: vouched for by the caller; nodes in the table are less than the header's number.
    unsafe {
        let Some(node) = node_of(slot) else { return value };
        if is_pending(node) {
            return overridden_word(node, value);
        }
        compare(node, value);
        value
    }
}

/// See [`crate::hooks::__suspect_pointer`].
///
/// # Safety
/// As [`word`].
pub unsafe fn pointer(slot: *mut u64, address: u64) -> u64 {
    spend();
    // SAFETY: as in `word`.
    unsafe {
        let Some(node) = node_of(slot) else { return address };
        let address = match is_pending(node) {
            true => overridden_address(node, address),
            false => address,
        };
        compare(node, object::name(address as usize));
        address
    }
}

/// See [`crate::hooks::__suspect_text`].
///
/// # Safety
/// As [`word`].
pub unsafe fn text(slot: *mut u64, address: *mut c_char) -> *mut c_char {
    spend();
    // SAFETY: as in `word`.
    unsafe {
        let Some(node) = node_of(slot) else { return address };
        let address = match is_pending(node) {
            true => overridden_text(node, address as usize) as *mut c_char,
            false => address,
        };
        compare(node, text::value(address as usize));
        address
    }
}

/// As [`word`] and [`pointer()`], in the mode `mutants`.
///
/// # Safety
/// As [`word`].
pub unsafe fn pending_word(slot: *mut u64, value: u64) -> u64 {
    // SAFETY: as in `word`.
    unsafe {
        match node_of(slot) {
            Some(node) if is_pending(node) => overridden(node, Taken::Word(value)).unwrap_or(value),
            _ => value,
        }
    }
}

/// As [`text()`], in the mode `mutants`.
///
/// # Safety
/// As [`word`].
pub unsafe fn pending_text(slot: *mut u64, address: *mut c_char) -> *mut c_char {
    // SAFETY: as in `word`.
    unsafe {
        match node_of(slot) {
            Some(node) if is_pending(node) => overridden_text(node, address as usize) as *mut c_char,
            _ => address,
        }
    }
}

/// An operation whose byte is set: what the hook answers, `None` where the machine traps.
///
/// # Safety
/// `operation` is a byte of this module's operations.
pub unsafe fn operation(operation: *mut u8, taken: Taken) -> Option<u64> {
    let index = (operation as usize).wrapping_sub(OPERATIONS.load(Ordering::Relaxed));
    if index >= N_OPERATIONS.load(Ordering::Relaxed) as usize {
        return taken.plain();
    }
    let site = FIRST_OPERATION.load(Ordering::Relaxed).wrapping_add(index as u32);
    // SAFETY: a site of the file, which has overrides, or its byte would not be set.
    unsafe {
        let (first, _) = mutants::overrides_of(site);
        overridden(site, taken.divided(&*mutants::override_at(first)))
    }
}

/// The rest of [`word`] for a node that has overrides: a call of its own, so that others save no registers for it.
///
/// # Safety
/// As [`overridden`].
#[cold]
unsafe fn overridden_word(node: u32, value: u64) -> u64 {
    // SAFETY: vouched for by the caller.
    unsafe {
        let value = overridden(node, Taken::Word(value)).unwrap_or(value);
        compare(node, value);
        value
    }
}

/// # Safety
/// As [`overridden`].
#[cold]
unsafe fn overridden_address(node: u32, address: u64) -> u64 {
    // SAFETY: vouched for by the caller.
    unsafe { overridden(node, Taken::Word(address)) }.unwrap_or(address)
}

/// # Safety
/// As [`overridden`].
#[cold]
unsafe fn overridden_text(node: u32, address: usize) -> usize {
    // SAFETY: vouched for by the caller.
    unsafe { overridden(node, Taken::Text(address)) }.map_or(address, |new| new as usize)
}

/// # Safety
/// In a hook of a trial; `site` is less than the header's number of sites.
unsafe fn overridden(site: u32, taken: Taken) -> Option<u64> {
    let process = shared();
    // SAFETY: vouched for by the caller.
    unsafe {
        if process.role.load(Ordering::Relaxed) == Role::Plan as u32 {
            return fork::reached(site, mutants::executed(site), taken);
        }
        let mutant = process.mutant.load(Ordering::Relaxed);
        // The page of counts is not copied for a child that does not count.
        let execution = if mutants::counts(mutant) { mutants::executed(site) } else { 0 };
        let at = mutants::At { mutant, site, execution };
        if change::would_change(&at, taken) { change::apply(&at, taken) } else { taken.plain() }
    }
}

/// Compares the value that `node` takes with the oracle's.
///
/// # Safety
/// As [`overridden`].
#[inline(always)]
unsafe fn compare(node: u32, value: u64) {
    let process = shared();
    // SAFETY: both tables have an entry for each node, the stream as many values as it says.
    unsafe {
        let streams = process.streams.load(Ordering::Relaxed);
        if streams.is_null() {
            return;
        }
        let state = &*process.states.load(Ordering::Relaxed).wrapping_add(node as usize);
        let stream = streams.wrapping_add(node as usize);
        let before = state.load(Ordering::Relaxed);
        let index = before & !CHANGED;
        let same = index < (*stream).length && *at::<u64>((*stream).values).wrapping_add(index as usize) == value;
        let changed = if same { 0 } else { CHANGED };
        state.store(before.wrapping_add(1) | changed, Ordering::Relaxed);
    }
}

/// # Safety
/// In a hook of a trial; `node` is less than the header's number of nodes.
#[inline(always)]
unsafe fn is_pending(node: u32) -> bool {
    // SAFETY: there is a byte for each node.
    unsafe { *(PENDING_ADDRESS as *const u8).wrapping_add(node as usize) != 0 }
}
