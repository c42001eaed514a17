//! A process's part in a trial: which process of it this is, and which of the oracle's modules it has.

use core::ffi::c_char;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use suspect_format::abi::Mode;
use suspect_format::trial::{NO_MUTANT, PROCESS_STARTED, Refusal, Role, TrialProcess};

use crate::hooks::{self, Task};
use crate::os::module::{Module, page_up};
use crate::os::settings::Auxiliary;
use crate::os::symbols;
use crate::os::sys::{self, Errno};
use crate::plan::fork;
use crate::process::{self, COUNTS_ADDRESS, GATES_ADDRESS, ModuleRange, PENDING_ADDRESS, Process, shared};
use crate::trial::file::{at, entry_of, gates_in_file, give_up, header, map, number_of, writable};
use crate::trial::{fuel, gates, mutants, sites, stack};

/// Takes part in the trial of the file `path`; the mode that functions are to run in. `filled`: the gates of the functions whose locals begin as said, the
/// first and one past the last.
///
/// # Safety
/// `path` ends with a zero byte; no other code of this module has run.
pub unsafe fn start(
    path: *const c_char,
    filled: (u64, u64),
    module: &Module,
    auxiliary: &Auxiliary,
) -> Result<u32, Errno> {
    // SAFETY: vouched for by the caller; the file is mapped by the first module.
    unsafe {
        let process = process::enter()?;
        if process.role.load(Ordering::Relaxed) == 0 {
            map(path)?;
            // Nobody else goes by the page yet.
            begin(process, auxiliary)?;
        }
        let mode = (*header()).mode;
        if !module.is_in_order() || (mode == Mode::Mutants as u32 && !module.is_whole_pages()) {
            give_up(Refusal::Layout, 0);
        }
        stack::take(process);
        let range = process.add(module);
        let known = number_of(module);
        sites::note_nodes(module, known.map_or(core::ptr::null_mut(), |number| at((*entry_of(number)).nodes)));
        match (range, known) {
            (Some(range), Some(number)) => {
                attach(range, number, module);
                if symbols::fill().load(Ordering::Relaxed) != 0 {
                    gates::zero_others(range, filled);
                }
            }
            _ => gates_of_unknown(process, module),
        }
        if mode == Mode::Mutants as u32
            && let Some(range) = range
        {
            fuel::attach(process, range);
        }
        symbols::at_fork(None, forked);
        hooks::set_task(if mode == Mode::Mutants as u32 { Task::Mutants } else { Task::Trial });
        Ok(mode)
    }
}

/// Notes which bytes a module of the oracle has, and sets them.
///
/// # Safety
/// The file is mapped; `number` is less than the header's number of modules.
unsafe fn attach(range: &ModuleRange, number: u32, module: &Module) {
    // SAFETY: vouched for by the caller.
    let entry = unsafe { &*entry_of(number) };
    range.first_gate.store(entry.first_gate, Ordering::Relaxed);
    range.first_operation.store(entry.first_operation, Ordering::Relaxed);
    range.gates.store(module.gates.start, Ordering::Relaxed);
    range.operations.store(module.operations.start, Ordering::Relaxed);
    range.n_gates.store(module.gates.length as u32, Ordering::Relaxed);
    range.n_operations.store(module.operations.length as u32, Ordering::Relaxed);
    sites::note_operations(module, entry.first_operation);
    // SAFETY: the range says what the module has.
    unsafe { gates::attach(shared(), range, module.gates) }
}

/// A module without overrides, of which nothing is noted.
fn gates_of_unknown(process: &Process, module: &Module) {
    if process.n_gates.load(Ordering::Relaxed) == 0 {
        module.gates.fill(1);
    }
}

/// Runs when this module is unloaded, and when the process ends in order.
pub fn end() {
    if hooks::task() != Task::Mutants as u32 && hooks::task() != Task::Trial as u32 {
        return;
    }
    let process = shared();
    let own = |range: &&ModuleRange| range.is_of(sites::data());
    if let Some(range) = process.modules().find(own) {
        gates::detach(range);
        fuel::detach(process, range);
    }
}

