//! Ticks in the mode `mutants`: a budget that the modules of a process hold in parts, each in a word that its code counts down itself.
//!
//! The words are pages of the trial file in the place of the modules' state pages, so what is left of the budget is known however a process
//! ends, and whatever it spent where.

use core::sync::atomic::{AtomicI64, Ordering};

use suspect_format::abi::PAGE;
use suspect_format::trial::{EXIT_CUT, FUEL_WORD, MOST_FUEL_PAGES, PROCESS_CUT, fuel_pages};

use crate::os::{symbols, sys};
use crate::process::{ModuleRange, Process, shared};
use crate::trial::file::{at, header, writable};

/// Counts a tick of this module.
#[inline(always)]
pub fn tick() {
    let fuel = symbols::fuel();
    // SAFETY: a word of the state page, which nobody else than this module's code and the refuelling of others uses.
    unsafe {
        *fuel = (*fuel).wrapping_sub(1);
        if *fuel < 0 {
            refuel();
        }
    }
}

/// This module has no fuel: it gets half of what the one has that has most. Without any the process ends here.
#[cold]
pub fn refuel() {
    let process = shared();
    let own = word(symbols::fuel());
    let holds = process.modules().any(|module| module.fuel.load(Ordering::Relaxed) == symbols::fuel());
    let left = |module: &&ModuleRange| {
        let fuel = module.fuel.load(Ordering::Relaxed);
        if fuel.is_null() { 0 } else { word(fuel).load(Ordering::Relaxed) }
    };
    while own.load(Ordering::Relaxed) < 0 {
        let donor = process.modules().max_by_key(left);
        let most = donor.as_ref().map_or(0, left);
        let (Some(donor), true) = (donor, most > 0) else {
            own.store(0, Ordering::Relaxed);
            process.set_flag(PROCESS_CUT);
            sys::exit(EXIT_CUT);
        };
        // What a module holds that is not in the file is not known in the end.
        let part = if holds { most.wrapping_sub(most / 2) } else { 1 };
        word(donor.fuel.load(Ordering::Relaxed)).fetch_sub(part, Ordering::Relaxed);
        own.fetch_add(part, Ordering::Relaxed);
    }
}

fn word(fuel: *mut i64) -> &'static AtomicI64 {
    // SAFETY: an aligned word of the state page of a module that is loaded.
    unsafe { AtomicI64::from_ptr(fuel) }
}

/// The word of the so many-th module in the pages of process number `process`; null if there is none.
///
/// # Safety
/// The file is mapped.
unsafe fn in_file(process: u32, number: u32) -> *mut i64 {
    // SAFETY: vouched for by the caller.
    let head = unsafe { &*header() };
    let modules = fuel_pages(head.n_modules);
    if process >= head.n_processes || number >= modules {
        return core::ptr::null_mut();
    }
    let page = u64::from(process).wrapping_mul(modules.into()).wrapping_add(number.into());
    at::<i64>(head.fuel.wrapping_add(page.wrapping_mul(PAGE as u64))).wrapping_add(FUEL_WORD)
}

/// The first page of process number `process` and the bytes of all its pages.
fn pages_of(process: u32) -> (u64, u64) {
    // SAFETY: called where the file is mapped.
    let head = unsafe { &*header() };
    let length = u64::from(fuel_pages(head.n_modules)).wrapping_mul(PAGE as u64);
    (head.fuel.wrapping_add(u64::from(process).wrapping_mul(length)), length)
}

/// Gives a module that starts a place to hold fuel; the first one of the process gets all.
///
/// # Safety
/// In a trial, before the module's own code.
pub unsafe fn attach(process: &Process, range: &ModuleRange) {
    // SAFETY: vouched for by the caller.
    unsafe {
        place(process, range, symbols::fuel());
        if process.modules().all(|other| core::ptr::eq(other, range) || other.fuel.load(Ordering::Relaxed).is_null()) {
            word(symbols::fuel()).store(all(process), Ordering::Relaxed);
        }
    }
}

fn all(process: &Process) -> i64 {
    process.budget.load(Ordering::Relaxed).min(i64::MAX as u64) as i64
}

