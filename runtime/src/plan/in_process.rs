//! A trial in place: the plan's process runs the mutant itself, in memory that is put back, and goes on as if nothing had been.
//!
//! Nothing of a child is left to make, to wait for and to take down, but nothing of the process is a child's own either. So its calls are judged
//! by [`take`]: those pass that leave nothing behind, or nothing that cannot be undone, and do not wait. The end that a call or a signal would bring to
//! a process becomes the trial's; a clock of the processor's time looks whether it ends. What needs more is run by a child.

use core::arch::asm;
use core::sync::atomic::Ordering;

use suspect_format::trial::{Done, TrialResult};

use crate::os::sys::Errno;
use crate::plan::checkpoint::checkpoint;
use crate::plan::filter::Action;
use crate::plan::fork::Split;
use crate::plan::scratch_mapping::{OWN_STACK_TOP, Pause, ScratchMapping, scratch_mapping};
use crate::plan::{files, mask, snapshot, syscall_dispatch};
use crate::process::shared;
use crate::trial::file;
use crate::trial::trampoline::{self, call};

const READ: usize = 0;
const WRITE: usize = 1;
const OPEN: usize = 2;
const CLOSE: usize = 3;
const FSTAT: usize = 5;
const LSEEK: usize = 8;
const MMAP: usize = 9;
const SIGACTION: usize = 13;
const SIGPROCMASK: usize = 14;
const IOCTL: usize = 16;
const SET_TIMER: usize = 38;
const GETPID: usize = 39;
const EXIT: usize = 60;
const KILL: usize = 62;
const FCNTL: usize = 72;
const GETTID: usize = 186;
const FUTEX: usize = 202;
const EXIT_GROUP: usize = 231;
const TGKILL: usize = 234;
const OPENAT: usize = 257;

/// Calls whose first argument is a descriptor, of those that pass.
const OF_DESCRIPTOR: [usize; 18] =
    [READ, WRITE, CLOSE, FSTAT, LSEEK, IOCTL, 17, 19, 20, FCNTL, 74, 75, 78, 138, 187, 217, 221, 295];
/// Calls whose first argument is the descriptor of a directory.
const OF_DIRECTORY: [usize; 6] = [OPENAT, 262, 267, 269, 332, 439];
/// Calls that leave nothing behind but what is put back, and do not wait: of files, of times, and questions.
const PASSING: [usize; 57] = [
    READ, WRITE, 4, FSTAT, 6, LSEEK, IOCTL, 17, 19, 20, 21, 24, 27, GETPID, 61, 63, 74, 75, 78, 79, 89, 96, 97, 98, 99,
    100, 102, 104, 107, 108, 110, 111, 115, 118, 120, 121, 124, 137, 138, 140, GETTID, 187, 201, 204, 217, 221, 228,
    229, 262, 267, 269, 295, 302, 309, 318, 332, 439,
];

const AT_FDCWD: usize = -100isize as usize;
const EBADF: Errno = Errno(9);
const F_GETFD: u32 = 1;
const F_GETFL: u32 = 3;
const FUTEX_COMMANDS: usize = 0x7f;
const FUTEX_WAKE: usize = 1;
const SIG_SETMASK: usize = 2;

const SIGKILL: i32 = 9;
const SIGPROF: i32 = 27;
/// Signals by which machine code ends: what the hardware finds, and the clock. `SIGILL`, `SIGTRAP`, `SIGBUS`, `SIGFPE`, `SIGSEGV`.
const CAUGHT: [i32; 6] = [4, 5, 7, 8, 11, SIGPROF];
/// Those, and `SIGSYS`: as bits of a mask.
const NEEDED: u64 = 1 << 3 | 1 << 4 | 1 << 6 | 1 << 7 | 1 << 10 | 1 << 26 | 1 << 30;
/// Signals that end nobody: `SIGCHLD`, `SIGCONT`, `SIGURG`, `SIGWINCH`; those that stop a process or, where no terminal can continue it, do not.
const IGNORED: [usize; 4] = [17, 18, 23, 28];
const STOPPING: [usize; 3] = [20, 21, 22];
const SIGSTOP: usize = 19;
const IS_DEFAULT: usize = 0;
const IS_IGNORED: usize = 1;

