//! What the modules of one process share: private memory at an address that all of them know.
//!
//! Each module has its own copy of the runtime; what must be one for the whole process (the trial's state, the names of
//! objects) lies here. A forked child gets a copy of it with the rest of its memory.

use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use suspect_format::abi::PAGE;
use suspect_format::trial::{Stream, TRIAL_ADDRESS, TrialProcess};

use crate::count::object::{self, Objects};
use crate::os::module::Module;
use crate::os::settings::Auxiliary;
use crate::os::symbols;
use crate::os::sys::{self, EEXIST, EIO, Errno};

/// Where the shared page is: as far from programs as the trial file.
const PROCESS_ADDRESS: usize = TRIAL_ADDRESS - (1 << 40);
/// Where hooks have their stack: beyond what follows the page.
pub const STACK_ADDRESS: usize = PROCESS_ADDRESS + (1 << 36);
/// Bytes of it.
const PROCESS_BYTES: usize = 2 * PAGE;
/// Where the trial's bytes for each node follow it.
pub const PENDING_ADDRESS: usize = PROCESS_ADDRESS + PROCESS_BYTES;
/// Where counts of executions are, one for each override.
pub const COUNTS_ADDRESS: usize = PROCESS_ADDRESS + (1 << 35);
/// Where the number of overrides that are not done is, of each gate.
pub const GATES_ADDRESS: usize = PROCESS_ADDRESS + (1 << 35) + (1 << 34);
/// Where a plan's room for children that it lends its memory is.
pub const LENT_ADDRESS: usize = STACK_ADDRESS + (1 << 35);
/// How far the first thread's stack can reach down from the environment; nothing else is mapped there.
pub const STACK_BYTES: usize = 120 << 20;
/// "This page is the runtime's".
const MARK: u64 = 0x5355_5350_5052_4f43;
/// Modules whose addresses can be told apart.
const MAX_MODULES: usize = 60;

/// The shared page. All fields are read and written without locks unless they say so.
#[repr(C)]
pub struct Process {
    mark: AtomicU64,
    /// Whose page this is: a forked child finds its parent's id.
    pub pid: AtomicU32,
    /// The [`suspect_format::trial::Role`] of this process, 0 outside trials.
    pub role: AtomicU32,
    /// Which process of the trial this is, from 0.
    pub number: AtomicU32,
    /// Gates of all modules, in the mode `mutants`; 0 where all are open.
    pub n_gates: AtomicU32,
    /// Hooks and ticks that may be executed.
    pub budget: AtomicU64,
    /// Where those executed are counted.
    pub used: AtomicPtr<AtomicU64>,
    /// A [`suspect_format::trial::NodeState`] for each node.
    pub states: AtomicPtr<AtomicU64>,
    /// The oracle's trajectory of each node.
    pub streams: AtomicPtr<Stream>,
    /// Where the `PROCESS_*` bits go.
    pub flags: AtomicPtr<AtomicU32>,
    /// The mutant that is active now, or [`suspect_format::trial::NO_MUTANT`].
    pub mutant: AtomicU32,
    /// This process's entry in the trial file.
    pub entry: AtomicPtr<TrialProcess>,
    /// Counts for a process that shares its entry with others.
    pub own_used: AtomicU64,
    /// The threads that are making a string, 0 for none: hooks of a `malloc` that is itself instrumented must not start another.
    pub makers: [AtomicU64; 16],
    /// Bytes that overrides took from the program's heap.
    pub text_bytes: AtomicU64,
    /// Address of the environment's array at start, above all frames of the first thread; 0 when not known.
    pub environment: AtomicUsize,
    /// An address above all texts on the first thread's stack, or not above the environment's when not known.
    pub stack_end: AtomicUsize,
    /// Where the heap that `sbrk` makes began, or was longer by then; 0 when not known.
    pub heap: AtomicUsize,
    /// The thread whose hooks run on [`crate::trial::stack`]; 0 for none.
    pub stack_owner: AtomicU64,
    /// 1 in a plan that may lend its memory.
    pub lends: AtomicU32,
    /// 1 in a plan that may run trials in place.
    pub stays: AtomicU32,
    /// The names of objects in the heap.
    pub objects: Objects,
    n_modules: AtomicUsize,
    modules: [ModuleRange; MAX_MODULES],
}

const _: () = assert!(size_of::<Process>() <= PROCESS_BYTES);

/// A module in memory.
#[repr(C)]
pub struct ModuleRange {
    /// Where it is: 0 when that is not known.
    start: AtomicUsize,
    end: AtomicUsize,
    identity: AtomicU64,
    data: AtomicUsize,
    /// Its gates, none once it is unloaded; the number of the first.
    pub gates: AtomicPtr<u8>,
    pub n_gates: AtomicU32,
    pub first_gate: AtomicU32,
    /// Its operations' bytes, likewise.
    pub operations: AtomicPtr<u8>,
    pub n_operations: AtomicU32,
    pub first_operation: AtomicU32,
    /// Its fuel, null while it may hold none.
    pub fuel: AtomicPtr<i64>,
}

