//! Trials: the trial file, which process of the trial this is, and what hooks do in it.

use core::ffi::c_char;
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use suspect_format::abi::{Mode, PAGE};
use suspect_format::trial::{
    CHANGED, EXIT_CUT, MAGIC, NO_MUTANT, Override, PROCESS_CUT, PROCESS_STARTED, Refusal, Role, TRIAL_ADDRESS,
    TrialHeader, TrialModule, TrialProcess, fuel_pages,
};
use suspect_format::{ENDIAN_TAG, FORMAT_VERSION};

use crate::change::{self, Taken};
use crate::hooks::{self, Task};
use crate::module::{Module, page_up};
use crate::process::{self, COUNTS_ADDRESS, GATES_ADDRESS, ModuleRange, PENDING_ADDRESS, Process, shared};
use crate::settings::Auxiliary;
use crate::sys::{self, EIO, Errno, File, O_CLOEXEC, O_RDWR};
use crate::{fork, fuel, gates, mutants, object, stack, symbols, text};

/// This module's words: where they begin, and which node each is.
static DATA: AtomicUsize = AtomicUsize::new(0);
static NODES: AtomicPtr<u32> = AtomicPtr::new(core::ptr::null_mut());
/// This module's operations: the first byte, how many, the site of the first.
static OPERATIONS: AtomicUsize = AtomicUsize::new(0);
static N_OPERATIONS: AtomicU32 = AtomicU32::new(0);
static FIRST_OPERATION: AtomicU32 = AtomicU32::new(0);

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
            fork::give_up(Refusal::Layout, 0);
        }
        stack::take(process);
        let range = process.add(module);
        let known = number_of(module);
        DATA.store(module.data as usize, Ordering::Relaxed);
        NODES.store(known.map_or(core::ptr::null_mut(), |number| at((*entry_of(number)).nodes)), Ordering::Relaxed);
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
        symbols::at_fork(None, process::forked);
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
    OPERATIONS.store(module.operations.start as usize, Ordering::Relaxed);
    N_OPERATIONS.store(module.operations.length as u32, Ordering::Relaxed);
    FIRST_OPERATION.store(entry.first_operation, Ordering::Relaxed);
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
    let own = |range: &&ModuleRange| range.is_of(DATA.load(Ordering::Relaxed));
    if let Some(range) = process.modules().find(own) {
        gates::detach(range);
        fuel::detach(process, range);
    }
}

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

/// Maps the file after a look at its header; only the pages that processes write can be written.
///
/// # Safety
/// `path` ends with a zero byte.
unsafe fn map(path: *const c_char) -> Result<(), Errno> {
    let mut head = MaybeUninit::<TrialHeader>::uninit();
    // SAFETY: vouched for by the caller; the buffer is as long as said.
    let file = unsafe { File::open(path, O_RDWR | O_CLOEXEC) }?;
    // SAFETY: the buffer is as long as said.
    let length = unsafe { file.read_at(head.as_mut_ptr().cast(), size_of::<TrialHeader>(), 0) }?;
    // SAFETY: any bytes are a header, if there were enough of them.
    let head = unsafe { head.assume_init_ref() };
    let known = length == size_of::<TrialHeader>()
        && head.magic == MAGIC
        && head.version == FORMAT_VERSION
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

/// Gates of all modules.
///
/// # Safety
/// The file is mapped.
unsafe fn gates_in_file(head: &TrialHeader) -> u32 {
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
        set_flag(process, PROCESS_STARTED);
    }
    Ok(())
}

/// In the child of a fork that the program made: another process of the trial, without a plan of its own.
///
/// # Safety
/// This process has one thread, and it is here; the file is mapped.
pub unsafe fn forked(process: &Process) {
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

/// Which of the oracle's modules `module` is.
///
/// # Safety
/// The file is mapped.
unsafe fn number_of(module: &Module) -> Option<u32> {
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
unsafe fn entry_of(number: u32) -> *const TrialModule {
    // SAFETY: vouched for by the caller.
    unsafe { at::<TrialModule>((*header()).modules).wrapping_add(number as usize) }
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
    set_flag(process, PROCESS_CUT);
    sys::exit(EXIT_CUT)
}

/// Whether the trial is in the mode `mutants`.
pub fn runs_mutants() -> bool {
    hooks::task() == Task::Mutants as u32
}

/// Whether a `PROCESS_*` bit of this process is set.
pub fn has_flag(process: &Process, flag: u32) -> bool {
    // SAFETY: set when the process joined the trial.
    unsafe { &*process.flags.load(Ordering::Relaxed) }.load(Ordering::Relaxed) & flag != 0
}

/// Sets a `PROCESS_*` bit of this process.
pub fn set_flag(process: &Process, flag: u32) {
    // SAFETY: set when the process joined the trial.
    unsafe { &*process.flags.load(Ordering::Relaxed) }.fetch_or(flag, Ordering::Relaxed);
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

/// See [`hooks::__suspect_node`].
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

/// See [`hooks::__suspect_pointer`].
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

/// See [`hooks::__suspect_text`].
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

/// What a child of a plan is given: everything that its parent's hooks must not see.
pub struct Child {
    /// A state for each node, those of the parent at the fork.
    pub states: *mut u64,
    /// Hooks and ticks, the parent's before the fork included.
    pub used: *mut u64,
    /// `PROCESS_*` bits.
    pub flags: *mut u32,
    /// Number of its mutant.
    pub mutant: u32,
}

/// Makes this process the child of a plan: from now on a trial of one mutant.
///
/// # Safety
/// This process has one thread; the pointers are good as long as it lives.
pub unsafe fn become_child(child: &Child) {
    let process = shared();
    process.pid.store(sys::process_id(), Ordering::Relaxed);
    process.states.store(child.states.cast(), Ordering::Relaxed);
    process.used.store(child.used.cast(), Ordering::Relaxed);
    process.flags.store(child.flags.cast(), Ordering::Relaxed);
    process.mutant.store(child.mutant, Ordering::Relaxed);
    process.role.store(Role::Single as u32, Ordering::Relaxed);
}