/// Files that a trial may open.
const MOST_OPENED: usize = 16;
/// Signals that a trial may handle otherwise.
const MOST_HANDLED: usize = 8;
/// See [`Pause::fail`]: a failure costs half of what a success saves.
const MOST_FAILURES: u32 = 2;
/// Looks of the clock at one trial until its time is up, and how many of them there are in that time.
const LAST_LOOK: u32 = 3;
const LOOKS: u64 = 2;

/// Registers of floating-point numbers, as `fxsave` has them.
#[repr(C, align(16))]
struct Floats([u8; 512]);

/// The trial that runs in place, and what the process has taken for such. All zeros at first.
#[repr(C)]
pub struct InProcess {
    /// How long no trial is run in place.
    pub pause: Pause,
    /// A trial runs.
    pub is_running: bool,
    /// Signals and the clock are taken.
    is_open: bool,
    /// The trial's time is up.
    is_late: bool,
    /// Which of the signals are taken.
    is_taken: [bool; CAUGHT.len()],
    /// As `wait` tells it.
    status: i32,
    /// How often the clock looked at the trial.
    looks: u32,
    /// The plan's stack pointer where it goes on.
    resume: usize,
    /// Signals that are blocked.
    mask: u64,
    floats: Floats,
    /// Files that the trial opened.
    opened: [usize; MOST_OPENED],
    n_opened: usize,
    /// Descriptors of the plan, below 64, that are closed for the trial.
    closed: u64,
    /// Signals that the trial handles otherwise, and how they were handled before.
    handled: [(usize, Action); MOST_HANDLED],
    n_handled: usize,
}

/// Whether a trial runs in place.
///
/// # Safety
/// In a trial.
pub unsafe fn is_running() -> bool {
    // SAFETY: the scratch mapping is there where trials may stay.
    shared().stays.load(Ordering::Relaxed) != 0 && unsafe { (*scratch_mapping()).in_process.is_running }
}

/// Whether the next mutant is to be run in place; if it is, all is ready for that.
///
/// # Safety
/// In a hook of a plan that knows which memory to keep.
pub unsafe fn is_due() -> bool {
    if shared().stays.load(Ordering::Relaxed) == 0 {
        return false;
    }
    // SAFETY: the scratch mapping is there, and nothing else runs.
    unsafe {
        let ScratchMapping { in_process, snapshot, .. } = &mut *scratch_mapping();
        let is_due = in_process.pause.is_over() && snapshot.has_frames();
        if is_due && !in_process.is_open {
            in_process.is_open = in_process.prepare();
            if !in_process.is_open {
                in_process.pause.fail(MOST_FAILURES);
            }
        }
        is_due && in_process.is_open
    }
}

/// Gives back what was taken.
///
/// # Safety
/// As [`is_due`].
pub unsafe fn close() {
    // SAFETY: as in `is_due`.
    unsafe {
        let trial = &mut (*scratch_mapping()).in_process;
        if trial.is_open {
            set_clock(0);
            trial.give_back();
            trial.is_open = false;
        }
    }
}

/// Runs a mutant in place: goes on as its child. When that has ended it goes on for the parent, whose memory is then as it was; the end is `None` if a
/// child must do it.
///
/// # Safety
/// In a hook of a plan whose memory is kept, after [`is_due`] has said so; `found` is the child's result.
pub unsafe fn stay(found: *mut TrialResult) -> Split {
    // SAFETY: vouched for by the caller.
    unsafe {
        if checkpoint(keep) != 0 {
            return Split::Child;
        }
        let scratch = &mut *scratch_mapping();
        let trial = &mut scratch.in_process;
        (*found).status = trial.status;
        if scratch.is_refused {
            trial.pause.fail(MOST_FAILURES);
            return Split::Parent(None);
        }
        trial.pause.succeed();
        Split::Parent(Some(if trial.is_late { Done::TimedOut } else { Done::Ran }))
    }
}

/// From now on the calls of this trial are judged.
///
/// # Safety
/// In a trial in place, before the program's code.
pub unsafe fn begin() {
    // SAFETY: the scratch mapping is there.
    unsafe {
        (*scratch_mapping()).in_process.is_running = true;
        (*scratch_mapping()).dispatches.store(1, Ordering::Relaxed);
    }
}