/// Puts the process's page for a module in the place of its state page, or a private one.
///
/// # Safety
/// The state page that `fuel` is a word of is this module's or a loaded one's; no other thread runs.
unsafe fn place(process: &Process, range: &ModuleRange, fuel: *mut i64) {
    let number = process.number.load(Ordering::Relaxed);
    let page = fuel.wrapping_sub(FUEL_WORD);
    // SAFETY: vouched for by the caller; nothing that a state page holds matters in a trial.
    unsafe {
        let shared = in_file(number, process.position(range));
        let mapped = match shared.is_null() {
            true => sys::map_zeros(page.cast(), PAGE),
            false => sys::map_again(shared.wrapping_sub(FUEL_WORD).cast(), page.cast(), PAGE),
        };
        let holds = mapped.is_ok() && (!shared.is_null() || number >= (*header()).n_processes);
        range.fuel.store(if holds { fuel } else { core::ptr::null_mut() }, Ordering::Relaxed);
        if holds {
            word(fuel).store(0, Ordering::Relaxed);
        }
    }
}

/// A process that has just joined the trial may write its pages.
///
/// # Safety
/// The file is mapped.
pub unsafe fn join(process: &Process) -> Result<(), sys::Errno> {
    let number = process.number.load(Ordering::Relaxed);
    // SAFETY: vouched for by the caller.
    if number >= unsafe { (*header()).n_processes } {
        return Ok(());
    }
    let (start, length) = pages_of(number);
    writable(start, length)
}

/// A process that the program has forked has a whole budget of its own.
///
/// # Safety
/// This process has one thread, and it is here; it has joined the trial.
pub unsafe fn forked(process: &Process) {
    let mut all = all(process);
    for range in process.modules() {
        let fuel = range.fuel.load(Ordering::Relaxed);
        if !fuel.is_null() {
            // SAFETY: vouched for by the caller.
            unsafe { place(process, range, fuel) };
            if !range.fuel.load(Ordering::Relaxed).is_null() {
                word(fuel).store(core::mem::take(&mut all), Ordering::Relaxed);
            }
        }
    }
}

/// This module is unloaded: another one gets its fuel.
pub fn detach(process: &Process, range: &ModuleRange) {
    let fuel = range.fuel.swap(core::ptr::null_mut(), Ordering::Relaxed);
    let heir = process.modules().find(|other| !other.fuel.load(Ordering::Relaxed).is_null());
    match (fuel.is_null(), heir) {
        (false, Some(heir)) => {
            let left = word(fuel).swap(0, Ordering::Relaxed);
            word(heir.fuel.load(Ordering::Relaxed)).fetch_add(left, Ordering::Relaxed);
        }
        // The last one: the process is about to end.
        _ => range.fuel.store(fuel, Ordering::Relaxed),
    }
}

/// What each module of a plan's process had before a fork, which then uses it up.
static BEFORE: [AtomicI64; MOST_FUEL_PAGES as usize] = [const { AtomicI64::new(0) }; MOST_FUEL_PAGES as usize];

/// Notes what this process has.
///
/// # Safety
/// The process has joined the trial.
pub unsafe fn note(process: &Process) {
    // SAFETY: vouched for by the caller.
    unsafe { each(process, |before, fuel| before.store(*fuel, Ordering::Relaxed)) }
}

/// Makes what was noted what this process has; the ticks counted so far when it is called.
///
/// # Safety
/// As [`note`], which has been called.
pub unsafe fn put_back(process: &Process) -> u64 {
    let budget = process.budget.load(Ordering::Relaxed);
    let mut left = 0i64;
    // SAFETY: vouched for by the caller.
    unsafe {
        each(process, |before, fuel| {
            left = left.saturating_add(*fuel);
            *fuel = before.load(Ordering::Relaxed);
        });
    }
    budget.min(i64::MAX as u64).saturating_sub(left.max(0) as u64)
}

/// # Safety
/// As [`note`].
unsafe fn each(process: &Process, mut look: impl FnMut(&AtomicI64, *mut i64)) {
    let number = process.number.load(Ordering::Relaxed);
    for (before, position) in BEFORE.iter().zip(0u32..) {
        // SAFETY: vouched for by the caller.
        let fuel = unsafe { in_file(number, position) };
        if fuel.is_null() {
            break;
        }
        look(before, fuel);
    }
}
