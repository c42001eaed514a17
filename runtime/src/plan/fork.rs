//! Plans: where pending mutants would change what a site comes to, each of them is run: in [`in_process`], by a child that is lent this memory ([`shared_vm`]), or by a fork.
//!
//! They run one after another while the plan waits, which then puts back what they share with it: see [`files`].

use core::sync::atomic::{AtomicU32, Ordering};

use suspect_format::trial::{
    CHANGED, Done, NO_MUTANT, PROCESS_IN_PLACE, PROCESS_LENT, Refusal, Role, Stream, TrialResult,
};

use crate::os::sys::{self, Errno};
use crate::plan::filter;
use crate::plan::{files, in_process, shared_vm, syscall_dispatch};
use crate::process::{Process, shared};
use crate::trial::change::{self, Taken};
use crate::trial::file;
use crate::trial::mutants::{self, At};
use crate::trial::trampoline::call;
use crate::trial::{fuel, gates};

const CLOSE: usize = 3;
const CLONE: usize = 56;
const WAIT: usize = 61;
const PRCTL: usize = 157;
const CLOCK_GETTIME: usize = 228;
const PPOLL: usize = 271;
const SEND_SIGNAL: usize = 424;

const CLONE_PIDFD: usize = 0x1000;
const WAIT_ALL: usize = 0x4000_0000;
const SIGKILL: usize = 9;
const SIGSYS: i32 = 31;
const POLLIN: u16 = 1;
const EINTR: Errno = sys::EINTR;
const PDEATHSIG: usize = 1;

/// The kind of clock that tells what a process has computed.
const PROCESSOR_CLOCK: usize = 2;
const SECOND: u64 = 1_000_000_000;
/// Nanoseconds between two looks at a child's processor time, at least.
const LEAST_SLICE: u64 = 20_000_000;

/// Gets the first process of a plan ready, or ends it with the reason.
///
/// # Safety
/// The trial file is mapped; the process has joined the trial and has run none of the program's code.
pub unsafe fn prepare(process: &Process) {
    // SAFETY: vouched for by the caller; the tables were looked at before they were mapped.
    unsafe {
        let header = file::header();
        if (*header).first_pid != u64::from(process.pid.load(Ordering::Relaxed)) || (*header).next_process != 1 {
            file::give_up(Refusal::NotFirst, 0);
        }
        let results = u64::from((*header).n_mutants).wrapping_mul((*header).result_stride);
        let other = file::other_process();
        let states = if (*other).streams == 0 { 0 } else { u64::from((*header).n_nodes).wrapping_mul(8) };
        let writable =
            file::writable((*header).results, results).and_then(|()| file::writable((*other).states, states));
        if writable.is_err() || filter::install().is_err() {
            file::give_up(Refusal::Kernel, 0);
        }
        match files::entries(c"/proc/self/task".as_ptr().cast(), |_| true) {
            Some(1) => syscall_dispatch::prepare(process),
            Some(_) => file::give_up(Refusal::Threads, 0),
            None => file::give_up(Refusal::Kernel, 0),
        }
    }
}

/// The plan's process reached `site` for the so many-th time, some of whose overrides are pending: what it comes to.
///
/// # Safety
/// Called by a hook, with the trial file mapped; `site` is less than the header's `n_sites`.
pub unsafe fn reached(site: u32, execution: u64, taken: Taken) -> Option<u64> {
    // SAFETY: vouched for by the caller; overrides and results have the header's number.
    unsafe {
        let (mut index, end) = mutants::overrides_of(site);
        let (mut pending, mut noted, mut last) = (false, None, NO_MUTANT);
        while index < end {
            let mutant = mutants::mutant_of(index);
            // Members of a mutant at one site follow each other.
            if mutant != last && (*file::result(mutant)).done == Done::Not as u32 {
                let at = At { mutant, site, execution };
                if change::would_change(&at, taken) {
                    if run(mutant, noted.get_or_insert_with(|| Noted::new())) {
                        return change::apply(&at, taken);
                    }
                } else {
                    pending = true;
                }
            }
            last = mutant;
            index = index.wrapping_add(1);
        }
        if let Some(noted) = noted {
            noted.leave();
        }
        gates::set_pending(site, pending);
    }
    taken.plain()
}

/// What a hook has noted of its process for all mutants that it runs.
struct Noted {
    /// Files that stand somewhere.
    files: usize,
    /// Whether it is known which memory is to be kept.
    is_kept: bool,
}

impl Noted {
    /// # Safety
    /// In a hook of the plan's process.
    unsafe fn new() -> Noted {
        let process = shared();
        // SAFETY: vouched for by the caller; the scratch mapping is there where memory is lent.
        unsafe {
            if file::runs_mutants() {
                fuel::note(process);
            }
            let files = files::standing();
            Noted { files, is_kept: process.lends.load(Ordering::Relaxed) != 0 && shared_vm::look() }
        }
    }