/// Keeps what the trial may change.
unsafe extern "C" fn keep(resume: usize) {
    // SAFETY: the scratch mapping is there, and nothing else runs.
    unsafe {
        let scratch = &mut *scratch_mapping();
        (scratch.calls, scratch.is_refused) = (0, false);
        let trial = &mut scratch.in_process;
        (trial.resume, trial.looks, trial.is_late) = (resume, 0, false);
        (trial.n_opened, trial.closed, trial.n_handled) = (0, 0, 0);
        asm!("fxsave [{}]", in(reg) &raw mut trial.floats, options(nostack, preserves_flags));
        scratch.snapshot.copy();
    }
}

/// Ends the trial that runs in place; `status` is as `wait` tells it.
///
/// # Safety
/// [`is_running`].
pub unsafe fn end(status: i32) -> ! {
    // SAFETY: the scratch mapping is there; from here on nothing of the trial runs.
    unsafe {
        let scratch = scratch_mapping();
        (*scratch).in_process.is_running = false;
        (*scratch).dispatches.store(0, Ordering::Relaxed);
        (*scratch).in_process.status = status;
        leave()
    }
}

/// Goes on where the plan was left, with its memory.
#[unsafe(naked)]
unsafe extern "C" fn leave() -> ! {
    core::arch::naked_asm!(
        "cld",
        "movabs rsp, {top}",
        "call {put_back}",
        "mov rsp, rax",
        "ret",
        top = const OWN_STACK_TOP,
        put_back = sym put_back,
    )
}

/// Puts back what the trial may have changed; the plan's stack pointer.
unsafe extern "C" fn put_back() -> usize {
    // SAFETY: the trial has ended, and this stack is none of what is put back.
    unsafe {
        let scratch = &mut *scratch_mapping();
        scratch.snapshot.put_back();
        let trial = &mut scratch.in_process;
        for fd in trial.opened.iter().take(trial.n_opened) {
            let _ = call(CLOSE, [*fd, 0, 0, 0, 0]);
        }
        for (signal, before) in trial.handled.iter().take(trial.n_handled) {
            let _ = set_action(*signal as i32, before);
        }
        let _ = call(SIGPROCMASK, [SIG_SETMASK, (&raw const trial.mask) as usize, 0, 8, 0]);
        asm!("fxrstor [{}]", in(reg) &raw const trial.floats, options(nostack, preserves_flags));
        trial.resume
    }
}

/// A signal that ends a process, or the clock.
unsafe extern "C" fn caught(signal: i32) {
    // SAFETY: the scratch mapping is there as long as this handles signals.
    unsafe {
        let scratch = scratch_mapping();
        match signal {
            _ if !(*scratch).in_process.is_running => {
                if signal != SIGPROF {
                    // The runtime's own mistake: let it be seen.
                    let _ = set_action(signal, &Action::DEFAULT);
                }
            }
            SIGPROF => {
                let looks = &raw mut (*scratch).in_process.looks;
                *looks = (*looks).wrapping_add(1);
                if *looks >= LAST_LOOK {
                    (*scratch).in_process.is_late = true;
                    end(SIGKILL);
                }
            }
            _ => end(signal),
        }
    }
}

/// Has the processor's clock look every so many nanoseconds at what runs; 0: no more.
unsafe fn set_clock(nanoseconds: u64) -> bool {
    const PROCESSOR: usize = 2;
    let microseconds = nanoseconds / 1000;
    let time = [microseconds / 1_000_000, microseconds % 1_000_000];
    let timer = [time, time];
    // SAFETY: a local.
    unsafe { call(SET_TIMER, [PROCESSOR, (&raw const timer) as usize, 0, 0, 0]) }.is_ok()
}

/// How a signal was handled before it is as `action` says.
unsafe fn set_action(signal: i32, action: *const Action) -> Option<Action> {
    let mut before = Action::DEFAULT;
    // SAFETY: two records of the kernel's; it only reads the one.
    unsafe { call(SIGACTION, [signal as usize, action as usize, (&raw mut before) as usize, 8, 0]) }
        .ok()
        .map(|_| before)
}

