//! What the modules of one process share: private memory at an address that all of them know.
//!
//! Each module has its own copy of the runtime; what must be one for the whole process (the trial's state, the names of
//! objects) lies here. A forked child gets a copy of it with the rest of its memory.

use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use suspect_format::abi::PAGE;
use suspect_format::trial::{Stream, TRIAL_ADDRESS, TrialProcess};

use crate::module::Module;
use crate::object::{self, Objects};
use crate::settings::Auxiliary;
use crate::sys::{self, EEXIST, EIO, Errno};
use crate::{symbols, trial};

/// Where the shared page is: as far from programs as the trial file.
const PROCESS_ADDRESS: usize = TRIAL_ADDRESS - (1 << 40);
/// Where hooks have their stack: beyond what follows the page.
pub const STACK_ADDRESS: usize = PROCESS_ADDRESS + (1 << 36);
/// Where the trial's bytes for each node follow it.
pub const PENDING_ADDRESS: usize = PROCESS_ADDRESS + PAGE;
/// Where counts of executions are, one for each override.
pub const COUNTS_ADDRESS: usize = PROCESS_ADDRESS + (1 << 35);
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
    /// The thread whose hooks run on [`crate::stack`]; 0 for none.
    pub stack_owner: AtomicU64,
    /// The names of objects in the heap.
    pub objects: Objects,
    n_modules: AtomicUsize,
    modules: [ModuleRange; MAX_MODULES],
}

const _: () = assert!(size_of::<Process>() <= PAGE);

/// Where a module is in memory.
#[repr(C)]
struct ModuleRange {
    start: AtomicUsize,
    end: AtomicUsize,
    identity: AtomicU64,
}

static READY: AtomicBool = AtomicBool::new(false);

/// Makes or finds the shared page.
///
/// # Safety
/// No other thread is starting a module.
pub unsafe fn enter() -> Result<&'static Process, Errno> {
    match sys::map_zeros_at(PROCESS_ADDRESS, PAGE) {
        // SAFETY: the page was just mapped and is large enough.
        Ok(()) => unsafe { (*(PROCESS_ADDRESS as *const Process)).mark.store(MARK, Ordering::Relaxed) },
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
    /// Notes where `module` is, so that addresses in it have names that do not depend on where it was loaded.
    pub fn add(&self, module: &Module) {
        let Some(range) = self.modules.get(self.n_modules.load(Ordering::Relaxed)) else { return };
        let Some((start, end)) = module.range() else { return };
        range.start.store(start, Ordering::Relaxed);
        range.end.store(end, Ordering::Relaxed);
        range.identity.store(module.identity(), Ordering::Relaxed);
        self.n_modules.fetch_add(1, Ordering::Release);
    }

    /// Notes where the first thread's stack is, unless the environment has been moved away from it already.
    pub fn take_stack(&self, auxiliary: &Auxiliary) {
        let environment = symbols::environment();
        if environment.is_null() {
            return;
        }
        let here = 0u8;
        let frame = (&raw const here) as usize;
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

/// Runs in the child of a fork, once for each module.
pub extern "C" fn forked() {
    let process = shared();
    let pid = sys::process_id();
    if process.pid.swap(pid, Ordering::Relaxed) == pid {
        return;
    }
    object::forked(process);
    process.makers.iter().for_each(|maker| maker.store(0, Ordering::Relaxed));
    if process.role.load(Ordering::Relaxed) != 0 {
        // SAFETY: a forked child has one thread, and it is here; a role is set when the file is mapped.
        unsafe { trial::forked(process) }
    }
}