impl ModuleRange {
    /// Whether it is the module whose words begin at `data`.
    pub fn is_of(&self, data: usize) -> bool {
        self.data.load(Ordering::Relaxed) == data
    }
}

static READY: AtomicBool = AtomicBool::new(false);

/// Makes or finds the shared page.
///
/// # Safety
/// No other thread is starting a module.
pub unsafe fn enter() -> Result<&'static Process, Errno> {
    match sys::map_zeros_at(PROCESS_ADDRESS, PROCESS_BYTES) {
        Ok(()) => {
            // SAFETY: the page was just mapped and is large enough.
            let process = unsafe { &*(PROCESS_ADDRESS as *const Process) };
            process.heap.store(sys::program_break(), Ordering::Relaxed);
            process.mark.store(MARK, Ordering::Relaxed);
        }
        Err(EEXIST) if sys::is_readable(PROCESS_ADDRESS) => {}
        Err(reason) => return Err(reason),
    }
    let process = shared();
    if process.mark.load(Ordering::Relaxed) != MARK {
        return Err(EIO);
    }
    READY.store(true, Ordering::Release);
    Ok(process)
}

/// The shared page.
///
/// Only to be called where [`enter`] has succeeded, which hooks know by their task.
#[inline(always)]
pub fn shared() -> &'static Process {
    // SAFETY: mapped as long as the process lives, aligned, and made of atomics alone.
    unsafe { &*(PROCESS_ADDRESS as *const Process) }
}

/// The shared page, if it is there.
pub fn entered() -> Option<&'static Process> {
    READY.load(Ordering::Acquire).then(shared)
}

impl Process {
    /// Notes where `module` is, so that addresses in it have names that do not depend on where it was loaded. `None` when there is no
    /// room for one more.
    pub fn add(&self, module: &Module) -> Option<&ModuleRange> {
        let range = self.modules.get(self.n_modules.load(Ordering::Relaxed))?;
        let (start, end) = module.range().unwrap_or((0, 0));
        range.start.store(start, Ordering::Relaxed);
        range.end.store(end, Ordering::Relaxed);
        range.identity.store(module.identity(), Ordering::Relaxed);
        range.data.store(module.data as usize, Ordering::Relaxed);
        self.n_modules.fetch_add(1, Ordering::Release);
        Some(range)
    }

    /// Whether a `PROCESS_*` bit of this process is set.
    pub fn has_flag(&self, flag: u32) -> bool {
        // SAFETY: set when the process joined the trial.
        unsafe { &*self.flags.load(Ordering::Relaxed) }.load(Ordering::Relaxed) & flag != 0
    }

    /// Sets a `PROCESS_*` bit of this process.
    pub fn set_flag(&self, flag: u32) {
        // SAFETY: set when the process joined the trial.
        unsafe { &*self.flags.load(Ordering::Relaxed) }.fetch_or(flag, Ordering::Relaxed);
    }

    /// The modules that were noted, those that are unloaded included.
    pub fn modules(&self) -> impl Iterator<Item = &ModuleRange> {
        self.modules.iter().take(self.n_modules.load(Ordering::Acquire))
    }

    /// Which of the modules that were noted `range` is, from 0.
    pub fn position(&self, range: &ModuleRange) -> u32 {
        self.modules().zip(0u32..).find(|(other, _)| core::ptr::eq(*other, range)).map_or(u32::MAX, |(_, at)| at)
    }

    /// Notes where the first thread's stack is, unless the environment has been moved away from it already.
    pub fn take_stack(&self, auxiliary: &Auxiliary) {
        let environment = symbols::environment();
        if environment.is_null() {
            return;
        }
        let frame = auxiliary.frame;
        // SAFETY: the C library's variable.
        let array = unsafe { *environment } as usize;
        if array > frame && array.wrapping_sub(frame) < STACK_BYTES {
            self.environment.store(array, Ordering::Relaxed);
            self.stack_end.store(auxiliary.name as usize, Ordering::Relaxed);
        }
    }

    /// The identity of the module that `address` lies in, and where in it.
    pub fn module_of(&self, address: usize) -> Option<(u64, u64)> {
        let n_modules = self.n_modules.load(Ordering::Acquire);
        // From the last one, because a library may be where one that is gone was.
        for range in self.modules.iter().take(n_modules).rev() {
            let start = range.start.load(Ordering::Relaxed);
            if address >= start && address < range.end.load(Ordering::Relaxed) {
                return Some((range.identity.load(Ordering::Relaxed), address.wrapping_sub(start) as u64));
            }
        }
        None
    }
}

/// In the child of a fork: notes that it is another process. `None` where the runtime of another module has done so.
pub fn renew() -> Option<&'static Process> {
    let process = shared();
    let pid = sys::process_id();
    if process.pid.swap(pid, Ordering::Relaxed) == pid {
        return None;
    }
    object::forked(process);
    process.makers.iter().for_each(|maker| maker.store(0, Ordering::Relaxed));
    Some(process)
}