impl InProcess {
    unsafe fn prepare(&mut self) -> bool {
        // SAFETY: the records are fields and locals; the header is mapped.
        unsafe {
            if !syscall_dispatch::take_stack() {
                return false;
            }
            self.is_taken = [false; CAUGHT.len()];
            let mask = (&raw mut self.mask) as usize;
            let is_unblocked = call(SIGPROCMASK, [0, 0, mask, 8, 0]).is_ok() && self.mask & NEEDED == 0;
            let limit = (*file::header()).busy_ns.min((*file::header()).wall_ns);
            let is_ready = is_unblocked && self.take_signals() && set_clock((limit / LOOKS).max(1000));
            if !is_ready {
                self.give_back();
            }
            is_ready
        }
    }

    /// Has signals end trials that would end the process. A handler of the program's own stays; but what it ignores the kernel does not.
    unsafe fn take_signals(&mut self) -> bool {
        let action = Action::of(caught as *const () as usize);
        for (signal, is_taken) in CAUGHT.iter().zip(&mut self.is_taken) {
            // SAFETY: the handler is ours.
            let Some(before) = (unsafe { set_action(*signal, &action) }) else { return false };
            *is_taken = before.handler == IS_DEFAULT;
            if !*is_taken {
                // SAFETY: as it was.
                let _ = unsafe { set_action(*signal, &before) };
                if *signal == SIGPROF || before.handler == IS_IGNORED {
                    return false;
                }
            }
        }
        true
    }

    unsafe fn give_back(&mut self) {
        for (signal, is_taken) in CAUGHT.iter().zip(self.is_taken) {
            if is_taken {
                // SAFETY: as it was.
                let _ = unsafe { set_action(*signal, &Action::DEFAULT) };
            }
        }
        // SAFETY: it was taken.
        unsafe { syscall_dispatch::leave_stack() }
    }

    fn has_closed(&self, fd: usize) -> bool {
        let fd = fd as u32;
        fd < u64::BITS && self.closed & 1 << fd != 0
    }

    /// Closes a file of the trial; one of the plan's is only closed for the trial.
    unsafe fn close_file(&mut self, fd: usize) -> Option<Result<usize, Errno>> {
        let fd = fd as u32 as usize;
        if let Some(at) = self.opened.iter().take(self.n_opened).position(|opened| *opened == fd) {
            self.n_opened = self.n_opened.wrapping_sub(1);
            let last = self.opened.get(self.n_opened).copied();
            if let (Some(gone), Some(last)) = (self.opened.get_mut(at), last) {
                *gone = last;
            }
            // SAFETY: the program's own call.
            return Some(unsafe { call(CLOSE, [fd, 0, 0, 0, 0]) });
        }
        // SAFETY: a question.
        if unsafe { call(FCNTL, [fd, F_GETFD as usize, 0, 0, 0]) }.is_err() {
            return Some(Err(EBADF));
        }
        if fd >= u64::BITS as usize {
            return None;
        }
        self.closed |= 1 << fd;
        Some(Ok(0))
    }

    /// Opens a file that nobody has to wait for; its number is that which a child would get, as long as nothing is closed in appearance alone.
    unsafe fn open_file(&mut self, number: usize, arguments: [usize; 6]) -> Option<Result<usize, Errno>> {
        let [first, second, ..] = arguments;
        let (directory, path) = if number == OPEN { (AT_FDCWD, first) } else { (first, second) };
        if self.closed != 0 || self.n_opened == MOST_OPENED {
            return None;
        }
        // SAFETY: the kernel looks at the program's path.
        unsafe {
            if let Some(status) = files::status_at(directory, path)
                && !status.is_file_or_harmless()
            {
                return None;
            }
            let answer = trampoline::pass(number, arguments);
            if let (Ok(fd), Some(free)) = (answer, self.opened.get_mut(self.n_opened)) {
                *free = fd;
                self.n_opened = self.n_opened.wrapping_add(1);
            }
            Some(answer)
        }
    }