    /// Whether a mutant is to be run in this way now; if it is, all is ready for it.
    ///
    /// # Safety
    /// As [`Noted::new`].
    unsafe fn is_due(&self, way: Way) -> bool {
        // SAFETY: vouched for by the caller; the scratch mapping is there where memory is kept.
        unsafe {
            match way {
                Way::InPlace => self.is_kept && in_process::is_due(),
                Way::Lent => {
                    self.leave();
                    self.is_kept && shared_vm::is_due()
                }
                Way::Forked => true,
            }
        }
    }

    /// Children, and what the program does next, have nothing that trials in place need.
    ///
    /// # Safety
    /// As [`Noted::new`].
    unsafe fn leave(&self) {
        if self.is_kept {
            // SAFETY: vouched for by the caller; the scratch mapping is there where memory is kept.
            unsafe { in_process::close() }
        }
    }
}

/// How a mutant is run, the quickest first.
#[derive(Clone, Copy)]
enum Way {
    /// By this process.
    InPlace,
    /// By a child that has this memory.
    Lent,
    /// By a child that has a copy of it.
    Forked,
}

/// Runs mutant number `index`: true in there. The plan has then the result and goes on as if nothing had been.
///
/// # Safety
/// In a hook of the plan's process that has noted what it has.
unsafe fn run(index: u32, noted: &Noted) -> bool {
    // SAFETY: vouched for by the caller.
    unsafe {
        for way in [Way::InPlace, Way::Lent, Way::Forked] {
            if !noted.is_due(way) {
                continue;
            }
            match start(index, noted.files, way) {
                Split::Child => return true,
                Split::Parent(Some(done)) => {
                    let found = file::result(index);
                    if (*found).done == Done::Not as u32 {
                        (*found).done = done as u32;
                    }
                    break;
                }
                Split::Parent(None) => {}
            }
        }
        gates::done(index);
        // The worker looks at it meanwhile.
        AtomicU32::from_ptr(&raw mut (*file::header()).n_done).fetch_add(1, Ordering::Relaxed);
    }
    false
}

/// Who goes on after a child was started.
pub enum Split {
    /// The child.
    Child,
    /// The parent, when the child has ended: how, `None` if that says nothing.
    Parent(Option<Done>),
}

/// Starts mutant number `index` in one way; for the plan everything is as it was when it has ended, and the result says what it did.
///
/// # Safety
/// As [`run`]; this way is due.
unsafe fn start(index: u32, files: usize, way: Way) -> Split {
    let process = shared();
    // SAFETY: vouched for by the caller. The child goes on where this process's only thread is.
    unsafe {
        let header = file::header();
        let found = file::result(index);
        ((*found).done, (*found).refused_call) = (Done::Not as u32, 0);
        let child = begin(process, index, found);
        (*header).running = u64::from(index).wrapping_add(1);
        let split = match way {
            Way::InPlace => in_process::stay(found),
            Way::Lent => shared_vm::lend(found),
            Way::Forked => fork(found),
        };
        if let Split::Child = split {
            go_on(process, &child, way);
            return Split::Child;
        }
        (*header).running = 0;
        if file::runs_mutants() {
            (*found).used = fuel::put_back(process);
        }
        finish(found, &child);
        files::put_back(files, found);
        split
    }
}

/// In the child: makes it one.
///
/// # Safety
/// In a child of the plan, or where it runs a mutant in place.
unsafe fn go_on(process: &Process, child: &Child, way: Way) {
    // SAFETY: vouched for by the caller.
    unsafe {
        if !matches!(way, Way::InPlace) {
            let _ = call(PRCTL, [PDEATHSIG, SIGKILL, 0, 0, 0]);
        }
        become_child(child);
        gates::keep_only(child.mutant);
        match way {
            Way::InPlace => {
                process.set_flag(PROCESS_IN_PLACE);
                in_process::begin();
            }
            Way::Lent => {
                process.set_flag(PROCESS_LENT);
                syscall_dispatch::begin();
            }
            Way::Forked => {}
        }
    }
}

/// Goes on in a child with a copy of this memory, and when that has ended.
unsafe fn fork(found: *mut TrialResult) -> Split {
    let mut pidfd = 0u32;
    // SAFETY: the kernel writes the descriptor.
    unsafe {
        match call(CLONE, [CLONE_PIDFD, 0, (&raw mut pidfd) as usize, 0, 0]) {
            Ok(0) => Split::Child,
            Ok(id) => Split::Parent(Some(wait(id, pidfd as usize, found))),
            Err(_) => file::give_up(Refusal::Kernel, 0),
        }
    }
}