/// The first module of a process: marks the nodes that have overrides and takes a number.
///
/// # Safety
/// The file is mapped.
unsafe fn begin(process: &Process, auxiliary: &Auxiliary) -> Result<(), Errno> {
    // SAFETY: vouched for by the caller; the overrides lie in the file.
    unsafe {
        let head = &*header();
        if head.n_nodes != 0 {
            sys::map_zeros_at(PENDING_ADDRESS, page_up(head.n_nodes as usize))?;
        }
        sys::map_zeros_at(COUNTS_ADDRESS, page_up((head.n_overrides as usize).wrapping_add(1).wrapping_mul(8)))?;
        let mutant = if head.role == Role::Single as u32 { head.selected } else { NO_MUTANT };
        process.mutant.store(mutant, Ordering::Relaxed);
        process.role.store(head.role, Ordering::Relaxed);
        // Where locals begin as garbage, all functions' do: every gate is open, and none is counted.
        if head.mode == Mode::Mutants as u32 && symbols::fill().load(Ordering::Relaxed) == 0 {
            let n_gates = gates_in_file(head);
            sys::map_zeros_at(GATES_ADDRESS, page_up((n_gates as usize).wrapping_add(1).wrapping_mul(4)))?;
            process.n_gates.store(n_gates.max(1), Ordering::Relaxed);
        }
        let mut index = 0u32;
        while index < head.n_overrides {
            let one = &*mutants::override_at(index);
            if mutants::is_ours(process, one) {
                gates::add(process, one);
                if one.site < head.n_nodes {
                    gates::set_pending(one.site, true);
                }
            }
            index = index.wrapping_add(1);
        }
        process.budget.store(head.budget, Ordering::Relaxed);
        process.take_stack(auxiliary);
        process.pid.store(sys::process_id(), Ordering::Relaxed);
        join(process)?;
        if head.role == Role::Plan as u32 {
            fork::prepare(process);
        }
    }
    Ok(())
}

/// Takes the next process's number and place. One too many kills itself, which is how fork bombs end.
///
/// # Safety
/// The file is mapped; this process has one thread.
unsafe fn join(process: &Process) -> Result<(), Errno> {
    // SAFETY: vouched for by the caller; the tables were looked at before they were mapped.
    unsafe {
        let head = header();
        let number = AtomicU32::from_ptr(&raw mut (*head).next_process).fetch_add(1, Ordering::Relaxed);
        if number >= (*head).max_processes {
            sys::die();
        }
        let known = (*head).n_processes;
        let entry = at::<TrialProcess>((*head).processes).wrapping_add(number.min(known) as usize);
        process.number.store(number, Ordering::Relaxed);
        if (*entry).streams != 0 {
            writable((*entry).states, u64::from((*head).n_nodes).wrapping_mul(8))?;
        }
        if (*head).mode == Mode::Mutants as u32 {
            fuel::join(process)?;
        }
        process.own_used.store(0, Ordering::Relaxed);
        let used = if number < known { AtomicU64::from_ptr(&raw mut (*entry).used) } else { &process.own_used };
        process.used.store((used as *const AtomicU64).cast_mut(), Ordering::Relaxed);
        process.states.store(at((*entry).states), Ordering::Relaxed);
        let streams = if (*entry).streams == 0 { core::ptr::null_mut() } else { at((*entry).streams) };
        process.streams.store(streams, Ordering::Relaxed);
        process.flags.store((&raw mut (*entry).flags).cast(), Ordering::Relaxed);
        process.entry.store(entry, Ordering::Relaxed);
        AtomicU32::from_ptr(&raw mut (*entry).pid).store(process.pid.load(Ordering::Relaxed), Ordering::Relaxed);
        process.set_flag(PROCESS_STARTED);
    }
    Ok(())
}

/// Runs in the child of a fork, once for each module.
pub extern "C" fn forked() {
    let Some(process) = process::renew() else { return };
    if process.role.load(Ordering::Relaxed) != 0 {
        // SAFETY: a forked child has one thread, and it is here; a role is set when the file is mapped.
        unsafe { rejoin(process) }
    }
}

/// In the child of a fork that the program made: another process of the trial, without a plan of its own.
///
/// # Safety
/// This process has one thread, and it is here; the file is mapped.
unsafe fn rejoin(process: &Process) {
    process.role.store(Role::Single as u32, Ordering::Relaxed);
    // SAFETY: vouched for by the caller.
    unsafe { mutants::forget_executions() }
    // SAFETY: vouched for by the caller. Where pages cannot be made writable the hooks would fault.
    if unsafe { join(process) }.is_err() {
        sys::die();
    }
    // SAFETY: as above.
    unsafe {
        if (*header()).mode == Mode::Mutants as u32 {
            fuel::forked(process);
        }
    }
}