    /// Has a signal handled otherwise, unless it is one that this process needs.
    unsafe fn handle(&mut self, arguments: [usize; 6]) -> Option<Result<usize, Errno>> {
        let [signal, action, ..] = arguments;
        let is_needed = NEEDED >> (signal.wrapping_sub(1) & 63) & 1 != 0;
        // SAFETY: a record of the kernel's; the program's own call, which says nothing of other stacks.
        unsafe {
            if is_needed || syscall_dispatch::has_flags(action, syscall_dispatch::RESET) {
                return None;
            }
            let mut known = self.handled.iter().take(self.n_handled);
            if action != 0 && !known.any(|(known, _)| *known == signal) {
                let free = self.handled.get_mut(self.n_handled)?;
                let record = (&raw mut free.1) as usize;
                if call(SIGACTION, [signal, 0, record, 8, 0]).is_ok() {
                    free.0 = signal;
                    self.n_handled = self.n_handled.wrapping_add(1);
                }
            }
            Some(trampoline::pass(SIGACTION, arguments))
        }
    }

    /// Sends this process a signal.
    unsafe fn raise(
        &mut self,
        signal: usize,
        number: usize,
        arguments: [usize; 6],
        blocked: u64,
    ) -> Option<Result<usize, Errno>> {
        let mut action = Action::DEFAULT;
        // SAFETY: a local; the program's own call.
        unsafe {
            if signal != 0 {
                let known = call(SIGACTION, [signal, 0, (&raw mut action) as usize, 8, 0]).is_ok();
                let is_blocked = blocked >> (signal.wrapping_sub(1) & 63) & 1 != 0;
                let mut taken = CAUGHT.iter().zip(self.is_taken).filter(|(_, is_taken)| *is_taken);
                let is_default = action.handler == IS_DEFAULT || taken.any(|(taken, _)| *taken as usize == signal);
                if !known || STOPPING.contains(&signal) || is_blocked {
                    return None;
                }
                if signal == SIGSTOP {
                    // It would wait until its time is up: nobody can continue it.
                    self.is_late = true;
                    end(SIGKILL);
                }
                if is_default && !IGNORED.contains(&signal) {
                    end(signal as i32);
                }
            }
            Some(trampoline::pass(number, arguments))
        }
    }
}

/// A call of the trial, which the filter would let pass: its answer, `None` if a child must be the one to make it.
///
/// # Safety
/// A trial runs in place; the call is the program's own.
pub unsafe fn take(
    scratch: &mut ScratchMapping,
    number: usize,
    arguments: [usize; 6],
    blocked: &mut u64,
) -> Option<Result<usize, Errno>> {
    let [first, second, third, _, fifth, _] = arguments;
    let trial = &mut scratch.in_process;
    // SAFETY: vouched for by the caller.
    unsafe {
        match number {
            EXIT | EXIT_GROUP => end((first as i32 & 0xff) << 8),
            _ if OF_DESCRIPTOR.contains(&number) && trial.has_closed(first) => Some(Err(EBADF)),
            _ if OF_DIRECTORY.contains(&number) && trial.has_closed(first) => {
                is_from_there(second).then_some(Err(EBADF))
            }
            MMAP if trial.has_closed(fifth) => None,
            _ if snapshot::changes(number) => scratch.snapshot.change(number, arguments),
            CLOSE => trial.close_file(first),
            OPEN | OPENAT => trial.open_file(number, arguments),
            FCNTL if ![F_GETFD, F_GETFL].contains(&(second as u32)) => None,
            FUTEX if second & FUTEX_COMMANDS != FUTEX_WAKE => None,
            SIGACTION => trial.handle(arguments),
            SIGPROCMASK if first as u32 != mask::UNBLOCK && blocks_needed(second) => None,
            KILL => trial.raise(second, number, arguments, *blocked),
            TGKILL if call(GETPID, [0; 5]) == Ok(first) && call(GETTID, [0; 5]) == Ok(second) => {
                trial.raise(third, number, arguments, *blocked)
            }
            FCNTL | FUTEX => Some(trampoline::pass(number, arguments)),
            _ if PASSING.contains(&number) => Some(trampoline::pass(number, arguments)),
            _ => mask::take(blocked, number, arguments),
        }
    }
}

/// Whether a path begins at the directory that is named with it, or is nothing but that.
unsafe fn is_from_there(path: usize) -> bool {
    // SAFETY: the address is looked at first.
    trampoline::is_readable(path) && unsafe { *(path as *const u8) } != b'/'
}

/// Whether a set of signals has one that must not be blocked; also if it cannot be read.
unsafe fn blocks_needed(set: usize) -> bool {
    // SAFETY: vouched for by the caller.
    set != 0 && unsafe { mask::read(set) }.is_none_or(|set| set & NEEDED != 0)
}