/// Gives the child to come states, counter and flags of its own, those of its parent at first.
unsafe fn begin(process: &Process, index: u32, found: *mut TrialResult) -> Child {
    // SAFETY: both tables have a state for each node; the result can be written.
    unsafe {
        let n_nodes = compared(process);
        let states = file::at::<u64>((*file::other_process()).states);
        let own = process.states.load(Ordering::Relaxed);
        let mut node = 0usize;
        while node < n_nodes {
            states.wrapping_add(node).write((*own.wrapping_add(node)).load(Ordering::Relaxed));
            node = node.wrapping_add(1);
        }
        (*found).used = (*process.used.load(Ordering::Relaxed)).load(Ordering::Relaxed);
        (*found).flags = (*process.flags.load(Ordering::Relaxed)).load(Ordering::Relaxed);
        Child { states, used: &raw mut (*found).used, flags: &raw mut (*found).flags, mutant: index }
    }
}

/// Nodes whose values are compared.
unsafe fn compared(process: &Process) -> usize {
    match process.streams.load(Ordering::Relaxed).is_null() {
        true => 0,
        // SAFETY: the header is mapped.
        false => unsafe { (*file::header()).n_nodes as usize },
    }
}

/// Waits for the child's end, and brings it about when its time is up, by the clock or the processor's.
///
/// # Safety
/// In a plan; `id` is a child that has not been waited for, `pidfd` a descriptor of it.
pub unsafe fn wait(id: usize, pidfd: usize, found: *mut TrialResult) -> Done {
    let mut done = Done::Ran;
    // SAFETY: the header is mapped; a child that has not been waited for, and its descriptor.
    unsafe {
        if !ends_in_time(id, pidfd) {
            done = Done::TimedOut;
            let _ = call(SEND_SIGNAL, [pidfd, SIGKILL, 0, 0, 0]);
        }
        let mut status = 0i32;
        while call(WAIT, [id, (&raw mut status) as usize, WAIT_ALL, 0, 0]) == Err(EINTR) {}
        let _ = call(CLOSE, [pidfd, 0, 0, 0, 0]);
        (*found).status = status;
        if done == Done::Ran && status & 0x7f == SIGSYS {
            // Its handler could not run.
            done = Done::Elsewhere;
        }
    }
    done
}

/// Whether a child ends before its time is up.
unsafe fn ends_in_time(id: usize, pidfd: usize) -> bool {
    // SAFETY: the header is mapped.
    let (mut wall, busy) = unsafe { ((*file::header()).wall_ns, (*file::header()).busy_ns) };
    let mut used = 0;
    while wall > 0 && used < busy {
        // Nobody can compute for longer than time passes.
        let slice = busy.wrapping_sub(used).max(LEAST_SLICE).min(wall);
        // SAFETY: vouched for by the caller.
        unsafe {
            match ends_within(pidfd, slice) {
                Ok(false) => {}
                ended => return ended == Ok(true),
            }
            used = processor_time(id);
        }
        wall = wall.wrapping_sub(slice);
    }
    false
}

/// Whether a child ends within so many nanoseconds.
unsafe fn ends_within(pidfd: usize, nanoseconds: u64) -> Result<bool, Errno> {
    let mut time = [nanoseconds / SECOND, nanoseconds % SECOND];
    let mut poll = [pidfd as u64 | (POLLIN as u64) << 32];
    loop {
        // SAFETY: locals; the kernel brings the time left up to date when a signal interrupts it.
        match unsafe { call(PPOLL, [(&raw mut poll) as usize, 1, (&raw mut time) as usize, 0, 8]) } {
            Err(EINTR) => {}
            answer => return answer.map(|ready| ready == 1),
        }
    }
}

/// Nanoseconds for which a child has computed; 0 where the kernel does not say.
unsafe fn processor_time(id: usize) -> u64 {
    let clock = !id << 3 | PROCESSOR_CLOCK;
    let mut time = [0u64; 2];
    // SAFETY: a local.
    match unsafe { call(CLOCK_GETTIME, [clock, (&raw mut time) as usize, 0, 0, 0]) } {
        Ok(_) => time[0].wrapping_mul(SECOND).wrapping_add(time[1]),
        Err(_) => 0,
    }
}

/// Says of each node whether the child's trajectory differs from the oracle's.
unsafe fn finish(found: *mut TrialResult, child: &Child) {
    // SAFETY: a bit for each node follows the result; states and streams are as many.
    unsafe {
        let bits = found.add(1).cast::<u8>();
        let streams = shared().streams.load(Ordering::Relaxed);
        let n_nodes = compared(shared());
        let (mut node, mut byte) = (0usize, 0u8);
        while node < n_nodes {
            let state = *child.states.wrapping_add(node);
            let stream: Stream = *streams.wrapping_add(node);
            let differs = state & CHANGED != 0 || state != stream.length;
            byte |= u8::from(differs) << (node % 8);
            node = node.wrapping_add(1);
            if node % 8 == 0 || node == n_nodes {
                bits.wrapping_add(node.wrapping_sub(1) / 8).write(byte);
                byte = 0;
            }
        }
    }
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
