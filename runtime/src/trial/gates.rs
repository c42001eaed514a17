//! Which functions run in their `trace` version in the mode `mutants`, and which operations ask the runtime.

use core::sync::atomic::Ordering;

use suspect_format::abi::GATE_ZERO;
use suspect_format::trial::Override;

use crate::os::module::Bytes;
use crate::process::{GATES_ADDRESS, ModuleRange, PENDING_ADDRESS, Process, shared};
use crate::trial::file::header;
use crate::trial::mutants;

/// Where a gate's number of overrides is that are not done.
fn count(gate: u32) -> *mut u32 {
    (GATES_ADDRESS as *mut u32).wrapping_add(gate as usize)
}

/// Opens and closes gates?
fn counts(process: &Process) -> bool {
    process.n_gates.load(Ordering::Relaxed) != 0
}

/// Counts an override of this process, before any module starts.
///
/// # Safety
/// The tables are mapped, for as many gates as the process says.
pub unsafe fn add(process: &Process, one: &Override) {
    if one.gate < process.n_gates.load(Ordering::Relaxed) {
        // SAFETY: vouched for by the caller.
        unsafe { *count(one.gate) = (*count(one.gate)).wrapping_add(1) }
    }
}

/// Sets the bytes of a module that starts.
///
/// # Safety
/// In a trial; the range says which gates and operations the module has.
pub unsafe fn attach(process: &Process, range: &ModuleRange, gates: Bytes) {
    if !counts(process) {
        gates.fill(1);
    }
    let first = range.first_gate.load(Ordering::Relaxed);
    let mut index = 0u32;
    // SAFETY: vouched for by the caller; both tables have as many entries.
    unsafe {
        while counts(process) && index < range.n_gates.load(Ordering::Relaxed) {
            let open = *count(first.wrapping_add(index)) != 0;
            gates.start.wrapping_add(index as usize).write(u8::from(open));
            index = index.wrapping_add(1);
        }
        let head = &*header();
        let first = range.first_operation.load(Ordering::Relaxed);
        let end = first.wrapping_add(range.n_operations.load(Ordering::Relaxed));
        let (mut index, _) = mutants::overrides_of(first.min(head.n_sites.wrapping_sub(1)));
        while index < head.n_overrides {
            let one = &*mutants::override_at(index);
            if one.site >= end {
                break;
            }
            if mutants::is_ours(process, one) {
                set_pending(one.site, true);
            }
            index = index.wrapping_add(1);
        }
    }
}

/// Has locals begin as zero in functions of a module whose gates are before the first of these or not before the last.
///
/// # Safety
/// The range says which gates the module has, and all are open.
pub unsafe fn zero_others(range: &ModuleRange, filled: (u64, u64)) {
    let (start, first) = (range.gates.load(Ordering::Relaxed), range.first_gate.load(Ordering::Relaxed));
    let mut index = 0u32;
    while index < range.n_gates.load(Ordering::Relaxed) {
        let number = u64::from(first.wrapping_add(index));
        if number < filled.0 || number >= filled.1 {
            // SAFETY: vouched for by the caller.
            unsafe { start.wrapping_add(index as usize).write(GATE_ZERO) }
        }
        index = index.wrapping_add(1);
    }
}

/// A mutant is done: gates of which it was the last close.
///
/// # Safety
/// In a plan.
pub unsafe fn done(mutant: u32) {
    let process = shared();
    // SAFETY: vouched for by the caller.
    unsafe {
        for one in mutants::members(mutant) {
            if one.gate < process.n_gates.load(Ordering::Relaxed) {
                let left = (*count(one.gate)).saturating_sub(1);
                *count(one.gate) = left;
                if left == 0 {
                    set(process, one.gate, 0);
                }
            }
        }
    }
}

/// In a child of a plan: only what the mutant needs is open, and asks.
///
/// # Safety
/// In a plan's child.
pub unsafe fn keep_only(mutant: u32) {
    let process = shared();
    if counts(process) {
        for range in process.modules() {
            let (start, length) = (range.gates.load(Ordering::Relaxed), range.n_gates.load(Ordering::Relaxed));
            Bytes { start, length: length as usize }.fill(0);
        }
    }
    // SAFETY: vouched for by the caller.
    unsafe {
        for one in mutants::members(mutant) {
            mutants::neighbours(one, |other| set_pending(other.site, false));
        }
        for one in mutants::members(mutant) {
            set_pending(one.site, true);
            set(process, one.gate, 1);
        }
    }
}

/// # Safety
/// In a trial.
unsafe fn set(process: &Process, gate: u32, value: u8) {
    if !counts(process) {
        return;
    }
    for range in process.modules() {
        let index = gate.wrapping_sub(range.first_gate.load(Ordering::Relaxed));
        if index < range.n_gates.load(Ordering::Relaxed) {
            // SAFETY: a gate of a module that is loaded.
            unsafe { range.gates.load(Ordering::Relaxed).wrapping_add(index as usize).write(value) }
        }
    }
}

/// Says whether overrides of a site are to be looked at when it is reached.
///
/// # Safety
/// The trial has begun; `site` is less than the header's number of sites.
pub unsafe fn set_pending(site: u32, pending: bool) {
    // SAFETY: there is a byte for each node; the others are of modules that are loaded.
    unsafe {
        if site < (*header()).n_nodes {
            *(PENDING_ADDRESS as *mut u8).wrapping_add(site as usize) = u8::from(pending);
            return;
        }
        for range in shared().modules() {
            let index = site.wrapping_sub(range.first_operation.load(Ordering::Relaxed));
            if index < range.n_operations.load(Ordering::Relaxed) {
                range.operations.load(Ordering::Relaxed).wrapping_add(index as usize).write(u8::from(pending));
            }
        }
    }
}

/// The module is unloaded: nobody writes its bytes any more.
pub fn detach(range: &ModuleRange) {
    range.n_gates.store(0, Ordering::Relaxed);
    range.n_operations.store(0, Ordering::Relaxed);
}
